//! Trees: where they are found, how they are read, what is refused, and what a survey says of them.

mod chunk_file;
mod clone;
mod copy;
mod directory;
mod hostile;
mod repository;
mod resolve;
mod scanner;
mod stitched;
mod survey;

use std::time::Duration;

use retrieval_bench::dataset::SnapshotKey;
use retrieval_bench::snapshot::{ChunkFile, SnapshotError, Tree};

/// A bound that only a hanging Git meets.
const PATIENCE: Duration = Duration::from_secs(60);

fn key() -> SnapshotKey {
    SnapshotKey { repo: "acme/gadget".into(), commit: "a".repeat(40) }
}

fn open(chunks: impl AsRef<[u8]>) -> Result<ChunkFile<Vec<u8>>, SnapshotError> {
    ChunkFile::open(&key(), "chunks", chunks.as_ref().to_vec())
}

/// The reason of a refusal.
fn refusal<T>(opened: Result<T, SnapshotError>) -> String {
    match opened {
        Ok(_) => panic!("it was not refused"),
        Err(error) => error.reason,
    }
}

/// Every path with its bytes.
fn files(tree: &mut dyn Tree) -> Vec<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    (0..tree.len())
        .map(|file| {
            tree.read(file, &mut bytes).expect("the file can be read");
            (tree.path(file).to_owned(), bytes.clone())
        })
        .collect()
}

fn texts(tree: &mut dyn Tree) -> Vec<(String, String)> {
    files(tree)
        .into_iter()
        .map(|(path, bytes)| (path, String::from_utf8(bytes).expect("the text is UTF-8")))
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect()
}
