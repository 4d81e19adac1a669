//! What holds for all answers.

use std::collections::BTreeSet;

use proptest::prelude::*;
use retrieval_bench::dataset::span::merged;
use retrieval_bench::dataset::{GoldLines, LineRange};
use retrieval_bench::metric::{Judged, LineJudgement, score};

use super::range;
use crate::oracle;

/// An answer with everything it is judged by, owned.
#[derive(Clone, Debug)]
struct Case {
    ranked: Vec<String>,
    abstained: bool,
    failed: bool,
    gold: Option<Vec<String>>,
    hard_negatives: Vec<String>,
    limit: usize,
    lines: Option<(GoldLines, Vec<u64>)>,
}

impl Case {
    fn judged(&self) -> Judged<'_> {
        Judged {
            ranked: &self.ranked,
            abstained: self.abstained,
            failed: self.failed,
            gold: self.gold.as_deref(),
            hard_negatives: &self.hard_negatives,
            limit: self.limit,
            lines: self.lines.as_ref().map(|(gold, predicted)| LineJudgement { gold, predicted }),
        }
    }
}

/// Few names, so that gold, negatives and repetitions are common.
fn path() -> impl Strategy<Value = String> {
    (0u8..16).prop_map(|name| format!("src/{name}.rs"))
}

fn line_range() -> impl Strategy<Value = LineRange> {
    (1u64..40, 0u64..12).prop_map(|(start, more)| range(start, start + more))
}

fn case() -> impl Strategy<Value = Case> {
    let lines = (
        prop::collection::btree_map(path(), prop::collection::vec(line_range(), 0..5), 0..6),
        prop::collection::vec(0u64..60, 0..30),
    );
    (
        prop::collection::vec(path(), 0..30),
        any::<bool>(),
        prop::bool::weighted(0.1),
        prop::option::weighted(0.8, prop::collection::vec(path(), 0..6)),
        prop::collection::vec(path(), 0..4),
        0usize..30,
        prop::option::of(lines),
    )
        .prop_map(|(ranked, abstained, failed, gold, hard_negatives, limit, lines)| Case {
            ranked,
            abstained,
            failed,
            gold,
            hard_negatives,
            limit,
            lines,
        })
}

proptest! {
    #[test]
    fn scores_equal_the_oracle_s(case in case()) {
        prop_assert_eq!(score(&case.judged()), oracle::metric::score(&case.judged()));
    }

    #[test]
    fn shares_lie_between_zero_and_one_and_counts_are_whole(case in case()) {
        for (name, value) in score(&case.judged()) {
            if name == "hard_negative_hits@k" {
                prop_assert!(value.fract() == 0.0 && value <= case.hard_negatives.len() as f64);
            } else {
                prop_assert!((0.0..=1.0).contains(&value), "{name} {value}");
            }
            prop_assert!(value.is_sign_positive(), "{} {}", name, value);
        }
    }

    #[test]
    fn recall_never_falls_with_k(case in case()) {
        let scores = score(&Case { limit: 20, ..case }.judged());
        if let Some(at_five) = scores.get("recall@5") {
            prop_assert!(*at_five <= scores["recall@10"]);
            prop_assert!(scores["recall@10"] <= scores["recall@20"]);
        }
    }

    #[test]
    fn the_order_of_files_that_are_not_gold_moves_nothing(case in case(), seed in any::<u64>()) {
        // Distinct files and no lines: the places of gold files then say everything.
        let mut seen = BTreeSet::new();
        let mut ranked = case.ranked.clone();
        ranked.retain(|path| seen.insert(path.clone()));
        let case = Case { ranked, limit: 30, lines: None, ..case };
        let is_gold = |path: &String| case.gold.iter().flatten().any(|gold| gold == path);
        let places: Vec<usize> =
            (0..case.ranked.len()).filter(|place| !is_gold(&case.ranked[*place])).collect();
        let mut shuffled = case.clone();
        for (index, place) in places.iter().enumerate() {
            let other = places[(index as u64 ^ seed) as usize % places.len()];
            shuffled.ranked.swap(*place, other);
        }
        prop_assert_eq!(score(&shuffled.judged()), score(&case.judged()));
    }

    #[test]
    fn removing_a_file_that_is_not_gold_never_lowers_mrr_precision_or_recall(
        case in case(), place in any::<prop::sample::Index>(),
    ) {
        if let Some(gold) = &case.gold
            && !case.ranked.is_empty()
            && !gold.contains(place.get(&case.ranked))
        {
            let mut shorter = case.clone();
            shorter.ranked.remove(place.index(case.ranked.len()));
            let (before, after) = (score(&case.judged()), score(&shorter.judged()));
            for name in ["mrr@k", "precision@k", "hit@k", "recall@5", "recall@10", "recall@20"] {
                prop_assert!(before.get(name) <= after.get(name), "{name}");
            }
        }
    }

    #[test]
    fn repeating_a_path_never_gains_anything(
        case in case(), place in any::<prop::sample::Index>(),
    ) {
        if !case.ranked.is_empty() {
            let mut longer = case.clone();
            longer.ranked.push(place.get(&case.ranked).clone());
            let (before, after) = (score(&case.judged()), score(&longer.judged()));
            for (name, value) in after {
                prop_assert!(value <= before[&name], "{name}");
            }
        }
    }

    #[test]
    fn what_stands_beyond_the_limit_moves_nothing(case in case(), more in path()) {
        let mut cut = case.clone();
        cut.ranked.truncate(case.limit);
        let mut longer = cut.clone();
        if cut.ranked.len() == case.limit {
            longer.ranked.push(more);
        }
        prop_assert_eq!(score(&longer.judged()), score(&cut.judged()));
    }

    #[test]
    fn merged_ranges_hold_the_same_lines_apart_and_in_order(
        ranges in prop::collection::vec(line_range(), 0..12),
    ) {
        let lines = |ranges: &[LineRange]| -> BTreeSet<u64> {
            ranges.iter().flat_map(|range| range.start..=range.end).collect()
        };
        let joined = merged(ranges.clone());
        prop_assert_eq!(lines(&joined), lines(&ranges));
        prop_assert!(joined.windows(2).all(|pair| pair[0].end + 1 < pair[1].start));
        prop_assert_eq!(merged(joined.clone()), joined);
    }
}
