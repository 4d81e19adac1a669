//! What the rows of a chunk file say of the file: how many there are, whose they are, and whether it is whole.
//!
//! The corpus builder takes an existing chunk file for complete if its rows parse (spec: benchmark 1.5), so one that a
//! crash cut at a line end passes for whole. Its symbol rows tell: they tile a file from its first symbol to its last
//! line (same place). The bytes are read once, as a stream; whether a row can be used is for the snapshot room to say.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::dataset::SnapshotKey;
use crate::snapshot::CHUNK_LINE_LIMIT;
use crate::text::hex::hex;
use crate::text::safe_path::why_unsafe;

/// How many rows there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Rows of every kind.
    pub chunks: u64,
    /// File rows.
    pub files: u64,
    /// Symbol rows.
    pub symbols: u64,
}

impl Counts {
    /// What the corpus manifest calls each count.
    pub const MEMBERS: [&str; 3] = ["chunk_count", "file_count", "symbol_count"];

    /// The counts, in the order of [`Counts::MEMBERS`].
    pub fn by_member(&self) -> [u64; 3] {
        [self.chunks, self.files, self.symbols]
    }
}

/// The first of several rows, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct First {
    /// How many rows.
    pub count: u64,
    /// The line of the first, from 1.
    pub line: u64,
    /// What is the matter with the first.
    pub what: String,
}

/// Where a chunk file stops too early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The last file.
    pub path: String,
    /// Its last line.
    pub lines: u64,
    /// The last line of its symbol rows.
    pub symbols_to: u64,
}

/// How a chunk file ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tail {
    /// In a line feed.
    #[default]
    Whole,
    /// In a whole row without one.
    NoLineFeed,
    /// Inside a row.
    Torn,
}

/// What the rows of a chunk file say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ChunkRows {
    /// SHA-256 of the file's bytes.
    pub sha256: String,
    /// How many rows there are.
    pub counts: Counts,
    /// How it ends.
    pub tail: Tail,
    /// Rows whose `repo` or `base_commit` is not that of the snapshot.
    pub foreign: Option<First>,
    /// File rows whose path is not safe.
    pub unsafe_paths: Option<First>,
    /// Where the file stops before its last file does.
    pub cut: Option<Cut>,
}

/// The members that are looked at, as they were written.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    path: Option<&'a RawValue>,
    #[serde(borrow)]
    repo: Option<&'a RawValue>,
    #[serde(borrow)]
    base_commit: Option<&'a RawValue>,
    #[serde(borrow)]
    end_line: Option<&'a RawValue>,
}

/// The file whose rows are being read.
#[derive(Default)]
struct Current {
    path: String,
    lines: u64,
    /// The last line of its symbol rows, if it has any.
    symbols_to: Option<u64>,
}

impl Current {
    fn is_short(&self) -> bool {
        self.symbols_to.is_some_and(|line| line < self.lines)
    }
}

struct Reader<'a> {
    key: &'a SnapshotKey,
    rows: ChunkRows,
    current: Current,
    /// Whether every file before the current one is tiled by its symbols, as the corpus builder leaves them. Another
    /// builder's rows say nothing of where the file was cut.
    is_tiled: bool,
}

impl ChunkRows {
    /// Reads the chunk file of a snapshot.
    pub fn read(path: &Path, key: &SnapshotKey) -> io::Result<ChunkRows> {
        // A pipe is no chunk file, and opening one would wait for someone to write to it.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        let mut input = BufReader::with_capacity(1 << 20, File::open(path)?);
        let mut digest = Sha256::new();
        let mut reader =
            Reader { key, rows: ChunkRows::default(), current: Current::default(), is_tiled: true };
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            (&mut input).take(CHUNK_LINE_LIMIT as u64).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                break;
            }
            number += 1;
            digest.update(&line);
            reader.line(&line, number);
        }
        Ok(reader.finish(hex(digest.finalize())))
    }
}

impl Reader<'_> {
    fn line(&mut self, line: &[u8], number: u64) {
        let body = line.strip_suffix(b"\n");
        let row = serde_json::from_slice::<Row>(body.unwrap_or(line)).ok();
        self.rows.tail = match (body, &row) {
            (Some(_), _) => Tail::Whole,
            (None, Some(_)) => Tail::NoLineFeed,
            (None, None) => Tail::Torn,
        };
        let Some(row) = row else { return };
        self.rows.counts.chunks += 1;
        self.foreign(&row, number);
        match text(row.kind).as_deref() {
            Some("file") => self.file(&row, number),
            Some("symbol") => self.symbol(&row),
            _ => {}
        }
    }

    fn foreign(&mut self, row: &Row, number: u64) {
        let other = |raw, own: &str| text(raw).filter(|name| !name.is_empty() && name != own);
        let repo = other(row.repo, &self.key.repo).map(|repo| format!("repo {repo:?}"));
        let commit = other(row.base_commit, &self.key.commit)
            .map(|commit| format!("base_commit {commit:?}"));
        let named: Vec<String> = repo.into_iter().chain(commit).collect();
        if !named.is_empty() {
            note(&mut self.rows.foreign, number, || named.join(" and "));
        }
    }

    fn file(&mut self, row: &Row, number: u64) {
        self.rows.counts.files += 1;
        self.is_tiled &= !self.current.is_short();
        let path = text(row.path).unwrap_or_default().into_owned();
        if let Some(why) = why_unsafe(&path) {
            note(&mut self.rows.unsafe_paths, number, || format!("{path:?} {why}"));
        }
        self.current = Current { path, lines: last_line(row), symbols_to: None };
    }

    fn symbol(&mut self, row: &Row) {
        self.rows.counts.symbols += 1;
        let current = &mut self.current;
        if text(row.path).as_deref() == Some(&current.path) {
            current.symbols_to = current.symbols_to.max(Some(last_line(row)));
        } else {
            self.is_tiled = false;
        }
    }

    fn finish(mut self, sha256: String) -> ChunkRows {
        let tells = self.is_tiled && self.current.is_short() && self.rows.tail != Tail::Torn;
        let Current { path, lines, symbols_to } = self.current;
        self.rows.cut =
            symbols_to.filter(|_| tells).map(|symbols_to| Cut { path, lines, symbols_to });
        self.rows.sha256 = sha256;
        self.rows
    }
}

fn note(first: &mut Option<First>, line: u64, what: impl FnOnce() -> String) {
    match first {
        Some(first) => first.count += 1,
        None => *first = Some(First { count: 1, line, what: what() }),
    }
}

/// A string member.
fn text(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let lexeme = raw?.get();
    let inside = lexeme.strip_prefix('"')?.strip_suffix('"')?;
    if inside.contains('\\') {
        return serde_json::from_str(lexeme).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inside))
}

fn last_line(row: &Row) -> u64 {
    row.end_line.and_then(|raw| raw.get().parse().ok()).unwrap_or_default()
}
