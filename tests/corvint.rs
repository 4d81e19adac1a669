//! The tool under test: command lines, packets, failures.

mod arms;
pub mod bench;
mod capture;
mod changed_file;
mod failure;
mod latency;
mod packets;
mod packets_kept;
mod properties;
mod published;
mod stand_in;

use std::ffi::OsStr;
use std::path::Path;

use retrieval_bench::arm::{ARMS, Family};
use retrieval_bench::corvint::{Call, Observed, VERBS, verb};

fn words(arm: &str, task: &str, changed: &str) -> Vec<String> {
    let call = Call { root: Path::new("/copies/one"), task, changed, limit: 7 };
    let words = (verb(arm).expect("an arm of the table").arguments)(&call);
    words.iter().map(|word| word.to_str().expect("text").to_owned()).collect()
}

#[test]
fn every_arm_of_the_family_has_its_verb_in_the_order_of_the_table() {
    let family = ARMS.iter().filter(|row| row.family == Family::Corvint).map(|row| row.name);
    assert_eq!(VERBS.each_ref().map(|verb| verb.arm).to_vec(), family.collect::<Vec<_>>());
    assert!(verb("grep").is_none());
    let asked_about_a_change = VERBS.iter().filter(|verb| verb.needs_changed_file);
    assert_eq!(
        asked_about_a_change.map(|verb| verb.word).collect::<Vec<_>>(),
        ["impact", "affected"]
    );
}

#[test]
fn the_command_lines_are_those_of_the_reference() {
    let root = ["--root", "/copies/one"];
    for (arm, rest) in [
        ("corvint", vec!["query", "--task", "it fails", "--limit", "7"]),
        ("context", vec!["context", "--task", "it fails", "--limit", "7"]),
        ("impact", vec!["impact", "src/a b.go", "--limit", "7"]),
        ("affected", vec!["affected"]),
    ] {
        assert_eq!(words(arm, "it fails", "src/a b.go"), [&root[..], &rest[..]].concat(), "{arm}");
    }
}

#[test]
fn a_text_or_path_that_looks_like_a_flag_is_passed_as_none() {
    assert_eq!(words("corvint", "--help me", "")[3..], ["--task=--help me", "--limit", "7"]);
    assert_eq!(words("context", "-", "")[3..], ["--task=-", "--limit", "7"]);
    assert_eq!(words("impact", "", "-x/--root")[3..], ["--limit", "7", "--", "-x/--root"]);
    assert_eq!(words("context", " -x", "")[3..], ["--task", " -x", "--limit", "7"]);
}

#[test]
fn query_is_asked_with_the_first_two_thousand_characters_and_context_with_all() {
    for (letter, count) in [("é", 1_999), ("é", 2_000), ("𝄞", 2_001), ("a\u{301}", 3_000)] {
        let task = letter.repeat(count);
        let prefix: String = task.chars().take(2_000).collect();
        assert_eq!(words("corvint", &task, "")[4], prefix);
        assert_eq!(words("context", &task, "")[4], task);
    }
    let dashed = format!("-{}", "x".repeat(2_500));
    assert_eq!(words("corvint", &dashed, "")[3].len(), "--task=".len() + 2_000);
}

#[test]
fn a_folder_that_is_no_text_is_named_by_its_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let root = Path::new(OsStr::from_bytes(b"/copies/\xff"));
    for verb in &VERBS {
        let words = (verb.arguments)(&Call { root, task: "t", changed: "c", limit: 1 });
        assert_eq!(words[1].as_bytes(), b"/copies/\xff");
    }
}

#[test]
fn the_trace_counts_only_where_it_stands_alone() {
    for (stderr, state) in [
        (&b"corvint-bench-snapshot: hit=true\n"[..], "OBSERVED_HIT"),
        (b"corvint-bench-snapshot: hit=false\n", "OBSERVED_MISS"),
        (b" \t\r\n corvint-bench-snapshot: hit=true", "OBSERVED_HIT"),
        (b"corvint-bench-snapshot: hit=false\njust a warning\n", "UNKNOWN"),
        (b"corvint-bench-snapshot: hit=true\ncorvint-bench-snapshot: hit=true\n", "UNKNOWN"),
        (b"corvint-bench-snapshot: hit=TRUE\n", "UNKNOWN"),
        (b"corvint-bench-snapshot:  hit=true\n", "UNKNOWN"),
        (b"corvint-bench-snapshot: hit=true\xff", "UNKNOWN"),
        (b"", "UNKNOWN"),
    ] {
        assert_eq!(Observed::on(stderr).name(), state, "{:?}", String::from_utf8_lossy(stderr));
    }
}
