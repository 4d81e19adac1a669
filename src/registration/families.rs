//! Which comparisons are tested, and which of them are corrected together.
//!
//! The families are planned before anything runs and stand in the registration: whoever chooses them after seeing
//! the results can always find a family in which a difference is significant. The plan depends on names only (the
//! arms, the limit, the samples' tasks and strata), never on an answer.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arm::{self, ARMS};
use crate::dataset::Stratum;

/// Two arms, of which the second is subtracted from the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The arm whose gain is the question.
    pub arm: String,
    /// The arm it is compared with.
    pub baseline: String,
}

/// Comparisons whose p-values are corrected together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Family {
    /// `METRIC/GROUP`.
    pub name: String,
    /// The metric whose differences are tested.
    pub metric: String,
    /// The samples: `all`, `task:T` or `stratum:S`.
    pub group: String,
    /// What is compared, in the order of the table of arms.
    pub comparisons: Vec<Comparison>,
}

/// Metrics of samples that have gold, with the smallest limit at which they exist.
const POSITIVE_METRICS: [(&str, usize); 4] =
    [("recall@5", 5), ("recall@10", 10), ("recall@20", 20), ("mrr@k", 1)];

/// The metric that every sample has: the right decision, answer or abstention.
const DECISION_METRIC: &str = "selective_success";

/// The families of an experiment with these arms at this limit, over samples of these tasks and strata (one pair a
/// sample, in any order).
///
/// One family per metric and group: the metrics of rankings over all samples with gold and over those of each task,
/// the decision over all samples and over each stratum without gold. Every unordered pair of arms is one comparison:
/// a retriever minus a baseline, else the later arm of the table minus the earlier. Names outside the table are left
/// out.
pub fn plan_families<'a>(
    arms: &[impl AsRef<str>],
    limit: usize,
    samples: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<Family> {
    let comparisons = pairs(arms);
    if comparisons.is_empty() {
        return Vec::new();
    }
    let mut tasks = BTreeSet::new();
    let mut strata = BTreeSet::new();
    for (task, stratum) in samples {
        strata.insert(stratum);
        if stratum == Stratum::Positive.name() {
            tasks.insert(task);
        }
    }
    let family = |metric: &str, group: String| Family {
        name: format!("{metric}/{group}"),
        metric: metric.to_owned(),
        group,
        comparisons: comparisons.clone(),
    };
    let mut families = Vec::new();
    if strata.contains(Stratum::Positive.name()) {
        for (metric, _) in POSITIVE_METRICS.iter().filter(|(_, least)| *least <= limit) {
            families.push(family(metric, "all".to_owned()));
            families.extend(tasks.iter().map(|task| family(metric, format!("task:{task}"))));
        }
    }
    if !strata.is_empty() {
        families.push(family(DECISION_METRIC, "all".to_owned()));
    }
    for stratum in Stratum::ALL.into_iter().filter(|stratum| *stratum != Stratum::Positive) {
        if strata.contains(stratum.name()) {
            families.push(family(DECISION_METRIC, format!("stratum:{}", stratum.name())));
        }
    }
    families
}

fn pairs(arms: &[impl AsRef<str>]) -> Vec<Comparison> {
    let present: Vec<&arm::ArmRow> =
        ARMS.iter().filter(|row| arms.iter().any(|arm| arm.as_ref() == row.name)).collect();
    let mut pairs = Vec::new();
    for (index, earlier) in present.iter().enumerate() {
        for later in &present[index + 1..] {
            let earlier_leads = earlier.retriever && !later.retriever;
            let (arm, baseline) = if earlier_leads { (earlier, later) } else { (later, earlier) };
            pairs.push(Comparison { arm: arm.name.to_owned(), baseline: baseline.name.to_owned() });
        }
    }
    pairs
}
