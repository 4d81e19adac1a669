//! Matched snapshot latency: what it measures, and everything that ends it.

use serde_json::json;

use super::bench::Arms;

const FLAGS: [&str; 5] =
    ["--arms", "context,grep", "--snapshot-latency", "--output", "report.json"];

#[test]
fn each_sample_is_asked_without_and_with_the_store_and_indexed_once() {
    let arms = Arms::new();
    for case in ["a", "b", "c"] {
        arms.sample(case);
    }
    let done = arms.run(&FLAGS);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(
        arms.calls(),
        ["context", "index", "context", "context", "context", "context", "context"]
    );
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(arms.bench.path("report.json")).expect("a report"))
            .expect("JSON");
    for detail in report["details"].as_array().expect("details") {
        let answer = &detail["arms"]["context"];
        assert_eq!(answer["cache_state"], "OBSERVED_HIT");
        assert!(
            answer["wall_ms"].as_f64() > Some(0.0) && answer["cold_wall_ms"].as_f64() > Some(0.0)
        );
        assert_eq!(detail["arms"]["grep"].get("cold_wall_ms"), None);
    }
    let latency = &report["latency"]["context"];
    for label in ["OBSERVED_HIT", "OBSERVED_MISS"] {
        assert_eq!(latency[label], json!({"n": 3, "state": "NOT_RUN"}), "{label}");
    }
    assert_eq!(report["registration"]["snapshot_latency"], true);
}

#[test]
fn two_times_that_are_not_of_one_answer_end_the_run_without_a_report() {
    let hit = "[ -d \"$store\" ]";
    let cases = [
        (
            "no trace",
            "context_packet READY '{\"id\":\"a\"}'".to_owned(),
            "reported UNKNOWN, not a miss",
        ),
        (
            "a warning beside the trace",
            "trace; echo w >&2; context_packet READY ''".to_owned(),
            "reported UNKNOWN",
        ),
        (
            "never a hit",
            "echo 'corvint-bench-snapshot: hit=false' >&2; context_packet READY '{\"id\":\"a\"}'"
                .to_owned(),
            "reported OBSERVED_MISS, not a hit",
        ),
        (
            "always a hit",
            "echo 'corvint-bench-snapshot: hit=true' >&2; context_packet READY '{\"id\":\"a\"}'"
                .to_owned(),
            "reported OBSERVED_HIT, not a miss",
        ),
        (
            "another ranking",
            format!(
                "trace; if {hit}; then context_packet READY '{{\"id\":\"a\"}}'; else context_packet READY '{{\"id\":\"b\"}}'; fi"
            ),
            "answers otherwise",
        ),
        (
            "another state",
            format!(
                "trace; if {hit}; then context_packet READY '{{\"id\":\"a\"}}'; else context_packet NO_CANDIDATES '{{\"id\":\"a\"}}'; fi"
            ),
            "answers otherwise",
        ),
        ("a cold failure", "trace; refuse x y".to_owned(), "exit status 2"),
        (
            "a warm failure",
            format!("trace; if {hit}; then exit 3; fi; context_packet READY ''"),
            "exit status 3",
        ),
        (
            "a store of its own",
            "trace; mkdir -p \"$store\"; context_packet READY ''".to_owned(),
            "the cold call wrote a store",
        ),
        (
            "a dirty copy",
            "trace; echo x > \"$root/leak\"; context_packet READY ''".to_owned(),
            "not clean",
        ),
    ];
    for (what, script, why) in cases {
        let arms = Arms::new();
        arms.sample("it");
        arms.script("context", &script);
        let done = arms.run(&FLAGS);
        assert_eq!(done.code, Some(2), "{what}: {}", done.err);
        assert!(done.err.contains(why), "{what}: {}", done.err);
        assert!(!arms.bench.path("report.json").exists(), "{what}");
        assert!(arms.bench.path("report.json.registration.json").exists(), "{what}");
    }
    for (script, why) in [
        ("exit 4", "corvint index: exit status 4"),
        (":", "wrote no store"),
        ("mkdir -p \"$store\"; echo x > \"$root/leak\"", "?? leak"),
    ] {
        let arms = Arms::new();
        arms.sample("it");
        arms.script("index", script);
        let done = arms.run(&FLAGS);
        assert_eq!(done.code, Some(2), "{script}: {}", done.err);
        assert!(done.err.contains(why), "{script}: {}", done.err);
    }
}

#[test]
fn a_store_in_the_old_place_is_found_too() {
    let arms = Arms::new();
    arms.sample("a");
    arms.sample("b");
    arms.script(
        "index",
        "mkdir -p \"$root/.corvint/index\"; echo '*' > \"$root/.corvint/.gitignore\"",
    );
    arms.script(
        "context",
        "store=$root/.corvint/index; trace; context_packet READY '{\"id\":\"a\"}'",
    );
    let done = arms.run(&FLAGS);
    assert_eq!(done.code, Some(0), "{}", done.err);
}

#[test]
fn a_latency_run_that_died_inside_a_sample_ends_in_the_report_of_one_that_did_not() {
    let arms = Arms::new();
    for case in ["a", "b"] {
        arms.sample(case);
    }
    // Its fourth call is the last one of the second session, and kills the program.
    let fourth = "[ \"$(grep -c '^impact$' \"$STAND_IN/calls\")\" = 4 ]";
    let deadly = format!("{fourth} && kill -9 $(cut -d' ' -f4 /proc/$PPID/stat) && sleep 60");
    arms.script(
        "impact",
        &format!("{deadly}; query_packet READY '{{\"evidence\":[{{\"path\":\"b\"}}]}}'"),
    );
    let flags = ["--arms", "context,impact", "--snapshot-latency", "--output", "report.json"];
    let read = || -> serde_json::Value {
        let report = std::fs::read(arms.bench.path("report.json")).expect("a report");
        serde_json::from_slice(&report).expect("JSON")
    };
    assert_eq!(arms.run(&flags).code, Some(0));
    let whole = read();
    for name in ["report.json", "report.json.registration.json"] {
        std::fs::remove_file(arms.bench.path(name)).expect("removed");
    }
    // Stopped while the last arm of the last sample is asked, its journal cut behind an arm of that sample.
    assert_ne!(arms.done(&arms.command(&flags).output().expect("runs")).code, Some(0));
    let journal = arms.bench.path("report.json.journal.jsonl");
    let text = std::fs::read_to_string(&journal).expect("a journal");
    let context = whole["details"][1]["arms"]["context"].clone();
    let metrics = whole["details"][1]["metrics"]["context"].clone();
    let line = json!({"type": "answer", "sample": "b", "arm": "context", "answer": context, "metrics": metrics});
    std::fs::write(&journal, format!("{text}{line}\n")).expect("written");
    let resumed = arms.run(&[&flags[..], &["--resume"]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let mut resumed = read();
    let mut whole = whole;
    for report in [&mut resumed, &mut whole] {
        for detail in report["details"].as_array_mut().expect("details") {
            detail["arms"]["context"].as_object_mut().expect("an answer").remove("cold_wall_ms");
        }
    }
    crate::fixture::assert_same_report(&resumed, &whole, "resumed");
    assert_eq!(resumed["details"][1]["arms"]["impact"]["cache_state"], "PRIMED_SHARED");
}
