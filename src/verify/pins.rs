//! The digests of the inputs, as a file: lines of `sha256sum`, sorted by name.
//!
//! Names are `samples`, `manifest` and `OWNER/NAME@COMMIT`, never paths: a pin says what an input is, not where it lies.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use super::finding::{Finding, Kind};

/// The name of the samples file.
pub(super) const SAMPLES: &str = "samples";
/// The name of the corpus manifest.
pub(super) const MANIFEST: &str = "manifest";

/// A SHA-256, 64 lowercase hexadecimal digits, per input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests(pub BTreeMap<String, String>);

impl fmt::Display for Digests {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, digest)| writeln!(out, "{digest}  {name}"))
    }
}

/// Why a file of digests is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinsError {
    /// The file, as the person named it.
    pub file: String,
    /// The offending line, from 1, where it is one.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub reason: String,
}

impl fmt::Display for PinsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "digest file {}", self.file)?;
        if let Some(line) = self.line {
            write!(out, ", line {line}")?;
        }
        write!(out, ": {}", self.reason)
    }
}

impl std::error::Error for PinsError {}

impl Digests {
    /// Reads a file of digests.
    pub fn read(path: &Path) -> Result<Digests, PinsError> {
        let refused = |line, reason| PinsError { file: path.display().to_string(), line, reason };
        let text = fs::read_to_string(path).map_err(|error| {
            refused(None, format!("cannot be read: {error}; name a file of --write-digests"))
        })?;
        let mut digests = Digests::default();
        for (index, line) in text.lines().enumerate() {
            let (digest, name) = pin(line).ok_or_else(|| {
                let reason = "not a SHA-256 in 64 hexadecimal digits, two spaces and a name";
                refused(Some(index + 1), reason.to_owned())
            })?;
            if digests.0.insert(name.to_owned(), digest).is_some() {
                let reason = format!("{name:?} is named twice; keep one line of it");
                return Err(refused(Some(index + 1), reason));
            }
        }
        Ok(digests)
    }

    /// What differs between these pins, read from `file`, and the inputs, of which those that cannot be read are named
    /// in `unreadable`. In order of names.
    pub(super) fn compare(
        &self,
        file: &str,
        inputs: &Digests,
        unreadable: &BTreeSet<String>,
    ) -> Vec<Finding> {
        let names: BTreeSet<&String> = self.0.keys().chain(inputs.0.keys()).collect();
        let found = names.into_iter().filter_map(|name| {
            let (kind, what) = match (self.0.get(name), inputs.0.get(name)) {
                (Some(pin), Some(digest)) if pin == digest => return None,
                (Some(pin), Some(digest)) => {
                    (Kind::DigestDiffers, format!("pinned in {file} as {pin}, but it is {digest}"))
                }
                (Some(_), None) if unreadable.contains(name) => {
                    (Kind::DigestMissing, format!("pinned in {file}, but it cannot be read"))
                }
                (Some(_), None) => (
                    Kind::DigestMissing,
                    format!("pinned in {file}, but these inputs neither have nor need it"),
                ),
                (None, digest) => {
                    let digest = digest.map(String::as_str).unwrap_or_default();
                    (Kind::DigestUnnamed, format!("not pinned in {file}; it is {digest}"))
                }
            };
            Some(Finding::new(kind, name, what))
        });
        found.collect()
    }
}

/// The digest, in lower case, and the name of a line.
fn pin(line: &str) -> Option<(String, &str)> {
    let (digest, name) = line.split_at_checked(64)?;
    // `sha256sum` marks a file read in binary mode with an asterisk.
    let name = name.strip_prefix("  ").or_else(|| name.strip_prefix(" *"))?;
    let is_hex = digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hex && !name.is_empty()).then(|| (digest.to_ascii_lowercase(), name))
}
