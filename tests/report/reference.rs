//! The reference harness's own reports: from their details every summary recomputes.

use retrieval_bench::report::{Assembly, PairedBlock, Report};
use retrieval_bench::stats::State;
use serde_json::{Value, json};

use super::{read_report, reference_reports};

/// Half a unit of the sixth decimal may fall to either side.
const TOLERANCE: f64 = 1.01e-6;

fn close(ours: f64, theirs: f64, tolerance: f64, place: &str) {
    assert!((ours - theirs).abs() <= tolerance, "{place}: ours {ours}, the reference {theirs}");
}

fn reassemble(report: &Report) -> Report {
    Report::assemble(Assembly {
        details: report.details.clone(),
        samples_sha256: report.samples_sha256.clone(),
        skipped: report.skipped,
        limit: report.limit,
        corvint: report.corvint.clone(),
        registration: report.registration.clone(),
        ..Assembly::default()
    })
}

#[test]
fn every_recorded_report_is_read() {
    for path in reference_reports() {
        let report = read_report(&path);
        assert_eq!(report.profile, "corvint-retrieval-bench/0", "{}", path.display());
        assert_eq!(report.samples, report.details.len(), "{}", path.display());
        assert!(!report.arms.is_empty(), "{}", path.display());
    }
}

#[test]
fn every_summary_of_every_recorded_report_recomputes() {
    let mut blocks = 0;
    for path in reference_reports() {
        let (theirs, place) = (read_report(&path), path.display().to_string());
        let ours = reassemble(&theirs);
        compare_means(&ours, &theirs, &place);
        blocks += compare_paired(&ours, &theirs, &place);
        compare_latency(&ours, &theirs, &place);
        let text = ours.text().expect("it renders");
        let read: Report = serde_json::from_slice(&text).expect("it is a report");
        assert_eq!(read.text().expect("it renders"), text, "{place}: reads back as written");
    }
    assert!(blocks > 300 || reference_reports().is_empty(), "{blocks} paired blocks");
}

fn compare_means(ours: &Report, theirs: &Report, place: &str) {
    let keys = |report: &Report| report.arms.keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(ours), keys(theirs), "{place}");
    for (arm, theirs) in &theirs.arms {
        let (ours, place) = (&ours.arms[arm], format!("{place} {arm}"));
        assert_eq!(ours.errors, theirs.errors, "{place}");
        assert_eq!(ours.groups.len(), theirs.groups.len(), "{place}");
        for (group, theirs) in &theirs.groups {
            let (ours, place) = (&ours.groups[group], format!("{place} {group}"));
            assert_eq!((ours.n, ours.positives), (theirs.n, theirs.positives), "{place}");
            assert_eq!(ours.means.len(), theirs.means.len(), "{place}");
            for (metric, theirs) in &theirs.means {
                close(ours.means[metric], *theirs, TOLERANCE, &format!("{place} {metric}"));
            }
        }
        assert_eq!(ours.intervals.len(), theirs.intervals.len(), "{place}");
        for (rate, theirs) in &theirs.intervals {
            let (ours, place) = (&ours.intervals[rate], format!("{place} {rate}"));
            assert_eq!(ours.n, theirs.n, "{place}");
            assert_eq!(ours.rate.is_some(), theirs.rate.is_some(), "{place}");
            for (ours, theirs) in
                [(ours.rate, theirs.rate), (ours.low, theirs.low), (ours.high, theirs.high)]
            {
                close(ours.unwrap_or(0.0), theirs.unwrap_or(0.0), TOLERANCE, &place);
            }
        }
    }
}

/// Counts exactly, bounds within Monte Carlo error: the generators differ.
fn compare_paired(ours: &Report, theirs: &Report, place: &str) -> usize {
    let blocks = blocks(ours, theirs);
    for (block, ours, theirs) in &blocks {
        let place = format!("{place} {block}");
        let counts = |block: &PairedBlock| (block.n, block.wins, block.losses, block.ties);
        assert_eq!(counts(ours), counts(theirs), "{place}");
        close(ours.mean_diff, theirs.mean_diff, TOLERANCE, &place);
        let tolerance = 0.25 * (theirs.high - theirs.low).max(0.02) + 1e-6;
        close(ours.low, theirs.low, tolerance, &place);
        close(ours.high, theirs.high, tolerance, &place);
        assert_eq!((ours.resamples, ours.seed), (4_000, 1), "{place}");
        assert_eq!(ours.repos.len(), theirs.repos.len(), "{place}");
        for (repo, theirs) in &theirs.repos {
            assert_eq!(ours.repos[repo].n, theirs.n, "{place} {repo}");
            close(ours.repos[repo].mean_diff, theirs.mean_diff, TOLERANCE, &place);
        }
    }
    blocks.len()
}

/// Every block that either report has, which must be the same ones.
fn blocks<'a>(
    ours: &'a Report,
    theirs: &'a Report,
) -> Vec<(String, &'a PairedBlock, &'a PairedBlock)> {
    let flat = |report: &'a Report| {
        let mut blocks = Vec::new();
        for (group, retrievers) in &report.paired {
            for (retriever, baselines) in retrievers {
                for (baseline, metrics) in baselines {
                    for (metric, block) in metrics {
                        blocks.push((format!("{group} {retriever} {baseline} {metric}"), block));
                    }
                }
            }
        }
        blocks
    };
    let (ours, theirs) = (flat(ours), flat(theirs));
    let places = |blocks: &[(String, &PairedBlock)]| {
        blocks.iter().map(|(place, _)| place.clone()).collect::<Vec<_>>()
    };
    assert_eq!(places(&ours), places(&theirs));
    ours.into_iter().zip(theirs).map(|((place, ours), (_, theirs))| (place, ours, theirs)).collect()
}

/// Older reports have no such section.
fn compare_latency(ours: &Report, theirs: &Report, place: &str) {
    let counts = |report: &Report| -> Vec<(String, String, u64, Option<State>)> {
        let labels = report.latency.iter().flat_map(|(arm, labels)| {
            labels.iter().map(move |(label, of)| (arm.clone(), label.clone(), of.n, of.state))
        });
        labels.collect()
    };
    if !theirs.latency.is_empty() {
        assert_eq!(counts(ours), counts(theirs), "{place}");
    }
}

#[test]
fn reports_without_the_newer_members_and_with_nulls_are_read() {
    let old = json!({
        "samples_sha256": "a",
        "limit": 20,
        "details": [{
            "id": "one", "task_type": "code2test", "repo": "a/b", "base_commit": "c",
            "stratum": "natural_no_gold", "gold": null, "given": null,
            "query_chars": 1, "query_truncated": false,
            "arms": {"impact": {"ranked": null, "abstained": false, "error": "no changed_file"}},
            "metrics": {"impact": {"abstained": 0, "selective_success": 0}},
        }],
    });
    let report: Report = serde_json::from_value(old).expect("an old report is a report");
    let detail = &report.details[0];
    assert_eq!((detail.gold.as_ref(), detail.given.len()), (None, 0));
    assert!(detail.arms["impact"].is_failed() && detail.arms["impact"].ranked.is_empty());
    assert_eq!(report.corvint.sha256, "NOT_RUN");
    let ours = serde_json::to_value(reassemble(&report)).expect("it renders");
    assert_eq!(ours["details"][0]["gold"], Value::Null);
    assert_eq!(ours["latency"]["impact"]["UNRECORDED"], json!({"n": 0, "state": "NOT_RUN"}));
    assert_eq!(ours["arms"]["impact"]["errors"], 1);
    assert_eq!(ours["arms"]["impact"]["intervals"]["hit@20"], json!({"n": 0}));
}
