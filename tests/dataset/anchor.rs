use proptest::prelude::*;
use retrieval_bench::text::anchor::{MAX_TEXT_BYTES, anchors, is_anchor_bearing};
use serde_json::Value;

use crate::{fixture, oracle};

fn named(text: &str) -> Vec<(&'static str, String)> {
    anchors(text).into_iter().map(|(class, literal)| (class.name(), literal)).collect()
}

#[test]
fn anchors_are_those_of_the_reference() {
    let Some(table) = fixture::shared("data/harness-golden/unit/anchors.json") else { return };
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(table).unwrap()).unwrap();
    assert_eq!(rows.len(), 217);
    for row in rows {
        let text = row["task"].as_str().unwrap();
        let expected: Vec<(&str, &str)> = row["anchors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap()))
            .collect();
        let found = named(text);
        let found: Vec<_> =
            found.iter().map(|(class, literal)| (*class, literal.as_str())).collect();
        assert_eq!(found, expected, "{text:?}");
        assert_eq!(is_anchor_bearing(text), row["bearing"].as_bool().unwrap(), "{text:?}");
    }
}

#[test]
fn each_class_is_found_and_an_earlier_one_takes_the_text_from_a_later_one() {
    let text = "see \"a b::c::d\" http://x.io/e::f lib/x.rs:12 std::io log.level.key";
    let expected = [
        ("error", "a b::c::d"),
        ("url", "http://x.io/e::f"),
        ("frame", "lib/x.rs:12"),
        ("enum", "std::io"),
        ("config", "log.level.key"),
    ];
    let found = named(text);
    // `a b::c::d` has no run of three word bytes, yet its text is spent.
    let expected = expected.into_iter().skip(1).map(|(class, text)| (class, text.to_owned()));
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn the_values_of_a_json_text_are_searched_and_its_names_are_not() {
    assert_eq!(named(r#"{"log.level.key": "plain"}"#), []);
    let expected = [("config", "log.level.key".to_owned())];
    assert_eq!(named(r#"{"plain": ["log.level.key"]}"#), expected);
    assert_eq!(named("not JSON: log.level.key"), expected);
}

#[test]
fn a_text_over_the_bound_bears_no_anchor() {
    let anchor = " std::io";
    let fits = format!("{}{anchor}", "x".repeat(MAX_TEXT_BYTES - anchor.len()));
    assert!(is_anchor_bearing(&fits));
    assert!(!is_anchor_bearing(&format!("x{fits}")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn scanners_find_what_the_expressions_match(
        text in "([a-cA-Z0-9_./:\"'\n \t+-]|::|://|\\.go|abc|\\.x:1|é|\u{212a}){0,24}",
    ) {
        prop_assume!(serde_json::from_str::<Value>(&text).is_err());
        prop_assert_eq!(named(&text), oracle::anchor::anchors(&text));
    }
}
