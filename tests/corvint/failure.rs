//! What a failed call is recorded as.

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use retrieval_bench::corvint::{Ended, failure, failure_reason, hide_copy};

use crate::fixture::shared;

const COPY: &str = "/tmp/copies/a1B2c3";

fn text(ended: &Ended, stderr: &str) -> String {
    failure("query", ended, stderr.as_bytes(), Path::new(COPY))
}

#[test]
fn each_end_has_the_words_of_the_reference() {
    for (ended, expected) in [
        (Ended::Exited(3), "corvint query: exit status 3"),
        (Ended::Killed(9), "corvint query: signal: killed"),
        (Ended::Killed(15), "corvint query: signal: terminated"),
        (Ended::Killed(11), "corvint query: signal: segmentation fault"),
        (Ended::Killed(6), "corvint query: signal: aborted"),
        (Ended::Killed(1), "corvint query: signal: hangup"),
        (Ended::Killed(99), "corvint query: signal: signal 99"),
        (Ended::Killed(-1), "corvint query: signal: signal -1"),
        (
            Ended::TooSlow(Duration::from_secs(120)),
            "corvint query: did not end within 120 s and was killed",
        ),
        (
            Ended::TooSlow(Duration::from_millis(250)),
            "corvint query: did not end within 0.25 s and was killed",
        ),
        (Ended::TooMuchOutput(8 << 20), "corvint query: output exceeds 8388608 bytes"),
    ] {
        assert_eq!(text(&ended, ""), expected);
        assert_eq!(text(&ended, " \n\t\0"), expected);
        assert_eq!(
            text(&ended, "  boom: exit three \n\n"),
            format!("{expected}: boom: exit three")
        );
    }
}

#[test]
fn a_published_refusal_is_repeated_in_one_line() {
    let Some(folder) = shared("data/corvint-recorded") else { return };
    let stderr = std::fs::read(folder.join("derived-impact-suffix.stderr")).expect("recorded");
    assert_eq!(
        failure("impact", &Ended::Exited(2), &stderr, Path::new(COPY)),
        "corvint impact: exit status 2: {\"code\": \"unsupported-impact-path-suffix\", \"error\": \
         \"native Go impact requires a suffix admitted by the repository index\", \"evidence\": [], \
         \"ok\": false, \"subject\": {\"kind\": \"value\", \"value\": \"assets/logo.bin\"}, \
         \"supported_fixes\": [\"impact.omit-unadmitted-path\"]}"
    );
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|end| end == "stderr") {
            let stderr = std::fs::read_to_string(&path).expect("recorded");
            assert_eq!(
                failure_reason(&Ended::Exited(2), stderr.as_bytes(), Path::new(COPY)),
                format!("exit status 2: {}", stderr.trim())
            );
        }
    }
}

#[test]
fn the_copy_has_one_name_wherever_it_is_mentioned() {
    let said = format!("open {COPY}/a.go: not in {COPY} (\"{COPY}\")");
    assert_eq!(
        text(&Ended::Exited(2), &said),
        "corvint query: exit status 2: open $COPY/a.go: not in $COPY (\"$COPY\")"
    );
    let accented = Path::new("/tmp/é\"𝄞");
    let json = r#"{"error": "not a repository: /tmp/\u00e9\"\ud834\udd1e/x"}"#;
    assert_eq!(hide_copy(json, accented), r#"{"error": "not a repository: $COPY/x"}"#);
    assert_eq!(hide_copy("in /tmp/é\"𝄞", accented), "in $COPY");
    assert_eq!(hide_copy("nothing", Path::new("")), "nothing");
}

#[test]
fn four_kibibytes_are_kept_and_no_part_of_the_copys_path() {
    let of = |said: &str| failure_reason(&Ended::Exited(2), said.as_bytes(), Path::new(COPY));
    let kept = |said: &str| of(said)["exit status 2: ".len()..].to_owned();
    assert_eq!(kept(&"x".repeat(4_096)).len(), 4_096);
    assert_eq!(kept(&"x".repeat(4_097)).len(), 4_096);
    // Two bytes a letter, so that the bound falls into one.
    assert_eq!(kept(&format!("x{}", "é".repeat(4_000))).len(), 4_095);
    let straddling = format!("{}{COPY}/x", "y".repeat(4_090));
    assert_eq!(kept(&straddling), format!("{}$COPY/", "y".repeat(4_090)));
}

#[test]
fn controls_and_spaces_of_any_kind_become_one_space() {
    assert_eq!(
        text(&Ended::Exited(1), "a\r\n\u{1b}[31m b\u{a0}\u{2028}c\u{7f}\u{85}d\0\0e"),
        "corvint query: exit status 1: a [31m b c d e"
    );
}

proptest! {
    #[test]
    fn any_bytes_become_one_bounded_line(stderr in prop::collection::vec(any::<u8>(), 0..9_000)) {
        let text = failure("query", &Ended::Exited(1), &stderr, Path::new(COPY));
        prop_assert!(!text.contains(|letter: char| letter.is_control()));
        prop_assert!(!text.ends_with(' ') && !text.contains("  "));
        prop_assert!(text.len() <= "corvint query: exit status 1: ".len() + 4_096);
        prop_assert_eq!(failure("query", &Ended::Exited(1), &stderr, Path::new(COPY)), text);
    }
}
