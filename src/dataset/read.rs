//! A samples file → samples: which lines there are, which rows are kept.
//!
//! The file is read whole, digested whole, and good or bad as a whole: every row up to the last one asked for is
//! checked before any filter looks at it, and one bad row refuses the file.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::{DatasetError, Fault, Place};
use super::row::{Row, member};
use super::{Sample, agent_retrieval, contextbench, gold};
use crate::text::hex::hex;
use crate::text::json::Json;
use crate::text::one_line::short;

/// The largest samples file that is read (256 MiB).
pub const MAX_FILE_BYTES: usize = 256 << 20;
/// The longest line of a samples file, without its line feed (4 MiB).
pub const MAX_LINE_BYTES: usize = 4 << 20;
/// The first bytes of every Parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// Which samples of a file are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Stop after this many kept samples; what follows is not even parsed. 0: read all.
    pub max_samples: usize,
    /// Keep these task types only, by exact name. Empty: keep all.
    pub task_types: Vec<String>,
    /// Strip ContextBench paths as its upstream evaluator does.
    pub contextbench_compat: bool,
}

/// What a samples file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// The samples kept, in file order.
    pub kept: Vec<Sample>,
    /// SHA-256 over all bytes of the file, lowercase hexadecimal.
    pub sha256: String,
    /// Positive samples left out because no gold file is known for them, counted after the task filter.
    pub no_gold_unlabeled: usize,
    /// For each kept sample that has any: the commits its query must not name, for [`super::leaks`].
    pub fix_commits: BTreeMap<String, Vec<String>>,
}

/// Reads a samples file: JSONL, or ContextBench's Parquet.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Samples, DatasetError> {
    parse(&read_bytes(path)?, &path.display().to_string(), options)
}

/// The bytes of a samples file, at most one more than [`parse`] takes.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, DatasetError> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large from one that just fits.
    let limit = MAX_FILE_BYTES as u64 + 1;
    File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(
        |error| refusal(&name, format!("cannot be read: {error}; name a readable file")),
    )?;
    Ok(bytes)
}

/// Reads the bytes of a samples file; `name` is what errors call it.
pub fn parse(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Samples, DatasetError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(refusal(name, "is over 256 MiB; split it".to_owned()));
    }
    let sha256 = hex(Sha256::digest(bytes));
    let samples = Samples { sha256, ..Samples::default() };
    let mut reader = Reader { name, options, seen: HashMap::new(), samples };
    if bytes.starts_with(PARQUET_MAGIC) {
        reader.parquet(bytes)?;
    } else {
        reader.lines(bytes)?;
    }
    Ok(reader.samples)
}

fn refusal(name: &str, reason: String) -> DatasetError {
    DatasetError { file: name.to_owned(), place: None, id: None, reason: short(reason) }
}

struct Reader<'a> {
    name: &'a str,
    options: &'a ReadOptions,
    /// Where each id was seen, among all rows parsed.
    seen: HashMap<String, Place>,
    samples: Samples,
}

impl Reader<'_> {
    fn lines(&mut self, bytes: &[u8]) -> Result<(), DatasetError> {
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if self.is_full() {
                break;
            }
            let place = Place::Line(index + 1);
            let line =
                readable(line).map_err(|reason| self.at(place, Fault { id: None, reason }))?;
            if !line.trim().is_empty() {
                let row = self.row(line, index + 1).map_err(|fault| self.at(place, fault))?;
                self.accept(place, row)?;
            }
        }
        Ok(())
    }

    fn row(&self, line: &str, number: usize) -> Result<Row, Fault> {
        let fault = |reason| Fault { id: None, reason };
        let value = Json::parse(line)
            .map_err(|error| fault(format!("not JSON: {error}; write one JSON object a line")))?;
        let Json::Object(members) = value else {
            return Err(fault(format!(
                "the row is {}; write one JSON object a line",
                value.kind()
            )));
        };
        if member(&members, "instance_id").is_some() {
            contextbench::row(&members, number, self.options.contextbench_compat)
        } else {
            agent_retrieval::row(&members, number)
        }
    }

    #[cfg(feature = "parquet")]
    fn parquet(&mut self, bytes: &[u8]) -> Result<(), DatasetError> {
        let compat = self.options.contextbench_compat;
        super::parquet_rows::each(bytes, &mut |number, columns| {
            let place = Place::Row(number);
            let row = columns.and_then(|columns| columns.row(number, compat));
            let row = row.map_err(|fault| self.at(place, fault))?;
            self.accept(place, row)?;
            Ok(!self.is_full())
        })
        .unwrap_or_else(|reason| Err(refusal(self.name, reason)))
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(&mut self, _bytes: &[u8]) -> Result<(), DatasetError> {
        let reason = "is a Parquet file, which this build does not read; build with `--features parquet`, or \
                      convert it to JSONL";
        Err(refusal(self.name, reason.to_owned()))
    }

    /// Takes a good row in: refuses a repeated id, then filters.
    fn accept(&mut self, place: Place, row: Row) -> Result<(), DatasetError> {
        let Row { sample, fix_commits } = row;
        if let Some(first) = self.seen.insert(sample.id.clone(), place) {
            let reason = format!("its id already stands on {first}; give every sample its own id");
            return Err(self.at(place, Fault { id: Some(sample.id), reason }));
        }
        let wanted = &self.options.task_types;
        if !wanted.is_empty() && !wanted.contains(&sample.task) {
            return Ok(());
        }
        if gold::is_unlabeled(&sample) {
            self.samples.no_gold_unlabeled += 1;
            return Ok(());
        }
        if !fix_commits.is_empty() {
            self.samples.fix_commits.insert(sample.id.clone(), fix_commits);
        }
        self.samples.kept.push(sample);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.options.max_samples > 0 && self.samples.kept.len() >= self.options.max_samples
    }

    fn at(&self, place: Place, fault: Fault) -> DatasetError {
        let Fault { id, reason } = fault;
        let reason = short(reason);
        DatasetError { file: self.name.to_owned(), place: Some(place), id, reason }
    }
}

/// A line as text, if it is short enough and UTF-8.
fn readable(line: &[u8]) -> Result<&str, String> {
    if line.len() > MAX_LINE_BYTES {
        return Err(format!("the line has {} bytes, over 4 MiB; shorten the row", line.len()));
    }
    std::str::from_utf8(line).map_err(|error| {
        format!("not UTF-8 from byte {}; save the file as UTF-8", error.valid_up_to() + 1)
    })
}
