use proptest::prelude::*;
use retrieval_bench::dataset::{
    MAX_LINE_BYTES, Place, ReadOptions, Sample, Stratum, fold, parse, read,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{COMMIT, good, parsed, refused, row, sample};
use crate::fixture;

fn ids(samples: &[Sample]) -> Vec<&str> {
    samples.iter().map(|sample| sample.id.as_str()).collect()
}

#[test]
fn a_row_becomes_a_sample_with_every_value() {
    let line = row(
        "c2t",
        "code2test",
        r#""query":{"pr_title":"Fix lib.io.retry","line":42,"changed_file":"src/a.go"},
           "gold":{"related_tests":["a_test.go"],"negative_distractors":["b.go"],"given_files":["g.go"]}"#,
    );
    let sample = sample(&line.replace('\n', " "));
    assert_eq!((sample.id.as_str(), sample.line, sample.task.as_str()), ("c2t", 1, "code2test"));
    assert_eq!(sample.snapshot.to_string(), format!("acme/gadget@{COMMIT}"));
    assert_eq!(
        sample.query.text,
        r#"{"changed_file": "src/a.go", "line": 42, "pr_title": "Fix lib.io.retry"}"#
    );
    assert_eq!(sample.query.values, ["src/a.go", "Fix lib.io.retry"]);
    assert!(sample.query.anchor_bearing);
    assert_eq!(sample.gold, ["a_test.go"]);
    assert_eq!(sample.given, ["g.go"]);
    assert_eq!(sample.hard_negatives, ["b.go"]);
    assert_eq!(sample.changed_file.as_deref(), Some("src/a.go"));
    assert_eq!(sample.stratum, Stratum::Positive);
    assert_eq!(sample.gold_lines, None);
}

#[test]
fn a_query_that_is_absent_null_or_empty_asks_with_an_empty_object() {
    for query in ["", r#""query":null,"#, r#""query":{},"#] {
        let sample = sample(&row("x", "t", &format!(r#"{query}"gold":{{"files":["a"]}}"#)));
        assert_eq!(sample.query.text, "{}");
        assert!(sample.query.values.is_empty() && !sample.query.anchor_bearing);
    }
    for changed in ["\"\"", "7", "null"] {
        let more = format!(r#""query":{{"changed_file":{changed}}},"gold":{{"files":["a"]}}"#);
        assert_eq!(sample(&row("x", "t", &more)).changed_file, None);
    }
}

#[test]
fn blank_lines_are_skipped_and_counted() {
    let text = format!("\n{}\r\n \t\u{a0}\u{2003}\n\n{}", good("a"), good("b"));
    let samples = parsed(&text).unwrap();
    let lines: Vec<_> = samples.kept.iter().map(|sample| sample.line).collect();
    assert_eq!((ids(&samples.kept), lines), (vec!["a", "b"], vec![2, 5]));
    assert_eq!(parsed("").unwrap().kept, []);
}

#[test]
fn the_digest_is_over_all_bytes_even_of_lines_not_reached() {
    let digest = |text: &str| -> String {
        Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    assert_eq!(&parsed("").unwrap().sha256[..16], "e3b0c44298fc1c14");
    let text = format!("{}\nnot a row", good("a"));
    let options = ReadOptions { max_samples: 1, ..ReadOptions::default() };
    assert_eq!(parse(text.as_bytes(), "x", &options).unwrap().sha256, digest(&text));
    assert_eq!(parsed(" \n").unwrap().sha256, digest(" \n"));
}

#[test]
fn a_refusal_is_a_sentence_however_long_what_is_refused_is() {
    let long = "x".repeat(1 << 20);
    let sentence = refused(&format!(r#"{{"{long}":1,"{long}":2}}"#));
    assert!(sentence.starts_with("samples file samples.jsonl, line 1: not JSON: member \"xxx"));
    assert!(sentence.chars().count() < 2_100, "{}", sentence.len());
}

#[test]
fn reading_stops_at_the_last_sample_wanted() {
    let text = format!("{}\n{}\nnot a row", row("u", "t", r#""gold":null"#), good("a"));
    let options = ReadOptions { max_samples: 1, ..ReadOptions::default() };
    let samples = parse(text.as_bytes(), "x", &options).unwrap();
    assert_eq!((ids(&samples.kept), samples.no_gold_unlabeled), (vec!["a"], 1));
    let options = ReadOptions { max_samples: 2, ..ReadOptions::default() };
    let error = parse(text.as_bytes(), "x", &options).unwrap_err();
    assert_eq!(error.place, Some(Place::Line(3)));
}

#[test]
fn the_filter_is_exact_and_unlabelled_rows_are_counted_after_it() {
    let unlabelled = |id, task| row(id, task, r#""gold":{"files":[]}"#);
    let text = [
        good("a"),
        unlabelled("u", "trace2code"),
        unlabelled("v", "code2test"),
        row("w", "trace2code2", r#""gold":{"files":["x"]}"#),
    ];
    let text = text.join("\n");
    let all = parsed(&text).unwrap();
    assert_eq!((ids(&all.kept), all.no_gold_unlabeled), (vec!["a", "w"], 2));
    let options =
        ReadOptions { task_types: vec!["trace2code".to_owned()], ..ReadOptions::default() };
    let some = parse(text.as_bytes(), "x", &options).unwrap();
    assert_eq!((ids(&some.kept), some.no_gold_unlabeled), (vec!["a"], 1));
    assert_eq!(some.sha256, all.sha256);
}

#[test]
fn a_bad_row_is_refused_even_if_the_filter_would_drop_it() {
    let options = ReadOptions { task_types: vec!["other".to_owned()], ..ReadOptions::default() };
    for bad in [
        good("").as_str(),
        &good("a").replace("acme/gadget", "acme"),
        &good("a").replace("\"a.go\"", "\"/a\""),
    ] {
        assert!(parse(bad.as_bytes(), "x", &options).is_err(), "{bad}");
    }
}

#[test]
fn a_repeated_id_is_refused_naming_both_lines() {
    let expected = "samples file samples.jsonl, line 4 (sample \"a\"): its id already stands on line 1; give every sample its own id";
    assert_eq!(refused(&format!("{}\n{}\n\n{}", good("a"), good("b"), good("a"))), expected);
    // Rows that are filtered out or dropped count too.
    let dropped = row("a", "t", r#""gold":null"#);
    assert!(refused(&format!("{dropped}\n{}", good("a"))).contains("line 2"));
}

#[test]
fn every_refusal_says_where_what_and_what_to_do() {
    let line = good("x");
    let cases = [
        ("[1]".to_owned(), "line 1: the row is an array; write one JSON object a line"),
        (
            "{\"id\": \"x\"".to_owned(),
            "line 1: not JSON: EOF while parsing an object at column 10; write one JSON object a line",
        ),
        (format!("{line} {{}}"), "line 1: not JSON: trailing characters at column"),
        (
            line.replace("\"x\"", "null"),
            "line 1: id is missing or empty; a row needs id, repo, base_commit, task_type",
        ),
        (line.replace("\"x\"", "7"), "line 1: id is a number; write a string"),
        (line.replace("trace2code", ""), "line 1 (sample \"x\"): task_type is missing or empty"),
        (line.replace("\"repo\"", "\"Repo\""), "line 1 (sample \"x\"): repo is missing or empty"),
        (
            line.replace(COMMIT, "abc123"),
            "line 1 (sample \"x\"): base_commit \"abc123\" is not a full commit id; write its 40 or 64 lowercase hexadecimal digits",
        ),
        (line.replace(COMMIT, &COMMIT.to_uppercase()), "is not a full commit id"),
        (line.replace(COMMIT, &COMMIT[1..]), "is not a full commit id"),
        (
            line.replace("acme/gadget", "../gadget"),
            "repo \"../gadget\" is not a safe pair; write OWNER/NAME",
        ),
        (
            row("x", "t", r#""query":"text""#),
            "line 1 (sample \"x\"): query is a string; write an object or null",
        ),
        (row("x", "t", r#""gold":["f"]"#), "gold is an array; write an object or null"),
        (row("x", "t", r#""metadata":true"#), "metadata is a boolean; write an object or null"),
        (
            row("x", "t", r#""query":{"a":{"b":1,"b":1}}"#),
            "line 1: not JSON: member \"b\" occurs twice",
        ),
        (row("x", "t", r#""query":{"a":"\ud800"}"#), "line 1: not JSON: "),
        (
            row("x", "t", &format!(r#""query":{{"a":{}}}"#, "1".repeat(4301))),
            "query holds an integer of 4301 digits",
        ),
    ];
    for (text, expected) in cases {
        let message = refused(&text);
        assert!(message.starts_with("samples file samples.jsonl, line 1"), "{message}");
        assert!(message.contains(expected), "{message}\n{expected}");
        assert!(!message.contains('\n'));
    }
}

#[test]
fn a_value_in_a_message_stays_on_one_line_and_short() {
    let message = refused(&good("x").replace(COMMIT, &format!("a\\n{}", "b".repeat(5_000))));
    assert!(message.contains("\"a\\nbbb") && message.len() < 300, "{message}");
}

#[test]
fn invalid_utf_8_is_refused_with_its_line_and_byte() {
    let mut bytes = format!("{}\nab", good("a")).into_bytes();
    bytes.push(0xff);
    let error = parse(&bytes, "s", &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "samples file s, line 2: not UTF-8 from byte 3; save the file as UTF-8"
    );
}

#[test]
fn a_line_over_the_bound_is_refused_and_one_at_it_is_read() {
    let padded = |length: usize| {
        let line = good("a");
        format!("{line}{}", " ".repeat(length - line.len()))
    };
    assert_eq!(parsed(&padded(MAX_LINE_BYTES)).unwrap().kept.len(), 1);
    let message = refused(&padded(MAX_LINE_BYTES + 1));
    assert!(message.contains("line 1: the line has 4194305 bytes, over 4 MiB"), "{message}");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent.jsonl");
    for path in [absent.as_path(), folder.path()] {
        let message = read(path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("samples file {}: cannot be read: ", path.display())),
            "{message}"
        );
    }
    std::fs::write(&absent, good("a")).unwrap();
    let samples = read(&absent, &ReadOptions::default()).unwrap();
    assert_eq!(ids(&samples.kept), ["a"]);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_parquet_file_is_refused_with_the_way_to_read_it() {
    let expected = "samples file samples.jsonl: is a Parquet file, which this build does not read; build with \
                    `--features parquet`, or convert it to JSONL";
    assert_eq!(refused("PAR1"), expected);
}

#[test]
fn the_bad_files_of_the_reference_are_refused_at_the_same_lines() {
    let bad = [
        ("bad-array-line", 2, None),
        ("bad-gold-list", 2, Some("x")),
        ("bad-malformed", 2, None),
        ("bad-no-id", 2, None),
        ("bad-query-string", 2, Some("x")),
        ("bad-short-commit", 2, Some("x")),
        ("bad-trailing", 2, None),
        ("bad-upper-commit", 2, Some("x")),
        ("caseinsensitive", 1, None),
        ("cbbad-commit", 1, Some("x")),
        ("cbbad-goldjson", 1, Some("x")),
        ("cbbad-inverted", 1, Some("x")),
        ("cbbad-nostmt", 1, Some("x")),
        ("cbbad-nullid", 1, None),
        ("cbbad-zero", 1, Some("x")),
    ];
    for (name, line, id) in bad {
        let file = format!("data/harness-golden/inputs/samples-{name}.jsonl");
        let Some(path) = fixture::shared(&file) else { return };
        let error = read(&path, &ReadOptions::default()).expect_err(name);
        assert_eq!((error.place, error.id.as_deref()), (Some(Place::Line(line)), id), "{error}");
    }
}

/// Compares samples with the details of a report by the reference on the same file.
fn agree_with_report(samples: &[Sample], report: &Value) {
    let details = report["details"].as_array().unwrap();
    assert_eq!(samples.len(), details.len());
    let list = |value: &Value| -> Vec<String> {
        value
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| item.as_str().unwrap().to_owned())
            .collect()
    };
    for (sample, detail) in samples.iter().zip(details) {
        let texts = [
            (sample.id.as_str(), "id"),
            (sample.task.as_str(), "task_type"),
            (sample.snapshot.repo.as_str(), "repo"),
            (sample.snapshot.commit.as_str(), "base_commit"),
            (sample.stratum.name(), "stratum"),
            (fold::fold(&sample.snapshot.repo), "partition"),
        ];
        for (ours, member) in texts {
            assert_eq!(ours, detail[member].as_str().unwrap(), "{}", sample.id);
        }
        assert_eq!(sample.gold, list(&detail["gold"]), "{}", sample.id);
        assert_eq!(sample.given, list(&detail["given"]), "{}", sample.id);
        let bearing = detail.get("anchor_bearing").is_some();
        assert_eq!(sample.query.anchor_bearing, bearing, "{}", sample.id);
        assert_eq!(sample.query.truncated(), detail["query_truncated"].as_bool().unwrap());
        // The reference writes `42.0` where Python, and so ours, writes `42`.
        let theirs = detail["query_chars"].as_u64().unwrap();
        assert!([0, 2].contains(&(theirs - sample.query.chars() as u64)), "{}", sample.id);
    }
}

#[test]
fn good_files_give_what_the_reference_reports_of_them() {
    let files = [
        ("etcd/samples.jsonl", "etcd/reference-lexical.json"),
        (
            "harness-golden/inputs/samples-lexical.jsonl",
            "harness-golden/expected/lexical-k20/report.json",
        ),
        (
            "harness-golden/inputs/samples-arms.jsonl",
            "harness-golden/expected/arms-all/report.json",
        ),
        (
            "harness-golden/inputs/samples-contextbench.jsonl",
            "harness-golden/expected/contextbench-k20/report.json",
        ),
    ];
    for (file, report) in files {
        let (Some(path), Some(report)) =
            (fixture::shared(&format!("data/{file}")), fixture::shared(&format!("data/{report}")))
        else {
            return;
        };
        let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
        let samples = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(samples.sha256, report["samples_sha256"].as_str().unwrap(), "{file}");
        assert_eq!(
            samples.no_gold_unlabeled as u64,
            report["skipped"]["no_gold_unlabeled"].as_u64().unwrap()
        );
        agree_with_report(&samples.kept, &report);
    }
}

#[test]
fn rows_of_the_real_release_are_read() {
    let Some(path) = fixture::shared("data/arb-mini/gin/samples.jsonl") else { return };
    let samples = read(&path, &ReadOptions::default()).unwrap();
    let tasks: Vec<_> = samples.kept.iter().map(|sample| sample.task.as_str()).collect();
    assert_eq!(tasks.len(), 3);
    let first = &samples.kept[0];
    assert_eq!(first.id, "13e634ffbf14f5502ea30a90");
    assert_eq!(first.gold, ["binding/form_mapping_test.go"]);
    assert_eq!(first.changed_file.as_deref(), Some("binding/form_mapping.go"));
    assert!(first.query.text.starts_with(
        r#"{"changed_file": "binding/form_mapping.go", "pr_body": "- With pull requests:\n  - Open"#
    ));
    assert_eq!(samples.fix_commits[&first.id], ["3dc1cd6572b4e3a0cd170a15debe546c2c72294f"]);
    let second = &samples.kept[1];
    assert_eq!(
        (second.task.as_str(), second.given.as_slice()),
        ("comment2context", ["context.go".to_owned()].as_slice())
    );
    assert!(second.query.text.contains(r#""line": 1231, "#));
}

proptest! {
    #[test]
    fn bytes_of_any_kind_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        cut in 0..400_usize,
        at in 0..400_usize,
    ) {
        let options = ReadOptions::default();
        let _ = parse(&bytes, "x", &options);
        let mut row = good("a").into_bytes();
        let at = at.min(row.len());
        row.splice(at..(at + cut).min(row.len()), bytes);
        let _ = parse(&row, "x", &options);
    }
}
