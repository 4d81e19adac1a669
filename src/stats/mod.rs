//! What a difference is worth: intervals, tests, corrections. Knows no files and no arms.
//!
//! Everything is a pure function of its arguments: sums run from left to right, randomness comes from a seed the
//! caller names and the report shows, and no result depends on the platform.

mod correction;
mod draw;
mod interval;
mod latency;
mod number;
mod permutation;
mod protocol;
mod wilson;

pub use correction::holm;
pub use interval::{Interval, bootstrap, cluster_bootstrap};
pub use latency::{Distribution, State, distribution};
pub use number::{effect_size, mean, round6};
pub use permutation::sign_flip_p;
pub use protocol::{
    LATENCY_MIN_N, MIN_PAIRS, MIN_REPOSITORIES, PERMUTATIONS, REPO_MIN_N, RESAMPLES, SEED, TAIL, Z,
};
pub use wilson::{Wilson, wilson};
