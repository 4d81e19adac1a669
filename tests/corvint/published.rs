//! The packets and refusals that the tool's own project publishes.

use std::collections::BTreeSet;
use std::fs;

use retrieval_bench::corvint::{Asked, verb};
use serde_json::Value;

use crate::fixture::shared;
use crate::oracle::packet as oracle;

const CONTEXT_DEFAULT: &[&str] = &[
    "AGENTS.md",
    "docs/specs/demux-v0.md",
    "cache/demux_test.go",
    "cache/join.go",
    "cache/keys.go",
    "cache/latin1.txt",
    "go.mod",
];
const CONTEXT_RECIPE: &[&str] = &[
    "AGENTS.md",
    "pkg/parser/parser.go",
    "pkg/parser/parser_test.go",
    "lib/scan/def.go",
    "pkg/parser/helpers.go",
    "docs/needle.md",
    "docs/guide.md",
    "internal/other/short.go",
    "cmd/needle/main.go",
    "go.mod",
    "internal/other/unrelated.go",
    "lib/frob/frob.go",
];
const MAIN_IMPACT: &[&str] =
    &["pkg/main_test.go", "testing/features.yaml", "testing/scenarios.yaml"];
const SAMPLE_IMPACT: &[&str] =
    &["pkg/sample_test.go", "testing/features.yaml", "testing/scenarios.yaml"];

/// File, arm, changed file, ranking at the limit 20, state.
type Row =
    (&'static str, &'static str, Option<&'static str>, &'static [&'static str], &'static str);

const PACKETS: [Row; 18] = [
    ("query-repository-task.json", "corvint", None, &["pkg/main.go"], "READY"),
    ("query-excluded-sources.json", "corvint", None, &["pkg/main.go"], "READY"),
    ("query-authority-start.json", "corvint", None, &["AGENTS.md"], "READY"),
    (
        "oracle-budgeted-query.json",
        "corvint",
        None,
        &["integrations/opencode/src/index.js"],
        "BUDGETED",
    ),
    ("context-task.json", "context", None, &["pkg/main.go", "pkg/main_test.go"], "READY"),
    ("context-reserved-rows.json", "context", None, &["AGENTS.md"], "READY"),
    ("context-downgraded-governing-row.json", "context", None, &["AGENTS.md"], "READY"),
    ("context-recipe-default.json", "context", None, CONTEXT_RECIPE, "READY"),
    ("context-default-wire.json", "context", None, CONTEXT_DEFAULT, "READY"),
    ("impact-path.json", "impact", Some("pkg/main.go"), MAIN_IMPACT, "READY"),
    ("impact-path-excluded-sources.json", "impact", Some("pkg/main.go"), MAIN_IMPACT, "READY"),
    (
        "exact-impact-go-root.stdout",
        "impact",
        Some("logger.go"),
        &["logger_test.go", "cmd/tool/main.go"],
        "READY",
    ),
    (
        "exact-impact-python-package.stdout",
        "impact",
        Some("src/pkg/__init__.py"),
        &["tools/version.py"],
        "READY",
    ),
    (
        "exact-impact-ranked-past-limit.stdout",
        "impact",
        Some("pkg/sample.go"),
        SAMPLE_IMPACT,
        "READY",
    ),
    ("affected-full-worktree.json", "affected", Some("pkg/main.go"), &[], "BOUNDED"),
    ("affected-worktree.json", "affected", Some("pkg/main.go"), &[], "BOUNDED"),
    (
        "affected-committed-range.json",
        "affected",
        Some("pkg/main.go"),
        &["pkg/main_test.go"],
        "UNKNOWN",
    ),
    (
        "affected-three-units-trimmed.json",
        "affected",
        Some("core/core.go"),
        &["core/core_test.go", "mid/mid_test.go", "leaf/leaf_test.go"],
        "BOUNDED",
    ),
];

#[test]
fn every_published_packet_has_its_ranking_and_state() {
    let Some(folder) = shared("data/corvint-recorded") else { return };
    for (file, arm, changed, ranked, state) in PACKETS {
        let stdout = fs::read(folder.join(file)).expect(file);
        let read = |asked: &Asked| (verb(arm).expect(arm).answer)(&stdout, asked).expect(file);
        let answer = read(&Asked { limit: 20, excluded: &[], changed });
        assert_eq!(answer.ranked, ranked, "{file}");
        assert_eq!((answer.state.as_str(), answer.abstained), (state, ranked.is_empty()), "{file}");
        assert_eq!(answer.packet_bytes, stdout.len() as u64, "{file}");
        // Every way of asking, held to the specification's words.
        let paths: Vec<String> = ranked.iter().map(|path| path.to_string()).collect();
        for limit in [1, 2, 50] {
            for excluded in [&[][..], &paths[..paths.len().min(1)], &paths] {
                for changed in [None, changed, ranked.first().copied()] {
                    let asked = Asked { limit, excluded, changed };
                    let expected = oracle::answer(arm, &stdout, &asked).expect(file);
                    let answer = read(&asked);
                    assert_eq!((answer.ranked, answer.abstained, answer.state), expected, "{file}");
                }
            }
        }
    }
}

#[test]
fn no_published_packet_of_these_verbs_is_left_out() {
    let Some(folder) = shared("data/corvint-recorded") else { return };
    let index = fs::read_to_string(folder.join("index.json")).expect("an index");
    let index: Vec<Value> = serde_json::from_str(&index).expect("a list");
    let mut expected = BTreeSet::new();
    for entry in &index {
        let file = entry["file"].as_str().expect("a name");
        let is_packet = entry["stream"] == "stdout" && entry["exit_code"] == 0;
        if is_packet && !file.starts_with("index-") && file != "derived-version.stdout" {
            expected.insert(file);
        }
    }
    assert_eq!(PACKETS.iter().map(|packet| packet.0).collect::<BTreeSet<_>>(), expected);
}
