use proptest::prelude::*;
use retrieval_bench::text::safe_path::{is_safe_relative, is_safe_repo, why_unsafe};
use serde_json::Value;

use crate::{fixture, oracle};

#[test]
fn paths_agree_with_the_reference_except_where_ours_is_stricter() {
    let Some(table) = fixture::shared("data/harness-golden/unit/saferelative.json") else { return };
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(table).unwrap()).unwrap();
    let stricter = ["a/.GIT/b", "a\\..\\b", "a/b\0c"];
    let mut differing = Vec::new();
    for row in &rows {
        let path = row["path"].as_str().unwrap();
        if is_safe_relative(path) != row["safe"].as_bool().unwrap() {
            differing.push(path);
        }
    }
    assert_eq!(rows.len(), 23);
    assert_eq!(differing, stricter);
    assert!(stricter.iter().all(|path| !is_safe_relative(path)));
}

#[test]
fn an_unsafe_path_is_named_for_what_is_wrong_with_it() {
    let reasons = [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        ("\\\\host\\share", "is absolute"),
        ("a\0", "holds a NUL"),
        ("a//b", "has an empty component"),
        ("a/", "has an empty component"),
        ("./a", "has a `.` component"),
        ("a/../../b", "has a `..` component"),
        ("sub/.Git/config", "has a `.git` component"),
        ("a\\..\\..\\b", "escapes through a backslash"),
        ("..\\b", "escapes through a backslash"),
        ("x/.GIT\\config", "escapes through a backslash"),
    ];
    for (path, reason) in reasons {
        assert_eq!(why_unsafe(path), Some(reason), "{path:?}");
    }
}

#[test]
fn ordinary_names_are_safe_however_odd() {
    for path in [
        "a",
        "win\\sep.go",
        ".gitignore",
        ".github/x",
        "...",
        " ",
        "C:/x",
        "a\\.\\b",
        "é/\u{202e}a",
        ".git2",
        "a..b",
    ] {
        assert_eq!(why_unsafe(path), None, "{path:?}");
    }
}

#[test]
fn a_repo_is_a_pair_of_plain_names() {
    for repo in ["acme/gadget", "vuejs/core", "a/b.c", "A-1/_x", "x/..."] {
        assert!(is_safe_repo(repo), "{repo:?}");
    }
    for repo in [
        "", "/", "a", "a/", "/b", "a/b/c", "../b", "a/..", "./b", "a/.", "a/.GIT", ".git/b",
        "a b/c", "a/b\\c", "a/b\0", "é/b", "a/b\n",
    ] {
        assert!(!is_safe_repo(repo), "{repo:?}");
    }
}

proptest! {
    #[test]
    fn a_path_is_safe_exactly_if_walking_it_stays_inside(
        parts in prop::collection::vec("|\\.|\\.\\.|\\.git|\\.GiT|a|b\\.go|\\.\\.\\.|x y|\0", 0..5),
        separators in prop::collection::vec("[/\\\\]", 5),
    ) {
        let mut path = String::new();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                path.push_str(&separators[index]);
            }
            path.push_str(part);
        }
        prop_assert_eq!(is_safe_relative(&path), oracle::safe_path::stays_inside(&path), "{:?}", path);
    }
}
