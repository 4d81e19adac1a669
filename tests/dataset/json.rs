use proptest::prelude::*;
use retrieval_bench::text::json::{Json, MAX_DEPTH};
use serde_json::Value;

/// The value serde_json has for one of ours, where its own numbers can hold it.
fn as_serde(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(lexeme) => serde_json::from_str(lexeme).unwrap(),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(items) => items.iter().map(as_serde).collect(),
        Json::Object(members) => {
            members.iter().map(|(name, item)| (name.clone(), as_serde(item))).collect()
        }
    }
}

fn reason(text: &str) -> String {
    Json::parse(text).expect_err(text).to_string()
}

#[test]
fn a_number_keeps_the_digits_it_was_written_with() {
    for lexeme in ["0", "-0", "-0.0", "1e400", "1E+05", "123456789012345678901234567890", "0.10"] {
        assert_eq!(Json::parse(lexeme), Ok(Json::Number(lexeme.to_owned())));
    }
    let Ok(Json::Array(items)) = Json::parse(" [ 1.50 , -0 ] ") else { panic!("an array") };
    assert_eq!(items, [Json::Number("1.50".to_owned()), Json::Number("-0".to_owned())]);
}

#[test]
fn what_is_not_one_json_value_is_refused_with_its_place() {
    assert_eq!(reason(""), "EOF while parsing a value at column 1");
    assert_eq!(reason("{\"id\": \"x\""), "EOF while parsing an object at column 10");
    assert_eq!(reason("{} {}"), "trailing characters at column 4");
    assert!(reason("[1,\n2,\n x]").ends_with("at column 9"), "{}", reason("[1,\n2,\n x]"));
    for text in [
        "01",
        "1.",
        ".5",
        "+1",
        "1e",
        "NaN",
        "Infinity",
        "'a'",
        "[1,]",
        "{\"a\":1,}",
        "\"\u{1}\"",
        "\u{feff}1",
    ] {
        reason(text);
    }
}

#[test]
fn a_member_that_occurs_twice_is_refused_at_any_depth() {
    assert_eq!(reason(r#"{"a":1,"a":1}"#), "member \"a\" occurs twice at column 13");
    assert!(reason(r#"[{"x":{"b":1,"\u0062":2}}]"#).starts_with("member \"b\" occurs twice"));
    assert!(Json::parse(r#"{"a":1,"A":2}"#).is_ok());
}

#[test]
fn a_lone_surrogate_is_refused_and_a_pair_is_one_character() {
    for text in [r#""\ud800x""#, r#""\udc00""#, r#"{"\ud800":1}"#, r#"["\ud800\ud800"]"#] {
        reason(text);
    }
    assert_eq!(Json::parse(r#""\ud83d\ude00""#), Ok(Json::String("😀".to_owned())));
}

#[test]
fn nesting_is_bounded_and_a_hostile_line_is_refused_in_bounded_work() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Json::parse(&nested(MAX_DEPTH)).is_ok());
    let expected =
        format!("arrays and objects are nested more than {MAX_DEPTH} deep at column 129");
    assert_eq!(reason(&nested(MAX_DEPTH + 1)), expected);
    assert_eq!(reason(&nested(200_000)), expected);
    reason(&"[".repeat(200_000));
    reason(&"{\"a\":".repeat(100_000));
}

#[test]
fn strings_are_listed_in_member_order_without_member_names() {
    let value = Json::parse(r#"{"b":["x",{"z":"1","y":"2"}],"a":"first","c":3}"#).unwrap();
    assert_eq!(value.strings(), ["first", "x", "2", "1"]);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has finite numbers only", |float| float.is_finite())
            .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_serde_json_writes_is_read_as_the_same_value(value in any_value()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            prop_assert_eq!(&as_serde(&Json::parse(&text).unwrap()), &value);
        }
    }

    #[test]
    fn ours_reads_nothing_that_serde_json_refuses(text in "[\\[\\]{}\",:0-9eE.\\\\u truefalsn+-]{0,16}") {
        match (Json::parse(&text), serde_json::from_str::<Value>(&text)) {
            (Ok(ours), Ok(theirs)) => prop_assert_eq!(as_serde(&ours), theirs),
            (Ok(Json::Number(_)), Err(error)) => prop_assert!(error.to_string().contains("out of range")),
            (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("out of range"), "{}", text),
            (Err(error), Ok(_)) => prop_assert!(error.reason.contains("twice"), "{}", text),
            (Err(_), Err(_)) => {}
        }
    }
}
