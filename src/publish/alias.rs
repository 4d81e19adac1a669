//! Whether two outputs would be one file, whatever they are called (section 12).
//!
//! This module only looks; it creates nothing.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::PublishError;
use super::file::folder_of;

/// The most symbolic links that a name may lead through; the kernel's own bound.
pub const MAX_LINKS: usize = 40;

/// The file that writing to `path` would reach: its folder made absolute, final symbolic links followed, those that
/// lead nowhere too. The folder must exist.
pub fn resolve(path: &Path) -> Result<PathBuf, PublishError> {
    let mut here = path.to_owned();
    for _ in 0..=MAX_LINKS {
        let folder = folder_of(&here)?;
        let folder = fs::canonicalize(folder)
            .map_err(|error| PublishError::io("write in", folder, error))?;
        let name = here.file_name().unwrap_or_default();
        let full = folder.join(name);
        match fs::symlink_metadata(&full) {
            Ok(found) if found.is_symlink() => {
                let target = fs::read_link(&full)
                    .map_err(|error| PublishError::io("read the link", &full, error))?;
                here = folder.join(target);
            }
            Ok(_) => return Ok(full),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(full),
            Err(error) => return Err(PublishError::io("look at", &full, error)),
        }
    }
    Err(PublishError::TooManyLinks(path.to_owned()))
}

/// One output and where it would go.
struct Output<'a> {
    purpose: &'a str,
    path: PathBuf,
    /// Device and inode of what is there already.
    inode: Option<(u64, u64)>,
}

/// Refuses outputs of which two are the same file, by resolved path or by inode. Each comes with what it is for, as
/// the reader knows it (`--registration`). To be asked before work starts and again before the result is written:
/// the names may have changed meaning.
pub fn distinct(outputs: &[(&str, &Path)]) -> Result<(), PublishError> {
    let mut seen: Vec<Output> = Vec::with_capacity(outputs.len());
    for (purpose, path) in outputs {
        let path = resolve(path)?;
        let inode = fs::metadata(&path).ok().map(|found| (found.dev(), found.ino()));
        let same =
            |other: &&Output| other.path == path || (inode.is_some() && other.inode == inode);
        if let Some(first) = seen.iter().find(same) {
            return Err(PublishError::Same {
                first: first.purpose.to_owned(),
                second: (*purpose).to_owned(),
            });
        }
        seen.push(Output { purpose, path, inode });
    }
    Ok(())
}
