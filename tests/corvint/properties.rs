//! Any bytes give a ranking that keeps its promises or an error, and the ranking is the specification's.

use std::collections::HashSet;

use proptest::prelude::*;
use retrieval_bench::corvint::{Asked, VERBS};
use serde_json::{Value, json};

use crate::oracle::packet as oracle;

const PATHS: [&str; 6] = ["", "a.go", "b.go", "é/c.go", "d \"e\"", "f\0"];

/// A value that seldom is another one than it should be.
fn mostly(usual: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    let unusual = prop_oneof![
        6 => Just(Value::Null),
        1 => Just(json!(5)),
        1 => Just(json!([])),
        1 => Just(json!({})),
        1 => Just(json!("text")),
        1 => Just(json!([["x"]])),
    ];
    prop_oneof![40 => usual, 1 => unusual].boxed()
}

fn path() -> BoxedStrategy<Value> {
    mostly(prop_oneof![
        30 => prop::sample::select(&PATHS[..5]).prop_map(Value::from),
        1 => Just(Value::from(PATHS[5])),
    ])
}

fn list(item: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    mostly(prop::collection::vec(item, 0..6).prop_map(Value::from))
}

/// An object with some of the members.
fn object(members: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let members: Vec<_> = members
        .into_iter()
        .map(|(name, value)| {
            prop::option::weighted(0.95, value.prop_map(move |value| (name, value)))
        })
        .collect();
    mostly(members.prop_map(|members| {
        Value::Object(
            members.into_iter().flatten().map(|(name, value)| (name.into(), value)).collect(),
        )
    }))
}

fn packet() -> BoxedStrategy<Value> {
    let state = || {
        let names = ["READY", "OUT_OF_SCOPE", "NO_CANDIDATES", "NEEDS_WIDENING", ""];
        mostly(prop::sample::select(names.to_vec()).prop_map(Value::from))
    };
    let verdict = prop::sample::select(vec!["supported", "unsupported-conjunction"]);
    let place = object(vec![("path", path()), ("line", Just(json!(1)).boxed())]);
    let row = object(vec![("id", path()), ("evidence", list(place))]);
    let answerability = object(vec![("verdict", mostly(verdict.prop_map(Value::from)))]);
    let unit = object(vec![("tests", list(path()))]);
    object(vec![
        ("context", object(vec![("state", state()), ("results", list(row.clone()))])),
        ("state", state()),
        ("results", list(row)),
        ("coverage", object(vec![("answerability", answerability)])),
        ("plan", object(vec![("scope", state()), ("selected", list(unit))])),
    ])
}

fn asked() -> impl Strategy<Value = (usize, Vec<String>, Option<&'static str>)> {
    let some = prop::collection::vec(prop::sample::select(PATHS.to_vec()), 0..3);
    let some = some.prop_map(|paths| paths.into_iter().map(str::to_owned).collect());
    (1_usize..5, some, prop::option::of(prop::sample::select(PATHS.to_vec())))
}

/// Holds every verb's answer to its promises, and to the oracle in both directions.
fn check(stdout: &[u8], asked: &Asked) -> Result<(), TestCaseError> {
    for verb in &VERBS {
        let expected = oracle::answer(verb.arm, stdout, asked);
        match (verb.answer)(stdout, asked) {
            Ok(answer) => {
                prop_assert!(answer.ranked.len() <= asked.limit);
                let distinct: HashSet<&String> = answer.ranked.iter().collect();
                prop_assert_eq!(distinct.len(), answer.ranked.len());
                prop_assert!(!answer.ranked.iter().any(|path| asked.excluded.contains(path)));
                prop_assert_eq!(answer.packet_bytes, stdout.len() as u64);
                let said = (answer.ranked, answer.abstained, answer.state);
                prop_assert_eq!(Some(said), expected);
            }
            Err(error) => {
                prop_assert!(error.starts_with("unreadable packet: "), "{}", error);
                prop_assert!(error.chars().count() < 260 && !error.contains('\n'), "{}", error);
                prop_assert_eq!(expected, None);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn packets_of_any_shape_are_read_as_the_specification_says(
        packet in packet(), (limit, excluded, changed) in asked(),
    ) {
        check(packet.to_string().as_bytes(), &Asked { limit, excluded: &excluded, changed })?;
    }

    #[test]
    fn broken_packets_are_read_as_the_specification_says(
        packet in packet(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut bytes = packet.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if cut {
            bytes.truncate(at);
        }
        check(&bytes, &Asked { limit: 20, excluded: &[], changed: None })?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes, &Asked { limit: 20, excluded: &[], changed: None })?;
    }
}
