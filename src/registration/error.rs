//! Why a registration was not written or not read.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::publish::PublishError;

/// Why a registration was not written or not read.
#[derive(Debug)]
pub enum RegistrationError {
    /// It could not be written.
    Publish(PublishError),
    /// It could not be put into JSON.
    Render(serde_json::Error),
    /// A file could not be read.
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A file is not a registration.
    Parse {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl fmt::Display for RegistrationError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegistrationError::Publish(error) => write!(out, "registration: {error}"),
            RegistrationError::Render(error) => {
                write!(out, "the registration cannot be written as JSON: {error}")
            }
            RegistrationError::Read { path, error } => {
                write!(out, "cannot read {}: {error}", path.display())
            }
            RegistrationError::Parse { path, reason } => {
                write!(out, "{} is not a registration of this program: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for RegistrationError {}

impl From<PublishError> for RegistrationError {
    fn from(error: PublishError) -> Self {
        RegistrationError::Publish(error)
    }
}
