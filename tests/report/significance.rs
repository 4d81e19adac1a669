//! Tests of pairs of arms: families, correction, and what too few pairs or repositories leave.

use retrieval_bench::registration::{PROFILE, Registration, plan_families};
use retrieval_bench::report::{Assembly, Detail, Origin, Report, TestedComparison};
use retrieval_bench::stats::State;
use serde_json::json;

use super::{answered, assemble, detail};

/// `n` samples in `repositories`, grep at 0, bm25:all at 1 on all of them, grep-ident at 1 on every other.
fn details(n: usize, repositories: usize) -> Vec<Detail> {
    (0..n)
        .map(|index| {
            let repo = format!("a/r{}", index % repositories);
            let line = detail(&index.to_string(), "t", &repo, "positive");
            let half = (index / repositories % 2) as f64;
            let scores = |value| [("mrr@k", value), ("selective_success", value)];
            let line = answered(line, "grep", &scores(0.0));
            let line = answered(line, "bm25:all", &scores(1.0));
            answered(line, "grep-ident", &scores(half))
        })
        .collect()
}

fn comparison<'a>(
    report: &'a Report,
    family: &str,
    arm: &str,
    baseline: &str,
) -> &'a TestedComparison {
    let family = report.significance.families.iter().find(|tested| tested.name == family);
    let pairs = family.iter().flat_map(|family| &family.comparisons);
    pairs
        .into_iter()
        .find(|pair| pair.arm == arm && pair.baseline == baseline)
        .expect("the pair is tested")
}

#[test]
fn a_difference_on_every_sample_is_significant_and_its_family_corrects_it() {
    let report = assemble(details(20, 10));
    let section = &report.significance;
    assert!(!section.registered);
    assert_eq!((section.seed, section.permutations, section.resamples), (1, 10_000, 4_000));
    let all = comparison(&report, "mrr@k/all", "bm25:all", "grep");
    assert_eq!((all.n, all.mean_diff, all.repositories), (20, Some(1.0), Some(10)));
    assert_eq!(all.effect_size, None, "differences that do not vary have no standard deviation");
    assert_eq!((all.low, all.high, all.interval_state), (Some(1.0), Some(1.0), None));
    let p = all.p.expect("it is tested");
    assert!((0.0001..0.001).contains(&p), "2 of 1,048,576 assignments reach it: {p}");
    assert_eq!(all.p_holm, Some((p * 3.0 * 1e6).round() / 1e6), "the smallest of three");

    let half = comparison(&report, "mrr@k/all", "grep-ident", "grep");
    assert_eq!(half.mean_diff, Some(0.5));
    assert_eq!(half.effect_size, Some(0.974679), "0.5 / sqrt(20 · 0.25 / 19)");
    let reverse = comparison(&report, "mrr@k/all", "bm25:all", "grep-ident");
    assert_eq!(reverse.mean_diff, Some(0.5));
    assert!(half.p_holm >= all.p_holm && all.stands());
}

#[test]
fn fewer_than_ten_pairs_are_not_tested_and_fewer_than_ten_repositories_have_no_interval() {
    let report = assemble(details(9, 3));
    let pair = comparison(&report, "mrr@k/all", "bm25:all", "grep");
    let wanted = json!({"arm": "bm25:all", "baseline": "grep", "n": 9, "state": "NOT_RUN"});
    assert_eq!(serde_json::to_value(pair).expect("it renders"), wanted);

    for repositories in [1, 2, 9] {
        let report = assemble(details(36, repositories));
        let pair = comparison(&report, "mrr@k/all", "bm25:all", "grep");
        assert_eq!((pair.n, pair.state, pair.repositories), (36, None, Some(repositories as u64)));
        assert_eq!((pair.low, pair.high, pair.interval_state), (None, None, Some(State::NotRun)));
        assert!(pair.p.is_some() && pair.p_holm.is_some() && !pair.stands());
    }
}

#[test]
fn comparisons_that_are_not_run_have_no_part_in_the_correction() {
    let mut lines = details(12, 3);
    // grep-ident has the metric on too few samples.
    for line in lines.iter_mut().skip(4) {
        line.metrics.remove("grep-ident");
    }
    let report = assemble(lines);
    let pair = comparison(&report, "mrr@k/all", "bm25:all", "grep");
    assert_eq!(pair.p, pair.p_holm, "alone in its family");
    assert_eq!(comparison(&report, "mrr@k/all", "grep-ident", "grep").state, Some(State::NotRun));
}

#[test]
fn registered_families_are_tested_as_registered_and_no_others() {
    let mut families = plan_families(&["grep", "bm25:all"], 20, [("t", "positive")]);
    families.retain(|family| family.name == "mrr@k/all" || family.name == "recall@5/task:t");
    let registration =
        Registration { families, profile: PROFILE.to_owned(), ..Registration::default() };
    let report = Report::assemble(Assembly {
        details: details(12, 3),
        limit: 20,
        registration: Some(Origin::Run(Box::new(registration))),
        ..Assembly::default()
    });
    assert!(report.significance.registered);
    let names: Vec<&str> =
        report.significance.families.iter().map(|family| family.name.as_str()).collect();
    assert_eq!(names, ["recall@5/task:t", "mrr@k/all"]);
    assert_eq!(report.significance.families[1].comparisons.len(), 1);
    let unanswered = comparison(&report, "recall@5/task:t", "bm25:all", "grep");
    assert_eq!((unanswered.n, unanswered.state), (0, Some(State::NotRun)));
}

#[test]
fn decisions_are_tested_over_all_samples_and_those_without_gold() {
    let mut lines = details(12, 3);
    for line in lines.iter_mut().take(4) {
        line.stratum = "natural_no_gold".to_owned();
        for metrics in line.metrics.values_mut() {
            metrics.remove("mrr@k");
        }
    }
    let report = assemble(lines);
    assert_eq!(comparison(&report, "selective_success/all", "bm25:all", "grep").n, 12);
    let stratum = "selective_success/stratum:natural_no_gold";
    assert_eq!(comparison(&report, stratum, "bm25:all", "grep").n, 4);
    assert_eq!(comparison(&report, "mrr@k/all", "bm25:all", "grep").n, 8);
}
