//! Retrievers minus baselines on the same samples, with bootstrap intervals (sections 9, 14.4).
//!
//! This section has the reference's shape and its rules: no smallest number of pairs, samples drawn as if they were
//! independent. [`super::significance`] has neither weakness; it is the section to decide by.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::detail::Detail;
use super::model::arms_present;
use crate::arm::{self, Family};
use crate::dataset::Stratum;
use crate::stats::{REPO_MIN_N, RESAMPLES, SEED, bootstrap, mean, round6};

/// Group (`all`, `task:T`, `fold:P`, `task:T/fold:P`), retriever, baseline, metric. Empty levels are left out.
pub type Paired =
    BTreeMap<String, BTreeMap<String, BTreeMap<String, BTreeMap<String, PairedBlock>>>>;

/// The differences of one metric, retriever minus baseline, over the samples where both have it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairedBlock {
    /// Samples.
    pub n: u64,
    /// The mean difference, rounded to 1e-6.
    pub mean_diff: f64,
    /// The lower bound of its 95% bootstrap interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// Samples on which the retriever is better.
    pub wins: u64,
    /// Samples on which the baseline is.
    pub losses: u64,
    /// Samples on which neither is.
    pub ties: u64,
    /// Repositories with at least five of the samples.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub repos: BTreeMap<String, RepoDifference>,
    /// Resamples that the interval was taken from; 0 in older reports.
    #[serde(default)]
    pub resamples: usize,
    /// The seed of the interval's generator.
    #[serde(default)]
    pub seed: u64,
}

/// The differences on one repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepoDifference {
    /// Samples.
    pub n: u64,
    /// The mean difference, rounded to 1e-6.
    pub mean_diff: f64,
}

const METRICS: [&str; 4] = ["recall@5", "recall@10", "recall@20", "mrr@k"];

/// Every comparison of a retriever with a lexical baseline. Sums run in the order of `details`.
pub(super) fn compare(details: &[Detail]) -> Paired {
    let (retrievers, others): (Vec<_>, Vec<_>) =
        arms_present(details).into_iter().filter_map(arm::row).partition(|row| row.retriever);
    let baselines: Vec<_> =
        others.into_iter().filter(|row| row.family == Family::Lexical).collect();
    if retrievers.is_empty() || baselines.is_empty() {
        return Paired::new();
    }

    let mut groups: BTreeMap<String, Vec<&Detail>> = BTreeMap::new();
    for detail in details.iter().filter(|detail| detail.stratum == Stratum::Positive.name()) {
        let (task, fold) = (&detail.task_type, &detail.partition);
        for group in [
            "all".to_owned(),
            format!("task:{task}"),
            format!("fold:{fold}"),
            format!("task:{task}/fold:{fold}"),
        ] {
            groups.entry(group).or_default().push(detail);
        }
    }

    let mut paired = Paired::new();
    for (group, members) in &groups {
        for retriever in &retrievers {
            for baseline in &baselines {
                for metric in METRICS {
                    if let Some(block) = block(members, retriever.name, baseline.name, metric) {
                        paired
                            .entry(group.clone())
                            .or_default()
                            .entry(retriever.name.to_owned())
                            .or_default()
                            .entry(baseline.name.to_owned())
                            .or_default()
                            .insert(metric.to_owned(), block);
                    }
                }
            }
        }
    }
    paired
}

/// `None` where no sample has the metric for both.
fn block(members: &[&Detail], arm: &str, baseline: &str, metric: &str) -> Option<PairedBlock> {
    let mut differences = Vec::new();
    let mut by_repo: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for detail in members {
        if let Some(difference) = detail.difference(arm, baseline, metric) {
            differences.push(difference);
            by_repo.entry(&detail.repo).or_default().push(difference);
        }
    }
    let interval = bootstrap(&differences, SEED)?;
    let count = |wanted: fn(f64) -> bool| {
        differences.iter().filter(|difference| wanted(**difference)).count() as u64
    };
    let repos = by_repo
        .into_iter()
        .filter(|(_, differences)| differences.len() >= REPO_MIN_N)
        .map(|(repo, differences)| {
            let n = differences.len() as u64;
            (repo.to_owned(), RepoDifference { n, mean_diff: round6(mean(&differences)) })
        })
        .collect();
    Some(PairedBlock {
        n: differences.len() as u64,
        mean_diff: round6(mean(&differences)),
        low: round6(interval.low),
        high: round6(interval.high),
        wins: count(|difference| difference > 0.0),
        losses: count(|difference| difference < 0.0),
        ties: count(|difference| difference == 0.0),
        repos,
        resamples: RESAMPLES,
        seed: SEED,
    })
}
