//! Why a file was not written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file was not written, or may not be.
#[derive(Debug)]
pub enum PublishError {
    /// Something is there already, and nothing existing is ever overwritten.
    Exists(PathBuf),
    /// The path does not name a file (`/`, `..`, empty).
    NoName(PathBuf),
    /// More than [`super::MAX_LINKS`] symbolic links.
    TooManyLinks(PathBuf),
    /// Two outputs would be one file.
    Same {
        /// What the first is for, as the reader knows it (`--registration`).
        first: String,
        /// What the second is for.
        second: String,
    },
    /// The system refused.
    Io {
        /// What was tried, as in "cannot … PATH".
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

impl PublishError {
    pub(super) fn io(doing: &'static str, path: &Path, error: io::Error) -> PublishError {
        PublishError::Io { doing, path: path.to_owned(), error }
    }
}

impl fmt::Display for PublishError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PublishError::Exists(path) => write!(
                out,
                "{} exists already and is never overwritten: name another file or move it away",
                path.display()
            ),
            PublishError::NoName(path) => {
                write!(out, "{:?} does not name a file that could be written", path.display())
            }
            PublishError::TooManyLinks(path) => write!(
                out,
                "{} leads through more than {} symbolic links",
                path.display(),
                super::MAX_LINKS
            ),
            PublishError::Same { first, second } => {
                write!(out, "{first} and {second} must name distinct files")
            }
            PublishError::Io { doing, path, error } => {
                write!(out, "cannot {doing} {}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for PublishError {}
