//! A folder of our own, which programs that are not ours have worked in, and which has to go.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

use crate::process::remove_tree;

/// A folder that only its owner may enter, removed with all it holds when it is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    root: File,
    /// How the path may be written by others, the longest first.
    spellings: Vec<String>,
}

impl Folder {
    /// Makes it at `path`, where there is nothing yet.
    pub fn create(path: &Path) -> io::Result<Folder> {
        DirBuilder::new().mode(0o700).create(path)?;
        let opened = File::options()
            .read(true)
            .custom_flags((OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW).bits())
            .open(path)
            .and_then(|root| root.set_permissions(Permissions::from_mode(0o700)).map(|()| root));
        let root = opened.inspect_err(|_| {
            let _ = fs::remove_dir(path);
        })?;
        let resolved = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut spellings = vec![resolved.display().to_string(), path.display().to_string()];
        spellings.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
        spellings.dedup();
        Ok(Folder { path: path.to_owned(), root, spellings })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It itself, wherever it is.
    pub fn root(&self) -> &File {
        &self.root
    }

    /// Whether it is still the one that was made, and where it was made.
    pub fn is_in_place(&self) -> bool {
        let (Ok(there), Ok(made)) = (self.path.symlink_metadata(), self.root.metadata()) else {
            return false;
        };
        (there.dev(), there.ino()) == (made.dev(), made.ino())
    }

    /// `text` with its path as `$COPY`, since a report must not tell where it was (specification 14.3).
    pub fn unnamed(&self, text: &str) -> String {
        let replace = |text: String, spelling: &String| text.replace(spelling, "$COPY");
        self.spellings.iter().fold(text.to_owned(), replace)
    }

    /// Removes it now.
    pub fn remove(mut self) -> io::Result<()> {
        remove_tree(&std::mem::take(&mut self.path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = remove_tree(&self.path);
        }
    }
}
