//! The query renderer: what it writes reads back, and is written the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retrieval_bench::text::json::Json;
use retrieval_bench::text::python_json::{MAX_INTEGER_DIGITS, dumps};
use retrieval_bench::text::{anchor, token};

fuzz_target!(|text: &str| {
    check_anchors(text);
    let terms = token::terms(text.as_bytes());
    assert!(terms.iter().all(|term| token::tokens(term) == [term.as_slice()]));
    token::identifier_terms(&token::identifiers([text]));

    let Ok(value) = Json::parse(text) else { return };
    assert!(serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok());
    let Ok(dumped) = dumps(&value) else {
        assert!(text.len() > MAX_INTEGER_DIGITS);
        return;
    };
    check_anchors(&dumped);
    // Python writes what overflows as `Infinity`, which it reads and JSON does not have.
    if holds_infinity(&value) {
        return;
    }
    let again = Json::parse(&dumped).expect("a dump is JSON");
    assert_eq!(again.strings(), value.strings());
    assert_eq!(dumps(&again).as_ref(), Ok(&dumped));
});

fn check_anchors(text: &str) {
    for (_, literal) in anchor::anchors(text) {
        assert!((4..=256 * 3).contains(&literal.len()), "{literal:?}");
    }
}

fn holds_infinity(value: &Json) -> bool {
    match value {
        Json::Number(lexeme) => {
            lexeme.contains(['.', 'e', 'E']) && lexeme.parse().is_ok_and(f64::is_infinite)
        }
        Json::Array(items) => items.iter().any(holds_infinity),
        Json::Object(members) => members.values().any(holds_infinity),
        _ => false,
    }
}
