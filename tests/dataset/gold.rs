use retrieval_bench::dataset::{Stratum, fold};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{COMMIT, parsed, refused, row, sample};
use crate::fixture;

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().map(|item| item.as_str().unwrap()).collect()
}

#[test]
fn gold_given_and_stratum_are_the_references() {
    let Some(table) = fixture::shared("data/harness-golden/unit/gold.json") else { return };
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(table).unwrap()).unwrap();
    assert_eq!(cases.len(), 14);
    for case in cases {
        let mut members = case["sample"].clone();
        for (name, value) in [("id", "x"), ("repo", "acme/gadget"), ("base_commit", COMMIT)] {
            members[name] = value.into();
        }
        let samples = parsed(&members.to_string()).unwrap();
        assert_eq!(samples.kept.len() == 1, case["kept"].as_bool().unwrap(), "{case}");
        assert_eq!(samples.kept.len() + samples.no_gold_unlabeled, 1, "{case}");
        for sample in samples.kept {
            assert_eq!(sample.gold, strings(&case["gold"]), "{case}");
            assert_eq!(sample.given, strings(&case["given"]), "{case}");
            assert_eq!(sample.hard_negatives, strings(&case["hard_negatives"]), "{case}");
            assert_eq!(sample.stratum.name(), case["stratum"].as_str().unwrap(), "{case}");
        }
    }
}

#[test]
fn the_first_list_of_the_tasks_order_that_names_a_file_is_gold() {
    let all = [
        ("files", "f"),
        ("must_context_files", "m"),
        ("context_files", "c"),
        ("root_cause_files", "r"),
        ("related_tests", "t"),
    ];
    let expected =
        [("code2test", "ft"), ("comment2context", "fmcrt"), ("trace2code", "frt"), ("x", "frt")];
    for (task, order) in expected {
        // Empty the chosen list again and again: the next one in the order is chosen.
        for (done, letter) in order.char_indices() {
            let emptied = &order[..done];
            let lists = all.map(|(name, path)| {
                let item = if emptied.contains(path) { "" } else { path };
                format!(r#""{name}":["{item}"]"#)
            });
            let line = row("x", task, &format!(r#""gold":{{{}}}"#, lists.join(",")));
            assert_eq!(sample(&line).gold, [letter.to_string()], "{line}");
        }
    }
}

#[test]
fn a_list_takes_strings_and_paths_once_each_and_skips_the_rest() {
    let files = r#"["a.go",{"path":"b.go","why":1},"a.go",{"path":"a.go"},"",{"path":3},7,null,{"no":"x"},["l"]]"#;
    let line = row(
        "x",
        "t",
        &format!(
            r#""gold":{{"files":{files},"negative_distractors":{files},"given_files":{files}}}"#
        ),
    );
    let sample = sample(&line);
    assert_eq!(sample.gold, ["a.go", "b.go"]);
    assert_eq!(sample.hard_negatives, ["a.go", "b.go"]);
    assert_eq!(sample.given, ["a.go", "b.go"]);
}

#[test]
fn the_file_a_comment_is_on_is_given_unless_the_row_lists_given_files() {
    let given = |query: &str, gold: &str, task: &str| {
        let more = format!(r#""query":{query},"gold":{{"files":["a"],"given_files":{gold}}}"#);
        sample(&row("x", task, &more)).given
    };
    let both = r#"{"given_file":"g","path":"p"}"#;
    assert_eq!(given(both, "null", "comment2context"), ["g"]);
    assert_eq!(given(r#"{"given_file":"","path":"p"}"#, "[]", "comment2context"), ["p"]);
    assert_eq!(given(r#"{"given_file":5,"path":"p"}"#, r#"[""]"#, "comment2context"), ["p"]);
    assert_eq!(given(both, r#"["l"]"#, "comment2context"), ["l"]);
    assert!(given(both, "null", "code2test").is_empty());
}

#[test]
fn a_row_without_gold_is_natural_only_if_its_metadata_says_organic() {
    let stratum = |gold: &str, metadata: &str| {
        sample(&row("x", "abstention", &format!(r#""gold":{gold},"metadata":{metadata}"#))).stratum
    };
    let no_gold = r#"{"no_gold":true,"files":["a"]}"#;
    assert_eq!(stratum(no_gold, r#"{"organic":true}"#), Stratum::NaturalNoGold);
    for metadata in [r#"{"organic":1}"#, r#"{"organic":false}"#, "{}", "null"] {
        assert_eq!(stratum(no_gold, metadata), Stratum::CounterfactualNoGold);
    }
    let labelled = r#"{"no_gold":"true","files":["a"]}"#;
    assert_eq!(stratum(labelled, r#"{"organic":true}"#), Stratum::Positive);
    let line = row("x", "abstention", &format!(r#""gold":{no_gold}"#));
    assert!(sample(&line).gold.is_empty());
}

#[test]
fn an_unsafe_path_is_refused_where_it_counts_and_only_there() {
    let cases = [
        (r#""gold":{"files":["../x"]}"#, r#"gold file "../x" has a `..` component"#),
        (r#""gold":{"files":["a"],"given_files":["/x"]}"#, r#"given file "/x" is absolute"#),
        (
            r#""gold":{"files":["a"],"negative_distractors":[".git/x"]}"#,
            r#"hard negative ".git/x" has a `.git` component"#,
        ),
        (
            r#""gold":{"files":["a"]},"query":{"changed_file":"a\\..\\b"}"#,
            r#"changed_file "a\\..\\b" escapes through a backslash"#,
        ),
    ];
    for (more, reason) in cases {
        let text = format!("\n{}", row("bad", "t", more));
        let expected = format!(
            "samples file samples.jsonl, line 2 (sample \"bad\"): {reason}; write a path relative to the repository's root"
        );
        assert_eq!(refused(&text), expected);
    }
    let line = row(
        "x",
        "t",
        r#""gold":{"files":["a"],"root_cause_files":["../x"],"supporting_files":["/y"]}"#,
    );
    assert_eq!(sample(&line).gold, ["a"]);
    let line = row("x", "t", r#""gold":{"no_gold":true,"files":["../x"]}"#);
    assert!(sample(&line).gold.is_empty());
}

#[test]
fn folds_are_the_registered_map() {
    let lines: String =
        fold::FOLDS.iter().map(|(repo, fold)| format!("{fold}\t{repo}\n")).collect();
    let digest: String =
        Sha256::digest(lines.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, fold::FOLD_MAP_SHA256);
    assert!(fold::FOLDS.is_sorted());
    assert_eq!(fold::fold("HypothesisWorks/hypothesis"), "A");
    assert_eq!(fold::fold("vuejs/core"), "A");
    assert_eq!(fold::fold("tox-dev/tox"), "B");
    assert_eq!(fold::fold("Vuejs/core"), fold::UNASSIGNED);
    assert_eq!(fold::fold("acme/gadget"), fold::UNASSIGNED);
}
