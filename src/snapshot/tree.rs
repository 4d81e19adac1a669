//! A tree of files, wherever its bytes lie.

use std::cmp::Ordering;
use std::fmt;

use sha2::{Digest, Sha256};

use crate::dataset::SnapshotKey;
use crate::text::one_line::short;

/// A name for a file's bytes: within one repository and one kind of source, equal exactly for equal bytes.
/// A SHA-256, or a Git object id padded with zeros.
pub type Fingerprint = [u8; 32];

/// What a SHA-256 is of. Contents of one repository may come from sources of different kinds, where the same bytes mean
/// different files; the kind is mixed into the digest so that their fingerprints never meet.
#[derive(Clone, Copy)]
pub(super) enum Digested {
    /// The bytes of a file.
    Bytes = 0,
    /// The JSON lexeme of its text.
    Lexeme = 1,
    /// A text rebuilt from several rows.
    Rebuilt = 2,
}

impl Digested {
    /// The fingerprint of a whole piece.
    pub fn fingerprint(self, piece: &[u8]) -> Fingerprint {
        self.finish(Sha256::new_with_prefix(piece))
    }

    /// The fingerprint of the pieces that `hasher` took.
    pub fn finish(self, hasher: Sha256) -> Fingerprint {
        let mut digest: Fingerprint = hasher.finalize().into();
        digest[31] ^= self as u8;
        digest
    }
}

/// Why a snapshot cannot be searched: its samples carry the sentence, the run goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotError {
    /// The snapshot.
    pub key: SnapshotKey,
    /// What failed, on what, and what to do, in one lower-case sentence.
    pub reason: String,
}

impl SnapshotError {
    /// The error of `key` with that reason.
    pub fn new(key: &SnapshotKey, reason: impl Into<String>) -> SnapshotError {
        SnapshotError { key: key.clone(), reason: short(reason.into()) }
    }
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "snapshot {}: {}", self.key, self.reason)
    }
}

impl std::error::Error for SnapshotError {}

/// What a source noticed while it was opened, for the census.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeNotes {
    /// Rows or entries left out because their path is not a safe relative path.
    pub unsafe_paths: u64,
    /// Rows whose path an earlier row already had with other bytes.
    pub replaced_rows: u64,
    /// Files rebuilt from symbol rows.
    pub stitched: u64,
}

/// An opened snapshot. Files are numbered from 0 in bytewise order of their paths; paths are distinct, relative,
/// `/`-separated and safe.
pub trait Tree {
    /// How many files.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was noticed while it was opened.
    fn notes(&self) -> TreeNotes;

    /// The path of file `file`.
    fn path(&self, file: usize) -> &str;

    /// The number of the file at `path`.
    fn find(&self, path: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.path(middle).cmp(path) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// How many bytes it has, where that is known without reading it.
    fn size(&self, _file: usize) -> Option<u64> {
        None
    }

    /// Whether its bytes were rebuilt from rows that the corpus builder had cut, and no longer say so themselves.
    fn is_rebuilt(&self, _file: usize) -> bool {
        false
    }

    /// The fingerprint of its bytes, cheaper than reading them where the source allows it.
    fn fingerprint(&mut self, file: usize) -> Result<Fingerprint, SnapshotError>;

    /// Its bytes, put into `into`, which is cleared first.
    fn read(&mut self, file: usize, into: &mut Vec<u8>) -> Result<(), SnapshotError>;
}
