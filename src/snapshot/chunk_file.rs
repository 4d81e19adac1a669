//! A chunk file as a tree: its file rows, read in place.
//!
//! Opening checks and locates the rows and decodes no text. A file's fingerprint is the SHA-256 of its text *as
//! written*: the corpus builder writes equal texts equally, and two spellings of one text would only be counted
//! twice.

use super::rows::Rows;
use super::tree::{Digested, Fingerprint, SnapshotError, Tree, TreeNotes};
use super::unescape::unescape;
use crate::dataset::SnapshotKey;

/// An opened chunk file, over whatever holds its bytes.
#[derive(Debug)]
pub struct ChunkFile<B> {
    bytes: B,
    rows: Rows,
}

impl<B: AsRef<[u8]>> ChunkFile<B> {
    /// Reads the rows of `bytes`, which errors call `name`.
    pub fn open(key: &SnapshotKey, name: &str, bytes: B) -> Result<ChunkFile<B>, SnapshotError> {
        let rows = Rows::read(bytes.as_ref(), false)
            .map_err(|reason| SnapshotError::new(key, format!("{name}: {reason}")))?;
        Ok(ChunkFile { bytes, rows })
    }

    fn lexeme(&self, file: usize) -> &[u8] {
        let range = self.rows.files.get(file).map_or(0..0, |row| row.text.clone());
        self.bytes.as_ref().get(range).unwrap_or_default()
    }
}

impl<B: AsRef<[u8]>> Tree for ChunkFile<B> {
    fn len(&self) -> usize {
        self.rows.files.len()
    }

    fn notes(&self) -> TreeNotes {
        self.rows.notes
    }

    fn path(&self, file: usize) -> &str {
        self.rows.path(file)
    }

    fn fingerprint(&mut self, file: usize) -> Result<Fingerprint, SnapshotError> {
        Ok(Digested::Lexeme.fingerprint(self.lexeme(file)))
    }

    fn read(&mut self, file: usize, into: &mut Vec<u8>) -> Result<(), SnapshotError> {
        into.clear();
        unescape(self.lexeme(file), into);
        Ok(())
    }
}
