//! Whether a run may begin on this host, now, and whether it was still quiet when it ended.
//!
//! Time and readings come from [`Surroundings`]. In the mode `record` there is one reading and no pause, so that a run
//! that does not ask for quiet pays nothing for it.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fact::Facts;
use super::host_root::HostRoot;
use super::moment::{Moment, Reading, Ticks};
use super::quiet::{Readings, failures, judge};

/// The time between the two readings of a look.
pub const WINDOW: Duration = Duration::from_secs(1);

/// The time between two looks while a quiet moment is waited for.
pub const STEP: Duration = Duration::from_secs(5);

/// What happens on a host that is not quiet.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum QuietHost {
    /// The run is refused
    Require,
    /// The run waits, and is refused after --quiet-wait
    Wait,
    /// The run begins, and the registration says so
    #[default]
    Record,
}

impl QuietHost {
    /// Whether a run that asks so may go on one that asked for `earlier`: not one that would take any host.
    pub fn is_as_strict_as(self, earlier: QuietHost) -> bool {
        earlier == QuietHost::Record || self != QuietHost::Record
    }
}

/// Where readings come from, and how time passes.
pub trait Surroundings {
    /// What there is to be read now.
    fn reading(&mut self) -> Reading;
    /// Lets time pass.
    fn sleep(&mut self, time: Duration);
    /// The time since some fixed moment.
    fn elapsed(&mut self) -> Duration;
}

/// A host and its clock.
#[derive(Debug)]
pub struct LiveHost {
    root: HostRoot,
    start: Instant,
}

impl LiveHost {
    /// The host beneath `root`.
    pub fn new(root: HostRoot) -> LiveHost {
        LiveHost { root, start: Instant::now() }
    }
}

impl Surroundings for LiveHost {
    fn reading(&mut self) -> Reading {
        Reading::now(&self.root)
    }

    fn sleep(&mut self, time: Duration) {
        std::thread::sleep(time);
    }

    fn elapsed(&mut self) -> Duration {
        self.start.elapsed()
    }
}

/// The gate of one run.
pub struct Gate<'a> {
    mode: QuietHost,
    surroundings: &'a mut dyn Surroundings,
    before: Moment,
}

impl<'a> Gate<'a> {
    /// Looks for the first time. To be called before inputs are read: reading them is work, which would be found.
    pub fn new(mode: QuietHost, surroundings: &'a mut dyn Surroundings) -> Gate<'a> {
        let before = look(mode, surroundings, None);
        Gate { mode, surroundings, before }
    }

    /// The last moment before the run begins, or the checks that keep it from beginning. In the mode `wait` looks again
    /// until no check fails or `most` has passed; `waiting` hears of the first failures.
    pub fn pass(
        &mut self,
        most: Duration,
        mut waiting: impl FnMut(&str),
    ) -> Result<&Moment, String> {
        let begun = self.surroundings.elapsed();
        let mut is_first = true;
        while self.mode != QuietHost::Record
            && let Some(failed) = failures(&self.before.checks)
        {
            let waited = self.surroundings.elapsed().saturating_sub(begun);
            if self.mode == QuietHost::Require || waited >= most {
                return Err(failed);
            }
            if std::mem::take(&mut is_first) {
                waiting(&failed);
            }
            self.surroundings.sleep(STEP.min(most - waited));
            self.before = look(self.mode, self.surroundings, None);
        }
        Ok(&self.before)
    }

    /// The moment behind the last arm of a run that began at `before`.
    pub fn after(&mut self, before: &Moment) -> Moment {
        look(self.mode, self.surroundings, Some(before))
    }
}

/// One moment: two readings a window apart, or one where nobody asked for quiet.
fn look(mode: QuietHost, surroundings: &mut dyn Surroundings, before: Option<&Moment>) -> Moment {
    let first = (mode != QuietHost::Record).then(|| {
        let first = surroundings.reading();
        surroundings.sleep(WINDOW);
        first
    });
    let reading = surroundings.reading();
    let idle = match &first {
        Some(first) => idle_between(&first.ticks, &reading.ticks),
        None => Err("only a run that asks for a quiet host takes two readings".to_owned()),
    };
    let earlier = before.map(|before| &before.facts).or(first.as_ref().map(|first| &first.facts));
    let throttled = throttled_between(earlier, &reading.facts);
    let checks = judge(&Readings {
        host: &reading.host,
        facts: &reading.facts,
        idle: idle.clone(),
        throttled,
        after_own_work: before.is_some(),
    });
    Moment::of(reading, idle, checks)
}

fn idle_between(
    first: &Result<Ticks, String>,
    second: &Result<Ticks, String>,
) -> Result<f64, String> {
    let (first, second) = (first.clone()?, second.clone()?);
    let total = second.total.checked_sub(first.total).filter(|total| *total > 0);
    let idle = second.idle.checked_sub(first.idle);
    match (idle, total) {
        (Some(idle), Some(total)) if idle <= total => Ok(idle as f64 / total as f64),
        _ => Err("the counters of /proc/stat did not move forward".to_owned()),
    }
}

fn throttled_between(earlier: Option<&Facts>, now: &Facts) -> Result<u64, String> {
    let count = |facts: &Facts| {
        facts.get("throttle_count")?.as_u64().ok_or_else(|| "it is no count".to_owned())
    };
    let now = count(now)?;
    let earlier = earlier.ok_or("it is counted since the boot, and only a later reading tells")?;
    now.checked_sub(count(earlier)?).ok_or_else(|| "the count has begun anew".to_owned())
}
