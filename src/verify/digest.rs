//! SHA-256 of what a run would read.
//!
//! A chunk file's digest is that of its bytes. A folder or a clone is digested as the lines that `sha256sum` prints for
//! its files in bytewise order of their paths, so that for a folder without Git's own, links and unsafe names
//!
//! ```text
//! find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
//! ```
//!
//! prints the same digest, and a folder and a clone of one commit have one digest where they hold the same files.

use sha2::{Digest, Sha256};

use crate::snapshot::{SnapshotError, Tree};
use crate::text::hex::hex;

/// The digest of a tree's files; every one of them is read.
pub fn tree_digest(tree: &mut dyn Tree) -> Result<String, SnapshotError> {
    let mut digest = Sha256::new();
    let mut bytes = Vec::new();
    for file in 0..tree.len() {
        tree.read(file, &mut bytes)?;
        digest.update(line(&hex(Sha256::digest(&bytes)), tree.path(file)));
    }
    Ok(hex(digest.finalize()))
}

/// A line of `sha256sum`, which escapes what would make it ambiguous and says so by a leading backslash.
fn line(digest: &str, path: &str) -> String {
    if !path.contains(['\\', '\n', '\r']) {
        return format!("{digest}  {path}\n");
    }
    let path = path.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
    format!("\\{digest}  {path}\n")
}
