//! Rows of each benchmark → [`Sample`]: gold rules, query text, folds.

mod agent_retrieval;
mod contextbench;
mod error;
pub mod fold;
mod gold;
pub mod leakage;
#[cfg(feature = "parquet")]
mod parquet_pages;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod read;
mod row;
pub mod sample;
pub mod span;

pub use contextbench::CONTEXTBENCH_TASK;
pub use error::{DatasetError, Place};
pub use leakage::{Leak, leaks};
pub use read::{MAX_FILE_BYTES, MAX_LINE_BYTES, ReadOptions, Samples, parse, read, read_bytes};
pub use sample::{ChangedFileFrom, GoldLines, LineRange, Query, Sample, SnapshotKey, Stratum};
