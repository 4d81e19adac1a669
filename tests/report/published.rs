//! A published baseline: every mean and interval recomputes through the report.

use serde_json::Value;

use super::{answered, assemble, detail};
use crate::fixture::shared;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

/// The metrics that an answer's counts determine.
fn metrics(answer: &Value, gold: f64) -> Vec<(&'static str, f64)> {
    let hits = |k: &str| number(&answer["gold_hits"][k]);
    let first = number(&answer["first_gold_rank"]);
    let ranked = number(&answer["ranked_len"]);
    let hit = f64::from(u8::from(first > 0.0));
    let abstained = f64::from(u8::from(answer["abstained"] == true));
    let precision = if ranked > 0.0 { hits("20") / ranked } else { 0.0 };
    let recall = hits("20") / gold;
    let sum = precision + recall;
    vec![
        ("abstained", abstained),
        ("recall@5", hits("5") / gold),
        ("recall@10", hits("10") / gold),
        ("recall@20", recall),
        ("mrr@k", if first > 0.0 { 1.0 / first } else { 0.0 }),
        ("precision@k", precision),
        ("f1@k", if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 }),
        ("hit@k", hit),
        ("hard_negative_hits@k", 0.0),
        ("selective_success", hit * (1.0 - abstained)),
    ]
}

#[test]
fn the_published_lexical_baseline_recomputes() {
    let name = "data/published/arb-v2-lexical-2026-09-13.trace2code.reduced.json";
    let Some(path) = shared(name) else { return };
    let published: Value =
        serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("it is JSON");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let mut details = Vec::new();
    for sample in published["samples"].as_array().expect("an array") {
        let mut line = detail(
            &text(&sample["id"]),
            &text(&sample["task_type"]),
            &text(&sample["repo"]),
            &text(&sample["stratum"]),
        );
        assert_eq!(line.partition, text(&sample["partition"]));
        for (arm, answer) in sample["arms"].as_object().expect("an object") {
            line = answered(line, arm, &metrics(answer, number(&sample["gold_count"])));
        }
        details.push(line);
    }
    let ours = serde_json::to_value(assemble(details)).expect("it renders");
    let mut compared = 0;
    compare(&published["published_arms"], &ours["arms"], "arms", &mut compared);
    assert!(compared > 150, "{compared} figures");
}

fn compare(theirs: &Value, ours: &Value, place: &str, compared: &mut usize) {
    match theirs {
        Value::Object(members) => {
            for (name, theirs) in members {
                compare(theirs, &ours[name], &format!("{place}.{name}"), compared);
            }
        }
        _ => {
            let (theirs, ours) = (number(theirs), number(ours));
            assert!((theirs - ours).abs() <= 1.01e-6, "{place}: ours {ours}, published {theirs}");
            *compared += 1;
        }
    }
}
