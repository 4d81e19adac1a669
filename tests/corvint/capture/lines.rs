//! What stands in the file, and when it is called complete.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use retrieval_bench::corvint::capture::{Capture, CaptureError, CapturePlan, ParseStatus, Phase};
use serde_json::{Value, json};

use super::{assert_footer_binds, capture, lines, sample, scratch};

/// SHA-256 of nothing.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn a_plan_names_every_call_in_order() {
    let samples = [sample("one", "é"), sample("two", "")];
    let plan = CapturePlan::new(&samples, true).expect("few samples");
    let header: Value =
        serde_json::from_slice(&plan.header(&json!({"limit": 20})).expect("short")).expect("JSON");
    let call = |sample: usize, id: &str, call: usize, phase: &str, bytes: usize, sha256: &str| {
        json!({"sample_ordinal": sample, "sample_id": id, "repo": "acme/gadget",
            "base_commit": "a".repeat(40), "invocation_ordinal": call, "phase": phase,
            "task_bytes": bytes, "task_sha256": sha256})
    };
    let accented = "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c";
    assert_eq!(
        header,
        json!({"type": "header", "profile": "corvint-retrieval-context-capture-v0",
            "registration": {"limit": 20}, "invocations": [
                call(0, "one", 0, "cold", 2, accented), call(0, "one", 1, "hit", 2, accented),
                call(1, "two", 2, "cold", 0, EMPTY), call(1, "two", 3, "hit", 0, EMPTY)]})
    );
    assert_eq!(plan.ordinal("two", Phase::Hit), Some(3));
    assert_eq!(plan.ordinal("one", Phase::Cold), Some(0));
    assert_eq!(plan.ordinal("two", Phase::Ordinary), None);
    assert_eq!(plan.ordinal("three", Phase::Cold), None);
    let plan = CapturePlan::new(&samples, false).expect("few samples");
    assert_eq!(plan.ordinal("two", Phase::Ordinary), Some(1));
    assert_eq!(plan.ordinal("one", Phase::Hit), None);
}

#[test]
fn a_record_holds_what_the_call_printed_and_nothing_where_it_printed_nothing() {
    let (_held, folder) = scratch();
    let mut capture = capture(&folder, 3);
    capture
        .record(0, Some(b"{}\n\xff"), Some((b"", false)), ParseStatus::Parsed, "")
        .expect("room");
    capture
        .record(1, None, Some((b"boom", true)), ParseStatus::NotRun, "exit status 3: <boom>")
        .expect("room");
    capture.record(2, Some(b""), None, ParseStatus::Malformed, "unreadable packet").expect("room");
    capture.finish().expect("a footer");
    let lines = lines(&folder);
    let without_call = |line: &Value| {
        let mut line = line.clone();
        line.as_object_mut().expect("an object").remove("invocation");
        line
    };
    assert_eq!(lines[1]["invocation"]["sample_id"], "s0");
    assert_eq!(lines[1]["stdout"]["base64"], "e30K/w==");
    assert_eq!(lines[1]["stdout"]["bytes"], 4);
    assert_eq!(
        lines[1]["stderr"],
        json!({"status": "COMPLETE", "base64": "", "bytes": 0, "sha256": EMPTY})
    );
    assert_eq!(lines[1]["parse_status"], "PARSED");
    assert!(lines[1].get("error").is_none());
    assert_eq!(
        without_call(&lines[2]),
        json!({"type": "invocation", "stdout": {"status": "NOT_PRODUCED"}, "stderr": {
            "status": "TRUNCATED", "base64": "Ym9vbQ==", "bytes": 4,
            "sha256": "81f52337ebb4cb1669bb802c708807dde0519d15cb102a6313d26ad5cd821713"},
            "parse_status": "NOT_RUN", "error": "exit status 3: <boom>"})
    );
    assert_eq!(lines[3]["stderr"], json!({"status": "NOT_PRODUCED"}));
    assert_eq!(lines[3]["parse_status"], "MALFORMED");
}

#[test]
fn the_file_is_for_its_owner_alone() {
    let (_held, folder) = scratch();
    let capture = capture(&folder, 1);
    let mode = fs::metadata(capture.path()).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn letters_that_mean_something_in_html_are_escaped() {
    let (_held, folder) = scratch();
    let odd = "<a href='x'>&\u{2028}\u{2029}</a>é\u{7f}";
    let plan = CapturePlan::new(&[sample(odd, odd)], false).expect("one sample");
    let header = String::from_utf8(plan.header(&json!({odd: odd})).expect("short")).expect("text");
    assert!(!header.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{header}");
    assert!(
        header.contains(r"\u003ca href='x'\u003e\u0026\u2028\u2029\u003c/a\u003eé"),
        "{header}"
    );
    let header: Value = serde_json::from_str(&header).expect("JSON");
    assert_eq!(header["registration"][odd], odd);
    assert_eq!(header["invocations"][0]["sample_id"], odd);

    let mut capture = capture(&folder, 1);
    capture.record(0, None, None, ParseStatus::NotRun, odd).expect("room");
    let text = fs::read_to_string(folder.join("capture.jsonl")).expect("a file");
    assert!(!text.contains(['<', '>', '&']), "{text}");
    assert_eq!(lines(&folder)[1]["error"], odd);
}

#[test]
fn it_is_complete_only_with_every_call_and_all_that_it_printed() {
    type Call = (Option<&'static [u8]>, Option<(&'static [u8], bool)>);
    let whole: Call = (Some(b"{}"), Some((b"", false)));
    let not_parsed: Call = (Some(b"{"), Some((b"warning", false)));
    for (calls, expected) in [
        (vec![whole, whole], "COMPLETE"),
        (vec![whole, not_parsed], "COMPLETE"),
        (vec![whole], "PARTIAL"),
        (vec![], "PARTIAL"),
        (vec![whole, (None, Some((b"", false)))], "PARTIAL"),
        (vec![whole, (Some(b"{}"), None)], "PARTIAL"),
        (vec![(Some(b"{}"), Some((b"x", true))), whole], "PARTIAL"),
    ] {
        let (_held, folder) = scratch();
        let mut capture = capture(&folder, 2);
        for (ordinal, (stdout, stderr)) in calls.iter().enumerate() {
            capture.record(ordinal, *stdout, *stderr, ParseStatus::Malformed, "").expect("room");
        }
        capture.finish().expect("a footer");
        let bytes = fs::read(folder.join("capture.jsonl")).expect("a file");
        assert_eq!(assert_footer_binds(&bytes, calls.len()), expected, "{calls:?}");
    }
    let (_held, folder) = scratch();
    capture(&folder, 0).finish().expect("a footer");
    let bytes = fs::read(folder.join("capture.jsonl")).expect("a file");
    assert_eq!(assert_footer_binds(&bytes, 0), "COMPLETE");
}

#[test]
fn records_stand_in_the_order_of_the_plan_even_behind_a_gap() {
    let (_held, folder) = scratch();
    let mut capture = capture(&folder, 6);
    for ordinal in [4, 1, 0, 5] {
        capture
            .record(ordinal, Some(b"{}"), Some((b"", false)), ParseStatus::Parsed, "")
            .expect("room");
    }
    // What came before a gap is in the file at once.
    assert_eq!(lines(&folder).len(), 3);
    capture.record(2, Some(b"{}"), None, ParseStatus::Parsed, "").expect("room");
    assert_eq!(lines(&folder).len(), 4);
    capture.finish().expect("a footer");
    let order: Vec<Value> = lines(&folder)[1..6]
        .iter()
        .map(|line| line["invocation"]["invocation_ordinal"].clone())
        .collect();
    assert_eq!(order, [0, 1, 2, 4, 5]);
    let bytes = fs::read(folder.join("capture.jsonl")).expect("a file");
    assert_eq!(assert_footer_binds(&bytes, 5), "PARTIAL");
}

#[test]
fn a_call_that_was_not_planned_or_came_twice_ends_it_without_a_footer() {
    for (wrong, reason) in [(0, "recorded twice"), (2, "not planned")] {
        let (_held, folder) = scratch();
        let mut capture = capture(&folder, 2);
        let record = |capture: &mut Capture, ordinal| {
            capture.record(ordinal, Some(b"{}"), None, ParseStatus::Parsed, "")
        };
        record(&mut capture, 0).expect("room");
        let error = record(&mut capture, wrong).expect_err("wrong");
        assert!(
            matches!(error, CaptureError::Broken { .. }) && error.to_string().contains(reason),
            "{error}"
        );
        assert!(record(&mut capture, 1).expect_err("over").to_string().contains("given up"));
        capture.finish().expect_err("no footer");
        let lines = lines(&folder);
        assert_eq!(lines.last().expect("a line")["type"], "invocation");
        assert_eq!(lines.len(), 2);
    }
}

#[test]
fn bytes_that_somebody_else_wrote_are_noticed() {
    let (_held, folder) = scratch();
    let capture = capture(&folder, 1);
    fs::OpenOptions::new()
        .append(true)
        .open(folder.join("capture.jsonl"))
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"x"))
        .expect("appended");
    assert!(capture.finish().expect_err("not ours").to_string().contains("bytes, and"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_footer_binds_a_file_of_any_size(sizes in prop::collection::vec(0_usize..30_000, 0..8)) {
        let (_held, folder) = scratch();
        let mut capture = capture(&folder, sizes.len());
        for (ordinal, size) in sizes.iter().enumerate() {
            let bytes = vec![7; *size];
            capture.record(ordinal, Some(&bytes), Some((&bytes, false)), ParseStatus::Parsed, "").expect("room");
        }
        capture.finish().expect("a footer");
        let bytes = fs::read(folder.join("capture.jsonl")).expect("a file");
        prop_assert_eq!(assert_footer_binds(&bytes, sizes.len()), "COMPLETE");
    }
}

#[test]
fn a_footer_counts_itself_where_its_number_gains_a_digit() {
    let size = |error: usize| {
        let (_held, folder) = scratch();
        let mut capture = capture(&folder, 1);
        let (bytes, error) = (vec![b'x'; 6_000], "e".repeat(error));
        capture
            .record(0, Some(&bytes), Some((b"", false)), ParseStatus::Parsed, &error)
            .expect("room");
        capture.finish().expect("a footer");
        let bytes = fs::read(folder.join("capture.jsonl")).expect("a file");
        assert_footer_binds(&bytes, 1);
        bytes.len()
    };
    let first = 9_990 - size(1) + 1;
    let sizes: Vec<usize> = (first..first + 20).map(size).collect();
    // One letter more is one byte more, but for the one that makes five digits of four.
    let expected: Vec<usize> = (9_990..10_000).chain(10_001..10_011).collect();
    assert_eq!(sizes, expected);
}
