//! What has been measured so far: one line per finished (sample, arm), appended as it happens.
//!
//! A journal belongs to one registration, by digest. The report is rendered from the journal's records alone, so a run
//! that died at any moment and was resumed gives the report of one that did not. A last line without its line feed was
//! torn by the death of its writer and is dropped; any other damage is refused, and a file that is no journal of this
//! registration is left as it is. Only one process writes a journal.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::BenchError;
use crate::arm::Answer;
use crate::process::stop;
use crate::registration::Moment;
use crate::snapshot::Census;

/// The format's name, in the first line.
const PROFILE: &str = "retrieval-bench-journal/1";

/// One line of a journal after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    /// A snapshot was surveyed.
    Snapshot {
        /// `OWNER/NAME@COMMIT`.
        snapshot: String,
        /// What was seen in it.
        census: Census,
    },
    /// A snapshot cannot be searched, so none of its samples is measured.
    BrokenSnapshot {
        /// `OWNER/NAME@COMMIT`.
        snapshot: String,
        /// Why.
        error: String,
    },
    /// The run was continued, on a host that was so.
    Resumed {
        /// What the gate saw.
        moment: Moment,
    },
    /// Some arms could not be measured on a sample; their answers are failures.
    SpoiledSample {
        /// The sample's id.
        sample: String,
        /// Why.
        error: String,
    },
    /// An arm answered a sample.
    Answer {
        /// The sample's id.
        sample: String,
        /// The arm's name.
        arm: String,
        /// What it said.
        answer: Answer,
        /// What that is worth.
        metrics: BTreeMap<String, f64>,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    profile: String,
    registration_sha256: String,
}

impl Header {
    fn of(registration_sha256: &str) -> Header {
        Header { profile: PROFILE.to_owned(), registration_sha256: registration_sha256.to_owned() }
    }
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    /// `None` for a run without a registration path: it cannot be resumed.
    file: Option<(File, PathBuf)>,
    /// Bytes of the whole lines in the file.
    length: u64,
    records: Vec<Record>,
}

impl Journal {
    /// A journal in memory, for a run whose report goes to standard output.
    pub fn in_memory() -> Journal {
        Journal { file: None, length: 0, records: Vec::new() }
    }

    /// A new journal for a registration. An existing file is refused.
    pub fn create(path: &Path, registration_sha256: &str) -> Result<Journal, BenchError> {
        let file =
            OpenOptions::new().append(true).create_new(true).open(path).map_err(|error| {
                let hint = if error.kind() == io::ErrorKind::AlreadyExists {
                    "; continue that run with --resume, or choose another output"
                } else {
                    ""
                };
                BenchError::new(format!(
                    "cannot create the journal {}: {error}{hint}",
                    path.display()
                ))
            })?;
        lock(&file, path)?;
        let mut journal =
            Journal { file: Some((file, path.to_owned())), length: 0, records: Vec::new() };
        journal.write(&line(&Header::of(registration_sha256), path)?)?;
        journal.sync()?;
        Ok(journal)
    }

    /// Opens the journal of an earlier run of the same registration, or a new one where that run died before it had
    /// any.
    pub fn resume(path: &Path, registration_sha256: &str) -> Result<Journal, BenchError> {
        let opened = OpenOptions::new().read(true).append(true).open(path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Journal::create(path, registration_sha256);
            }
            Err(error) => return Err(failed("open", path, &error)),
        };
        // Before reading: another run may still be adding to it.
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| failed("read", path, &error))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let header = line(&Header::of(registration_sha256), path)?;
        // Whatever is cut off below must be ours: nothing else is ever changed.
        let records = match whole {
            0 if header.starts_with(&bytes) => Vec::new(),
            0 => return Err(foreign(path)),
            whole => parse(&bytes[..whole], path, registration_sha256)?,
        };
        let mut journal =
            Journal { file: Some((file, path.to_owned())), length: whole as u64, records };
        journal.cut()?;
        if whole == 0 {
            journal.write(&header)?;
        }
        Ok(journal)
    }

    /// The records so far, in order of writing.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The moments at which the run was continued.
    pub fn resumed(&self) -> Vec<Moment> {
        let moment = |record: &Record| match record {
            Record::Resumed { moment } => Some(moment.clone()),
            _ => None,
        };
        self.records.iter().filter_map(moment).collect()
    }

    /// Adds a record. It is in the operating system's hands when this returns: the death of this process cannot take
    /// it back.
    pub fn append(&mut self, record: Record) -> Result<(), BenchError> {
        // What a program that is being stopped has measured is not a measurement.
        stop::checkpoint();
        if let Some((_, path)) = &self.file {
            let line = line(&record, path)?;
            self.write(&line)?;
        }
        self.records.push(record);
        Ok(())
    }

    /// Puts every record on the disk.
    pub fn sync(&mut self) -> Result<(), BenchError> {
        match &self.file {
            Some((file, path)) => file.sync_data().map_err(|error| failed("sync", path, &error)),
            None => Ok(()),
        }
    }

    /// Removes the file: the report that was rendered from it is published.
    pub fn remove(self) -> Result<(), BenchError> {
        match self.file {
            Some((_, path)) => {
                std::fs::remove_file(&path).map_err(|error| failed("remove", &path, &error))
            }
            None => Ok(()),
        }
    }

    /// Cuts the file back to its whole lines.
    fn cut(&mut self) -> Result<(), BenchError> {
        let Some((file, path)) = &mut self.file else { return Ok(()) };
        file.set_len(self.length).map_err(|error| failed("truncate", path, &error))
    }

    fn write(&mut self, line: &[u8]) -> Result<(), BenchError> {
        let Some((file, path)) = &mut self.file else { return Ok(()) };
        // One write: a reader, or a death, sees a whole line or a torn last one.
        let written = file.write_all(line).map_err(|error| failed("append to", path, &error));
        if written.is_err() {
            // A full disk leaves the start of a line, which the next line of another job must not follow.
            self.cut()?;
        } else {
            self.length += line.len() as u64;
        }
        written
    }
}

fn lock(file: &File, path: &Path) -> Result<(), BenchError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => BenchError::new(format!(
            "another run is writing the journal {}: wait for it, or choose another output",
            path.display()
        )),
        TryLockError::Error(error) => failed("lock", path, &error),
    })
}

/// A line of a journal, with its line feed.
fn line(value: &impl Serialize, path: &Path) -> Result<Vec<u8>, BenchError> {
    let mut bytes = serde_json::to_vec(value).map_err(|error| failed("encode", path, &error))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The records of a journal's whole lines.
fn parse(bytes: &[u8], path: &Path, registration_sha256: &str) -> Result<Vec<Record>, BenchError> {
    let mut lines = bytes.split(|&byte| byte == b'\n').zip(1..);
    let damaged = |line: usize, error: &serde_json::Error| {
        BenchError::new(format!(
            "{}:{line}: not a line of a journal ({error}); remove it together with its registration and run anew",
            path.display()
        ))
    };
    let (first, _) = lines.next().unwrap_or_default();
    let header: Header = serde_json::from_slice(first).map_err(|error| damaged(1, &error))?;
    if header.profile != PROFILE || header.registration_sha256 != registration_sha256 {
        return Err(foreign(path));
    }
    let mut records = Vec::new();
    for (line, number) in lines {
        if !line.is_empty() {
            records.push(serde_json::from_slice(line).map_err(|error| damaged(number, &error))?);
        }
    }
    Ok(records)
}

fn foreign(path: &Path) -> BenchError {
    BenchError::new(format!(
        "{}: the journal belongs to another registration; give the run a new output",
        path.display()
    ))
}

fn failed(what: &str, path: &Path, error: &dyn std::fmt::Display) -> BenchError {
    BenchError::new(format!("cannot {what} the journal {}: {error}", path.display()))
}
