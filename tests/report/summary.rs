//! Means, paired differences and latencies of small reports, by hand.

use std::collections::BTreeMap;

use retrieval_bench::arm::Answer;
use retrieval_bench::dataset::{Query, Sample, SnapshotKey, Stratum};
use retrieval_bench::report::{Detail, RepoDifference};
use retrieval_bench::stats::State;

use super::{answered, assemble, detail};

#[test]
fn a_samples_line_says_what_was_asked_and_nothing_of_answers() {
    let sample = Sample {
        id: "one".into(),
        line: 7,
        task: "code2test".into(),
        snapshot: SnapshotKey { repo: "etcd-io/etcd".into(), commit: "0".repeat(40) },
        query: Query { text: "ü".repeat(2_001), values: vec![], anchor_bearing: true },
        gold: vec!["a.go".into()],
        given: vec!["b.go".into()],
        hard_negatives: vec!["c.go".into()],
        changed_file: None,
        changed_file_from: Vec::new(),
        stratum: Stratum::Positive,
        gold_lines: None,
    };
    let line = serde_json::to_value(Detail::of(&sample)).expect("it renders");
    let wanted = serde_json::json!({
        "id": "one", "task_type": "code2test", "repo": "etcd-io/etcd",
        "base_commit": "0".repeat(40), "stratum": "positive", "partition": "B",
        "gold": ["a.go"], "given": ["b.go"], "query_chars": 2001, "query_truncated": true,
        "anchor_bearing": true, "arms": {}, "metrics": {},
    });
    assert_eq!(line, wanted);
    let no_gold = Sample { stratum: Stratum::NaturalNoGold, gold: vec![], ..sample };
    let line = serde_json::to_value(Detail::of(&no_gold)).expect("it renders");
    assert_eq!(line["gold"], serde_json::Value::Null);
    assert_eq!(line["stratum"], "natural_no_gold");
}

#[test]
fn means_are_taken_per_group_over_the_samples_that_have_the_metric() {
    let hit = |value| [("hit@k", value), ("selective_success", value), ("mrr@k", value / 3.0)];
    let mut details = vec![
        answered(detail("1", "t", "numpy/numpy", "positive"), "grep", &hit(1.0)),
        answered(detail("2", "t", "pypa/pip", "positive"), "grep", &hit(0.0)),
        answered(detail("3", "u", "a/b", "positive"), "grep", &hit(1.0)),
        answered(detail("4", "u", "a/b", "natural_no_gold"), "grep", &[("selective_success", 1.0)]),
        detail("5", "u", "a/b", "positive"),
    ];
    details[1].arms.insert("grep".to_owned(), Answer::failed("no"));
    details[2].anchor_bearing = true;
    let report = assemble(details);
    assert_eq!(report.samples, 5);
    let grep = &report.arms["grep"];
    assert_eq!(grep.errors, 1);
    let groups: Vec<&str> = grep.groups.keys().map(String::as_str).collect();
    let wanted = [
        "all",
        "fold:A",
        "fold:B",
        "fold:unassigned",
        "stratum:anchor-bearing",
        "stratum:natural_no_gold",
        "stratum:positive",
        "task:t",
        "task:u",
    ];
    assert_eq!(groups, wanted);
    let all = &grep.groups["all"];
    assert_eq!((all.n, all.positives), (4, 3), "the unanswered sample is no member");
    assert_eq!(all.means["hit@k"], 0.666667);
    assert_eq!(all.means["mrr@k"], 0.222222);
    assert_eq!(all.means["selective_success"], 0.75);
    let no_gold = &grep.groups["stratum:natural_no_gold"];
    assert_eq!((no_gold.n, no_gold.positives, no_gold.means.len()), (1, 0, 1));
    assert_eq!((grep.intervals["hit@20"].n, grep.intervals["selective_success"].n), (3, 4));
    assert_eq!(grep.intervals["hit@20"].rate, Some(0.666667));
}

#[test]
fn paired_differences_are_retriever_minus_baseline_per_group_and_repository() {
    let details: Vec<Detail> = (0..6)
        .map(|index| {
            let repo = if index < 5 { "numpy/numpy" } else { "pypa/pip" };
            let line = detail(&index.to_string(), "t", repo, "positive");
            let line = answered(line, "context", &[("mrr@k", 0.5)]);
            let baseline = [0.25, 0.5, 1.0, 0.5, 0.0, 0.25][index];
            let line = answered(line, "grep", &[("mrr@k", baseline)]);
            answered(line, "impact", &[("mrr@k", 1.0)])
        })
        .collect();
    let report = assemble(details);
    let groups: Vec<&str> = report.paired.keys().map(String::as_str).collect();
    assert_eq!(groups, ["all", "fold:A", "fold:B", "task:t", "task:t/fold:A", "task:t/fold:B"]);
    assert_eq!(report.paired["all"].keys().collect::<Vec<_>>(), ["context"]);
    assert_eq!(report.paired["all"]["context"].keys().collect::<Vec<_>>(), ["grep"]);
    let metrics = &report.paired["all"]["context"]["grep"];
    assert_eq!(metrics.keys().collect::<Vec<_>>(), ["mrr@k"]);
    let block = &metrics["mrr@k"];
    assert_eq!((block.n, block.wins, block.losses, block.ties), (6, 3, 1, 2));
    assert_eq!(block.mean_diff, 0.083333);
    assert!(block.low < block.mean_diff && block.mean_diff < block.high);
    let wanted =
        BTreeMap::from([("numpy/numpy".to_owned(), RepoDifference { n: 5, mean_diff: 0.05 })]);
    assert_eq!(block.repos, wanted, "a repository of one sample is not shown");
    let single = &report.paired["fold:B"]["context"]["grep"]["mrr@k"];
    assert_eq!((single.n, single.low, single.high), (1, 0.25, 0.25), "one pair, no width");
}

#[test]
fn without_a_retriever_nothing_is_paired() {
    let line = answered(detail("1", "t", "a/b", "positive"), "grep", &[("mrr@k", 1.0)]);
    let report = assemble(vec![answered(line, "bm25:all", &[("mrr@k", 0.5)])]);
    assert!(report.paired.is_empty());
}

#[test]
fn latency_counts_the_times_that_answers_carry_by_the_state_of_the_cache() {
    let wall = |state: &str, wall_ms, cold_wall_ms| Answer {
        cache_state: state.to_owned(),
        wall_ms,
        cold_wall_ms,
        ..Answer::default()
    };
    let details = (0..40)
        .map(|index| {
            let mut line = detail(&index.to_string(), "t", "a/b", "positive");
            let answers = [
                ("grep", wall("", 1.0 + f64::from(index), 0.0)),
                ("context", wall("OBSERVED_HIT", 2.0, 9.0)),
                // The call timed out: an error without a time.
                ("corvint", Answer::failed("timed out")),
            ];
            line.arms.extend(answers.map(|(arm, answer)| (arm.to_owned(), answer)));
            line
        })
        .collect();
    let latency = assemble(details).latency;
    let grep = &latency["grep"]["NOT_APPLICABLE"];
    assert_eq!((grep.n, grep.state), (40, None));
    assert_eq!((grep.min_ms, grep.max_ms), (Some(1.0), Some(40.0)));
    assert_eq!((grep.p50_ms, grep.p95_ms), (Some(20.0), Some(38.0)));
    assert_eq!(latency["context"].keys().collect::<Vec<_>>(), ["OBSERVED_HIT", "OBSERVED_MISS"]);
    assert_eq!(latency["context"]["OBSERVED_MISS"].p50_ms, Some(9.0));
    assert_eq!(latency["corvint"].keys().collect::<Vec<_>>(), ["UNRECORDED"]);
    let none = latency["corvint"]["UNRECORDED"];
    assert_eq!((none.n, none.state), (0, Some(State::NotRun)));
}
