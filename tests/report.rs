//! The model of a result and its faces.

mod canonical;
mod merge;
mod published;
mod reference;
mod schema;
mod significance;
mod summary;
mod table;

use std::collections::BTreeMap;
use std::path::PathBuf;

use retrieval_bench::arm::Answer;
use retrieval_bench::dataset::fold::fold;
use retrieval_bench::report::{Assembly, Detail, Report};

use crate::fixture::shared;

/// A sample's line without answers.
fn detail(id: &str, task: &str, repo: &str, stratum: &str) -> Detail {
    Detail {
        id: id.to_owned(),
        task_type: task.to_owned(),
        repo: repo.to_owned(),
        base_commit: "c".repeat(40),
        stratum: stratum.to_owned(),
        partition: fold(repo).to_owned(),
        gold: (stratum == "positive").then(|| vec!["gold.rs".to_owned()]),
        ..Detail::default()
    }
}

/// The line with one more answer, of which only the metrics matter.
fn answered(mut detail: Detail, arm: &str, metrics: &[(&str, f64)]) -> Detail {
    let metrics = metrics.iter().map(|(name, value)| ((*name).to_owned(), *value));
    let metrics: BTreeMap<String, f64> = metrics.collect();
    detail.arms.insert(arm.to_owned(), Answer::ranked(vec!["x.rs".to_owned()], 1.0));
    detail.metrics.insert(arm.to_owned(), metrics);
    detail
}

fn assemble(details: Vec<Detail>) -> Report {
    Report::assemble(Assembly {
        details,
        samples_sha256: "a".repeat(64),
        limit: 20,
        ..Assembly::default()
    })
}

/// Every recorded report of the reference harness.
fn reference_reports() -> Vec<PathBuf> {
    let mut reports: Vec<PathBuf> = ["data/arb-mini", "data/etcd"]
        .iter()
        .filter_map(|folder| shared(&format!("{folder}/reference-lexical.json")))
        .collect();
    if let Some(expected) = shared("data/harness-golden/expected") {
        let cases = expected.read_dir().expect("the reference data are readable");
        reports.extend(
            cases
                .map(|case| case.expect("a folder has entries").path().join("report.json"))
                .filter(|report| report.exists()),
        );
    }
    reports.sort();
    reports
}

fn read_report(path: &std::path::Path) -> Report {
    let bytes = std::fs::read(path).expect("the reference data are readable");
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
