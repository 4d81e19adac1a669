//! What one ranking is worth: against hand-computed values, the reference's tables, and the slow oracle.

mod known;
mod properties;
mod recorded;

use std::collections::BTreeMap;

use retrieval_bench::dataset::LineRange;
use retrieval_bench::metric::Judged;

fn paths(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// An answer to a sample with gold, at the default limit.
fn answer<'a>(ranked: &'a [String], gold: &'a [String]) -> Judged<'a> {
    Judged {
        ranked,
        abstained: false,
        failed: false,
        gold: Some(gold),
        hard_negatives: &[],
        limit: 20,
        lines: None,
    }
}

fn scores(pairs: &[(&str, f64)]) -> BTreeMap<String, f64> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

fn range(start: u64, end: u64) -> LineRange {
    LineRange { start, end }
}
