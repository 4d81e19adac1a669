//! Worktrees and clones whose settings, hooks and links name programs and places elsewhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::super::repository::git;
use super::{Ground, Outcome, Source, go_through};

/// The files of every repository here.
const FILES: &[&str] = &[".gitattributes", "a", "sub/b"];

/// A clean repository at the ground's source; its commit.
fn repository(ground: &Ground) -> String {
    ground
        .write(".gitattributes", "* filter=x diff=x merge=x ident\n[attr]trap filter=x\n* trap\n");
    ground.write("a", "one\r\n$Id$\n");
    ground.write("sub/b", "two\n");
    commit(ground)
}

fn commit(ground: &Ground) -> String {
    let source = ground.source();
    git(&source, &["init", "--quiet", "--initial-branch=main"]);
    git(&source, &["add", "--all"]);
    git(&source, &["commit", "--quiet", "--message=tree"]);
    git(&source, &["rev-parse", "HEAD"])
}

/// Sets a setting of the repository to `value`, in which `PROGRAM` and `OUTSIDE` stand for their paths.
fn set(ground: &Ground, name: &str, value: &str) {
    let value = value.replace("PROGRAM", ground.program().to_str().unwrap());
    let value = value.replace("OUTSIDE", ground.at("outside").to_str().unwrap());
    let config = ground.source().join(".git/config");
    git(&ground.source(), &["config", "--file", config.to_str().unwrap(), name, &value]);
}

/// Makes Git look into `a`, whose content is what it was.
fn touch(ground: &Ground) {
    let bytes = fs::read(ground.source().join("a")).unwrap();
    fs::write(ground.source().join("a"), bytes).unwrap();
    let file = fs::File::options().append(true).open(ground.source().join("a")).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    file.set_modified(later).unwrap();
}

/// Runs Git as its user would, to see that a trap is one.
fn spring(ground: &Ground, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(ground.source()).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_ALLOW_PROTOCOL", "ext").env("GIT_EDITOR", ground.program());
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "user")
            .env(format!("GIT_{who}_EMAIL"), "user@localhost");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().expect("git runs");
    // Some traps have Git wait for the program, and the program for Git.
    let began = Instant::now();
    while child.try_wait().expect("a child").is_none()
        && !(ground.has_run() || began.elapsed() > Duration::from_secs(20))
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL);
    child.wait().expect("a child");
}

/// What sets a trap.
type Trap = fn(&Ground);

/// Name, trap, and the call of Git that springs it, where an ordinary one does.
const TRAPS: [(&str, Trap, &[&str]); 26] = [
    ("file system monitor", |ground| set(ground, "core.fsmonitor", "PROGRAM"), &["status"]),
    (
        "file system monitor of the program's version 1",
        |ground| {
            set(ground, "core.fsmonitor", "PROGRAM");
            set(ground, "core.fsmonitorHookVersion", "1");
        },
        &["status"],
    ),
    ("hooks", |ground| hooks(ground, ".git/hooks"), &["commit", "--allow-empty", "--message=x"]),
    (
        "hooks elsewhere",
        |ground| {
            hooks(ground, "../hooks");
            set(ground, "core.hooksPath", "OUTSIDE/../hooks");
        },
        &["commit", "--allow-empty", "--message=x"],
    ),
    (
        "clean filter",
        |ground| {
            set(ground, "filter.x.clean", "PROGRAM");
            set(ground, "filter.x.required", "true");
            touch(ground);
        },
        &["status"],
    ),
    (
        "process filter",
        |ground| {
            set(ground, "filter.x.process", "PROGRAM");
            touch(ground);
        },
        &["status"],
    ),
    ("smudge filter", |ground| set(ground, "filter.x.smudge", "PROGRAM"), &["archive", "HEAD"]),
    (
        "filter for all, in the repository's attributes",
        |ground| {
            set(ground, "filter.y.clean", "PROGRAM");
            ground.write(".git/info/attributes", "* filter=y\n");
            touch(ground);
        },
        &["status"],
    ),
    (
        "attributes elsewhere",
        |ground| {
            fs::write(ground.at("attributes"), "a filter=y\n").unwrap();
            set(ground, "core.attributesFile", "OUTSIDE/../attributes");
            set(ground, "filter.y.clean", "PROGRAM");
            ground.write(".git/info/attributes", "a filter=y\n");
            touch(ground);
        },
        &["status"],
    ),
    (
        "transport",
        |ground| {
            set(ground, "core.sshCommand", "PROGRAM");
            set(ground, "remote.origin.url", "ext::PROGRAM");
            set(ground, "protocol.ext.allow", "always");
            set(ground, "core.gitProxy", "PROGRAM");
            set(ground, "core.askPass", "PROGRAM");
            set(ground, "credential.helper", "!PROGRAM");
        },
        &["fetch"],
    ),
    (
        "pagers",
        |ground| {
            for name in ["core.pager", "pager.status", "pager.config", "pager.ls-tree"] {
                set(ground, name, "PROGRAM");
            }
        },
        &[],
    ),
    (
        "editors",
        |ground| {
            set(ground, "core.editor", "PROGRAM");
            set(ground, "sequence.editor", "PROGRAM");
        },
        &["commit", "--allow-empty"],
    ),
    (
        "signatures",
        |ground| {
            set(ground, "gpg.program", "PROGRAM");
            set(ground, "commit.gpgSign", "true");
            set(ground, "user.name", "x");
            set(ground, "user.email", "x");
        },
        &["commit", "--allow-empty", "--message=x"],
    ),
    (
        "diff drivers",
        |ground| {
            set(ground, "diff.x.textconv", "PROGRAM");
            set(ground, "diff.x.command", "PROGRAM");
            set(ground, "diff.external", "PROGRAM");
            set(ground, "merge.x.driver", "PROGRAM");
        },
        &["log", "-p", "--ext-diff"],
    ),
    (
        "aliases",
        |ground| {
            for name in
                ["status", "rev-parse", "config", "ls-tree", "cat-file", "add", "commit", "x"]
            {
                set(ground, &format!("alias.{name}"), "!PROGRAM");
            }
        },
        &["x"],
    ),
    (
        "included settings",
        |ground| {
            let text = format!("[core]\nfsmonitor = {}\n", ground.program().display());
            fs::write(ground.at("included"), text).unwrap();
            set(ground, "include.path", "OUTSIDE/../included");
            set(ground, "includeIf.gitdir:**.path", "OUTSIDE/../included");
        },
        &["status"],
    ),
    (
        "included filters",
        |ground| {
            let text = format!("[filter \"x\"]\nclean = {}\n", ground.program().display());
            fs::write(ground.at("included"), text).unwrap();
            set(ground, "include.path", "OUTSIDE/../included");
            touch(ground);
        },
        &["status"],
    ),
    (
        "settings of the worktree",
        |ground| {
            set(ground, "core.repositoryFormatVersion", "1");
            set(ground, "extensions.worktreeConfig", "true");
            let text = format!(
                "[core]\nfsmonitor = {0}\n[filter \"x\"]\nclean = {0}\n",
                ground.program().display()
            );
            ground.write(".git/config.worktree", text);
            touch(ground);
        },
        &["status"],
    ),
    ("worktree elsewhere", |ground| set(ground, "core.worktree", "OUTSIDE"), &[]),
    ("bare", |ground| set(ground, "core.bare", "true"), &[]),
    (
        "excluded files elsewhere",
        |ground| {
            set(ground, "core.excludesFile", "OUTSIDE/file");
            set(ground, "core.fileMode", "false");
            set(ground, "status.showUntrackedFiles", "no");
        },
        &[],
    ),
    (
        "objects of a repository elsewhere",
        |ground| {
            let objects = ground.source().join(".git/objects");
            fs::rename(&objects, ground.at("objects")).unwrap();
            ground.write(".git/objects/info/alternates", ground.at("objects").to_str().unwrap());
            set(ground, "core.alternateRefsCommand", "PROGRAM");
        },
        &[],
    ),
    (
        "a promise to fetch what is missing",
        |ground| {
            set(ground, "core.repositoryFormatVersion", "1");
            set(ground, "extensions.partialClone", "origin");
            set(ground, "remote.origin.promisor", "true");
            set(ground, "remote.origin.url", "ext::PROGRAM");
            set(ground, "protocol.ext.allow", "always");
        },
        &["cat-file", "-p", "1111111111111111111111111111111111111111"],
    ),
    (
        "garbage collection",
        |ground| {
            set(ground, "gc.auto", "1");
            set(ground, "gc.recentObjectsHook", "PROGRAM");
        },
        &[],
    ),
    (
        "a repository that is a file",
        |ground| {
            fs::rename(ground.source().join(".git"), ground.at("git")).unwrap();
            ground.write(".git", format!("gitdir: {}\n", ground.at("git").display()));
            let config = ground.at("git/config");
            let program = ground.program();
            let (config, program) = (config.to_str().unwrap(), program.to_str().unwrap());
            git(&ground.at("outside"), &["config", "--file", config, "core.fsmonitor", program]);
        },
        &["status"],
    ),
    (
        "a repository that is a link",
        |ground| {
            set(ground, "core.fsmonitor", "PROGRAM");
            fs::rename(ground.source().join(".git"), ground.at("git")).unwrap();
            symlink(ground.at("git"), ground.source().join(".git")).unwrap();
        },
        &["status"],
    ),
];

fn hooks(ground: &Ground, folder: &str) {
    let folder = ground.source().join(folder);
    let _ = fs::create_dir(&folder);
    for hook in [
        "applypatch-msg",
        "commit-msg",
        "fsmonitor-watchman",
        "post-checkout",
        "post-commit",
        "post-index-change",
        "pre-auto-gc",
        "pre-commit",
        "prepare-commit-msg",
        "reference-transaction",
    ] {
        let _ = fs::remove_file(folder.join(hook));
        symlink(ground.program(), folder.join(hook)).unwrap();
    }
}

#[test]
fn no_trap_of_a_worktree_or_clone_is_sprung() {
    for (name, trap, spring_with) in TRAPS {
        let ground = Ground::new();
        let commit = repository(&ground);
        trap(&ground);
        let _ = fs::remove_file(ground.at("canary"));
        for source in [Source::Directory(commit.clone()), Source::Clone(commit)] {
            go_through(name, &ground, &source, &Outcome::Copied(FILES, &[], 0));
        }
        if !spring_with.is_empty() {
            spring(&ground, spring_with);
            assert!(ground.has_run(), "{name}: `git {spring_with:?}` does not spring the trap");
        }
    }
}

#[test]
fn submodules_that_name_programs_are_text() {
    let ground = Ground::new();
    let program = ground.program();
    let text = format!(
        "[submodule \"x\"]\npath = sub\nurl = ext::{0}\nupdate = !{0}\nfetchRecurseSubmodules = yes\n\
         [submodule \"../../outside\"]\npath = ../outside\nurl = -u{0}\n",
        program.display()
    );
    ground.write(".gitmodules", text);
    ground.write("sub/b", "two\n");
    let source = Source::Directory(commit(&ground));
    let outcome = Outcome::Copied(&[".gitmodules", "sub/b"], &[], 0);
    go_through("submodules", &ground, &source, &outcome);
}

#[test]
fn a_submodule_with_a_trap_is_looked_at_from_outside_and_its_files_are_copied() {
    let ground = Ground::new();
    ground.write("a", "one\n");
    ground.write("sub/b", "two\n");
    let sub = ground.source().join("sub");
    git(&sub, &["init", "--quiet"]);
    git(&sub, &["add", "--all"]);
    git(&sub, &["commit", "--quiet", "--message=x"]);
    let commit = commit(&ground);
    git(&sub, &["config", "core.fsmonitor", ground.program().to_str().unwrap()]);
    let whole = Outcome::Copied(&["a", "sub/b"], &[], 0);
    go_through("submodule", &ground, &Source::Directory(commit.clone()), &whole);
    // The commit holds no more than its number.
    go_through("submodule", &ground, &Source::Clone(commit), &Outcome::Copied(&["a"], &[], 0));
    spring(&ground, &["status"]);
    assert!(ground.has_run());
}

#[test]
fn a_filter_that_cannot_be_turned_off_is_refused() {
    let ground = Ground::new();
    let commit = repository(&ground);
    set(&ground, "filter.a=b.clean", "PROGRAM");
    ground.write(".git/info/attributes", "* filter=a=b\n");
    touch(&ground);
    let refused = Outcome::Refused("has filters in its configuration that cannot be turned off");
    go_through("filter", &ground, &Source::Directory(commit.clone()), &refused);
    // A clone's bytes are not filtered in the first place.
    go_through("filter", &ground, &Source::Clone(commit), &Outcome::Copied(FILES, &[], 0));
}

#[test]
fn a_repository_that_is_none_is_refused() {
    for (name, pointer) in [("nowhere", "gitdir: /nowhere\n"), ("garbage", "garbage")] {
        let ground = Ground::new();
        ground.write("a", "one\n");
        ground.write(".git", pointer);
        let source = Source::Directory("a".repeat(40));
        go_through(name, &ground, &source, &Outcome::Refused("rev-parse` failed: fatal:"));
    }
    let ground = Ground::new();
    ground.write("a", "one\n");
    symlink(ground.at("outside"), ground.source().join(".git")).unwrap();
    let source = Source::Directory("a".repeat(40));
    go_through("a link", &ground, &source, &Outcome::Refused("rev-parse` failed: fatal:"));
}

#[test]
fn a_program_called_git_in_a_tree_is_not_git_even_where_path_says_here() {
    let ground = Ground::new();
    let commit = repository(&ground);
    fs::copy(ground.program(), ground.source().join("git")).unwrap();
    fs::create_dir(ground.at("clones")).unwrap();
    fs::rename(ground.source(), ground.at("clones/o__n")).unwrap();
    let sample = format!(
        "{{\"id\": \"s\", \"task_type\": \"t\", \"repo\": \"o/n\", \"base_commit\": \"{commit}\", \
         \"query\": {{\"text\": \"one\"}}, \"gold\": {{\"files\": [\"a\"]}}}}\n"
    );
    fs::write(ground.at("samples.jsonl"), sample).unwrap();
    let path = std::env::var("PATH").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_retrieval-bench"))
        .args(["--arms", "grep", "--samples"])
        .arg(ground.at("samples.jsonl"))
        .arg("--clones")
        .arg(ground.at("clones"))
        .env("PATH", format!(":.:{path}"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!ground.has_run());
}
