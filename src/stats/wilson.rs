//! The Wilson score interval of a rate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::round6;
use super::protocol::Z;

/// A rate with its 95% Wilson score interval, rounded to 1e-6. Without trials there is only `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wilson {
    /// Trials.
    pub n: u64,
    /// Successes / trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The lower bound, at least 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper bound, at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// The rate of `successes` (at most `n`) in `n` trials and its interval (section 9).
pub fn wilson(successes: u64, n: u64) -> Wilson {
    if n == 0 {
        return Wilson::default();
    }
    let trials = n as f64;
    let rate = successes.min(n) as f64 / trials;
    let shrink = 1.0 + Z * Z / trials;
    let centre = (rate + Z * Z / (2.0 * trials)) / shrink;
    let margin =
        Z * (rate * (1.0 - rate) / trials + Z * Z / (4.0 * trials * trials)).sqrt() / shrink;
    Wilson {
        n,
        rate: Some(round6(rate)),
        low: Some(round6((centre - margin).max(0.0))),
        high: Some(round6((centre + margin).min(1.0))),
    }
}
