//! One file of a private copy, made dirty for as long as a program looks at it.
//!
//! Two line feeds behind a file are an edit in every language (specification, reference harness 8, `affected`). The file
//! is reached by descriptors, component by component, through no link; it is put back only if it is still that file,
//! still in its place, and under no other name.

use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, fstat, fstatat};

use super::check::LISTING_LIMIT;
use super::private::PrivateCopy;
use crate::text::one_line::OneLine;
use crate::text::safe_path::why_unsafe;

/// What is put behind the file (specification 17).
const MARKER: &[u8] = b"\n\n";

/// A file that is dirty until it is restored, or this is dropped.
#[derive(Debug)]
pub struct Dirtied<'a> {
    copy: &'a PrivateCopy,
    path: String,
    file: File,
    before: Before,
    is_restored: bool,
}

/// A file as it was.
#[derive(Debug)]
struct Before {
    bytes: Vec<u8>,
    mode: u32,
    modified: SystemTime,
}

impl PrivateCopy {
    /// Puts two line feeds behind the file at `path`, which must be a regular file of the commit. There can only be
    /// one dirty file at a time.
    pub fn dirty(&self, path: &str) -> Result<Dirtied<'_>, String> {
        let shown = OneLine(path);
        if let Some(why) = why_unsafe(path) {
            return Err(format!("`{shown}` {why}"));
        }
        if let Some(why) = self.unusable.get() {
            return Err(why.clone());
        }
        if !self.tracked()?.contains(path) {
            return Err(format!("`{shown}` is not a file of the snapshot's commit"));
        }
        let failed = |why: io::Error| format!("`{shown}` cannot be made dirty: {why}");
        let mut file = self.open(path).map_err(failed)?;
        let before = read(&mut file).map_err(failed)?;
        if self.is_dirty.swap(true, Ordering::AcqRel) {
            return Err(format!("`{shown}` cannot be made dirty: another file is"));
        }
        // Before anything is written, so that even half a marker is taken back.
        let path = path.to_owned();
        let mut dirtied = Dirtied { copy: self, path, file, before, is_restored: false };
        let written = dirtied
            .file
            .seek(SeekFrom::End(0))
            .and_then(|_| dirtied.file.write_all(MARKER))
            .map_err(failed);
        written.map(|()| dirtied)
    }

    /// Lists the paths of the commit, if they are not listed yet: the first file that is made dirty needs them.
    pub fn list_tracked(&self) -> Result<(), String> {
        self.tracked().map(|_| ())
    }

    /// The paths of the commit. They are those of its tree, so it does not matter what became of the index.
    fn tracked(&self) -> Result<&BTreeSet<String>, String> {
        if let Some(tracked) = self.tracked.get() {
            return Ok(tracked);
        }
        let arguments = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", &self.head];
        let listed = self.git.run(&arguments, LISTING_LIMIT).map_err(|why| self.said(&why))?;
        if listed.overflowed {
            return Err("the commit of the private copy lists over 1 GiB of paths".into());
        }
        let paths = listed.stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        let paths = paths.filter_map(|path| Some(str::from_utf8(path).ok()?.to_owned())).collect();
        Ok(self.tracked.get_or_init(|| paths))
    }

    /// Opens the regular file at `path`.
    fn open(&self, path: &str) -> io::Result<File> {
        if !self.folder.is_in_place() {
            return Err(io::Error::other("the folder of the private copy was moved or replaced"));
        }
        let (folder, name) = self.folder_of(path)?;
        // A pipe put in its place must not stop us.
        let flags = OFlag::O_RDWR | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let file = File::from(openat(&folder, name, flags, Mode::empty())?);
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        if metadata.nlink() != 1 {
            return Err(io::Error::other("it has another name as well"));
        }
        Ok(file)
    }

    /// The folder that the file at `path` is in, and its name there.
    fn folder_of<'a>(&self, path: &'a str) -> io::Result<(OwnedFd, &'a str)> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let mut folder = OwnedFd::from(self.folder.root().try_clone()?);
        let mut rest = path;
        while let Some((part, below)) = rest.split_once('/') {
            folder = openat(&folder, part, flags, Mode::empty())?;
            rest = below;
        }
        Ok((folder, rest))
    }
}

fn read(file: &mut File) -> io::Result<Before> {
    let metadata = file.metadata()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Before { bytes, mode: metadata.mode() & 0o7777, modified: metadata.modified()? })
}

impl Dirtied<'_> {
    /// Puts the file back as it was: bytes, mode and date, which are then read again. After an error the copy cannot
    /// be used any more, and says so itself.
    pub fn restore(mut self) -> Result<(), String> {
        self.put_back()
    }

    fn put_back(&mut self) -> Result<(), String> {
        self.is_restored = true;
        match self.try_to_put_back() {
            Ok(()) => {
                self.copy.is_dirty.store(false, Ordering::Release);
                Ok(())
            }
            Err(why) => {
                let shown = OneLine(&self.path);
                let why = format!("`{shown}` cannot be restored in the private copy: {why}");
                Err(self.copy.unusable.get_or_init(|| why).clone())
            }
        }
    }

    fn try_to_put_back(&mut self) -> io::Result<()> {
        if !self.is_in_place()? {
            return Err(io::Error::other("it was replaced, moved or linked"));
        }
        let Dirtied { file, before, .. } = self;
        file.set_len(before.bytes.len() as u64)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&before.bytes)?;
        file.set_permissions(Permissions::from_mode(before.mode))?;
        file.set_modified(before.modified)?;
        file.seek(SeekFrom::Start(0))?;
        let after = read(file)?;
        let same = after.bytes == before.bytes
            && (after.mode, after.modified) == (before.mode, before.modified);
        if same { Ok(()) } else { Err(io::Error::other("it does not read as it was written")) }
    }

    /// Whether its path still leads to it, and no other path does: else writing to it would write elsewhere.
    fn is_in_place(&self) -> io::Result<bool> {
        if !self.copy.folder.is_in_place() {
            return Ok(false);
        }
        let (folder, name) = self.copy.folder_of(&self.path)?;
        let there = fstatat(&folder, name, AtFlags::AT_SYMLINK_NOFOLLOW)?;
        let held = fstat(&self.file)?;
        Ok((there.st_dev, there.st_ino) == (held.st_dev, held.st_ino) && held.st_nlink == 1)
    }
}

impl Drop for Dirtied<'_> {
    fn drop(&mut self) {
        if !self.is_restored {
            // What fails here, the copy's next check says.
            let _ = self.put_back();
        }
    }
}
