//! The file and symbol rows of a chunk file, in the order a [`super::Tree`] promises.

use std::cmp::Ordering;
use std::ops::Range;

use super::scan::{RowKind, scan};
use super::tree::TreeNotes;
use super::unescape::unescape;
use crate::text::safe_path::is_safe_relative;

/// A file row that counts.
#[derive(Clone, Debug)]
pub(super) struct FileRow {
    /// Its path, in [`Rows::paths`].
    path: Range<usize>,
    /// Its text lexeme, in the chunk file.
    pub text: Range<usize>,
    /// Its last line; read only together with symbols.
    pub lines: u64,
    /// Its symbol rows, in [`Rows::symbols`].
    pub symbols: Range<usize>,
}

/// A symbol row.
#[derive(Clone, Debug)]
pub(super) struct SymbolRow {
    /// The file row before it of the same path, or where its own path stands in the chunk file.
    owner: Owner,
    /// Its first line.
    pub start_line: u64,
    /// Its last line.
    pub end_line: u64,
    /// Its text lexeme, in the chunk file.
    pub text: Range<usize>,
}

#[derive(Clone, Debug)]
enum Owner {
    Row(usize),
    Path(Range<usize>),
}

/// What a chunk file holds.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The paths of the files, one behind the other.
    paths: String,
    /// The files, in bytewise order of their distinct paths.
    pub files: Vec<FileRow>,
    /// Their symbols, file by file, in order of lines; empty unless asked for.
    pub symbols: Vec<SymbolRow>,
    /// What was left out.
    pub notes: TreeNotes,
}

impl Rows {
    /// Reads `bytes`, with the symbol rows of files or without. The reason of a refusal starts with `line N` where a
    /// line is to blame.
    pub fn read(bytes: &[u8], with_symbols: bool) -> Result<Rows, String> {
        let mut rows = Rows::default();
        let mut decoded = Vec::new();
        let mut last_path = 0..0;
        scan(bytes, with_symbols, |row| match row.kind {
            RowKind::File => {
                let path = decode(bytes, &row.path, &mut decoded);
                if !is_safe_relative(path) {
                    rows.notes.unsafe_paths += 1;
                    return;
                }
                let start = rows.paths.len();
                rows.paths.push_str(path);
                rows.files.push(FileRow {
                    path: start..rows.paths.len(),
                    text: row.text,
                    lines: row.end_line,
                    symbols: 0..0,
                });
                last_path = row.path;
            }
            RowKind::Symbol if with_symbols => {
                let owner = match rows.files.len().checked_sub(1) {
                    Some(file) if bytes.get(row.path.clone()) == bytes.get(last_path.clone()) => {
                        Owner::Row(file)
                    }
                    _ => Owner::Path(row.path),
                };
                rows.symbols.push(SymbolRow {
                    owner,
                    start_line: row.start_line,
                    end_line: row.end_line,
                    text: row.text,
                });
            }
            RowKind::Symbol | RowKind::Other => {}
        })
        .map_err(|error| format!("line {} {}", error.line, error.reason))?;
        let sorted = rows.sort_files(bytes);
        if rows.files.is_empty() {
            return Err("holds no file rows that can be used".into());
        }
        if let Some((file, folder)) = folder_clash(rows.files.len(), |file| rows.path(file)) {
            return Err(format!("`{folder}` is a file and also a folder, of `{file}`"));
        }
        rows.sort_symbols(bytes, &sorted);
        Ok(rows)
    }

    /// The path of a file.
    pub fn path(&self, file: usize) -> &str {
        let range = self.files.get(file).map_or(0..0, |row| row.path.clone());
        self.paths.get(range).unwrap_or_default()
    }

    /// Sorts the files and lets the last row of a path win. The new number of each row, in file order.
    fn sort_files(&mut self, bytes: &[u8]) -> Vec<usize> {
        let paths = &self.paths;
        let text = |row: &FileRow| paths.get(row.path.clone()).unwrap_or_default();
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        // Stable, so that rows of one path stay in file order.
        order.sort_by(|&a, &b| text(&self.files[a]).cmp(text(&self.files[b])));
        let mut files: Vec<FileRow> = Vec::with_capacity(order.len());
        let mut sorted = vec![0; order.len()];
        let (mut earlier, mut later) = (Vec::new(), Vec::new());
        for row in order {
            let next = self.files[row].clone();
            match files.last_mut() {
                Some(last) if text(last) == text(&next) => {
                    if bytes.get(last.text.clone()) != bytes.get(next.text.clone()) {
                        let replaced = decode_bytes(bytes, &last.text, &mut earlier)
                            != decode_bytes(bytes, &next.text, &mut later);
                        self.notes.replaced_rows += u64::from(replaced);
                    }
                    *last = next;
                }
                _ => files.push(next),
            }
            sorted[row] = files.len() - 1;
        }
        self.files = files;
        sorted
    }

    /// Sorts the symbols by file and line, and drops those of no file.
    fn sort_symbols(&mut self, bytes: &[u8], sorted: &[usize]) {
        let mut decoded = Vec::new();
        let mut owned: Vec<(usize, SymbolRow)> = Vec::with_capacity(self.symbols.len());
        for symbol in std::mem::take(&mut self.symbols) {
            let file = match &symbol.owner {
                Owner::Row(row) => sorted.get(*row).copied(),
                Owner::Path(path) => {
                    let path = decode(bytes, path, &mut decoded);
                    let order = |row: &FileRow| {
                        self.paths.get(row.path.clone()).unwrap_or_default().cmp(path)
                    };
                    self.files.binary_search_by(order).ok()
                }
            };
            owned.extend(file.map(|file| (file, symbol)));
        }
        // The lexeme decides last, so that the order of contradicting rows in the file does not matter.
        owned.sort_by(|(file_a, a), (file_b, b)| {
            (file_a, a.start_line, a.end_line)
                .cmp(&(file_b, b.start_line, b.end_line))
                .then_with(|| bytes.get(a.text.clone()).cmp(&bytes.get(b.text.clone())))
        });
        for (at, (file, symbol)) in owned.into_iter().enumerate() {
            let symbols = &mut self.files[file].symbols;
            if symbols.end == 0 {
                *symbols = at..at;
            }
            symbols.end = at + 1;
            self.symbols.push(symbol);
        }
    }
}

/// What the lexeme at `range` stands for, in `into` unless it has no escapes.
fn decode_bytes<'a>(bytes: &'a [u8], range: &Range<usize>, into: &'a mut Vec<u8>) -> &'a [u8] {
    let lexeme = bytes.get(range.clone()).unwrap_or_default();
    if memchr::memchr(b'\\', lexeme).is_none() {
        return lexeme;
    }
    into.clear();
    unescape(lexeme, into);
    into
}

/// The same as text. Empty, hence unsafe, if the file changed after it was checked.
fn decode<'a>(bytes: &'a [u8], range: &Range<usize>, into: &'a mut Vec<u8>) -> &'a str {
    str::from_utf8(decode_bytes(bytes, range, into)).unwrap_or_default()
}

/// The first of the sorted, distinct paths that lies in a "folder" which is itself one of them, and that folder.
pub(super) fn folder_clash<'a>(
    count: usize,
    path: impl Fn(usize) -> &'a str,
) -> Option<(&'a str, &'a str)> {
    for file in 1..count {
        let (before, here) = (path(file - 1), path(file));
        // Whatever sorts between a folder and a path in it lies in that folder or begins with its name, so a longer
        // folder than what both paths share is not here, and shorter ones have been looked up for the path before.
        let shared = before.bytes().zip(here.bytes()).take_while(|(a, b)| a == b).count();
        if here.as_bytes().get(shared) != Some(&b'/') {
            continue;
        }
        let folder = &here[..shared];
        let (mut low, mut high) = (0, file);
        while low < high {
            let middle = low.midpoint(high);
            match path(middle).cmp(folder) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some((here, folder)),
                Ordering::Greater => high = middle,
            }
        }
    }
    None
}
