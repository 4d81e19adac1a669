//! A tree's files on disk, and the one commit of them.
//!
//! What is written depends on the tree alone: modes, times and the commit's id are the same whatever the umask, the
//! clock, the user's settings and the tree's own attributes are (specification, reference harness 14.3 and 14.9).
//! Nothing is ever written through a link or over a file.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use nix::fcntl::OFlag;

use super::folder::Folder;
use crate::dataset::SnapshotKey;
use crate::process::{Git, GitError, stop};
use crate::snapshot::tree::{SnapshotError, Tree};
use crate::text::one_line::OneLine;
use crate::text::safe_path::why_unsafe;

/// The date of every file, in seconds since 1970: long before Git's index of them, so that Git never has to read a file to
/// see that it has not changed.
const DATE: u64 = 946_684_800;

/// The branch of the one commit.
const BRANCH: &str = "main";

/// What `.git/HEAD` holds.
pub(super) const HEAD: &[u8] = b"ref: refs/heads/main\n";

/// The attributes that come before all others: no byte is converted, no driver of the tree's or the user's choice is
/// run. (`-working-tree-encoding` would not do: Git dies of it.)
pub(super) const ATTRIBUTES: &[u8] =
    b"* -text !eol !crlf -ident -filter !working-tree-encoding !diff !merge\n";

/// What the copy's configuration says before the user's is asked, for Git that others call in it. A path that only
/// another file system would take for `.git` has been written to this one as what it is.
const CONFIGURATION: &[u8] = b"[core]
\tfsmonitor = false
\thooksPath = /dev/null
\tignorecase = false
\tprecomposeunicode = false
\tuntrackedCache = false
\tprotectNTFS = false
\tprotectHFS = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
";

/// Who commits, and when.
const IDENTITY: [(&str, &str); 7] = [
    ("GIT_AUTHOR_NAME", "retrieval-bench"),
    ("GIT_AUTHOR_EMAIL", "bench@localhost"),
    ("GIT_AUTHOR_DATE", "@946684800 +0000"),
    ("GIT_COMMITTER_NAME", "retrieval-bench"),
    ("GIT_COMMITTER_EMAIL", "bench@localhost"),
    ("GIT_COMMITTER_DATE", "@946684800 +0000"),
    ("GIT_EDITOR", ":"),
];

/// How much Git may print of what should print next to nothing.
const SAID_LIMIT: u64 = 64 * 1024;

/// Writes every file of `tree` into `folder`.
pub(super) fn write(
    key: &SnapshotKey,
    tree: &mut dyn Tree,
    folder: &Folder,
) -> Result<(), SnapshotError> {
    let mut bytes = Vec::new();
    let mut before = String::new();
    for file in 0..tree.len() {
        // Nothing is put back that the end of the program has removed.
        stop::checkpoint();
        tree.read(file, &mut bytes)?;
        let path = tree.path(file);
        let failed = |reason: String| {
            let reason = format!("cannot be written to a private copy: {reason}");
            SnapshotError::new(key, reason)
        };
        if let Some(why) = why_unsafe(path) {
            return Err(failed(format!("this path {why}: `{}`", OneLine(path))));
        }
        make_folders(folder.path(), &before, path)
            .and_then(|()| write_file(&folder.path().join(path), &bytes))
            .map_err(|why| failed(unwritable(path, &why)))?;
        before.clear();
        before.push_str(path);
    }
    Ok(())
}

/// Makes the folders above `path` that are not also above `before`, the path before it in order. What lies in a
/// folder is together in that order, so none of them may exist.
fn make_folders(root: &Path, before: &str, path: &str) -> io::Result<()> {
    for (slash, _) in path.match_indices('/') {
        if path.get(..=slash).is_none_or(|folder| before.starts_with(folder)) {
            continue;
        }
        let folder = root.join(path.get(..slash).unwrap_or_default());
        DirBuilder::new().mode(0o700).create(&folder)?;
        fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true).mode(0o600).custom_flags(OFlag::O_NOFOLLOW.bits());
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.set_permissions(Permissions::from_mode(0o644))?;
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(DATE))
}

/// Why a file could not be written. Its path comes last, for the sentence may be cut behind it.
fn unwritable(path: &str, why: &io::Error) -> String {
    let path = OneLine(path);
    match why.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory | ErrorKind::IsADirectory => format!(
            "its file system does not tell all paths apart ({why}), set TMPDIR to one that does: `{path}`"
        ),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("{why}: make room, or set TMPDIR to another disk")
        }
        _ => format!("{why}: `{path}`"),
    }
}

/// The repository of a copy.
#[derive(Debug)]
pub(super) struct Committed {
    /// Bounded calls on it.
    pub git: Git,
    /// The one commit, in hexadecimal.
    pub head: String,
    /// What `.git/config` holds.
    pub configuration: Vec<u8>,
}

/// Commits what lies in `folder`, `timeout` for each call of Git; why not, in a sentence.
pub(super) fn commit(folder: &Folder, timeout: Duration) -> Result<Committed, String> {
    let said = |why: GitError| folder.unnamed(&why.to_string());
    let own = folder.path().join(".git");
    // Whatever the paths were checked for, the file system has the last word.
    if own.symlink_metadata().is_ok() {
        return Err(
            "a path of the snapshot is Git's own folder on the file system of the private \
                    copy: set TMPDIR to another one"
                .into(),
        );
    }
    let mut git = Git::init(folder.path(), BRANCH, timeout).map_err(said)?;
    let configuration = configure(&own)
        .map_err(|why| format!("the repository of a private copy cannot be set up: {why}"))?;
    git.set_variables(&IDENTITY);
    // Objects that live as long as the copy does: neither made small nor made durable, and all in one file, for to a
    // threshold of nothing every blob is a big one, and files are what a file system is slow at.
    git.set("core.compression=0");
    git.set("core.fsync=none");
    git.set("core.bigFileThreshold=1");
    git.run(&["add", "--all"], SAID_LIMIT).map_err(said)?;
    let arguments = [
        "commit",
        "--quiet",
        "--allow-empty",
        "--no-verify",
        "--no-gpg-sign",
        "--cleanup=verbatim",
        "--message=snapshot",
    ];
    git.run(&arguments, SAID_LIMIT).map_err(said)?;
    let head = git.run(&["rev-parse", "--verify", "HEAD^{commit}"], SAID_LIMIT).map_err(said)?;
    let head = String::from_utf8_lossy(&head.stdout).trim_end().to_owned();
    Ok(Committed { git, head, configuration })
}

/// Writes our settings into the new repository at `own`; all of its configuration.
fn configure(own: &Path) -> io::Result<Vec<u8>> {
    let path = own.join("config");
    let mut configuration = fs::read(&path)?;
    configuration.extend_from_slice(CONFIGURATION);
    fs::write(&path, &configuration)?;
    let info = own.join("info");
    fs::create_dir(&info)?;
    fs::write(info.join("attributes"), ATTRIBUTES)?;
    Ok(configuration)
}
