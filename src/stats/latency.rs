//! How wall times are distributed: order statistics only, since a mean of latencies hides what matters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::round6;
use super::protocol::LATENCY_MIN_N;

/// Why a statistic has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum State {
    /// There were too few measurements to compute it.
    #[serde(rename = "NOT_RUN")]
    NotRun,
}

/// A distribution of wall times in milliseconds, rounded to 1e-6; with fewer than [`LATENCY_MIN_N`] only `n` and
/// `state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// Calls made.
    pub n: u64,
    /// Those of them that failed: the figures are of the others' times.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u64,
    /// `NOT_RUN` where too few succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// The fastest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_ms: Option<f64>,
    /// The median, by nearest rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// The 95th percentile, by nearest rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<f64>,
    /// The slowest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ms: Option<f64>,
    /// The median distance from the median, both by nearest rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mad_ms: Option<f64>,
}

/// The distribution of `walls_ms`, in any order (section 9): of as many calls, all of which succeeded.
pub fn distribution(walls_ms: &[f64]) -> Distribution {
    let n = walls_ms.len() as u64;
    if walls_ms.len() < LATENCY_MIN_N {
        return Distribution { n, state: Some(State::NotRun), ..Distribution::default() };
    }
    let mut sorted = walls_ms.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = nearest_rank(&sorted, 50);
    let mut distances: Vec<f64> = sorted.iter().map(|wall| (wall - median).abs()).collect();
    distances.sort_by(f64::total_cmp);
    Distribution {
        n,
        failed: 0,
        state: None,
        min_ms: Some(round6(sorted[0])),
        p50_ms: Some(round6(median)),
        p95_ms: Some(round6(nearest_rank(&sorted, 95))),
        max_ms: Some(round6(nearest_rank(&sorted, 100))),
        mad_ms: Some(round6(nearest_rank(&distances, 50))),
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The value that `percent` of a sorted, non-empty list do not exceed: its ⌈percent·n/100⌉-th.
fn nearest_rank(sorted: &[f64], percent: usize) -> f64 {
    sorted[(percent * sorted.len()).div_ceil(100).max(1) - 1]
}
