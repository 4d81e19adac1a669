//! The file that a guard executes, held open: what was digested is what is executed.
//!
//! A program is executed as the open file, whatever its path names by then. A script cannot be: its interpreter opens it by
//! name, so its path must still name the same file. Neither may have been changed since it was opened.

use std::ffi::CString;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::unistd::{AccessFlags, access};
use sha2::{Digest as _, Sha256};

use super::fork::Image;
use crate::text::hex::hex;

/// An open executable.
#[derive(Debug)]
pub(super) struct Executable {
    path: PathBuf,
    name: CString,
    file: File,
    identity: [i64; 7],
    script: bool,
}

impl Executable {
    /// Opens what is at an absolute path. A refusal is a sentence.
    pub fn open(path: &Path) -> Result<Executable, String> {
        let failed = |why: io::Error| format!("{} cannot be opened: {why}", path.display());
        let file = open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        if !found.is_file() {
            return Err(format!("{} is not a file", path.display()));
        }
        access(path, AccessFlags::X_OK)
            .map_err(|_| format!("{} is not executable", path.display()))?;
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|why| failed(why.into()))?;
        let mut head = [0; 2];
        let script = file.read_exact_at(&mut head, 0).is_ok() && head == *b"#!";
        Ok(Executable { path: path.to_owned(), name, file, identity: identity(&found), script })
    }

    /// The name that a call sees as its own.
    pub fn name(&self) -> &CString {
        &self.name
    }

    /// What a call executes now.
    pub fn image(&self) -> io::Result<Image<'_>> {
        let found = if self.script { std::fs::metadata(&self.path) } else { self.file.metadata() };
        if identity(&found?) != self.identity {
            let what = format!("{} is not the file that was digested", self.path.display());
            return Err(io::Error::other(what));
        }
        Ok(if self.script { Image::Named(&self.name) } else { Image::Open(self.file.as_fd()) })
    }

    /// SHA-256 of the open file.
    pub fn sha256(&self) -> io::Result<String> {
        digest(&self.file)
    }

    /// SHA-256 of what is at its path now.
    pub fn sha256_at_path(&self) -> io::Result<String> {
        digest(&open(&self.path)?)
    }
}

/// A pipe of that name must not stop us.
fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)
}

/// What changes when a file is written to, or loses its name; nobody can set the last of its times back.
fn identity(found: &Metadata) -> [i64; 7] {
    let signed = u64::cast_signed;
    [
        signed(found.dev()),
        signed(found.ino()),
        signed(found.size()),
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec(),
    ]
}

/// From the file's start, wherever its position is.
fn digest(file: &File) -> io::Result<String> {
    let (mut hasher, mut buffer, mut at) = (Sha256::new(), vec![0; 256 << 10], 0);
    loop {
        match file.read_at(&mut buffer, at) {
            Ok(0) => return Ok(hex(hasher.finalize())),
            Ok(read) => {
                hasher.update(buffer.get(..read).unwrap_or_default());
                at += read as u64;
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
}
