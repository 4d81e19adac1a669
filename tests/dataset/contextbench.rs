use std::collections::BTreeMap;

use proptest::prelude::*;
use retrieval_bench::dataset::span::{gold_lines, merged, normalise};
use retrieval_bench::dataset::{
    CONTEXTBENCH_TASK, LineRange, Place, ReadOptions, Sample, Stratum, parse, read,
};
use serde_json::{Value, json};

use super::{COMMIT, good, parsed, refused, sample};
use crate::fixture;

fn row_of(gold_context: &str) -> Value {
    json!({
        "instance_id": "cb", "repo": "acme/gadget", "base_commit": COMMIT,
        "problem_statement": "retry sleeps\ntoo long", "gold_context": gold_context,
    })
}

fn ranges(pairs: &[(u64, u64)]) -> Vec<LineRange> {
    pairs.iter().map(|(start, end)| LineRange { start: *start, end: *end }).collect()
}

fn lines_of(sample: &Sample) -> Vec<(&str, Vec<(u64, u64)>)> {
    let lines = sample.gold_lines.as_ref().unwrap().iter();
    lines
        .map(|(path, ranges)| {
            (path.as_str(), ranges.iter().map(|range| (range.start, range.end)).collect())
        })
        .collect()
}

#[test]
fn a_row_becomes_a_sample_with_every_value() {
    let gold = r#"[{"file":"z.py","start_line":5,"end_line":6},{"file":"/testbed/a.py","start_line":1,"end_line":2},
                   {"file":"a.py","start_line":3,"end_line":3,"content":"x"},{"file":"./a.py","start_line":9,"end_line":9}]"#;
    let sample = sample(&row_of(gold).to_string());
    assert_eq!((sample.id.as_str(), sample.task.as_str()), ("cb", CONTEXTBENCH_TASK));
    assert_eq!(sample.snapshot.to_string(), format!("acme/gadget@{COMMIT}"));
    assert_eq!(sample.query.text, "retry sleeps\ntoo long");
    assert_eq!(sample.query.values, ["retry sleeps\ntoo long"]);
    assert_eq!(sample.gold, ["a.py", "z.py"]);
    assert_eq!(lines_of(&sample), [("a.py", vec![(1, 3), (9, 9)]), ("z.py", vec![(5, 6)])]);
    assert_eq!(sample.stratum, Stratum::Positive);
    assert!(
        sample.given.is_empty()
            && sample.hard_negatives.is_empty()
            && sample.changed_file.is_none()
    );
}

#[test]
fn both_encodings_give_the_same_gold() {
    let listed = r#"[{"file":"/workspace/x__y__0.1/a.py","start_line":1,"end_line":2},{"file":"b/c.yml","start_line":7,"end_line":7}]"#;
    let headed = "context0：\nfile: /workspace/x__y__0.1/a.py\nstart_line: 1\nend_line: 2\n1\timport x\n2\n\ncontext1：\nfile: b/c.yml\nstart_line: 7\nend_line: 7\nfile: of the code\nstart_line: also code\n";
    let plain = "file: /workspace/x__y__0.1/a.py\r\nstart_line: 1\r\nend_line: 2\r\nimport x\r\n\r\nfile:b/c.yml\nstart_line:7\nend_line:7";
    let expected = BTreeMap::from([
        ("a.py".to_owned(), ranges(&[(1, 2)])),
        ("b/c.yml".to_owned(), ranges(&[(7, 7)])),
    ]);
    for gold in [listed, headed, plain] {
        assert_eq!(gold_lines(gold, false), Ok(expected.clone()), "{gold}");
    }
}

#[test]
fn gold_in_neither_encoding_is_refused_and_never_empty() {
    let cases = [
        ("", "gold_context is missing or empty"),
        ("  \n ", "gold_context is missing or empty"),
        ("[{", "gold_context is not JSON: EOF while parsing"),
        ("{}", "gold_context line 1 is not a `file:` line"),
        ("[1]", "gold_context span 1 is a number"),
        (
            r#"[{"file":"a","start_line":1,"end_line":1},{"file":7}]"#,
            "gold_context span 2: file is a number",
        ),
        (
            r#"[{"file":"a","start_line":1.0,"end_line":2}]"#,
            "gold_context span 1: start_line \"1.0\" is not a line number",
        ),
        (
            r#"[{"file":"a","start_line":"1","end_line":2}]"#,
            "start_line is a string, not a line number",
        ),
        (
            r#"[{"file":"a","start_line":1,"end_line":99999999999999999999}]"#,
            "is not a line number",
        ),
        (r#"[{"file":"a","start_line":1,"start_line":2,"end_line":3}]"#, "occurs twice"),
        ("some code", "gold_context line 1 is not a `file:` line"),
        ("file: a\nend_line: 2", "gold_context line 2 is not a `start_line:` line"),
        ("file: a\nstart_line: 1", "gold_context line 3 is not a `end_line:` line"),
        ("file: a\nstart_line: x\nend_line: 2", "gold_context line 2: \"x\" is not a line number"),
        (
            "file: a\nstart_line: 1\nend_line: 2\nend_line: 3",
            "gold_context line 4 is not a `file:` line",
        ),
        (
            "context0：\nfile: a\nstart_line: 1\nend_line: 2\ncontext1：\ncode",
            "gold_context line 6 is not a `file:` line",
        ),
    ];
    for (gold, reason) in cases {
        let text = format!("{}\n{}", good("a"), row_of(gold));
        let message = refused(&text);
        let place = "samples file samples.jsonl, line 2 (sample \"cb\"): gold_context ";
        assert!(message.starts_with(place), "{message}");
        assert!(message.contains(reason), "{message}\n{reason}");
    }
    let mut without = row_of("");
    without["gold_context"] = Value::Null;
    assert!(refused(&without.to_string()).contains("gold_context is missing or empty"));
    without["gold_context"] = json!([]);
    assert!(refused(&without.to_string()).contains("gold_context is an array; write a string"));
}

#[test]
fn a_span_that_is_not_a_range_is_refused_unless_its_path_is_empty() {
    for (start, end) in [(0, 4), (5, 4), (-1, 4)] {
        let gold = json!([{"file": "a.py", "start_line": start, "end_line": end}]).to_string();
        let expected = format!(
            "gold_context span \"a.py\" lines {start} to {end} is not a range; start at 1 or later and end no earlier"
        );
        assert_eq!(gold_lines(&gold, false), Err(expected));
        let pathless = json!([{"file": "/testbed/", "start_line": start, "end_line": end}, {}]);
        assert_eq!(gold_lines(&pathless.to_string(), false), Ok(BTreeMap::new()));
    }
}

#[test]
fn a_row_without_spans_is_unlabelled_and_one_with_an_unsafe_path_is_refused() {
    let samples = parsed(&row_of("[]").to_string()).unwrap();
    assert_eq!((samples.kept.len(), samples.no_gold_unlabeled), (0, 1));
    let gold = r#"[{"file":"../a.py","start_line":1,"end_line":1}]"#;
    assert!(
        refused(&row_of(gold).to_string()).contains("gold file \"../a.py\" has a `..` component")
    );
    let options = ReadOptions { contextbench_compat: true, ..ReadOptions::default() };
    let samples = parse(row_of(gold).to_string().as_bytes(), "x", &options).unwrap();
    assert_eq!(samples.kept[0].gold, ["a.py"]);
}

#[test]
fn a_missing_column_is_named() {
    for (member, value) in
        [("problem_statement", json!("")), ("repo", Value::Null), ("instance_id", json!(""))]
    {
        let mut row = row_of("[]");
        row[member] = value;
        let expected = format!(
            "{member} is missing or empty; a row needs instance_id, repo, base_commit, problem_statement"
        );
        assert!(refused(&row.to_string()).contains(&expected), "{}", refused(&row.to_string()));
    }
    let mut row = row_of("[]");
    row["instance_id"] = json!(5);
    assert!(refused(&row.to_string()).contains("instance_id is a number; write a string"));
}

#[test]
fn a_bare_repository_name_gets_its_owner_from_the_original_id() {
    let repo = |name: &str, original: Value| {
        let mut row = row_of(r#"[{"file":"a","start_line":1,"end_line":1}]"#);
        (row["repo"], row["original_inst_id"]) = (json!(name), original);
        parsed(&row.to_string()).map(|samples| samples.kept[0].snapshot.repo.clone())
    };
    assert_eq!(
        repo("jackson-core", json!("fasterxml__jackson-core-729")).unwrap(),
        "fasterxml/jackson-core"
    );
    assert_eq!(repo("acme/gadget", json!("other__gadget-1")).unwrap(), "acme/gadget");
    for original in [
        Value::Null,
        json!("cli__cli"),
        json!("cli__other-1"),
        json!("..__cli-1"),
        json!("cli__cli-"),
    ] {
        assert!(repo("cli", original).unwrap_err().reason.contains("is not a safe pair"));
    }
}

#[test]
fn paths_are_normalised_as_upstream_in_compat_and_keep_their_dot_by_default() {
    let ours = [
        ("./a/b.py", "a/b.py"),
        (".github/x.yml", ".github/x.yml"),
        ("../a/b.py", "../a/b.py"),
        ("././a", "a"),
        ("\\testbed\\a.py", "a.py"),
        ("/workspace/repo/.env", ".env"),
        ("/workspace/b.py", "b.py"),
        ("//a", "a"),
    ];
    for (path, expected) in ours {
        assert_eq!(normalise(path, false), expected, "{path}");
    }
    assert_eq!(normalise(".github/x.yml", true), "github/x.yml");
    let Some(table) = fixture::shared("data/harness-golden/unit/contextbenchpath.json") else {
        return;
    };
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(table).unwrap()).unwrap();
    let mut differing = Vec::new();
    for row in &rows {
        let (path, theirs) = (row["path"].as_str().unwrap(), row["normalised"].as_str().unwrap());
        assert_eq!(normalise(path, true), theirs, "{path}");
        if normalise(path, false) != theirs {
            differing.push(path);
        }
    }
    assert_eq!(rows.len(), 20);
    assert_eq!(differing, ["../a/b.py", ".github/x.yml", "...///x", "."]);
}

#[test]
fn ranges_that_overlap_or_touch_become_one() {
    assert_eq!(merged(ranges(&[(4, 9), (1, 2), (11, 12), (10, 10)])), ranges(&[(1, 2), (4, 12)]));
    assert_eq!(merged(ranges(&[(1, 10), (2, 3), (12, 12)])), ranges(&[(1, 10), (12, 12)]));
    assert_eq!(merged(ranges(&[(1, u64::MAX), (5, 6)])), ranges(&[(1, u64::MAX)]));
    let Some(table) = fixture::shared("data/harness-golden/unit/mergelines.json") else { return };
    for row in serde_json::from_slice::<Vec<Value>>(&std::fs::read(table).unwrap()).unwrap() {
        let pairs =
            |name: &str| serde_json::from_value::<Vec<(u64, u64)>>(row[name].clone()).unwrap();
        assert_eq!(merged(ranges(&pairs("in"))), ranges(&pairs("merged")));
    }
}

#[test]
fn rows_of_both_benchmarks_may_stand_in_one_file() {
    let Some(path) = fixture::shared("data/harness-golden/inputs/samples-contextbench.jsonl")
    else {
        return;
    };
    let samples = read(&path, &ReadOptions::default()).unwrap();
    let ids: Vec<_> = samples.kept.iter().map(|sample| sample.id.as_str()).collect();
    assert_eq!(ids, ["cb-1", "cb-2", "cb-adjacent", "mixed-normal"]);
    assert_eq!(samples.no_gold_unlabeled, 1);
    assert_eq!(
        lines_of(&samples.kept[0]),
        [("pyutil/retry.py", vec![(1, 5), (7, 8)]), ("tests/test_retry.py", vec![(2, 4)])]
    );
    assert_eq!(lines_of(&samples.kept[1]), [("tests/test_retry.py", vec![(1, 2)])]);
    assert_eq!(
        lines_of(&samples.kept[2]),
        [("missing/file.py", vec![(1, 10)]), ("pyutil/config_loader.py", vec![(1, 3), (5, 900)])]
    );
    assert_eq!(samples.kept[3].gold_lines, None);
    let task_types = vec![CONTEXTBENCH_TASK.to_owned()];
    let options = ReadOptions { task_types, max_samples: 2, ..ReadOptions::default() };
    assert_eq!(read(&path, &options).unwrap().kept.len(), 2);
}

#[test]
fn an_id_of_one_benchmark_is_taken_for_the_other() {
    let gold = r#"[{"file":"a","start_line":1,"end_line":1}]"#;
    let error = parsed(&format!("{}\n{}", row_of(gold), good("cb"))).unwrap_err();
    assert_eq!(error.place, Some(Place::Line(2)));
}

proptest! {
    #[test]
    fn merged_ranges_hold_the_same_lines_apart(pairs in prop::collection::vec((1..40_u64, 0..6_u64), 0..12)) {
        let given: Vec<LineRange> =
            pairs.iter().map(|(start, more)| LineRange { start: *start, end: start + more }).collect();
        let out = merged(given.clone());
        let holds = |ranges: &[LineRange], line: u64| ranges.iter().any(|range| (range.start..=range.end).contains(&line));
        for line in 0..50 {
            prop_assert_eq!(holds(&given, line), holds(&out, line));
        }
        prop_assert!(out.windows(2).all(|pair| pair[0].end + 1 < pair[1].start));
    }

    #[test]
    fn gold_text_of_any_kind_never_panics(text in "(file:|start_line:|end_line:|context0：|\n| |[0-9]|a|\\[|\\{|\"){0,30}") {
        if let Ok(lines) = gold_lines(&text, false) {
            prop_assert!(text.trim_start().starts_with('[') || text.contains("file:"), "{:?}", lines);
        }
    }
}
