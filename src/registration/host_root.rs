//! The small files in which a system says what it is, read beneath a root that tests replace.
//!
//! Invariants: nothing blocks (a pipe, a socket or a folder in a file's place is refused), every read is bounded, and
//! a text is one that can be put into a report: not empty, UTF-8, without control characters. What cannot be read is a
//! reason for people, never a default.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What a file that holds one fact, or the part of a larger one that is looked at, may measure in bytes.
pub const MOST_BYTES: usize = 64 << 10;

/// The longest value of one fact, in bytes.
const MOST_VALUE: usize = 512;

/// More entries than any folder has that is looked into.
const MOST_NAMES: usize = 8_192;

/// The folder beneath which `proc` and `sys` lie: `/`, or a test's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRoot(PathBuf);

impl Default for HostRoot {
    fn default() -> HostRoot {
        HostRoot(PathBuf::from("/"))
    }
}

impl HostRoot {
    /// A root elsewhere.
    pub fn at(root: impl Into<PathBuf>) -> HostRoot {
        HostRoot(root.into())
    }

    /// At most the first `most` bytes of a file.
    pub fn head(&self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        open(&self.0.join(path))
            .and_then(|file| {
                let mut bytes = Vec::new();
                file.take(most as u64).read_to_end(&mut bytes).map(|_| bytes)
            })
            .map_err(|error| failed(path, &error))
    }

    /// The beginning of a text file, at most [`MOST_BYTES`] of it.
    pub fn text(&self, path: &str) -> Result<String, String> {
        let bytes = self.head(path, MOST_BYTES)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The one line of a file that holds nothing else.
    pub fn line(&self, path: &str) -> Result<String, String> {
        value(&self.text(path)?).map_err(|reason| format!("/{path} {reason}"))
    }

    /// The one line of a file, or `None` where there is no such file.
    pub fn line_if_there(&self, path: &str) -> Result<Option<String>, String> {
        match self.0.join(path).metadata() {
            Err(error) if is_absent(&error) => Ok(None),
            _ => self.line(path).map(Some),
        }
    }

    /// The whole number in a file.
    pub fn number(&self, path: &str) -> Result<u64, String> {
        let line = self.line(path)?;
        line.parse().map_err(|_| format!("/{path} holds {line:?}, which is no whole number"))
    }

    /// The value after `key` and a colon in the first paragraph of a file.
    pub fn member(&self, path: &str, key: &str) -> Result<String, String> {
        let text = self.text(path)?;
        let mut lines = text.lines().take_while(|line| !line.trim().is_empty());
        let found = lines.find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then_some(value)
        });
        let found = found.ok_or_else(|| match text.len() >= MOST_BYTES {
            true => format!("/{path} names no {key} in its first {MOST_BYTES} bytes"),
            false => format!("/{path} names no {key}"),
        })?;
        value(found).map_err(|reason| format!("{key} in /{path} {reason}"))
    }

    /// The names in a folder, sorted.
    pub fn names(&self, path: &str) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(self.0.join(path)).map_err(|error| failed(path, &error))?;
        let mut names = Vec::new();
        for entry in entries.take(MOST_NAMES) {
            let entry = entry.map_err(|error| failed(path, &error))?;
            names.extend(entry.file_name().into_string().ok());
        }
        names.sort_unstable();
        Ok(names)
    }
}

fn open(path: &Path) -> io::Result<File> {
    // A pipe without a writer would be waited for.
    let flags = nix::fcntl::OFlag::O_NONBLOCK.bits();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn failed(path: &str, error: &io::Error) -> String {
    if is_absent(error) {
        return format!("there is no /{path}");
    }
    format!("/{path}: {error}")
}

/// A text as the value of a fact.
fn value(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    match text {
        "" => Err("is empty"),
        _ if text.len() > MOST_VALUE => Err("is too long to be one value"),
        _ if text.contains(|letter: char| letter.is_control() || letter == '\u{fffd}') => {
            Err("is not one line of text")
        }
        _ => Ok(text.to_owned()),
    }
}
