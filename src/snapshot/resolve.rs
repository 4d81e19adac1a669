//! Where a snapshot lies, and how it is opened.
//!
//! Looked for in this order (specification, reference harness 7): the folder or chunk file named for it, the chunk file of
//! the corpus, the one directory of the corpus whose name fits, a clone. Nothing is copied.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chunk_file::ChunkFile;
use super::clone::{GitTree, holds_commit};
use super::directory::Directory;
use super::mapping::Mapping;
use super::stitched::Stitched;
use super::tree::{SnapshotError, Tree};
use crate::dataset::SnapshotKey;

/// How many characters of a commit a directory's name must hold (specification 17).
const COMMIT_PREFIX: usize = 12;

/// Which rows of a chunk file make its texts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum CorpusText {
    /// The file rows alone, as in earlier reports
    #[default]
    Rows,
    /// File rows that were cut, completed from the symbol rows
    Stitched,
}

/// Where snapshots may lie.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Chunk files that are part of the program (`demo`).
    pub embedded: BTreeMap<SnapshotKey, &'static [u8]>,
    /// Named one by one (`--snapshot`).
    pub named: BTreeMap<SnapshotKey, PathBuf>,
    /// The folder of chunk files and directories (`--corpus`).
    pub corpus: Option<PathBuf>,
    /// The folder of clones (`--clones`).
    pub clones: Option<PathBuf>,
    /// Which rows of a chunk file count.
    pub text: CorpusText,
    /// How long one call of Git may take.
    pub git_timeout: Duration,
}

/// Where a snapshot lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A chunk file that is part of the program.
    Embedded(&'static [u8]),
    /// A chunk file.
    ChunkFile(PathBuf),
    /// A directory, perhaps a Git worktree.
    Directory(PathBuf),
    /// A Git clone that holds the commit.
    Clone(PathBuf),
}

impl Sources {
    /// Where `key` lies.
    pub fn resolve(&self, key: &SnapshotKey) -> Result<Location, SnapshotError> {
        if let Some(bytes) = self.embedded.get(key) {
            return Ok(Location::Embedded(bytes));
        }
        if let Some(path) = self.named.get(key) {
            return named(key, path);
        }
        let mut looked = Vec::new();
        if let Some(corpus) = &self.corpus {
            if let Some(location) = in_corpus(key, corpus)? {
                return Ok(location);
            }
            looked.push(format!("0 corpus entries match {key} under {}", corpus.display()));
        }
        if let Some(clones) = &self.clones {
            if let Some(location) = self.in_clones(key, clones)? {
                return Ok(location);
            }
            looked.push(format!("no clone of {} under {}", key.repo, clones.display()));
        }
        if looked.is_empty() {
            looked.push(format!(
                "no snapshot for {key}: name one with --snapshot, --corpus or --clones"
            ));
        }
        Err(SnapshotError::new(key, looked.join(", and ")))
    }

    /// Opens what lies there.
    pub fn open(
        &self,
        key: &SnapshotKey,
        location: &Location,
    ) -> Result<Box<dyn Tree>, SnapshotError> {
        Ok(match location {
            Location::Embedded(bytes) => {
                Box::new(ChunkFile::open(key, "the built-in corpus", *bytes)?)
            }
            Location::ChunkFile(path) => {
                let name = path.display().to_string();
                let bytes = Mapping::open(path).map_err(|why| {
                    SnapshotError::new(key, format!("{name} cannot be read: {why}"))
                })?;
                match self.text {
                    CorpusText::Rows => Box::new(ChunkFile::open(key, &name, bytes)?),
                    CorpusText::Stitched => Box::new(Stitched::open(key, &name, bytes)?),
                }
            }
            Location::Directory(path) => Box::new(Directory::open(key, path, self.git_timeout)?),
            Location::Clone(path) => Box::new(GitTree::open(key, path, self.git_timeout)?),
        })
    }

    fn in_clones(
        &self,
        key: &SnapshotKey,
        clones: &Path,
    ) -> Result<Option<Location>, SnapshotError> {
        let repo = &key.repo;
        let (flat, name) = (repo.replace('/', "__"), last_component(repo));
        let names = [
            flat.clone(),
            format!("{flat}.git"),
            repo.clone(),
            format!("{repo}.git"),
            format!("{name}.git"),
        ];
        let Some(clone) = names.iter().map(|name| clones.join(name)).find(|path| path.is_dir())
        else {
            return Ok(None);
        };
        if !holds_commit(key, &clone, self.git_timeout)? {
            let (shown, commit) = (clone.display(), &key.commit);
            return Err(SnapshotError::new(
                key,
                format!(
                    "the clone {shown} does not hold the commit: run `git -C {shown} fetch origin {commit}`"
                ),
            ));
        }
        Ok(Some(Location::Clone(clone)))
    }
}

fn named(key: &SnapshotKey, path: &Path) -> Result<Location, SnapshotError> {
    let metadata = fs::metadata(path).map_err(|why| {
        SnapshotError::new(key, format!("{} cannot be read: {why}", path.display()))
    })?;
    Ok(if metadata.is_dir() {
        Location::Directory(path.to_owned())
    } else {
        Location::ChunkFile(path.to_owned())
    })
}

fn in_corpus(key: &SnapshotKey, corpus: &Path) -> Result<Option<Location>, SnapshotError> {
    let folder = corpus.join(key.repo.replace('/', "__"));
    let chunks = folder.join(format!("{}.chunks.jsonl", key.commit));
    if fs::metadata(&chunks).is_ok_and(|metadata| !metadata.is_dir()) {
        return Ok(Some(Location::ChunkFile(chunks)));
    }
    let unreadable =
        |why| SnapshotError::new(key, format!("{} cannot be read: {why}", corpus.display()));
    let (repo, commit) = (last_component(&key.repo), key.commit.get(..COMMIT_PREFIX));
    let mut matches = Vec::new();
    for entry in fs::read_dir(corpus).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let fits = name.contains(repo) && commit.is_some_and(|commit| name.contains(commit));
        if fits && entry.path().is_dir() {
            matches.push((name, entry.path()));
        }
    }
    matches.sort();
    match matches.as_slice() {
        [] => Ok(None),
        [(_, path)] => Ok(Some(Location::Directory(path.clone()))),
        several => {
            let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
            Err(SnapshotError::new(
                key,
                format!(
                    "{} corpus entries match {key} under {} ({}): leave one, or name it with --snapshot",
                    several.len(),
                    corpus.display(),
                    names.join(", ")
                ),
            ))
        }
    }
}

fn last_component(repo: &str) -> &str {
    repo.rsplit('/').next().unwrap_or(repo)
}
