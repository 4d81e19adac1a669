//! Small Git repositories for the tests.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository in a temporary folder, with a worktree.
pub struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    pub fn new() -> Repository {
        let repository = Repository { folder: tempfile::tempdir().expect("a temporary folder") };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let full = self.path().join(path);
        std::fs::create_dir_all(full.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(&full, bytes).expect("the file can be written");
        full
    }

    /// Commits everything; the commit.
    pub fn commit(&self) -> String {
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=tree"]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(self.path(), arguments)
    }
}

/// Runs Git in `folder` as anyone would, for what it does rather than for what it says.
pub fn try_git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git").args(arguments).current_dir(folder).output();
    status.expect("git runs");
}

/// Runs Git in `folder`; what it prints.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([("GIT_COMMITTER_NAME", "c"), ("GIT_COMMITTER_EMAIL", "c@example.org")])
        .envs([("GIT_AUTHOR_DATE", "1700000000 +0000"), ("GIT_COMMITTER_DATE", "1700000000 +0000")])
        .env("GIT_ALLOW_PROTOCOL", "file")
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
