//! What a program that worked in a copy may have left in it: our own calls of Git run none of it, and say it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use retrieval_bench::snapshot::{ChunkFile, Copies, PrivateCopy};

use super::super::copy::state;
use super::super::repository::git;
use super::super::{PATIENCE, key};
use super::Ground;

/// Name, what is planted, what the check says, and the call of Git that would have run it.
type Plant = (&'static str, fn(&Ground), &'static str, &'static [&'static str]);

const PLANTS: [Plant; 8] = [
    (
        "a hook",
        |ground| {
            let hooks = ground.at("scratch/copy/.git/hooks");
            fs::create_dir(&hooks).unwrap();
            symlink(ground.program(), hooks.join("post-index-change")).unwrap();
        },
        "`.git/hooks` was added",
        &["-c", "core.hooksPath=.git/hooks", "update-index", "--force-write-index"],
    ),
    (
        "a file system monitor",
        |ground| configure(ground, "core.fsmonitor", "config"),
        "`.git/config` was changed",
        &["status"],
    ),
    (
        "a filter",
        |ground| {
            configure(ground, "filter.x.clean", "config");
            fs::write(ground.at("scratch/copy/.git/info/attributes"), "* filter=x\n").unwrap();
            fs::write(ground.at("scratch/copy/a"), "ONE\n").unwrap();
        },
        "`.git/config` was changed",
        &["status"],
    ),
    (
        "settings elsewhere",
        |ground| {
            let common = ground.at("common");
            let own = ground.at("scratch/copy/.git");
            fs::create_dir(&common).unwrap();
            for name in ["config", "objects", "refs", "info"] {
                fs::rename(own.join(name), common.join(name)).unwrap();
                symlink(common.join(name), own.join(name)).unwrap();
            }
            fs::remove_file(own.join("config")).unwrap();
            fs::copy(common.join("config"), own.join("config")).unwrap();
            fs::write(own.join("commondir"), common.to_str().unwrap()).unwrap();
            let path = common.join("config");
            let program = ground.program();
            let arguments = ["config", "--file", path.to_str().unwrap(), "core.fsmonitor"];
            git(&common, &[&arguments[..], &[program.to_str().unwrap()]].concat());
        },
        "`.git/commondir` was added",
        &["status"],
    ),
    (
        "another repository",
        |ground| {
            let other = ground.at("other");
            git(ground.folder.path(), &["clone", "--quiet", "scratch/copy", "other"]);
            let program = ground.program();
            git(&other, &["config", "core.fsmonitor", program.to_str().unwrap()]);
            let own = ground.at("scratch/copy/.git");
            fs::remove_dir_all(&own).unwrap();
            fs::write(own, format!("gitdir: {}\n", other.join(".git").display())).unwrap();
        },
        "`.git` is no folder any more",
        &["status"],
    ),
    (
        "a repository inside",
        |ground| {
            let inner = ground.at("scratch/copy/inner");
            fs::create_dir(&inner).unwrap();
            git(&inner, &["init", "--quiet"]);
            git(&inner, &["commit", "--quiet", "--allow-empty", "--message=x"]);
            git(&inner, &["config", "core.fsmonitor", ground.program().to_str().unwrap()]);
            git(&ground.at("scratch/copy"), &["add", "inner"]);
        },
        "`?? inner/`",
        &["-C", "inner", "status"],
    ),
    (
        "a monitor that the index remembers",
        |ground| {
            let copy = ground.at("scratch/copy");
            let program = format!("core.fsmonitor={}", ground.program().display());
            git(&copy, &["-c", &program, "update-index", "--fsmonitor"]);
            fs::remove_file(ground.at("canary")).unwrap();
            git(&copy, &["-c", &program, "update-index", "--fsmonitor-valid", "a"]);
            fs::remove_file(ground.at("canary")).unwrap();
            fs::write(copy.join("a"), "ONE\n\n").unwrap();
        },
        "` M a`",
        &[],
    ),
    (
        "a link in the place of a file",
        |ground| {
            fs::remove_file(ground.at("scratch/copy/a")).unwrap();
            symlink(ground.at("outside/file"), ground.at("scratch/copy/a")).unwrap();
        },
        "` T a`",
        &[],
    ),
];

/// Names the program in a setting of the copy.
fn configure(ground: &Ground, name: &str, file: &str) {
    let config = ground.at("scratch/copy/.git").join(file);
    let (config, program) = (config.to_str().unwrap().to_owned(), ground.program());
    git(ground.folder.path(), &["config", "--file", &config, name, program.to_str().unwrap()]);
}

#[test]
fn what_was_planted_in_a_copy_is_not_run_but_said_and_removed() {
    let rows = "{\"kind\":\"file\",\"path\":\"a\",\"text\":\"one\\n\"}\n";
    for (name, plant, expected, spring) in PLANTS {
        let ground = Ground::new();
        let mut tree = ChunkFile::open(&key(), "chunks", rows.as_bytes()).unwrap();
        let folder = ground.at("scratch/copy");
        let copy =
            PrivateCopy::make(&Copies::new(1), &key(), &mut tree, &folder, PATIENCE).unwrap();
        plant(&ground);
        let outside = state(&ground.at("outside"));
        for _ in 0..2 {
            let said = copy.check_clean().unwrap_err();
            assert_eq!(said, format!("the private copy is not clean: {expected}"), "{name}");
        }
        let _ = copy.dirty("a").map(|dirtied| dirtied.restore());
        assert!(!ground.has_run(), "{name}: a program was run");
        if !spring.is_empty() {
            let mut command = Command::new("git");
            command.args(spring).current_dir(&folder).output().expect("git runs");
            assert!(ground.has_run(), "{name}: `git {spring:?}` does not spring the trap");
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
        copy.remove().unwrap();
        assert!(!folder.exists(), "{name}");
        assert!(state(&ground.at("outside")) == outside, "{name}: something outside was touched");
    }
}
