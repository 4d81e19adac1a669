//! Bounded calls of Git on repositories that are not trusted.
//!
//! The environment is ours (specification, reference harness 14.9): no `GIT_*` is inherited, no global or system
//! configuration is read, and of a repository's own configuration nothing that names a program is followed: file
//! system monitor, hooks, filters, transports. Nothing is written to a repository, but to one that [`Git::init`] made.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::group::Group;
use super::lookup;

/// How much of standard error is kept for the message.
const STDERR_LIMIT: u64 = 64 * 1024;

/// What overrides the configuration of the repository.
const SETTINGS: [&str; 7] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "protocol.allow=never",
    "safe.directory=*",
];

/// What replaces the inherited `GIT_*`.
const ENVIRONMENT: [(&str, &str); 12] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    // For Git before 2.32, which does not know that.
    ("HOME", "/dev/null"),
    ("XDG_CONFIG_HOME", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // Stronger than `protocol.allow`, which a repository can override for one protocol: none is allowed.
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_CEILING_DIRECTORIES", "/"),
    ("LC_ALL", "C"),
];

/// Why a call of Git has no answer, as a sentence that begins with the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitError {
    /// The command, such as `git ls-tree`.
    pub command: String,
    /// What happened.
    pub reason: String,
}

impl fmt::Display for GitError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` {}", self.command, self.reason)
    }
}

impl std::error::Error for GitError {}

/// What a call printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Standard output, at most the limit of the call.
    pub stdout: Vec<u8>,
    /// Whether there was more; the call was then killed.
    pub overflowed: bool,
}

/// A repository, and how long one call on it may take.
#[derive(Clone, Debug)]
pub struct Git {
    folder: PathBuf,
    has_worktree: bool,
    timeout: Duration,
    settings: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
}

impl Git {
    /// Makes a repository in `folder`, which has none: empty, of SHA-1 objects, on a branch that is yet to be born,
    /// without hooks or anything else of a template.
    pub fn init(folder: &Path, branch: &str, timeout: Duration) -> Result<Git, GitError> {
        // Named before it is there, so that it cannot be anywhere else.
        let mut git = Git { has_worktree: true, ..Git::at(folder, timeout) };
        // Not as options, which older versions do not know.
        git.set_variables(&[("GIT_DEFAULT_HASH", "sha1"), ("GIT_DEFAULT_REF_FORMAT", "files")]);
        let branch = format!("--initial-branch={branch}");
        git.run(&["init", "--quiet", "--template=", &branch], STDERR_LIMIT)?;
        Ok(git)
    }

    /// The repository at `folder`: a worktree if it holds a `.git`, else a bare repository. Nothing is looked at yet.
    pub fn at(folder: &Path, timeout: Duration) -> Git {
        let has_worktree = folder.join(".git").symlink_metadata().is_ok();
        let (settings, variables) = (Vec::new(), Vec::new());
        Git { folder: folder.to_owned(), has_worktree, timeout, settings, variables }
    }

    /// Overrides one setting of the repository in later calls.
    pub fn set(&mut self, setting: impl Into<OsString>) {
        self.settings.push(setting.into());
    }

    /// Adds to the environment of later calls.
    pub fn set_variables(&mut self, variables: &[(&str, &str)]) {
        variables.iter().for_each(|(name, value)| self.set_variable(name, value));
    }

    /// Adds one variable to the environment of later calls.
    pub fn set_variable(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.variables.push((name.into(), value.as_ref().to_owned()));
    }

    /// Runs `git ARGUMENTS` to its end, reading at most `limit` bytes of what it prints.
    pub fn run(&self, arguments: &[&str], limit: u64) -> Result<Output, GitError> {
        let error = |reason| self.error(arguments, reason);
        let mut command = self.command(arguments);
        let mut group = Group::spawn(&mut command, self.timeout)
            .map_err(|why| error(format!("could not be started: {why}")))?;
        let (stdout, stderr) = (group.child().stdout.take(), group.child().stderr.take());
        let messages = std::thread::spawn(move || read_messages(stderr));
        let mut output = Output { stdout: Vec::new(), overflowed: false };
        let read = stdout.map_or(Ok(0), |pipe| {
            pipe.take(limit.saturating_add(1)).read_to_end(&mut output.stdout)
        });
        output.overflowed = output.stdout.len() as u64 > limit;
        if output.overflowed {
            output.stdout.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            group.kill();
        }
        let status = group.wait();
        let messages = messages.join().unwrap_or_default();
        let status = status.map_err(|why| error(format!("could not be waited for: {why}")))?;
        read.map_err(|why| error(format!("could not be read: {why}")))?;
        match status {
            None => Err(error(self.too_slow())),
            Some(status) if !output.overflowed && !status.success() => {
                let said = if messages.is_empty() { status.to_string() } else { messages };
                Err(error(format!("failed: {said}")))
            }
            Some(_) => Ok(output),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(lookup::git());
        let inherited = std::env::vars_os().map(|(name, _)| name);
        for name in inherited.filter(|name| name.as_encoded_bytes().starts_with(b"GIT_")) {
            command.env_remove(name);
        }
        command.envs(ENVIRONMENT).envs(self.variables.iter().map(|(name, value)| (name, value)));
        // Named outright, so that Git neither searches parent folders nor follows `core.worktree`.
        if self.has_worktree {
            command.args(["--git-dir=.git", "--work-tree=."]);
        } else {
            command.args(["--git-dir=.", "--bare"]);
        }
        command.arg("--no-pager");
        let settings =
            SETTINGS.iter().map(OsStr::new).chain(self.settings.iter().map(OsString::as_os_str));
        for setting in settings {
            command.arg("-c").arg(setting);
        }
        command.args(arguments).current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn error(&self, arguments: &[&str], reason: String) -> GitError {
        let verb = arguments.first().copied().unwrap_or_default();
        GitError { command: format!("git -C {} {verb}", self.folder.display()), reason }
    }

    fn too_slow(&self) -> String {
        format!("did not end within {} s and was killed", self.timeout.as_secs_f64())
    }
}

/// A `git cat-file --batch` that answers one request after another.
#[derive(Debug)]
pub struct CatFile {
    git: Git,
    // Before the group, so that Git sees the end of its input before it is killed.
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    group: Group,
    line: Vec<u8>,
}

impl CatFile {
    const COMMAND: [&str; 2] = ["cat-file", "--batch"];

    /// Starts it on `git`.
    pub fn open(git: &Git) -> Result<CatFile, GitError> {
        let failed =
            |why: io::Error| git.error(&CatFile::COMMAND, format!("could not be started: {why}"));
        let mut command = git.command(&CatFile::COMMAND);
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut group = Group::spawn(&mut command, git.timeout).map_err(failed)?;
        group.set_busy(false);
        let (requests, answers) = (group.child().stdin.take(), group.child().stdout.take());
        let (Some(requests), Some(answers)) = (requests, answers) else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        let answers = BufReader::with_capacity(64 * 1024, answers);
        Ok(CatFile { git: git.clone(), requests, answers, group, line: Vec::new() })
    }

    /// Puts the bytes of the blob `object` (its id in hexadecimal), `size` of them, into `into`, which is cleared
    /// first. After an error the process answers no more.
    pub fn read(&mut self, object: &str, size: u64, into: &mut Vec<u8>) -> Result<(), GitError> {
        self.group.set_busy(true);
        let read = self.ask(object, size, into);
        self.group.set_busy(false);
        read.map_err(|why| {
            let reason = if self.group.expired() { self.git.too_slow() } else { why };
            self.group.kill();
            self.git.error(&CatFile::COMMAND, reason)
        })
    }

    fn ask(&mut self, object: &str, size: u64, into: &mut Vec<u8>) -> Result<(), String> {
        let broken = |why: io::Error| format!("broke off at {object}: {why}");
        into.clear();
        self.line.clear();
        self.requests.write_all(format!("{object}\n").as_bytes()).map_err(broken)?;
        // An answer starts with `ID TYPE SIZE`, or says in as short a line what is wrong.
        let mut head = (&mut self.answers).take(256);
        head.read_until(b'\n', &mut self.line).map_err(broken)?;
        let head = String::from_utf8_lossy(&self.line);
        if head.trim_end() != format!("{object} blob {size}") {
            return Err(format!(
                "answered `{}` for the blob {object} of {size} bytes",
                head.trim_end()
            ));
        }
        into.reserve(usize::try_from(size).unwrap_or(0));
        let read = (&mut self.answers).take(size).read_to_end(into).map_err(broken)?;
        let mut end = [0];
        self.answers.read_exact(&mut end).map_err(broken)?;
        if read as u64 != size || end != *b"\n" {
            return Err(format!("answered with {read} bytes for {object}, of {size}"));
        }
        Ok(())
    }
}

/// What a child says on standard error: its start, in one line.
fn read_messages(pipe: Option<impl Read>) -> String {
    let mut kept = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = (&mut pipe).take(STDERR_LIMIT).read_to_end(&mut kept);
        // The rest is drained so that the child is not stopped by a full pipe.
        let _ = io::copy(&mut pipe, &mut io::sink());
    }
    let text = String::from_utf8_lossy(&kept);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}
