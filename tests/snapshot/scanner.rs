//! Property tests: the row scanner and the decoder against serde_json.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::value::RawValue;

use retrieval_bench::snapshot::Tree;
use retrieval_bench::text::safe_path::is_safe_relative;

use super::{files, open};

/// The files of a chunk file, or that it is refused.
type Slow = Result<Vec<(String, Vec<u8>)>, ()>;

/// What the slow way makes of a chunk file. `None` where it cannot tell.
fn slowly(bytes: &[u8]) -> Option<Slow> {
    let mut found = BTreeMap::new();
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    for line in lines {
        let Ok(line) = str::from_utf8(line) else { return Some(Err(())) };
        let Ok(row) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(line) else {
            return Some(Err(()));
        };
        let mut names: Vec<String> = row.keys().map(|name| name.to_ascii_lowercase()).collect();
        names.sort();
        names.dedup();
        if names.len() != row.len() || line.matches("\":").count() != row.len() {
            return None;
        }
        let mut strings = BTreeMap::new();
        for (name, value) in &row {
            let name = name.to_ascii_lowercase();
            if !["kind", "path", "text"].contains(&name.as_str()) || value.get() == "null" {
                continue;
            }
            if !value.get().starts_with('"') {
                return Some(Err(()));
            }
            // It refuses lone surrogates, which ours decodes; those have their own test.
            strings.insert(name, serde_json::from_str::<String>(value.get()).ok()?);
        }
        let path = strings.remove("path").unwrap_or_default();
        if strings.get("kind").map(String::as_str) == Some("file") && is_safe_relative(&path) {
            found.insert(path, strings.remove("text").unwrap_or_default().into_bytes());
        }
    }
    let clashes = |path: &String| {
        path.match_indices('/').any(|(slash, _)| found.contains_key(&path[..slash]))
    };
    if found.is_empty() || found.keys().any(clashes) {
        return Some(Err(()));
    }
    Some(Ok(found.into_iter().collect()))
}

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Some(expected) = slowly(bytes) else { return Ok(()) };
    match open(bytes) {
        Ok(mut tree) => prop_assert_eq!(Ok(files(&mut tree)), expected),
        Err(error) => prop_assert!(expected.is_err(), "{}", error),
    }
    Ok(())
}

/// Letters that matter to JSON, and some that do not.
fn text() -> impl Strategy<Value = String> {
    let letter = prop_oneof![
        4 => Just('\\'), 4 => Just('"'), 3 => Just('\n'), 2 => Just('\t'), 1 => Just('\r'), 1 => Just('\0'),
        2 => Just('/'), 2 => Just('u'), 2 => Just('n'), 2 => Just('é'), 1 => Just('\u{2028}'), 1 => Just('😀'),
        1 => Just('\u{7f}'), 8 => prop::char::range(' ', '~'), 1 => any::<char>(),
    ];
    prop::collection::vec(letter, 0..200).prop_map(|letters| letters.into_iter().collect())
}

/// A lexeme of `text`: plain, or with as many escapes as JSON allows.
fn lexeme(text: &str, escaped: bool) -> String {
    if !escaped {
        return serde_json::to_string(text).expect("a string");
    }
    let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    format!("\"{units}\"")
}

prop_compose! {
    fn row()(
        kind in prop_oneof![6 => Just("\"file\""), 2 => Just("\"symbol\""), 1 => Just("null"), 1 => Just("\"fil\\u0065\"")],
        path in prop_oneof![4 => "[a-c]{1,3}(/[a-c]{1,2}){0,2}", 1 => text()],
        text in text(),
        escaped in prop::bool::weighted(0.2),
        shape in 0..4usize,
        number in any::<i32>(),
    ) -> String {
        let (path, text) = (lexeme(&path, false), lexeme(&text, escaped));
        match shape {
            0 => format!(r#"{{"kind": {kind}, "path": {path}, "text": {text}}}"#),
            1 => format!(r#"{{"text":{text},"path":{path},"kind":{kind},"n":{number}}}"#),
            2 => format!(r#"{{"end_line": {number}, "kind": {kind}, "path": {path}, "deep": [1, {{}}], "text": {text} }}"#),
            _ => format!(r#"{{"kind": {kind}, "path": {path}, "start_line": 1, "symbol": "", "text": {text}}}"#),
        }
    }
}

fn chunks() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(row(), 1..8).prop_map(|rows| rows.join("\n").into_bytes())
}

#[test]
fn an_escape_that_begins_a_block_before_the_end_of_the_file_is_still_checked() {
    for before in 0..200 {
        for escape in ["\\n", "\\q", "\\\u{7f}", "\\u12", "\\u0041", "\\\""] {
            for after in 0..3 {
                let text = format!("{}{escape}{}", "x".repeat(before), "y".repeat(after));
                let row = format!(r#"{{"kind": "file", "path": "a", "text": "{text}"}}"#);
                check(row.as_bytes()).unwrap_or_else(|error| panic!("{row}: {error}"));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn random_rows_read_as_serde_json_reads_them(chunks in chunks()) {
        check(&chunks)?;
    }

    #[test]
    fn rows_with_a_changed_byte_are_taken_or_refused_as_serde_json_does(
        chunks in chunks(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..3),
    ) {
        let mut chunks = chunks;
        for (at, byte, how) in changes {
            if chunks.is_empty() {
                break;
            }
            let at = at.index(chunks.len());
            match how {
                0 => chunks[at] = byte,
                1 => { chunks.remove(at); }
                _ => chunks.insert(at, b"\"\\{}:,u\n0"[usize::from(byte) % 9]),
            }
        }
        check(&chunks)?;
    }

    #[test]
    fn any_string_is_decoded_as_serde_json_decodes_it(text in text(), escaped in any::<bool>()) {
        let text_lexeme = lexeme(&text, escaped);
        let chunks = format!(r#"{{"kind": "file", "path": "a", "text": {text_lexeme}}}"#);
        let mut tree = open(chunks).unwrap();
        let expected: String = serde_json::from_str(&text_lexeme).unwrap();
        let mut bytes = b"left over".to_vec();
        tree.read(0, &mut bytes).unwrap();
        prop_assert_eq!(bytes, expected.into_bytes());
    }

    #[test]
    fn runs_of_backslashes_of_any_length_at_any_place_are_read_right(before in 0..140usize, run in 0..140usize) {
        let text = "x".repeat(before) + &"\\".repeat(run) + "\" end";
        let chunks = format!("{{\"kind\": \"file\", \"path\": \"a\", \"text\": {}}}\n{{}}\n", lexeme(&text, false));
        prop_assert_eq!(files(&mut open(&chunks).unwrap()), vec![("a".to_owned(), text.into_bytes())]);
        // One backslash more or less and the string does not end where it should.
        let odd = format!("{{\"text\": \"{}{}\"}}\n{{}}\n", "x".repeat(before), "\\".repeat(2 * run + 1));
        prop_assert!(open(odd).is_err());
    }
}
