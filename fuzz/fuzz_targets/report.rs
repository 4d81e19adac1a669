//! The report reader: what it merges is a report that it reads again, in the one canonical spelling.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retrieval_bench::report::{Report, merge_reports, to_canonical};
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    // A NUL, which JSON never holds, parts two reports.
    let mut sources = bytes.splitn(2, |&byte| byte == 0);
    let named = |name: &str, source: &[u8]| (name.to_owned(), source.to_vec());
    let first = sources.next().unwrap_or_default();
    if let Some(merged) = merge(vec![named("first", first)]) {
        let twice = merge(vec![named("first", first), named("again", first)]);
        assert_eq!(twice.map(|report| report.details), Some(merged.details));
    }
    if let Some(second) = sources.next() {
        merge(vec![named("first", first), named("second", second)]);
    }
});

fn merge(sources: Vec<(String, Vec<u8>)>) -> Option<Report> {
    let merged = match merge_reports(sources) {
        Ok(merged) => merged,
        Err(error) => {
            assert!(error.to_string().chars().count() < 2_200);
            return None;
        }
    };
    let text = merged.text().expect("what was merged can be written");
    let value: Value = serde_json::from_slice(&text).expect("a report is JSON");
    assert_eq!(to_canonical(&value).expect("JSON can be written"), text);
    let read: Report = serde_json::from_slice(&text).expect("a report is read as one");
    assert_eq!(read.text().expect("it can be written"), text);
    let again = merge_reports(vec![("merged".into(), text)]).expect("a merged report merges");
    assert_eq!(again.details, merged.details);
    Some(merged)
}
