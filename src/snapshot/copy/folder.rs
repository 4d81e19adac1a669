//! A folder of our own, which programs that are not ours have worked in, and which has to go.
//!
//! Removal follows no link, and neither modes that a child has set nor the depth it has dug to stop it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

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
        remove(&std::mem::take(&mut self.path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = remove(&self.path);
        }
    }
}

/// Removes `root` and all it holds; the first thing that could not be removed, after all the others were.
fn remove(root: &Path) -> io::Result<()> {
    match root.symlink_metadata() {
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(()),
        Err(why) => return Err(why),
        Ok(metadata) if !metadata.is_dir() => return fs::remove_file(root),
        Ok(_) => {}
    }
    let mut removal = Removal { root, moved: 0, failed: None };
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        removal.empty(&folder, &mut folders);
        if folder != root {
            removal.note(fs::remove_dir(&folder));
        }
    }
    removal.note(fs::remove_dir(root));
    removal.failed.map_or(Ok(()), Err)
}

struct Removal<'a> {
    root: &'a Path,
    moved: u64,
    failed: Option<io::Error>,
}

impl Removal<'_> {
    fn note(&mut self, done: io::Result<()>) {
        if let Err(why) = done {
            self.failed.get_or_insert(why);
        }
    }

    /// Removes what lies in `folder`. Folders that are not empty go to the top, and `folders` gets them: so no path
    /// is ever longer than two names, and nothing here is as deep as the tree.
    fn empty(&mut self, folder: &Path, folders: &mut Vec<PathBuf>) {
        let opened = fs::set_permissions(folder, Permissions::from_mode(0o700));
        let entries = opened.and_then(|()| fs::read_dir(folder));
        // Listed before anything is removed: an open listing need not bear that.
        let entries = entries.and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.unwrap_or_else(|why| {
            self.note(Err(why));
            Vec::new()
        });
        for entry in entries {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if fs::remove_dir(&path).is_ok() {
                        continue;
                    }
                    if folder == self.root {
                        folders.push(path);
                        continue;
                    }
                    match self.move_up(&path) {
                        Ok(moved) => folders.push(moved),
                        Err(why) => self.note(Err(why)),
                    }
                }
                Ok(_) => self.note(fs::remove_file(&path)),
                Err(why) => self.note(Err(why)),
            }
        }
    }

    fn move_up(&mut self, path: &Path) -> io::Result<PathBuf> {
        // Its link to the folder above is written in it.
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
        loop {
            self.moved += 1;
            let to = self.root.join(OsString::from(format!(".removing-{}", self.moved)));
            match fs::rename(path, &to) {
                Ok(()) => return Ok(to),
                Err(why) if is_taken(&why) => {}
                Err(why) => return Err(why),
            }
        }
    }
}

/// Whether a name could not be given because something bears it.
fn is_taken(why: &io::Error) -> bool {
    let kinds = [ErrorKind::AlreadyExists, ErrorKind::DirectoryNotEmpty, ErrorKind::NotADirectory];
    kinds.contains(&why.kind())
}
