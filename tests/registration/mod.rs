//! What was run, on what: written once, readable again, comparable; and whether the host was quiet.

mod gate;
mod hostile;
mod hosts;
mod identity;
mod moments;
mod quiet;
mod record;

use std::fs;
use std::path::Path;

use retrieval_bench::registration::{Host, HostRoot, Moment};
use tempfile::TempDir;

/// Records of `/run/utmp` that are nobody's session: twenty-five of one length are twenty-four of the other.
const BOOT: &str = zeros();

const fn zeros() -> &'static str {
    match std::str::from_utf8(&[0; 9_600]) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// A system's files beneath a folder of their own.
pub struct System(TempDir);

impl System {
    /// One with these files.
    pub fn with(files: &[(&str, &str)]) -> System {
        let system = System(TempDir::new().expect("a scratch folder"));
        for (path, text) in files {
            system.write(path, text.as_bytes());
        }
        system
    }

    /// Writes a file, whatever was there, and the folders above it.
    pub fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, bytes).expect("written");
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn root(&self) -> HostRoot {
        HostRoot::at(self.0.path())
    }

    pub fn host(&self) -> Host {
        Host::read(&self.root())
    }
}

/// A quiet server with an Intel processor: governor and turbo as they should be, nobody there, nothing running.
pub fn intel() -> System {
    System::with(&[
        ("proc/sys/kernel/arch", "x86_64\n"),
        ("proc/sys/kernel/ostype", "Linux\n"),
        ("proc/sys/kernel/osrelease", "6.8.0-45-generic\n"),
        ("proc/sys/kernel/randomize_va_space", "2\n"),
        (
            "proc/cpuinfo",
            "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz\n\
             microcode\t: 0xd0003d1\nflags\t\t: fpu vme de pse tsc msr ept vmx\n\nprocessor\t: 1\nmodel name\t: other\n",
        ),
        ("proc/meminfo", "MemTotal:       263834112 kB\nMemFree:        1 kB\n"),
        ("proc/self/status", "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nCpus_allowed_list:\t0-3\n"),
        ("proc/loadavg", "0.08 0.11 0.09 1/612 4711\n"),
        ("proc/stat", "cpu  100 0 50 9000 20 0 0 0 0 0\ncpu0 1 1 1 1\n"),
        (
            "proc/pressure/cpu",
            "some avg10=0.12 avg60=0.30 avg300=0.20 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
        ),
        ("proc/pressure/io", "some avg10=0.00 avg60=0.01 avg300=0.00 total=1\n"),
        ("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"),
        ("sys/devices/system/cpu/online", "0-3\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n"),
        ("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "4\n"),
        ("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "5\n"),
        ("sys/devices/system/cpu/cpufreq/ignored", "x\n"),
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
        ("sys/devices/system/cpu/smt/active", "0\n"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
        ("sys/class/dmi/id/sys_vendor", "Dell Inc.\n"),
        ("sys/class/dmi/id/product_name", "PowerEdge R650\n"),
        ("sys/class/power_supply/.keep", ""),
        ("sys/class/thermal/thermal_zone0/temp", "41000\n"),
        ("sys/class/thermal/thermal_zone1/temp", "47500\n"),
        ("run/utmp", BOOT),
        ("etc/passwd", "root:x:0:0::/root:/bin/sh\nbench:x:1000:1000::/home/bench:/bin/sh\n"),
    ])
}

/// A moment that only its checks' names and verdicts tell.
pub fn verdicts(moment: &Moment) -> Vec<(String, &'static str)> {
    use retrieval_bench::registration::Verdict;
    let word = |verdict| match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Unknown => "unknown",
    };
    moment.checks.iter().map(|check| (check.name.clone(), word(check.verdict))).collect()
}
