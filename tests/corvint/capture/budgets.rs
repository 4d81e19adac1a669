//! Every budget, at its last byte and one beyond.

use std::fs;
use std::path::Path;

use retrieval_bench::corvint::capture::{
    Capture, CaptureError, CapturePlan, Destination, MAX_FILE_BYTES, MAX_HEADER_BYTES,
    MAX_INVOCATIONS, MAX_METADATA_BYTES, ParseStatus, Surroundings,
};
use serde_json::json;

use super::{assert_footer_binds, capture, lines, sample, samples, scratch};

#[test]
fn the_constants_are_those_of_the_reference() {
    assert_eq!((MAX_INVOCATIONS, MAX_HEADER_BYTES), (1_024, 1_048_576));
    assert_eq!((MAX_METADATA_BYTES, MAX_FILE_BYTES), (65_536, 67_108_864));
}

#[test]
fn more_than_1024_calls_are_refused() {
    for (count, latency, fits) in
        [(1_024, false, true), (1_025, false, false), (512, true, true), (513, true, false)]
    {
        match CapturePlan::new(&samples(count), latency) {
            Ok(plan) => {
                assert!(fits, "{count}");
                assert_eq!(plan.invocations().len(), 1_024);
            }
            Err(error) => {
                assert!(!fits && matches!(error, CaptureError::Refused(_)), "{error}");
                assert!(error.to_string().contains("at most 1024 calls"), "{error}");
            }
        }
    }
}

#[test]
fn a_header_of_one_mebibyte_fits_and_one_byte_more_does_not() {
    let plan = CapturePlan::new(&samples(3), false).expect("few samples");
    let rest = plan.header(&json!("")).expect("short").len();
    let header = |bytes: usize| plan.header(&json!("x".repeat(bytes - rest)));
    assert_eq!(header(1 << 20).expect("fits").len(), 1 << 20);
    let error = header((1 << 20) + 1).expect_err("too long");
    assert!(matches!(error, CaptureError::Refused(_)));
    assert!(error.to_string().contains("1048577 bytes, more than 1048576"), "{error}");
}

/// A capture of one call whose sample has an id of that many bytes.
fn long_id(folder: &Path, bytes: usize) -> Capture {
    let plan = CapturePlan::new(&[sample(&"i".repeat(bytes), "t")], false).expect("one sample");
    let header = plan.header(&json!({})).expect("short");
    let around = Surroundings::default();
    let destination = Destination::check(&folder.join("capture.jsonl"), &around).expect("a place");
    Capture::create(destination, &plan, &header, &around).expect("a new file")
}

#[test]
fn what_describes_a_call_has_64_kibibytes_besides_what_the_call_printed() {
    let printed = vec![b'p'; 300_000];
    let record = |id: usize| {
        let (held, folder) = scratch();
        let mut capture = long_id(&folder, id);
        let taken =
            capture.record(0, Some(&printed), Some((&printed, false)), ParseStatus::Parsed, "");
        (held, folder, capture, taken)
    };
    let (_held, folder, _, taken) = record(1);
    taken.expect("room");
    let text = fs::read_to_string(folder.join("capture.jsonl")).expect("a file");
    let line = text.lines().nth(1).expect("a record");
    let metadata = line.len() + 1 - 2 * 400_000;
    let (_held, _, capture, taken) = record(1 + 65_536 - metadata);
    taken.expect("the last byte");
    capture.finish().expect("a footer");
    let (_held, folder, capture, taken) = record(1 + 65_537 - metadata);
    let error = taken.expect_err("one more");
    assert!(matches!(error, CaptureError::Broken { .. }));
    assert!(error.to_string().contains("65537 bytes, more than 65536"), "{error}");
    capture.finish().expect_err("no footer");
    assert_eq!(lines(&folder).len(), 1);
}

#[test]
fn an_error_is_cut_to_4096_bytes_at_a_letter() {
    for (error, kept) in [
        ("e".repeat(4_096), "e".repeat(4_096)),
        ("e".repeat(4_097), "e".repeat(4_096)),
        (format!("e{}", "é".repeat(3_000)), format!("e{}", "é".repeat(2_047))),
    ] {
        let (_held, folder) = scratch();
        let mut capture = capture(&folder, 1);
        capture.record(0, None, None, ParseStatus::NotRun, &error).expect("room");
        assert_eq!(lines(&folder)[1]["error"], kept);
    }
}

/// Fills a capture up to `left` bytes before its budget, without the footer.
fn filled(folder: &Path, left: usize) -> Capture {
    let mut capture = capture(folder, 20);
    let size = || fs::metadata(folder.join("capture.jsonl")).expect("a file").len() as usize;
    let mut record = |ordinal: usize, bytes: &[u8], error: usize| {
        let error = "e".repeat(error);
        capture
            .record(ordinal, Some(bytes), Some((b"", false)), ParseStatus::Parsed, &error)
            .expect("room");
    };
    record(0, b"", 1);
    let header = size();
    record(1, b"", 1);
    // What a record takes besides its payload and its error; the ordinals have one digit each.
    let rest = size() - header - 1;
    let most = MAX_FILE_BYTES - 1_024 - left;
    let printed = vec![b'p'; 8 << 20];
    for ordinal in 2..7 {
        record(ordinal, &printed, 1);
    }
    // The payload grows by four and its size has other digits, the error makes up for the rest.
    let missing = most - size();
    let bytes = (missing - rest - 2_000) / 4 * 3;
    let digits = bytes.to_string().len() - 1;
    record(7, &printed[..bytes], missing - rest - digits - bytes / 3 * 4);
    assert_eq!(size(), most);
    capture
}

#[test]
fn the_file_is_filled_to_its_last_byte_and_no_further() {
    let (_held, folder) = scratch();
    let capture = filled(&folder, 0);
    capture.finish().expect("a footer fits into what is kept for it");
    let bytes = fs::read(folder.join("capture.jsonl")).expect("a file");
    assert!(bytes.len() <= MAX_FILE_BYTES);
    assert_eq!(assert_footer_binds(&bytes, 8), "PARTIAL");

    let (_held, folder) = scratch();
    // The shortest record of call 8.
    let mut one = super::capture(&folder, 20);
    for ordinal in 0..9 {
        one.record(ordinal, None, None, ParseStatus::NotRun, "").expect("room");
    }
    let text = fs::read_to_string(folder.join("capture.jsonl")).expect("a file");
    let shortest = text.lines().last().expect("a record").len() + 1;
    for (left, fits) in [(shortest, true), (shortest - 1, false)] {
        let (_held, folder) = scratch();
        let mut capture = filled(&folder, left);
        let before = fs::metadata(folder.join("capture.jsonl")).expect("a file").len();
        let taken = capture.record(8, None, None, ParseStatus::NotRun, "");
        assert_eq!(taken.is_ok(), fits, "{left}");
        if let Err(error) = taken {
            assert!(error.to_string().contains("67108864 bytes that are allowed"), "{error}");
            // What was captured stays, and nothing is added to it.
            capture.finish().expect_err("no footer");
            let after = fs::metadata(folder.join("capture.jsonl")).expect("a file").len();
            assert_eq!(after, before);
        }
    }
}

#[test]
fn records_that_wait_count_towards_the_budget() {
    let (_held, folder) = scratch();
    let mut capture = capture(&folder, 10);
    let printed = vec![b'p'; 8 << 20];
    let mut taken = (1..10).map(|ordinal| {
        capture.record(ordinal, Some(&printed), Some((b"", false)), ParseStatus::Parsed, "")
    });
    // Five of eleven mebibytes each go into 64; nothing is written, for the first call never came.
    assert_eq!(taken.by_ref().take(6).filter(Result::is_ok).count(), 5);
    drop(taken);
    assert_eq!(lines(&folder).len(), 1);
}
