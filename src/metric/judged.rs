//! One answer beside what would have been right, and its scores.

use std::collections::BTreeMap;

use crate::dataset::GoldLines;

use super::reading::Reading;
use super::table::{Applies, METRICS};

/// One answer and what it is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The paths, best first. Whatever stands beyond `limit` is not read, and a path counts where it first stands.
    pub ranked: &'a [String],
    /// Whether the arm declined to answer.
    pub abstained: bool,
    /// Whether the arm failed: then every metric that applies is 0, and those of lines do not apply.
    pub failed: bool,
    /// The files that answer the sample; `None` where no file does.
    pub gold: Option<&'a [String]>,
    /// Files that look right and are not.
    pub hard_negatives: &'a [String],
    /// The most files the arm was asked for.
    pub limit: usize,
    /// Line-level gold, for ContextBench only.
    pub lines: Option<LineJudgement<'a>>,
}

/// Line-level gold and what the ranking predicts of it.
#[derive(Clone, Copy, Debug)]
pub struct LineJudgement<'a> {
    /// Gold lines per file. Files that the snapshot lacks count too.
    pub gold: &'a GoldLines,
    /// The line count of each ranked file, in the order of the ranking: a ranked file predicts lines 1 to its count,
    /// so 0 (empty, or not a file) predicts nothing, as does a file beyond the end of this list.
    pub predicted: &'a [u64],
}

/// Every metric of [`METRICS`] that applies to the answer, unrounded.
pub fn score(judged: &Judged<'_>) -> BTreeMap<String, f64> {
    let reading = Reading::new(judged);
    METRICS
        .iter()
        .filter(|metric| metric.exists_at(judged.limit))
        .filter(|metric| match metric.applies {
            Applies::Every => true,
            Applies::Positive => judged.gold.is_some(),
            Applies::LineGold => judged.lines.is_some() && !judged.failed,
        })
        .map(|metric| {
            let k = metric.cutoff.unwrap_or(judged.limit);
            let value = if judged.failed { 0.0 } else { (metric.value)(&reading, k) };
            (metric.name.to_owned(), value)
        })
        .collect()
}
