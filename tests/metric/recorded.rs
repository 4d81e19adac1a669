//! Every answer of recorded reports, scored again from what the reports hold.

use std::collections::BTreeMap;

use retrieval_bench::dataset::GoldLines;
use retrieval_bench::metric::{Judged, LineJudgement, score};
use serde_json::Value;

use super::range;

/// The gold lines of the recorded ContextBench samples, before merging.
fn gold_lines(sample: &str) -> Option<GoldLines> {
    let files = match sample {
        "cb-1" => vec![
            ("pyutil/retry.py", vec![range(1, 3), range(3, 5), range(7, 8)]),
            ("tests/test_retry.py", vec![range(2, 4)]),
        ],
        "cb-2" => vec![("tests/test_retry.py", vec![range(1, 2)])],
        "cb-adjacent" => vec![
            ("pyutil/config_loader.py", vec![range(1, 2), range(3, 3), range(5, 900)]),
            ("missing/file.py", vec![range(1, 10)]),
        ],
        _ => return None,
    };
    Some(files.into_iter().map(|(path, ranges)| (path.to_owned(), ranges)).collect())
}

/// The line counts of their snapshot; a file that is not in it has none.
fn line_count(path: &str) -> u64 {
    match path {
        "pyutil/__init__.py" => 1,
        "pyutil/retry.py" => 11,
        "pyutil/config_loader.py" => 6,
        "tests/test_retry.py" | "tests/test_config_loader.py" => 5,
        "README.rst" => 3,
        _ => 0,
    }
}

/// How many answers of a recorded report were scored, each as recorded. Hard negatives are not in a report, so their
/// count is taken as recorded, except for failures.
fn rescore(case: &str) -> usize {
    let Some(recorded) = crate::fixture::shared("data/harness-golden/expected") else { return 0 };
    // A refusal has no report.
    let Ok(text) = std::fs::read(recorded.join(case).join("report.json")) else { return 0 };
    let report: Value = serde_json::from_slice(&text).expect("a report is JSON");
    let mut compared = 0;
    for detail in report["details"].as_array().expect("details") {
        let gold: Option<Vec<String>> =
            serde_json::from_value(detail["gold"].clone()).expect("gold or null");
        let lines = gold_lines(detail["id"].as_str().expect("an id"));
        for (arm, given) in detail["arms"].as_object().expect("arms") {
            let ranked: Option<Vec<String>> =
                serde_json::from_value(given["ranked"].clone()).expect("a ranking or null");
            let ranked = ranked.unwrap_or_default();
            let predicted: Vec<u64> = ranked.iter().map(|path| line_count(path)).collect();
            let failed = given["error"].is_string();
            let mut found = score(&Judged {
                ranked: &ranked,
                abstained: given["abstained"] == true,
                failed,
                gold: gold.as_deref(),
                hard_negatives: &[],
                limit: report["limit"].as_u64().expect("a limit") as usize,
                lines: lines.as_ref().map(|gold| LineJudgement { gold, predicted: &predicted }),
            });
            let mut expected: BTreeMap<String, f64> =
                serde_json::from_value(detail["metrics"][arm].clone()).expect("metrics by name");
            if !failed {
                found.remove("hard_negative_hits@k");
                expected.remove("hard_negative_hits@k");
            }
            assert_eq!(found, expected, "{case} {} {arm}", detail["id"]);
            compared += 1;
        }
    }
    compared
}

#[test]
fn every_recorded_answer_scores_as_recorded() {
    let cases = ["arms-all", "arms-all-k2", "arms-no-binary", "arms-impact-affected"];
    let compared: usize = cases.into_iter().map(rescore).sum();
    assert!(compared == 0 || compared > 300, "only {compared} answers were compared");
}

#[test]
fn every_recorded_contextbench_answer_scores_as_recorded() {
    let cases = ["contextbench-k2", "contextbench-k20", "contextbench-arms"];
    let compared: usize = cases.into_iter().map(rescore).sum();
    assert!(compared == 0 || compared >= 27, "only {compared} answers were compared");
}
