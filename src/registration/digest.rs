//! SHA-256 of texts and of the running program.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::error::RegistrationError;
use crate::text::hex::hex;

/// A SHA-256. Displayed as 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The digest of everything that `source` gives.
    pub fn of_reader(mut source: impl Read) -> io::Result<Digest> {
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 256 << 10];
        loop {
            match source.read(&mut buffer) {
                Ok(0) => return Ok(Digest(hash.finalize().into())),
                Ok(read) => hash.update(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&hex(self.0))
    }
}

/// The digest of the program that is running. On Linux it is read through the process itself, so that an
/// installation that replaced the file meanwhile is not mistaken for it.
pub fn own_binary_sha256() -> Result<Digest, RegistrationError> {
    let itself = Path::new("/proc/self/exe");
    let path: PathBuf = if itself.exists() {
        itself.to_owned()
    } else {
        std::env::current_exe()
            .map_err(|error| RegistrationError::Read { path: itself.to_owned(), error })?
    };
    File::open(&path)
        .and_then(Digest::of_reader)
        .map_err(|error| RegistrationError::Read { path, error })
}
