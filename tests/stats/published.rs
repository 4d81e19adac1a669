//! Every mean and interval of a published baseline report, recomputed from its samples.
//!
//! The reduction keeps, per sample and arm, what the metrics depend on: ranking length, rank of the first gold file,
//! gold files within 5, 10 and 20. A ranking with those counts is rebuilt and goes through scoring and summary.

use std::collections::BTreeMap;

use retrieval_bench::metric::{Judged, score};
use retrieval_bench::stats::{mean, round6, wilson};
use serde_json::Value;

use super::{float, rows, shared_json};

fn count(value: &Value) -> usize {
    value.as_u64().expect("a count") as usize
}

/// A ranking, with gold files `gold/0`, `gold/1`…, that has the counts of a reduced answer.
fn rebuilt(answer: &Value) -> Vec<String> {
    let mut ranked: Vec<String> =
        (0..count(&answer["ranked_len"])).map(|place| format!("other/{place}")).collect();
    let first = count(&answer["first_gold_rank"]);
    let mut placed = 0;
    if first > 0 {
        ranked[first - 1] = "gold/0".to_owned();
        placed = 1;
        let mut place = first;
        for k in [5, 10, 20] {
            place = place.max(if k == 5 { 0 } else { k / 2 });
            while placed < count(&answer["gold_hits"][k.to_string()]) {
                ranked[place] = format!("gold/{placed}");
                placed += 1;
                place += 1;
            }
        }
    }
    assert_eq!(placed, count(&answer["gold_hits"]["20"]), "{answer}");
    ranked
}

fn scores_of(sample: &Value, arm: &str, limit: usize) -> BTreeMap<String, f64> {
    let answer = &sample["arms"][arm];
    let ranked = rebuilt(answer);
    let gold: Vec<String> =
        (0..count(&sample["gold_count"])).map(|file| format!("gold/{file}")).collect();
    score(&Judged {
        ranked: &ranked,
        abstained: answer["abstained"] == true,
        failed: false,
        gold: (sample["stratum"] == "positive").then_some(&gold),
        hard_negatives: &[],
        limit,
        lines: None,
    })
}

#[test]
fn every_published_mean_and_interval_recomputes_from_the_samples() {
    let name = "data/published/arb-v2-lexical-2026-09-13.trace2code.reduced.json";
    let Some(report) = shared_json(name) else { return };
    let limit = count(&report["limit"]);
    let mut compared = 0;
    for (arm, published) in report["published_arms"].as_object().expect("arms by name") {
        let scored: Vec<(&Value, BTreeMap<String, f64>)> = rows(&report["samples"])
            .iter()
            .map(|sample| (sample, scores_of(sample, arm, limit)))
            .collect();
        for (group, summary) in published.as_object().expect("groups by name") {
            let members: Vec<&BTreeMap<String, f64>> = scored
                .iter()
                .filter(|(sample, _)| is_member(sample, group))
                .map(|(_, scores)| scores)
                .collect();
            let values_of = |metric: &str| -> Vec<f64> {
                members.iter().filter_map(|scores| scores.get(metric).copied()).collect()
            };
            match group.as_str() {
                "errors" => assert_eq!(summary, 0, "{arm}"),
                "intervals" => {
                    for (metric, interval) in summary.as_object().expect("intervals by metric") {
                        let values = values_of(if metric == "hit@20" { "hit@k" } else { metric });
                        let successes = values.iter().filter(|value| **value == 1.0).count();
                        let found = wilson(successes as u64, values.len() as u64);
                        let expected = serde_json::from_value(interval.clone());
                        assert_eq!(found, expected.expect("an interval is read"), "{arm} {metric}");
                        compared += 1;
                    }
                }
                _ => {
                    for (metric, expected) in summary.as_object().expect("means by metric") {
                        let found = match metric.as_str() {
                            "n" => members.len() as f64,
                            "positives" => values_of("hit@k").len() as f64,
                            _ => round6(mean(&values_of(metric))),
                        };
                        assert_eq!(found, float(expected), "{arm} {group} {metric}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 150, "only {compared} figures were compared");
}

/// Whether a sample belongs to a group; all belong to the intervals, whose samples are all positive here.
fn is_member(sample: &Value, group: &str) -> bool {
    match group.split_once(':') {
        None => true,
        Some(("task", task)) => sample["task_type"] == task,
        Some(("stratum", stratum)) => sample["stratum"] == stratum,
        Some(("fold", fold)) => sample["partition"] == fold,
        Some(_) => panic!("a group of an unknown kind: {group}"),
    }
}
