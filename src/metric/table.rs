//! The one table of metrics: scoring, help and schema all follow it.
//!
//! A new metric is one row here. Every function is arithmetic on a [`Reading`], which has already seen to
//! duplicates, the limit and failures.

use super::reading::Reading;

/// The answers a metric has a value for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies {
    /// Every answer.
    Every,
    /// Answers to samples that have gold.
    Positive,
    /// Answers to samples that have line-level gold, where the arm did not fail.
    LineGold,
}

/// One row of the table of metrics.
#[derive(Debug)]
pub struct Metric {
    /// The name in the report.
    pub name: &'static str,
    /// The answers it has a value for.
    pub applies: Applies,
    /// The k of its name where that is a number; the metric exists only in runs whose limit reaches it. In the other
    /// names k is the limit itself.
    pub cutoff: Option<usize>,
    /// One sentence for people.
    pub about: &'static str,
    /// Its value, given the cutoff or else the limit.
    pub(super) value: fn(&Reading, usize) -> f64,
}

impl Metric {
    /// Whether a run with this limit has the metric.
    pub fn exists_at(&self, limit: usize) -> bool {
        self.cutoff.is_none_or(|cutoff| cutoff <= limit)
    }
}

/// Every metric (reference specification, sections 9 and 10).
pub static METRICS: &[Metric] = &[
    Metric {
        name: "abstained",
        applies: Applies::Every,
        cutoff: None,
        about: "1 where the arm declined to answer",
        value: |reading, _| indicator(reading.abstained),
    },
    Metric {
        name: "selective_success",
        applies: Applies::Every,
        cutoff: None,
        about: "1 for the right decision: an answer that holds a gold file, or an abstention where no file is gold",
        value: |reading, k| match reading.gold {
            Some(_) => indicator(!reading.abstained && reading.hits_within(k) > 0),
            None => indicator(reading.abstained),
        },
    },
    Metric {
        name: "recall@5",
        applies: Applies::Positive,
        cutoff: Some(5),
        about: "the share of the gold files that are among the first 5",
        value: recall,
    },
    Metric {
        name: "recall@10",
        applies: Applies::Positive,
        cutoff: Some(10),
        about: "the share of the gold files that are among the first 10",
        value: recall,
    },
    Metric {
        name: "recall@20",
        applies: Applies::Positive,
        cutoff: Some(20),
        about: "the share of the gold files that are among the first 20",
        value: recall,
    },
    Metric {
        name: "mrr@k",
        applies: Applies::Positive,
        cutoff: None,
        about: "1 / the rank of the first gold file, 0 where the ranking has none",
        value: |reading, _| {
            reading.hits.first().map_or(0.0, |position| 1.0 / (position + 1) as f64)
        },
    },
    Metric {
        name: "precision@k",
        applies: Applies::Positive,
        cutoff: None,
        about: "the share of the ranked files that are gold, 0 for an empty ranking",
        value: precision,
    },
    Metric {
        name: "f1@k",
        applies: Applies::Positive,
        cutoff: None,
        about: "the harmonic mean of the precision and the recall of the whole ranking",
        value: |reading, k| {
            let (precision, recall) = (precision(reading, k), recall(reading, k));
            let sum = precision + recall;
            if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 }
        },
    },
    Metric {
        name: "hit@k",
        applies: Applies::Positive,
        cutoff: None,
        about: "1 where the ranking holds a gold file",
        value: |reading, k| indicator(reading.hits_within(k) > 0),
    },
    Metric {
        name: "hard_negative_hits@k",
        applies: Applies::Positive,
        cutoff: None,
        about: "how many ranked files are known to look right and be wrong: a count, not a share",
        value: |reading, _| reading.hard_negatives as f64,
    },
    Metric {
        name: "cb_file_coverage",
        applies: Applies::LineGold,
        cutoff: None,
        about: "the share of the files with gold lines that are ranked, 1 where there are none",
        value: |reading, _| share_or_one(reading.files.shared, reading.files.gold),
    },
    Metric {
        name: "cb_file_precision",
        applies: Applies::LineGold,
        cutoff: None,
        about: "the share of the ranked files that have gold lines, 1 for an empty ranking",
        value: |reading, _| share_or_one(reading.files.shared, reading.files.predicted),
    },
    Metric {
        name: "cb_line_coverage",
        applies: Applies::LineGold,
        cutoff: None,
        about: "the share of the gold lines that ranked files hold, 1 where there are none",
        value: |reading, _| share_or_one(reading.lines.shared, reading.lines.gold),
    },
    Metric {
        name: "cb_line_precision",
        applies: Applies::LineGold,
        cutoff: None,
        about: "the share of the ranked files' lines that are gold, 1 where they have no line",
        value: |reading, _| share_or_one(reading.lines.shared, reading.lines.predicted),
    },
];

/// The names of the metrics that a run with this limit has, in the order of the table.
pub fn names(limit: usize) -> impl Iterator<Item = &'static str> {
    METRICS.iter().filter(move |metric| metric.exists_at(limit)).map(|metric| metric.name)
}

fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn recall(reading: &Reading, k: usize) -> f64 {
    match reading.gold {
        Some(gold) if gold > 0 => reading.hits_within(k) as f64 / gold as f64,
        _ => 0.0,
    }
}

fn precision(reading: &Reading, k: usize) -> f64 {
    let slots = reading.ranked.min(k);
    if slots == 0 { 0.0 } else { reading.hits_within(k) as f64 / slots as f64 }
}

/// ContextBench takes a share of nothing for whole.
fn share_or_one(part: u128, whole: u128) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
