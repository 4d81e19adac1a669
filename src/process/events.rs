//! What a guard waits for: its run, its children, their output, and the order to end.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// The signals that end a guard, as does the end of its stream.
const ENDING: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];

/// What happens while the guard waits: children end, and it is told to end itself.
#[derive(Debug)]
pub(super) struct Events(SignalFd);

impl Events {
    /// From now on these signals are waited for and do nothing else.
    pub fn new() -> io::Result<Events> {
        let mut signals = SigSet::empty();
        ENDING.iter().chain([&Signal::SIGCHLD]).for_each(|&signal| signals.add(signal));
        signals.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        Ok(Events(SignalFd::with_flags(&signals, flags)?))
    }

    /// Waits until the run says something or is gone. A signal is an error.
    pub fn await_message(&self, stream: &UnixStream) -> io::Result<()> {
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
