//! The lines of a capture: compact JSON in the reference's member order, safe inside HTML as the reference's is.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::invocation::Invocation;
use crate::text::hex::hex;

/// The shape of the file; it is the reference's.
const PROFILE: &str = "corvint-retrieval-context-capture-v0";

/// The most of an error that is kept, in bytes.
const MOST_ERROR: usize = 4_096;

/// What became of a call's standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ParseStatus {
    /// It is a packet.
    Parsed,
    /// It is none.
    Malformed,
    /// The call failed, so there was nothing to read.
    NotRun,
}

/// The first line.
#[derive(Serialize)]
pub(super) struct Header<'a> {
    r#type: &'static str,
    profile: &'static str,
    registration: &'a Value,
    invocations: &'a [Invocation],
}

impl<'a> Header<'a> {
    pub fn new(registration: &'a Value, invocations: &'a [Invocation]) -> Header<'a> {
        Header { r#type: "header", profile: PROFILE, registration, invocations }
    }
}

/// Whether all of a stream is there.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Kept {
    Complete,
    Truncated,
    NotProduced,
}

/// One stream of a call.
#[derive(Serialize)]
struct Stream {
    status: Kept,
    #[serde(flatten)]
    payload: Option<Payload>,
}

#[derive(Serialize)]
struct Payload {
    base64: String,
    bytes: usize,
    sha256: String,
}

impl Stream {
    fn new(bytes: Option<&[u8]>, truncated: bool) -> Stream {
        let payload = bytes.map(|bytes| Payload {
            base64: BASE64_STANDARD.encode(bytes),
            bytes: bytes.len(),
            sha256: hex(Sha256::digest(bytes)),
        });
        let status = match (&payload, truncated) {
            (None, _) => Kept::NotProduced,
            (Some(_), true) => Kept::Truncated,
            (Some(_), false) => Kept::Complete,
        };
        Stream { status, payload }
    }

    fn base64_bytes(&self) -> usize {
        self.payload.as_ref().map_or(0, |payload| payload.base64.len())
    }
}

/// The line of one call.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    r#type: &'static str,
    invocation: &'a Invocation,
    stdout: Stream,
    stderr: Stream,
    parse_status: ParseStatus,
    #[serde(skip_serializing_if = "str::is_empty")]
    error: &'a str,
}

impl<'a> Record<'a> {
    pub fn new(
        invocation: &'a Invocation,
        stdout: Option<&[u8]>,
        stderr: Option<(&[u8], bool)>,
        parse_status: ParseStatus,
        error: &'a str,
    ) -> Record<'a> {
        Record {
            r#type: "invocation",
            invocation,
            stdout: Stream::new(stdout, false),
            stderr: Stream::new(stderr.map(|(bytes, _)| bytes), stderr.is_some_and(|(_, cut)| cut)),
            parse_status,
            error: &error[..error.floor_char_boundary(MOST_ERROR)],
        }
    }

    /// Whether everything that the call printed is in it.
    pub fn is_complete(&self) -> bool {
        [&self.stdout, &self.stderr].iter().all(|stream| stream.status == Kept::Complete)
    }

    /// How much of the encoded line is what the call printed.
    pub fn base64_bytes(&self) -> usize {
        self.stdout.base64_bytes() + self.stderr.base64_bytes()
    }
}

/// Whether the file has all that was planned.
#[derive(Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Whole {
    Complete,
    Partial,
}

/// The last line.
#[derive(Serialize)]
struct Footer<'a> {
    r#type: &'static str,
    status: Whole,
    invocations: usize,
    total_bytes: usize,
    prior_sha256: &'a str,
}

/// The last line of a file that has `prior` bytes before it: its `total_bytes` counts itself.
pub(super) fn footer(
    complete: bool,
    invocations: usize,
    prior: usize,
    prior_sha256: &str,
) -> serde_json::Result<Vec<u8>> {
    let mut total_bytes = prior;
    loop {
        let status = if complete { Whole::Complete } else { Whole::Partial };
        let footer = Footer { r#type: "footer", status, invocations, total_bytes, prior_sha256 };
        let line = encode(&footer)?;
        // More digits make a longer line, never a shorter one, so this settles.
        if prior + line.len() == total_bytes {
            return Ok(line);
        }
        total_bytes = prior + line.len();
    }
}

/// A line with its line feed.
pub(super) fn encode(line: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut text = serde_json::to_string(line)?;
    // These letters occur in strings alone, in which an escape means the same.
    for (letter, escape) in [
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u{2028}", "\\u2028"),
        ("\u{2029}", "\\u2029"),
    ] {
        if text.contains(letter) {
            text = text.replace(letter, escape);
        }
    }
    text.push('\n');
    Ok(text.into_bytes())
}
