//! A directory as a tree: its regular files, read in place.
//!
//! Symbolic links, pipes and sockets are left out, and so is everything of Git's own and the tool's own index
//! (specification, reference harness 7). A Git worktree must be the base commit and clean. A file that
//! changes between the walk and its reading is an error, as far as its length tells.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::tree::{Digested, Fingerprint, SnapshotError, Tree, TreeNotes};
use crate::dataset::SnapshotKey;
use crate::process::{Git, GitError};
use crate::text::safe_path::is_safe_relative;

/// The tool's index, at the top of a tree.
const INDEX_FOLDER: &str = ".corvint/index";

/// Files up to this size are kept after they have been digested, in case they are read next.
const KEPT_BYTES: u64 = 1 << 20;

/// How much of a larger file is read at once.
const PIECE: usize = 256 << 10;

/// An opened directory.
#[derive(Debug)]
pub struct Directory {
    key: SnapshotKey,
    root: PathBuf,
    /// Paths and lengths, sorted by path.
    files: Vec<(String, u64)>,
    unsafe_paths: u64,
    /// The last digested file and its bytes.
    kept: Option<usize>,
    buffer: Vec<u8>,
}

impl Directory {
    /// Walks `root`, after `git` has said (within `timeout` a call) that it is the base commit and clean, where it is
    /// a worktree.
    pub fn open(
        key: &SnapshotKey,
        root: &Path,
        timeout: Duration,
    ) -> Result<Directory, SnapshotError> {
        if root.join(".git").symlink_metadata().is_ok() {
            check_worktree(key, root, timeout)?;
        }
        let mut directory = Directory {
            key: key.clone(),
            root: root.to_owned(),
            files: Vec::new(),
            unsafe_paths: 0,
            kept: None,
            buffer: Vec::new(),
        };
        directory.walk()?;
        directory.files.sort();
        Ok(directory)
    }

    fn walk(&mut self) -> Result<(), SnapshotError> {
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let here = if folder.is_empty() { self.root.clone() } else { self.root.join(&folder) };
            let key = self.key.clone();
            let failed = |path: &Path, why| unreadable(&key, path, &why);
            for entry in fs::read_dir(&here).map_err(|why| failed(&here, why))? {
                let entry = entry.map_err(|why| failed(&here, why))?;
                let kind = entry.file_type().map_err(|why| failed(&entry.path(), why))?;
                let name = entry.file_name();
                if name.eq_ignore_ascii_case(".git") || !(kind.is_dir() || kind.is_file()) {
                    continue;
                }
                let Some(name) = name.to_str() else {
                    self.unsafe_paths += 1;
                    continue;
                };
                let path =
                    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                if kind.is_dir() {
                    if path != INDEX_FOLDER {
                        folders.push(path);
                    }
                } else if is_safe_relative(&path) {
                    let metadata = entry.metadata().map_err(|why| failed(&entry.path(), why))?;
                    self.files.push((path, metadata.len()));
                } else {
                    self.unsafe_paths += 1;
                }
            }
        }
        Ok(())
    }

    /// Digests a file of `size` bytes piece by piece; how many there were, up to one more.
    fn digest(&mut self, from: File, size: u64, hasher: &mut Sha256) -> io::Result<u64> {
        let mut from = from.take(size + 1);
        let mut total = 0;
        self.buffer.resize(PIECE, 0);
        loop {
            match from.read(&mut self.buffer)? {
                0 => return Ok(total),
                read => {
                    hasher.update(self.buffer.get(..read).unwrap_or_default());
                    total += read as u64;
                }
            }
        }
    }

    /// The path and length of `file`.
    fn file(&self, file: usize) -> (PathBuf, u64) {
        let (path, size) = self.files.get(file).map_or(("", 0), |(path, size)| (path, *size));
        (self.root.join(path), size)
    }

    /// Checks that as much was read as the walk had seen.
    fn check(&self, path: &Path, seen: u64, read: io::Result<u64>) -> Result<(), SnapshotError> {
        match read {
            Err(why) => Err(unreadable(&self.key, path, &why)),
            Ok(read) if read == seen => Ok(()),
            Ok(_) => Err(SnapshotError::new(
                &self.key,
                format!(
                    "{} changed while the snapshot was read: leave it alone and run again",
                    path.display()
                ),
            )),
        }
    }
}

impl Tree for Directory {
    fn len(&self) -> usize {
        self.files.len()
    }

    fn notes(&self) -> TreeNotes {
        TreeNotes { unsafe_paths: self.unsafe_paths, ..TreeNotes::default() }
    }

    fn path(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |(path, _)| path)
    }

    fn size(&self, file: usize) -> Option<u64> {
        self.files.get(file).map(|&(_, size)| size)
    }

    fn fingerprint(&mut self, file: usize) -> Result<Fingerprint, SnapshotError> {
        let (path, size) = self.file(file);
        self.kept = None;
        if size > KEPT_BYTES {
            let mut hasher = Sha256::new();
            let read = open_regular(&path).and_then(|from| self.digest(from, size, &mut hasher));
            self.check(&path, size, read)?;
            return Ok(Digested::Bytes.finish(hasher));
        }
        self.buffer.clear();
        // One byte more than expected, to see that a file has grown.
        let read = open_regular(&path)
            .and_then(|from| from.take(size + 1).read_to_end(&mut self.buffer))
            .map(|read| read as u64);
        self.check(&path, size, read)?;
        self.kept = Some(file);
        Ok(Digested::Bytes.fingerprint(&self.buffer))
    }

    fn read(&mut self, file: usize, into: &mut Vec<u8>) -> Result<(), SnapshotError> {
        into.clear();
        if self.kept.take_if(|kept| *kept == file).is_some() {
            std::mem::swap(&mut self.buffer, into);
            return Ok(());
        }
        let (path, size) = self.file(file);
        let read = open_regular(&path)
            .and_then(|from| from.take(size + 1).read_to_end(into))
            .map(|read| read as u64);
        self.check(&path, size, read)
    }
}

fn unreadable(key: &SnapshotKey, path: &Path, why: &io::Error) -> SnapshotError {
    SnapshotError::new(key, format!("{} cannot be read: {why}", path.display()))
}

/// Opens a file that was a regular one, and that may have become something else since.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    // A pipe put in its place must not stop us.
    let flags = nix::fcntl::OFlag::O_NOFOLLOW | nix::fcntl::OFlag::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(flags.bits()).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is no regular file any more"))
    }
}

/// Refuses a worktree that is not at the base commit, or not clean.
fn check_worktree(key: &SnapshotKey, root: &Path, timeout: Duration) -> Result<(), SnapshotError> {
    let failed = |why: GitError| SnapshotError::new(key, why.to_string());
    let refused =
        |reason: String| Err(SnapshotError::new(key, format!("{} {reason}", root.display())));
    let mut git = Git::at(root, timeout);
    let head =
        git.run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], 128).map_err(failed)?;
    let head = String::from_utf8_lossy(&head.stdout);
    let (head, commit) = (head.trim_end(), &key.commit);
    if head != commit {
        return refused(format!(
            "is a worktree at {head}: check out {commit}, or name another folder with --snapshot"
        ));
    }
    // A clean filter would be run on files that look changed; which there are, only the configuration tells.
    let names = git.run(&["config", "--list", "--name-only", "-z"], 1 << 20).map_err(failed)?;
    if names.overflowed {
        return refused("has over 1 MiB of configuration, too much to look through".into());
    }
    for name in String::from_utf8_lossy(&names.stdout).split('\0') {
        let Some((filter, setting)) = name.rsplit_once('.') else { continue };
        if !filter.starts_with("filter.") {
            continue;
        }
        if name.contains('=') {
            return refused("has filters in its configuration that cannot be turned off".into());
        }
        let off = if setting == "required" { "false" } else { "" };
        git.set(format!("{name}={off}"));
    }
    // Untracked files count whatever the repository's settings say. Submodules are looked at from outside only: a
    // look inside would run Git with their own configuration.
    let arguments = [
        "status",
        "--porcelain",
        "-z",
        "--untracked-files=normal",
        "--ignore-submodules=dirty",
        "--no-renames",
    ];
    let status = git.run(&arguments, 4096).map_err(failed)?;
    if let Some(first) =
        status.stdout.split(|&byte| byte == 0).next().filter(|line| !line.is_empty())
    {
        return refused(format!(
            "is a worktree that is not clean (`{}`): commit, stash or remove the changes",
            String::from_utf8_lossy(first)
        ));
    }
    Ok(())
}
