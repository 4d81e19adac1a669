//! Scores of known answers.

use std::collections::{BTreeMap, BTreeSet};

use retrieval_bench::dataset::span::merged;
use retrieval_bench::dataset::{GoldLines, LineRange};
use retrieval_bench::metric::{Applies, Judged, LineJudgement, METRICS, names, score};
use serde_json::Value;

use super::{answer, paths, range, scores};

#[test]
fn an_answer_has_its_hand_computed_scores() {
    let ranked = paths(&["a", "gold/1", "b", "gold/2", "c", "d", "gold/3", "trap"]);
    let gold = paths(&["gold/1", "gold/2", "gold/3", "gold/4"]);
    let traps = paths(&["trap", "elsewhere"]);
    let found = score(&Judged { hard_negatives: &traps, limit: 10, ..answer(&ranked, &gold) });
    let expected = scores(&[
        ("abstained", 0.0),
        ("selective_success", 1.0),
        ("recall@5", 2.0 / 4.0),
        ("recall@10", 3.0 / 4.0),
        ("mrr@k", 1.0 / 2.0),
        ("precision@k", 3.0 / 8.0),
        ("f1@k", 2.0 * 0.375 * 0.75 / 1.125),
        ("hit@k", 1.0),
        ("hard_negative_hits@k", 1.0),
    ]);
    assert_eq!(found, expected);
}

#[test]
fn an_abstention_is_right_only_where_no_file_is_gold() {
    let ranked = paths(&["a"]);
    let gold = paths(&["a"]);
    let declined = Judged { abstained: true, ..answer(&ranked, &gold) };
    assert_eq!(score(&declined)["selective_success"], 0.0);
    assert_eq!(score(&declined)["hit@k"], 1.0);
    let no_gold = |abstained| score(&Judged { abstained, gold: None, ..declined });
    assert_eq!(no_gold(true), scores(&[("abstained", 1.0), ("selective_success", 1.0)]));
    assert_eq!(no_gold(false), scores(&[("abstained", 0.0), ("selective_success", 0.0)]));
}

#[test]
fn a_failure_scores_zero_everywhere_and_has_no_line_scores() {
    let ranked = paths(&["a"]);
    let gold = paths(&["a"]);
    let lines = GoldLines::from([("a".to_owned(), vec![range(1, 2)])]);
    let failed = Judged {
        failed: true,
        abstained: true,
        lines: Some(LineJudgement { gold: &lines, predicted: &[2] }),
        ..answer(&ranked, &gold)
    };
    let found = score(&failed);
    assert_eq!(found.len(), 10);
    assert!(found.values().all(|value| *value == 0.0), "{found:?}");
    // Where no file is gold a failure is not a well-judged silence either.
    let found = score(&Judged { gold: None, ..failed });
    assert_eq!(found, scores(&[("abstained", 0.0), ("selective_success", 0.0)]));
}

#[test]
fn an_empty_ranking_scores_zero() {
    let gold = paths(&["a"]);
    let found = score(&answer(&[], &gold));
    assert!(found.values().all(|value| *value == 0.0), "{found:?}");
}

#[test]
fn a_repeated_path_counts_once_and_uses_both_places() {
    let ranked = paths(&["x", "a", "a", "trap", "trap", "a"]);
    let gold = paths(&["a", "b"]);
    let traps = paths(&["trap"]);
    let found = score(&Judged { hard_negatives: &traps, ..answer(&ranked, &gold) });
    assert_eq!(found["recall@5"], 0.5);
    assert_eq!(found["precision@k"], 1.0 / 6.0);
    assert_eq!(found["mrr@k"], 0.5);
    assert_eq!(found["hard_negative_hits@k"], 1.0);
}

#[test]
fn a_recall_exists_only_where_the_limit_reaches_its_cutoff() {
    let recalls = |limit: usize| -> Vec<&str> {
        names(limit).filter(|name| name.starts_with("recall")).collect()
    };
    assert!(recalls(4).is_empty());
    assert_eq!(recalls(5), ["recall@5"]);
    assert_eq!(recalls(19), ["recall@5", "recall@10"]);
    assert_eq!(recalls(50), ["recall@5", "recall@10", "recall@20"]);
    let gold = paths(&["a"]);
    assert!(!score(&Judged { limit: 4, ..answer(&gold, &gold) }).contains_key("recall@5"));
}

#[test]
fn every_metric_has_a_name_of_its_own_and_a_sentence() {
    let distinct: BTreeSet<&str> = METRICS.iter().map(|metric| metric.name).collect();
    assert_eq!(distinct.len(), METRICS.len());
    for metric in METRICS {
        assert!(metric.about.len() > 20, "{}", metric.name);
        if let Some(cutoff) = metric.cutoff {
            assert!(metric.name.ends_with(&format!("@{cutoff}")), "{}", metric.name);
            assert_eq!(metric.applies, Applies::Positive);
        }
    }
}

#[test]
fn line_scores_compare_gold_lines_with_the_lines_of_ranked_files() {
    // Gold: 3 lines of a (2-4), 2 of b (9-10), 5 of an absent file. Ranked: a with 8 lines, c with 2, b with 9.
    let lines = GoldLines::from([
        ("a".to_owned(), vec![range(2, 4)]),
        ("b".to_owned(), vec![range(9, 10)]),
        ("absent".to_owned(), vec![range(1, 5)]),
    ]);
    let ranked = paths(&["a", "c", "b"]);
    let gold = paths(&["a", "absent", "b"]);
    let found = score(&Judged {
        lines: Some(LineJudgement { gold: &lines, predicted: &[8, 2, 9] }),
        ..answer(&ranked, &gold)
    });
    assert_eq!(found["cb_file_coverage"], 2.0 / 3.0);
    assert_eq!(found["cb_file_precision"], 2.0 / 3.0);
    assert_eq!(found["cb_line_coverage"], 4.0 / 10.0);
    assert_eq!(found["cb_line_precision"], 4.0 / 19.0);
}

#[test]
fn a_share_of_no_lines_is_whole() {
    let lines = GoldLines::from([("a".to_owned(), vec![range(1, 2)])]);
    let gold = paths(&["a"]);
    let judged = |ranked, lines, predicted| {
        score(&Judged {
            lines: Some(LineJudgement { gold: lines, predicted }),
            ..answer(ranked, &gold)
        })
    };
    let silent = judged(&[], &lines, &[]);
    assert_eq!((silent["cb_file_precision"], silent["cb_line_precision"]), (1.0, 1.0));
    assert_eq!((silent["cb_file_coverage"], silent["cb_line_coverage"]), (0.0, 0.0));
    // A ranked file without lines, or none at all under its name, still is a wrong file.
    let missing = paths(&["nowhere"]);
    let empty = judged(&missing, &lines, &[0]);
    assert_eq!((empty["cb_file_precision"], empty["cb_line_precision"]), (0.0, 1.0));
    let unlabelled = judged(&missing, &BTreeMap::new(), &[3]);
    assert_eq!((unlabelled["cb_file_coverage"], unlabelled["cb_line_coverage"]), (1.0, 1.0));
}

#[test]
fn gold_lines_that_overlap_are_counted_once() {
    let lines = GoldLines::from([("a".to_owned(), vec![range(4, 6), range(1, 5)])]);
    let ranked = paths(&["a"]);
    let found = score(&Judged {
        lines: Some(LineJudgement { gold: &lines, predicted: &[3] }),
        ..answer(&ranked, &ranked)
    });
    assert_eq!(found["cb_line_coverage"], 3.0 / 6.0);
}

#[test]
fn a_range_to_the_last_line_there_can_be_is_counted() {
    let lines = GoldLines::from([("a".to_owned(), vec![range(1, u64::MAX), range(7, u64::MAX)])]);
    let ranked = paths(&["a"]);
    let found = score(&Judged {
        lines: Some(LineJudgement { gold: &lines, predicted: &[u64::MAX] }),
        ..answer(&ranked, &ranked)
    });
    assert_eq!(found["cb_line_coverage"], 1.0);
}

#[test]
fn ranges_are_joined_where_they_overlap_or_touch() {
    let joined = merged(vec![range(4, 9), range(1, 2), range(11, 12), range(10, 10)]);
    assert_eq!(joined, [range(1, 2), range(4, 12)]);
    assert_eq!(merged(vec![range(1, 10), range(2, 3)]), [range(1, 10)]);
    assert_eq!(merged(vec![]), []);
}

/// The rows of a shared table, where there is one.
fn table(name: &str) -> Option<Vec<Value>> {
    let path = crate::fixture::shared(&format!("data/harness-golden/unit/{name}.json"))?;
    let text = std::fs::read(path).expect("the file was there a moment ago");
    let rows: Vec<Value> = serde_json::from_slice(&text).expect("a table is a JSON array");
    assert!(!rows.is_empty(), "{name} has rows");
    Some(rows)
}

fn strings(list: &Value) -> Vec<String> {
    serde_json::from_value(list.clone()).expect("a list of strings")
}

#[test]
fn scores_equal_the_reference_table() {
    for row in table("score").unwrap_or_default() {
        let (ranked, gold) = (strings(&row["ranked"]), strings(&row["gold"]));
        let negatives = strings(&row["negatives"]);
        let found = score(&Judged {
            ranked: &ranked,
            abstained: row["abstained"] == true,
            failed: false,
            gold: (row["stratum"] == "positive").then_some(&gold),
            hard_negatives: &negatives,
            limit: row["limit"].as_u64().expect("a limit") as usize,
            lines: None,
        });
        let expected: BTreeMap<String, f64> =
            serde_json::from_value(row["metrics"].clone()).expect("metrics by name");
        assert_eq!(found, expected, "{row}");
    }
}

#[test]
fn merged_ranges_equal_the_reference_table() {
    let ranges = |list: &Value| -> Vec<LineRange> {
        let pairs: Vec<(u64, u64)> = serde_json::from_value(list.clone()).expect("a list of pairs");
        pairs.into_iter().map(|(start, end)| range(start, end)).collect()
    };
    for row in table("mergelines").unwrap_or_default() {
        assert_eq!(merged(ranges(&row["in"])), ranges(&row["merged"]), "{row}");
    }
}
