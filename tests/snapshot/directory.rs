//! Directories and worktrees.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use retrieval_bench::dataset::SnapshotKey;
use retrieval_bench::snapshot::{Directory, SnapshotError, Tree};

use super::repository::{Repository, git, try_git};
use super::{PATIENCE, files, key, pairs, refusal, texts};
use crate::fixture::shared;

fn open(folder: &Path) -> Result<Directory, SnapshotError> {
    Directory::open(&key(), folder, PATIENCE)
}

fn at(commit: &str) -> SnapshotKey {
    SnapshotKey { commit: commit.to_owned(), ..key() }
}

fn write(folder: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let full = folder.join(path);
    std::fs::create_dir_all(full.parent().unwrap()).unwrap();
    std::fs::write(full, bytes).unwrap();
}

#[test]
fn regular_files_are_read_in_place_in_order() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "b/c.txt", "1");
    write(folder.path(), "b.txt", "2");
    write(folder.path(), "a", "");
    write(folder.path(), "b/.gitignore", "c.txt\n");
    let mut tree = open(folder.path()).unwrap();
    let expected = [("a", ""), ("b.txt", "2"), ("b/.gitignore", "c.txt\n"), ("b/c.txt", "1")];
    assert_eq!(texts(&mut tree), pairs(&expected));
    assert_eq!(tree.size(3), Some(1));
}

#[test]
fn links_pipes_sockets_and_what_belongs_to_tools_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, "kept", "x");
    write(path, "sub/.corvint/index/kept", "only the top one is the tool's");
    write(path, ".corvint/notes", "not the index");
    write(path, ".corvint/index/a", "left out");
    write(path, "sub/.GIT/config", "left out");
    write(path, "sub/deep/.git/config", "left out");
    write(path, "module/.git", "gitdir: elsewhere");
    symlink("kept", path.join("link")).unwrap();
    symlink(".", path.join("loop")).unwrap();
    nix::unistd::mkfifo(&path.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
    let tree = open(path).unwrap();
    let paths: Vec<&str> = (0..tree.len()).map(|file| tree.path(file)).collect();
    assert_eq!(paths, [".corvint/notes", "kept", "sub/.corvint/index/kept"]);
    assert_eq!(tree.notes().unsafe_paths, 0);
}

#[test]
fn names_that_are_no_text_or_unsafe_are_left_out_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a", "x");
    std::fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.txt")), "x").unwrap();
    std::fs::write(folder.path().join("..\\up"), "x").unwrap();
    let tree = open(folder.path()).unwrap();
    assert_eq!((tree.len(), tree.notes().unsafe_paths), (1, 2));
}

#[test]
fn a_file_that_changes_behind_the_walk_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let large = "y".repeat(3 << 20);
    for (path, text) in [("large", large.as_str()), ("small", "abc")] {
        write(folder.path(), path, text);
    }
    for (file, path) in [(0, "large"), (1, "small")] {
        for new in [Some(""), Some("longer than both"), None] {
            let mut tree = open(folder.path()).unwrap();
            let full = folder.path().join(path);
            let old = std::fs::read(&full).unwrap();
            match new {
                Some(new) => std::fs::write(&full, new).unwrap(),
                None => std::fs::remove_file(&full).unwrap(),
            }
            let expected = if new.is_some() {
                "changed while the snapshot was read: leave it alone and run again"
            } else {
                "cannot be read: No such file or directory (os error 2)"
            };
            let expected = format!("{} {expected}", full.display());
            assert_eq!(refusal(tree.fingerprint(file)), expected);
            assert_eq!(refusal(tree.read(file, &mut Vec::new())), expected);
            std::fs::write(&full, old).unwrap();
        }
    }
}

#[test]
fn a_file_replaced_by_a_pipe_does_not_stop_the_run() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a", "");
    let mut tree = open(folder.path()).unwrap();
    let full = folder.path().join("a");
    std::fs::remove_file(&full).unwrap();
    nix::unistd::mkfifo(&full, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(refusal(tree.read(0, &mut Vec::new())).ends_with("it is no regular file any more"));
}

#[test]
fn bytes_are_the_same_whether_or_not_they_were_digested_before() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a", "one");
    write(folder.path(), "b", "two");
    let mut tree = open(folder.path()).unwrap();
    let mut bytes = Vec::new();
    let first = tree.fingerprint(0).unwrap();
    tree.read(1, &mut bytes).unwrap();
    assert_eq!(bytes, b"two");
    tree.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, b"one");
    tree.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, b"one");
    assert_ne!(first, tree.fingerprint(1).unwrap());
    assert_eq!(first, tree.fingerprint(0).unwrap());
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent");
    let expected =
        format!("{} cannot be read: No such file or directory (os error 2)", absent.display());
    assert_eq!(refusal(open(&absent)), expected);
}

#[test]
fn a_clean_worktree_at_the_base_commit_is_read_with_its_ignored_files() {
    let repository = Repository::new();
    repository.write("src/a.rs", "fn a() {}\n");
    repository.write(".gitignore", "*.log\n");
    let commit = repository.commit();
    repository.write("build.log", "ignored, and read");
    let mut tree = Directory::open(&at(&commit), repository.path(), PATIENCE).unwrap();
    let expected = [
        (".gitignore", "*.log\n"),
        ("build.log", "ignored, and read"),
        ("src/a.rs", "fn a() {}\n"),
    ];
    assert_eq!(texts(&mut tree), pairs(&expected));
}

#[test]
fn a_worktree_at_another_commit_is_refused() {
    let repository = Repository::new();
    repository.write("a", "1");
    let first = repository.commit();
    repository.write("a", "2");
    let second = repository.commit();
    let expected = format!(
        "{} is a worktree at {second}: check out {first}, or name another folder with --snapshot",
        repository.path().display()
    );
    assert_eq!(refusal(Directory::open(&at(&first), repository.path(), PATIENCE)), expected);
}

#[test]
fn a_worktree_that_is_not_clean_is_refused_whatever_its_settings_say() {
    let repository = Repository::new();
    repository.write("a", "1");
    let commit = repository.commit();
    repository.git(&["config", "status.showUntrackedFiles", "no"]);
    let refused = |shown: &str| {
        let expected = format!(
            "{} is a worktree that is not clean (`{shown}`): commit, stash or remove the changes",
            repository.path().display()
        );
        assert_eq!(refusal(Directory::open(&at(&commit), repository.path(), PATIENCE)), expected);
    };
    repository.write("new", "untracked");
    refused("?? new");
    std::fs::remove_file(repository.path().join("new")).unwrap();
    repository.write("a", "other");
    refused(" M a");
    std::fs::remove_file(repository.path().join("a")).unwrap();
    refused(" D a");
    for at in 0..500 {
        repository.write(&format!("many/{at}/a-rather-long-name-for-a-file"), "");
    }
    repository.git(&["add", "many"]);
    refused(" D a");
}

#[test]
fn a_linked_worktree_is_a_worktree() {
    let repository = Repository::new();
    repository.write("a", "1");
    let commit = repository.commit();
    let folder = tempfile::tempdir().unwrap();
    let linked = folder.path().join("linked");
    repository.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    let mut tree = Directory::open(&at(&commit), &linked, PATIENCE).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", "1")]));
    std::fs::write(linked.join("a"), "2!").unwrap();
    assert!(refusal(Directory::open(&at(&commit), &linked, PATIENCE)).contains("not clean"));
}

#[test]
fn a_directory_inside_a_repository_is_judged_by_itself() {
    let repository = Repository::new();
    repository.write("sub/a", "1");
    repository.commit();
    repository.write("sub/a", "not committed");
    let mut tree = open(&repository.path().join("sub")).unwrap();
    assert_eq!(texts(&mut tree), pairs(&[("a", "not committed")]));
}

#[test]
fn a_broken_git_folder_is_refused_rather_than_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a", "1");
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    let reason = refusal(open(folder.path()));
    assert!(reason.contains("rev-parse` failed: fatal: not a git repository"), "{reason}");
}

#[test]
fn a_worktree_elsewhere_that_the_settings_point_to_is_not_looked_at() {
    let elsewhere = tempfile::tempdir().unwrap();
    let repository = Repository::new();
    repository.write("a", "1");
    let commit = repository.commit();
    std::fs::write(elsewhere.path().join("a"), "1").unwrap();
    repository.git(&["config", "core.worktree", elsewhere.path().to_str().unwrap()]);
    std::fs::write(repository.path().join("a"), "changed here").unwrap();
    let reason = refusal(Directory::open(&at(&commit), repository.path(), PATIENCE));
    assert!(reason.contains("not clean (` M a`)"), "{reason}");
}

#[test]
fn no_program_of_a_hostile_worktree_is_run() {
    let repository = Repository::new();
    repository.write("a", "1");
    repository.write(".gitattributes", "* filter=evil\n");
    let commit = repository.commit();
    let outside = tempfile::tempdir().unwrap();
    let marker = outside.path().join("marker");
    let touch = format!("touch {}; cat", marker.display());
    for name in [
        "core.fsmonitor",
        "core.pager",
        "pager.status",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "alias.status",
        "alias.rev-parse",
        "core.sshCommand",
        "core.editor",
        "diff.external",
        "core.askPass",
        "credential.helper",
    ] {
        repository.git(&["config", name, &touch]);
    }
    repository.git(&["config", "filter.evil.required", "true"]);
    let hooks = repository.path().join(".git/hooks");
    for hook in ["post-index-change", "fsmonitor-watchman", "post-checkout", "pre-auto-gc"] {
        let path = hooks.join(hook);
        std::fs::create_dir_all(&hooks).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{touch}\n")).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
    }
    std::fs::write(repository.path().join(".git/info/attributes"), "* filter=evil\n").unwrap();
    // Same length, later: Git has to look at the content, and would run the filter for it.
    let file = std::fs::File::options().append(true).open(repository.path().join("a")).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(100)).unwrap();
    let index = std::fs::read(repository.path().join(".git/index")).unwrap();
    let mut tree = Directory::open(&at(&commit), repository.path(), PATIENCE).unwrap();
    assert_eq!(files(&mut tree).len(), 2);
    assert!(!marker.exists());
    assert_eq!(index, std::fs::read(repository.path().join(".git/index")).unwrap());
    try_git(repository.path(), &["status"]);
    assert!(marker.exists(), "the traps are set");
}

#[test]
fn a_configuration_too_long_to_look_through_is_refused_before_a_filter_behind_it_runs() {
    let repository = Repository::new();
    repository.write("a", "1");
    let commit = repository.commit();
    let outside = tempfile::tempdir().unwrap();
    let marker = outside.path().join("marker");
    let junk: String = (0..12_000).map(|at| format!("  k{at}{} = 1\n", "a".repeat(100))).collect();
    let settings = std::fs::read_to_string(repository.path().join(".git/config")).unwrap();
    let filter = format!("[filter \"evil\"]\n  clean = touch {}\n", marker.display());
    repository.write(".git/config", format!("{settings}[junk]\n{junk}{filter}"));
    repository.write(".git/info/attributes", "* filter=evil\n");
    // Same length, later: Git has to look at the content, and would run the filter for it.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    std::fs::File::open(repository.path().join("a")).unwrap().set_modified(later).unwrap();
    let reason = refusal(Directory::open(&at(&commit), repository.path(), PATIENCE));
    assert!(reason.contains("over 1 MiB of configuration"), "{reason}");
    assert!(!marker.exists(), "the filter ran");
}

#[test]
fn a_repository_of_another_user_can_be_read() {
    let repository = Repository::new();
    repository.write("a", "1");
    let commit = repository.commit();
    for path in [repository.path().to_owned(), repository.path().join(".git")] {
        if std::os::unix::fs::chown(&path, Some(12_345), Some(12_345)).is_err() {
            eprintln!("skipped: only root can give files away");
            return;
        }
    }
    Directory::open(&at(&commit), repository.path(), PATIENCE).unwrap();
}

#[test]
fn the_recorded_directories_are_read_with_their_bytes() {
    let Some(folder) = shared("data/harness-golden/inputs/corpus-dirs/clap__aaaaaaaaaaaa") else {
        return;
    };
    let found = files(&mut open(&folder).unwrap());
    let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["src/latin1.rs", "src/main.rs"]);
    assert!(str::from_utf8(&found[0].1).is_err());
}

#[test]
fn inherited_git_variables_are_not_followed() {
    // The variables of a process are shared by its tests, so this one runs the check in a child: the test itself.
    let name = "snapshot::directory::inherited_git_variables_are_not_followed";
    if std::env::var_os("GIT_DIR").is_none() {
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env("GIT_DIR", "/nowhere")
            .env("GIT_INDEX_FILE", "/nowhere/index")
            .env("GIT_CONFIG_COUNT", "broken")
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.as_bytes().starts_with(b"GIT_"))
        {
            command.env_remove(name);
        }
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    run(&["init", "--quiet"]);
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    run(&[&identity[..], &["commit", "--quiet", "--allow-empty", "--message=x"]].concat());
    let commit = run(&["rev-parse", "HEAD"]);
    Directory::open(&at(&commit), folder.path(), PATIENCE).unwrap();
}

#[test]
fn a_changed_submodule_commit_is_not_clean() {
    let inner = Repository::new();
    inner.write("i", "1");
    inner.commit();
    let outer = Repository::new();
    outer.write("a", "1");
    let url = inner.path().to_str().unwrap();
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"]);
    let commit = outer.commit();
    let mut tree = Directory::open(&at(&commit), outer.path(), PATIENCE).unwrap();
    let paths: Vec<String> = files(&mut tree).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, [".gitmodules", "a", "sub/i"]);
    git(&outer.path().join("sub"), &["commit", "--quiet", "--allow-empty", "--message=x"]);
    let reason = refusal(Directory::open(&at(&commit), outer.path(), PATIENCE));
    assert!(reason.contains("not clean (` M sub`)"), "{reason}");
}
