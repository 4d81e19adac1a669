//! Means per arm and group, and the intervals of rates (section 9).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::detail::Detail;
use crate::arm::Answer;
use crate::dataset::Stratum;
use crate::stats::{Wilson, mean, round6, wilson};

/// One arm over the samples it has an answer to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArmSummary {
    /// Answers that failed.
    #[serde(default)]
    pub errors: u64,
    /// Wilson intervals of `hit@LIMIT` over the samples with gold and of `selective_success` over all.
    #[serde(default)]
    pub intervals: BTreeMap<String, Wilson>,
    /// `all`, `task:T`, `stratum:S`, `fold:P`, and `stratum:anchor-bearing` where a sample is.
    #[serde(flatten)]
    pub groups: BTreeMap<String, GroupSummary>,
}

/// One arm over one group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupSummary {
    /// Samples.
    pub n: u64,
    /// Samples with gold.
    #[serde(default)]
    pub positives: u64,
    /// The mean of each metric over the samples that have it, rounded to 1e-6.
    #[serde(flatten)]
    pub means: BTreeMap<String, f64>,
}

/// The metric that every sample with gold has, and no other.
const HIT: &str = "hit@k";

/// The metric of the right decision, which every sample has.
const DECISION: &str = "selective_success";

/// The group of samples whose text names something that can be searched for literally.
const ANCHOR_BEARING: &str = "stratum:anchor-bearing";

/// Every arm's summary. Sums run in the order of `details`.
pub(super) fn summarise(details: &[Detail], limit: usize) -> BTreeMap<String, ArmSummary> {
    let mut answered: BTreeMap<&str, Vec<&Detail>> = BTreeMap::new();
    for detail in details {
        for arm in detail.arms.keys() {
            answered.entry(arm).or_default().push(detail);
        }
    }
    answered
        .into_iter()
        .map(|(arm, members)| (arm.to_owned(), summarise_arm(arm, &members, limit)))
        .collect()
}

fn summarise_arm(arm: &str, details: &[&Detail], limit: usize) -> ArmSummary {
    let mut members: BTreeMap<String, Vec<&Detail>> = BTreeMap::new();
    for detail in details {
        for group in groups(detail) {
            members.entry(group).or_default().push(detail);
        }
    }
    let positive = |detail: &&&Detail| detail.stratum == Stratum::Positive.name();
    let failed = |detail: &&&Detail| detail.arms.get(arm).is_some_and(Answer::is_failed);
    let hits = rate(arm, HIT, details.iter().filter(positive));
    let decisions = rate(arm, DECISION, details.iter());
    ArmSummary {
        errors: details.iter().filter(failed).count() as u64,
        intervals: [(format!("hit@{limit}"), hits), (DECISION.to_owned(), decisions)].into(),
        groups: members
            .into_iter()
            .map(|(group, members)| (group, summarise_group(arm, &members)))
            .collect(),
    }
}

fn groups(detail: &Detail) -> impl Iterator<Item = String> {
    [
        Some("all".to_owned()),
        Some(format!("task:{}", detail.task_type)),
        Some(format!("stratum:{}", detail.stratum)),
        Some(format!("fold:{}", detail.partition)),
        detail.anchor_bearing.then(|| ANCHOR_BEARING.to_owned()),
    ]
    .into_iter()
    .flatten()
}

fn summarise_group(arm: &str, members: &[&Detail]) -> GroupSummary {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for metrics in members.iter().filter_map(|detail| detail.metrics.get(arm)) {
        for (metric, value) in metrics {
            values.entry(metric).or_default().push(*value);
        }
    }
    GroupSummary {
        n: members.len() as u64,
        positives: values.get(HIT).map_or(0, |values| values.len() as u64),
        means: values
            .into_iter()
            .map(|(metric, values)| (metric.to_owned(), round6(mean(&values))))
            .collect(),
    }
}

/// How often an indicator metric is 1 among the samples that have it.
fn rate<'a>(arm: &str, metric: &str, details: impl Iterator<Item = &'a &'a Detail>) -> Wilson {
    let (mut successes, mut n) = (0, 0);
    for value in details.filter_map(|detail| detail.metric(arm, metric)) {
        n += 1;
        successes += u64::from(value == 1.0);
    }
    wilson(successes, n)
}
