//! What a check notices, in which words, and that it changes nothing.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::super::repository::git;
use super::{Made, copy_of, state};

const FILES: [(&str, &str); 4] =
    [(".gitignore", "*.log\n"), ("a", "one\n"), ("sub/b", "two\n"), ("sub/c", "three\n")];

/// What the check of a copy says after `change`.
fn said(change: impl FnOnce(&Made)) -> String {
    let made = copy_of(&FILES);
    made.copy.check_clean().unwrap();
    change(&made);
    let said = made.copy.check_clean().expect_err("it is not clean");
    assert!(!said.contains(made.scratch.path().to_str().unwrap()), "{said}");
    said
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_change_is_named_as_git_names_it() {
    type Change = fn(&Made);
    let cases: [(&str, Change); 13] = [
        ("`?? leaked.txt`", |made| write(&made.at("leaked.txt"), "x")),
        ("`?? new/leaked.txt` and 1 more", |made| {
            write(&made.at("new/leaked.txt"), "x");
            write(&made.at("sub/leaked.txt"), "x");
        }),
        ("` M a` and 2 more", |made| {
            write(&made.at("a"), "changed");
            fs::remove_file(made.at("sub/b")).unwrap();
            write(&made.at("leaked.txt"), "x");
        }),
        ("` D sub/b`", |made| fs::remove_file(made.at("sub/b")).unwrap()),
        ("` D sub/b` and 1 more", |made| fs::remove_dir_all(made.at("sub")).unwrap()),
        ("` M a`", |made| {
            fs::set_permissions(made.at("a"), fs::Permissions::from_mode(0o755)).unwrap();
        }),
        ("` T a`", |made| {
            fs::rename(made.at("a"), made.outside("a")).unwrap();
            symlink(made.outside("a"), made.at("a")).unwrap();
        }),
        ("`?? leaked.txt`", |made| {
            write(&made.at("leaked.txt"), "x");
            git(made.copy.path(), &["add", "leaked.txt"]);
        }),
        ("`D  a` and 1 more", |made| {
            git(made.copy.path(), &["rm", "--quiet", "--cached", "a"]);
        }),
        ("`?? nested/`", |made| {
            write(&made.at("nested/x"), "");
            git(&made.at("nested"), &["init", "--quiet"]);
        }),
        ("`?? line\\nfeed \u{fffd}`", |made| {
            use std::os::unix::ffi::OsStrExt;
            let name = std::ffi::OsStr::from_bytes(b"line\nfeed \xff");
            fs::write(made.copy.path().join(name), "").unwrap();
        }),
        ("`?? sub/.gitignore`", |made| write(&made.at("sub/.gitignore"), "leaked\n")),
        ("` M .gitignore`", |made| write(&made.at(".gitignore"), "*\n")),
    ];
    for (expected, change) in cases {
        assert_eq!(said(change), format!("the private copy is not clean: {expected}"));
    }
}

#[test]
fn a_change_that_kept_length_and_date_is_named() {
    let said = said(|made| {
        // Git tells states apart by the second.
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        let modified = made.at("a").metadata().unwrap().modified().unwrap();
        write(&made.at("a"), "ONE\n");
        let file = fs::File::options().append(true).open(made.at("a")).unwrap();
        file.set_modified(modified).unwrap();
    });
    assert_eq!(said, "the private copy is not clean: ` M a`");
}

#[test]
fn a_change_of_gits_own_files_is_named() {
    type Change = fn(&Made);
    let cases: [(&str, Change); 20] = [
        ("`.git/hooks` was added", |made| write(&made.at(".git/hooks/pre-commit"), "")),
        ("`.git/config` was changed", |made| {
            git(made.copy.path(), &["config", "core.fsmonitor", "true"]);
        }),
        ("`.git/config` was changed", |made| fs::remove_file(made.at(".git/config")).unwrap()),
        ("`.git/config` was changed", |made| {
            fs::rename(made.at(".git/config"), made.outside("config")).unwrap();
            symlink(made.outside("config"), made.at(".git/config")).unwrap();
        }),
        ("`.git/config` was changed", |made| {
            fs::remove_file(made.at(".git/config")).unwrap();
            let mode = nix::sys::stat::Mode::S_IRWXU;
            nix::unistd::mkfifo(&made.at(".git/config"), mode).unwrap();
        }),
        ("`.git/config.worktree` was added", |made| write(&made.at(".git/config.worktree"), "")),
        ("`.git/info/attributes` was changed", |made| {
            write(&made.at(".git/info/attributes"), "* filter=x\n");
        }),
        ("`.git/info/exclude` was added", |made| {
            write(&made.at(".git/info/exclude"), "leaked.txt\n");
            write(&made.at("leaked.txt"), "");
        }),
        ("`.git/info/sparse-checkout` was added", |made| {
            write(&made.at(".git/info/sparse-checkout"), "");
        }),
        ("`.git/objects/info/alternates` was added", |made| {
            write(&made.at(".git/objects/info/alternates"), "/nowhere\n");
        }),
        ("`.git/commondir` was added", |made| write(&made.at(".git/commondir"), "/nowhere\n")),
        ("`.git/refs/replace` was added", |made| {
            let empty = git(made.copy.path(), &["hash-object", "-w", "/dev/null"]);
            git(made.copy.path(), &["replace", "HEAD:a", &empty]);
        }),
        ("`.git` is no folder any more", |made| {
            fs::rename(made.at(".git"), made.outside("git")).unwrap();
            let pointer = format!("gitdir: {}\n", made.outside("git").display());
            write(&made.at(".git"), &pointer);
        }),
        ("`.git` is no folder any more", |made| {
            fs::rename(made.at(".git"), made.outside("git")).unwrap();
            symlink(made.outside("git"), made.at(".git")).unwrap();
        }),
        ("`.git` is no folder any more", |made| fs::remove_dir_all(made.at(".git")).unwrap()),
        ("HEAD is not the commit that was made", |made| {
            git(made.copy.path(), &["commit", "--quiet", "--allow-empty", "--message=x"]);
        }),
        ("HEAD is not the commit that was made", |made| {
            git(made.copy.path(), &["update-ref", "-d", "refs/heads/main"]);
        }),
        ("`.git/HEAD` was changed", |made| {
            git(made.copy.path(), &["checkout", "--quiet", "--detach"]);
        }),
        ("its folder was moved or replaced", |made| {
            fs::rename(made.copy.path(), made.outside("moved")).unwrap();
            symlink(made.outside("moved"), made.copy.path()).unwrap();
        }),
        ("its folder was moved or replaced", |made| {
            fs::remove_dir_all(made.copy.path()).unwrap();
        }),
    ];
    for (expected, change) in cases {
        assert_eq!(said(change), format!("the private copy is not clean: {expected}"));
    }
}

#[test]
fn a_change_that_the_index_hides_is_not_clean() {
    for mark in ["--assume-unchanged", "--skip-worktree"] {
        let said = said(|made| {
            git(made.copy.path(), &["update-index", mark, "sub/b"]);
            write(&made.at("sub/b"), "hidden");
        });
        assert_eq!(said, "the private copy is not clean: ` M sub/b`", "{mark}");
    }
}

#[test]
fn a_mark_in_the_index_that_would_hide_a_change_is_not_clean() {
    for mark in ["--assume-unchanged", "--skip-worktree"] {
        let said = said(|made| {
            git(made.copy.path(), &["update-index", mark, "sub/b"]);
        });
        let expected = "`sub/b` is marked in the index as not to be looked at";
        assert_eq!(said, format!("the private copy is not clean: {expected}"), "{mark}");
    }
}

#[test]
fn an_index_that_cannot_be_read_is_said() {
    let said = said(|made| write(&made.at(".git/index"), "broken"));
    assert!(said.starts_with("`git -C $COPY status` failed: "), "{said}");
}

#[test]
fn what_a_program_may_leave_is_clean() {
    let made = copy_of(&FILES);
    write(&made.at("sub/build.log"), "ignored");
    write(&made.at(".corvint/.gitignore"), "*\n");
    write(&made.at(".corvint/self-observations.jsonl"), "{}\n");
    write(&made.at(".git/corvint/index/sha1-0-0.gob"), "index");
    fs::create_dir_all(made.at("empty/folders")).unwrap();
    made.copy.check_clean().unwrap();
    // Git that others call may refresh its index, pack its objects and move its branches.
    for path in ["a", "sub/c"] {
        fs::File::options().append(true).open(made.at(path)).unwrap();
        fs::set_permissions(made.at(path), fs::Permissions::from_mode(0o644)).unwrap();
    }
    git(made.copy.path(), &["status"]);
    made.copy.check_clean().unwrap();
    git(made.copy.path(), &["gc", "--quiet"]);
    assert!(!made.at(".git/refs/heads/main").exists());
    made.copy.check_clean().unwrap();
    git(made.copy.path(), &["update-index", "--untracked-cache"]);
    git(made.copy.path(), &["update-index", "--force-write-index"]);
    made.copy.check_clean().unwrap();
    made.copy.check_clean().unwrap();
}

#[test]
fn more_changes_than_anyone_would_read_are_counted_as_far_as_they_were_read() {
    let said = said(|made| {
        for at in 0..2_000 {
            write(&made.at(&format!("many/{at:04}-a-rather-long-name-for-a-file")), "");
        }
    });
    let shown = "`?? many/0000-a-rather-long-name-for-a-file`";
    let more = said.strip_prefix(&format!("the private copy is not clean: {shown} and over "));
    let more = more.and_then(|more| more.strip_suffix(" more")).unwrap();
    assert!((1_000..2_000).contains(&more.parse::<u64>().unwrap()), "{said}");
}

#[test]
fn a_check_changes_nothing() {
    let made = copy_of(&FILES);
    // Git would write these dates into its index.
    fs::set_permissions(made.at("a"), fs::Permissions::from_mode(0o644)).unwrap();
    let before = state(made.copy.path());
    made.copy.check_clean().unwrap();
    write(&made.at("sub/leaked"), "x");
    made.copy.check_clean().unwrap_err();
    fs::remove_file(made.at("sub/leaked")).unwrap();
    made.copy.check_clean().unwrap();
    let mut after = state(made.copy.path());
    // The one that this test itself has changed.
    after.insert(made.at("sub"), before[&made.at("sub")].clone());
    assert!(before == after, "a check has written");
}

#[test]
fn the_store_is_found_where_it_is() {
    let made = copy_of(&FILES);
    assert_eq!(made.copy.store(), None);
    fs::create_dir_all(made.at(".corvint/index")).unwrap();
    assert_eq!(made.copy.store(), Some(made.at(".corvint/index")));
    symlink(made.scratch.path(), made.at(".git/corvint")).unwrap();
    assert_eq!(made.copy.store(), Some(made.at(".corvint/index")));
    fs::remove_file(made.at(".git/corvint")).unwrap();
    fs::create_dir_all(made.at(".git/corvint/index")).unwrap();
    assert_eq!(made.copy.store(), Some(made.at(".git/corvint/index")));
}

#[test]
fn what_a_program_says_of_the_copy_does_not_tell_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    let mut tree = super::Listed::new(&FILES);
    let copy = retrieval_bench::snapshot::PrivateCopy::make(
        &super::Copies::new(1),
        &super::key(),
        &mut tree,
        &link.join("copy"),
        super::PATIENCE,
    )
    .unwrap();
    let text = format!("no {}/a, nor {}", real.join("copy").display(), link.join("copy").display());
    assert_eq!(copy.unnamed(&text), "no $COPY/a, nor $COPY");
}

#[test]
fn an_index_that_calls_a_changed_file_clean_is_not_believed() {
    let said = said(|made| {
        let copy = made.copy.path();
        let old = git(copy, &["rev-parse", "HEAD:a"]);
        write(&made.at("a"), "evil contents of another size\n");
        git(copy, &["add", "a"]);
        let new = git(copy, &["hash-object", "a"]);
        // The old id for the new one, under a checksum of its own.
        let index = made.at(".git/index");
        let mut bytes = fs::read(&index).unwrap();
        let (old, new) = (id(&old), id(&new));
        let at = bytes.windows(20).position(|window| window == new).expect("the new id");
        bytes[at..at + 20].copy_from_slice(&old);
        let body = bytes.len() - 20;
        fs::write(made.outside("body"), &bytes[..body]).unwrap();
        let sum = std::process::Command::new("sha1sum").arg(made.outside("body")).output().unwrap();
        let sum = id(std::str::from_utf8(&sum.stdout[..40]).unwrap());
        bytes[body..].copy_from_slice(&sum);
        fs::write(index, bytes).unwrap();
    });
    assert_eq!(said, "the private copy is not clean: ` M a`");
}

/// The bytes of an object id.
fn id(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.trim().as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn an_object_that_stands_in_for_another_is_noticed_loose_and_packed() {
    let replaced = |made: &Made| {
        write(&made.outside("evil"), "evil\n");
        let evil = made.outside("evil");
        let evil = git(made.copy.path(), &["hash-object", "-w", evil.to_str().unwrap()]);
        git(made.copy.path(), &["replace", "HEAD:a", &evil]);
    };
    assert!(said(replaced).contains("`.git/refs/replace` was added"));
    let packed = said(|made| {
        replaced(made);
        git(made.copy.path(), &["pack-refs", "--all"]);
        let _ = fs::remove_dir_all(made.at(".git/refs/replace"));
    });
    assert!(packed.contains("`.git/packed-refs` replaces objects"), "{packed}");
}
