//! Why nothing is captured, or no more.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why nothing is captured, or no more.
#[derive(Debug)]
pub enum CaptureError {
    /// It cannot be done as asked. Nothing was created.
    Refused(String),
    /// It cannot go on. What was written stays as it is, without a footer, and the run must end without a report.
    Broken {
        /// The file.
        path: PathBuf,
        /// What happened.
        reason: String,
    },
}

impl CaptureError {
    /// A refusal of a destination.
    pub(super) fn place(path: &Path, reason: impl fmt::Display) -> CaptureError {
        CaptureError::Refused(format!("--context-packets {}: {reason}", path.display()))
    }

    /// The end of a capture.
    pub(super) fn broken(path: &Path, reason: impl Into<String>) -> CaptureError {
        CaptureError::Broken { path: path.to_owned(), reason: reason.into() }
    }

    /// The end of a capture by the system.
    pub(super) fn io(path: &Path, doing: &str, error: impl Into<io::Error>) -> CaptureError {
        CaptureError::broken(path, format!("cannot {doing}: {}", error.into()))
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureError::Refused(reason) => out.write_str(reason),
            CaptureError::Broken { path, reason } => {
                write!(out, "{} is incomplete and has no footer: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for CaptureError {}
