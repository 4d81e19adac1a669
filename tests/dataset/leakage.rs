use retrieval_bench::dataset::{Leak, ReadOptions, leaks, read};
use serde_json::json;

use super::{COMMIT, parsed};
use crate::fixture;

/// The leaks of a row with this task, query text, gold and metadata.
fn found(
    task: &str,
    text: &str,
    gold: serde_json::Value,
    metadata: serde_json::Value,
) -> Vec<Leak> {
    let row = json!({
        "id": "x", "task_type": task, "repo": "a/b", "base_commit": COMMIT,
        "query": {"text": text}, "gold": gold, "metadata": metadata,
    });
    let samples = parsed(&row.to_string()).unwrap();
    let commits = samples.fix_commits.get("x").cloned().unwrap_or_default();
    leaks(&samples.kept[0], &commits)
}

fn in_text(text: &str) -> Vec<Leak> {
    found("code2test", text, json!({"files": ["src/cache/lru.go"]}), json!({}))
}

#[test]
fn a_raw_patch_in_the_query_is_a_leak() {
    for text in [
        "x diff --git a/x b/x",
        "a\n--- a/x",
        "a\n+++ b/x",
        "a\n---  /dev/null",
        "a\n+++\t/dev/null",
        "xdiff --git",
    ] {
        assert_eq!(
            in_text(text),
            if text.contains('\t') { vec![] } else { vec![Leak::PatchMarker] },
            "{text:?}"
        );
    }
    for text in [
        "diff --gitx",
        "see --- a/x",
        "a\n--- b/x",
        "a\n+++ a/x",
        "a\n---a/x",
        "a\n-- a/x",
        "@@ -1 +1 @@",
        "",
    ] {
        assert_eq!(in_text(text), [], "{text:?}");
    }
}

#[test]
fn the_fixing_commit_in_the_query_is_a_leak() {
    let gold = json!({"files": ["zzz.go"], "fix_commit": " 3dc1cd65 "});
    let metadata = json!({"fix_commit": "77aa"});
    let commit = |hex: &str| Leak::FixCommit(hex.to_owned());
    let text = "after 3dc1cd65 and 77aa";
    assert_eq!(found("code2test", text, gold.clone(), metadata.clone()), [commit("3dc1cd65")]);
    assert_eq!(found("edit2ripple", text, gold, metadata), [commit("3dc1cd65"), commit("77aa")]);
    assert_eq!(found("code2test", text, json!({"files": ["z"], "fix_commit": ""}), json!({})), []);
}

#[test]
fn only_edit2ripple_may_not_name_its_gold() {
    let path = || "src/cache/lru.go".to_owned();
    let gold = json!({"files": [path()]});
    assert_eq!(in_text("see src/cache/lru.go"), []);
    let edit = |text| found("edit2ripple", text, gold.clone(), json!({}));
    assert_eq!(edit("see SRC/cache/LRU.go:3"), [Leak::GoldPath(path()), Leak::GoldName(path())]);
    assert_eq!(edit("in lru.GO"), [Leak::GoldName(path())]);
    assert_eq!(
        edit("import Src.Cache.Lru"),
        [Leak::GoldImport("src.cache.lru".to_owned()), Leak::GoldImport("cache.lru".to_owned())]
    );
    assert_eq!(edit("import cache.lru"), [Leak::GoldImport("cache.lru".to_owned())]);
    assert_eq!(edit("the lru in src/cache/lru or cache"), []);
}

#[test]
fn the_real_rows_do_not_leak() {
    let Some(path) = fixture::shared("data/arb-mini/gin/samples.jsonl") else { return };
    let samples = read(&path, &ReadOptions::default()).unwrap();
    for sample in &samples.kept {
        assert_eq!(leaks(sample, &samples.fix_commits[&sample.id]), []);
    }
}
