//! What a ranking holds of the gold, counted once for all metrics.
//!
//! Invariants: nothing beyond the limit is read; a path that occurs twice counts at its first place only, as gold, as
//! hard negative and as predicted lines, though each of its places is a place used.

use std::collections::BTreeSet;

use super::judged::{Judged, LineJudgement};
use super::lines::lines_in;
use crate::dataset::span::merged;

/// The counts that the table of metrics is arithmetic on.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) abstained: bool,
    /// Distinct gold files; `None` where no file is gold.
    pub(super) gold: Option<usize>,
    /// Places used, at most the limit.
    pub(super) ranked: usize,
    /// The positions, from 0 and ascending, at which a gold file stands first.
    pub(super) hits: Vec<usize>,
    /// Distinct ranked files that are hard negatives.
    pub(super) hard_negatives: usize,
    /// Files with gold lines against ranked files.
    pub(super) files: Overlap,
    /// Gold lines against the lines of ranked files.
    pub(super) lines: Overlap,
}

/// How much of a prediction is gold.
#[derive(Debug, Default)]
pub(super) struct Overlap {
    pub(super) gold: u128,
    pub(super) predicted: u128,
    pub(super) shared: u128,
}

impl Reading {
    pub(super) fn new(judged: &Judged<'_>) -> Reading {
        let ranked = &judged.ranked[..judged.ranked.len().min(judged.limit)];
        let gold: Option<BTreeSet<&str>> =
            judged.gold.map(|gold| gold.iter().map(String::as_str).collect());
        let mut reading = Reading {
            abstained: judged.abstained,
            gold: gold.as_ref().map(BTreeSet::len),
            ranked: ranked.len(),
            ..Reading::default()
        };
        if let Some(lines) = judged.lines {
            reading.count_gold_lines(lines);
        }
        let mut seen = BTreeSet::new();
        for (position, path) in ranked.iter().enumerate() {
            if !seen.insert(path) {
                continue;
            }
            if gold.as_ref().is_some_and(|gold| gold.contains(path.as_str())) {
                reading.hits.push(position);
            }
            reading.hard_negatives += usize::from(judged.hard_negatives.contains(path));
            if let Some(lines) = judged.lines {
                reading.count_predicted_lines(lines, position, path);
            }
        }
        reading
    }

    /// Gold files among the first `k`.
    pub(super) fn hits_within(&self, k: usize) -> usize {
        self.hits.partition_point(|position| *position < k)
    }

    fn count_gold_lines(&mut self, lines: LineJudgement<'_>) {
        self.files.gold = lines.gold.len() as u128;
        for ranges in lines.gold.values() {
            self.lines.gold += lines_in(&merged(ranges.clone()), u64::MAX);
        }
    }

    fn count_predicted_lines(&mut self, lines: LineJudgement<'_>, position: usize, path: &str) {
        let last = lines.predicted.get(position).copied().unwrap_or(0);
        self.files.predicted += 1;
        self.lines.predicted += u128::from(last);
        if let Some(ranges) = lines.gold.get(path) {
            self.files.shared += 1;
            self.lines.shared += lines_in(&merged(ranges.clone()), last);
        }
    }
}
