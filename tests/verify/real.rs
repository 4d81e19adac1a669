//! Real inputs, where a checkout has them beside it.

use super::verify;
use crate::fixture;

#[test]
fn the_recorded_inputs_of_the_reference_are_judged_as_they_were_made() {
    let Some(inputs) = fixture::shared("data/harness-golden/inputs") else { return };
    let corpus = inputs.join("corpus");
    let printed = verify(&inputs.join("samples-lexical.jsonl"), &corpus, &[]);
    assert_eq!(printed.code, 0);
    assert_eq!(printed.last(), "verify: 22 samples, 5 snapshots, 13 findings");
    let gadget = printed.of("unsafe-path");
    assert_eq!(gadget.len(), 1);
    assert!(gadget[0].contains(": 10 paths are not safe"), "{}", gadget[0]);
    let absent = printed.of("gold-missing");
    assert_eq!(absent.len(), 1);
    assert!(absent[0].contains("sample vite-1: gold file packages/vite/__tests__/absent.spec.ts"));

    let bad = inputs.join("corpus-bad");
    for name in ["badjson", "blank", "clash", "nofile"] {
        let printed = verify(&inputs.join(format!("samples-chunk-{name}.jsonl")), &bad, &[]);
        assert_eq!((printed.code, printed.of("snapshot-unreadable").len()), (1, 1), "{name}");
    }
    let printed = verify(&inputs.join("samples-chunk-nonl.jsonl"), &bad, &[]);
    assert_eq!((printed.code, printed.of("no-final-line-feed").len()), (0, 1));
    for name in ["no-id", "malformed", "short-commit", "gold-list"] {
        let printed = verify(&inputs.join(format!("samples-bad-{name}.jsonl")), &corpus, &[]);
        assert_eq!((printed.code, printed.out.as_str()), (2, ""), "{name}: {}", printed.err);
    }
}

#[test]
fn the_published_corpus_of_gin_is_whole_and_its_gold_is_cut() {
    let Some(gin) = fixture::shared("data/arb-mini/gin") else { return };
    let printed = verify(&gin.join("samples.jsonl"), &gin.join("corpus"), &["--jobs", "2"]);
    assert_eq!(printed.code, 0);
    let cut: Vec<&str> =
        printed.of("gold-cut").iter().filter_map(|line| line.split(' ').nth(6)).collect();
    assert_eq!(cut, ["binding/form_mapping_test.go", "context.go", "binding/form_mapping.go"]);
}
