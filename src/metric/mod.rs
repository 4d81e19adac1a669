//! What one ranking is worth: one table of metrics. Knows plain values only.
//!
//! Values are per answer and unrounded. Nothing here opens a file, names an arm, or summarises over samples.

mod judged;
mod lines;
mod reading;
mod table;

pub use judged::{Judged, LineJudgement, score};
pub use table::{Applies, METRICS, Metric, names};
