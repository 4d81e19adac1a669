//! The guard at work: see `guard`.
//!
//! One thread, one message at a time. At the end of the stream, or at a signal, everything ends.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

use nix::sys::prctl;

use super::call::{Ended, Finished};
use super::events::Events;
use super::executable::Executable;
use super::running::{Request, Running};
use super::wire;

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
    let mut beyond = BTreeSet::new();
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
                    Ok(running) => running.finish(&request, &stream, &events, &mut beyond)?,
                    Err(why) => Finished::without_output(Ended::NotStarted(why.to_string())),
                };
                let parts = finished.parts();
                let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
                wire::send(&mut stream, &parts)?;
            }
            _ => return Err(nonsense()),
        }
    }
}

fn nonsense() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a message for a guard")
}
