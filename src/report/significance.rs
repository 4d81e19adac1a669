//! Tests of every pair of arms: sign-flip p-values, Holm's correction inside registered families, effect sizes, and
//! intervals that draw repositories rather than samples (section 14.5).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::detail::Detail;
use super::model::arms_present;
use crate::registration::{Comparison, Family, plan_families};
use crate::stats::{
    MIN_PAIRS, MIN_REPOSITORIES, PERMUTATIONS, RESAMPLES, SEED, State, cluster_bootstrap,
    effect_size, holm, mean, round6, sign_flip_p,
};

/// Every family that was tested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Significance {
    /// Whether the families were registered before the figures were known; else they were planned by the same rule
    /// from the arms and samples that the report has.
    pub registered: bool,
    /// The seed of each test's and each interval's generator.
    pub seed: u64,
    /// Sign assignments per test.
    pub permutations: u32,
    /// Resamples per interval.
    pub resamples: usize,
    /// The families.
    pub families: Vec<TestedFamily>,
}

/// Comparisons whose p-values are corrected together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestedFamily {
    /// `METRIC/GROUP`.
    pub name: String,
    /// The metric whose differences are tested.
    pub metric: String,
    /// The samples: `all`, `task:T` or `stratum:S`.
    pub group: String,
    /// What was compared.
    pub comparisons: Vec<TestedComparison>,
}

/// One comparison, arm minus baseline. With too few pairs there is only `n` and `state`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestedComparison {
    /// The arm whose gain is the question.
    pub arm: String,
    /// The arm that is subtracted.
    pub baseline: String,
    /// Samples on which both have the metric.
    pub n: u64,
    /// `NOT_RUN` with fewer than ten pairs; such a comparison has no part in the correction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// The mean difference, rounded to 1e-6 as every figure here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_diff: Option<f64>,
    /// The mean difference in standard deviations of the differences; absent where they do not vary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect_size: Option<f64>,
    /// The sign-flip p-value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The same after Holm's correction inside the family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_holm: Option<f64>,
    /// The lower bound of the 95% bootstrap interval over repositories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// `NOT_RUN` where the pairs come from fewer than two repositories, so that there is no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_state: Option<State>,
    /// Repositories that the pairs come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<u64>,
}

/// The corrected p under which a difference is a headline.
const HEADLINE_P: f64 = 0.05;

impl TestedComparison {
    /// Whether it may stand in a headline: two tests that can fail for different reasons agree. The interval
    /// resamples repositories and knows nothing of the other comparisons; the corrected p knows those and takes
    /// samples as independent.
    pub fn stands(&self) -> bool {
        self.excludes_zero() && self.p_holm.is_some_and(|p| p < HEADLINE_P)
    }

    /// Whether the interval leaves 0 out.
    pub fn excludes_zero(&self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if low > 0.0 || high < 0.0)
    }
}

/// Tests the registered families, or where there are none those planned from what the report has.
pub(super) fn test(
    details: &[Detail],
    limit: usize,
    registered: Option<&[Family]>,
) -> Significance {
    let planned;
    let families = match registered {
        Some(families) => families,
        None => {
            let samples =
                details.iter().map(|detail| (detail.task_type.as_str(), detail.stratum.as_str()));
            planned = plan_families(&arms_present(details), limit, samples);
            &planned
        }
    };
    let groups = groups(details);
    Significance {
        registered: registered.is_some(),
        seed: SEED,
        permutations: PERMUTATIONS,
        resamples: RESAMPLES,
        families: families.iter().map(|family| test_family(&groups, family)).collect(),
    }
}

/// The samples of every group, by what stands before and behind the colon of its name.
type Groups<'a> = BTreeMap<(&'a str, Option<&'a str>), Vec<&'a Detail>>;

fn groups(details: &[Detail]) -> Groups<'_> {
    let mut groups = Groups::new();
    for detail in details {
        let (task, stratum) = (detail.task_type.as_str(), detail.stratum.as_str());
        for group in [("all", None), ("task", Some(task)), ("stratum", Some(stratum))] {
            groups.entry(group).or_default().push(detail);
        }
    }
    groups
}

fn test_family(groups: &Groups<'_>, family: &Family) -> TestedFamily {
    let group = match family.group.split_once(':') {
        Some((kind, name)) => (kind, Some(name)),
        None => (family.group.as_str(), None),
    };
    let members = groups.get(&group).map_or(&[][..], Vec::as_slice);
    let mut comparisons: Vec<TestedComparison> = Vec::with_capacity(family.comparisons.len());
    let (mut tested, mut p_values) = (Vec::new(), Vec::new());
    for (index, pair) in family.comparisons.iter().enumerate() {
        let (comparison, p) = compare(members, pair, &family.metric);
        comparisons.push(comparison);
        if let Some(p) = p {
            tested.push(index);
            p_values.push(p);
        }
    }
    for (index, corrected) in tested.into_iter().zip(holm(&p_values)) {
        comparisons[index].p_holm = Some(round6(corrected));
    }
    TestedFamily {
        name: family.name.clone(),
        metric: family.metric.clone(),
        group: family.group.clone(),
        comparisons,
    }
}

/// The comparison, and its p-value before rounding.
fn compare(
    members: &[&Detail],
    pair: &Comparison,
    metric: &str,
) -> (TestedComparison, Option<f64>) {
    let mut differences = Vec::new();
    let mut by_repo: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for detail in members {
        if let Some(difference) = detail.difference(&pair.arm, &pair.baseline, metric) {
            differences.push(difference);
            by_repo.entry(&detail.repo).or_default().push(difference);
        }
    }
    let comparison = TestedComparison {
        arm: pair.arm.clone(),
        baseline: pair.baseline.clone(),
        n: differences.len() as u64,
        ..TestedComparison::default()
    };
    if differences.len() < MIN_PAIRS {
        return (TestedComparison { state: Some(State::NotRun), ..comparison }, None);
    }
    let p = sign_flip_p(&differences, PERMUTATIONS, SEED);
    let repositories = by_repo.len() as u64;
    let groups: Vec<Vec<f64>> = by_repo.into_values().collect();
    let interval =
        (groups.len() >= MIN_REPOSITORIES).then(|| cluster_bootstrap(&groups, SEED)).flatten();
    let comparison = TestedComparison {
        mean_diff: Some(round6(mean(&differences))),
        effect_size: effect_size(&differences).map(round6),
        p: Some(round6(p)),
        low: interval.map(|interval| round6(interval.low)),
        high: interval.map(|interval| round6(interval.high)),
        interval_state: interval.is_none().then_some(State::NotRun),
        repositories: Some(repositories),
        ..comparison
    };
    (comparison, Some(p))
}
