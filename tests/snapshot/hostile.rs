//! Sources that were made to run something, or to have something written elsewhere: surveyed, copied, checked, made
//! dirty and removed, with a canary that any program run would leave, and a folder outside that nothing may touch.
//!
//! Each case says what becomes of it: refused, or copied, with which files.

mod entries;
mod planted;
mod repositories;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use retrieval_bench::dataset::SnapshotKey;
use retrieval_bench::snapshot::{
    ChunkFile, Contents, Copies, Directory, GitTree, PrivateCopy, SnapshotError, Tree,
};

use super::copy::state;
use super::{PATIENCE, files, key};

/// Where a case is set up: a folder for the source, a program that leaves the canary, and what nothing may touch.
struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Ground {
        let ground = Ground { folder: tempfile::tempdir().unwrap() };
        for name in ["source", "scratch", "outside", "outside/folder"] {
            fs::create_dir(ground.at(name)).unwrap();
        }
        fs::write(ground.at("outside/file"), "kept\n").unwrap();
        let script = format!("#!/bin/sh\ntouch '{}'\ncat\n", ground.at("canary").display());
        fs::write(ground.program(), script).unwrap();
        fs::set_permissions(ground.program(), fs::Permissions::from_mode(0o755)).unwrap();
        ground
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder of the source.
    fn source(&self) -> PathBuf {
        self.at("source")
    }

    /// The program that must not run.
    fn program(&self) -> PathBuf {
        self.at("program")
    }

    /// Whether it has.
    fn has_run(&self) -> bool {
        self.at("canary").exists()
    }

    /// Writes a file of the source.
    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let full = self.source().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, bytes).unwrap();
    }
}

/// How a source is read.
enum Source {
    /// As a directory, perhaps a worktree at that commit.
    Directory(String),
    /// As a clone that holds that commit.
    Clone(String),
    /// As a chunk file.
    Chunks(Vec<u8>),
}

impl Source {
    fn open(&self, folder: &Path) -> Result<(SnapshotKey, Box<dyn Tree>), SnapshotError> {
        let at = |commit: &String| SnapshotKey { commit: commit.clone(), ..key() };
        Ok(match self {
            Source::Directory(commit) => {
                (at(commit), Box::new(Directory::open(&at(commit), folder, PATIENCE)?))
            }
            Source::Clone(commit) => {
                (at(commit), Box::new(GitTree::open(&at(commit), folder, PATIENCE)?))
            }
            Source::Chunks(bytes) => {
                (key(), Box::new(ChunkFile::open(&key(), "chunks", bytes.clone())?))
            }
        })
    }
}

/// What becomes of a source.
enum Outcome {
    /// It is not read, for a reason with these words.
    Refused(&'static str),
    /// It is read, with so many names left out, but no private copy can be made, for a reason with these words.
    NotCopied(u64, &'static str),
    /// It is copied: the paths committed, the paths on disk besides, and how many names were left out.
    Copied(&'static [&'static str], &'static [&'static str], u64),
}

/// Takes the source of a case through all that happens to one.
fn go_through(name: &str, ground: &Ground, source: &Source, outcome: &Outcome) {
    let before = [state(&ground.source()), state(&ground.at("outside"))];
    let left_out = match (source.open(&ground.source()), outcome) {
        (Err(error), Outcome::Refused(reason)) => {
            assert!(error.reason.contains(reason), "{name}: {error}");
            None
        }
        (Err(error), _) => panic!("{name} was refused: {error}"),
        (Ok(_), Outcome::Refused(_)) => panic!("{name} was not refused"),
        (Ok((key, mut tree)), _) => {
            let mut contents = Contents::default();
            let survey = contents.survey(&key, tree.as_mut(), &mut |_, _| {});
            let census = survey.unwrap_or_else(|error| panic!("{name}: {error}")).census;
            copy(name, ground, &key, tree.as_mut(), outcome);
            Some(census.unsafe_paths)
        }
    };
    if let Outcome::NotCopied(expected, _) | Outcome::Copied(_, _, expected) = outcome {
        assert_eq!(left_out, Some(*expected), "{name}: names left out");
    }
    assert!(!ground.has_run(), "{name}: a program was run");
    let after = [state(&ground.source()), state(&ground.at("outside"))];
    assert!(before == after, "{name}: the source or something outside was written to");
    assert_eq!(fs::read_dir(ground.at("scratch")).unwrap().count(), 0, "{name}: something is left");
}

fn copy(name: &str, ground: &Ground, key: &SnapshotKey, tree: &mut dyn Tree, outcome: &Outcome) {
    let folder = ground.at("scratch/copy");
    let made = PrivateCopy::make(&Copies::new(1), key, tree, &folder, PATIENCE);
    let (committed, besides) = match (made.as_ref(), outcome) {
        (Ok(_), Outcome::Copied(committed, besides, _)) => (*committed, *besides),
        (Err(error), Outcome::NotCopied(_, reason)) => {
            assert!(error.reason.contains(reason), "{name}: {error}");
            return;
        }
        (Err(error), _) => panic!("{name} was not copied: {error}"),
        (Ok(_), _) => panic!("{name} was copied"),
    };
    let copy = made.unwrap();
    copy.check_clean().unwrap_or_else(|why| panic!("{name}: {why}"));
    // On disk there is all of the tree and nothing else, in the commit what is not ignored.
    let mut expected: Vec<&str> = committed.iter().chain(besides).copied().collect();
    expected.sort_unstable();
    let sources = files(tree);
    assert_eq!(sources.iter().map(|(path, _)| path).collect::<Vec<_>>(), expected, "{name}");
    let at_head = SnapshotKey { commit: copy.head().to_owned(), ..key.clone() };
    assert!(files(&mut Directory::open(&at_head, &folder, PATIENCE).unwrap()) == sources, "{name}");
    let mut sorted = committed.to_vec();
    sorted.sort_unstable();
    let in_commit = files(&mut GitTree::open(&at_head, &folder, PATIENCE).unwrap());
    assert_eq!(in_commit.iter().map(|(path, _)| path).collect::<Vec<_>>(), sorted, "{name}");
    assert!(in_commit.iter().all(|file| sources.contains(file)), "{name}: other bytes committed");
    for path in committed {
        let dirtied = copy.dirty(path).unwrap_or_else(|why| panic!("{name}: {why}"));
        dirtied.restore().unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    for path in besides {
        let why = copy.dirty(path).expect_err("it is not of the commit");
        assert!(why.contains("is not a file of the snapshot's commit"), "{name}: {why}");
    }
    copy.check_clean().unwrap_or_else(|why| panic!("{name}: {why}"));
    copy.remove().unwrap_or_else(|why| panic!("{name}: {why}"));
}
