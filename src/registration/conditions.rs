//! Under what conditions a run took place: the only part of a registration that two runs of one experiment may
//! differ in.

use std::fs;
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock::rfc3339;

/// When and on what a run took place. Nothing here changes a ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// Cores that this process may use.
    pub cores: u64,
    /// Repositories worked on at the same time.
    pub jobs: u64,
    /// Operating system and release of the kernel, such as `Linux 6.8.0`. Empty where it is unknown.
    pub kernel: String,
    /// Runnable tasks, averaged over 1, 5 and 15 minutes, when the run was registered. Empty where it is unknown.
    pub load_average: Vec<f64>,
    /// The processor architecture.
    pub machine: String,
    /// When the run was registered: RFC 3339, UTC, nanoseconds.
    pub registered_at: String,
}

impl Conditions {
    /// The conditions of this moment, with `jobs` repositories worked on at the same time.
    pub fn now(jobs: usize) -> Conditions {
        Conditions {
            cores: std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64),
            jobs: jobs as u64,
            kernel: kernel(),
            load_average: load_average(),
            machine: std::env::consts::ARCH.to_owned(),
            registered_at: rfc3339(SystemTime::now()),
        }
    }
}

fn kernel() -> String {
    let read = |path| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let name = [read("/proc/sys/kernel/ostype"), read("/proc/sys/kernel/osrelease")];
    name.join(" ").trim().to_owned()
}

fn load_average() -> Vec<f64> {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_ascii_whitespace().take(3).filter_map(|field| field.parse().ok()).collect()
}
