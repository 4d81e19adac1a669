//! Where a capture may go: a new file that cannot be anything the run reads or writes.
//!
//! The path is made absolute and its `.` and `..` are taken out as text. Every folder on it is then opened from the one
//! above, links refused, so that the folder held in the end is the one that was looked at, whatever is renamed
//! meanwhile. Nothing is created here but by [`Destination::create`].

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat};

use super::error::CaptureError;
use crate::publish;

/// Enough to look a name up in a folder; the folder itself may be unreadable.
#[cfg(target_os = "linux")]
const LOOK: OFlag = OFlag::O_PATH;
#[cfg(not(target_os = "linux"))]
const LOOK: OFlag = OFlag::O_RDONLY;

/// A folder, not through a link.
const FOLDER: OFlag = OFlag::O_DIRECTORY.union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC);

/// A new file, not through a link.
const NEW: OFlag = OFlag::O_WRONLY
    .union(OFlag::O_CREAT)
    .union(OFlag::O_EXCL)
    .union(OFlag::O_NOFOLLOW)
    .union(OFlag::O_CLOEXEC);

/// What a capture must stay clear of; each comes with what it is, as the reader knows it (`--corpus`).
#[derive(Clone, Debug, Default)]
pub struct Surroundings<'a> {
    /// Files that the run reads or writes: samples, registration, journal, report. They need not exist.
    pub files: Vec<(&'a str, &'a Path)>,
    /// Folders and files that hold the trees: corpus, clones, snapshots.
    pub trees: Vec<(&'a str, &'a Path)>,
}

/// A file or folder, whatever it is called.
type Inode = (u64, u64);

/// Where a capture goes.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    name: OsString,
    folder: OwnedFd,
    /// The folders from the root to the one that is held.
    above: Vec<Inode>,
}

impl Destination {
    /// The destination `path`, if a capture may go there.
    pub fn check(path: &Path, around: &Surroundings) -> Result<Destination, CaptureError> {
        let refuse = |reason: String| CaptureError::place(path, reason);
        let full = lexical(path).map_err(|error| refuse(error.to_string()))?;
        let (Some(parent), Some(name)) = (full.parent(), full.file_name()) else {
            return Err(refuse("does not name a file".to_owned()));
        };
        let (folder, above) = descend(parent).map_err(refuse)?;
        let name = name.to_owned();
        let destination = Destination { path: full, name, folder, above };
        match destination.entry() {
            Err(Errno::ENOENT) => {}
            Err(error) => return Err(refuse(format!("cannot be looked at: {error}"))),
            Ok(found) if is_link(&found) => {
                return Err(refuse("is a symbolic link; name a new file".to_owned()));
            }
            Ok(_) => {
                return Err(refuse("exists already; name a new file or move it away".to_owned()));
            }
        }
        destination.stands_apart(around).map_err(refuse)?;
        Ok(destination)
    }

    /// The absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the file, for its owner alone, after everything has been looked at again.
    pub(super) fn create(&self, around: &Surroundings) -> Result<File, CaptureError> {
        let refuse = |reason: String| CaptureError::place(&self.path, reason);
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        let (_, above) = descend(parent).map_err(refuse)?;
        if above != self.above {
            return Err(refuse("its folder was replaced meanwhile".to_owned()));
        }
        self.stands_apart(around).map_err(refuse)?;
        let mode = Mode::S_IRUSR | Mode::S_IWUSR;
        match openat(&self.folder, self.name.as_os_str(), NEW, mode) {
            Ok(file) => Ok(File::from(file)),
            Err(Errno::EEXIST) => Err(refuse("exists already; name a new file".to_owned())),
            Err(error) => Err(refuse(format!("cannot be created: {error}"))),
        }
    }

    /// Says why `file`, which was created here, is not the file of that name, or is one of `files`.
    pub(super) fn holds(&self, file: &File, files: &[(&str, &Path)]) -> Result<(), String> {
        let own = file.metadata().map_err(|error| format!("cannot be looked at: {error}"))?;
        let own = (own.dev(), own.ino());
        match self.entry() {
            Ok(found) if inode(&found) == own => {}
            _ => return Err("another file took its name, or it was removed".to_owned()),
        }
        let same =
            |path: &Path| fs::metadata(path).is_ok_and(|found| (found.dev(), found.ino()) == own);
        match files.iter().find(|(_, path)| same(path)) {
            Some((role, _)) => Err(format!("it is the same file as {role}")),
            None => Ok(()),
        }
    }

    /// Makes the name durable.
    pub(super) fn sync_folder(&self) -> io::Result<()> {
        File::from(self.folder.try_clone()?).sync_all()
    }

    /// What has the name now, a link as itself.
    fn entry(&self) -> Result<FileStat, Errno> {
        fstatat(&self.folder, self.name.as_os_str(), AtFlags::AT_SYMLINK_NOFOLLOW)
    }

    /// Says what the destination would be or lie in.
    fn stands_apart(&self, around: &Surroundings) -> Result<(), String> {
        for (role, tree) in &around.trees {
            let by_name = lexical(tree).is_ok_and(|tree| self.path.starts_with(tree));
            let found = fs::metadata(tree).map(|found| (found.dev(), found.ino()));
            if by_name || found.is_ok_and(|found| self.above.contains(&found)) {
                return Err(format!("lies in {role} {}; name a file outside", tree.display()));
            }
        }
        for (role, file) in &around.files {
            let by_name = lexical(file).is_ok_and(|file| self.path == file);
            if by_name || publish::resolve(file).is_ok_and(|file| self.is(&file)) {
                return Err(format!("is the file of {role}; name another"));
            }
        }
        Ok(())
    }

    /// Whether `other`, which leads through no link, has this name in this folder.
    fn is(&self, other: &Path) -> bool {
        let folder = other.parent().and_then(|folder| fs::metadata(folder).ok());
        let folder = folder.map(|found| (found.dev(), found.ino()));
        folder.as_ref() == self.above.last() && other.file_name() == Some(&self.name)
    }
}

/// `path` from the root, without `.` and `..`, looked at as text alone.
fn lexical(path: &Path) -> io::Result<PathBuf> {
    let mut clean = PathBuf::from("/");
    for component in std::path::absolute(path)?.components() {
        match component {
            Component::Normal(name) => clean.push(name),
            Component::ParentDir => {
                clean.pop();
            }
            _ => {}
        }
    }
    Ok(clean)
}

/// Opens `folder`, an absolute path, from the root down; gives every folder on the way. Says why it cannot.
fn descend(folder: &Path) -> Result<(OwnedFd, Vec<Inode>), String> {
    let names: Vec<&OsStr> = folder
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    let mut here = PathBuf::from("/");
    let mut held = open("/", OFlag::O_RDONLY | FOLDER, Mode::empty())
        .map_err(|error| format!("cannot open /: {error}"))?;
    let mut above = vec![identity(&held, &here)?];
    for (index, name) in names.iter().enumerate() {
        here.push(name);
        // The last one is synced in the end, for which it must be open for reading.
        let access = if index + 1 == names.len() { OFlag::O_RDONLY } else { LOOK };
        held = match openat(&held, *name, access | FOLDER, Mode::empty()) {
            Ok(next) => next,
            Err(Errno::ENOENT) => return Err(format!("there is no folder {}", here.display())),
            Err(error) => {
                let found = fstatat(&held, *name, AtFlags::AT_SYMLINK_NOFOLLOW);
                return Err(if found.is_ok_and(|found| is_link(&found)) {
                    format!(
                        "{} is a symbolic link; name the folder that it leads to",
                        here.display()
                    )
                } else {
                    format!("cannot open {}: {error}", here.display())
                });
            }
        };
        above.push(identity(&held, &here)?);
    }
    Ok((held, above))
}

fn identity(folder: &OwnedFd, path: &Path) -> Result<Inode, String> {
    let found =
        fstat(folder).map_err(|error| format!("cannot look at {}: {error}", path.display()))?;
    Ok(inode(&found))
}

// The types of the members differ between systems.
#[allow(clippy::unnecessary_cast)]
fn inode(found: &FileStat) -> Inode {
    (found.st_dev as u64, found.st_ino as u64)
}

fn is_link(found: &FileStat) -> bool {
    SFlag::from_bits_truncate(found.st_mode) & SFlag::S_IFMT == SFlag::S_IFLNK
}
