//! Outputs that must not be one another, nor an input (reference section 12, aliasing).
//!
//! A destination is resolved through its parents and its own symbolic links, dangling ones too, and compared with the
//! others by path and, where it exists, by inode. Nothing is created or opened here; the answer holds for the moment.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::cli::CliError;

/// The most symbolic links a destination may lead through.
const MAX_LINKS: usize = 40;

/// A file that a flag names, where it really lies.
struct Place<'a> {
    flag: &'static str,
    typed: &'a Path,
    real: PathBuf,
    inode: Option<(u64, u64)>,
}

/// Refuses `outputs` that cannot be files, and any two of `outputs` and `inputs` that are the same file (two inputs
/// aside). An input that does not exist is left to its reader.
pub fn check(
    outputs: &[(&'static str, Option<&Path>)],
    inputs: &[(&'static str, &Path)],
) -> Result<(), CliError> {
    let mut places: Vec<Place> = Vec::new();
    for (flag, typed) in inputs {
        if let Ok(real) = fs::canonicalize(typed) {
            let inode = inode(&real);
            places.push(Place { flag, typed, real, inode });
        }
    }
    for (flag, typed) in outputs.iter().filter_map(|(flag, path)| path.map(|path| (*flag, path))) {
        let real = resolve(typed)
            .map_err(|error| CliError::refused(format!("{flag} {}: {error}", typed.display())))?;
        if real.is_dir() {
            let typed = typed.display();
            return Err(CliError::refused(format!("{flag} {typed} is a folder; name a file")));
        }
        let inode = inode(&real);
        let place = Place { flag, typed, real, inode };
        let same = |other: &&Place| {
            other.real == place.real || (place.inode.is_some() && other.inode == place.inode)
        };
        if let Some(other) = places.iter().find(same) {
            return Err(CliError::refused(format!(
                "{} {} and {} {} must name distinct files",
                other.flag,
                other.typed.display(),
                place.flag,
                place.typed.display()
            )));
        }
        places.push(place);
    }
    Ok(())
}

fn inode(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// The absolute path at which a write to `path` would land. Its parent must exist; the file need not.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..=MAX_LINKS {
        let Some(name) = path.file_name() else {
            // `/` and paths that end in `..` have no name; they are folders, and the caller says so.
            return fs::canonicalize(&path);
        };
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let real = fs::canonicalize(parent).map_err(|error| {
            io::Error::new(error.kind(), format!("folder {}: {error}", parent.display()))
        })?;
        let here = real.join(name);
        match fs::read_link(&here) {
            // `join` with an absolute target gives the target.
            Ok(target) => path = real.join(target),
            Err(_) => return Ok(here),
        }
    }
    Err(io::Error::other(format!("more than {MAX_LINKS} symbolic links")))
}
