//! Chunk files: which rows count, and what refuses the whole.

use retrieval_bench::snapshot::{ChunkFile, Mapping, Tree, TreeNotes};

use super::{files, key, open, pairs, refusal, texts};
use crate::fixture::shared;

fn row(path: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({"kind": "file", "path": path, "text": text}))
}

#[test]
fn files_come_in_bytewise_order_of_their_paths() {
    let chunks = row("b", "1") + &row("a/z", "2") + &row("a!", "3") + &row("A", "4");
    let mut tree = open(chunks).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("A", "4"), ("a!", "3"), ("a/z", "2"), ("b", "1")]));
}

#[test]
fn only_file_rows_count() {
    let chunks = r#"{"kind": "file", "path": "a", "text": "x"}
{"kind": "symbol", "path": "b", "text": "y"}
{"kind": "chunk", "path": "c", "text": "z"}
{"path": "d", "text": "z"}
{"kind": null, "path": "e", "text": "z"}
{"kind": "File", "path": "f", "text": "z"}
"#;
    assert_eq!(texts(&mut open(chunks).unwrap()), pairs(&[("a", "x")]));
}

#[test]
fn member_names_match_in_any_case_and_order_with_any_spaces() {
    let chunks = "{\"TEXT\":\"x\",\"Path\":\"a\" , \"KIND\" :\"file\"}\n\
                  \t{ \"path\" : \"b\", \"kind\" : \"fi\\u006ce\", \"te\\u0078t\" : \"y\" } \r\n";
    assert_eq!(texts(&mut open(chunks).unwrap()), pairs(&[("a", "x"), ("b", "y")]));
}

#[test]
fn a_missing_or_null_text_is_empty() {
    let chunks = r#"{"kind": "file", "path": "a"}
{"kind": "file", "path": "b", "text": null}
{"kind": "file", "path": "c", "text": ""}"#;
    let mut tree = open(chunks).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", ""), ("b", ""), ("c", "")]));
    assert_eq!(tree.fingerprint(0).unwrap(), tree.fingerprint(2).unwrap());
}

#[test]
fn escapes_are_decoded_in_texts_and_paths() {
    let chunks = r#"{"kind": "file", "path": "d\u00e9j\u00E0\/\\x.md", "text": "\"\\\/\b\f\n\r\t\u0041\ud83d\ude00\u2028é"}"#;
    let mut tree = open(chunks).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("déjà/\\x.md", "\"\\/\u{8}\u{c}\n\r\tA😀\u{2028}é")]));
}

#[test]
fn a_lone_surrogate_becomes_the_replacement_character() {
    let chunks =
        r#"{"kind": "file", "path": "a\udc00", "text": "x\ud800y\ud800\ud800\udc00z\udfff\ud83d"}"#;
    let mut tree = open(chunks).unwrap();
    assert_eq!(
        texts(&mut tree),
        pairs(&[("a\u{fffd}", "x\u{fffd}y\u{fffd}\u{10000}z\u{fffd}\u{fffd}")])
    );
}

#[test]
fn rows_with_unsafe_paths_are_left_out_and_counted() {
    let unsafe_paths = [
        "",
        "/a",
        "\\a",
        "a//b",
        "a/",
        "./a",
        "a/./b",
        "..",
        "a/../b",
        ".git",
        "a/.git/b",
        "a/.GIT/b",
        "a\\..\\b",
        ".git\\config",
        "a\0b",
    ];
    let mut chunks = row("kept", "x");
    for path in unsafe_paths {
        chunks += &row(path, "parse");
    }
    chunks += "{\"kind\": \"file\", \"text\": \"no path\"}\n";
    let mut tree = open(chunks).unwrap();
    let left_out = unsafe_paths.len() as u64 + 1;
    assert_eq!(tree.notes(), TreeNotes { unsafe_paths: left_out, ..TreeNotes::default() });
    assert_eq!(texts(&mut tree), pairs(&[("kept", "x")]));
}

#[test]
fn a_later_row_of_a_path_replaces_an_earlier_one() {
    let chunks = row("a", "1") + &row("b", "x") + &row("a", "2") + &row("a", "2") + &row("b", "y");
    let mut tree = open(chunks).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", "2"), ("b", "y")]));
    assert_eq!(tree.notes().replaced_rows, 2);
}

#[test]
fn another_spelling_of_the_same_text_replaces_nothing() {
    let chunks = row("a", "é") + "{\"kind\":\"file\",\"path\":\"a\",\"text\":\"\\u00e9\"}\n";
    let mut tree = open(chunks).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", "é")]));
    assert_eq!(tree.notes().replaced_rows, 0);
}

#[test]
fn a_path_that_is_also_a_folder_refuses_the_file() {
    for chunks in
        [row("a", "x") + &row("a/b", "y"), row("a/b", "y") + &row("a!", "z") + &row("a", "x")]
    {
        assert_eq!(refusal(open(chunks)), "chunks: `a` is a file and also a folder, of `a/b`");
    }
    let deep = row("s/t", "") + &row("s/t/u/v", "") + &row("s/a", "");
    assert_eq!(refusal(open(deep)), "chunks: `s/t` is a file and also a folder, of `s/t/u/v`");
    open(row("a", "x") + &row("ab/c", "y") + &row("a-/c", "y")).unwrap();
}

#[test]
fn paths_of_a_hundred_thousand_folders_are_checked_in_linear_time() {
    let deep = "a/".repeat(100_000);
    let paths = [format!("{deep}b"), format!("{deep}{}d", "c/".repeat(100_000))];
    let chunks: String = paths.iter().map(|path| row(path, "")).collect();
    assert_eq!(open(&chunks).unwrap().len(), 2);
    let folder = format!("{deep}c");
    let reason = refusal(open(chunks + &row(&folder, "") + &row(&format!("{folder}!"), "")));
    assert!(reason.starts_with("chunks: `a/a/a/"), "{reason}");
    assert_eq!(reason.chars().count(), 2_001, "nobody reads on");
}

#[test]
fn a_file_without_a_usable_file_row_is_refused() {
    let only_symbols = r#"{"kind": "symbol", "path": "a", "text": "x"}"#;
    for chunks in ["", only_symbols, &row("../a", "x")] {
        assert_eq!(refusal(open(chunks)), "chunks: holds no file rows that can be used");
    }
}

#[test]
fn a_bad_line_refuses_the_file_and_is_named() {
    let good = row("a", "x");
    for (line, reason) in [
        ("", "is blank, and every line must be a JSON object"),
        (" \r", "is blank, and every line must be a JSON object"),
        ("{bad", "is not a JSON row that can be used: key must be a string (column 2)"),
        (
            "[]",
            "is not a JSON row that can be used: invalid type: sequence, expected an object (column 0)",
        ),
        (
            "{\"a\": \"\t\"}",
            "is not a JSON row that can be used: control character (\\u0000-\\u001F) found while parsing a string (column 8)",
        ),
        (r#"{"a": "\x"}"#, "is not a JSON row that can be used: invalid escape (column 9)"),
        (r#"{"a": "\u12g4"}"#, "is not a JSON row that can be used: invalid escape (column 13)"),
        (r#"{"a": 01}"#, "is not a JSON row that can be used: invalid number (column 8)"),
        (r#"{"a": 1} {}"#, "is not a JSON row that can be used: trailing characters (column 10)"),
        (
            r#"{"a": "b""#,
            "is not a JSON row that can be used: EOF while parsing an object (column 9)",
        ),
        (
            r#"{"text": "b}"#,
            "is not a JSON row that can be used: EOF while parsing a string (column 12)",
        ),
        (
            r#"{"path": "a", "text": 1}"#,
            "is not a JSON row that can be used: its `text` is not a string (column 24)",
        ),
        (
            r#"{"kind": true}"#,
            "is not a JSON row that can be used: its `kind` is not a string (column 14)",
        ),
        (
            r#"{"path": ["a"]}"#,
            "is not a JSON row that can be used: its `path` is not a string (column 15)",
        ),
        (
            r#"{"a": 1, "b": 2, "a": 3}"#,
            "is not a JSON row that can be used: it has two members named `a` (column 24)",
        ),
        (
            r#"{"text": "a", "Text": "b"}"#,
            "is not a JSON row that can be used: it has two members named `Text` (column 26)",
        ),
    ] {
        let reason = format!("chunks: line 2 {reason}");
        let chunks = format!("{good}{line}\n{good}");
        let refused = refusal(open(&chunks));
        let shown = |text: &str| {
            text.rsplit_once(" (column").map_or(text.to_owned(), |(start, _)| start.to_owned())
        };
        assert_eq!(shown(&refused), shown(&reason), "{line}");
    }
}

#[test]
fn a_row_may_have_very_many_members() {
    let members: String = (0..300_000).map(|at| format!("\"m{at}\": {at}, ")).collect();
    let long = format!("{{{members}\"kind\": \"file\", \"path\": \"b\", \"text\": \"y\"}}\n");
    let mut tree = open(row("a", "x") + &long + &row("c", "z")).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", "x"), ("b", "y"), ("c", "z")]));
    let twice = long.replace("m299999", "m7");
    let reason = refusal(open(twice));
    assert!(
        reason.contains("line 1 ") && reason.contains("it has two members named `m7`"),
        "{reason}"
    );
}

#[test]
fn a_line_that_is_not_utf_8_is_named() {
    for bad in [
        &b"{\"kind\": \"file\", \"path\": \"b\", \"text\": \"\xff\"}\n"[..],
        b"{\"x\": \"\xed\xa0\x80\"}\n",
    ] {
        let chunks = [row("a", "x").as_bytes(), bad].concat();
        let reason = refusal(open(chunks));
        assert!(reason.starts_with("chunks: line 2 is not UTF-8 at byte "), "{reason}");
    }
}

#[test]
fn the_last_line_need_not_end() {
    let chunks = row("a", "x") + row("b", "y").trim_end();
    assert_eq!(texts(&mut open(chunks).unwrap()), pairs(&[("a", "x"), ("b", "y")]));
}

#[test]
fn a_file_torn_inside_a_row_is_refused_at_any_byte() {
    let chunks = row("a", "x") + row("b", "some \"text\" é\n").trim_end();
    let second = row("a", "x").len();
    for end in second + 1..chunks.len() {
        let reason = refusal(open(&chunks.as_bytes()[..end]));
        assert!(reason.starts_with("chunks: line 2 "), "{end}: {reason}");
    }
}

#[test]
fn carriage_returns_before_line_ends_are_dropped() {
    let chunks = (row("a", "x") + &row("b", "y")).replace('\n', "\r\n");
    assert_eq!(texts(&mut open(&chunks).unwrap()), pairs(&[("a", "x"), ("b", "y")]));
    assert_eq!(
        texts(&mut open(chunks.trim_end_matches('\n')).unwrap()),
        pairs(&[("a", "x"), ("b", "y")])
    );
}

#[test]
fn a_line_over_64_mib_refuses_the_file_and_one_of_just_that_does_not() {
    const LIMIT: usize = 67_108_864;
    let frame = row("b", "").len() - 1;
    let good = row("a", "x");
    for (extra, refused) in [(0, false), (1, true)] {
        let mut chunks = good.clone().into_bytes();
        chunks.extend_from_slice(br#"{"kind":"file","path":"b","text":""#);
        chunks.resize(good.len() + LIMIT + extra - 2, b'y');
        chunks.extend_from_slice(b"\"}\n");
        assert_eq!(frame, br#"{"kind":"file","path":"b","text":""}"#.len());
        let opened = ChunkFile::open(&key(), "chunks", chunks);
        if refused {
            assert_eq!(refusal(opened), "chunks: line 2 is longer than 67108864 bytes");
        } else {
            assert_eq!(opened.unwrap().len(), 2);
        }
    }
}

#[test]
fn bytes_in_the_program_are_as_good_as_a_file() {
    static CHUNKS: &[u8] = b"{\"kind\": \"file\", \"path\": \"a\", \"text\": \"x\\n\"}\n";
    let mut tree = ChunkFile::open(&key(), "the demo", CHUNKS).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", "x\n")]));
}

#[test]
fn a_mapped_file_reads_like_its_bytes_and_an_empty_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.jsonl");
    std::fs::write(&path, row("a", "x\ny")).unwrap();
    let mut tree = ChunkFile::open(&key(), "c.jsonl", Mapping::open(&path).unwrap()).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", "x\ny")]));
    std::fs::write(folder.path().join("empty"), "").unwrap();
    let empty = Mapping::open(&folder.path().join("empty")).unwrap();
    assert_eq!(
        refusal(ChunkFile::open(&key(), "empty", empty)),
        "empty: holds no file rows that can be used"
    );
    assert!(Mapping::open(folder.path()).is_err());
}

#[test]
fn the_recorded_bad_corpora_are_refused_as_the_reference_refuses_them() {
    let Some(folder) = shared("data/harness-golden/inputs/corpus-bad") else { return };
    for (repo, expected) in [
        (
            "badjson",
            "chunks: line 2 is not a JSON row that can be used: key must be a string (column 2)",
        ),
        ("blank", "chunks: line 2 is blank, and every line must be a JSON object"),
        ("clash", "chunks: `a` is a file and also a folder, of `a/b.go`"),
        ("nofile", "chunks: holds no file rows that can be used"),
    ] {
        let path = folder.join(format!("acme__{repo}/{}.chunks.jsonl", "a".repeat(40)));
        assert_eq!(refusal(open(std::fs::read(path).unwrap())), expected);
    }
    let path = folder.join(format!("acme__nonl/{}.chunks.jsonl", "a".repeat(40)));
    assert_eq!(
        texts(&mut open(std::fs::read(path).unwrap()).unwrap()),
        pairs(&[("a.go", "alpha_beta")])
    );
}

#[test]
fn the_recorded_corpora_read_as_a_json_library_reads_them() {
    let Some(folder) = shared("data/harness-golden/inputs/corpus") else { return };
    let mut seen = 0;
    for repo in std::fs::read_dir(folder).unwrap() {
        for chunks in std::fs::read_dir(repo.unwrap().path()).unwrap() {
            let bytes = std::fs::read(chunks.unwrap().path()).unwrap();
            let mut expected = std::collections::BTreeMap::new();
            for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                let row: serde_json::Value = serde_json::from_slice(line).unwrap();
                let row: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_value(row).unwrap();
                let row: std::collections::BTreeMap<String, serde_json::Value> = row
                    .into_iter()
                    .map(|(name, value)| (name.to_ascii_lowercase(), value))
                    .collect();
                let string = |name: &str| {
                    row.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
                };
                let path = string("path");
                let is_safe = retrieval_bench::text::safe_path::is_safe_relative(&path);
                if string("kind") == "file" && is_safe {
                    expected.insert(path, string("text").into_bytes());
                }
            }
            seen += expected.len();
            let expected: Vec<_> = expected.into_iter().collect();
            assert_eq!(files(&mut open(bytes).unwrap()), expected);
        }
    }
    assert_eq!(seen, 44);
}

#[test]
fn a_pipe_in_the_place_of_a_chunk_file_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(Mapping::open(&pipe).unwrap_err().to_string(), "it is no regular file");
}
