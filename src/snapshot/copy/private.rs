//! A private copy: made, looked at, removed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::build::{Committed, commit, write};
use super::check::Seal;
use super::folder::Folder;
use super::permit::{Copies, Permit};
use crate::dataset::SnapshotKey;
use crate::process::Git;
use crate::snapshot::tree::{SnapshotError, Tree};

/// Where the tool under test keeps its index: in a plain clone now, and in older versions (specification, corvint
/// interface, store).
const STORES: [&str; 2] = [".git/corvint/index", ".corvint/index"];

/// A tree on disk, in a Git repository of one commit, that programs may work in. It is removed when it is dropped.
///
/// What its methods say of a failure names it `$COPY`, but for [`PrivateCopy::remove`].
#[derive(Debug)]
pub struct PrivateCopy {
    // Fields are dropped in order: the folder is gone before another copy may be made.
    pub(super) folder: Folder,
    pub(super) git: Git,
    pub(super) own_index: OwnIndex,
    pub(super) head: String,
    pub(super) seal: Seal,
    /// The paths of the commit, once somebody has asked.
    pub(super) tracked: OnceLock<BTreeSet<String>>,
    /// Whether there is a [`super::Dirtied`].
    pub(super) is_dirty: AtomicBool,
    /// Why it must not be used any more.
    pub(super) unusable: OnceLock<String>,
    _permit: Permit,
}

impl PrivateCopy {
    /// Writes the files of `tree` to `folder`, where there is nothing yet, and commits them, `git_timeout` for each
    /// call of Git. Waits until `copies` allows one more. Nothing stays behind of what fails.
    ///
    /// Files that the tree's own `.gitignore` names are written, but not committed (specification, reference
    /// harness 7).
    pub fn make(
        copies: &Copies,
        key: &SnapshotKey,
        tree: &mut dyn Tree,
        folder: &Path,
        git_timeout: Duration,
    ) -> Result<PrivateCopy, SnapshotError> {
        let permit = copies.wait();
        let folder = Folder::create(folder).map_err(|why| {
            SnapshotError::new(key, format!("a folder for a private copy cannot be made: {why}"))
        })?;
        write(key, tree, &folder)?;
        let Committed { git, head, configuration } =
            commit(&folder, git_timeout).map_err(|reason| SnapshotError::new(key, reason))?;
        let seal = Seal::new(folder.path(), configuration);
        let own_index = OwnIndex::of(&folder, &git).map_err(|why| {
            SnapshotError::new(key, format!("the index of a private copy cannot be kept: {why}"))
        })?;
        Ok(PrivateCopy {
            folder,
            git,
            own_index,
            head,
            seal,
            tracked: OnceLock::new(),
            is_dirty: AtomicBool::new(false),
            unusable: OnceLock::new(),
            _permit: permit,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The commit, in hexadecimal: a function of the tree's paths and bytes alone.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Where the tool under test keeps its index of the copy, if it has one.
    pub fn store(&self) -> Option<PathBuf> {
        let is_folder = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        STORES.iter().map(|store| self.path().join(store)).find(is_folder)
    }

    /// `text`, such as what a program said in the copy, with the copy's path as `$COPY`.
    pub fn unnamed(&self, text: &str) -> String {
        self.folder.unnamed(text)
    }

    /// Removes it; what could not be removed is said, and where.
    pub fn remove(self) -> Result<(), String> {
        let shown = self.path().display().to_string();
        let PrivateCopy { folder, _permit, .. } = self;
        folder
            .remove()
            .map_err(|why| format!("the private copy {shown} cannot be removed wholly: {why}"))
    }
}

/// Git's index of the copy as it was made, kept beside it, and Git calls that use it.
#[derive(Debug)]
pub(super) struct OwnIndex {
    path: PathBuf,
    pub git: Git,
}

impl OwnIndex {
    fn of(folder: &Folder, git: &Git) -> io::Result<OwnIndex> {
        let mut path = folder.path().as_os_str().to_owned();
        path.push(".index");
        let mut own = OwnIndex { path: path.into(), git: git.clone() };
        fs::copy(folder.path().join(".git/index"), &own.path)?;
        own.git.set_variable("GIT_INDEX_FILE", std::path::absolute(&own.path)?);
        Ok(own)
    }
}

impl Drop for OwnIndex {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
