//! Scratch folders: where a run keeps what is gone when it ends.
//!
//! A live run holds a lock on its folder, and so does its guard, which may outlive it by a moment. A folder of our name
//! that nobody locks belonged to a run that was killed; the next start removes it. Nothing outside such a folder is ever
//! removed, and no symbolic link is followed.

use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nix::fcntl::OFlag;
use nix::unistd::geteuid;

use super::removal::remove_tree;

/// What the names of scratch folders begin with; a random rest follows.
const PREFIX: &str = ".retrieval-bench-scratch-";
const RANDOM_LETTERS: usize = 12;

static OURS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The scratch folder of a live run. Dropping it removes it.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    lock: File,
}

impl Scratch {
    /// Makes one in the system's folder for temporary files, after those of dead runs are removed.
    pub fn new() -> io::Result<Scratch> {
        Scratch::in_folder(&std::env::temp_dir())
    }

    /// Makes one in `folder`.
    pub fn in_folder(folder: &Path) -> io::Result<Scratch> {
        let folder = fs::canonicalize(folder)?;
        clear_dead(&folder);
        loop {
            // The list is locked until the folder stands in it: a program that is stopped here leaves none behind.
            let mut ours = OURS.lock().unwrap_or_else(PoisonError::into_inner);
            let path = tempfile::Builder::new()
                .prefix(PREFIX)
                .rand_bytes(RANDOM_LETTERS)
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(&folder)?
                .keep();
            ours.push(path.clone());
            drop(ours);
            // Another start may take it for a dead run's until the lock is ours.
            let lock = open_folder(&path)?;
            match lock.try_lock() {
                Ok(()) if is_at(&lock, &path) => return Ok(Scratch { path, lock }),
                Ok(()) | Err(TryLockError::WouldBlock) => forget(&path),
                Err(TryLockError::Error(why)) => {
                    let _ = fs::remove_dir(&path);
                    forget(&path);
                    let what = format!(
                        "{} cannot be locked ({why}): set TMPDIR to a file system with locks",
                        folder.display()
                    );
                    return Err(io::Error::new(why.kind(), what));
                }
            }
        }
    }

    /// Where it is: absolute, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The lock, for a guard to hold, too.
    pub(super) fn lock(&self) -> io::Result<File> {
        self.lock.try_clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now, the next start tries again.
        let _ = remove_tree(&self.path);
        forget(&self.path);
    }
}

/// Removes the scratch folders of this process, which makes no more of them.
pub(super) fn remove_all() {
    let ours = OURS.lock().unwrap_or_else(PoisonError::into_inner);
    for path in ours.iter() {
        let _ = remove_tree(path);
    }
    // Kept for ever: whoever waits for it would make another folder.
    std::mem::forget(ours);
}

fn clear_dead(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| {
            name.strip_prefix(PREFIX).is_some_and(|rest| rest.len() == RANDOM_LETTERS)
        });
        if is_ours
            && let Ok(lock) = open_folder(&entry.path())
            && lock.metadata().is_ok_and(|found| found.uid() == geteuid().as_raw())
            && lock.try_lock().is_ok()
            && is_at(&lock, &entry.path())
        {
            let _ = remove_tree(&entry.path());
        }
    }
}

fn open_folder(path: &Path) -> io::Result<File> {
    let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW;
    File::options().read(true).custom_flags(flags.bits()).open(path)
}

fn is_at(open: &File, path: &Path) -> bool {
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match (open.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => identity(open) == identity(there),
        _ => false,
    }
}

fn forget(path: &Path) {
    OURS.lock().unwrap_or_else(PoisonError::into_inner).retain(|ours| ours != path);
}

/// Makes a private folder, which must not exist.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}
