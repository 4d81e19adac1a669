//! The constants of the protocol, each beside the sentence it comes from.
//!
//! Changing one changes what published figures mean, so they stand here and nowhere else. The number of
//! resamples, the tails, the Wilson z and the two smallest sizes are the reference harness's; the permutations and
//! the smallest number of pairs are ours (reference specification, sections 9, 14.4, 14.5, 17).

/// "Bootstrap: 4,000 means of n draws."
pub const RESAMPLES: usize = 4_000;

/// "Low = index 100, high = index 3899": 100 of the 4,000 sorted means are cut from each tail, which leaves 95%.
pub const TAIL: usize = 100;

/// "p = (1 + count) / (1 + permutations)": 10,000 of them resolve p to 0.0001.
pub const PERMUTATIONS: u32 = 10_000;

/// "Fewer than 10 pairs: no interval, state NOT_RUN."
pub const MIN_PAIRS: usize = 10;

/// The fewest repositories for an interval that resamples them. With few of them the percentile interval is far too
/// narrow: simulated without any difference, equal clusters, it excludes 0 in half of the cases with 2 repositories,
/// in 17% with 4, in 10% with 10 (nominal: 5%).
pub const MIN_REPOSITORIES: usize = 10;

/// "Wilson z=1.959964": two-sided 95%.
pub const Z: f64 = 1.959_964;

/// "n<30 → {n, state: NOT_RUN}": the fewest calls a latency distribution is made from.
pub const LATENCY_MIN_N: usize = 30;

/// "For repos with ≥5": the fewest pairs for which one repository's own mean difference is reported.
pub const REPO_MIN_N: usize = 5;

/// "One generator per interval with a seed written in the report": the seed unless a registration names another.
pub const SEED: u64 = 1;
