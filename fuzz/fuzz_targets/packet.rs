//! The packet readers: what they read is what the specification's words make of it, and their errors are short.
//!
//! A member that occurs twice is refused by the reader at its first repetition, or for the type of one of its values;
//! the oracle keeps the last value. So a refusal of such a packet is no finding, whichever reason it names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retrieval_bench::corvint::{Asked, VERBS};
use retrieval_bench::text::json::Json;

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
                assert!(expected.is_none() || repeats_a_member(bytes), "{error}");
            }
        }
    }
});

fn repeats_a_member(bytes: &[u8]) -> bool {
    let read = std::str::from_utf8(bytes).ok().map(Json::parse);
    matches!(read, Some(Err(error)) if error.reason.contains("occurs twice"))
}
