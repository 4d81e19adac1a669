//! The schemas hold for what is written, and only for that.

use std::path::PathBuf;
use std::time::Duration;

use jsonschema::Validator;
use retrieval_bench::registration::{
    Conditions, Gate, Host, HostRoot, LiveHost, PROFILE, QuietHost, Registration, plan_families,
};
use retrieval_bench::report::{
    Assembly, Origin, Report, SnapshotReport, merge, registration_schema, report_schema,
};
use retrieval_bench::snapshot::Census;
use serde_json::{Value, json};

use super::{answered, assemble, detail, read_report, reference_reports};

fn validator(schema: &Value) -> Validator {
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    jsonschema::meta::validate(schema).expect("the schema is a schema");
    jsonschema::validator_for(schema).expect("the schema compiles")
}

fn check(validator: &Validator, value: &Value, place: &str) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{place}: {errors:#?}");
}

fn value(report: &Report) -> Value {
    serde_json::from_slice(&report.text().expect("it renders")).expect("it is JSON")
}

/// The conditions of a run that has ended here.
fn conditions() -> Conditions {
    let root = HostRoot::default();
    let mut host = LiveHost::new(root.clone());
    let mut gate = Gate::new(QuietHost::Record, &mut host);
    let before = gate.pass(Duration::ZERO, |_| {}).expect("it is only recorded").clone();
    let after = gate.after(&before);
    let mut conditions = Conditions::new(&root, 1, QuietHost::Record, before, String::new());
    conditions.end(after);
    conditions
}

fn registration() -> Registration {
    Registration {
        arms: vec!["grep".to_owned(), "bm25:all".to_owned()],
        conditions: conditions(),
        families: plan_families(&["grep", "bm25:all"], 20, [("t", "positive")]),
        host: Host::read(&HostRoot::default()),
        profile: PROFILE.to_owned(),
        samples_sha256: "a".repeat(64),
        ..Registration::default()
    }
}

/// A report that has something in every section.
fn full() -> Report {
    let details = (0..12)
        .map(|index| {
            let line = detail(&index.to_string(), "t", &format!("a/{}", index % 3), "positive");
            let scores = [("mrr@k", 1.0 / (1.0 + f64::from(index))), ("hit@k", 1.0)];
            let line = answered(line, "corvint", &scores);
            answered(line, "grep", &[("mrr@k", 0.5), ("hit@k", 1.0)])
        })
        .collect();
    Report::assemble(Assembly {
        details,
        samples_sha256: "a".repeat(64),
        limit: 20,
        registration: Some(Origin::Run(Box::new(registration()))),
        snapshots: [
            (
                "a/0@c".to_owned(),
                SnapshotReport { census: Some(Census::default()), ..Default::default() },
            ),
            ("a/1@c".to_owned(), SnapshotReport { error: "gone".to_owned(), ..Default::default() }),
        ]
        .into(),
        ..Assembly::default()
    })
}

#[test]
fn our_reports_satisfy_the_schema() {
    let validator = validator(&report_schema());
    check(&validator, &value(&full()), "a full report");
    check(&validator, &value(&assemble(vec![])), "an empty report");
    let few = ["arms-impact-affected", "contextbench-arms", "lexical-k20", "snaplat"];
    let chosen = |path: &PathBuf| few.iter().any(|case| path.iter().any(|part| part == *case));
    for path in reference_reports().into_iter().filter(chosen) {
        let merged = merge(std::slice::from_ref(&path)).expect("it merges");
        check(&validator, &value(&merged), &path.display().to_string());
    }
}

#[test]
fn what_the_schema_does_not_name_or_lacks_is_an_error() {
    let validator = validator(&report_schema());
    let good = value(&full());
    let changed = |pointer: &str, name: &str, member: Option<Value>| {
        let mut bad = good.clone();
        let members = bad.pointer_mut(pointer).expect("it is there").as_object_mut();
        let members = members.expect("an object");
        match member {
            Some(member) => members.insert(name.to_owned(), member),
            None => members.remove(name),
        };
        bad
    };
    for (pointer, name, member) in [
        ("", "extra", Some(json!(1))),
        ("", "profile", Some(json!("retrieval-bench/0"))),
        ("", "samples_sha256", Some(json!("short"))),
        ("", "details", None),
        ("", "significance", None),
        ("/details/0", "extra", Some(json!(1))),
        ("/details/0", "gold", None),
        ("/details/0/arms/grep", "extra", Some(json!(1))),
        ("/details/0/metrics/grep", "mrr@k", Some(json!("1"))),
        ("/arms/grep/all", "n", None),
        ("/paired/all/corvint/grep/mrr@k", "extra", Some(json!(1))),
        ("/significance/families/0/comparisons/0", "extra", Some(json!(1))),
        ("/snapshots/a~10@c/census", "files", None),
        ("/registration", "limit", None),
        ("/registration/conditions", "extra", Some(json!(1))),
    ] {
        let bad = changed(pointer, name, member);
        assert!(!validator.is_valid(&bad), "{pointer}/{name}");
    }
}

#[test]
fn the_reference_harness_report_is_read_but_is_not_ours() {
    let validator = validator(&report_schema());
    for path in reference_reports() {
        let theirs = serde_json::to_value(read_report(&path)).expect("it renders");
        assert!(!validator.is_valid(&theirs), "{}", path.display());
    }
}

#[test]
fn a_registration_satisfies_its_schema() {
    let validator = validator(&registration_schema());
    let good = serde_json::to_value(registration()).expect("it renders");
    check(&validator, &good, "a registration");
    for name in good.as_object().expect("an object").keys() {
        let mut bad = good.clone();
        bad.as_object_mut().expect("an object").remove(name);
        assert!(!validator.is_valid(&bad), "without {name}");
    }
    let mut bad = good.clone();
    bad["given"] = json!("lose");
    assert!(!validator.is_valid(&bad));
}
