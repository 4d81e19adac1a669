//! Metrics by sets and lists of lines, one definition at a time.

use std::collections::{BTreeMap, BTreeSet};

use retrieval_bench::metric::Judged;

/// Every metric of one answer, from the definitions.
pub fn score(judged: &Judged<'_>) -> BTreeMap<String, f64> {
    let mut scores = BTreeMap::new();
    let mut put = |name: &str, value: f64| {
        scores.insert(name.to_owned(), if judged.failed { 0.0 } else { value });
    };
    let one_if = |holds: bool| if holds { 1.0 } else { 0.0 };
    let ranked: Vec<&String> = judged.ranked.iter().take(judged.limit).collect();
    let found: BTreeSet<&String> = ranked.iter().copied().collect();

    put("abstained", one_if(judged.abstained));
    if let Some(gold) = judged.gold {
        let gold: BTreeSet<&String> = gold.iter().collect();
        let share_in = |files: &BTreeSet<&String>| {
            let hits = gold.intersection(files).count();
            if gold.is_empty() { 0.0 } else { hits as f64 / gold.len() as f64 }
        };
        for k in [5, 10, 20] {
            if k <= judged.limit {
                let first: BTreeSet<&String> = ranked.iter().take(k).copied().collect();
                put(&format!("recall@{k}"), share_in(&first));
            }
        }
        let rank = ranked.iter().position(|path| gold.contains(path));
        put("mrr@k", rank.map_or(0.0, |position| 1.0 / (position as f64 + 1.0)));
        let hits = gold.intersection(&found).count() as f64;
        let precision = if ranked.is_empty() { 0.0 } else { hits / ranked.len() as f64 };
        let recall = share_in(&found);
        put("precision@k", precision);
        put(
            "f1@k",
            if hits == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) },
        );
        put("hit@k", one_if(hits > 0.0));
        let negatives: BTreeSet<&String> = judged.hard_negatives.iter().collect();
        put("hard_negative_hits@k", negatives.intersection(&found).count() as f64);
        put("selective_success", one_if(hits > 0.0 && !judged.abstained));
    } else {
        put("selective_success", one_if(judged.abstained));
    }

    if let (Some(lines), false) = (judged.lines, judged.failed) {
        let ratio = |part: usize, whole: usize| {
            if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
        };
        let gold_files: BTreeSet<&String> = lines.gold.keys().collect();
        let files = gold_files.intersection(&found).count();
        put("cb_file_coverage", ratio(files, gold_files.len()));
        put("cb_file_precision", ratio(files, found.len()));
        let gold_lines: BTreeSet<(&String, u64)> = lines
            .gold
            .iter()
            .flat_map(|(path, ranges)| {
                ranges
                    .iter()
                    .flat_map(move |range| (range.start..=range.end).map(move |line| (path, line)))
            })
            .collect();
        let mut predicted: BTreeSet<(&String, u64)> = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for (path, count) in ranked.iter().zip(lines.predicted) {
            if seen.insert(*path) {
                predicted.extend((1..=*count).map(|line| (*path, line)));
            }
        }
        let shared = gold_lines.intersection(&predicted).count();
        put("cb_line_coverage", ratio(shared, gold_lines.len()));
        put("cb_line_precision", ratio(shared, predicted.len()));
    }
    scores
}
