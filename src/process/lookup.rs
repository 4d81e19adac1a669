//! Where a program is.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;

use nix::unistd::{AccessFlags, access};

/// The executable of that name in PATH, as the shell would find it, but in absolute folders alone: a relative one, or an
/// empty one, is wherever the program happens to be, which may be a tree that nobody trusts.
pub fn in_path(name: &OsStr) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_executable = |path: &PathBuf| path.is_file() && access(path, AccessFlags::X_OK).is_ok();
    std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute() && !name.is_empty())
        .map(|folder| folder.join(name))
        .find(is_executable)
}

/// Git. Where there is none the name is left for the error to say.
pub(super) fn git() -> &'static OsStr {
    static GIT: OnceLock<PathBuf> = OnceLock::new();
    GIT.get_or_init(|| in_path(OsStr::new("git")).unwrap_or_else(|| "/no-git-in-PATH/git".into()))
        .as_os_str()
}
