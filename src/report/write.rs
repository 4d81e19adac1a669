//! The report as a file.

use std::path::Path;

use super::canonical::to_canonical;
use super::error::ReportError;
use super::model::Report;
use crate::publish;

impl Report {
    /// The bytes of the report: canonical JSON on one line.
    pub fn text(&self) -> Result<Vec<u8>, ReportError> {
        to_canonical(self)
    }

    /// Writes the report whole or not at all. What is at the path already is never overwritten.
    pub fn publish(&self, path: &Path) -> Result<(), ReportError> {
        Ok(publish::publish(path, &self.text()?)?)
    }
}
