//! Files that are not what they should be: nothing blocks, nothing panics, nothing is made up.

use std::fs;
use std::os::unix::fs::symlink;

use nix::sys::stat::Mode;
use retrieval_bench::registration::{HOST_FACTS, MOMENT_FACTS, MOST_BYTES, Reading};
use serde_json::Value;

use super::{System, intel};

/// Every file that any fact is read from.
const FILES: [&str; 24] = [
    "proc/sys/kernel/arch",
    "proc/sys/kernel/osrelease",
    "proc/sys/kernel/randomize_va_space",
    "proc/cpuinfo",
    "proc/meminfo",
    "proc/self/status",
    "proc/loadavg",
    "proc/stat",
    "proc/pressure/cpu",
    "proc/pressure/io",
    "proc/pressure/memory",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
    "sys/devices/system/cpu/intel_pstate/no_turbo",
    "sys/devices/system/cpu/cpufreq/boost",
    "sys/devices/system/cpu/smt/active",
    "sys/devices/system/clocksource/clocksource0/current_clocksource",
    "sys/kernel/mm/transparent_hugepage/enabled",
    "sys/class/dmi/id/sys_vendor",
    "sys/class/power_supply/BAT0/type",
    "sys/class/thermal/thermal_zone0/temp",
    "sys/hypervisor/type",
    "run/utmp",
];

/// Reads everything and holds it to its form: no fact without a value or a reason, no value that is no text.
fn read(system: &System, about: &str) -> Reading {
    let reading = Reading::now(&system.root());
    for (facts, table) in [(&reading.host.0, &HOST_FACTS[..]), (&reading.facts, &MOMENT_FACTS[..])]
    {
        assert_eq!(facts.values.len(), table.len(), "{about}");
        for (name, value) in &facts.values {
            let reason = facts.unknown.get(name).map_or("", String::as_str);
            assert_eq!(value.is_null(), !reason.is_empty(), "{about}: {name}: {value}: {reason}");
            assert!(reason.len() < 2_000, "{about}: {name}: {reason}");
            if let Value::String(text) = value {
                assert!(!text.is_empty() && !text.contains(char::is_control), "{about}: {name}");
            }
        }
    }
    reading
}

/// Facts that are known although every file is wrong: a host without power supplies has no battery, nobody is in an
/// empty utmp.
fn known(reading: &Reading) -> Vec<&str> {
    let facts = reading.host.0.values.iter().chain(&reading.facts.values);
    facts.filter(|(_, value)| !value.is_null()).map(|(name, _)| name.as_str()).collect()
}

#[test]
fn empty_files_say_nothing() {
    let empty: Vec<(&str, &str)> = FILES.iter().map(|file| (*file, "")).collect();
    let reading = read(&System::with(&empty), "empty");
    assert_eq!(known(&reading), Vec::<&str>::new());
    assert!(reading.ticks.is_err());
    assert_eq!(reading.host.0.unknown["smt"], "/sys/devices/system/cpu/smt/active is empty");
}

#[test]
fn bytes_that_are_no_text_say_nothing() {
    let binary: Vec<u8> = (0..4_000_u32).map(|at| (at * 37 % 256) as u8).collect();
    for bytes in
        [&binary[..], b"\0\0\0\0", b"\xff\xfe", b"a\x1b[31mb", b"-1", b"99999999999999999999"]
    {
        let system = System::with(&[]);
        for file in FILES {
            system.write(file, bytes);
        }
        read(&system, &format!("{:?}", &bytes[..bytes.len().min(8)]));
    }
}

#[test]
fn a_file_without_end_is_read_no_further_than_its_bound() {
    let system = System::with(&[]);
    let long = "9".repeat(1 << 20);
    for file in FILES {
        system.write(file, long.as_bytes());
    }
    let reading = read(&system, "long");
    assert_eq!(known(&reading), [""; 0]);
    let head = system.root().head("proc/cpuinfo", MOST_BYTES).expect("readable");
    assert_eq!(head.len(), MOST_BYTES);
    symlink("/dev/zero", system.path().join("proc/zero")).expect("a link");
    assert!(system.root().head("proc/zero", MOST_BYTES).is_err(), "a device is no file");
}

#[test]
fn a_folder_in_a_files_place_says_nothing() {
    let system = System::with(&[]);
    for file in FILES {
        fs::create_dir_all(system.path().join(file)).expect("a folder");
    }
    let reading = read(&system, "folders");
    assert!(reading.host.0.unknown["smt"].contains("no regular file"), "{:?}", reading.host.0);
}

#[test]
fn a_pipe_in_a_files_place_is_not_waited_for() {
    let system = System::with(&[]);
    for file in FILES {
        let path = system.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        nix::unistd::mkfifo(&path, Mode::S_IRWXU).expect("a pipe");
    }
    let reading = read(&system, "pipes");
    assert!(reading.facts.unknown["other_users"].contains("no regular file"));
}

#[test]
fn a_link_that_leads_nowhere_or_to_itself_says_nothing() {
    for target in ["absent", "online"] {
        let system = System::with(&[("sys/devices/system/cpu/.keep", "")]);
        symlink(target, system.path().join("sys/devices/system/cpu/online")).expect("a link");
        read(&system, target);
    }
}

#[test]
fn any_one_file_may_be_wrong_without_touching_what_others_say() {
    for file in FILES {
        let system = intel();
        system.write(file, b"\x00\xffnonsense");
        let reading = read(&system, file);
        let unknown = reading.host.0.unknown.len() + reading.facts.unknown.len();
        assert!(unknown <= 4, "{file}: {:?} {:?}", reading.host.0.unknown, reading.facts.unknown);
    }
}
