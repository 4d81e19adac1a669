//! Anchors: pieces of a query that a repository can be searched for literally.
//!
//! The rule is the reference's (spec: reference harness 4), fixed by its regular expressions. Every class is
//! matched left to right, without overlap, and each match is blanked before the next class looks, admissible or
//! not. Each scanner below is the leftmost-first match of one expression and takes linear time.

use super::json::Json;

/// The longest query that can bear an anchor, in bytes.
pub const MAX_TEXT_BYTES: usize = 32_000;
/// The shortest admissible literal, in bytes.
const MIN_LITERAL_BYTES: usize = 4;
/// The longest admissible literal, in bytes.
const MAX_LITERAL_BYTES: usize = 256;
/// An admissible literal holds a run of at least this many word bytes.
const MIN_WORD_RUN: usize = 3;

/// Last parts that make a dotted name a file name, not a configuration key.
const FILE_SUFFIXES: [&str; 19] = [
    "go", "py", "rs", "ts", "tsx", "js", "java", "kt", "rb", "cs", "cpp", "c", "h", "md", "json",
    "yaml", "yml", "toml", "txt",
];

/// What an anchor looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorClass {
    /// A literal between double quotes.
    Error,
    /// `scheme://…`
    Url,
    /// `path.suffix:line`
    Frame,
    /// `a::b`
    Enum,
    /// `a.b` in lower case.
    Config,
}

impl AnchorClass {
    /// The name the reference gives it.
    pub fn name(self) -> &'static str {
        match self {
            AnchorClass::Error => "error",
            AnchorClass::Url => "url",
            AnchorClass::Frame => "frame",
            AnchorClass::Enum => "enum",
            AnchorClass::Config => "config",
        }
    }
}

/// Whether a query text is short enough and holds an admissible anchor.
pub fn is_anchor_bearing(text: &str) -> bool {
    text.len() <= MAX_TEXT_BYTES && !anchors(text).is_empty()
}

/// The admissible anchors of a query text, in order of position.
///
/// If the text is JSON (as we read it), its string values joined by line feeds are searched, else the text itself.
pub fn anchors(text: &str) -> Vec<(AnchorClass, String)> {
    let joined = Json::parse(text).ok().map(|value| value.strings().join("\n"));
    let mut bytes = joined.unwrap_or_else(|| text.to_owned()).into_bytes();
    let mut found = Vec::new();
    for (class, find) in CLASSES {
        let mut from = 0;
        while let Some(Match { start, end }) = find(&bytes, from) {
            let quoted = usize::from(class == AnchorClass::Error);
            let literal = &bytes[start + quoted..end - quoted];
            if is_admissible(class, literal) {
                found.push((start, class, String::from_utf8_lossy(literal).into_owned()));
            }
            bytes[start..end].fill(b' ');
            from = end;
        }
    }
    found.sort_by_key(|(start, ..)| *start);
    found.into_iter().map(|(_, class, literal)| (class, literal)).collect()
}

/// A match is never empty and lies at or after the position the scanner was given.
struct Match {
    start: usize,
    end: usize,
}

type Scanner = fn(&[u8], usize) -> Option<Match>;

const CLASSES: [(AnchorClass, Scanner); 5] = [
    (AnchorClass::Error, next_error),
    (AnchorClass::Url, next_url),
    (AnchorClass::Frame, next_frame),
    (AnchorClass::Enum, next_enum),
    (AnchorClass::Config, next_config),
];

fn is_admissible(class: AnchorClass, literal: &[u8]) -> bool {
    let runs = literal.split(|byte| !is_word(*byte));
    (MIN_LITERAL_BYTES..=MAX_LITERAL_BYTES).contains(&literal.len())
        && runs.map(<[u8]>::len).max() >= Some(MIN_WORD_RUN)
        && (class != AnchorClass::Config || !ends_like_a_file(literal))
}

fn ends_like_a_file(literal: &[u8]) -> bool {
    let last = literal.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    FILE_SUFFIXES.iter().any(|suffix| suffix.as_bytes() == last)
}

/// `"([^"\n]+)"`
fn next_error(text: &[u8], from: usize) -> Option<Match> {
    let mut start = from + memchr::memchr(b'"', &text[from..])?;
    loop {
        let body = start + 1;
        let end = body + memchr::memchr2(b'"', b'\n', &text[body..])?;
        if text[end] == b'"' && end > body {
            return Some(Match { start, end: end + 1 });
        }
        start = end + memchr::memchr(b'"', &text[end..])?;
    }
}

/// ``[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>()`]+``
fn next_url(text: &[u8], from: usize) -> Option<Match> {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-');
    let ends = |byte: &u8| {
        matches!(
            byte,
            b'\t' | b'\n' | 0x0c | b'\r' | b' ' | b'"' | b'\'' | b'<' | b'>' | b'(' | b')' | b'`'
        )
    };
    let mut searched = from;
    for colon in memchr::memmem::find_iter(&text[from..], b"://").map(|at| from + at) {
        // A scheme holds no colon, so it is a suffix of the run before this one.
        let scheme = text[searched..colon].iter().rev().take_while(|byte| is_scheme(byte)).count();
        let run = colon - scheme;
        searched = colon + 3;
        let Some(letter) = text[run..colon].iter().position(u8::is_ascii_alphabetic) else {
            continue;
        };
        let body = text[searched..].iter().take_while(|byte| !ends(byte)).count();
        if body > 0 {
            return Some(Match { start: run + letter, end: searched + body });
        }
    }
    None
}

/// `[A-Za-z0-9_./-]+\.[A-Za-z0-9]+:[0-9]+`
fn next_frame(text: &[u8], from: usize) -> Option<Match> {
    let is_path = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'/' | b'-');
    let mut at = from;
    while let Some((start, end)) = next_run(text, at, is_path) {
        at = end;
        // Only the run's end can stand before the colon, so its last dotted part is the suffix.
        let suffix =
            text[start..end].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let dot = (end - suffix).checked_sub(1);
        let named = suffix > 0 && dot.is_some_and(|dot| dot > start && text[dot] == b'.');
        let digits = match text.get(end) {
            Some(b':') => text[end + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
            _ => 0,
        };
        if named && digits > 0 {
            return Some(Match { start, end: end + 1 + digits });
        }
    }
    None
}

/// `ident(::ident)+` where `ident` is `[A-Za-z_][A-Za-z0-9_]*`
fn next_enum(text: &[u8], from: usize) -> Option<Match> {
    let begins = |byte: u8| is_word(byte) && !byte.is_ascii_digit();
    next_chain(text, from, is_word, begins, b"::")
}

/// `[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)+`
fn next_config(text: &[u8], from: usize) -> Option<Match> {
    let is_part = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
    };
    next_chain(text, from, is_part, |byte| byte.is_ascii_lowercase(), b".")
}

/// `B P*(S B P*)+`, with `B` a subset of `P` and `S` free of `P`: then a part always reaches to the end of its run.
fn next_chain(
    text: &[u8],
    from: usize,
    is_part: impl Fn(u8) -> bool,
    begins: impl Fn(u8) -> bool,
    separator: &[u8],
) -> Option<Match> {
    let mut at = from;
    while let Some((run, first_end)) = next_run(text, at, &is_part) {
        at = first_end;
        let Some(skipped) = text[run..first_end].iter().position(|byte| begins(*byte)) else {
            continue;
        };
        let mut end = first_end;
        while let Some(rest) = text[end..].strip_prefix(separator)
            && rest.first().is_some_and(|byte| begins(*byte))
        {
            end += separator.len() + rest.iter().take_while(|byte| is_part(**byte)).count();
        }
        if end > first_end {
            return Some(Match { start: run + skipped, end });
        }
    }
    None
}

/// The next maximal run of bytes of a class at or after `from`.
fn next_run(text: &[u8], from: usize, class: impl Fn(u8) -> bool) -> Option<(usize, usize)> {
    let start = from + text.get(from..)?.iter().position(|byte| class(*byte))?;
    let length = text[start..].iter().take_while(|byte| class(**byte)).count();
    Some((start, start + length))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
