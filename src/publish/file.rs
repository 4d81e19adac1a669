//! Writing a file once.
//!
//! Invariants: an existing file, folder or symbolic link (dangling too) is refused, never replaced; a reader sees all
//! of the file or none of it, whenever the writer dies; when [`publish`] returns, bytes and name are on the disk.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use nix::unistd::linkat;

use super::error::PublishError;

/// What every published file's mode is before the umask.
const MODE: u32 = 0o644;

/// Writes `bytes` to a file that gets the path's name when it is whole. Until then it has none, where the file system
/// can do that, so that nothing is left behind of a writer that is killed.
pub fn publish(path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    let folder = folder_of(path)?;
    match File::options().write(true).mode(MODE).custom_flags(OFlag::O_TMPFILE.bits()).open(folder)
    {
        Ok(file) => {
            fill(&file, path, bytes)?;
            let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
            linkat(AT_FDCWD, unnamed.as_str(), AT_FDCWD, path, AtFlags::AT_SYMLINK_FOLLOW)
                .map_err(|error| refused("create", path, error.into()))?;
        }
        Err(_) => publish_renamed(path, folder, bytes)?,
    }
    sync_folder(folder)
}

/// Writes the file beside the path under another name first.
fn publish_renamed(path: &Path, folder: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    let file = tempfile::Builder::new()
        .prefix(".retrieval-bench-")
        .permissions(Permissions::from_mode(MODE))
        .tempfile_in(folder)
        .map_err(|error| PublishError::io("write beside", path, error))?;
    fill(file.as_file(), path, bytes)?;
    file.persist_noclobber(path).map_err(|failure| refused("create", path, failure.error))?;
    Ok(())
}

fn fill(mut file: &File, path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(|error| PublishError::io("write beside", path, error))
}

/// Refuses a path at which [`publish`] could not create a file, so that a long run is not refused
/// at its end: something is there, or the folder is not.
pub fn ensure_vacant(path: &Path) -> Result<(), PublishError> {
    let folder = folder_of(path)?;
    let found =
        fs::metadata(folder).map_err(|error| PublishError::io("write in", folder, error))?;
    if !found.is_dir() {
        return Err(PublishError::io("write in", folder, io::ErrorKind::NotADirectory.into()));
    }
    match fs::symlink_metadata(path) {
        Ok(_) => Err(PublishError::Exists(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(PublishError::io("look at", path, error)),
    }
}

/// The folder that holds the file.
pub(super) fn folder_of(path: &Path) -> Result<&Path, PublishError> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(_)) if folder.as_os_str().is_empty() => Ok(Path::new(".")),
        (Some(folder), Some(_)) => Ok(folder),
        _ => Err(PublishError::NoName(path.to_owned())),
    }
}

fn refused(doing: &'static str, path: &Path, error: io::Error) -> PublishError {
    if error.kind() == io::ErrorKind::AlreadyExists {
        PublishError::Exists(path.to_owned())
    } else {
        PublishError::io(doing, path, error)
    }
}

/// A name is durable only once its folder is.
fn sync_folder(folder: &Path) -> Result<(), PublishError> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| PublishError::io("sync", folder, error))
}
