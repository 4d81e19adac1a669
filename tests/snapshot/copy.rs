//! Private copies: what is written and committed, what a check notices, what a dirty file survives, what is left.

mod build;
mod check;
mod dirty;
mod removal;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use retrieval_bench::snapshot::{Copies, Fingerprint, PrivateCopy, SnapshotError, Tree, TreeNotes};

use super::{PATIENCE, key};

/// A copy in a scratch folder of its own.
struct Made {
    copy: PrivateCopy,
    scratch: tempfile::TempDir,
}

impl Made {
    /// A file outside the copy.
    fn outside(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// A path in the copy.
    fn at(&self, path: &str) -> PathBuf {
        self.copy.path().join(path)
    }
}

fn make(tree: &mut dyn Tree) -> Result<Made, SnapshotError> {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("copy");
    let copy = PrivateCopy::make(&Copies::new(1), &key(), tree, &folder, PATIENCE)?;
    Ok(Made { copy, scratch })
}

/// A copy of these files.
fn copy_of(files: &[(&str, &str)]) -> Made {
    make(&mut Listed::new(files)).unwrap()
}

/// A chunk file's rows of these files.
fn rows(files: &[(&str, &str)]) -> String {
    let row = |(path, text): &(&str, &str)| {
        format!("{}\n", serde_json::json!({"kind": "file", "path": path, "text": text}))
    };
    files.iter().map(row).collect()
}

/// A tree of exactly these files, in this order, whatever a tree promises.
struct Listed(Vec<(String, Vec<u8>)>);

impl Listed {
    fn new(files: &[(&str, &str)]) -> Listed {
        let file = |&(path, text): &(&str, &str)| (path.to_owned(), text.as_bytes().to_owned());
        Listed(files.iter().map(file).collect())
    }
}

impl Tree for Listed {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn notes(&self) -> TreeNotes {
        TreeNotes::default()
    }

    fn path(&self, file: usize) -> &str {
        &self.0[file].0
    }

    fn fingerprint(&mut self, _: usize) -> Result<Fingerprint, SnapshotError> {
        unreachable!("a copy reads bytes")
    }

    fn read(&mut self, file: usize, into: &mut Vec<u8>) -> Result<(), SnapshotError> {
        if self.0[file].1 == b"unreadable" {
            return Err(SnapshotError::new(&key(), "cannot be read"));
        }
        into.clone_from(&self.0[file].1);
        Ok(())
    }
}

/// Everything below a folder, and it itself: kind and mode, number, date, date of its state, and bytes or target.
pub type State = BTreeMap<PathBuf, (u32, u64, i64, i64, i64, Vec<u8>)>;

pub fn state(folder: &Path) -> State {
    let mut state = State::new();
    let mut paths = vec![folder.to_owned()];
    while let Some(path) = paths.pop() {
        let found = path.symlink_metadata().unwrap();
        let bytes = if found.is_dir() {
            paths.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            Vec::new()
        } else if found.is_symlink() {
            fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
        } else if found.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        let dates = (found.mtime(), found.mtime_nsec(), found.ctime_nsec());
        let entry = (found.mode(), found.ino(), dates.0, dates.1, dates.2, bytes);
        state.insert(path, entry);
    }
    state
}

/// Runs one test of this program again, in a process of its own behind the shell's `prelude`, which `prepare` may give
/// another environment. Its exit code, or `None` in that process.
fn again(name: &str, prelude: &str, prepare: impl Fn(&mut Command)) -> Option<i32> {
    const INSIDE: &str = "RETRIEVAL_BENCH_TEST_AGAIN";
    if std::env::var_os(INSIDE).is_some() {
        return None;
    }
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{prelude}\nexec \"$0\" \"$@\""));
    command.arg(std::env::current_exe().unwrap()).args(["--exact", name, "--nocapture"]);
    prepare(&mut command);
    let output = command.env(INSIDE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    eprint!("{said}{}", String::from_utf8_lossy(&output.stderr));
    let code = output.status.code().unwrap_or(-1);
    assert!(code != 0 || said.contains("1 passed"), "{name} is the name of a test");
    Some(code)
}

/// The same as another user than root, for whom modes matter; whether there is nothing more to do here.
fn as_nobody(name: &str) -> bool {
    use std::os::unix::process::CommandExt;

    if tempfile::tempfile().unwrap().metadata().unwrap().uid() != 0 {
        return false;
    }
    match again(name, "", |command| {
        command.uid(65_534).gid(65_534).current_dir("/");
    }) {
        None => false,
        Some(126 | 127) => {
            eprintln!("skipped: this program is nothing that others may run");
            true
        }
        Some(code) => {
            assert_eq!(code, 0);
            true
        }
    }
}
