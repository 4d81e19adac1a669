//! The packet readers: what they read is what the specification's words make of it, and their errors are short.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retrieval_bench::corvint::{Asked, VERBS};

#[path = "../../tests/oracle/packet.rs"]
mod oracle;

fuzz_target!(|bytes: &[u8]| {
    let given = ["g.go".to_owned()];
    let asked = Asked { limit: 3, excluded: &given, changed: Some("c.go") };
    for verb in &VERBS {
        let expected = oracle::answer(verb.arm, bytes, &asked);
        match (verb.answer)(bytes, &asked) {
            Ok(answer) => {
                assert_eq!(answer.packet_bytes, bytes.len() as u64);
                assert_eq!(Some((answer.ranked, answer.abstained, answer.state)), expected);
            }
            Err(error) => {
                assert!(error.chars().count() < 260, "{error}");
                // The oracle's objects forget that a member occurred twice.
                assert!(expected.is_none() || error.contains("duplicate field"), "{error}");
            }
        }
    }
});
