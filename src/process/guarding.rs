//! The guard at work: see `guard`.
//!
//! One thread, one message at a time. At the end of the stream, or at a signal, everything ends.

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::executable::Executable;
use super::guard::{Ended, Finished};
use super::running::{Request, Running};
use super::wire;

/// The signals that end a guard, as does the end of its stream.
const ENDING: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];

/// The guard's whole life. Its stream is its standard input.
pub fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let mut stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let events = Events::new()?;
    prctl::set_child_subreaper(true)?;
    let mut executable = None;
    loop {
        events.await_message(&stream)?;
        let message = wire::receive(&mut stream)?;
        let Some((word, rest)) = message.split_first() else { return Err(nonsense()) };
        match (word.as_slice(), &executable) {
            (b"open", _) => {
                let path = rest.first().map(|path| Path::new(OsStr::from_bytes(path)));
                let opened = Executable::open(path.ok_or_else(nonsense)?);
                let answer = opened.and_then(|opened| {
                    let sha256 = opened.sha256().map_err(|why| why.to_string());
                    executable = Some(opened);
                    sha256
                });
                match &answer {
                    Ok(sha256) => wire::send(&mut stream, &[b"opened", sha256.as_bytes()])?,
                    Err(why) => wire::send(&mut stream, &[b"refused", why.as_bytes()])?,
                }
            }
            (b"measure", Some(executable)) => {
                match executable.sha256().and_then(|open| Ok((open, executable.sha256_at_path()?)))
                {
                    Ok((open, at_path)) => {
                        wire::send(&mut stream, &[open.as_bytes(), at_path.as_bytes()])?;
                    }
                    Err(why) => wire::send(&mut stream, &[why.to_string().as_bytes()])?,
                }
            }
            (b"call", Some(executable)) => {
                let request = Request::read(rest).ok_or_else(nonsense)?;
                let finished = match Running::start(executable, &request) {
                    Ok(running) => running.finish(&request, &stream, &events)?,
                    Err(why) => Finished::without_output(Ended::NotStarted(why.to_string())),
                };
                send_finished(&mut stream, &finished)?;
            }
            _ => return Err(nonsense()),
        }
    }
}

fn nonsense() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a message for a guard")
}

/// What happens while the guard waits: children end, and it is told to end itself.
#[derive(Debug)]
pub(super) struct Events(SignalFd);

impl Events {
    fn new() -> io::Result<Events> {
        let mut signals = SigSet::empty();
        ENDING.iter().chain([&Signal::SIGCHLD]).for_each(|&signal| signals.add(signal));
        signals.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        Ok(Events(SignalFd::with_flags(&signals, flags)?))
    }

    /// Waits until the run says something or is gone. A signal is an error.
    fn await_message(&self, stream: &UnixStream) -> io::Result<()> {
        while !self.wait(stream, &[], None)? {}
        Ok(())
    }

    /// Waits for a child's end, a word from the run, something in a pipe, or the time that is left. Whether the run
    /// spoke or is gone. A signal to end is an error.
    pub fn wait(
        &self,
        stream: &UnixStream,
        pipes: &[&dyn AsFd],
        left: Option<Duration>,
    ) -> io::Result<bool> {
        let own = [self.0.as_fd(), stream.as_fd()].into_iter();
        let mut ready: Vec<PollFd<'_>> = own
            .chain(pipes.iter().map(|pipe| pipe.as_fd()))
            .map(|file| PollFd::new(file, PollFlags::POLLIN))
            .collect();
        let timeout = match left {
            None => PollTimeout::NONE,
            // Rounded up, or the last millisecond would be waited for in a busy loop.
            Some(left) => PollTimeout::try_from(left.saturating_add(Duration::from_micros(999)))
                .unwrap_or(PollTimeout::MAX),
        };
        match poll(&mut ready, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(why) => return Err(why.into()),
        }
        let spoke = ready.get(1).and_then(PollFd::any) == Some(true);
        while let Ok(Some(signal)) = self.0.read_signal() {
            if signal.ssi_signo != Signal::SIGCHLD as u32 {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
        Ok(spoke)
    }
}

fn send_finished(stream: &mut UnixStream, finished: &Finished) -> io::Result<()> {
    let (word, number, why) = match &finished.ended {
        Ended::Exited(code) => ("exited", i64::from(*code), ""),
        Ended::Killed(signal) => ("killed", i64::from(*signal), ""),
        Ended::TooSlow(bound) => ("slow", i64::try_from(bound.as_nanos()).unwrap_or(i64::MAX), ""),
        Ended::TooMuchOutput(bound) => ("much", bound.cast_signed(), ""),
        Ended::NotStarted(why) => ("unstarted", 0, why.as_str()),
        Ended::Lost(why) => ("lost", 0, why.as_str()),
    };
    let flags = [u8::from(finished.stderr_cut), u8::from(finished.left_running)];
    let number = number.to_le_bytes();
    let text = [word.as_bytes(), &number, why.as_bytes(), &flags];
    wire::send(stream, &[&text[..], &[&finished.stdout, &finished.stderr]].concat())
}

/// The answer to a call, as the run reads it.
pub(super) fn finished(reply: &[Vec<u8>]) -> Option<Finished> {
    let [word, number, why, flags, stdout, stderr] = reply else { return None };
    let number = i64::from_le_bytes(number.as_slice().try_into().ok()?);
    let why = || String::from_utf8_lossy(why).into_owned();
    let ended = match word.as_slice() {
        b"exited" => Ended::Exited(i32::try_from(number).ok()?),
        b"killed" => Ended::Killed(i32::try_from(number).ok()?),
        b"slow" => Ended::TooSlow(Duration::from_nanos(number.cast_unsigned())),
        b"much" => Ended::TooMuchOutput(number.cast_unsigned()),
        b"unstarted" => Ended::NotStarted(why()),
        b"lost" => Ended::Lost(why()),
        _ => return None,
    };
    let &[cut, left] = flags.as_slice() else { return None };
    let (stdout, stderr) = (stdout.clone(), stderr.clone());
    Some(Finished { ended, stdout, stderr, stderr_cut: cut == 1, left_running: left == 1 })
}
