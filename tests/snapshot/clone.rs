//! Clones: the base commit's tree, from the object store.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use retrieval_bench::dataset::SnapshotKey;
use retrieval_bench::process::Git;
use retrieval_bench::snapshot::{GitTree, SnapshotError, Tree};

use super::repository::{Repository, git, try_git};
use super::{PATIENCE, files, key, pairs, refusal, texts};

fn open(commit: &str, folder: &Path) -> Result<GitTree, SnapshotError> {
    GitTree::open(&SnapshotKey { commit: commit.to_owned(), ..key() }, folder, PATIENCE)
}

/// A repository with one commit of everything that matters.
fn example() -> (Repository, String) {
    let repository = Repository::new();
    repository.write("src/a.rs", "fn a() {}\n");
    repository.write("a b/ü \"q\".txt", "odd name\n");
    repository.write("empty", "");
    repository.write("same", "fn a() {}\n");
    let tool = repository.write("run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(tool, PermissionsExt::from_mode(0o755)).unwrap();
    symlink("same", repository.path().join("link")).unwrap();
    repository.write(".gitattributes", "*.rs text eol=crlf export-subst ident\n");
    let commit = repository.commit();
    (repository, commit)
}

const EXPECTED: [(&str, &str); 6] = [
    (".gitattributes", "*.rs text eol=crlf export-subst ident\n"),
    ("a b/ü \"q\".txt", "odd name\n"),
    ("empty", ""),
    ("run.sh", "#!/bin/sh\n"),
    ("same", "fn a() {}\n"),
    ("src/a.rs", "fn a() {}\n"),
];

#[test]
fn the_tree_of_the_commit_is_read_whatever_the_worktree_holds() {
    let (repository, commit) = example();
    repository.write("src/a.rs", "changed");
    repository.write("later", "2");
    repository.commit();
    let mut tree = open(&commit, repository.path()).unwrap();
    assert_eq!(texts(&mut tree), pairs(&EXPECTED));
    assert_eq!(tree.size(1), Some(9));
}

#[test]
fn bare_packed_and_borrowing_clones_hold_the_same_tree() {
    let (repository, commit) = example();
    let folder = tempfile::tempdir().unwrap();
    let source = repository.path().to_str().unwrap();
    git(folder.path(), &["clone", "--quiet", "--bare", source, "bare.git"]);
    git(folder.path(), &["clone", "--quiet", "--shared", "--no-checkout", source, "shared"]);
    git(folder.path(), &["clone", "--quiet", "--bare", source, "packed"]);
    git(&folder.path().join("packed"), &["repack", "-a", "-d", "--quiet"]);
    assert!(folder.path().join("shared/.git/objects/info/alternates").exists());
    for clone in ["bare.git", "shared", "packed"] {
        let mut tree = open(&commit, &folder.path().join(clone)).unwrap();
        assert_eq!(texts(&mut tree), pairs(&EXPECTED), "{clone}");
    }
}

#[test]
fn a_repository_of_sha_256_objects_is_read() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet", "--object-format=sha256"]);
    std::fs::write(folder.path().join("a"), "x").unwrap();
    git(folder.path(), &["add", "a"]);
    git(folder.path(), &["commit", "--quiet", "--message=x"]);
    let commit = git(folder.path(), &["rev-parse", "HEAD"]);
    assert_eq!(commit.len(), 64);
    let mut tree = open(&commit, folder.path()).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", "x")]));
    assert_ne!(tree.fingerprint(0).unwrap()[20..], [0; 12]);
}

#[test]
fn a_fingerprint_is_the_object_id() {
    let (repository, commit) = example();
    let mut tree = open(&commit, repository.path()).unwrap();
    let id = repository.git(&["rev-parse", &format!("{commit}:src/a.rs")]);
    let fingerprint = tree.fingerprint(5).unwrap();
    let shown: String = fingerprint.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(shown, format!("{id}{}", "0".repeat(24)));
    assert_eq!(fingerprint, tree.fingerprint(4).unwrap());
}

#[test]
fn submodules_are_left_out() {
    let repository = Repository::new();
    repository.write("a", "1");
    let commit = repository.commit();
    repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},sub")]);
    repository.git(&["commit", "--quiet", "--message=link"]);
    let commit = repository.git(&["rev-parse", "HEAD"]);
    let mut tree = open(&commit, repository.path()).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", "1")]));
}

#[test]
fn names_that_are_no_text_are_left_out_and_counted() {
    use std::os::unix::ffi::OsStrExt;

    let repository = Repository::new();
    repository.write("a", "1");
    let odd = std::ffi::OsStr::from_bytes(b"latin-\xe9");
    std::fs::write(repository.path().join(odd), "x").unwrap();
    std::fs::write(repository.path().join("..\\up"), "x").unwrap();
    let commit = repository.commit();
    let tree = open(&commit, repository.path()).unwrap();
    assert_eq!((tree.len(), tree.notes().unsafe_paths), (1, 2));
}

#[test]
fn replacement_objects_are_not_followed() {
    let (repository, commit) = example();
    repository.write("src/a.rs", "replaced");
    let other = repository.commit();
    repository.git(&["replace", &commit, &other]);
    let blob = repository.git(&["--no-replace-objects", "rev-parse", &format!("{commit}:same")]);
    let empty = repository.git(&["rev-parse", &format!("{other}:empty")]);
    repository.git(&["replace", "--force", &blob, &empty]);
    assert_eq!(texts(&mut open(&commit, repository.path()).unwrap()), pairs(&EXPECTED));
}

#[test]
fn a_lost_blob_is_an_error_that_names_it() {
    let (repository, commit) = example();
    let mut tree = open(&commit, repository.path()).unwrap();
    let id = repository.git(&["rev-parse", &format!("{commit}:src/a.rs")]);
    let object = repository.path().join(".git/objects").join(&id[..2]).join(&id[2..]);
    std::fs::remove_file(object).unwrap();
    let reason = refusal(tree.read(5, &mut Vec::new()));
    let expected = format!("cat-file` answered `{id} missing` for the blob {id} of 10 bytes");
    assert!(reason.starts_with("`src/a.rs`: ") && reason.ends_with(&expected), "{reason}");
    assert!(open(&commit, repository.path()).is_err());
}

#[test]
fn every_blob_can_be_read_in_any_order_and_again() {
    let (repository, commit) = example();
    let large: Vec<u8> = (0..3_000_000u32).map(|at| (at % 251) as u8).collect();
    repository.write("large", &large);
    let _ = commit;
    let commit = repository.commit();
    let mut tree = open(&commit, repository.path()).unwrap();
    let mut bytes = Vec::new();
    let forward = files(&mut tree);
    for file in (0..tree.len()).rev() {
        tree.read(file, &mut bytes).unwrap();
        assert_eq!(bytes, forward[file].1);
    }
    assert_eq!(forward[3], ("large".to_owned(), large));
}

#[test]
fn no_program_of_a_hostile_clone_is_run() {
    let (repository, commit) = example();
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("marker");
    let touch = format!("touch {}; cat", marker.display());
    for name in [
        "core.fsmonitor",
        "core.pager",
        "pager.ls-tree",
        "pager.cat-file",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "alias.ls-tree",
        "alias.cat-file",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "diff.evil.textconv",
        "uploadpack.packObjectsHook",
        "core.gitProxy",
    ] {
        repository.git(&["config", name, &touch]);
    }
    std::fs::write(repository.path().join(".git/info/attributes"), "* filter=evil diff=evil\n")
        .unwrap();
    // A promised object that is missing would be fetched, by a program of the clone's choice.
    let id = repository.git(&["rev-parse", &format!("{commit}:src/a.rs")]);
    repository.git(&["config", "remote.origin.url", &format!("ext::touch {}", marker.display())]);
    repository.git(&["config", "remote.origin.promisor", "true"]);
    repository.git(&["config", "remote.origin.partialclonefilter", "blob:none"]);
    repository.git(&["config", "extensions.partialClone", "origin"]);
    repository.git(&["config", "core.repositoryFormatVersion", "1"]);
    for protocol in ["ext", "file"] {
        repository.git(&["config", &format!("protocol.{protocol}.allow"), "always"]);
    }
    assert_eq!(texts(&mut open(&commit, repository.path()).unwrap()), pairs(&EXPECTED));
    let mut tree = open(&commit, repository.path()).unwrap();
    std::fs::remove_file(repository.path().join(".git/objects").join(&id[..2]).join(&id[2..]))
        .unwrap();
    assert!(tree.read(5, &mut Vec::new()).is_err());
    let reason = refusal(open(&commit, repository.path()));
    assert!(reason.contains(&id) || reason.contains("ls-tree"), "{reason}");
    assert!(!marker.exists());
    try_git(repository.path(), &["cat-file", "-p", &id]);
    assert!(marker.exists(), "the traps are set");
}

#[test]
fn a_clone_of_another_user_can_be_read() {
    let (repository, commit) = example();
    for path in [repository.path().to_owned(), repository.path().join(".git")] {
        if std::os::unix::fs::chown(&path, Some(12_345), Some(12_345)).is_err() {
            eprintln!("skipped: only root can give files away");
            return;
        }
    }
    assert_eq!(texts(&mut open(&commit, repository.path()).unwrap()), pairs(&EXPECTED));
}

#[test]
fn a_call_that_does_not_end_is_killed_and_said_so() {
    let (repository, _) = example();
    let git = Git::at(repository.path(), Duration::from_millis(300));
    let pipe = repository.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let start = Instant::now();
    // Reading a pipe that nobody writes to never ends.
    let error = git.run(&["hash-object", "--no-filters", "pipe"], 100).unwrap_err();
    assert_eq!(error.reason, "did not end within 0.3 s and was killed");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn output_over_the_limit_is_cut_and_the_call_killed() {
    let (repository, commit) = example();
    let git = Git::at(repository.path(), PATIENCE);
    let output = git.run(&["ls-tree", "-r", &commit], 7).unwrap();
    assert_eq!((output.stdout.as_slice(), output.overflowed), (&b"100644 "[..], true));
    let all = git.run(&["cat-file", "-t", &commit], 7).unwrap();
    assert_eq!((all.stdout.as_slice(), all.overflowed), (&b"commit\n"[..], false));
}

#[test]
fn a_failing_call_says_what_git_said() {
    let (repository, _) = example();
    let git = Git::at(repository.path(), PATIENCE);
    let error = git.run(&["ls-tree", "no-such-thing"], 100).unwrap_err();
    let expected = format!(
        "`git -C {} ls-tree` failed: fatal: Not a valid object name no-such-thing",
        repository.path().display()
    );
    assert_eq!(error.to_string(), expected);
}
