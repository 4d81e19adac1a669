//! Hosts of several kinds, each from the files that it would have.

use std::collections::BTreeSet;

use retrieval_bench::registration::{HOST_FACTS, Host, MOMENT_FACTS};
use serde_json::{Value, json};

use super::{System, intel};

fn fact(host: &Host, name: &str) -> Value {
    host.0.values.get(name).cloned().unwrap_or_else(|| panic!("no fact {name}"))
}

fn reason(host: &Host, name: &str) -> String {
    assert_eq!(fact(host, name), Value::Null, "{name}");
    host.0.unknown.get(name).cloned().unwrap_or_else(|| panic!("{name} is null without a reason"))
}

#[test]
fn the_tables_have_each_fact_once_in_order_with_a_sentence() {
    for table in [&HOST_FACTS[..], &MOMENT_FACTS[..]] {
        assert!(table.is_sorted_by(|a, b| a.name < b.name));
        for fact in table {
            assert!(fact.about.ends_with('.') && !fact.at.is_empty(), "{}", fact.name);
        }
    }
}

#[test]
fn every_fact_is_there_known_or_null_with_its_reason() {
    for host in [intel().host(), System::with(&[]).host(), Host::read(&Default::default())] {
        let names: BTreeSet<&str> = host.0.values.keys().map(String::as_str).collect();
        assert_eq!(names, HOST_FACTS.iter().map(|fact| fact.name).collect());
        for (name, value) in &host.0.values {
            let reason = host.0.unknown.get(name);
            assert_eq!(value.is_null(), reason.is_some_and(|reason| !reason.is_empty()), "{name}");
            assert_ne!(value, "", "{name}");
        }
    }
}

#[test]
fn an_intel_server_with_intel_pstate_is_known_in_every_fact() {
    let host = intel().host();
    let expected = json!({
        "arch": "x86_64",
        "aslr": 2,
        "clocksource": "tsc",
        "cpu_model": "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz",
        "cpus_allowed": "0-3",
        "cpus_online": "0-3",
        "governor": {"performance": 2},
        "kernel_release": "6.8.0-45-generic",
        "memory_mib": 257_650,
        "microcode": "0xd0003d1",
        "smt": false,
        "system": "Dell Inc. PowerEdge R650",
        "transparent_huge_pages": "madvise",
        "turbo": false,
        "unknown": {},
        "virtualization": "none",
    });
    assert_eq!(serde_json::to_value(&host).expect("it renders"), expected);
}

#[test]
fn an_amd_host_says_its_boost_in_acpi_cpufreq_and_its_governors_are_counted() {
    let amd = System::with(&[
        (
            "proc/cpuinfo",
            "processor : 0\nmodel name : AMD Ryzen 9 7950X\nmicrocode : 0xa601206\nflags : fpu svm\n",
        ),
        ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
        ("sys/devices/system/cpu/smt/active", "1\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n"),
        ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "schedutil\n"),
        ("sys/devices/system/cpu/cpu11/topology/core_id", "3\n"),
    ]);
    let host = amd.host();
    assert_eq!(fact(&host, "turbo"), json!(true));
    assert_eq!(fact(&host, "smt"), json!(true));
    assert_eq!(fact(&host, "governor"), json!({"performance": 1, "schedutil": 2}));
    assert_eq!(fact(&host, "cpu_model"), "AMD Ryzen 9 7950X");
    assert_eq!(fact(&host, "virtualization"), "none");
    amd.write("sys/devices/system/cpu/cpufreq/boost", b"0\n");
    assert_eq!(fact(&amd.host(), "turbo"), json!(false));
}

#[test]
fn an_arm_host_is_named_by_its_numbers_and_says_nothing_of_virtualization() {
    let arm = System::with(&[
        ("proc/sys/kernel/arch", "aarch64\n"),
        (
            "proc/cpuinfo",
            "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n\
             CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n",
        ),
        ("proc/device-tree/model", "Ampere Altra\0"),
    ]);
    let host = arm.host();
    assert_eq!(fact(&host, "arch"), "aarch64");
    assert_eq!(fact(&host, "cpu_model"), "implementer 0x41, part 0xd0c, variant 0x3, revision 1");
    assert_eq!(fact(&host, "system"), "Ampere Altra");
    assert!(reason(&host, "virtualization").contains("names no flags"));
    assert!(reason(&host, "microcode").contains("/proc/cpuinfo names no microcode"));
    assert!(reason(&host, "turbo").contains("no_turbo"));
}

#[test]
fn a_virtual_machine_with_almost_nothing_is_mostly_unknown() {
    let machine = System::with(&[
        ("proc/cpuinfo", "processor : 0\nmodel name : AMD EPYC\nflags : fpu hypervisor sse\n"),
        ("proc/sys/kernel/osrelease", "6.1.0\n"),
        ("sys/devices/system/cpu/online", "0\n"),
    ]);
    let host = machine.host();
    assert_eq!(fact(&host, "virtualization"), "unnamed");
    assert_eq!(fact(&host, "kernel_release"), "6.1.0");
    assert_eq!(fact(&host, "arch"), std::env::consts::ARCH, "an old kernel does not say");
    for name in ["aslr", "clocksource", "cpus_allowed", "governor", "memory_mib", "smt", "system"] {
        assert!(!reason(&host, name).is_empty());
    }
    assert_eq!(reason(&host, "smt"), "there is no /sys/devices/system/cpu/smt/active");
    machine.write("sys/hypervisor/type", b"xen\n");
    assert_eq!(fact(&machine.host(), "virtualization"), "xen");
}

#[test]
fn a_container_may_use_fewer_cpus_than_are_online() {
    let container = System::with(&[
        (
            "proc/self/status",
            "Name:\tretrieval-bench\nCpus_allowed:\tc\nCpus_allowed_list:\t2-3,8\n",
        ),
        ("sys/devices/system/cpu/online", "0-63\n"),
    ]);
    let host = container.host();
    assert_eq!(fact(&host, "cpus_allowed"), "2-3,8");
    assert_eq!(fact(&host, "cpus_online"), "0-63");
}

#[test]
fn a_boot_that_keeps_a_little_more_memory_makes_no_other_host() {
    let (one, other) = (intel(), intel());
    other.write("proc/meminfo", b"MemTotal: 263825920 kB\n");
    assert_ne!(fact(&one.host(), "memory_mib"), fact(&other.host(), "memory_mib"));
    assert_eq!(one.host().differences(&other.host()), Vec::<String>::new());
    assert_eq!(one.host().sha256(), other.host().sha256());
}

#[test]
fn a_fact_behind_long_lines_is_found_and_one_behind_the_bound_is_said_to_be() {
    let groups = |count: usize| {
        let ids = (0..count).map(|id| format!("{} ", 100_000 + id)).collect::<String>();
        format!("Name:\tx\nGroups:\t{ids}\nCpus_allowed_list:\t0-3\n")
    };
    let system = intel();
    system.write("proc/self/status", groups(900).as_bytes());
    assert_eq!(fact(&system.host(), "cpus_allowed"), "0-3");
    system.write("proc/self/status", groups(20_000).as_bytes());
    assert!(reason(&system.host(), "cpus_allowed").contains("in its first 65536 bytes"));
}

#[test]
fn hosts_differ_by_facts_and_not_by_reasons() {
    let (one, other) = (intel(), intel());
    assert_eq!(one.host().differences(&other.host()), Vec::<String>::new());
    assert_eq!(one.host().sha256(), other.host().sha256());
    assert_eq!(one.host().sha256().map(|digest| digest.len()), Some(64));
    other.write("sys/devices/system/cpu/smt/active", b"1\n");
    other.write("proc/sys/kernel/osrelease", b"6.8.1\n");
    assert_eq!(one.host().differences(&other.host()), ["kernel_release", "smt"]);
    assert_ne!(one.host().sha256(), other.host().sha256());
    let (mut left, mut right) = (one.host(), one.host());
    for (host, reason) in [(&mut left, "no such file"), (&mut right, "permission denied")] {
        host.0.values.insert("turbo".to_owned(), Value::Null);
        host.0.unknown.insert("turbo".to_owned(), reason.to_owned());
    }
    assert_eq!(left.differences(&right), Vec::<String>::new());
    assert_eq!(left.sha256(), right.sha256());
    assert_eq!(left.differences(&one.host()), ["turbo"]);
    assert_eq!(Host::default().sha256(), None, "reports of before have no host");
}

#[test]
fn this_host_reads_the_same_twice() {
    let root = retrieval_bench::registration::HostRoot::default();
    assert_eq!(Host::read(&root), Host::read(&root));
}
