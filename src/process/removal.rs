//! Removing a folder and all it holds, whatever has become of it.
//!
//! Links are removed and not followed; modes that forbid it are changed; neither the depth of the tree nor the length of its
//! paths is a bound.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often it is tried while something still puts files into a folder.
const TRIES: u32 = 20;

/// Removes what is at `path`; nothing there is fine. The error is of the first thing that could not be removed.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    for _ in 1..TRIES {
        if remove(path).is_ok() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    remove(path)
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
