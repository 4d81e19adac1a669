//! Samples files, and the readers of text they stand on.

mod anchor;
mod contextbench;
mod gold;
mod json;
mod leakage;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod python_json;
mod read;
mod safe_path;

use retrieval_bench::dataset::{DatasetError, ReadOptions, Sample, Samples, parse};

/// A full commit id.
const COMMIT: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// A row of Agent Retrieval Bench with `more` members.
fn row(id: &str, task: &str, more: &str) -> String {
    format!(
        r#"{{"id":"{id}","task_type":"{task}","repo":"acme/gadget","base_commit":"{COMMIT}",{more}}}"#
    )
}

/// A row that is kept.
fn good(id: &str) -> String {
    row(id, "trace2code", r#""gold":{"files":["a.go"]}"#)
}

fn parsed(text: &str) -> Result<Samples, DatasetError> {
    parse(text.as_bytes(), "samples.jsonl", &ReadOptions::default())
}

/// The only sample of a file with one line.
fn sample(line: &str) -> Sample {
    let mut samples = parsed(line).unwrap();
    assert_eq!(samples.kept.len(), 1, "{line}");
    samples.kept.remove(0)
}

/// The sentence with which a text is refused.
fn refused(text: &str) -> String {
    parsed(text).expect_err(text).to_string()
}
