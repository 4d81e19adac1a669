//! Which file a sample is taken to change.

use retrieval_bench::corvint::changed_file;
use retrieval_bench::dataset::ChangedFileFrom::{self, AnchorFile, GivenFile, ImplementationFiles};
use retrieval_bench::dataset::{ReadOptions, Sample, parse};
use serde_json::{Value, json};

fn sample(query: Value) -> Sample {
    let row = json!({"id": "s", "task_type": "code2test", "repo": "acme/gadget", "base_commit": "a".repeat(40),
        "query": query, "gold": {"related_tests": ["t.go"]}});
    let samples = parse(row.to_string().as_bytes(), "samples.jsonl", &ReadOptions::default());
    samples.expect("a row").kept.remove(0)
}

fn changed(query: Value, from: &[ChangedFileFrom]) -> Option<String> {
    changed_file(&sample(query), from).map(str::to_owned)
}

const ALL: [ChangedFileFrom; 3] = ChangedFileFrom::ALL;

#[test]
fn the_changed_file_of_the_query_goes_before_every_list() {
    let query = json!({"changed_file": "c.go", "anchor_file": "a.go"});
    assert_eq!(changed(query.clone(), &[]).as_deref(), Some("c.go"));
    assert_eq!(changed(query, &ALL).as_deref(), Some("c.go"));
}

#[test]
fn no_other_member_counts_unless_it_is_listed() {
    let query = json!({"anchor_file": "a.go", "given_file": "g.go", "path": "p.go"});
    assert_eq!(changed(query.clone(), &[]), None);
    assert_eq!(changed(query.clone(), &[ImplementationFiles]), None);
    assert_eq!(changed(query, &[ImplementationFiles, GivenFile]).as_deref(), Some("g.go"));
}

#[test]
fn the_first_listed_member_that_names_a_file_wins() {
    let query = json!({"implementation_files": ["i.go", "j.go"], "anchor_file": "a.go", "given_file": "g.go"});
    for (from, expected) in [
        ([GivenFile, AnchorFile, ImplementationFiles], "g.go"),
        ([AnchorFile, ImplementationFiles, GivenFile], "a.go"),
        ([ImplementationFiles, GivenFile, AnchorFile], "i.go"),
    ] {
        assert_eq!(changed(query.clone(), &from).as_deref(), Some(expected));
    }
}

#[test]
fn a_member_is_a_path_or_a_list_of_paths_or_of_objects_with_one() {
    for (value, expected) in [
        (json!("a.go"), Some("a.go")),
        (json!(["a.go", "b.go"]), Some("a.go")),
        (json!([{"path": "a.go", "lines": 3}]), Some("a.go")),
        (json!([null, 4, "", {"file": "x"}, {"path": "a.go"}]), Some("a.go")),
        (json!([]), None),
        (json!(""), None),
        (json!(null), None),
        (json!(7), None),
        (json!({"path": "a.go"}), None),
    ] {
        for from in ALL {
            let query = json!({from.name(): value.clone()});
            assert_eq!(changed(query, &ALL).as_deref(), expected, "{from:?}: {value}");
        }
    }
}

#[test]
fn an_unsafe_path_names_nothing_and_refuses_nothing() {
    for path in ["../x", "/etc/passwd", "a/../b", ".git/config", "a\0b", "a//b"] {
        let query = json!({"implementation_files": [path, "b.go"], "anchor_file": path, "given_file": "g.go"});
        assert_eq!(changed(query, &ALL).as_deref(), Some("g.go"), "{path:?}");
    }
}
