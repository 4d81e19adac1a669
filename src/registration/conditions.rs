//! Under what conditions a run took place: what two runs of one experiment on one host may differ in.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gate::QuietHost;
use super::host_root::HostRoot;
use super::moment::Moment;
use super::quiet::failures;

/// When and how a run took place. Nothing here changes a ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Conditions {
    /// The moment behind the last arm; in the report alone.
    pub after: Option<Moment>,
    /// Whether the host was quiet before and is not after; in the report alone.
    pub became_noisy: Option<bool>,
    /// The moment before the first arm.
    pub before: Moment,
    /// Cores that this process may use.
    pub cores: Option<u64>,
    /// Repositories worked on at the same time.
    pub jobs: u64,
    /// Operating system and release of the kernel, such as `Linux 6.8.0`.
    pub kernel: Option<String>,
    /// Runnable tasks, averaged over 1, 5 and 15 minutes, before the first arm.
    pub load_average: Option<Vec<f64>>,
    /// The processor architecture of this program.
    pub machine: String,
    /// What would have happened on a host that is not quiet.
    pub quiet_host: QuietHost,
    /// When the run was registered: RFC 3339, UTC, nanoseconds.
    pub registered_at: String,
    /// The moments at which the run was continued, in order; in the report alone.
    pub resumed: Vec<Moment>,
    /// Why a member is null, by its name.
    pub unknown: BTreeMap<String, String>,
}

impl Conditions {
    /// The conditions of a run that is about to begin beneath `root`, with `jobs` repositories worked on at the same
    /// time, at the time `registered_at`; `before` is what its gate saw.
    pub fn new(
        root: &HostRoot,
        jobs: usize,
        quiet_host: QuietHost,
        before: Moment,
        registered_at: String,
    ) -> Conditions {
        let mut unknown = BTreeMap::new();
        let mut because = |name: &str, reason: String| {
            unknown.insert(name.to_owned(), reason);
        };
        let cores = std::thread::available_parallelism();
        let load = before.facts.get("load_average").and_then(|load| {
            let figures =
                load.as_array().and_then(|all| all.iter().map(|one| one.as_f64()).collect());
            figures.ok_or_else(|| "it is no list of numbers".to_owned())
        });
        Conditions {
            cores: cores
                .map(|cores| cores.get() as u64)
                .map_err(|e| because("cores", e.to_string()))
                .ok(),
            kernel: kernel(root).map_err(|reason| because("kernel", reason)).ok(),
            load_average: load.map_err(|reason| because("load_average", reason)).ok(),
            after: None,
            became_noisy: None,
            before,
            jobs: jobs as u64,
            machine: std::env::consts::ARCH.to_owned(),
            quiet_host,
            registered_at,
            resumed: Vec::new(),
            unknown,
        }
    }

    /// The moment at which the last session began.
    pub fn last_beginning(&self) -> &Moment {
        self.resumed.last().unwrap_or(&self.before)
    }

    /// Adds the moment behind the last arm. Answers the checks that failed later, if the run began quiet and they did: when
    /// it was continued, or behind the last arm.
    pub fn end(&mut self, after: Moment) -> Option<String> {
        let later = self.resumed.iter().chain([&after]).find_map(|moment| failures(&moment.checks));
        let noise = later.filter(|_| failures(&self.before.checks).is_none());
        self.became_noisy = Some(noise.is_some());
        self.after = Some(after);
        noise
    }
}

fn kernel(root: &HostRoot) -> Result<String, String> {
    let name = root.line("proc/sys/kernel/ostype")?;
    Ok(format!("{name} {}", root.line("proc/sys/kernel/osrelease")?))
}
