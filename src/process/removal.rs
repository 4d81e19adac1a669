//! Removing a folder and all it holds, whatever has become of it.
//!
//! Links are removed and not followed, also those that take a folder's place meanwhile: every folder is held open, reached
//! from its own descriptor, and left alone where it is another file system or a mount point. Modes that forbid removal are
//! changed; neither the depth of the tree nor the length of its paths is a bound.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::{AT_FDCWD, OFlag};
use nix::sys::stat::{FchmodatFlags, Mode, fchmodat};

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

fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(()),
        Err(why) => return Err(why),
        Ok(found) if !found.is_dir() => return fs::remove_file(path),
        Ok(_) => {}
    }
    let root = Held::open(path)?;
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    if fs::metadata(above.unwrap_or(Path::new(".")))?.dev() != root.device {
        return Err(io::Error::other("another file system is mounted there"));
    }
    let mut removal = Removal { root: &root, moved: 0, failed: None };
    let mut folders = Vec::new();
    removal.empty(&root, &mut folders);
    while let Some(name) = folders.pop() {
        // Whatever has taken its place is no folder of ours.
        match Held::open(&root.at(&name)) {
            Ok(folder) if folder.device == root.device => removal.empty(&folder, &mut folders),
            Ok(_) => removal.note(Err(io::Error::other("another file system is mounted there"))),
            Err(why) => removal.note(Err(why)),
        }
        removal.note(fs::remove_dir(root.at(&name)));
    }
    let failed = removal.failed;
    failed.map_or(Ok(()), Err).and_then(|()| fs::remove_dir(path))
}

/// An open folder, not through a link.
struct Held {
    folder: File,
    device: u64,
}

impl Held {
    fn open(path: &Path) -> io::Result<Held> {
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW;
        let open = || File::options().read(true).custom_flags(flags.bits()).open(path);
        let folder = open().or_else(|why| {
            // Without the right to read it there is no descriptor to give us that right.
            if why.kind() != ErrorKind::PermissionDenied {
                return Err(why);
            }
            fchmodat(AT_FDCWD, path, Mode::S_IRWXU, FchmodatFlags::NoFollowSymlink)?;
            open()
        })?;
        folder.set_permissions(Permissions::from_mode(0o700))?;
        let device = folder.metadata()?.dev();
        Ok(Held { folder, device })
    }

    /// The path of what has that name in it, wherever the folder is by now.
    fn at(&self, name: &OsStr) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.folder.as_raw_fd())).join(name)
    }
}

struct Removal<'a> {
    root: &'a Held,
    moved: u64,
    failed: Option<io::Error>,
}

impl Removal<'_> {
    fn note(&mut self, done: io::Result<()>) {
        if let Err(why) = done {
            self.failed.get_or_insert(why);
        }
    }

    /// Removes what lies in `folder`. Folders that are not empty go to the top under new names, which `folders` gets: so
    /// nothing here is as deep as the tree, and a mount point, which cannot be moved, is not entered.
    fn empty(&mut self, folder: &Held, folders: &mut Vec<OsString>) {
        // Listed before anything is removed: an open listing need not bear that.
        let entries = fs::read_dir(folder.at(OsStr::new("."))).and_then(Iterator::collect);
        let entries: Vec<fs::DirEntry> = entries.unwrap_or_else(|why| {
            self.note(Err(why));
            Vec::new()
        });
        for entry in entries {
            let path = folder.at(&entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if fs::remove_dir(&path).is_ok() {
                        continue;
                    }
                    match self.move_up(&path) {
                        Ok(name) => folders.push(name),
                        Err(why) => self.note(Err(why)),
                    }
                }
                Ok(_) => self.note(fs::remove_file(&path)),
                Err(why) => self.note(Err(why)),
            }
        }
    }

    fn move_up(&mut self, path: &Path) -> io::Result<OsString> {
        loop {
            self.moved += 1;
            let name = OsString::from(format!(".removing-{}", self.moved));
            match fs::rename(path, self.root.at(&name)) {
                Ok(()) => return Ok(name),
                Err(why) if is_taken(&why) => {}
                // Its link to the folder above is written in it, so it must be ours to write.
                Err(why) if why.kind() == ErrorKind::PermissionDenied => {
                    Held::open(path)?;
                    fs::rename(path, self.root.at(&name))?;
                    return Ok(name);
                }
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
