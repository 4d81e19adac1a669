//! A file as memory.
//!
//! The only module of the crate that may use `unsafe` for it. A mapping is read-only and shared with the file: who
//! reads through it must not rely on two reads of one byte agreeing, and nothing here or above turns its bytes into
//! `str` without checking them at that moment.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::{Advice, Mmap, MmapOptions};

/// The bytes of a file, mapped.
#[derive(Debug)]
pub struct Mapping(Option<Mmap>);

impl Mapping {
    /// Maps the regular file at `path`. An empty file is an empty slice.
    pub fn open(path: &Path) -> io::Result<Mapping> {
        use std::os::unix::fs::OpenOptionsExt;

        // Opening a pipe would wait for someone to write to it.
        let flags = nix::fcntl::OFlag::O_NONBLOCK.bits();
        let file = File::options().read(true).custom_flags(flags).open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        if metadata.len() == 0 {
            return Ok(Mapping(None));
        }
        // SAFETY: the mapping is private to this value, read-only, and lives as long as the slices borrowed from it.
        // Another process may still write to the file or cut it short. Written bytes are only ever compared, hashed
        // and copied with bounds that were checked against the mapped length, and are checked again wherever they
        // become text, so they cannot break memory safety; a cut file ends the process by SIGBUS, which a resumed
        // run survives. The corpora this reads are write-once, as every mapping reader has to assume.
        let map = unsafe { MmapOptions::new().map(&file)? };
        // A hint only: failing changes nothing but speed.
        let _ = map.advise(Advice::Sequential);
        Ok(Mapping(Some(map)))
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}
