//! What changes on a host, read from its files.

use retrieval_bench::registration::{Reading, Ticks};
use serde_json::{Value, json};

use super::{System, intel};

fn moment(system: &System, name: &str) -> Value {
    Reading::now(&system.root()).facts.values[name].clone()
}

fn reason(system: &System, name: &str) -> String {
    Reading::now(&system.root()).facts.unknown.get(name).cloned().unwrap_or_default()
}

#[test]
fn a_quiet_server_says_so_in_every_fact() {
    let reading = Reading::now(&intel().root());
    let expected = json!({
        "load_average": [0.08, 0.11, 0.09],
        "on_battery": false,
        "other_users": 0,
        "pressure_cpu": 0.12,
        "pressure_io": 0.0,
        "pressure_memory": 0.0,
        "runnable_tasks": 0,
        "temperature": 47.5,
        "throttle_count": 12,
        "unknown": {},
    });
    assert_eq!(serde_json::to_value(&reading.facts).expect("it renders"), expected);
    assert_eq!(reading.ticks, Ok(Ticks { idle: 9_020, total: 9_170 }));
}

#[test]
fn the_task_that_reads_is_not_one_of_the_others() {
    let system = System::with(&[("proc/loadavg", "3.50 2.00 1.00 7/612 99\n")]);
    assert_eq!(moment(&system, "runnable_tasks"), json!(6));
    system.write("proc/loadavg", b"3.50 2.00 1.00\n");
    assert_eq!(moment(&system, "load_average"), json!([3.5, 2.0, 1.0]));
    assert!(reason(&system, "runnable_tasks").contains("/proc/loadavg"));
    system.write("proc/loadavg", b"nan -1 inf 1/1 1\n");
    assert_eq!(moment(&system, "load_average"), Value::Null);
}

#[test]
fn a_kernel_without_pressure_is_unknown() {
    let system = System::with(&[("proc/pressure/io", "full avg10=1.00\n")]);
    assert_eq!(reason(&system, "pressure_cpu"), "there is no /proc/pressure/cpu");
    assert_eq!(reason(&system, "pressure_io"), "/proc/pressure/io has no some avg10");
}

#[test]
fn a_laptop_is_on_battery_when_no_mains_feeds_it() {
    let laptop = System::with(&[
        ("sys/class/power_supply/AC/type", "Mains\n"),
        ("sys/class/power_supply/AC/online", "0\n"),
        ("sys/class/power_supply/BAT0/type", "Battery\n"),
        ("sys/class/power_supply/BAT0/status", "Discharging\n"),
    ]);
    assert_eq!(moment(&laptop, "on_battery"), json!(true));
    laptop.write("sys/class/power_supply/AC/online", b"1\n");
    assert_eq!(moment(&laptop, "on_battery"), json!(false));
    let mouse = System::with(&[
        ("sys/class/power_supply/hid/type", "Battery\n"),
        ("sys/class/power_supply/hid/scope", "Device\n"),
        ("sys/class/power_supply/hid/status", "Discharging\n"),
    ]);
    assert_eq!(moment(&mouse, "on_battery"), json!(false));
    assert_eq!(moment(&System::with(&[]), "on_battery"), Value::Null);
}

#[test]
fn a_thermal_zone_that_is_switched_off_does_not_hide_the_others() {
    let system = System::with(&[
        ("sys/class/thermal/thermal_zone0/temp", ""),
        ("sys/class/thermal/thermal_zone1/temp", "-5000\n"),
        ("sys/class/thermal/cooling_device0/temp", "99000\n"),
    ]);
    assert_eq!(moment(&system, "temperature"), json!(-5.0));
}

/// Records of a login file: kind and user of each.
fn utmp(records: &[(i16, &str)]) -> Vec<u8> {
    let size = if cfg!(target_arch = "aarch64") { 400 } else { 384 };
    let record = |(kind, user): &(i16, &str)| {
        let mut record = vec![0; size];
        record[..2].copy_from_slice(&kind.to_ne_bytes());
        record[44..44 + user.len()].copy_from_slice(user.as_bytes());
        record
    };
    records.iter().flat_map(record).collect()
}

#[test]
fn users_other_than_our_own_are_counted_once() {
    let system = intel();
    let all =
        [(2, "reboot"), (7, "bench"), (7, "ada"), (8, "gone"), (7, "ada"), (7, ""), (7, "bob")];
    system.write("run/utmp", &utmp(&all));
    assert_eq!(moment(&system, "other_users"), json!(2));
    system.write("run/utmp", &utmp(&[(7, "bench"), (7, "bench")]));
    assert_eq!(moment(&system, "other_users"), json!(0));
    let long = "u".repeat(32);
    system.write("run/utmp", &utmp(&[(7, &long)]));
    assert_eq!(moment(&system, "other_users"), json!(1), "a name may fill its field");
}

#[test]
fn logins_that_cannot_be_told_from_our_own_are_unknown() {
    let system = intel();
    system.write("run/utmp", &utmp(&[(7, "ada")]));
    system.write("etc/passwd", b"root:x:0:0::/root:/bin/sh\n");
    assert!(reason(&system, "other_users").contains("user 1000"));
    system.write("run/utmp", &utmp(&[(7, "ada")])[1..]);
    assert!(reason(&system, "other_users").contains("whole number of records"));
    system.write("run/utmp", &utmp(&[(7, "ada"); 400]));
    assert!(reason(&system, "other_users").contains("larger"));
}
