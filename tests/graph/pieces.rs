//! Pieces of files: each is parsed once, whatever cannot be read is skipped, and nothing in a file costs without bound.

use std::time::{Duration, Instant};

use retrieval_bench::graph::pieces::{MAX_FILE_BYTES, Pieces, Placed, Reading, Skipped};

use super::outline::outline;

/// Reads a file, and adds the numbers and the texts of the pieces that are new to `told`.
fn read(
    pieces: &mut Pieces,
    path: &str,
    bytes: &[u8],
    told: &mut Vec<(u32, String)>,
) -> Option<Reading> {
    pieces.read(path, bytes, &mut |piece, _, text| told.push((piece, text.to_owned())))
}

/// The pieces of a file that can be read.
fn placed(pieces: &mut Pieces, source: &str) -> Vec<Placed> {
    read(pieces, "a.py", source.as_bytes(), &mut Vec::new())
        .expect("a language")
        .expect("a reading")
}

/// A file of a class with two methods, between a head and a tail.
const SOURCE: &str = "import a\n\n\nclass A(B):\n    '''Doc.'''\n\n    def m(self):\n        c()\n\n    def n(self):\n        d()\n\n\ndef f():\n    e()\n\n\nf()\n";

#[test]
fn each_distinct_piece_is_told_once() {
    let mut pieces = Pieces::default();
    let mut told = Vec::new();
    read(&mut pieces, "a.py", SOURCE.as_bytes(), &mut told);
    let texts: Vec<&str> = told.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts.concat(), SOURCE, "together they are the file");
    assert_eq!(texts.len(), 6);
    let twice = format!("{SOURCE}\n\n{SOURCE}");
    read(&mut pieces, "b/c.py", twice.as_bytes(), &mut told);
    let mut distinct: Vec<&str> = told.iter().map(|(_, text)| text.as_str()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), told.len());
    let numbers: Vec<u32> = told.iter().map(|(piece, _)| *piece).collect();
    assert_eq!(numbers, (0..u32::try_from(told.len()).unwrap()).collect::<Vec<u32>>());
    assert_eq!(pieces.len(), told.len());
}

#[test]
fn a_file_of_the_same_content_costs_nothing_under_another_commit_or_name() {
    let mut pieces = Pieces::default();
    assert!(pieces.is_empty());
    let first = placed(&mut pieces, SOURCE);
    let mut told = Vec::new();
    let second = read(&mut pieces, "other/name.py", SOURCE.as_bytes(), &mut told);
    assert_eq!(second, Some(Ok(first)));
    assert_eq!(told, []);
}

#[test]
fn an_edited_method_costs_one_piece_and_moves_the_others() {
    let mut pieces = Pieces::default();
    let before = placed(&mut pieces, SOURCE);
    let count = pieces.len();
    let edited = SOURCE.replace("        c()\n", "        c()\n        more()\n");
    let after = placed(&mut pieces, &edited);
    assert_eq!(pieces.len(), count + 1);
    assert_eq!(before.len(), after.len());
    let changed: Vec<usize> =
        (0..before.len()).filter(|at| before[*at].piece != after[*at].piece).collect();
    assert_eq!(changed, [2], "head, class, method, …");
    assert_eq!(after[3].lines_before, before[3].lines_before + 1);
    assert_eq!(after[3].bytes_before, before[3].bytes_before + 15);
    let expected = [
        "class A 4-12 < B",
        "function A.m 7-9 -> c, more",
        "function A.n 11-12 -> d",
        "function f 15-16 -> e",
        "import a",
    ];
    assert_eq!(outline(&pieces.whole(&after)), expected);
}

#[test]
fn the_same_text_in_a_class_and_at_the_top_of_a_file_are_two_pieces() {
    let mut pieces = Pieces::default();
    // The file cannot be cut, and is the text that the class of the other one ends with.
    let method = "    def __init__(self):\n        a()\n";
    let class = format!("class A:\n{method}");
    let placed_in_class = placed(&mut pieces, &class);
    assert_eq!(placed_in_class.len(), 2);
    let alone = placed(&mut pieces, method);
    assert!(placed_in_class.iter().all(|place| place.piece != alone[0].piece));
    assert_eq!(outline(&pieces.whole(&placed_in_class)), ["class A 1-3 -> a"]);
}

#[test]
fn languages_do_not_share_pieces() {
    let mut pieces = Pieces::default();
    let mut told = Vec::new();
    for path in ["a.py", "a.java", "a.js", "a.ts", "a.tsx", "a.go", "a.rs"] {
        assert!(matches!(read(&mut pieces, path, b"x", &mut told), Some(Ok(_))), "{path}");
    }
    assert_eq!(told.len(), 7);
}

#[test]
fn what_no_language_knows_is_not_read() {
    let mut pieces = Pieces::default();
    let mut told = Vec::new();
    for path in ["a.txt", "a", "py", "a.py.orig", "a.PY", "a.pyc", "a.pyi", ""] {
        assert_eq!(read(&mut pieces, path, b"def f(): pass\n", &mut told), None, "{path}");
    }
    assert_eq!(told, []);
    // The ending is all that counts.
    assert!(read(&mut pieces, ".py", b"", &mut told).is_some());
}

#[test]
fn what_is_not_utf_8_is_skipped() {
    let mut pieces = Pieces::default();
    let mut told = Vec::new();
    let latin = b"# -*- coding: latin-1 -*-\ndef f(): return '\xe9'\n";
    for bytes in [&latin[..], b"\xff\xfed\0e\0f\0", b"x = '\xed\xa0\x80'", b"\x80"] {
        let found = read(&mut pieces, "a.py", bytes, &mut told);
        assert_eq!(found, Some(Err(Skipped::NotUtf8)));
    }
    assert_eq!((told, pieces.len()), (Vec::new(), 0));
}

#[test]
fn a_file_is_skipped_from_one_byte_over_the_limit() {
    let mut pieces = Pieces::default();
    let mut told = Vec::new();
    let comment = "#".repeat(MAX_FILE_BYTES + 1);
    let found = read(&mut pieces, "a.py", &comment.as_bytes()[..MAX_FILE_BYTES], &mut told);
    assert!(matches!(found, Some(Ok(_))));
    let found = read(&mut pieces, "a.py", comment.as_bytes(), &mut told);
    assert_eq!(found, Some(Err(Skipped::TooLarge)));
    let line = format!("x = [{}]\n", "1, ".repeat(7_000_000));
    let found = read(&mut pieces, "a.py", line.as_bytes(), &mut told);
    assert_eq!(found, Some(Err(Skipped::TooLarge)));
    assert_eq!(told.len(), 1);
}

#[test]
fn a_nul_byte_is_an_error_that_hides_no_declaration() {
    let mut pieces = Pieces::default();
    let placed = placed(&mut pieces, "def f(): a()\n\0\ndef g(): b()\n\0");
    let whole = pieces.whole(&placed);
    assert!(whole.errors > 0);
    let names: Vec<&str> = whole.entities.iter().map(|entity| entity.name.as_str()).collect();
    assert_eq!(names, ["f", "g"]);
}

#[test]
fn an_empty_file_is_one_piece_that_declares_nothing() {
    let mut pieces = Pieces::default();
    let placed = placed(&mut pieces, "");
    assert_eq!((placed.len(), pieces.len()), (1, 1));
    let fragment = pieces.fragment(placed[0].piece).expect("a piece");
    assert!(fragment.entities.is_empty() && fragment.imports.is_empty() && fragment.errors == 0);
    assert_eq!(pieces.fragment(1), None);
}

#[test]
fn no_nesting_costs_time_or_stack_without_bound() {
    let times = |text: &str, count: usize| text.repeat(count);
    let blocks = |head: &str, depth: usize| -> String {
        (0..depth).map(|depth| format!("{}{head}\n", " ".repeat(depth))).collect()
    };
    let sources = [
        ("open brackets", times("[", 100_000)),
        ("open brackets of every kind", times("[({", 33_000)),
        ("closing brackets", times(")", 100_000)),
        ("nested brackets", format!("x = {}{}\n", times("[", 100_000), times("]", 100_000))),
        ("nested parentheses", format!("{}{}\n", times("(", 50_000), times(")", 50_000))),
        ("nested calls", format!("def f():\n    {}{}\n", times("f(", 50_000), times(")", 50_000))),
        ("nested formats", times("f'{", 20_000)),
        ("a chain of calls", format!("def f():\n    a{}\n", times(".b()", 50_000))),
        ("a chain of operators", format!("x = {}1\n", times("not - ", 50_000))),
        ("a chain of sums", format!("x = {}1\n", times("a + ", 50_000))),
        ("a chain of strings", format!("x = {}\n", times("'' ", 50_000))),
        ("nested conditions", blocks("if x:", 2_000)),
        ("nested functions", blocks("def f():", 2_000)),
        ("nested classes", blocks("class A:", 2_000)),
        ("decorators", format!("{}def f(): pass\n", times("@a\n", 50_000))),
        ("functions on a line each", times("def f(): pass\n", 50_000)),
        ("methods on a line each", format!("class A:\n{}", times(" def f(): pass\n", 50_000))),
        ("imports", times("import a.b as c, d\n", 50_000)),
        ("comments in functions", format!("{}{}", blocks("def f():", 64), times("# a\n", 5_000))),
        ("one long string", format!("x = '''{}'''\n", times("a\n", 500_000))),
        ("one long line", format!("x = [{}]\n", times("1, ", 300_000))),
    ];
    // A stack that a recursion of this depth would not fit.
    let reader = move || {
        for (about, source) in sources {
            let began = Instant::now();
            let mut pieces = Pieces::default();
            let reading = read(&mut pieces, "a.py", source.as_bytes(), &mut Vec::new());
            if let Some(Ok(placed)) = reading {
                pieces.whole(&placed);
            }
            let took = began.elapsed();
            assert!(took < Duration::from_secs(30), "{about}: {took:?}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(reader).expect("a thread");
    thread.join().expect("an end without overflow");
}
