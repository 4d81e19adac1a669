//! The checks of quietness, over readings.

use std::fs;
use std::path::Path;

use retrieval_bench::registration::{CHECKS, Check, Reading, Readings, Verdict, failures, judge};
use serde_json::{Value, json};

use super::{System, intel};

fn judged(system: &System, idle: Result<f64, String>, after_own_work: bool) -> Vec<Check> {
    let reading = Reading::now(&system.root());
    judge(&Readings {
        host: &reading.host,
        facts: &reading.facts,
        idle,
        throttled: Ok(0),
        after_own_work,
    })
}

fn check(system: &System, name: &str) -> (Verdict, Value) {
    let checks = judged(system, Ok(0.99), false);
    let check = checks.into_iter().find(|check| check.name == name);
    let check = check.unwrap_or_else(|| panic!("no check {name}"));
    (check.verdict, check.value)
}

#[test]
fn a_quiet_server_passes_every_check() {
    let checks = judged(&intel(), Ok(0.99), false);
    assert!(checks.iter().map(|check| check.name.as_str()).eq(CHECKS.iter().map(|row| row.name)));
    for check in &checks {
        assert_eq!(check.verdict, Verdict::Pass, "{check:?}");
        assert!(!check.value.is_null() && check.reason.is_none(), "{check:?}");
    }
    assert_eq!(failures(&checks), None);
}

#[test]
fn a_host_that_says_nothing_is_unknown_and_never_refused() {
    let checks = judged(&System::with(&[]), Err("one reading".to_owned()), false);
    for check in checks.iter().filter(|check| check.name != "thermal_throttling") {
        assert_eq!((check.verdict, &check.value), (Verdict::Unknown, &Value::Null), "{check:?}");
        assert!(check.reason.as_deref().is_some_and(|reason| !reason.is_empty()), "{check:?}");
    }
    assert_eq!(failures(&checks), None);
}

#[test]
fn each_check_holds_its_bound_on_both_sides() {
    let governor = "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
    let cases: [(&str, &str, &str, &str, Value); 9] = [
        // Four CPUs are online.
        ("load_per_cpu", "proc/loadavg", "1.40 0 0 1/9 9", "1.41 0 0 1/9 9", json!(0.3525)),
        ("runnable_tasks", "proc/loadavg", "0 0 0 2/9 9", "0 0 0 3/9 9", json!(2)),
        ("pressure_cpu", "proc/pressure/cpu", "some avg10=5.00 ", "some avg10=5.01 ", json!(5.01)),
        ("pressure_io", "proc/pressure/io", "some avg10=5.00 ", "some avg10=5.01 ", json!(5.01)),
        (
            "pressure_memory",
            "proc/pressure/memory",
            "some avg10=1 ",
            "some avg10=1.01 ",
            json!(1.01),
        ),
        (
            "governor",
            governor,
            "performance",
            "powersave",
            json!({"performance": 1, "powersave": 1}),
        ),
        ("turbo", "sys/devices/system/cpu/intel_pstate/no_turbo", "1", "0", json!(true)),
        ("on_battery", "sys/class/power_supply/U/status", "Charging", "Discharging", json!(true)),
        ("other_users", "run/utmp", super::BOOT, "", Value::Null),
    ];
    for (name, file, quiet, noisy, value) in cases {
        let system = intel();
        system.write("sys/class/power_supply/U/type", b"UPS\n");
        system.write(file, quiet.as_bytes());
        assert_eq!(check(&system, name).0, Verdict::Pass, "{name}: {quiet}");
        system.write(file, noisy.as_bytes());
        let verdict = if value.is_null() { Verdict::Unknown } else { Verdict::Fail };
        assert_eq!(check(&system, name), (verdict, value), "{name}: {noisy}");
    }
    for (idle, verdict) in [(0.9, Verdict::Pass), (0.8999, Verdict::Fail)] {
        let checks = judged(&intel(), Ok(idle), false);
        let row = checks.iter().find(|check| check.name == "cpu_idle").expect("there is one");
        assert_eq!((row.verdict, &row.value), (verdict, &json!(idle)));
    }
}

#[test]
fn many_cpus_bear_more_tasks() {
    let system = intel();
    system.write("proc/loadavg", b"0 0 0 7/900 9\n");
    assert_eq!(check(&system, "runnable_tasks"), (Verdict::Fail, json!(6)));
    system.write("sys/devices/system/cpu/online", b"0-63\n");
    assert_eq!(check(&system, "runnable_tasks"), (Verdict::Pass, json!(6)));
}

#[test]
fn averages_hold_the_runs_own_work_and_cannot_fail_after_it() {
    let system = intel();
    system.write("proc/loadavg", b"9.00 5.00 1.00 9/900 9\n");
    system.write("proc/pressure/cpu", b"some avg10=90.00 avg60=1\n");
    let checks = judged(&system, Ok(0.99), true);
    let of = |name: &str| checks.iter().find(|check| check.name == name).expect("there is one");
    for name in ["load_per_cpu", "pressure_cpu"] {
        let check = of(name);
        assert_eq!(check.verdict, Verdict::Unknown, "{check:?}");
        assert!(!check.value.is_null() && check.reason.is_some(), "{check:?}");
    }
    assert_eq!(of("pressure_io").verdict, Verdict::Pass);
    assert_eq!(of("runnable_tasks").verdict, Verdict::Fail, "who runs now is somebody else");
}

#[test]
fn every_failed_check_is_named_with_its_value_and_bound() {
    let system = intel();
    system.write("proc/loadavg", b"4.00 5.00 1.00 1/900 9\n");
    system.write("sys/devices/system/cpu/intel_pstate/no_turbo", b"0\n");
    let named = failures(&judged(&system, Ok(0.99), false)).expect("two checks fail");
    assert_eq!(named, "load_per_cpu is 1.0 (quiet: at most 0.35), turbo is true (quiet: off)");
}

#[test]
fn the_document_has_every_check_as_it_stands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/quiet-host.md");
    let text = fs::read_to_string(path).expect("the document is there");
    let (_, text) = text.split_once("## The checks").expect("the section is there");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
    let expected: Vec<String> = CHECKS
        .iter()
        .map(|row| format!("| `{}` | {} | {} |", row.name, row.bound, row.why))
        .collect();
    assert_eq!(rows, expected);
}
