//! The capture itself: created once, appended to, closed by a footer that binds it.
//!
//! Invariants: the records stand in the order of the plan, whatever the order in which the calls ended, so that the file
//! does not depend on `--jobs`; a file with a footer is whole; after an error nothing more is written. Nothing here
//! knows what a packet means.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::CaptureError;
use super::invocation::Invocation;
use super::line::{self, ParseStatus, Record};
use super::place::{Destination, Surroundings};
use super::plan::CapturePlan;
use crate::text::hex::hex;

/// The largest file, in bytes.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// What of it is kept for the footer.
const FOOTER_RESERVE: usize = 1_024;

/// The longest record less what the call printed, in bytes with its line feed.
pub const MAX_METADATA_BYTES: usize = 64 << 10;

/// A capture that is being written.
#[derive(Debug)]
pub struct Capture {
    destination: Destination,
    file: File,
    invocations: Vec<Invocation>,
    /// Calls with a record.
    recorded: Vec<bool>,
    /// Whether every record so far holds all that its call printed.
    complete: bool,
    /// Records that wait for an earlier one.
    waiting: BTreeMap<usize, Vec<u8>>,
    /// The first call whose record is not in the file.
    next: usize,
    /// Bytes in the file and waiting.
    taken: usize,
    /// Bytes in the file, and their digest.
    written: usize,
    digest: Sha256,
    /// Whether an error has ended it.
    broken: bool,
}

impl Capture {
    /// Creates the file with its first line, which is [`CapturePlan::header`].
    pub fn create(
        destination: Destination,
        plan: &CapturePlan,
        header: &[u8],
        around: &Surroundings,
    ) -> Result<Capture, CaptureError> {
        let file = destination.create(around)?;
        let mut capture = Capture {
            destination,
            file,
            invocations: plan.invocations().to_vec(),
            recorded: vec![false; plan.invocations().len()],
            complete: true,
            waiting: BTreeMap::new(),
            next: 0,
            taken: header.len(),
            written: 0,
            digest: Sha256::new(),
            broken: false,
        };
        capture.verify(&around.files)?;
        capture.append(header)?;
        Ok(capture)
    }

    /// The absolute path.
    pub fn path(&self) -> &Path {
        self.destination.path()
    }

    /// Refuses to go on if another file took the name, or if this is one of `files` (each with what it is for). To be
    /// asked again before the report is written.
    pub fn verify(&self, files: &[(&str, &Path)]) -> Result<(), CaptureError> {
        self.destination
            .holds(&self.file, files)
            .map_err(|reason| CaptureError::broken(self.path(), reason))
    }

    /// Records the call of that ordinal: all of its standard output, or `None` if it failed; its standard error and
    /// whether that was cut; what became of the packet; the error, if there is one.
    pub fn record(
        &mut self,
        invocation: usize,
        stdout: Option<&[u8]>,
        stderr: Option<(&[u8], bool)>,
        parse_status: ParseStatus,
        error: &str,
    ) -> Result<(), CaptureError> {
        if self.broken {
            return Err(self.broken("it was given up before"));
        }
        let taken = self.take(invocation, stdout, stderr, parse_status, error);
        self.broken = taken.is_err();
        taken
    }

    fn take(
        &mut self,
        invocation: usize,
        stdout: Option<&[u8]>,
        stderr: Option<(&[u8], bool)>,
        parse_status: ParseStatus,
        error: &str,
    ) -> Result<(), CaptureError> {
        let planned = self.invocations.get(invocation).zip(self.recorded.get_mut(invocation));
        let Some((call, recorded)) = planned else {
            return Err(self.broken(format!("call {invocation} was not planned")));
        };
        if std::mem::replace(recorded, true) {
            return Err(self.broken(format!("call {invocation} was recorded twice")));
        }
        let record = Record::new(call, stdout, stderr, parse_status, error);
        let line = line::encode(&record)
            .map_err(|error| self.broken(format!("call {invocation} is no JSON: {error}")))?;
        let metadata = line.len().saturating_sub(record.base64_bytes());
        if metadata > MAX_METADATA_BYTES {
            return Err(self.broken(format!(
                "what describes call {invocation} has {metadata} bytes, more than {MAX_METADATA_BYTES}"
            )));
        }
        let most = MAX_FILE_BYTES - FOOTER_RESERVE;
        if line.len() > most.saturating_sub(self.taken) {
            return Err(self.broken(format!(
                "with call {invocation} it would have more than the {MAX_FILE_BYTES} bytes that are allowed"
            )));
        }
        self.complete &= record.is_complete();
        self.taken += line.len();
        self.waiting.insert(invocation, line);
        while let Some(line) = self.waiting.remove(&self.next) {
            self.append(&line)?;
            self.next += 1;
        }
        Ok(())
    }

    /// Writes the footer and makes the file durable. It says whether every planned call is there with all that it
    /// printed.
    pub fn finish(mut self) -> Result<(), CaptureError> {
        if self.broken {
            return Err(self.broken("it was given up before"));
        }
        // What waits for a call that never came.
        for line in std::mem::take(&mut self.waiting).into_values() {
            self.append(&line)?;
        }
        self.verify(&[])?;
        self.check_length()?;
        let count = self.recorded.iter().filter(|recorded| **recorded).count();
        let complete = self.complete && count == self.recorded.len();
        let digest = hex(self.digest.clone().finalize());
        let footer = line::footer(complete, count, self.written, &digest)
            .map_err(|error| self.broken(format!("the footer is no JSON: {error}")))?;
        self.append(&footer)?;
        self.file.sync_all().map_err(|error| CaptureError::io(self.path(), "sync it", error))?;
        self.destination
            .sync_folder()
            .map_err(|error| CaptureError::io(self.path(), "sync its folder", error))?;
        self.check_length()
    }

    fn append(&mut self, line: &[u8]) -> Result<(), CaptureError> {
        self.file
            .write_all(line)
            .map_err(|error| CaptureError::io(self.destination.path(), "write it", error))?;
        self.written += line.len();
        self.digest.update(line);
        Ok(())
    }

    /// Refuses a file that somebody else has written to.
    fn check_length(&self) -> Result<(), CaptureError> {
        let found = self
            .file
            .metadata()
            .map_err(|error| CaptureError::io(self.path(), "look at it", error))?;
        if found.len() == self.written as u64 {
            return Ok(());
        }
        let (found, written) = (found.len(), self.written);
        Err(self.broken(format!("it has {found} bytes, and {written} were written")))
    }

    fn broken(&self, reason: impl Into<String>) -> CaptureError {
        CaptureError::broken(self.path(), reason)
    }
}
