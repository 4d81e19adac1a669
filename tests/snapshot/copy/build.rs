//! What is written, and that the commit is a function of it alone.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use retrieval_bench::dataset::SnapshotKey;
use retrieval_bench::snapshot::{
    Copies, Directory, GitTree, Location, PrivateCopy, Sources, Stitched, Tree,
};

use super::super::repository::{Repository, git};
use super::super::{PATIENCE, files, key, open, refusal};
use super::{Listed, again, copy_of, make, rows, state};
use crate::fixture::shared;

const FILES: [(&str, &str); 7] = [
    (".gitignore", "*.log\n"),
    ("README.md", "# Gadget\r\n$Id$\r\n"),
    ("build.log", "ignored"),
    ("empty", ""),
    ("src/a.rs", "fn a() {}\n"),
    ("src/deep/er/b.rs", "fn b() {}"),
    ("src/ü \"q\".txt", "odd name\n"),
];

/// The commit of these files, for ever.
const COMMIT: &str = "5bff764ddcab56fdaa67064b7167ac7186e9e434";

#[test]
fn a_content_has_one_commit_wherever_it_lies_and_whenever_it_is_copied() {
    let chunks = rows(&FILES);
    let repository = Repository::new();
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in FILES {
        repository.write(path, text);
        let full = folder.path().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
    }
    let commit = repository.commit();
    let key = SnapshotKey { commit, ..key() };
    let mut sources = Sources { git_timeout: PATIENCE, ..Sources::default() };
    sources.embedded.insert(key.clone(), rows(&FILES).leak().as_bytes());
    let embedded = Location::Embedded(sources.embedded[&key]);
    let trees: [Box<dyn Tree>; 7] = [
        Box::new(Listed::new(&FILES)),
        Box::new(open(&chunks).unwrap()),
        sources.open(&key, &embedded).unwrap(),
        Box::new(Stitched::open(&key, "chunks", chunks.as_bytes()).unwrap()),
        Box::new(Directory::open(&key, folder.path(), PATIENCE).unwrap()),
        Box::new(Directory::open(&key, repository.path(), PATIENCE).unwrap()),
        Box::new(GitTree::open(&key, repository.path(), PATIENCE).unwrap()),
    ];
    for (at, mut tree) in trees.into_iter().enumerate() {
        assert_eq!(make(tree.as_mut()).unwrap().copy.head(), COMMIT, "tree {at}");
    }
}

#[test]
fn every_file_is_written_with_its_bytes_one_mode_and_one_date() {
    let made = copy_of(&FILES);
    assert_eq!(made.copy.path(), made.outside("copy"));
    for (path, text) in FILES {
        let found = made.at(path).symlink_metadata().unwrap();
        assert_eq!(fs::read(made.at(path)).unwrap(), text.as_bytes(), "{path}");
        assert_eq!((found.mode(), found.mtime(), found.mtime_nsec()), (0o100_644, 946_684_800, 0));
    }
    for (folder, mode) in [("", 0o700), ("src", 0o755), ("src/deep", 0o755), ("src/deep/er", 0o755)]
    {
        assert_eq!(made.at(folder).metadata().unwrap().mode() & 0o7777, mode, "{folder}");
    }
    let mut names: Vec<_> = fs::read_dir(made.copy.path()).unwrap().map(Result::unwrap).collect();
    names.sort_by_key(fs::DirEntry::file_name);
    let names: Vec<_> = names.iter().map(fs::DirEntry::file_name).collect();
    assert_eq!(names, [".git", ".gitignore", "README.md", "build.log", "empty", "src"]);
}

#[test]
fn the_commit_is_the_reference_harnesss_with_a_date() {
    let made = copy_of(&FILES);
    let commit = git(made.copy.path(), &["cat-file", "commit", "HEAD"]);
    let (tree, rest) = commit.split_once('\n').unwrap();
    assert_eq!(
        rest,
        "author retrieval-bench <bench@localhost> 946684800 +0000\n\
         committer retrieval-bench <bench@localhost> 946684800 +0000\n\nsnapshot"
    );
    assert_eq!(tree.len(), "tree ".len() + 40);
    assert_eq!(made.copy.head(), git(made.copy.path(), &["rev-parse", "refs/heads/main"]));
    let listed =
        git(made.copy.path(), &["ls-tree", "-r", "--format=%(objectmode) %(path)", "HEAD"]);
    let expected: Vec<String> = FILES
        .iter()
        .filter(|(path, _)| *path != "build.log")
        .map(|(path, _)| format!("100644 {path}"))
        .collect();
    let quoted = r#""src/\303\274 \"q\".txt""#;
    let listed = listed.replace(quoted, "src/ü \"q\".txt");
    assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
    git(made.copy.path(), &["fsck", "--strict"]);
}

#[test]
fn the_bytes_committed_are_those_of_the_tree_whatever_its_attributes_say() {
    let attributes = "* text=auto eol=crlf ident filter=x working-tree-encoding=UTF-16 diff=x\n\
                      [attr]text filter=x -text\n[attr]odd filter=x ident\n*.odd odd binary\n\
                      *.crlf crlf=input\n";
    let text = "one\r\ntwo\nthree\r$Id$ \u{feff}";
    let sources = [
        (".gitattributes", attributes),
        (".gitmodules", "[broken"),
        ("a", text),
        ("b.odd", text),
        ("c.crlf", text),
        ("sub/.gitattributes", attributes),
        ("sub/d", text),
    ];
    let made = copy_of(&sources);
    let key = SnapshotKey { commit: made.copy.head().to_owned(), ..key() };
    let committed = files(&mut GitTree::open(&key, made.copy.path(), PATIENCE).unwrap());
    assert_eq!(committed, files(&mut Listed::new(&sources)));
    made.copy.check_clean().unwrap();
}

#[test]
fn an_empty_tree_and_one_that_ignores_itself_are_committed_all_the_same() {
    let empty = copy_of(&[]);
    let ignored = copy_of(&[(".gitignore", "*\n"), ("a", "x")]);
    assert_eq!(empty.copy.head(), ignored.copy.head());
    for made in [empty, ignored] {
        made.copy.check_clean().unwrap();
    }
}

#[test]
fn neither_umask_nor_settings_nor_variables_change_the_commit_or_run_a_program() {
    let name = "snapshot::copy::build::\
                neither_umask_nor_settings_nor_variables_change_the_commit_or_run_a_program";
    let home = tempfile::tempdir().unwrap();
    let canary = home.path().join("canary");
    let program = home.path().join("program");
    let script = format!("#!/bin/sh\ntouch '{}'\ncat\n", canary.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let hooks = home.path().join("hooks");
    fs::create_dir(&hooks).unwrap();
    for hook in ["pre-commit", "post-commit", "commit-msg", "reference-transaction", "pre-auto-gc"]
    {
        std::os::unix::fs::symlink(&program, hooks.join(hook)).unwrap();
    }
    std::os::unix::fs::symlink(&program, hooks.join("post-index-change")).unwrap();
    let (program, hooks) = (program.display(), hooks.display());
    let settings = format!(
        "[core]\nhooksPath = {hooks}\nfsmonitor = {program}\nautocrlf = true\neol = crlf\n\
         excludesFile = {home}/excluded\nattributesFile = {home}/attributes\neditor = {program}\n\
         pager = {program}\nsshCommand = {program}\naskPass = {program}\nfileMode = false\n\
         [filter \"x\"]\nclean = {program}\nsmudge = {program}\nprocess = {program}\nrequired\n\
         [commit]\ntemplate = {home}/excluded\ngpgSign = true\n[gpg]\nprogram = {program}\n\
         [user]\nname = other\nemail = other\nuseConfigOnly = true\n[init]\ntemplateDir = {home}\n\
         defaultBranch = other\ndefaultObjectFormat = sha256\n[credential]\nhelper = !{program}\n\
         [i18n]\ncommitEncoding = latin1\n[diff]\nexternal = {program}\n[gc]\nauto = 1\n",
        home = home.path().display()
    );
    let configured = home.path().join(".config/git");
    fs::create_dir_all(&configured).unwrap();
    for (name, text) in [
        (".gitconfig", settings.as_str()),
        (".config/git/ignore", "*\n"),
        (".config/git/attributes", "* filter=x ident\n"),
        ("excluded", "*.rs\n"),
        ("attributes", "* filter=x ident text\n"),
    ] {
        fs::write(home.path().join(name), text).unwrap();
    }
    let variables = [
        ("GIT_DIR", "/nowhere"),
        ("GIT_WORK_TREE", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere/objects"),
        ("GIT_COMMON_DIR", "/nowhere"),
        ("GIT_AUTHOR_NAME", "other"),
        ("GIT_COMMITTER_EMAIL", "other"),
        ("GIT_AUTHOR_DATE", "2001-01-01T00:00:00"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.hooksPath"),
        ("GIT_CONFIG_VALUE_0", &hooks.to_string()),
        ("GIT_CONFIG_PARAMETERS", "'core.autocrlf'='true'"),
        ("GIT_TEMPLATE_DIR", &home.path().display().to_string()),
        ("GIT_EXTERNAL_DIFF", &program.to_string()),
        ("GIT_EDITOR", &program.to_string()),
        ("GIT_DEFAULT_HASH", "sha256"),
        ("GIT_TRACE", &canary.display().to_string()),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("GIT_ATTR_SOURCE", "HEAD"),
        ("EDITOR", &program.to_string()),
        ("TZ", "Asia/Tokyo"),
    ];
    for umask in ["000", "022", "027", "077"] {
        let code = again(name, &format!("umask {umask}"), |command| {
            command.env("HOME", home.path()).env_remove("XDG_CONFIG_HOME");
            command.envs(variables.iter().copied());
        });
        match code {
            Some(code) => assert_eq!(code, 0, "umask {umask}"),
            None => {
                let made = copy_of(&FILES);
                assert_eq!(made.copy.head(), COMMIT);
                made.copy.check_clean().unwrap();
                for (path, _) in FILES {
                    assert_eq!(made.at(path).metadata().unwrap().mode(), 0o100_644, "{path}");
                }
                assert_eq!(made.at("src/deep").metadata().unwrap().mode(), 0o040_755);
                assert_eq!(made.copy.path().metadata().unwrap().mode(), 0o040_700);
                // Programs that call Git in the copy with the user's settings see the same.
                let mut status = Command::new("git");
                for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GIT_")) {
                    status.env_remove(name);
                }
                let status = status.args(["status", "--porcelain"]).current_dir(made.copy.path());
                let output = status.output().unwrap();
                assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
                return;
            }
        }
        assert!(!canary.exists(), "a program was run under umask {umask}");
    }
}

#[test]
fn the_source_is_never_written_to() {
    let repository = Repository::new();
    for (path, text) in FILES {
        repository.write(path, text);
    }
    let commit = repository.commit();
    repository.write("later.log", "ignored");
    fs::set_permissions(repository.path().join("empty"), fs::Permissions::from_mode(0o444))
        .unwrap();
    let key = SnapshotKey { commit, ..key() };
    let before = state(repository.path());
    for is_clone in [false, true] {
        let mut tree: Box<dyn Tree> = if is_clone {
            Box::new(GitTree::open(&key, repository.path(), PATIENCE).unwrap())
        } else {
            Box::new(Directory::open(&key, repository.path(), PATIENCE).unwrap())
        };
        let made = make(tree.as_mut()).unwrap();
        made.copy.check_clean().unwrap();
        made.copy.dirty("src/a.rs").unwrap().restore().unwrap();
        made.copy.remove().unwrap();
    }
    assert!(before == state(repository.path()), "the worktree was written to");

    let folder = tempfile::tempdir().unwrap();
    let chunks = folder.path().join("x.chunks.jsonl");
    fs::write(&chunks, rows(&FILES)).unwrap();
    let before = state(folder.path());
    let sources = Sources { git_timeout: PATIENCE, ..Sources::default() };
    let mut tree = sources.open(&key, &Location::ChunkFile(chunks)).unwrap();
    make(tree.as_mut()).unwrap().copy.remove().unwrap();
    assert!(before == state(folder.path()), "the chunk file was written to");
}

#[test]
fn a_folder_that_exists_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kept"), "x").unwrap();
    let make = |path: &Path| {
        refusal(PrivateCopy::make(
            &Copies::new(1),
            &key(),
            &mut Listed::new(&FILES),
            path,
            PATIENCE,
        ))
    };
    let expected = "a folder for a private copy cannot be made: File exists (os error 17)";
    assert_eq!(make(folder.path()), expected);
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    assert_eq!(make(&link), expected);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn what_cannot_be_written_is_a_sentence_and_nothing_stays_behind() {
    let long = "n".repeat(256);
    let deep = "d/".repeat(2_100) + "f";
    let clash = "its file system does not tell all paths apart";
    let cases: [(&[(&str, &str)], &str); 10] = [
        (&[("a", "1"), (&long, "x")], "File name too long (os error 36): `nnn"),
        (&[(&deep, "x")], "File name too long (os error 36): `d/d/"),
        // A tree promises that these are not there.
        (&[("a", "1"), ("a/b", "2")], clash),
        (&[("a/b", "1"), ("a", "2")], clash),
        (&[("a", "1"), ("a", "2")], clash),
        (&[("a", "1"), ("../b", "2")], "this path has a `..` component: `../b`"),
        (&[("/tmp/b", "2")], "this path is absolute: `/tmp/b`"),
        (&[("a/.GIT/config", "2")], "this path has a `.git` component: `a/.GIT/config`"),
        (&[("a\0b", "2")], "this path holds a NUL: `a\\u{0}b`"),
        (&[("a", "1"), ("b", "unreadable")], ""),
    ];
    let copies = Copies::new(1);
    let scratch = tempfile::tempdir().unwrap();
    for (files, expected) in cases {
        let folder = scratch.path().join("copy");
        let mut tree = Listed::new(files);
        let reason = refusal(PrivateCopy::make(&copies, &key(), &mut tree, &folder, PATIENCE));
        let expected = match expected {
            "" => "cannot be read".to_owned(),
            expected => format!("cannot be written to a private copy: {expected}"),
        };
        assert!(reason.starts_with(&expected), "{reason}");
        assert!(!reason.contains(scratch.path().to_str().unwrap()), "{reason}");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0, "{expected}");
    }
    // And the one permit is free.
    let folder = scratch.path().join("copy");
    PrivateCopy::make(&copies, &key(), &mut Listed::new(&FILES), &folder, PATIENCE).unwrap();
}

#[test]
fn a_write_that_fails_half_way_leaves_nothing_behind() {
    let name = "snapshot::copy::build::a_write_that_fails_half_way_leaves_nothing_behind";
    // No file of more than 8 KiB can be written, as on a disk that is full.
    let prelude = "trap '' XFSZ\nulimit -f 16";
    if let Some(code) = again(name, prelude, |_| {}) {
        assert_eq!(code, 0);
        return;
    }
    let text = "x".repeat(100_000);
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("copy");
    let mut tree = Listed::new(&[("a", "1"), ("b", &text)]);
    let reason = refusal(PrivateCopy::make(&Copies::new(1), &key(), &mut tree, &folder, PATIENCE));
    assert_eq!(reason, "cannot be written to a private copy: File too large (os error 27): `b`");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    // Here it is Git's index that grows too large.
    let files: Vec<(String, Vec<u8>)> =
        (0..300).map(|at| (format!("a-rather-long-name-{at:03}"), Vec::new())).collect();
    let mut tree = Listed(files);
    let reason = refusal(PrivateCopy::make(&Copies::new(1), &key(), &mut tree, &folder, PATIENCE));
    assert!(reason.starts_with("`git -C $COPY add` failed: "), "{reason}");
    assert!(!reason.contains(scratch.path().to_str().unwrap()), "{reason}");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn a_bound_that_git_does_not_meet_is_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("copy");
    let (mut tree, bound) = (Listed::new(&FILES), Duration::from_nanos(1));
    let reason = refusal(PrivateCopy::make(&Copies::new(1), &key(), &mut tree, &folder, bound));
    assert!(reason.starts_with("`git -C $COPY init` did not end within"), "{reason}");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn there_are_never_more_copies_than_allowed() {
    let copies = Copies::new(2);
    let scratch = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let folder = scratch.path().join(name);
        PrivateCopy::make(&copies, &key(), &mut Listed::new(&FILES), &folder, PATIENCE).unwrap()
    };
    let (first, second) = (make("1"), make("2"));
    std::thread::scope(|scope| {
        let (sender, made) = mpsc::channel();
        for name in ["3", "4"] {
            let (sender, make) = (sender.clone(), &make);
            scope.spawn(move || sender.send(make(name)).unwrap());
        }
        let wait = Duration::from_millis(200);
        assert!(made.recv_timeout(wait).is_err(), "a third copy was made");
        let folders = fs::read_dir(scratch.path()).unwrap().flatten();
        assert_eq!(folders.filter(|entry| entry.path().is_dir()).count(), 2);
        first.remove().unwrap();
        let third = made.recv_timeout(PATIENCE).unwrap();
        assert!(made.recv_timeout(wait).is_err(), "a third copy was made");
        drop((second, third));
        drop(made.recv_timeout(PATIENCE).unwrap());
    });
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    // A limit of none would wait for ever.
    drop(PrivateCopy::make(
        &Copies::new(0),
        &key(),
        &mut Listed::new(&FILES),
        &scratch.path().join("5"),
        PATIENCE,
    ));
}

#[test]
fn a_real_snapshot_is_copied_byte_for_byte() {
    let Some(corpus) = shared("data/etcd/corpus") else { return };
    let key = SnapshotKey {
        repo: "etcd-io/etcd".into(),
        commit: "c34dc7ee0048fd2bcc44d50beff002e5e8069b69".into(),
    };
    let sources = Sources { corpus: Some(corpus), git_timeout: PATIENCE, ..Sources::default() };
    let mut tree = sources.open(&key, &sources.resolve(&key).unwrap()).unwrap();
    let made = make(tree.as_mut()).unwrap();
    made.copy.check_clean().unwrap();
    let mut copied = Directory::open(
        &SnapshotKey { commit: made.copy.head().to_owned(), ..key },
        made.copy.path(),
        PATIENCE,
    )
    .unwrap();
    assert!(files(&mut copied) == files(tree.as_mut()));
    assert_eq!(copied.len(), 1_457);
}
