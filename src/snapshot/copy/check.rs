//! Whether a private copy is as it was made (specification, reference harness 7).
//!
//! A check changes nothing. Git is not started before its own files have been looked at, so what a child may have
//! planted there is said rather than run.

use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::build::{ATTRIBUTES, HEAD};
use super::private::PrivateCopy;
use crate::process::{Git, GitError};
use crate::snapshot::directory::open_regular;
use crate::text::one_line::OneLine;

/// How much is read of what Git says of a copy that is not clean.
const STATUS_LIMIT: u64 = 64 * 1024;

/// How much of the packed references is looked through; a copy has one.
const PACKED_LIMIT: u64 = 1 << 20;

/// The longest listing of the index.
pub(super) const LISTING_LIMIT: u64 = 1 << 30;

/// What `.git` does not hold: each would change what Git sees, or name programs.
const ABSENT: [&str; 10] = [
    "commondir",
    "config.worktree",
    "hooks",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
    "objects/info/http-alternates",
    "refs/replace",
    "shallow",
];

/// What Git's own files were when the copy was made.
#[derive(Debug)]
pub(super) struct Seal {
    configuration: Vec<u8>,
    /// The index that was looked through last.
    index: Mutex<Option<Stamp>>,
}

/// Which file it is, and in which state: device, number, length, and when bytes and state changed last.
type Stamp = [i128; 7];

impl Seal {
    /// Of the new copy in `folder`, with that `.git/config`.
    pub fn new(folder: &Path, configuration: Vec<u8>) -> Seal {
        Seal { configuration, index: Mutex::new(index_stamp(folder)) }
    }

    fn check(&self, folder: &Path) -> Result<(), String> {
        let own = folder.join(".git");
        if !own.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return Err("`.git` is no folder any more".into());
        }
        let kept =
            [("HEAD", HEAD), ("config", &self.configuration), ("info/attributes", ATTRIBUTES)];
        for (name, bytes) in kept {
            if !holds(&own.join(name), bytes) {
                return Err(format!("`.git/{name}` was changed"));
            }
        }
        // Git that others call may pack references, but not such.
        let packed = open_regular(&own.join("packed-refs")).and_then(|file| {
            let mut text = Vec::new();
            file.take(PACKED_LIMIT).read_to_end(&mut text).map(|_| text)
        });
        let mut lines = packed.iter().flat_map(|text| text.split(|&byte| byte == b'\n'));
        if lines.any(|line| {
            line.split(|&byte| byte == b' ').any(|word| word.starts_with(b"refs/replace/"))
        }) {
            return Err("`.git/packed-refs` replaces objects".into());
        }
        match ABSENT.iter().find(|name| own.join(name).symlink_metadata().is_ok()) {
            Some(name) => Err(format!("`.git/{name}` was added")),
            None => Ok(()),
        }
    }
}

impl PrivateCopy {
    /// Whether it is as it was made: no file changed, removed or added, but those that a `.gitignore` names, be it the
    /// tree's or one that a program has put beside its own files (the tool does so); the same commit; Git's own settings,
    /// attributes and (absent) hooks.
    ///
    /// The sentence names the first path as `git status --short` does, and says how many more there are. As for Git, a
    /// file whose length and date are what they were, and whose state last changed in the second of its making, is
    /// one that has not changed.
    pub fn check_clean(&self) -> Result<(), String> {
        if let Some(why) = self.unusable.get() {
            return Err(why.clone());
        }
        let not_clean = |what| format!("the private copy is not clean: {what}");
        if !self.folder.is_in_place() {
            return Err(not_clean("its folder was moved or replaced".to_owned()));
        }
        self.seal.check(self.path()).map_err(not_clean)?;
        // By an index that no child has ever seen: its own could say that a changed file has not.
        self.check_status(&self.own_index.git)?.map_err(not_clean)?;
        self.check_index()?.map_err(not_clean)
    }

    /// A sentence of Git's about the copy.
    pub(super) fn said(&self, why: &GitError) -> String {
        self.unnamed(&why.to_string())
    }

    fn check_status(&self, git: &Git) -> Result<Result<(), String>, String> {
        // A submodule could only be a child's: it is looked at from outside, for its own settings name programs.
        let arguments = [
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
            "--no-renames",
        ];
        let status = git.run(&arguments, STATUS_LIMIT).map_err(|why| self.said(&why))?;
        let text = String::from_utf8_lossy(&status.stdout);
        let mut head = None;
        let mut changes = Vec::new();
        // Behind the last NUL there is nothing, or a record that was cut.
        for record in text.split_inclusive('\0').filter_map(|record| record.strip_suffix('\0')) {
            match record.strip_prefix("# ") {
                Some(header) => head = head.or(header.strip_prefix("branch.oid ")),
                None => changes.push(record),
            }
        }
        if head != Some(&self.head) {
            return Ok(Err("HEAD is not the commit that was made".into()));
        }
        let Some(first) = changes.first() else { return Ok(Ok(())) };
        let more = match (changes.len() - 1, status.overflowed) {
            (0, false) => String::new(),
            (more, false) => format!(" and {more} more"),
            (more, true) => format!(" and over {more} more"),
        };
        Ok(Err(format!("`{}`{more}", OneLine(&short_form(first)))))
    }

    /// Looks through the copy's own index, which its programs see, if it is not the one last looked through: it must be of
    /// the commit, and hide no file from the status.
    fn check_index(&self) -> Result<Result<(), String>, String> {
        let stamp = index_stamp(self.path());
        let mut known = self.seal.index.lock().unwrap_or_else(PoisonError::into_inner);
        if *known == stamp {
            return Ok(Ok(()));
        }
        if let Err(why) = self.check_status(&self.git)? {
            return Ok(Err(why));
        }
        let listed = self
            .git
            .run(&["ls-files", "-v", "-z"], LISTING_LIMIT)
            .map_err(|why| self.said(&why))?;
        if listed.overflowed {
            return Ok(Err("its index lists over 1 GiB of paths".into()));
        }
        let mut entries = listed.stdout.split(|&byte| byte == 0).filter(|entry| !entry.is_empty());
        if let Some(hidden) = entries.find(|entry| !entry.starts_with(b"H ")) {
            let path = String::from_utf8_lossy(hidden.get(2..).unwrap_or_default());
            let path = OneLine(&path).to_string();
            return Ok(Err(format!("`{path}` is marked in the index as not to be looked at")));
        }
        *known = stamp;
        Ok(Ok(()))
    }
}

/// A record of `git status --porcelain=v2` as `git status --short` writes it.
fn short_form(record: &str) -> String {
    let mut fields = record.splitn(2, ' ');
    let (kind, rest) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    // How many fields stand between the two letters and the path.
    let between = match kind {
        "1" => 6,
        "u" => 8,
        "?" => return format!("?? {rest}"),
        _ => return record.to_owned(),
    };
    let mut fields = rest.splitn(between + 2, ' ');
    let letters = fields.next().unwrap_or_default().replace('.', " ");
    format!("{letters} {}", fields.last().unwrap_or_default())
}

fn index_stamp(folder: &Path) -> Option<Stamp> {
    folder.join(".git/index").symlink_metadata().ok().map(|found| stamp(&found))
}

fn stamp(of: &Metadata) -> Stamp {
    [
        of.dev().into(),
        of.ino().into(),
        of.len().into(),
        of.mtime().into(),
        of.mtime_nsec().into(),
        of.ctime().into(),
        of.ctime_nsec().into(),
    ]
}

/// Whether there is a regular file that holds exactly these bytes.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    let mut found = Vec::new();
    let read = open_regular(path)
        .and_then(|file| file.take(bytes.len() as u64 + 1).read_to_end(&mut found));
    read.is_ok() && found == bytes
}
