//! One call of a capture, as its header and its record describe it.

use serde::Serialize;

/// Which of a sample's calls it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The only one.
    Ordinary,
    /// The one without the tool's stored snapshot.
    Cold,
    /// The one with it.
    Hit,
}

/// One call: its place in the run and what it is about, as the header and its record describe it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Invocation {
    /// The sample's place in the run, from 0.
    pub sample_ordinal: usize,
    /// The sample.
    pub sample_id: String,
    /// Its repository.
    pub repo: String,
    /// Its base commit.
    pub base_commit: String,
    /// The call's place in the file, from 0.
    pub invocation_ordinal: usize,
    /// Which of the sample's calls it is.
    pub phase: Phase,
    /// The length of the task.
    pub task_bytes: usize,
    /// The digest of the task.
    pub task_sha256: String,
}
