//! The captures that the reference wrote are written again, byte for byte, from the samples and what they hold.

use std::fs;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use retrieval_bench::corvint::capture::{
    Capture, CapturePlan, Destination, ParseStatus, Surroundings,
};
use retrieval_bench::dataset::{self, ReadOptions};
use serde_json::Value;

use super::{assert_footer_binds, scratch};
use crate::fixture::shared;

/// A stream of a recorded line.
fn stream(of: &Value) -> Option<(Vec<u8>, bool)> {
    let payload = of["base64"].as_str()?;
    Some((BASE64_STANDARD.decode(payload).expect("Base64"), of["status"] == "TRUNCATED"))
}

fn replay(case: &str, samples: &str, latency: bool, expected_status: &str) {
    let Some(golden) = shared("data/harness-golden") else { return };
    let recorded = fs::read(golden.join("expected").join(case).join("capture.jsonl")).expect(case);
    let lines: Vec<Value> = recorded
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| serde_json::from_slice(line).expect("a line of JSON"))
        .collect();
    let samples = dataset::read(&golden.join("inputs").join(samples), &ReadOptions::default());
    let plan = CapturePlan::new(&samples.expect("samples").kept, latency).expect("few samples");
    let header = plan.header(&lines[0]["registration"]).expect("a header");

    let (_held, folder) = scratch();
    let path = folder.join("capture.jsonl");
    let around = Surroundings::default();
    let destination = Destination::check(&path, &around).expect("a place");
    let mut capture = Capture::create(destination, &plan, &header, &around).expect("a new file");
    // Calls end in any order.
    for line in lines[1..lines.len() - 1].iter().rev() {
        let ordinal = line["invocation"]["invocation_ordinal"].as_u64().expect("a number") as usize;
        let status = match line["parse_status"].as_str() {
            Some("PARSED") => ParseStatus::Parsed,
            Some("MALFORMED") => ParseStatus::Malformed,
            _ => ParseStatus::NotRun,
        };
        let (stdout, stderr) = (stream(&line["stdout"]), stream(&line["stderr"]));
        let stdout = stdout.as_ref().map(|(bytes, _)| bytes.as_slice());
        let stderr = stderr.as_ref().map(|(bytes, cut)| (bytes.as_slice(), *cut));
        let error = line["error"].as_str().unwrap_or_default();
        capture.record(ordinal, stdout, stderr, status, error).expect("room");
    }
    capture.finish().expect("a footer");
    let written = fs::read(&path).expect("the file");
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&recorded), "{case}");
    assert_eq!(assert_footer_binds(&written, lines.len() - 2), expected_status);
}

#[test]
fn the_recorded_capture_of_one_call_a_sample_is_reproduced() {
    replay("capture-ordinary", "samples-arms.jsonl", false, "PARTIAL");
}

#[test]
fn the_recorded_capture_of_cold_and_hit_calls_is_reproduced() {
    replay("capture-snaplat", "samples-snaplat.jsonl", true, "COMPLETE");
}
