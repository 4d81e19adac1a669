//! The corpus builder's own record of what it wrote (spec: benchmark 1.3).
//!
//! A row that the loader would not use never hides one that it would: of the rows of a snapshot the last one with
//! status `ok` counts, and the last one of all only where there is none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::chunk_rows::Counts;
use super::finding::{Finding, Kind};
use crate::dataset::SnapshotKey;
use crate::text::hex::hex;
use crate::text::json::Json;

/// The manifest's file name.
const FILE_NAME: &str = "corpus_manifest.jsonl";
/// The status of a snapshot that was written.
const OK: &str = "ok";

/// A manifest.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// The file, as messages call it.
    pub name: String,
    /// SHA-256 of its bytes; `None` if it could not be read.
    pub sha256: Option<String>,
    /// Rows that cannot be used.
    pub findings: Vec<Finding>,
    rows: BTreeMap<SnapshotKey, Row>,
}

#[derive(Debug)]
struct Row {
    line: usize,
    status: String,
    /// The counts it states, by the names of its members.
    counts: [(&'static str, Option<u64>); 3],
}

/// The manifest in the corpus folder, or else in the folder above it.
pub(super) fn find(corpus: &Path) -> Option<PathBuf> {
    [corpus.join(FILE_NAME), corpus.join("..").join(FILE_NAME)]
        .into_iter()
        .find(|path| path.exists())
}

impl Manifest {
    /// Reads a manifest.
    pub fn read(path: &Path) -> Manifest {
        let mut manifest = Manifest { name: path.display().to_string(), ..Manifest::default() };
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                manifest.refuse(None, format!("cannot be read: {error}"));
                return manifest;
            }
        };
        manifest.sha256 = Some(hex(Sha256::digest(&bytes)));
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match row(line, index + 1) {
                Ok((key, row)) => manifest.insert(key, row),
                Err(reason) => manifest.refuse(Some(index + 1), reason),
            }
        }
        manifest
    }

    /// What it says of a snapshot that does not agree with the rows there are. A snapshot without a chunk file has no
    /// `counts`, and need not be named.
    pub fn disagreements(&self, key: &SnapshotKey, counts: Option<&Counts>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut find = |kind, what| findings.push(Finding::new(kind, snapshot(key), what));
        let name = &self.name;
        let Some(row) = self.rows.get(key) else {
            if counts.is_some() && self.sha256.is_some() {
                find(Kind::ManifestUnnamed, format!("{name} has no row for it"));
            }
            return findings;
        };
        let line = row.line;
        if row.status != OK {
            let status = &row.status;
            find(Kind::ManifestStatus, format!("{name}:{line} gives it the status {status:?}"));
        }
        if let Some(counts) = counts {
            let differing = row.counts.iter().zip(counts.by_member()).filter_map(
                |((member, stated), counted)| {
                    let stated = (*stated)?;
                    (stated != counted).then(|| format!("{member} {stated} where {counted} are"))
                },
            );
            let differing = differing.collect::<Vec<_>>().join(", ");
            if !differing.is_empty() {
                find(
                    Kind::ManifestCount,
                    format!("{name}:{line} states {differing}; build the chunk file again"),
                );
            }
        }
        findings
    }

    fn insert(&mut self, key: SnapshotKey, row: Row) {
        let replaces = self.rows.get(&key).is_none_or(|old| row.status == OK || old.status != OK);
        if replaces {
            self.rows.insert(key, row);
        }
    }

    fn refuse(&mut self, line: Option<usize>, reason: String) {
        let place = match line {
            Some(line) => format!("{}:{line}", self.name),
            None => self.name.clone(),
        };
        self.findings.push(Finding::new(Kind::ManifestUnreadable, place, reason));
    }
}

/// A snapshot as a place.
pub(super) fn snapshot(key: &SnapshotKey) -> String {
    format!("snapshot {key}")
}

fn row(line: &[u8], number: usize) -> Result<(SnapshotKey, Row), String> {
    let text = str::from_utf8(line).map_err(|_| "not UTF-8".to_owned())?;
    let value = Json::parse(text).map_err(|error| format!("not JSON: {error}"))?;
    let Json::Object(members) = value else {
        return Err(format!("the row is {}, not an object", value.kind()));
    };
    let text = |name: &str| members.get(name).and_then(Json::as_str).unwrap_or_default();
    let (repo, commit) = (text("repo"), text("base_commit"));
    if repo.is_empty() || commit.is_empty() {
        return Err("the row has no repo or no base_commit".to_owned());
    }
    let count = |name: &'static str| match members.get(name) {
        Some(Json::Number(lexeme)) => (name, lexeme.parse().ok()),
        _ => (name, None),
    };
    let key = SnapshotKey { repo: repo.to_owned(), commit: commit.to_owned() };
    let counts = Counts::MEMBERS.map(count);
    Ok((key, Row { line: number, status: text("status").to_owned(), counts }))
}
