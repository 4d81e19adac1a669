//! The text of a call that failed (reference harness 8 and 14.3).
//!
//! Two runs of one experiment give the same bytes: the private copy is named [`COPY`], whatever its path was, and
//! nothing measured is repeated. The text is one line without control characters.

use std::fmt::Write;
use std::path::Path;

use nix::sys::signal::Signal;

use crate::process::Ended;

/// What the path of the private copy is written as.
pub const COPY: &str = "$COPY";

/// The most of standard error that is repeated, in bytes.
const MOST_STDERR: usize = 4 << 10;

/// `corvint VERB: REASON`, the error of the arm; `stderr` is what was kept of standard error, `copy` the folder the
/// call was about.
pub fn failure(verb: &str, ended: &Ended, stderr: &[u8], copy: &Path) -> String {
    format!("corvint {verb}: {}", failure_reason(ended, stderr, copy))
}

/// What happened and what the tool said about it, as in `exit status 2: no such path`.
pub fn failure_reason(ended: &Ended, stderr: &[u8], copy: &Path) -> String {
    let mut text = match ended {
        Ended::Exited(status) => format!("exit status {status}"),
        Ended::Killed(signal) => format!("signal: {}", signal_name(*signal)),
        Ended::TooSlow(bound) => {
            format!("did not end within {} s and was killed", bound.as_secs_f64())
        }
        Ended::TooMuchOutput(bound) => format!("output exceeds {bound} bytes"),
        Ended::NotStarted(why) => format!("cannot be started: {why}"),
        Ended::Lost(why) => why.clone(),
    };
    let said = said(stderr, copy);
    if !said.is_empty() {
        text.push_str(": ");
        text.push_str(&said);
    }
    text
}

/// `text` with [`COPY`] for the path of the private copy.
pub fn hide_copy(text: &str, copy: &Path) -> String {
    hide(text, copy, COPY)
}

/// `text` with `name` for a path, raw or as the tool's ASCII-only JSON writes it.
pub(super) fn hide(text: &str, path: &Path, name: &str) -> String {
    let path = path.to_string_lossy();
    if path.is_empty() {
        return text.to_owned();
    }
    let text = text.replace(&*path, name);
    let escaped = ascii_json(&path);
    if escaped == path { text } else { text.replace(&escaped, name) }
}

/// The start of standard error in one line. The path goes before the cut, which could leave a part of it.
fn said(stderr: &[u8], copy: &Path) -> String {
    let mut text = hide_copy(&String::from_utf8_lossy(stderr), copy);
    text.truncate(text.floor_char_boundary(MOST_STDERR));
    let words = text.split(|letter: char| letter.is_control() || letter.is_whitespace());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The letters of a JSON string that holds `text` in ASCII alone.
fn ascii_json(text: &str) -> String {
    let mut out = String::new();
    let mut units = [0; 2];
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            ' '..='~' => out.push(letter),
            _ => {
                for unit in letter.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out
}

/// A signal in the words of the reference, its number where it has none.
fn signal_name(signal: i32) -> String {
    let name = match Signal::try_from(signal) {
        Ok(Signal::SIGHUP) => "hangup",
        Ok(Signal::SIGINT) => "interrupt",
        Ok(Signal::SIGQUIT) => "quit",
        Ok(Signal::SIGILL) => "illegal instruction",
        Ok(Signal::SIGTRAP) => "trace/breakpoint trap",
        Ok(Signal::SIGABRT) => "aborted",
        Ok(Signal::SIGBUS) => "bus error",
        Ok(Signal::SIGFPE) => "floating point exception",
        Ok(Signal::SIGKILL) => "killed",
        Ok(Signal::SIGUSR1) => "user defined signal 1",
        Ok(Signal::SIGSEGV) => "segmentation fault",
        Ok(Signal::SIGUSR2) => "user defined signal 2",
        Ok(Signal::SIGPIPE) => "broken pipe",
        Ok(Signal::SIGALRM) => "alarm clock",
        Ok(Signal::SIGTERM) => "terminated",
        Ok(Signal::SIGXCPU) => "CPU time limit exceeded",
        Ok(Signal::SIGXFSZ) => "file size limit exceeded",
        Ok(Signal::SIGSYS) => "bad system call",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}
