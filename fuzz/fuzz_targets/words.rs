//! The lexical index: its words and counts are those of the obvious definitions, on any bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retrieval_bench::dataset::{Query, Sample, SnapshotKey, Stratum};
use retrieval_bench::lexical::index::{Index, Posting};
use retrieval_bench::lexical::vocabulary::{Vocabulary, Wanted};
use retrieval_bench::lexical::word_scan::for_each_word;
use retrieval_bench::text::token;

#[allow(dead_code)]
#[path = "../../tests/oracle/lexical.rs"]
mod oracle;

fuzz_target!(|bytes: &[u8]| {
    check_words(bytes);
    // The first line is the query, every NUL starts another text.
    let mut parts = bytes.splitn(2, |&byte| byte == b'\n');
    let query = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let texts = parts.next().unwrap_or_default();
    let sample = sample(&query);
    let wanted = Wanted { substrings: true, identifiers: true, tokens: true };
    let vocabulary = Vocabulary::new(&[&sample], wanted);
    let mut index = Index::new(&vocabulary);
    let texts: Vec<&[u8]> = texts.split(|&byte| byte == 0).take(4).collect();
    for (text, id) in texts.iter().zip(0..) {
        index.add(id, text, &vocabulary);
    }
    for (text, id) in texts.iter().zip(0..) {
        let of = |list: &[Posting]| {
            let mut own = list.iter().filter(|posting| posting.content == id);
            let count = own.next().map_or(0, |posting| posting.count as usize);
            assert!(own.next().is_none());
            count
        };
        let bag = oracle::tokens(text);
        assert_eq!(index.length(id) as usize, bag.len());
        // The obvious way is slow, and so many are enough.
        for term in oracle::terms(query.as_bytes()).into_iter().take(64) {
            let number = vocabulary.term(term.as_bytes()).expect("a term of the query");
            assert_eq!(of(index.substrings.of(number)), oracle::lower_count(text, &term), "{term}");
            let tokens = bag.iter().filter(|token| **token == term).count();
            assert_eq!(of(index.tokens.of(number)), tokens, "{term}");
        }
        for name in token::identifiers([query.as_str()]).into_iter().take(64) {
            let number = vocabulary.identifier(&name).expect("an identifier of the query");
            let name = str::from_utf8(&name).expect("identifiers are ASCII");
            assert_eq!(of(index.identifiers.of(number)), oracle::whole_word(text, name), "{name}");
        }
    }
});

fn check_words(bytes: &[u8]) {
    let mut runs = bytes.split(|&byte| !token::is_word_byte(byte)).filter(|run| !run.is_empty());
    let mut end_before = 0;
    for_each_word(bytes, |start, end| {
        assert!(start >= end_before);
        end_before = end;
        assert_eq!(runs.next(), Some(&bytes[start..end]));
    });
    assert_eq!(runs.next(), None);
}

fn sample(query: &str) -> Sample {
    Sample {
        id: "s".into(),
        line: 1,
        task: "trace2code".into(),
        snapshot: SnapshotKey { repo: "acme/gadget".into(), commit: "a".repeat(40) },
        query: Query { text: query.into(), values: vec![query.into()], anchor_bearing: false },
        gold: vec!["gold".into()],
        given: Vec::new(),
        hard_negatives: Vec::new(),
        changed_file: None,
        changed_file_from: Vec::new(),
        stratum: Stratum::Positive,
        gold_lines: None,
    }
}
