//! One pass over a tree: which contents are new to the repository, and a census of what was seen.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tree::{Fingerprint, SnapshotError, Tree};
use crate::dataset::SnapshotKey;

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
pub struct Census {
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

/// The distinct contents of one repository's snapshots.
#[derive(Debug, Default)]
pub struct Contents {
    known: HashMap<Fingerprint, ContentId>,
}

impl Contents {
    /// Surveys `tree`, handing each text that no earlier snapshot held to `new`, once, in order of first sight.
    pub fn survey(
        &mut self,
        key: &SnapshotKey,
        tree: &mut dyn Tree,
        new: &mut dyn FnMut(ContentId, &[u8]),
    ) -> Result<Survey, SnapshotError> {
        let _ = (&self.known, key, tree, new);
        todo!()
    }
}
