//! Why there is no report.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::publish::PublishError;

/// Why there is no report.
#[derive(Debug)]
pub enum ReportError {
    /// Nothing to merge.
    NoSources,
    /// A report to merge could not be read.
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A report to merge is unusable, alone or beside the others.
    Source {
        /// Which.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A figure that JSON cannot hold.
    Render(serde_json::Error),
    /// The report could not be written.
    Publish(PublishError),
}

impl fmt::Display for ReportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportError::NoSources => write!(out, "there is no report to summarize"),
            ReportError::Read { path, error } => {
                write!(out, "cannot read report {}: {error}", path.display())
            }
            ReportError::Source { name, reason } => write!(out, "report {name}: {reason}"),
            ReportError::Render(error) => {
                write!(out, "the report cannot be written as JSON: {error}")
            }
            ReportError::Publish(error) => write!(out, "report: {error}"),
        }
    }
}

impl std::error::Error for ReportError {}

impl From<PublishError> for ReportError {
    fn from(error: PublishError) -> Self {
        ReportError::Publish(error)
    }
}
