//! A Git clone as a tree: the base commit's, straight from the object store.
//!
//! Nothing is checked out and nothing is written. A file's fingerprint is its object id, so files that an
//! earlier commit already had cost nothing. Symbolic links and submodules are left out, as in a directory.

use std::path::Path;
use std::time::Duration;

use super::rows::folder_clash;
use super::tree::{Fingerprint, SnapshotError, Tree, TreeNotes};
use crate::dataset::SnapshotKey;
use crate::process::{CatFile, Git};
use crate::text::safe_path::is_safe_relative;

/// The longest listing of a tree.
const LISTING_LIMIT: u64 = 1 << 30;

/// An opened clone.
#[derive(Debug)]
pub struct GitTree {
    key: SnapshotKey,
    git: Git,
    blobs: Vec<Blob>,
    unsafe_paths: u64,
    batch: Option<CatFile>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Blob {
    path: String,
    /// Hexadecimal.
    id: String,
    size: u64,
}

/// Whether the clone at `folder` holds the base commit.
pub(super) fn holds_commit(
    key: &SnapshotKey,
    folder: &Path,
    timeout: Duration,
) -> Result<bool, SnapshotError> {
    match Git::at(folder, timeout).run(&["cat-file", "-t", &key.commit], 64) {
        Ok(output) => Ok(output.stdout == b"commit\n"),
        // What Git says of an object it does not have, and no more than that. A folder that is no repository, a
        // damaged object and a call that took too long are something else, which a fetch would not mend.
        Err(why)
            if why.reason.contains("could not get object info")
                && !why.reason.contains("error:") =>
        {
            Ok(false)
        }
        Err(why) => Err(SnapshotError::new(key, why.to_string())),
    }
}

impl GitTree {
    /// Lists the base commit's tree in the clone at `folder`, `timeout` for each call of Git.
    pub fn open(
        key: &SnapshotKey,
        folder: &Path,
        timeout: Duration,
    ) -> Result<GitTree, SnapshotError> {
        let git = Git::at(folder, timeout);
        let refused =
            |reason: &str| SnapshotError::new(key, format!("{}: {reason}", folder.display()));
        let arguments = ["ls-tree", "-r", "-z", "-l", "--full-tree", &key.commit];
        let listing = git
            .run(&arguments, LISTING_LIMIT)
            .map_err(|why| SnapshotError::new(key, why.to_string()))?;
        if listing.overflowed {
            return Err(refused("its listing is longer than 1 GiB"));
        }
        let mut tree =
            GitTree { key: key.clone(), git, blobs: Vec::new(), unsafe_paths: 0, batch: None };
        for entry in listing.stdout.split(|&byte| byte == 0).filter(|entry| !entry.is_empty()) {
            tree.add(entry).map_err(|reason| refused(&reason))?;
        }
        tree.blobs.sort();
        if let Some([a, _]) = tree.blobs.array_windows().find(|[a, b]| a.path == b.path) {
            return Err(refused(&format!("its tree holds `{}` twice", a.path)));
        }
        if let Some((file, folder)) = folder_clash(tree.blobs.len(), |file| {
            tree.blobs.get(file).map_or("", |blob| &blob.path)
        }) {
            return Err(refused(&format!("`{folder}` is a file and also a folder, of `{file}`")));
        }
        Ok(tree)
    }

    /// Adds an entry `MODE TYPE ID SIZE\tPATH`.
    fn add(&mut self, entry: &[u8]) -> Result<(), String> {
        let odd =
            || format!("cannot read the entry `{}` of its tree", String::from_utf8_lossy(entry));
        let tab = memchr::memchr(b'\t', entry).ok_or_else(odd)?;
        let (head, path) = entry.split_at(tab);
        let mut words = head.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
        let mut word = || words.next().and_then(|word| str::from_utf8(word).ok()).ok_or_else(odd);
        let (mode, _, id, size) = (word()?, word()?, word()?, word()?);
        if !matches!(mode, "100644" | "100755") {
            return Ok(());
        }
        match str::from_utf8(path.get(1..).unwrap_or_default()) {
            Ok(path) if is_safe_relative(path) => {
                let size = size.parse().map_err(|_| {
                    format!(
                        "the clone lacks the blob {id} of `{path}`: run `git fetch --refetch` in it"
                    )
                })?;
                self.blobs.push(Blob { path: path.to_owned(), id: id.to_owned(), size });
            }
            _ => self.unsafe_paths += 1,
        }
        Ok(())
    }
}

impl Tree for GitTree {
    fn len(&self) -> usize {
        self.blobs.len()
    }

    fn notes(&self) -> TreeNotes {
        TreeNotes { unsafe_paths: self.unsafe_paths, ..TreeNotes::default() }
    }

    fn path(&self, file: usize) -> &str {
        self.blobs.get(file).map_or("", |blob| &blob.path)
    }

    fn size(&self, file: usize) -> Option<u64> {
        self.blobs.get(file).map(|blob| blob.size)
    }

    fn fingerprint(&mut self, file: usize) -> Result<Fingerprint, SnapshotError> {
        let mut fingerprint = [0; 32];
        let digits = self.blobs.get(file).map_or("", |blob| &blob.id).as_bytes();
        for (byte, pair) in fingerprint.iter_mut().zip(digits.as_chunks::<2>().0) {
            let digit = |at: u8| char::from(at).to_digit(16).unwrap_or(0) as u8;
            *byte = digit(pair[0]) << 4 | digit(pair[1]);
        }
        Ok(fingerprint)
    }

    fn read(&mut self, file: usize, into: &mut Vec<u8>) -> Result<(), SnapshotError> {
        into.clear();
        let Some(blob) = self.blobs.get(file) else { return Ok(()) };
        let failed = |why: crate::process::GitError| {
            SnapshotError::new(&self.key, format!("`{}`: {why}", blob.path))
        };
        let batch = match &mut self.batch {
            Some(batch) => batch,
            None => self.batch.insert(CatFile::open(&self.git).map_err(failed)?),
        };
        batch.read(&blob.id, blob.size, into).map_err(failed)
    }
}
