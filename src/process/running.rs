//! A call on its way, inside the guard: read its pipes, keep its bounds, end it and all that it started.
//!
//! Invariants: when a call has come to its end its leader is reaped and nothing that it started is left, as far as that
//! is in our power; the group is signalled only while its leader is unreaped.

use std::collections::BTreeSet;
use std::ffi::{CString, OsString};
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;

use super::call::{Ended, Finished};
use super::events::Events;
use super::executable::Executable;
use super::{fork, reap};

/// How long the processes of a call may take to die once they are killed.
const DYING: Duration = Duration::from_secs(5);

/// How much is read of a pipe at once, and how often in a row: time and limits are looked at in between.
const PIECE: usize = 64 << 10;
const PIECES: usize = 16;

/// A call as it was sent.
#[derive(Debug)]
pub(super) struct Request {
    timeout: Duration,
    stdout_limit: usize,
    stderr_limit: usize,
    arguments: Vec<CString>,
    variables: Vec<(OsString, OsString)>,
}

impl Request {
    /// From the parts of a message.
    pub fn read(parts: &[Vec<u8>]) -> Option<Request> {
        let [timeout, out, err, count, rest @ ..] = parts else { return None };
        let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
        let size = |bytes: &[u8]| usize::try_from(number(bytes)?).ok();
        let (arguments, variables) = rest.split_at_checked(size(count)?)?;
        let (pairs, []) = variables.as_chunks::<2>() else { return None };
        let owned = |bytes: &Vec<u8>| OsString::from_vec(bytes.clone());
        let arguments = arguments.iter().map(|bytes| CString::new(bytes.clone()).ok());
        Some(Request {
            timeout: Duration::from_nanos(number(timeout)?),
            stdout_limit: size(out)?,
            stderr_limit: size(err)?,
            arguments: arguments.collect::<Option<_>>()?,
            variables: pairs.iter().map(|[name, value]| (owned(name), owned(value))).collect(),
        })
    }

    /// The guard's own environment with the call's variables, as `NAME=VALUE`.
    fn environment(&self) -> Vec<CString> {
        let is_set = |name: &OsString| self.variables.iter().any(|(set, _)| set == name);
        let own = std::env::vars_os().filter(|(name, _)| !is_set(name));
        let all = own.chain(self.variables.iter().cloned());
        let joined = all.map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            name.into_vec()
        });
        joined.filter_map(|bytes| CString::new(bytes).ok()).collect()
    }
}

/// A call on its way.
#[derive(Debug)]
pub(super) struct Running {
    leader: Pid,
    stdout: Pipe,
    stderr: Pipe,
}

impl Running {
    /// Executes the file.
    pub fn start(executable: &Executable, request: &Request) -> io::Result<Running> {
        let (stdout, stdout_end) = Pipe::new(request.stdout_limit)?;
        let (stderr, stderr_end) = Pipe::new(request.stderr_limit)?;
        let arguments: Vec<CString> =
            [executable.name()].into_iter().chain(&request.arguments).cloned().collect();
        let environment = request.environment();
        let image = executable.image()?;
        let leader = fork::start(&image, &arguments, &environment, stdout_end, stderr_end)?;
        Ok(Running { leader, stdout, stderr })
    }

    /// Reads and waits until the leader has ended or has to, and then ends the rest. An error is the end of the
    /// stream or a signal: everything of the call has ended then, too. What earlier calls have left `beyond` our power is
    /// not this one's.
    pub fn finish(
        mut self,
        request: &Request,
        stream: &UnixStream,
        events: &Events,
        beyond: &mut BTreeSet<Pid>,
    ) -> io::Result<Finished> {
        let watched = self.watch(request, stream, events);
        let (status, left_running) = self.end(beyond);
        let ours = watched?;
        // Whoever could write is dead; what they wrote is in the pipes.
        while self.stdout.read()? | self.stderr.read()? {}
        let ours = ours.or(self.stdout.overflowed.then(|| self.too_much()));
        Ok(Finished {
            ended: ours.unwrap_or(status),
            stdout: self.stdout.kept,
            stderr: self.stderr.kept,
            stderr_cut: self.stderr.overflowed,
            left_running,
        })
    }

    /// Until the leader has ended, or a bound is passed: which.
    fn watch(
        &mut self,
        request: &Request,
        stream: &UnixStream,
        events: &Events,
    ) -> io::Result<Option<Ended>> {
        let deadline = Instant::now() + request.timeout;
        while !has_ended(self.leader) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Some(Ended::TooSlow(request.timeout)));
            }
            let pipes = [&self.stdout, &self.stderr];
            // A pipe at its end is ready for ever.
            let open: Vec<&dyn AsFd> = pipes
                .iter()
                .filter(|pipe| !pipe.ended)
                .map(|pipe| &pipe.end as &dyn AsFd)
                .collect();
            // While a call goes on the run says nothing: it is gone.
            if events.wait(stream, &open, Some(left))? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.stdout.read()?;
            self.stderr.read()?;
            if self.stdout.overflowed {
                return Ok(Some(self.too_much()));
            }
        }
        Ok(None)
    }

    fn too_much(&self) -> Ended {
        Ended::TooMuchOutput(self.stdout.limit as u64)
    }

    /// Kills the group, reaps its leader, and ends whatever else the call has left; whether something remains.
    fn end(&self, beyond: &mut BTreeSet<Pid>) -> (Ended, bool) {
        let _ = killpg(self.leader, Signal::SIGKILL);
        let until = Instant::now() + DYING;
        while !has_ended(self.leader) && Instant::now() < until {
            std::thread::sleep(Duration::from_micros(100));
        }
        let ended = match waitpid(self.leader, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(_, code)) => Ended::Exited(code),
            Ok(WaitStatus::Signaled(_, signal, _)) => Ended::Killed(signal as i32),
            _ => Ended::Lost("it does not end when it is killed".into()),
        };
        (ended, !reap::end_everything(DYING, beyond))
    }
}

/// Whether a child has ended. It stays unreaped.
fn has_ended(child: Pid) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    !matches!(waitid(Id::Pid(child), flags), Ok(WaitStatus::StillAlive) | Err(Errno::EINTR))
}

/// The reading end of a pipe, and the start of what came through it.
#[derive(Debug)]
struct Pipe {
    end: PipeReader,
    kept: Vec<u8>,
    limit: usize,
    overflowed: bool,
    ended: bool,
}

impl Pipe {
    fn new(limit: usize) -> io::Result<(Pipe, io::PipeWriter)> {
        let (end, writer) = io::pipe()?;
        fcntl(end.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        Ok((Pipe { end, kept: Vec::new(), limit, overflowed: false, ended: false }, writer))
    }

    /// Takes what is there, up to a bound. Whether it stopped at that bound.
    fn read(&mut self) -> io::Result<bool> {
        let mut piece = [0; PIECE];
        for _ in 0..PIECES {
            match self.end.read(&mut piece) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(false);
                }
                Ok(read) => {
                    let room = self.limit.saturating_sub(self.kept.len()).min(read);
                    self.kept.extend_from_slice(piece.get(..room).unwrap_or_default());
                    self.overflowed |= room < read;
                }
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) => return Err(why),
            }
        }
        Ok(true)
    }
}
