//! A call of the tool, and what became of it: what a run and its guard say to one another.

use std::ffi::OsString;
use std::time::Duration;

/// A call of the tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// What follows the executable's name.
    pub arguments: Vec<OsString>,
    /// Variables on top of the guard's own.
    pub variables: Vec<(OsString, OsString)>,
    /// How long it may take.
    pub timeout: Duration,
    /// The longest standard output, bytes; a child that writes more is killed.
    pub stdout_limit: u64,
    /// How much of standard error is kept, bytes; the rest is read and dropped.
    pub stderr_limit: u64,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Exited(i32),
    /// By this signal, which was not ours.
    Killed(i32),
    /// By us, because it took longer than this.
    TooSlow(Duration),
    /// By us, because it wrote more than so many bytes.
    TooMuchOutput(u64),
    /// It never began, for this reason.
    NotStarted(String),
    /// Nobody knows: the guard is gone or does not answer. Says why.
    Lost(String),
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub ended: Ended,
    /// What it wrote to standard output, at most the limit.
    pub stdout: Vec<u8>,
    /// The start of what it wrote to standard error.
    pub stderr: Vec<u8>,
    /// Whether there was more of that.
    pub stderr_cut: bool,
    /// Whether something that the call started could not be ended, so that it may still be at work.
    pub left_running: bool,
}

impl Finished {
    /// An end without any output.
    pub(super) fn without_output(ended: Ended) -> Finished {
        Finished {
            ended,
            stdout: Vec::new(),
            stderr: Vec::new(),
            stderr_cut: false,
            left_running: false,
        }
    }

    /// As the parts of a message.
    pub(super) fn parts(&self) -> Vec<Vec<u8>> {
        let (word, number, why) = match &self.ended {
            Ended::Exited(code) => ("exited", i64::from(*code), ""),
            Ended::Killed(signal) => ("killed", i64::from(*signal), ""),
            Ended::TooSlow(bound) => {
                ("slow", i64::try_from(bound.as_nanos()).unwrap_or(i64::MAX), "")
            }
            Ended::TooMuchOutput(bound) => ("much", bound.cast_signed(), ""),
            Ended::NotStarted(why) => ("unstarted", 0, why.as_str()),
            Ended::Lost(why) => ("lost", 0, why.as_str()),
        };
        let flags = vec![u8::from(self.stderr_cut), u8::from(self.left_running)];
        let (word, number) = (word.as_bytes().to_vec(), number.to_le_bytes().to_vec());
        let (stdout, stderr) = (self.stdout.clone(), self.stderr.clone());
        vec![word, number, why.as_bytes().to_vec(), flags, stdout, stderr]
    }

    /// From the parts of a message.
    pub(super) fn from_parts(parts: Vec<Vec<u8>>) -> Option<Finished> {
        let [word, number, why, flags, stdout, stderr] = <[Vec<u8>; 6]>::try_from(parts).ok()?;
        let number = i64::from_le_bytes(number.try_into().ok()?);
        let why = || String::from_utf8_lossy(&why).into_owned();
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
        Some(Finished { ended, stdout, stderr, stderr_cut: cut == 1, left_running: left == 1 })
    }
}
