//! Wall times per arm (sections 9, 14.15).
//!
//! An answer enters with the time it carries. Calls that timed out or were killed carry none, so they never enter;
//! a call that failed by itself took its time, and older reports counted it.

use std::collections::BTreeMap;

use super::detail::Detail;
use crate::stats::{Distribution, distribution};

/// Arm, then the state of the tool's cache: `NOT_APPLICABLE` for arms without one, `UNRECORDED` for an arm without a
/// single time.
pub type Latency = BTreeMap<String, BTreeMap<String, Distribution>>;

const NOT_APPLICABLE: &str = "NOT_APPLICABLE";
const OBSERVED_MISS: &str = "OBSERVED_MISS";
const UNRECORDED: &str = "UNRECORDED";

/// The distribution of every arm's wall times.
pub(super) fn distributions(details: &[Detail]) -> Latency {
    let mut walls: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for (arm, answer) in details.iter().flat_map(|detail| &detail.arms) {
        let walls = walls.entry(arm).or_default();
        if answer.wall_ms > 0.0 {
            let state = answer.cache_state.as_str();
            let label = if state.is_empty() { NOT_APPLICABLE } else { state };
            walls.entry(label).or_default().push(answer.wall_ms);
        }
        if answer.cold_wall_ms > 0.0 {
            walls.entry(OBSERVED_MISS).or_default().push(answer.cold_wall_ms);
        }
    }
    walls
        .into_iter()
        .map(|(arm, mut labels)| {
            if labels.is_empty() {
                labels.insert(UNRECORDED, Vec::new());
            }
            let labels = labels.into_iter();
            let labels = labels.map(|(label, walls)| (label.to_owned(), distribution(&walls)));
            (arm.to_owned(), labels.collect())
        })
        .collect()
}
