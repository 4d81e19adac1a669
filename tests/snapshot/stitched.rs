//! Cut files rebuilt from symbol rows, held to the files they were cut from.

use proptest::prelude::*;

use retrieval_bench::snapshot::{Contents, Recovered, Stitched, Tree};

use super::{key, open};

const MARKER: &str = "\n...[truncated]";

fn stitched(chunks: &str) -> Stitched<Vec<u8>> {
    Stitched::open(&key(), "chunks", chunks.as_bytes().to_vec()).unwrap()
}

fn read(tree: &mut dyn Tree, file: usize) -> String {
    let mut bytes = Vec::new();
    tree.read(file, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A text as the corpus builder writes it (specification, Agent Retrieval Bench 1.5).
fn clipped(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim();
    if text.chars().count() <= 8_000 {
        return text.to_owned();
    }
    let kept: String = text.chars().take(8_000).collect();
    kept.trim_end().to_owned() + MARKER
}

/// The rows of a file whose symbols start where `is_symbol` says.
fn build(path: &str, text: &str, is_symbol: impl Fn(&str) -> bool) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let row = |kind: &str, start: usize, end: usize, text: &str| {
        serde_json::json!({
            "end_line": end, "kind": kind, "path": path, "start_line": start, "symbol": "", "text": clipped(text)
        })
        .to_string()
    };
    let mut rows = vec![row("file", 1, lines.len(), text)];
    let starts: Vec<usize> = (0..lines.len()).filter(|&line| is_symbol(lines[line])).collect();
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(lines.len());
        rows.push(row("symbol", start + 1, end, &lines[start..end].join("\n")));
    }
    rows
}

fn is_function(line: &str) -> bool {
    line.trim_start().starts_with("fn ")
}

/// A file of more than 8,000 letters: functions of a few lines each.
fn long_file(functions: usize) -> String {
    let function =
        |at: usize| format!("    fn number_{at}() {{\n        call({at});\n\n    }}\n\n");
    let all: String = (0..functions).map(function).collect();
    format!("mod a {{\n    use b;\n{all}}}\n")
}

#[test]
fn a_cut_file_whose_symbols_are_whole_comes_back_whole() {
    let text = long_file(400);
    let rows = build("a.rs", &text, is_function);
    assert!(rows[0].contains("[truncated]"));
    let mut tree = stitched(&rows.join("\n"));
    assert!(tree.is_rebuilt(0));
    assert_eq!(tree.notes().stitched, 1);
    let rebuilt = read(&mut tree, 0);
    // Only the indentation of a symbol's first line is lost, and the end of the file.
    let expected: Vec<&str> = text.lines().collect();
    let found: Vec<&str> = rebuilt.split('\n').collect();
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found.trim_start(), expected.trim_start(), "line {}", at + 1);
        if !is_function(expected) || at < 100 {
            assert_eq!(found, expected, "line {}", at + 1);
        }
    }
    let Recovered { lines, in_head, known } = tree.recovered();
    assert_eq!((lines, known), (expected.len() as u64, lines));
    assert!(in_head < lines / 2);
}

#[test]
fn files_that_were_not_cut_are_those_of_the_file_rows() {
    let mut rows = build("a.rs", "\n\nfn a() {\n\n}\n", is_function);
    rows.extend(build("b.txt", "x\n...[truncated] not at the end", |_| false));
    let chunks = rows.join("\n");
    let (mut plain, mut tree) = (open(&chunks).unwrap(), stitched(&chunks));
    assert_eq!((tree.notes(), tree.recovered()), (plain.notes(), Recovered::default()));
    for file in 0..2 {
        assert!(!tree.is_rebuilt(file));
        assert_eq!(read(&mut tree, file), read(&mut plain, file));
        assert_eq!(tree.fingerprint(file).unwrap(), plain.fingerprint(file).unwrap());
    }
}

#[test]
fn a_cut_file_without_symbols_stays_as_it_is() {
    let text = "word ".repeat(3_000);
    let chunks = build("a.txt", &text, |_| false).join("\n");
    let mut tree = stitched(&chunks);
    assert_eq!(read(&mut tree, 0), clipped(&text));
    assert_eq!(tree.notes().stitched, 0);
    assert_eq!(tree.recovered(), Recovered { lines: 1, in_head: 0, known: 0 });
}

#[test]
fn lines_that_no_row_tells_are_empty_and_torn_words_are_dropped() {
    let body = |letter: char| {
        format!("fn {letter}() {{\n{}}}\n", format!("  {letter}{letter}_ü1;\n").repeat(1_000))
    };
    let text = format!("{}{}", body('a'), body('b'));
    let mut tree = stitched(&build("a.rs", &text, is_function).join("\n"));
    let rebuilt = read(&mut tree, 0);
    let expected: Vec<&str> = text.lines().collect();
    let found: Vec<&str> = rebuilt.split('\n').collect();
    assert_eq!(found.len(), expected.len());
    let mut known = 0;
    for (found, expected) in found.iter().zip(&expected) {
        assert!(
            found == expected
                || (expected.starts_with(found) && !found.ends_with(['a', 'b', '_', 'ü']))
        );
        known += u64::from(found == expected);
    }
    // A torn line may be whole by chance, and is not counted.
    assert!((known - 2..=known).contains(&tree.recovered().known));
    assert!(known > 1_500 && known < 1_900);
}

#[test]
fn blank_lines_before_the_head_are_found_from_the_symbols() {
    let text = format!("\n\n\n{}", long_file(300));
    let mut tree = stitched(&build("a.rs", &text, is_function).join("\n"));
    let rebuilt = read(&mut tree, 0);
    for (found, expected) in rebuilt.split('\n').zip(text.lines()) {
        assert_eq!(found.trim_start(), expected.trim_start());
    }
    assert!(rebuilt.starts_with("\n\n\nmod a"));
}

#[test]
fn unusual_line_breaks_of_the_head_keep_the_numbers_right() {
    // Python's splitlines ends a line at a form feed; the numbers of the rows count it.
    let text = long_file(300).replacen("use b;", "use b;\x0c", 1);
    let lines: Vec<&str> = text.split(['\n', '\x0c']).collect();
    let lines = &lines[..lines.len() - 1];
    let head = serde_json::json!({"kind": "file", "path": "a.rs", "start_line": 1, "end_line": lines.len(), "text": clipped(&text)});
    let mut rows = vec![head.to_string()];
    let starts: Vec<usize> = (0..lines.len()).filter(|&line| is_function(lines[line])).collect();
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(lines.len());
        let text = clipped(&lines[start..end].join("\n"));
        rows.push(serde_json::json!({"kind": "symbol", "path": "a.rs", "start_line": start + 1, "end_line": end, "text": text}).to_string());
    }
    let mut tree = stitched(&rows.join("\n"));
    let rebuilt = read(&mut tree, 0);
    let found: Vec<&str> = rebuilt.split('\n').map(str::trim_start).collect();
    let expected: Vec<&str> = text.lines().map(str::trim_start).collect();
    assert_eq!(found, expected);
    assert_eq!(tree.recovered().known, lines.len() as u64);
}

#[test]
fn symbols_that_contradict_the_head_or_lie_outside_are_not_used() {
    let text = long_file(400);
    let rows = build("a.rs", &text, is_function);
    let good = stitched(&rows.join("\n"));
    let total = text.lines().count();
    let odd = [
        (0, 3, "fn zero() {"),
        (total, total + 1, "fn behind() {\n}"),
        (usize::MAX - 1, usize::MAX - 1, "fn far() {"),
        (9, 8, "fn backwards() {"),
        (2_000, 2_000, "fn a() {\n\n\n}"),
        (1_900, 1_900, "fn contradicts_another_symbol() {"),
    ];
    let mut with_odd = rows.clone();
    for (start, end, text) in odd {
        with_odd.push(serde_json::json!({"kind": "symbol", "path": "a.rs", "start_line": start, "end_line": end, "text": text}).to_string());
    }
    let mut tree = stitched(&with_odd.join("\n"));
    let mut good = good;
    let (found, expected) = (read(&mut tree, 0), read(&mut good, 0));
    let differing = found.split('\n').zip(expected.split('\n')).filter(|(a, b)| a != b).count();
    assert_eq!(differing, 0);
    // A symbol that contradicts the head says that the rows are of different files: nothing is rebuilt.
    let mut wrong = rows;
    wrong.push(serde_json::json!({"kind": "symbol", "path": "a.rs", "start_line": 4, "end_line": 4, "text": "fn wrong() {"}).to_string());
    let mut tree = stitched(&wrong.join("\n"));
    assert_eq!(read(&mut tree, 0), clipped(&text));
    assert_eq!(tree.notes().stitched, 0);
}

#[test]
fn absurd_numbers_of_lines_leave_the_row_alone() {
    for lines in ["400001", "18446744073709551615", "3"] {
        let head = serde_json::to_string(&clipped(&long_file(400))).unwrap();
        let chunks = format!(
            "{{\"kind\": \"file\", \"path\": \"a\", \"end_line\": {lines}, \"text\": {head}}}\n\
             {{\"kind\": \"symbol\", \"path\": \"a\", \"start_line\": 3, \"end_line\": 3, \"text\": \"fn number_0() {{\"}}"
        );
        let tree = stitched(&chunks);
        assert_eq!(tree.notes().stitched, 0, "{lines}");
    }
}

#[test]
fn a_few_rows_that_ask_for_gigabytes_of_lines_are_left_alone() {
    let rows = |path: usize| {
        format!(
            "{{\"kind\": \"file\", \"path\": \"{path}\", \"end_line\": 400000, \"text\": \"fn a() {{\\n...[truncated]\"}}\n\
             {{\"kind\": \"symbol\", \"path\": \"{path}\", \"start_line\": 1, \"end_line\": 400000, \"text\": \"fn a() {{\"}}\n"
        )
    };
    let mut tree = stitched(&(0..10_000).map(rows).collect::<String>());
    assert_eq!((tree.len(), tree.notes().stitched), (10_000, 0));
    assert_eq!(read(&mut tree, 0), "fn a() {\n...[truncated]");
}

#[test]
fn symbols_that_tell_every_line_again_and_again_rebuild_nothing() {
    let (text, mut rows) = (long_file(400), build("a.rs", &long_file(400), is_function));
    let total = text.lines().count();
    assert_eq!(stitched(&rows.join("\n")).notes().stitched, 1);
    let symbol = serde_json::json!({
        "kind": "symbol", "path": "a.rs", "start_line": 1, "end_line": total, "text": "mod a {\n    use b;\n...[truncated]"
    });
    rows.resize(rows.len() + 20_000, symbol.to_string());
    let mut tree = stitched(&rows.join("\n"));
    assert_eq!(tree.notes().stitched, 0);
    assert_eq!(read(&mut tree, 0), clipped(&text));
}

#[test]
fn a_text_longer_than_the_builder_leaves_was_not_cut_by_it() {
    let rows = build("a.rs", &long_file(400), is_function);
    let whole = serde_json::to_string(&(long_file(400) + MARKER)).unwrap();
    let uncut = rows[0].replace(&serde_json::to_string(&clipped(&long_file(400))).unwrap(), &whole);
    assert_ne!(uncut, rows[0]);
    let tree = stitched(&[&uncut, &rows[1..].join("\n")].map(String::as_str).join("\n"));
    assert_eq!(tree.notes().stitched, 0);
}

#[test]
fn line_numbers_of_the_wrong_type_refuse_the_file_only_where_they_are_used() {
    for bad in ["\"1\"", "-1", "1.5", "[]", "true", "18446744073709551616"] {
        let chunks = format!(
            "{{\"kind\": \"file\", \"path\": \"a\", \"start_line\": {bad}, \"text\": \"x\"}}"
        );
        assert!(open(&chunks).is_ok(), "{bad}");
        let error = Stitched::open(&key(), "chunks", chunks.into_bytes()).unwrap_err();
        let expected = format!("chunks: line 1 has a `start_line` that is no line number: {bad}");
        assert_eq!(error.reason, expected);
    }
}

#[test]
fn rebuilt_files_still_count_as_cut() {
    let chunks = build("a.rs", &long_file(400), is_function).join("\n");
    let mut contents = Contents::default();
    let mut texts = 0;
    let mut surveyed =
        contents.survey(&key(), &mut stitched(&chunks), &mut |_, _| texts += 1).unwrap();
    assert_eq!((surveyed.census.truncated, surveyed.census.stitched, texts), (1, 1, 1));
    surveyed.count_gold(&contents, ["a.rs"]);
    assert_eq!(surveyed.census.gold_truncated, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_line_is_ever_wrong_whatever_the_order_of_rows(
        (rows, text, shuffled) in prop::collection::vec(
            prop_oneof![
                4 => "[ \\t]{0,6}[a-z_é({;]{1,30}[ ]{0,2}",
                2 => Just(String::new()),
                2 => "[ ]{0,4}fn [a-z]{1,8}\\(\\)",
                1 => "[a-z ]{200,900}",
            ],
            50..900,
        )
        .prop_map(|lines| lines.join("\n") + "\n")
        .prop_flat_map(|text| {
            let rows = build("a.rs", &text, is_function);
            (Just(rows.clone()), Just(text), Just(rows).prop_shuffle())
        }),
    ) {
        let mut tree = stitched(&rows.join("\n"));
        let rebuilt = read(&mut tree, 0);
        let mut again = stitched(&shuffled.join("\n"));
        prop_assert_eq!(&rebuilt, &read(&mut again, 0));
        if tree.is_rebuilt(0) {
            let starts_blank = text.lines().next().is_some_and(|line| line.trim().is_empty());
            let symbol_in_head = text.lines().take(20).any(is_function);
            prop_assume!(!starts_blank || symbol_in_head);
            let expected: Vec<&str> = text.lines().collect();
            let found: Vec<&str> = rebuilt.split('\n').collect();
            prop_assert_eq!(found.len(), expected.len());
            let mut known = 0;
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!(expected.trim().starts_with(found.trim()));
                known += u64::from(expected.trim() == found.trim());
            }
            prop_assert!(tree.recovered().known <= known);
            prop_assert!(tree.recovered().known >= tree.recovered().in_head);
        }
    }
}
