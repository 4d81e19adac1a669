//! The guard: a small process of our own that runs the tool's calls and outlives neither them nor us.
//!
//! Every call is made through it, one at a time. It is the parent of all that a call starts, adopted children too, so when
//! a call ends nothing of it is left, and when the run dies, however it dies, the guard sees the end of its stream and
//! ends the call. It holds the executable open: what was digested is what is executed. It is this program, started anew
//! with [`WORD`], because a process with one small thread can be forked cheaply and soundly.
//!
//! This is the run's side; `guarding` and `running` are the guard's.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::call::{Call, Ended, Finished};
use super::living::{self, Kind};
use super::scratch::Scratch;
use super::wire;

/// The program's only argument when it is to be a guard.
pub const WORD: &str = "__guard";

/// How much longer than a call's bound the guard may take to answer: to kill, to reap, to hand over.
const GRACE: Duration = Duration::from_secs(15);

/// How long a guard may take to open and digest an executable.
const OPENING: Duration = Duration::from_secs(120);

/// What a guard executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    /// SHA-256 of the open file.
    pub open: String,
    /// SHA-256 of what is at its path now.
    pub at_path: String,
}

/// Why there is no guard, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardError(pub String);

impl fmt::Display for GuardError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for GuardError {}

/// A running guard that holds an executable open.
#[derive(Debug)]
pub struct Guard {
    executable: PathBuf,
    /// `None` once it is gone.
    running: Option<Running>,
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
    sha256: String,
    /// Whether something that a call started may still be at work.
    leaves_something: bool,
}

#[derive(Debug)]
struct Running {
    stream: UnixStream,
    child: Child,
}

impl Guard {
    /// Starts one for the executable at an absolute path, with exactly this environment. `program` is this program's own
    /// file; `scratch` stays locked until the guard is gone.
    pub fn start(
        program: &Path,
        executable: &Path,
        environment: Vec<(OsString, OsString)>,
        scratch: &Scratch,
    ) -> Result<Guard, GuardError> {
        let mut guard = Guard {
            executable: executable.to_owned(),
            running: None,
            program: program.to_owned(),
            environment,
            sha256: String::new(),
            leaves_something: false,
        };
        guard.sha256 = guard.run(scratch)?;
        Ok(guard)
    }

    /// SHA-256 of the executable, in lowercase hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Digests the executable again.
    pub fn measure(&mut self, scratch: &Scratch) -> Result<Digests, GuardError> {
        self.ensure_running(scratch)?;
        let reply = self.ask(&[b"measure"], OPENING).map_err(|why| GuardError(why.to_string()))?;
        match reply.as_slice() {
            [open, at_path] => Ok(Digests { open: text(open), at_path: text(at_path) }),
            _ => Err(GuardError(reply.first().map_or_else(String::new, |why| text(why)))),
        }
    }

    /// Runs the executable to its end, and whatever it starts. Where the last call took the guard with it there is a
    /// new one, over the same bytes.
    pub fn call(&mut self, call: &Call, scratch: &Scratch) -> Finished {
        if let Err(why) = self.ensure_running(scratch) {
            return Finished::without_output(Ended::NotStarted(why.0));
        }
        if call.arguments.iter().any(|argument| argument.as_bytes().contains(&0)) {
            let why = "an argument holds a NUL, which no command line can".to_owned();
            return Finished::without_output(Ended::NotStarted(why));
        }
        let number = |n: u64| n.to_le_bytes();
        let timeout = u64::try_from(call.timeout.as_nanos()).unwrap_or(u64::MAX);
        let (timeout, out, err) =
            (number(timeout), number(call.stdout_limit), number(call.stderr_limit));
        let count = number(call.arguments.len() as u64);
        let mut parts: Vec<&[u8]> = vec![b"call", &timeout, &out, &err, &count];
        parts.extend(call.arguments.iter().map(|argument| argument.as_bytes()));
        for (name, value) in &call.variables {
            parts.extend([name.as_bytes(), value.as_bytes()]);
        }
        match self.ask(&parts, call.timeout.saturating_add(GRACE)).map(Finished::from_parts) {
            Ok(Some(finished)) => {
                self.leaves_something |= finished.left_running;
                finished
            }
            Ok(None) => Finished::without_output(Ended::Lost("its guard answered nonsense".into())),
            Err(why) => {
                let why = match why.kind() {
                    io::ErrorKind::UnexpectedEof => "it was killed or has ended".to_owned(),
                    _ => why.to_string(),
                };
                let lost =
                    Finished::without_output(Ended::Lost(format!("its guard is gone: {why}")));
                Finished { left_running: self.leaves_something, ..lost }
            }
        }
    }

    /// Starts a new process where the last call took the old one with it. It must find the same bytes.
    fn ensure_running(&mut self, scratch: &Scratch) -> Result<(), GuardError> {
        if self.running.is_some() || self.run(scratch)? == self.sha256 {
            return Ok(());
        }
        self.end();
        Err(GuardError(format!("{} is not the file that it was", self.executable.display())))
    }

    /// Starts the process and has it open the executable; the digest of that.
    fn run(&mut self, scratch: &Scratch) -> Result<String, GuardError> {
        let failed =
            |why: io::Error| GuardError(format!("the guard of its calls cannot be started: {why}"));
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let lock = scratch.lock().map_err(failed)?;
        let mut command = Command::new(&self.program);
        command
            .arg(WORD)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        // Its own group, so that a key pressed at the terminal reaches us alone. Standard output stands for the lock.
        command
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(lock));
        let child = living::start(Kind::Guard, || command.spawn()).map_err(failed)?;
        drop(command);
        self.running = Some(Running { stream: ours, child });
        let path = self.executable.clone();
        let reply = self.ask(&[b"open", path.as_os_str().as_bytes()], OPENING).map_err(failed)?;
        let refused = match reply.as_slice() {
            [done, sha256] if done == b"opened" => return Ok(text(sha256)),
            [_, why] => text(why),
            _ => "the guard of its calls answered nonsense".into(),
        };
        self.end();
        Err(GuardError(refused))
    }

    /// Sends a message and waits for the answer. A guard that gives none is ended.
    fn ask(&mut self, parts: &[&[u8]], patience: Duration) -> io::Result<Vec<Vec<u8>>> {
        let Some(running) = &mut self.running else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let answer = running
            .stream
            .set_read_timeout(Some(patience))
            .and_then(|()| running.stream.set_write_timeout(Some(patience)))
            .and_then(|()| wire::send(&mut running.stream, parts))
            .and_then(|()| wire::receive(&mut running.stream));
        if answer.is_err() {
            self.end();
            // Of a guard that died before its time the call's processes are ours now.
            self.leaves_something = !living::end_adopted();
        }
        answer
    }

    fn end(&mut self) {
        let Some(Running { stream, mut child }) = self.running.take() else { return };
        drop(stream);
        living::await_end_within(&child, GRACE);
        let _ = child.kill();
        living::await_end(&child);
        let _ = living::reap(&mut child);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.end();
        if self.leaves_something {
            living::end_adopted();
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
