//! One pass over a tree: which contents are new to the repository, and a census of what was seen.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tree::{Fingerprint, SnapshotError, Tree};
use crate::dataset::SnapshotKey;
use crate::text::hex::hex;

/// The number of a distinct content among those of one repository, from 0 in order of first sight.
pub type ContentId = u32;

/// What the lexical arms make of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    /// At most 1 MiB, no NUL in the first 8 KiB: searched.
    Text,
    /// A NUL in the first 8 KiB.
    Binary,
    /// Over 1 MiB.
    Oversize,
}

/// A file of a surveyed snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative, `/`-separated, safe.
    pub path: String,
    /// Its bytes, by number.
    pub content: ContentId,
    /// What its bytes are.
    pub kind: ContentKind,
}

/// What was seen in one snapshot (spec: ours, 13).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Census {
    /// SHA-256 over the path, a NUL and the fingerprint of every file, in order: two snapshots read from one kind of
    /// source hold the same files exactly when it is equal.
    pub tree_sha256: String,
    /// Files in the tree.
    pub files: u64,
    /// Files searched: text of at most 1 MiB.
    pub text: u64,
    /// Files with a NUL in the first 8 KiB.
    pub binary: u64,
    /// Files over 1 MiB.
    pub over_1mib: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes of the distinct contents.
    pub unique_bytes: u64,
    /// Files whose text ends in the corpus builder's truncation marker.
    pub truncated: u64,
    /// Files rebuilt from symbol rows (`--corpus-text stitched`).
    pub stitched: u64,
    /// Rows or entries left out because their path is not a safe relative path.
    pub unsafe_paths: u64,
    /// Rows whose path an earlier row already had with other bytes; the last one counts.
    pub replaced_rows: u64,
    /// Gold files of this snapshot's samples that the tree does not hold, distinct.
    pub gold_missing: u64,
    /// Gold files of this snapshot's samples that end in the truncation marker, distinct.
    pub gold_truncated: u64,
}

/// A snapshot after its survey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// Which snapshot.
    pub key: SnapshotKey,
    /// Its files, in bytewise order of their paths.
    pub files: Vec<File>,
    /// What was seen.
    pub census: Census,
}

impl Survey {
    /// The number of the file at `path`.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }

    /// Counts in the census, of the gold files of this snapshot's samples, each once, those that are missing and
    /// those that were cut. `contents` is what the snapshot was surveyed with.
    pub fn count_gold<'a>(&mut self, contents: &Contents, gold: impl IntoIterator<Item = &'a str>) {
        let distinct: BTreeSet<&str> = gold.into_iter().collect();
        self.census.gold_missing = 0;
        self.census.gold_truncated = 0;
        for path in distinct {
            match self.find(path).and_then(|file| self.files.get(file)) {
                None => self.census.gold_missing += 1,
                Some(file) if contents.is_truncated(file.content) => {
                    self.census.gold_truncated += 1;
                }
                Some(_) => {}
            }
        }
    }
}

/// The distinct contents of one repository's snapshots.
#[derive(Debug, Default)]
pub struct Contents {
    known: HashMap<Fingerprint, ContentId>,
    contents: Vec<Content>,
    surveys: u64,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Content {
    kind: ContentKind,
    bytes: u64,
    truncated: bool,
    /// The last survey that met it.
    survey: u64,
}

impl Contents {
    /// Surveys `tree`, handing each text that no earlier snapshot held to `new`, once, in order of first sight.
    ///
    /// A text that was handed over stays known even if the survey fails at a later file.
    pub fn survey(
        &mut self,
        key: &SnapshotKey,
        tree: &mut dyn Tree,
        new: &mut dyn FnMut(ContentId, &[u8]),
    ) -> Result<Survey, SnapshotError> {
        let notes = tree.notes();
        let mut census = Census {
            files: tree.len() as u64,
            stitched: notes.stitched,
            unsafe_paths: notes.unsafe_paths,
            replaced_rows: notes.replaced_rows,
            ..Census::default()
        };
        self.surveys += 1;
        let mut digest = Sha256::new();
        let mut files = Vec::with_capacity(tree.len());
        for file in 0..tree.len() {
            let fingerprint = tree.fingerprint(file)?;
            digest.update(tree.path(file));
            digest.update(b"\0");
            digest.update(fingerprint);
            let id = match self.known.get(&fingerprint) {
                Some(&id) => id,
                None => self.admit(key, tree, file, fingerprint, new)?,
            };
            let Some(content) = self.contents.get_mut(id as usize) else { continue };
            let counter = match content.kind {
                ContentKind::Text => &mut census.text,
                ContentKind::Binary => &mut census.binary,
                ContentKind::Oversize => &mut census.over_1mib,
            };
            *counter += 1;
            census.bytes += content.bytes;
            census.truncated += u64::from(content.truncated);
            if content.survey != self.surveys {
                content.survey = self.surveys;
                census.unique_bytes += content.bytes;
            }
            let path = tree.path(file).to_owned();
            files.push(File { path, content: id, kind: content.kind });
        }
        census.tree_sha256 = hex(digest.finalize());
        Ok(Survey { key: key.clone(), files, census })
    }

    /// Whether the text of a content ends, or ended before it was rebuilt, in the truncation marker.
    pub fn is_truncated(&self, id: ContentId) -> bool {
        self.contents.get(id as usize).is_some_and(|content| content.truncated)
    }

    /// Reads and numbers the bytes of `file`, which are new.
    fn admit(
        &mut self,
        key: &SnapshotKey,
        tree: &mut dyn Tree,
        file: usize,
        fingerprint: Fingerprint,
        new: &mut dyn FnMut(ContentId, &[u8]),
    ) -> Result<ContentId, SnapshotError> {
        let id = ContentId::try_from(self.contents.len())
            .map_err(|_| SnapshotError::new(key, "its repository has over 2^32 distinct files"))?;
        let (kind, bytes, truncated) = match tree.size(file) {
            Some(size) if size > TEXT_LIMIT => (ContentKind::Oversize, size, false),
            _ => {
                tree.read(file, &mut self.buffer)?;
                let truncated = tree.is_rebuilt(file) || ends_truncated(&self.buffer);
                (kind(&self.buffer), self.buffer.len() as u64, truncated)
            }
        };
        self.contents.push(Content { kind, bytes, truncated, survey: 0 });
        self.known.insert(fingerprint, id);
        if kind == ContentKind::Text {
            new(id, &self.buffer);
        }
        Ok(id)
    }
}

/// The largest text (spec: 6 and 17).
const TEXT_LIMIT: u64 = 1_048_576;

/// How far a NUL is looked for (spec: 6 and 17).
const NUL_PROBE: usize = 8_192;

/// What the corpus builder puts behind a text that it cut (spec: Agent Retrieval Bench 1.5).
pub const TRUNCATION_MARKER: &str = "\n...[truncated]";

/// What the lexical arms make of `bytes`.
pub fn kind(bytes: &[u8]) -> ContentKind {
    if bytes.len() as u64 > TEXT_LIMIT {
        ContentKind::Oversize
    } else if memchr::memchr(0, &bytes[..bytes.len().min(NUL_PROBE)]).is_some() {
        ContentKind::Binary
    } else {
        ContentKind::Text
    }
}

fn ends_truncated(bytes: &[u8]) -> bool {
    bytes.ends_with(TRUNCATION_MARKER.as_bytes())
}

/// The lines of a file: its LFs, and one for a tail that no LF ends (spec: 10).
pub fn count_lines(bytes: &[u8]) -> u64 {
    let ended = memchr::memchr_iter(b'\n', bytes).count() as u64;
    ended + u64::from(bytes.last().is_some_and(|&byte| byte != b'\n'))
}
