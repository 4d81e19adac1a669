//! One sample's line in the report: the question, every answer, every metric.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::arm::Answer;
use crate::dataset::Sample;
use crate::dataset::fold::fold;

/// One sample's line. Older reports lack some members or write `null` for an empty list; both are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Detail {
    /// The sample, unique in the report.
    pub id: String,
    /// The benchmark's task type.
    pub task_type: String,
    /// `OWNER/NAME`.
    pub repo: String,
    /// The commit it is asked over.
    pub base_commit: String,
    /// What kind of answer would be right.
    pub stratum: String,
    /// The fold of the repository.
    #[serde(default)]
    pub partition: String,
    /// The files that answer it; `null` where no file does.
    #[serde(default)]
    pub gold: Option<Vec<String>>,
    /// The files that the asker already holds.
    #[serde(default, deserialize_with = "null_as_default")]
    pub given: Vec<String>,
    /// Unicode scalar values in the query text.
    #[serde(default)]
    pub query_chars: usize,
    /// Whether the corvint arm saw only the beginning of the text.
    #[serde(default)]
    pub query_truncated: bool,
    /// Whether the text names something that can be searched for literally.
    #[serde(default, skip_serializing_if = "is_false")]
    pub anchor_bearing: bool,
    /// Why the sample could not be measured, or not by every arm.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Every arm's answer.
    #[serde(default, deserialize_with = "null_as_default")]
    pub arms: BTreeMap<String, Answer>,
    /// Every arm's metrics, unrounded.
    #[serde(default, deserialize_with = "null_as_default")]
    pub metrics: BTreeMap<String, BTreeMap<String, f64>>,
}

impl Detail {
    /// The line of a sample that no arm has answered yet.
    pub fn of(sample: &Sample) -> Detail {
        Detail {
            id: sample.id.clone(),
            task_type: sample.task.clone(),
            repo: sample.snapshot.repo.clone(),
            base_commit: sample.snapshot.commit.clone(),
            stratum: sample.stratum.name().to_owned(),
            partition: fold(&sample.snapshot.repo).to_owned(),
            gold: sample.is_positive().then(|| sample.gold.clone()),
            given: sample.given.clone(),
            query_chars: sample.query.chars(),
            query_truncated: sample.query.truncated(),
            anchor_bearing: sample.query.anchor_bearing,
            ..Detail::default()
        }
    }

    /// An arm's value of a metric, where it has one.
    pub fn metric(&self, arm: &str, metric: &str) -> Option<f64> {
        self.metrics.get(arm)?.get(metric).copied()
    }

    /// `arm`'s value minus `baseline`'s, where both have one.
    pub(super) fn difference(&self, arm: &str, baseline: &str, metric: &str) -> Option<f64> {
        Some(self.metric(arm, metric)? - self.metric(baseline, metric)?)
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn null_as_default<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(input)?.unwrap_or_default())
}
