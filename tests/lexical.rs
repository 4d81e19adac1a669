//! The lexical arms against the specification's tables and the slow oracle.

use std::collections::BTreeSet;

use proptest::prelude::*;
use retrieval_bench::arm::{self, Answer, ArmRow, Given, RankOptions, Ranker, Turn};
use retrieval_bench::dataset::{Query, Sample, SnapshotKey, Stratum};
use retrieval_bench::lexical::Lexical;
use retrieval_bench::lexical::index::{Index, Posting};
use retrieval_bench::lexical::rank::inverse_document_frequency;
use retrieval_bench::lexical::vocabulary::{Vocabulary, Wanted};
use retrieval_bench::lexical::word_scan::for_each_word;
use retrieval_bench::snapshot::{Census, ContentKind, File, Survey};
use retrieval_bench::text::token;
use serde_json::Value;

use crate::fixture::shared;
use crate::oracle::lexical as oracle;

const LEXICAL: [&str; 4] = ["grep", "grep-ident", "bm25:all", "bm25:ident"];

fn key() -> SnapshotKey {
    SnapshotKey { repo: "acme/gadget".into(), commit: "a".repeat(40) }
}

fn sample(id: &str, text: &str, given: &[&str]) -> Sample {
    Sample {
        id: id.into(),
        line: 1,
        task: "trace2code".into(),
        snapshot: key(),
        query: Query { text: text.into(), values: vec![text.into()], anchor_bearing: false },
        gold: vec!["gold".into()],
        given: given.iter().map(|path| path.to_string()).collect(),
        hard_negatives: vec![],
        changed_file: None,
        changed_file_from: Vec::new(),
        stratum: Stratum::Positive,
        gold_lines: None,
    }
}

fn rows() -> Vec<&'static ArmRow> {
    LEXICAL.iter().map(|name| arm::row(name).expect("a row of the table")).collect()
}

/// Every file a content of its own, in the order given; the survey sorts paths.
fn rank_all(files: &[oracle::File], samples: &[&Sample], limit: usize) -> Vec<Vec<Answer>> {
    let mut family = Lexical::new(&rows(), samples);
    let mut listed = Vec::new();
    for ((path, bytes), id) in files.iter().zip(0..) {
        let text = bytes.len() <= 1 << 20 && !bytes.iter().take(8192).any(|&byte| byte == 0);
        let kind = if text { ContentKind::Text } else { ContentKind::Binary };
        if text {
            family.content(id, bytes);
        }
        listed.push(File { path: path.clone(), content: id, kind });
    }
    listed.sort_by(|a, b| a.path.cmp(&b.path));
    family.enter(&Survey { key: key(), files: listed, census: Census::default() });
    let options = RankOptions { limit, given: Given::Remove };
    let rank = |sample: &&Sample| {
        let turn = Turn { sample, arms: &rows(), options: &options };
        let answer = |row: &&'static ArmRow| family.rank(row, &turn).expect("an answer");
        rows().iter().map(answer).collect::<Vec<_>>()
    };
    samples.iter().map(rank).collect()
}

fn by_oracle(files: &[oracle::File], sample: &Sample, limit: usize) -> Vec<oracle::Ranked> {
    let values = sample.query.values.iter().map(String::as_str);
    let names: Vec<String> = token::identifiers(values).into_iter().map(text).collect();
    let name_terms: BTreeSet<String> =
        names.iter().flat_map(|name| oracle::tokens(name.as_bytes())).collect();
    let terms = oracle::terms(sample.query.text.as_bytes());
    let ln = inverse_document_frequency;
    vec![
        oracle::grep(files, &sample.query.text, &sample.given, limit),
        oracle::grep_ident(files, &names, &sample.given, limit),
        oracle::bm25(files, &terms, &sample.given, limit, ln),
        oracle::bm25(files, &name_terms, &sample.given, limit, ln),
    ]
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("tokens are ASCII")
}

fn texts(list: Vec<Vec<u8>>) -> Vec<String> {
    list.into_iter().map(text).collect()
}

fn table(name: &str) -> Option<Vec<Value>> {
    let path = shared(&format!("data/harness-golden/unit/{name}.json"))?;
    let bytes = std::fs::read(path).expect("a readable table");
    Some(serde_json::from_slice(&bytes).expect("a table of rows"))
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().expect("a list");
    list.iter().map(|item| item.as_str().expect("a string").to_owned()).collect()
}

#[test]
fn tokens_terms_and_identifiers_are_those_of_the_reference_table() {
    let Some(rows) = table("tokens") else { return };
    for row in rows {
        let source = row["text"].as_str().expect("a text");
        let identifiers = token::identifiers([source]);
        let at = format!("{source:?}");
        assert_eq!(texts(token::tokens(source.as_bytes())), strings(&row["tokenize"]), "{at}");
        assert_eq!(oracle::tokens(source.as_bytes()), strings(&row["tokenize"]), "{at}");
        assert_eq!(texts(token::terms(source.as_bytes())), strings(&row["terms"]), "{at}");
        let identifier_terms = texts(token::identifier_terms(&identifiers));
        assert_eq!(identifier_terms, strings(&row["identifier_terms"]), "{at}");
        assert_eq!(texts(identifiers), strings(&row["identifiers"]), "{at}");
    }
}

#[test]
fn tokens_follow_the_rules_that_the_specification_spells_out() {
    let cases: [(&str, &[&str]); 6] = [
        ("utf8Decode", &["utf8decode"]),
        ("parse9Decode", &["parse9decode"]),
        ("HTTPServer", &["httpserver"]),
        ("aBCd", &["a", "bcd"]),
        ("snake_case é naïve", &["snake", "case", "na", "ve"]),
        ("", &[]),
    ];
    for (source, want) in cases {
        assert_eq!(texts(token::tokens(source.as_bytes())), want, "{source}");
    }
}

#[test]
fn identifiers_are_names_with_an_inner_underscore_or_hump_and_stems_of_code_files() {
    let cases: [(&str, &[&str]); 8] = [
        ("__init__ _x_ _a_b_", &["_a_b_"]),
        ("9abc_def", &["abc_def"]),
        ("parseWidget lower UPPER", &["parseWidget"]),
        ("widget.go.py", &["widget"]),
        ("kebab-case.ts and x.go", &["kebab-case"]),
        ("main.tsx, main.tsxy", &["main"]),
        ("conf.d/load.rs:3", &["load"]),
        ("aB a_b", &[]),
    ];
    for (source, want) in cases {
        assert_eq!(texts(token::identifiers([source])), want, "{source}");
    }
}

#[test]
fn counts_of_one_word_in_one_text_are_those_of_the_reference_table() {
    let Some(rows) = table("counts") else { return };
    for row in rows {
        let source = row["text"].as_str().expect("a text");
        let word = row["word"].as_str().expect("a word");
        let want = |name: &str| row[name].as_u64().expect("a count") as usize;
        assert_eq!(oracle::lower_count(source.as_bytes(), word), want("lower_count"), "{row}");
        assert_eq!(oracle::whole_word(source.as_bytes(), word), want("whole_word"), "{row}");
    }
}

#[test]
fn the_logarithm_is_the_references_to_the_last_bit() {
    let Some(rows) = table("idf") else { return };
    for row in rows {
        let number = |name: &str| row[name].as_f64().expect("a number");
        let bits = row["log_bits"].as_str().expect("bits");
        let want = u64::from_str_radix(bits, 16).expect("hexadecimal");
        let got = inverse_document_frequency(number("N"), number("n"));
        assert_eq!(got.to_bits(), want, "{row}");
    }
}

#[test]
fn the_logarithm_is_the_references_for_every_pair_of_the_census() {
    let Some(path) = shared("data/harness-golden/unit/idf_census.txt.gz") else { return };
    let output = std::process::Command::new("gzip").arg("-dc").arg(path).output().expect("gzip");
    let census = String::from_utf8(output.stdout).expect("ASCII");
    let mut pairs = 0;
    for line in census.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| fields[at].parse::<f64>().expect("a number");
        let want = u64::from_str_radix(fields[2], 16).expect("hexadecimal");
        assert_eq!(inverse_document_frequency(number(0), number(1)).to_bits(), want, "{line}");
        pairs += 1;
    }
    assert_eq!(pairs, 12_355);
}

#[test]
fn an_early_nul_and_a_size_over_one_mebibyte_keep_a_file_out_of_the_statistics() {
    let files: Vec<oracle::File> = vec![
        ("a.go".into(), b"parseWidget parse".to_vec()),
        ("b.bin".into(), b"parseWidget\0".to_vec()),
        ("c.txt".into(), [b"parseWidget ".as_slice(), &[b'x'; 1 << 20]].concat()),
    ];
    let asked = sample("s", "parseWidget", &[]);
    for answer in &rank_all(&files, &[&asked], 20)[0] {
        assert_eq!(answer.ranked, ["a.go"]);
    }
}

#[test]
fn files_in_the_directories_of_tools_are_not_searched_at_any_depth() {
    let files: Vec<oracle::File> = [".corvint/a.go", "x/.context-corvint/b.go", ".corvint", "c.go"]
        .map(|path| (path.to_string(), b"parseWidget".to_vec()))
        .to_vec();
    let asked = sample("s", "parseWidget", &[]);
    for answer in &rank_all(&files, &[&asked], 20)[0] {
        assert_eq!(answer.ranked, [".corvint", "c.go"]);
    }
}

#[test]
fn given_files_are_left_out_of_the_ranking_and_stay_in_the_statistics() {
    let files: Vec<oracle::File> = vec![
        ("a.go".into(), b"parseWidget".to_vec()),
        ("b.go".into(), b"parseWidget parseWidget".to_vec()),
        ("c.go".into(), b"nothing here".to_vec()),
    ];
    let asked = sample("s", "parseWidget", &["b.go"]);
    let answers = &rank_all(&files, &[&asked], 20)[0];
    for (answer, (ranked, top)) in answers.iter().zip(by_oracle(&files, &asked, 20)) {
        assert_eq!(answer.ranked, ["a.go"]);
        assert_eq!((answer.ranked.clone(), answer.top_score), (ranked, (top * 1e6).round() / 1e6));
    }
}

#[test]
fn a_query_without_terms_is_an_abstention_of_every_arm() {
    let files: Vec<oracle::File> = vec![("a.go".into(), b"x".to_vec())];
    let asked = sample("s", "{}", &[]);
    for answer in &rank_all(&files, &[&asked], 20)[0] {
        assert_eq!((answer.abstained, answer.ranked.len(), answer.top_score), (true, 0, 0.0));
    }
}

/// How often the only text holds a term as a token and as a substring.
fn counts(query: &str, text: &str, terms: &[&str]) -> Vec<(u32, u32)> {
    let asked = sample("s", query, &[]);
    let wanted = Wanted { substrings: true, identifiers: true, tokens: true };
    let vocabulary = Vocabulary::new(&[&asked], wanted);
    let mut index = Index::new(&vocabulary);
    index.add(0, text.as_bytes(), &vocabulary);
    let first = |list: &[Posting]| list.first().map_or(0, |posting| posting.count);
    let count = |term: &&str| {
        let id = vocabulary.term(term.as_bytes()).expect("a term of the query");
        (first(index.tokens.of(id)), first(index.substrings.of(id)))
    };
    terms.iter().map(count).collect()
}

#[test]
fn a_query_with_a_long_run_of_one_letter_is_indexed_in_a_moment() {
    let zeros = "0".repeat(300_000);
    let text = format!("{zeros}{zeros} {zeros} 00 000");
    let found = counts(&format!("dump {zeros} 00 000"), &text, &["00", "000", &zeros]);
    assert_eq!(found, [(1, 450_002), (1, 300_001), (1, 3)]);
}

#[test]
fn long_identifiers_are_found_whole_in_texts_and_in_paths() {
    let (plain, dashed) = (format!("x_{}", "y".repeat(400)), format!("a-{}", "b-".repeat(200)));
    let query = format!("{plain} {dashed}.go");
    let text = format!("{plain} {plain}z ({dashed}) {dashed}{dashed} {dashed}c");
    let asked = sample("s", &query, &[]);
    let vocabulary = Vocabulary::new(&[&asked], Wanted { identifiers: true, ..Wanted::default() });
    let mut index = Index::new(&vocabulary);
    index.add(0, text.as_bytes(), &vocabulary);
    for (name, count) in [(&plain, 1), (&dashed, 2)] {
        let id = vocabulary.identifier(name.as_bytes()).expect("an identifier of the query");
        assert_eq!(oracle::whole_word(text.as_bytes(), name), count as usize, "{name}");
        assert_eq!(index.identifiers.of(id)[0].count, count, "{name}");
    }
    let files = vec![(format!("src/{}.go", plain.to_uppercase()), b"nothing".to_vec())];
    assert_eq!(rank_all(&files, &[&asked], 20)[0][1].ranked, [files[0].0.clone()]);
}

#[test]
fn a_word_that_holds_every_term_of_a_long_query_is_counted_in_a_moment() {
    // Forty thousand terms, all in one word: terms compared each with each would take minutes.
    let terms: Vec<String> = (0..40_000).map(|at| format!("T{at:05x}")).collect();
    let lower: Vec<String> = terms.iter().map(|term| term.to_lowercase()).collect();
    let word: String = terms.iter().map(|term| format!("z{term}")).collect();
    let asked: Vec<&str> = lower.iter().map(String::as_str).collect();
    // A digit run does not end a token, so a term and the next `z` are one token.
    let found = counts(&lower.join(" "), &word, &asked);
    assert!(found.iter().all(|&(_, substrings)| substrings == 1));
}

/// Texts that are dense in the cases that matter: short words, underscores, dashes, humps, the two characters that
/// fold into ASCII, and long runs that cross the blocks of the scanner.
fn code() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[a-cA-C]{1,4}",
        3 => "[a-c]{1,3}[_-][a-cA-C]{1,3}",
        2 => "[ab]{60,70}",
        1 => "[ab_]{250,300}",
        1 => Just("\u{212a}".to_string()),
        1 => Just("\u{130}".to_string()),
        2 => "[0-9é]{1,2}",
        4 => "[ \n.:/(]{1,2}",
        1 => "(ab-bc|ca_b)\\.(go|tsx|py) ",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn corpus() -> impl Strategy<Value = Vec<oracle::File>> {
    let path =
        prop_oneof![3 => "[a-c]{1,2}(/[a-cA-C_-]{1,4}){0,2}\\.go", 1 => "\u{212a}[a-c_]{1,4}"];
    prop::collection::btree_map(path, code(), 0..8)
        .prop_map(|files| files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_arm_ranks_as_the_slow_oracle_does(
        files in corpus(),
        queries in prop::collection::vec(code(), 1..4),
        limit in 1usize..5,
    ) {
        let samples: Vec<Sample> = queries
            .iter()
            .enumerate()
            .map(|(at, query)| sample(&at.to_string(), query, &["a/b.go"]))
            .collect();
        let asked: Vec<&Sample> = samples.iter().collect();
        for (sample, answers) in asked.iter().zip(rank_all(&files, &asked, limit)) {
            for ((answer, name), want) in answers.iter().zip(LEXICAL).zip(by_oracle(&files, sample, limit)) {
                prop_assert_eq!(&answer.ranked, &want.0, "{} {:?}", name, &sample.query.text);
                prop_assert!((answer.top_score - want.1).abs() <= 5e-7, "{}", name);
                prop_assert_eq!(answer.abstained, want.0.is_empty());
            }
        }
    }

    #[test]
    fn a_ranking_does_not_depend_on_the_order_in_which_files_are_read(
        files in corpus(),
        query in code(),
        turn in 0usize..8,
    ) {
        let mut turned = files.clone();
        turned.rotate_left(turn % files.len().max(1));
        let asked = sample("s", &query, &[]);
        prop_assert_eq!(rank_all(&files, &[&asked], 20), rank_all(&turned, &[&asked], 20));
    }

    #[test]
    fn words_are_the_maximal_runs_of_word_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut found = Vec::new();
        for_each_word(&bytes, |start, end| found.push(bytes[start..end].to_vec()));
        let want: Vec<Vec<u8>> = bytes
            .split(|&byte| !token::is_word_byte(byte))
            .filter(|run| !run.is_empty())
            .map(<[u8]>::to_vec)
            .collect();
        prop_assert_eq!(found, want);
    }

    #[test]
    fn counts_and_lengths_of_a_text_are_those_of_the_slow_oracle(text in code(), query in code()) {
        let asked = sample("s", &query, &[]);
        let wanted = Wanted { substrings: true, identifiers: true, tokens: true };
        let vocabulary = Vocabulary::new(&[&asked], wanted);
        let mut index = Index::new(&vocabulary);
        index.add(0, text.as_bytes(), &vocabulary);
        let bag = oracle::tokens(text.as_bytes());
        prop_assert_eq!(index.length(0) as usize, bag.len());
        let count = |list: &[Posting]| list.iter().map(|p| p.count as usize).sum::<usize>();
        for term in oracle::terms(query.as_bytes()) {
            let id = vocabulary.term(term.as_bytes()).expect("a term of the query");
            prop_assert_eq!(count(index.substrings.of(id)), oracle::lower_count(text.as_bytes(), &term));
            prop_assert_eq!(count(index.tokens.of(id)), bag.iter().filter(|token| **token == term).count());
        }
        for name in token::identifiers([query.as_str()]) {
            let id = vocabulary.identifier(&name).expect("an identifier of the query");
            let want = oracle::whole_word(text.as_bytes(), std::str::from_utf8(&name).expect("ASCII"));
            prop_assert_eq!(count(index.identifiers.of(id)), want);
        }
    }
}
