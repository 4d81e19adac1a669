//! ContextBench's rows out of a Parquet file.
//!
//! Only six string columns are read, batch by batch. A file is hostile until shown otherwise: its sizes are bounded
//! as those of JSONL are, and the decoder's own failures, panics included, become a refusal.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};

use super::contextbench::Columns;
use super::error::Fault;
use super::parquet_pages;
use super::read::{MAX_FILE_BYTES, MAX_LINE_BYTES};

/// The columns that a file must have.
const REQUIRED: [&str; 5] =
    ["instance_id", "repo", "base_commit", "problem_statement", "gold_context"];

/// The column that a file may have.
const OPTIONAL: &str = "original_inst_id";

const TOO_LARGE: &str = "decodes to over 256 MiB of samples; split it";

/// Rows decoded at a time.
const BATCH_ROWS: usize = 64;

/// What is done with a row (from 1), or with what is wrong with it: whether to go on, or a refusal.
type Visit<'a, E> = dyn FnMut(usize, Result<Columns<'_>, Fault>) -> Result<bool, E> + 'a;

/// Visits each row until there is none left, one is the last wanted, or one is refused. The outer error says what is
/// wrong with the file itself.
pub(super) fn each<E>(bytes: &[u8], visit: &mut Visit<'_, E>) -> Result<Result<(), E>, String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| walk(bytes, visit)));
    let broken = |why: &str| {
        format!(
            "is not a Parquet file that can be read: {why}; fetch it anew, or convert it to JSONL"
        )
    };
    match outcome {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(Failure::Decoder(error))) => Err(broken(&error.to_string())),
        Ok(Err(Failure::Shape(reason))) => Err(reason),
        Err(_) => Err(broken("its decoder gave up")),
    }
}

enum Failure {
    Decoder(ParquetError),
    Shape(String),
}

impl From<ParquetError> for Failure {
    fn from(error: ParquetError) -> Failure {
        Failure::Decoder(error)
    }
}

fn walk<E>(bytes: &[u8], visit: &mut Visit<'_, E>) -> Result<Result<(), E>, Failure> {
    let file = SerializedFileReader::new(shared(File::get_bytes, bytes))?;
    let mut number = 0;
    let mut decoded = 0;
    check_pages(bytes, &file)?;
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        let mut columns = open(group.as_ref())?;
        loop {
            for column in &mut columns {
                column.fill()?;
            }
            let rows = columns.first().map_or(0, |column| column.batch.len());
            if columns.iter().any(|column| column.batch.len() != rows) {
                let reason = "has columns of different lengths; fetch it anew".to_owned();
                return Err(Failure::Shape(reason));
            }
            if rows == 0 {
                break;
            }
            for row in 0..rows {
                number += 1;
                let cells = columns.iter().filter_map(|column| column.batch[row].as_ref());
                let size: usize = cells.map(ByteArray::len).sum();
                decoded += size;
                if decoded > MAX_FILE_BYTES {
                    return Err(Failure::Shape(TOO_LARGE.to_owned()));
                }
                match visit(number, readable(&columns, row, size)) {
                    Ok(true) => {}
                    Ok(false) => return Ok(Ok(())),
                    Err(refused) => return Ok(Err(refused)),
                }
            }
        }
    }
    Ok(Ok(()))
}

/// Refuses a file whose columns say that they decode to more than is read, before anything is allocated for them.
fn check_pages(bytes: &[u8], file: &dyn FileReader) -> Result<(), Failure> {
    let mut total: u64 = 0;
    for group in file.metadata().row_groups() {
        for column in group.columns() {
            if !matches!(column.column_path().parts(), [name] if is_read(name)) {
                continue;
            }
            let (start, length) = column.byte_range();
            let chunk = usize::try_from(start).ok().and_then(|start| bytes.get(start..));
            let chunk = chunk.and_then(|rest| rest.get(..usize::try_from(length).ok()?));
            let chunk = chunk.ok_or(ParquetError::EOF("a column is cut".to_owned()))?;
            let decoded = parquet_pages::decoded_bytes(chunk)
                .map_err(|reason| ParquetError::General(reason.to_owned()))?;
            total = total.saturating_add(decoded);
        }
    }
    if total > MAX_FILE_BYTES as u64 {
        return Err(Failure::Shape(TOO_LARGE.to_owned()));
    }
    Ok(())
}

fn is_read(name: &str) -> bool {
    name == OPTIONAL || REQUIRED.contains(&name)
}

/// The bytes in the shared buffer that the decoder reads from; its type comes from `like`, because the crate that
/// defines it is not ours to name.
fn shared<T: From<Vec<u8>>>(
    _like: fn(&File, u64, usize) -> Result<T, ParquetError>,
    bytes: &[u8],
) -> T {
    bytes.to_vec().into()
}

/// One column of a row group, and its batch of cells.
struct Column {
    name: &'static str,
    reader: ColumnReaderImpl<ByteArrayType>,
    nullable: bool,
    batch: Vec<Option<ByteArray>>,
}

fn open(group: &dyn RowGroupReader) -> Result<Vec<Column>, Failure> {
    let schema = group.metadata().schema_descr();
    let mut columns = Vec::new();
    for name in REQUIRED.into_iter().chain([OPTIONAL]) {
        let is_named = |index: &usize| schema.column(*index).path().parts() == [name];
        let Some(index) = (0..schema.num_columns()).find(is_named) else {
            if name == OPTIONAL {
                continue;
            }
            let all = REQUIRED.join(", ");
            let reason = format!("has no column {name}; a ContextBench file has {all}");
            return Err(Failure::Shape(reason));
        };
        let descriptor = schema.column(index);
        let (0, ColumnReader::ByteArrayColumnReader(reader)) =
            (descriptor.max_rep_level(), group.get_column_reader(index)?)
        else {
            let reason = format!("has a column {name} that is not of strings; write strings");
            return Err(Failure::Shape(reason));
        };
        let nullable = descriptor.max_def_level() > 0;
        columns.push(Column { name, reader, nullable, batch: Vec::new() });
    }
    Ok(columns)
}

impl Column {
    /// Decodes the next batch.
    fn fill(&mut self) -> Result<(), Failure> {
        let mut levels = Vec::new();
        let mut values = Vec::new();
        let (rows, _, _) =
            self.reader.read_records(BATCH_ROWS, Some(&mut levels), None, &mut values)?;
        let mut values = values.into_iter();
        self.batch = if self.nullable {
            let cells = levels.iter().map(|level| if *level > 0 { values.next() } else { None });
            cells.collect()
        } else {
            values.map(Some).collect()
        };
        if self.batch.len() != rows {
            let reason = format!("has a column {} of broken lengths; fetch it anew", self.name);
            return Err(Failure::Shape(reason));
        }
        Ok(())
    }
}

fn readable(columns: &[Column], row: usize, size: usize) -> Result<Columns<'_>, Fault> {
    let fault = |reason| Fault { id: None, reason };
    if size > MAX_LINE_BYTES {
        return Err(fault(format!("the row has {size} bytes, over 4 MiB; shorten it")));
    }
    let text = |name| {
        let column = columns.iter().find(|column| column.name == name);
        let cell = column.and_then(|column| column.batch[row].as_ref());
        let decoded = cell.map(|cell| std::str::from_utf8(cell.data())).transpose();
        decoded.map_err(|_| fault(format!("{name} is not UTF-8; write it as UTF-8")))
    };
    Ok(Columns {
        instance_id: text("instance_id")?,
        original_inst_id: text(OPTIONAL)?,
        repo: text("repo")?,
        base_commit: text("base_commit")?,
        problem_statement: text("problem_statement")?,
        gold_context: text("gold_context")?,
    })
}
