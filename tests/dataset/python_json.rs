use proptest::prelude::*;
use retrieval_bench::text::json::Json;
use retrieval_bench::text::python_json::{MAX_INTEGER_DIGITS, dumps, float_repr};
use serde::Deserialize;
use serde_json::Value;

use crate::fixture;

/// `json.dumps(query or {}, …)` of a query's text.
fn dumped(query: &str) -> Option<String> {
    match Json::parse(query).unwrap() {
        Json::Null => Some("{}".to_owned()),
        value => dumps(&value).ok(),
    }
}

#[derive(Deserialize)]
struct Row {
    query: String,
    text: Option<String>,
}

#[test]
fn query_texts_are_those_that_python_writes() {
    let table = include_str!("../data/querytext-python.json");
    let rows: Vec<Row> = serde_json::from_str(table).unwrap();
    assert!(rows.len() > 400);
    assert_eq!(rows.iter().filter(|row| row.text.is_none()).count(), 2);
    for row in rows {
        assert_eq!(dumped(&row.query), row.text, "{}", row.query);
    }
}

#[test]
fn query_texts_are_the_references_but_for_its_numbers_and_line_separators() {
    let Some(table) = fixture::shared("data/harness-golden/unit/querytext.json") else { return };
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(table).unwrap()).unwrap();
    let mut same = 0;
    for row in &rows {
        let (query, theirs) =
            (row["query_json"].as_str().unwrap(), row["query_text"].as_str().unwrap());
        let differs_on_purpose =
            ["\"b\":1", "[1,2.5", "\\u2028", "1e15"].iter().any(|part| query.contains(part));
        let refused_by_ours = ["\"lone\"", "\"dup\""].iter().any(|part| query.contains(part));
        if refused_by_ours {
            assert!(Json::parse(query).is_err(), "{query}");
        } else {
            assert_eq!(dumped(query).as_deref() == Some(theirs), !differs_on_purpose, "{query}");
            same += usize::from(!differs_on_purpose);
        }
    }
    assert_eq!((rows.len(), same), (10, 4));
}

#[test]
fn an_integer_that_python_would_not_read_is_refused_with_its_length() {
    let longest = Json::Number(format!("-{}", "9".repeat(MAX_INTEGER_DIGITS)));
    assert!(dumps(&longest).is_ok());
    let error = dumps(&Json::Number("9".repeat(MAX_INTEGER_DIGITS + 1))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "an integer of 4301 digits, more than the 4300 that Python reads"
    );
}

#[test]
fn a_float_is_written_as_python_writes_it() {
    let cases = [
        (1e16, "1e+16"),
        (9_999_999_999_999_998.0, "9999999999999998.0"),
        (1e-5, "1e-05"),
        (0.0001, "0.0001"),
        (1.5e-7, "1.5e-07"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (1e100, "1e+100"),
        (5e-324, "5e-324"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
    ];
    for (value, text) in cases {
        assert_eq!(float_repr(value), text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_float_reads_back_as_itself_and_never_as_an_integer(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        let text = float_repr(value);
        prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits, "{}", text);
        prop_assert!(text.contains(['.', 'e']), "{}", text);
    }

    #[test]
    fn a_string_reads_back_as_itself(text in any::<String>()) {
        let dumped = dumps(&Json::String(text.clone())).unwrap();
        prop_assert_eq!(Json::parse(&dumped), Ok(Json::String(text)));
    }
}
