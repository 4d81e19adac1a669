//! One file made dirty, and restored whatever happens meanwhile.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use super::super::repository::git;
use super::{Made, as_nobody, copy_of, state};

const FILES: [(&str, &str); 5] = [
    (".gitignore", "*.log\n"),
    ("a", "one\n"),
    ("build.log", "ignored\n"),
    ("sub/deep/b", "no line feed"),
    ("sub/empty", ""),
];

/// What makes a file the one it was, but for the date of its state.
fn file(path: &Path) -> (u32, u64, i64, i64, Vec<u8>) {
    let found = path.symlink_metadata().unwrap();
    let bytes = fs::read(path).unwrap();
    (found.mode(), found.ino(), found.mtime(), found.mtime_nsec(), bytes)
}

#[test]
fn a_dirty_file_has_two_more_line_feeds_and_is_restored() {
    for (path, text) in [("a", "one\n"), ("sub/deep/b", "no line feed"), ("sub/empty", "")] {
        let made = copy_of(&FILES);
        let before = file(&made.at(path));
        let dirtied = made.copy.dirty(path).unwrap();
        let dirty = file(&made.at(path));
        assert_eq!(dirty.4, format!("{text}\n\n").as_bytes());
        assert_eq!((dirty.0, dirty.1), (before.0, before.1));
        assert_eq!(git(made.copy.path(), &["status", "--short"]), format!(" M {path}"));
        let said = made.copy.check_clean().unwrap_err();
        assert_eq!(said, format!("the private copy is not clean: ` M {path}`"));
        dirtied.restore().unwrap();
        assert_eq!(file(&made.at(path)), before);
        made.copy.check_clean().unwrap();
        // And again, in the same copy.
        made.copy.dirty(path).unwrap().restore().unwrap();
        made.copy.check_clean().unwrap();
    }
}

#[test]
fn it_is_restored_when_it_is_dropped_and_when_something_panics() {
    let made = copy_of(&FILES);
    let before = file(&made.at("a"));
    drop(made.copy.dirty("a").unwrap());
    assert_eq!(file(&made.at("a")), before);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _dirtied = made.copy.dirty("a").unwrap();
        assert_ne!(file(&made.at("a")), before);
        std::panic::resume_unwind(Box::new("a panic"));
    }));
    assert!(panicked.is_err());
    assert_eq!(file(&made.at("a")), before);
    made.copy.check_clean().unwrap();
}

#[test]
fn what_a_program_does_to_the_file_itself_is_undone() {
    type Change = fn(&Path);
    let changes: [Change; 6] = [
        |path| fs::write(path, "").unwrap(),
        |path| fs::write(path, "another text that is much longer").unwrap(),
        |path| fs::write(path, "ONE\n\n\n").unwrap(),
        |path| fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap(),
        |path| fs::set_permissions(path, fs::Permissions::from_mode(0o4755)).unwrap(),
        |path| {
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_len(10_000_000).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        },
    ];
    if as_nobody("snapshot::copy::dirty::what_a_program_does_to_the_file_itself_is_undone") {
        return;
    }
    for change in changes {
        let made = copy_of(&FILES);
        let before = file(&made.at("a"));
        let dirtied = made.copy.dirty("a").unwrap();
        change(&made.at("a"));
        dirtied.restore().unwrap();
        assert_eq!(file(&made.at("a")), before);
        made.copy.check_clean().unwrap();
    }
}

#[test]
fn nothing_is_written_elsewhere_when_the_file_was_replaced_moved_or_linked() {
    type Change = fn(&Made);
    let replaced = "it was replaced, moved or linked";
    let gone = "No such file or directory (os error 2)";
    let cases: [(&str, Change); 11] = [
        (gone, |made| fs::remove_file(made.at("sub/deep/b")).unwrap()),
        (gone, |made| fs::rename(made.at("sub/deep/b"), made.outside("moved")).unwrap()),
        (gone, |made| fs::rename(made.at("sub"), made.outside("moved")).unwrap()),
        (replaced, |made| {
            // As editors save, with the very bytes that it had.
            fs::write(made.at("sub/deep/b.new"), "no line feed").unwrap();
            fs::rename(made.at("sub/deep/b.new"), made.at("sub/deep/b")).unwrap();
        }),
        (replaced, |made| {
            fs::remove_file(made.at("sub/deep/b")).unwrap();
            symlink(made.outside("victim"), made.at("sub/deep/b")).unwrap();
        }),
        (replaced, |made| {
            fs::rename(made.at("sub/deep/b"), made.outside("moved")).unwrap();
            symlink(made.outside("moved"), made.at("sub/deep/b")).unwrap();
        }),
        (replaced, |made| {
            fs::remove_file(made.at("sub/deep/b")).unwrap();
            fs::hard_link(made.outside("victim"), made.at("sub/deep/b")).unwrap();
        }),
        // The file itself has a name outside.
        (replaced, |made| fs::hard_link(made.at("sub/deep/b"), made.outside("linked")).unwrap()),
        (replaced, |made| {
            fs::remove_file(made.at("sub/deep/b")).unwrap();
            fs::create_dir(made.at("sub/deep/b")).unwrap();
        }),
        ("Not a directory (os error 20)", |made| {
            fs::rename(made.at("sub/deep"), made.outside("moved")).unwrap();
            symlink(made.outside("moved"), made.at("sub/deep")).unwrap();
        }),
        (replaced, |made| {
            fs::rename(made.copy.path(), made.outside("moved")).unwrap();
            symlink(made.outside("moved"), made.copy.path()).unwrap();
        }),
    ];
    for (at, (reason, change)) in cases.into_iter().enumerate() {
        for is_dropped in [false, true] {
            let made = copy_of(&FILES);
            fs::write(made.outside("victim"), "no line feed").unwrap();
            let dirtied = made.copy.dirty("sub/deep/b").unwrap();
            change(&made);
            let before = state(made.scratch.path());
            let expected = format!("`sub/deep/b` cannot be restored in the private copy: {reason}");
            if is_dropped {
                drop(dirtied);
            } else {
                assert_eq!(dirtied.restore().unwrap_err(), expected, "case {at}");
            }
            assert!(before == state(made.scratch.path()), "case {at} was written to");
            // The copy says so from now on.
            assert_eq!(made.copy.check_clean().unwrap_err(), expected, "case {at}");
            assert_eq!(made.copy.dirty("a").unwrap_err(), expected, "case {at}");
        }
    }
}

#[test]
fn only_a_regular_file_of_the_commit_can_be_made_dirty() {
    type Change = fn(&Made);
    let nothing: Change = |_| {};
    let not_committed = "is not a file of the snapshot's commit";
    let cases: [(&str, &str, Change); 17] = [
        ("", "is empty", nothing),
        ("../victim", "has a `..` component", nothing),
        ("sub/../a", "has a `..` component", nothing),
        ("/etc/passwd", "is absolute", nothing),
        (".git/config", "has a `.git` component", nothing),
        ("absent", not_committed, nothing),
        ("sub", not_committed, nothing),
        ("A", not_committed, nothing),
        ("build.log", not_committed, nothing),
        ("leaked", not_committed, |made| fs::write(made.at("leaked"), "").unwrap()),
        ("staged", not_committed, |made| {
            fs::write(made.at("staged"), "").unwrap();
            git(made.copy.path(), &["add", "staged"]);
        }),
        ("a", "cannot be made dirty: No such file or directory (os error 2)", |made| {
            fs::remove_file(made.at("a")).unwrap();
        }),
        ("a", "cannot be made dirty: Too many levels of symbolic links (os error 40)", |made| {
            fs::remove_file(made.at("a")).unwrap();
            symlink(made.outside("victim"), made.at("a")).unwrap();
        }),
        ("a", "cannot be made dirty: it has another name as well", |made| {
            fs::remove_file(made.at("a")).unwrap();
            fs::hard_link(made.outside("victim"), made.at("a")).unwrap();
        }),
        ("a", "cannot be made dirty: it is no regular file", |made| {
            fs::remove_file(made.at("a")).unwrap();
            nix::unistd::mkfifo(&made.at("a"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        }),
        ("a", "cannot be made dirty: Is a directory (os error 21)", |made| {
            fs::remove_file(made.at("a")).unwrap();
            fs::create_dir(made.at("a")).unwrap();
        }),
        ("sub/deep/b", "cannot be made dirty: Not a directory (os error 20)", |made| {
            fs::rename(made.at("sub/deep"), made.outside("moved")).unwrap();
            symlink(made.outside("moved"), made.at("sub/deep")).unwrap();
        }),
    ];
    for (path, reason, change) in cases {
        let made = copy_of(&FILES);
        fs::write(made.outside("victim"), "kept").unwrap();
        change(&made);
        let before = state(made.scratch.path());
        assert_eq!(made.copy.dirty(path).unwrap_err(), format!("`{path}` {reason}"));
        assert!(before == state(made.scratch.path()), "`{path}` was written to");
    }
}

#[test]
fn only_one_file_is_dirty_at_a_time() {
    let made = copy_of(&FILES);
    let dirtied = made.copy.dirty("a").unwrap();
    for path in ["a", "sub/empty"] {
        let expected = format!("`{path}` cannot be made dirty: another file is");
        assert_eq!(made.copy.dirty(path).unwrap_err(), expected);
    }
    assert_eq!(fs::read(made.at("sub/empty")).unwrap(), b"");
    dirtied.restore().unwrap();
    made.copy.dirty("sub/empty").unwrap().restore().unwrap();
    made.copy.check_clean().unwrap();
}
