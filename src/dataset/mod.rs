//! Rows of each benchmark → [`Sample`]: gold rules, query text, folds.

pub mod sample;

pub use sample::{GoldLines, LineRange, Query, Sample, SnapshotKey, Stratum};
