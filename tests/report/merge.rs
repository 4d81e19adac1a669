//! Merging reports: what is refused, what wins, and that nesting does not matter.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;
use retrieval_bench::registration::Registration;
use retrieval_bench::report::{
    Assembly, Corvint, Detail, Origin, Report, ReportError, SnapshotReport, merge, merge_reports,
};
use retrieval_bench::snapshot::Census;
use serde_json::{Value, json};

use super::{answered, assemble, detail, read_report};
use crate::fixture::shared;

fn recorded(case: &str) -> Option<PathBuf> {
    shared(&format!("data/harness-golden/expected/{case}/report.json"))
}

fn bytes(report: &Report) -> Vec<u8> {
    report.text().expect("it renders")
}

fn merge_values(sources: &[Value]) -> Result<Report, ReportError> {
    let sources = sources.iter().enumerate();
    merge_reports(
        sources.map(|(index, source)| (format!("r{index}"), source.to_string().into())).collect(),
    )
}

fn refusal(sources: &[Value]) -> String {
    merge_values(sources).expect_err("it is refused").to_string()
}

/// A report of one arm over one sample.
fn small(arm: &str, mrr: f64) -> Value {
    let line = answered(detail("one", "t", "numpy/numpy", "positive"), arm, &[("mrr@k", mrr)]);
    serde_json::to_value(assemble(vec![line])).expect("it renders")
}

#[test]
fn the_recorded_merges_come_out_as_the_reference_made_them() {
    let (Some(first), Some(second), Some(third), Some(wanted)) = (
        recorded("arms-corvint-context"),
        recorded("arms-impact-affected"),
        recorded("arms-all"),
        recorded("summarize-merge"),
    ) else {
        return;
    };
    let ours = merge(&[first, second, third]).expect("they merge");
    let theirs = read_report(&wanted);
    assert_eq!(ours.details, theirs.details);
    assert_eq!(ours.corvint, theirs.corvint);
    assert_eq!(
        (ours.samples, ours.limit, ours.skipped),
        (theirs.samples, theirs.limit, theirs.skipped)
    );
    let (ours, theirs) = (
        serde_json::to_value(&ours.registration).expect("it renders"),
        serde_json::to_value(&theirs.registration).expect("it renders"),
    );
    assert_eq!(ours, theirs, "arms, digests and sources");
}

#[test]
fn merging_is_deterministic_to_the_byte() {
    let Some(path) = recorded("lexical-k20") else { return };
    let once = merge(std::slice::from_ref(&path)).expect("it merges");
    let again = merge(std::slice::from_ref(&path)).expect("it merges");
    assert_eq!(bytes(&once), bytes(&again));
    assert!(!once.significance.registered);
    assert_eq!(once.profile, "retrieval-bench/1");
}

#[test]
fn reports_over_other_samples_or_at_another_limit_are_refused() {
    let good = small("grep", 1.0);
    let mut other = good.clone();
    other["samples_sha256"] = json!("b".repeat(64));
    assert!(refusal(&[good.clone(), other]).contains("different samples"));
    let mut other = good.clone();
    other["limit"] = json!(5);
    let refused = refusal(&[good.clone(), other]);
    assert!(refused.contains("limit") && refused.contains("r1"), "{refused}");
    assert!(matches!(merge(&[]), Err(ReportError::NoSources)));
    let absent = merge(&[PathBuf::from("/nonexistent/report.json")]).expect_err("it is absent");
    assert!(absent.to_string().contains("/nonexistent/report.json"), "{absent}");
    if let (Some(first), Some(second)) = (recorded("arms-all"), recorded("arms-all-k2")) {
        let refused = merge(&[first, second]).expect_err("20 is not 2").to_string();
        assert!(refused.contains("limit"), "{refused}");
    }
}

#[test]
fn reports_under_different_conventions_are_refused_however_they_are_nested() {
    let run = |given: &str, text: &str| {
        let mut registration = serde_json::to_value(Registration::default()).expect("it renders");
        registration["given"] = json!(given);
        registration["corpus_text"] = json!(text);
        let mut report = small("grep", 1.0);
        report["registration"] = registration;
        report
    };
    let plain = run("remove", "rows");
    for (other, named) in [
        (run("keep", "rows"), "--given keep, and r0 with --given remove"),
        (run("remove", "stitched"), "--corpus-text stitched, and r0 with --corpus-text rows"),
    ] {
        assert!(refusal(&[plain.clone(), other.clone()]).contains(named));
        let merged = serde_json::to_value(merge_values(&[other]).expect("alone")).expect("JSON");
        assert!(refusal(&[plain.clone(), merged.clone()]).contains(named), "{named}");
        // What older reports do not say is the reference's.
        assert!(merge_values(&[small("grep", 1.0), merged]).is_err());
    }
    assert!(merge_values(&[small("grep", 1.0), plain]).is_ok());
}

#[test]
fn an_older_registration_s_own_words_are_its_conventions() {
    let mut older = small("grep", 1.0);
    older["registration"] = json!({"arms": ["grep"], "given": "keep", "limit": 20});
    let mut plain = small("grep-ident", 1.0);
    plain["registration"] = json!({"arms": ["grep-ident"], "given": "remove", "limit": 20});
    assert!(refusal(&[plain, older]).contains("--given keep, and r0 with --given remove"));
}

#[test]
fn arms_that_were_asked_about_other_files_are_not_merged_and_others_are() {
    let run = |arm: &str, from: serde_json::Value| {
        let mut registration = serde_json::to_value(Registration::default()).expect("it renders");
        registration["arms"] = json!([arm]);
        registration["changed_file_from"] = from;
        let mut report = small(arm, 1.0);
        report["registration"] = registration;
        report
    };
    let wide = || json!(["anchor_file", "given_file"]);
    let merged = merge_values(&[run("impact", wide()), run("grep", json!([]))])
        .expect("a lexical arm is asked nothing");
    let merged = serde_json::to_value(merged).expect("JSON");
    assert_eq!(merged["registration"]["changed_file_from"], wide());
    for first in [run("impact", wide()), merged] {
        let refused = refusal(&[first, run("affected", json!([]))]);
        assert!(refused.contains("--changed-file-from  and anchor_file,given_file"), "{refused}");
    }
}

#[test]
fn a_measured_binary_is_kept_whichever_order_and_two_are_refused() {
    let with = |sha256: &str| {
        let mut report = small("context", 1.0);
        report["corvint"] = json!({"sha256": sha256, "version": sha256});
        report
    };
    for sources in [[with("aa"), with("NOT_RUN")], [with("NOT_RUN"), with("aa")]] {
        let merged = merge_values(&sources).expect("they are compatible");
        assert_eq!(merged.corvint, Corvint { sha256: "aa".into(), version: "aa".into() });
        let Some(Origin::Merged(origin)) = merged.registration else { panic!("it is merged") };
        assert_eq!(origin.corvint_sha256, "aa");
    }
    let refused = refusal(&[with("aa"), with("NOT_RUN"), with("bb")]);
    assert!(refused.contains("binary"), "{refused}");
    let mut none = small("grep", 1.0);
    none.as_object_mut().expect("an object").remove("corvint");
    assert_eq!(merge_values(&[none]).expect("it merges").corvint, Corvint::default());
}

#[test]
fn a_report_that_contradicts_itself_is_refused() {
    let good = small("grep", 1.0);
    let text = good.to_string();
    let mut twice = good.clone();
    let line = twice["details"][0].clone();
    twice["details"].as_array_mut().expect("an array").push(line);
    assert!(refusal(&[twice]).contains("\"one\" occurs twice"));
    let unknown = text.replace("\"grep\"", "\"grop\"");
    let refused = merge_reports(vec![("r".into(), unknown.into())]).expect_err("no such arm");
    assert!(refused.to_string().contains("grop"), "{refused}");
    let duplicate = text.replacen("\"limit\":", "\"limit\":20,\"limit\":", 1);
    let refused = merge_reports(vec![("r".into(), duplicate.into())]).expect_err("two limits");
    assert!(refused.to_string().contains("twice"), "{refused}");
    for (pointer, value) in [
        ("/profile", json!("retrieval-bench/9")),
        ("/details/0/metrics/grep", json!({"n": 1})),
        ("/details/0/metrics/grep/mrr@k", json!(1e300)),
        ("/details/0/metrics/grep/mrr@k", json!("1")),
        ("/details", json!({})),
        ("/limit", json!(-1)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).expect("it is there") = value;
        refusal(&[bad]);
    }
    for bad in [&b""[..], b"null", b"[]", b"{}", b"\xff", &[b'['; 100_000]] {
        merge_reports(vec![("r".into(), bad.to_vec())]).expect_err("it is no report");
    }
}

#[test]
fn integers_that_the_canonical_text_would_round_are_refused_wherever_they_stand() {
    let good = small("grep", 1.0);
    let census = |files: u64| {
        let mut census = serde_json::to_value(Census::default()).expect("it renders");
        census["files"] = json!(files);
        json!({"numpy/numpy@c": {"census": census}})
    };
    let (most, over) = (1_u64 << 53, (1_u64 << 53) + 1);
    let mut report = good.clone();
    report["limit"] = json!(most);
    report["snapshots"] = census(most);
    let merged = bytes(&merge_values(&[report]).expect("2^53 is exact"));
    let again: Report = serde_json::from_slice(&merged).expect("a report is read as one");
    assert_eq!((again.limit as u64, bytes(&again)), (most, merged));
    for (pointer, value) in [
        ("/limit", json!(u64::MAX)),
        ("/limit", json!(over)),
        ("/skipped/no_gold_unlabeled", json!(over)),
        ("/details/0/query_chars", json!(over)),
        ("/snapshots", census(over)),
        ("/arms", json!([{"unread": i64::MIN}])),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).expect("it is there") = value;
        assert!(refusal(&[bad]).contains("2^53"), "{pointer}");
    }
}

#[test]
fn a_stratum_of_no_benchmark_is_refused() {
    let mut report = small("grep", 1.0);
    report["details"][0]["stratum"] = json!("anchor-bearing");
    assert!(refusal(&[report]).contains("unknown stratum \"anchor-bearing\""));
}

#[test]
fn a_comparison_is_registered_once_and_between_arms_that_exist() {
    let pair = |arm: &str, baseline: &str| json!({"arm": arm, "baseline": baseline});
    let family = |comparisons: &[Value]| json!({"name": "mrr@k/all", "metric": "mrr@k", "group": "all", "comparisons": comparisons});
    let registered = |families: Value| {
        let mut report =
            serde_json::to_value(merge_values(&[small("grep", 1.0)]).expect("it merges"))
                .expect("it renders");
        report["registration"]["families"] = families;
        report
    };
    let (one, other) = (pair("bm25:all", "grep"), pair("grep", "bm25:all"));
    let good = registered(json!([family(&[one.clone(), other])]));
    assert!(merge_values(&[good]).expect("they differ").significance.registered);
    let bad = [
        (json!([family(&[one.clone(), one.clone()])]), "twice"),
        (
            json!([family(std::slice::from_ref(&one)), family(std::slice::from_ref(&one))]),
            "two families",
        ),
        (json!([family(&[pair("grop", "grep")])]), "no such arms"),
    ];
    for (families, reason) in bad {
        let refused = refusal(&[registered(families)]);
        assert!(refused.contains(reason), "{refused}");
    }
}

#[test]
fn a_report_with_a_task_for_every_sample_is_refused_before_each_is_tested() {
    let with = |tasks: usize| {
        let lines = (0..1_001).map(|at| {
            let task = format!("t{}", at % tasks);
            answered(detail(&at.to_string(), &task, "numpy/numpy", "positive"), "grep", &[])
        });
        serde_json::to_value(assemble(lines.collect())).expect("it renders")
    };
    assert!(refusal(&[with(1_001)]).contains("1001 task types"));
    assert_eq!(merge_values(&[with(1_000)]).expect("it merges").samples, 1_001);
}

#[test]
fn what_is_wrong_is_said_in_a_sentence_however_long_what_is_wrong_is() {
    let mut report = small("grep", 1.0);
    report["limit"] = json!("x".repeat(1 << 20));
    assert!(refusal(&[report]).chars().count() < 2_100);
}

#[test]
fn a_later_answer_replaces_an_earlier_one_with_its_metrics_and_nothing_else() {
    let first = small("grep", 0.25);
    let mut second = small("grep", 0.5);
    second["details"][0]["query_chars"] = json!(99);
    second["details"][0]["partition"] = json!("Z");
    second["details"][0]["metrics"]["grep"] = json!({"hit@k": 1});
    let merged = merge_values(&[first, second, small("bm25:all", 1.0)]).expect("they merge");
    let line = &merged.details[0];
    assert_eq!((line.query_chars, line.partition.as_str()), (0, "A"));
    assert_eq!(line.metrics["grep"], BTreeMap::from([("hit@k".to_owned(), 1.0)]));
    assert_eq!(line.metrics["bm25:all"]["mrr@k"], 1.0);
    let Some(Origin::Merged(origin)) = merged.registration else { panic!("it is merged") };
    assert_eq!(origin.arms, ["grep", "bm25:all"]);
    assert_eq!(origin.source_reports_sha256.len(), 3);
}

#[test]
fn a_sample_with_another_gold_is_another_question_and_refused() {
    let mut other = small("bm25:all", 1.0);
    other["details"][0]["gold"] = json!(["other.rs"]);
    assert!(refusal(&[small("grep", 1.0), other]).contains("another gold"));
}

#[test]
fn what_a_later_report_measured_is_no_longer_called_unmeasured() {
    let mut broken = small("grep", 1.0);
    broken["details"][0]["error"] = json!("the snapshot is missing");
    broken["details"][0]["arms"] = json!({});
    broken["details"][0]["metrics"] = json!({});
    broken["snapshots"] = json!({"a/b@c": {"error": "the snapshot is missing"}});
    let alone = merge_values(&[broken.clone()]).expect("it merges");
    assert_eq!(alone.details[0].error, "the snapshot is missing");
    let mut whole = small("grep", 1.0);
    whole["snapshots"] = json!({"a/b@c": {"census": {"tree_sha256": "1"}}});
    for sources in [[broken.clone(), whole.clone()], [whole.clone(), broken]] {
        let merged = merge_values(&sources).expect("they merge");
        assert_eq!(merged.details[0].error, "");
        assert_eq!(merged.snapshots["a/b@c"].error, "");
    }
}

#[test]
fn a_report_merged_with_itself_keeps_the_error_of_a_sample_measured_in_part() {
    let mut half = small("grep", 1.0);
    half["details"][0]["error"] = json!("the snapshot changed");
    let once = merge_values(&[half.clone()]).expect("it merges");
    let twice = merge_values(&[half.clone(), half]).expect("they merge");
    assert_eq!(once.details, twice.details);
    assert_eq!(twice.details[0].error, "the snapshot changed");
}

#[test]
fn rankings_over_other_files_under_the_same_name_are_not_merged() {
    let over = |digest: &str, arm| {
        let mut report = small(arm, 1.0);
        report["snapshots"] = json!({"a/b@c": {"census": {"tree_sha256": digest}}});
        report
    };
    merge_values(&[over("1", "grep"), over("1", "bm25:all")]).expect("they merge");
    let refused = refusal(&[over("1", "grep"), over("2", "bm25:all")]);
    assert!(refused.contains("a/b@c holds other files"), "{refused}");
}

#[test]
fn families_stay_registered_only_where_every_source_registered_the_same() {
    use retrieval_bench::registration::{PROFILE, Registration, plan_families};
    let registered = |tasks: &[(&'static str, &'static str)]| {
        let families = plan_families(&["grep", "bm25:all"], 20, tasks.iter().copied());
        let registration =
            Registration { families, profile: PROFILE.to_owned(), ..Registration::default() };
        let mut report = small("grep", 1.0);
        report["registration"] = serde_json::to_value(registration).expect("it renders");
        report
    };
    let (one, two) = (registered(&[("t", "positive")]), registered(&[("u", "positive")]));
    let kept = merge_values(&[one.clone(), one.clone()]).expect("they merge");
    assert!(kept.significance.registered);
    let again = merge_values(&[serde_json::to_value(&kept).expect("it renders"), one.clone()]);
    assert!(again.expect("they merge").significance.registered);
    for sources in [[one.clone(), two], [one, small("bm25:all", 1.0)]] {
        assert!(!merge_values(&sources).expect("they merge").significance.registered);
    }
}

const ARMS: [&str; 4] = ["context", "grep", "bm25:all", "bm25:ident"];

/// Reports over some of five samples with some of four arms.
fn any_report() -> impl Strategy<Value = Report> {
    let answer = proptest::option::of((0_u8..4, any::<bool>()));
    let line = proptest::option::of((proptest::array::uniform4(answer), any::<bool>()));
    let lines = proptest::collection::vec(line, 5);
    (lines, Just([4, 2, 0, 1, 3]).prop_shuffle(), any::<bool>()).prop_map(
        |(lines, order, measured)| {
            let mut details: Vec<Detail> = Vec::new();
            let mut snapshots = BTreeMap::new();
            for index in order {
                let Some((answers, broken)) = &lines[index] else { continue };
                let stratum = if index == 3 { "natural_no_gold" } else { "positive" };
                let mut line = detail(&format!("s{index}"), "t", "numpy/numpy", stratum);
                for (arm, answer) in ARMS.iter().zip(answers) {
                    if let Some((score, hit)) = answer {
                        let hit = ("hit@k", f64::from(u8::from(*hit)));
                        line = answered(line, arm, &[("mrr@k", f64::from(*score) / 3.0), hit]);
                    }
                }
                if *broken {
                    line.error = format!("broken in a report of {} samples", details.len());
                }
                let snapshot = SnapshotReport { error: line.error.clone(), ..Default::default() };
                snapshots.insert(format!("s{index}"), snapshot);
                details.push(line);
            }
            let sha256 = if measured { "aa" } else { "NOT_RUN" }.to_owned();
            Report::assemble(Assembly {
                details,
                samples_sha256: "a".repeat(64),
                limit: 20,
                corvint: Corvint { version: sha256.clone(), sha256 },
                snapshots,
                ..Assembly::default()
            })
        },
    )
}

fn merged(reports: &[&Report]) -> Report {
    let sources = reports.iter().map(|report| ("r".to_owned(), bytes(report))).collect();
    merge_reports(sources).expect("they merge")
}

/// The bytes of a report without the list of its sources, which is the one thing that nesting changes.
fn without_sources(mut report: Report) -> Vec<u8> {
    report.registration = None;
    bytes(&report)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn nesting_of_merges_does_not_matter(
        a in any_report(), b in any_report(), c in any_report()
    ) {
        let flat = without_sources(merged(&[&a, &b, &c]));
        let left = without_sources(merged(&[&merged(&[&a, &b]), &c]));
        let right = without_sources(merged(&[&a, &merged(&[&b, &c])]));
        prop_assert_eq!(&flat, &left);
        prop_assert_eq!(&flat, &right);
        let alone = merged(&[&a]);
        prop_assert_eq!(&alone.details, &a.details);
        prop_assert_eq!(&alone.arms, &a.arms);
        prop_assert_eq!(&alone.significance, &a.significance);
    }

    #[test]
    fn no_bytes_make_a_merge_panic(
        mut text in any_report().prop_map(|report| bytes(&report)),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let place = place.index(text.len());
        text[place] = byte;
        let _ = merge_reports(vec![("r".to_owned(), text)]);
    }
}

/// A report of grep over samples `from` to `to`, each timed, on a host with this processor, or on one that it does not name.
fn timed(arm: &str, samples: std::ops::Range<usize>, processor: Option<&str>) -> Value {
    let details = samples.map(|index| {
        let line = detail(&format!("s{index:02}"), "t", "numpy/numpy", "positive");
        let mut line = answered(line, arm, &[("mrr@k", 0.5)]);
        line.arms.get_mut(arm).expect("it answered").wall_ms = 1.0 + index as f64;
        line
    });
    let mut registration = Registration::default();
    if let Some(processor) = processor {
        registration.host.0.values.insert("cpu_model".to_owned(), processor.into());
    }
    let report = Report::assemble(Assembly {
        details: details.collect(),
        samples_sha256: "a".repeat(64),
        limit: 20,
        registration: Some(Origin::Run(Box::new(registration))),
        ..Assembly::default()
    });
    serde_json::to_value(report).expect("it renders")
}

/// How many times are pooled for an arm, and under which label.
fn pooled(report: &Report, arm: &str) -> (String, u64) {
    let labels = &report.latency[arm];
    assert_eq!(labels.len(), 1, "{labels:?}");
    let (label, distribution) = labels.first_key_value().expect("there is one");
    (label.clone(), distribution.n)
}

fn hosts_of(report: &Report) -> Vec<(String, usize)> {
    let Some(Origin::Merged(origin)) = &report.registration else { panic!("it is merged") };
    origin.hosts.iter().map(|(arm, hosts)| (arm.clone(), hosts.len())).collect()
}

#[test]
fn wall_times_of_one_host_are_pooled_and_those_of_two_are_not() {
    let one = merge_values(&[timed("grep", 0..20, Some("a")), timed("grep", 20..40, Some("a"))]);
    let one = one.expect("they merge");
    assert_eq!(pooled(&one, "grep"), ("NOT_APPLICABLE".to_owned(), 40));
    assert_eq!(hosts_of(&one), [("grep".to_owned(), 1)]);
    let sources = [
        timed("grep", 0..20, Some("a")),
        timed("grep", 20..40, Some("b")),
        timed("bm25:all", 0..40, Some("b")),
    ];
    let two = merge_values(&sources).expect("rankings of two hosts can be compared");
    assert_eq!(pooled(&two, "grep"), ("HOSTS_DIFFER".to_owned(), 0));
    assert_eq!(pooled(&two, "bm25:all"), ("NOT_APPLICABLE".to_owned(), 40), "it has one host");
    assert_eq!(hosts_of(&two), [("bm25:all".to_owned(), 1), ("grep".to_owned(), 2)]);
    assert_eq!(two.details[30].arms["grep"].wall_ms, 31.0, "what was measured stays");
}

#[test]
fn hosts_are_remembered_over_nested_merges() {
    let inner = merge_values(&[timed("grep", 0..20, Some("a"))]).expect("it merges");
    let inner = serde_json::to_value(inner).expect("it renders");
    let same = merge_values(&[inner.clone(), timed("grep", 20..40, Some("a"))]);
    assert_eq!(pooled(&same.expect("they merge"), "grep").0, "NOT_APPLICABLE");
    let other = merge_values(&[inner, timed("grep", 20..40, Some("b"))]).expect("they merge");
    assert_eq!(pooled(&other, "grep").0, "HOSTS_DIFFER");
    let other = serde_json::to_value(other).expect("it renders");
    let again = merge_values(&[other]).expect("it merges");
    assert_eq!(pooled(&again, "grep").0, "HOSTS_DIFFER");
}

#[test]
fn a_host_whose_every_answer_was_replaced_is_forgotten() {
    let merged = merge_values(&[timed("grep", 0..9, Some("a")), timed("grep", 0..9, Some("b"))]);
    let merged = merged.expect("they merge");
    assert_eq!(pooled(&merged, "grep"), ("NOT_APPLICABLE".to_owned(), 9));
    assert_eq!(hosts_of(&merged), [("grep".to_owned(), 1)]);
}

#[test]
fn a_host_that_no_report_names_is_pooled_with_its_like_alone() {
    let merged = merge_values(&[timed("grep", 0..9, None), timed("grep", 9..20, None)]);
    let merged = merged.expect("they merge");
    assert_eq!((pooled(&merged, "grep").1, hosts_of(&merged)), (20, vec![]));
    let merged = merge_values(&[timed("grep", 0..9, None), timed("grep", 9..20, Some("a"))]);
    assert_eq!(pooled(&merged.expect("they merge"), "grep").0, "HOSTS_DIFFER");
}
