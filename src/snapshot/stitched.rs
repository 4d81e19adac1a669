//! A chunk file as a tree, its cut files rebuilt from their symbol rows (`--corpus-text stitched`).
//!
//! Rebuilt texts are made at opening and kept; all other files are those of [`super::ChunkFile`], read in place.

use std::ops::Range;

use super::assemble::{Recovered, Symbol, assemble, head_alone};
use super::rows::Rows;
use super::survey::TRUNCATION_MARKER;
use super::tree::{Digested, Fingerprint, SnapshotError, Tree, TreeNotes};
use super::unescape::unescape;
use crate::dataset::SnapshotKey;

/// An opened chunk file, over whatever holds its bytes.
#[derive(Debug)]
pub struct Stitched<B> {
    bytes: B,
    rows: Rows,
    /// The rebuilt texts, one behind the other.
    texts: Vec<u8>,
    /// Where in them a file's text is, if it was rebuilt.
    rebuilt: Vec<Option<Range<usize>>>,
    recovered: Recovered,
}

impl<B: AsRef<[u8]>> Stitched<B> {
    /// Reads the rows of `bytes`, which errors call `name`, and rebuilds what was cut.
    pub fn open(key: &SnapshotKey, name: &str, bytes: B) -> Result<Stitched<B>, SnapshotError> {
        let rows = Rows::read(bytes.as_ref(), true)
            .map_err(|reason| SnapshotError::new(key, format!("{name}: {reason}")))?;
        let rebuilt = vec![None; rows.files.len()];
        let mut tree =
            Stitched { bytes, rows, texts: Vec::new(), rebuilt, recovered: Recovered::default() };
        tree.rebuild();
        Ok(tree)
    }

    /// How much of the files that were cut is known.
    pub fn recovered(&self) -> Recovered {
        self.recovered
    }

    fn rebuild(&mut self) {
        // JSON has no shorter way to write the marker's LF, and no need to escape the rest of it.
        let marker = TRUNCATION_MARKER.replace('\n', "\\n");
        let bytes = self.bytes.as_ref();
        let lexeme = |range: &Range<usize>| bytes.get(range.clone()).unwrap_or_default();
        let (mut decoded, mut spans) = (Vec::new(), Vec::new());
        for (row, place) in self.rows.files.iter().zip(&mut self.rebuilt) {
            if !lexeme(&row.text).ends_with(marker.as_bytes()) {
                continue;
            }
            let symbols = self.rows.symbols.get(row.symbols.clone()).unwrap_or_default();
            decoded.clear();
            spans.clear();
            for text in std::iter::once(&row.text).chain(symbols.iter().map(|row| &row.text)) {
                let start = decoded.len();
                unescape(lexeme(text), &mut decoded);
                spans.push(start..decoded.len());
            }
            // Each text was valid when it was scanned; if the file has changed since, this one stays as it is.
            let text = |span: &Range<usize>| str::from_utf8(decoded.get(span.clone())?).ok();
            let pieces = symbols.iter().zip(spans.iter().skip(1)).filter_map(|(row, span)| {
                Some(Symbol { start: row.start_line, end: row.end_line, text: text(span)? })
            });
            let pieces: Vec<Symbol<'_>> = pieces.collect();
            let Some(head) = spans.first().and_then(text) else { continue };
            let start = self.texts.len();
            self.recovered += match assemble(head, row.lines, &pieces, &mut self.texts) {
                Some(recovered) => {
                    *place = Some(start..self.texts.len());
                    self.rows.notes.stitched += 1;
                    recovered
                }
                None => head_alone(head, row.lines),
            };
        }
    }

    /// The rebuilt text of a file.
    fn text(&self, file: usize) -> Option<&[u8]> {
        self.texts.get(self.rebuilt.get(file)?.clone()?)
    }

    fn lexeme(&self, file: usize) -> &[u8] {
        let range = self.rows.files.get(file).map_or(0..0, |row| row.text.clone());
        self.bytes.as_ref().get(range).unwrap_or_default()
    }
}

impl<B: AsRef<[u8]>> Tree for Stitched<B> {
    fn len(&self) -> usize {
        self.rows.files.len()
    }

    fn notes(&self) -> TreeNotes {
        self.rows.notes
    }

    fn path(&self, file: usize) -> &str {
        self.rows.path(file)
    }

    fn is_rebuilt(&self, file: usize) -> bool {
        self.text(file).is_some()
    }

    fn fingerprint(&mut self, file: usize) -> Result<Fingerprint, SnapshotError> {
        Ok(match self.text(file) {
            Some(text) => Digested::Rebuilt.fingerprint(text),
            None => Digested::Lexeme.fingerprint(self.lexeme(file)),
        })
    }

    fn read(&mut self, file: usize, into: &mut Vec<u8>) -> Result<(), SnapshotError> {
        into.clear();
        match self.text(file) {
            Some(text) => into.extend_from_slice(text),
            None => unescape(self.lexeme(file), into),
        }
        Ok(())
    }
}
