//! Why a run ended without a report.

use std::fmt;

/// One lower-case sentence: what failed, on what, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchError {
    reason: String,
}

impl BenchError {
    /// An error with its sentence.
    pub fn new(reason: impl Into<String>) -> BenchError {
        BenchError { reason: reason.into() }
    }
}

impl fmt::Display for BenchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reason)
    }
}

impl std::error::Error for BenchError {}
