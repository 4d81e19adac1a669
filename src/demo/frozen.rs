//! The built-in benchmark: this project's own source at one commit, with hand-labelled questions.
//!
//! Both files are frozen: later commits of the project do not move them, so the demo's figures are the same for
//! everyone who has the same version. `scripts/make-demo-corpus` says how the corpus was made. The questions were
//! written for it and not mined: changes, reviews and failures are imagined over the real tree, and each row says in
//! one sentence why its gold is right.

use crate::dataset::SnapshotKey;

/// The samples, in the benchmark's own format: all four positive tasks and both kinds of questions without an answer.
pub const SAMPLES: &[u8] = include_bytes!("samples.jsonl");

/// The tree they are asked over, as a chunk file.
pub const CORPUS: &[u8] = include_bytes!("corpus.chunks.jsonl");

/// The repository that the samples name.
const REPO: &str = "retrieval-bench/retrieval-bench";

/// The commit of the corpus.
const COMMIT: &str = "3cc6b89872f1a07c5c14631e8bcd9549eb39ea7d";

/// The snapshot that the samples name.
pub fn key() -> SnapshotKey {
    SnapshotKey { repo: REPO.to_owned(), commit: COMMIT.to_owned() }
}
