//! Why a samples file is refused.

use std::fmt;

/// Where in a samples file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a JSONL file, from 1.
    Line(usize),
    /// A row of a Parquet file, from 1.
    Row(usize),
}

impl Place {
    /// The number alone.
    pub fn number(self) -> usize {
        match self {
            Place::Line(number) | Place::Row(number) => number,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(number) => write!(out, "line {number}"),
            Place::Row(number) => write!(out, "row {number}"),
        }
    }
}

/// A refusal of a whole samples file: one bad row refuses it, for a run over part of a benchmark measures another
/// benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetError {
    /// The file, as the person named it.
    pub file: String,
    /// The offending line or row, where it is one.
    pub place: Option<Place>,
    /// The sample, where its id could be read.
    pub id: Option<String>,
    /// What is wrong and what to do, in lower case.
    pub reason: String,
}

impl fmt::Display for DatasetError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "samples file {}", self.file)?;
        if let Some(place) = self.place {
            write!(out, ", {place}")?;
        }
        if let Some(id) = &self.id {
            write!(out, " (sample {})", quoted(id))?;
        }
        write!(out, ": {}", self.reason)
    }
}

impl std::error::Error for DatasetError {}

/// What is wrong with one row; its place is added by the reader of the file.
#[derive(Debug)]
pub(super) struct Fault {
    /// The sample, where its id could be read.
    pub id: Option<String>,
    /// What is wrong and what to do.
    pub reason: String,
}

/// The most of a value from a file that a message repeats, in characters.
const QUOTED_CHARS: usize = 80;

/// A value from a file as a message shows it: escaped, on one line, cut if long.
pub(super) fn quoted(value: &str) -> String {
    match value.char_indices().nth(QUOTED_CHARS) {
        None => format!("{value:?}"),
        Some((cut, _)) => format!("{:?}…", &value[..cut]),
    }
}
