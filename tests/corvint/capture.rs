//! The capture of the context arm's calls.

mod budgets;
mod lines;
mod place;
mod recorded;

use std::fs;
use std::path::{Path, PathBuf};

use retrieval_bench::corvint::capture::{Capture, CapturePlan, Destination, Surroundings};
use retrieval_bench::dataset::{Query, Sample, SnapshotKey, Stratum};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A folder whose path leads through no link.
fn scratch() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    let path = folder.path().canonicalize().expect("it exists");
    (folder, path)
}

fn sample(id: &str, task: &str) -> Sample {
    Sample {
        id: id.into(),
        line: 1,
        task: "trace2code".into(),
        snapshot: SnapshotKey { repo: "acme/gadget".into(), commit: "a".repeat(40) },
        query: Query { text: task.into(), values: Vec::new(), anchor_bearing: false },
        gold: vec!["gold".into()],
        given: Vec::new(),
        hard_negatives: Vec::new(),
        changed_file: None,
        changed_file_from: Vec::new(),
        stratum: Stratum::Positive,
        gold_lines: None,
    }
}

fn samples(count: usize) -> Vec<Sample> {
    (0..count).map(|at| sample(&format!("s{at}"), "it fails")).collect()
}

/// A capture of one call for each of `count` samples, in a file that is named `capture.jsonl`.
fn capture(folder: &Path, count: usize) -> Capture {
    let plan = CapturePlan::new(&samples(count), false).expect("few samples");
    let header = plan.header(&json!({"arms": ["context"]})).expect("a short header");
    let nothing = Surroundings::default();
    let destination = Destination::check(&folder.join("capture.jsonl"), &nothing).expect("a place");
    Capture::create(destination, &plan, &header, &nothing).expect("a new file")
}

/// The lines of a capture, each checked to be one JSON value and a line feed.
fn lines(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("capture.jsonl")).expect("a file");
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Holds the footer to the bytes of its file; gives its status.
fn assert_footer_binds(bytes: &[u8], records: usize) -> String {
    let body = &bytes[..bytes.len() - 1];
    let start = body.iter().rposition(|byte| *byte == b'\n').expect("lines before") + 1;
    let footer: Value = serde_json::from_slice(&bytes[start..]).expect("a footer");
    assert_eq!(footer["type"], "footer");
    assert_eq!(footer["total_bytes"], bytes.len());
    assert_eq!(footer["invocations"], records);
    let digest: String =
        Sha256::digest(&bytes[..start]).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(footer["prior_sha256"], digest);
    footer["status"].as_str().expect("a status").to_owned()
}
