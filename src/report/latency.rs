//! Wall times per arm (section 9; ours, 14.15).
//!
//! Only a call that succeeded is timed: a refusal is quick and a call that is killed takes as long as its bound, and
//! neither says how long an answer takes. Failed calls are counted beside the timed ones. Times of unequal hosts are never
//! pooled: an arm that was measured on more than one has no latency.

use std::collections::BTreeMap;

use super::detail::Detail;
use super::origin::Origin;
use crate::arm::Answer;
use crate::stats::{Distribution, distribution};

/// Arm, then the state of the tool's cache: `NOT_APPLICABLE` for arms without one, `UNRECORDED` for an arm without a
/// single call on record, `HOSTS_DIFFER` for one whose times come from unequal hosts.
pub type Latency = BTreeMap<String, BTreeMap<String, Distribution>>;

const HOSTS_DIFFER: &str = "HOSTS_DIFFER";
const NOT_APPLICABLE: &str = "NOT_APPLICABLE";
const OBSERVED_MISS: &str = "OBSERVED_MISS";
const UNRECORDED: &str = "UNRECORDED";

/// The calls of one arm in one state of the cache.
#[derive(Default)]
struct Calls {
    n: u64,
    walls: Vec<f64>,
}

impl Calls {
    fn add(&mut self, answer: &Answer, wall: f64) {
        self.n += 1;
        if wall > 0.0 && !answer.is_failed() {
            self.walls.push(wall);
        }
    }
}

/// The distribution of every arm's wall times, which come from where `origin` says.
pub(super) fn distributions(details: &[Detail], origin: Option<&Origin>) -> Latency {
    let mut arms: BTreeMap<&str, BTreeMap<&str, Calls>> = BTreeMap::new();
    for (arm, answer) in details.iter().flat_map(|detail| &detail.arms) {
        let calls = arms.entry(arm).or_default();
        let state = answer.cache_state.as_str();
        // A failed call has no time and is on record all the same, with the state it was made in.
        if answer.wall_ms > 0.0 || !state.is_empty() {
            let label = if state.is_empty() { NOT_APPLICABLE } else { state };
            calls.entry(label).or_default().add(answer, answer.wall_ms);
        }
        if answer.cold_wall_ms > 0.0 {
            calls.entry(OBSERVED_MISS).or_default().add(answer, answer.cold_wall_ms);
        }
    }
    arms.into_iter()
        .map(|(arm, mut calls)| {
            if origin.is_some_and(|origin| origin.hosts(arm).len() > 1) {
                calls = BTreeMap::from([(HOSTS_DIFFER, Calls::default())]);
            } else if calls.is_empty() {
                calls.insert(UNRECORDED, Calls::default());
            }
            let calls = calls.into_iter();
            let calls = calls.map(|(label, Calls { n, walls })| {
                let failed = n - walls.len() as u64;
                (label.to_owned(), Distribution { n, failed, ..distribution(&walls) })
            });
            (arm.to_owned(), calls.collect())
        })
        .collect()
}
