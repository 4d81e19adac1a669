//! Gold spans of ContextBench: both encodings, the paths' normalisation, merged lines
//! (spec: reference harness 10 and 14.14).
//!
//! Gold is a list of spans `{file, start_line, end_line}`, either as a JSON list or as blocks of plain text. What is
//! neither is refused and never taken as empty gold.

use super::error::quoted;
use super::row::Members;
use super::sample::{GoldLines, LineRange};
use crate::text::json::Json;

/// One span as its row writes it.
struct Span {
    file: String,
    start: i64,
    end: i64,
}

/// The gold lines that `gold_context` encodes, by normalised path.
///
/// A span whose normalised path is empty is ignored. `compat` strips paths as the upstream evaluator does.
pub fn gold_lines(gold_context: &str, compat: bool) -> Result<GoldLines, String> {
    let text = gold_context.trim();
    let spans = if text.starts_with('[') { from_json(text)? } else { from_blocks(text)? };
    let mut lines = GoldLines::new();
    for Span { file, start, end } in spans {
        let path = normalise(&file, compat);
        if path.is_empty() {
            continue;
        }
        let range = match (u64::try_from(start), u64::try_from(end)) {
            (Ok(start), Ok(end)) if start >= 1 && end >= start => LineRange { start, end },
            _ => {
                return Err(format!(
                    "gold_context span {} lines {start} to {end} is not a range; start at 1 or later and end \
                     no earlier",
                    quoted(&file)
                ));
            }
        };
        lines.entry(path).or_default().push(range);
    }
    for ranges in lines.values_mut() {
        *ranges = merged(std::mem::take(ranges));
    }
    Ok(lines)
}

/// Sorted ranges without overlap; ranges that overlap or touch become one.
pub fn merged(mut ranges: Vec<LineRange>) -> Vec<LineRange> {
    ranges.sort_unstable();
    let mut out: Vec<LineRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(1) => {
                last.end = last.end.max(range.end);
            }
            _ => out.push(range),
        }
    }
    out
}

/// The path of a span, relative to the repository's root.
///
/// Backslashes become slashes; then the first rule that applies: the container's `/testbed/` goes; `/workspace/` and
/// the folder in it go; leading slashes go; a leading `./` goes, so that dot-files keep their dot. The upstream
/// evaluator (`compat`) strips every leading `.` and `/` in the last rule. The result may be unsafe.
pub fn normalise(path: &str, compat: bool) -> String {
    let path = path.replace('\\', "/");
    let rest = if let Some(rest) = path.strip_prefix("/testbed/") {
        rest
    } else if let Some(rest) = path.strip_prefix("/workspace/") {
        rest.split_once('/').map_or(rest, |(_, rest)| rest)
    } else if path.starts_with('/') {
        path.trim_start_matches('/')
    } else if compat {
        path.trim_start_matches(['.', '/'])
    } else {
        path.trim_start_matches("./")
    };
    rest.to_owned()
}

const ENCODINGS: &str = "write a JSON list of {file, start_line, end_line}, or blocks of `file:`, `start_line:`, `end_line:` lines";

fn from_json(text: &str) -> Result<Vec<Span>, String> {
    let value = Json::parse(text)
        .map_err(|error| format!("gold_context is not JSON: {error}; {ENCODINGS}"))?;
    let Json::Array(items) = value else {
        return Err(format!("gold_context is {}; {ENCODINGS}", value.kind()));
    };
    let span = |(index, item): (usize, &Json)| match item {
        Json::Object(members) => span_of(members)
            .map_err(|reason| format!("gold_context span {}: {reason}; {ENCODINGS}", index + 1)),
        other => Err(format!("gold_context span {} is {}; {ENCODINGS}", index + 1, other.kind())),
    };
    items.iter().enumerate().map(span).collect()
}

fn span_of(members: &Members) -> Result<Span, String> {
    let file = super::row::text(members, "file")?.unwrap_or_default().to_owned();
    let number = |name| match super::row::member(members, name) {
        None => Ok(0),
        Some(Json::Number(lexeme)) => lexeme
            .parse::<i64>()
            .map_err(|_| format!("{name} {} is not a line number", quoted(lexeme))),
        Some(other) => Err(format!("{name} is {}, not a line number", other.kind())),
    };
    Ok(Span { file, start: number("start_line")?, end: number("end_line")? })
}

/// Blocks of a `file:`, a `start_line:` and an `end_line:` line, and then the code of the span, which is not needed.
///
/// The published files open each block with a line `context0：` (its colon is full-width). Where the first line is
/// such a header, only headers open blocks, so that code which happens to hold a line `file:` stays code.
fn from_blocks(text: &str) -> Result<Vec<Span>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let has_headers = lines.first().is_some_and(|line| is_header(line));
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let opens = if has_headers {
            is_header(line)
        } else {
            spans.is_empty() || KEYS.iter().any(|key| line.starts_with(key))
        };
        if opens {
            let first = at + usize::from(has_headers);
            spans.push(block(&lines, first)?);
            at = first + KEYS.len();
        } else {
            at += 1;
        }
    }
    if spans.is_empty() {
        return Err(format!("gold_context is missing or empty; {ENCODINGS}"));
    }
    Ok(spans)
}

const KEYS: [&str; 3] = ["file:", "start_line:", "end_line:"];

fn is_header(line: &str) -> bool {
    let number = line.strip_prefix("context").and_then(|rest| rest.trim_end().strip_suffix('：'));
    number.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn block(lines: &[&str], first: usize) -> Result<Span, String> {
    let value = |index: usize| {
        let line = lines.get(first + index).copied().unwrap_or_default();
        let value = line.strip_prefix(KEYS[index]).map(str::trim);
        value.ok_or_else(|| {
            let place = first + index + 1;
            format!("gold_context line {place} is not a `{}` line; {ENCODINGS}", KEYS[index])
        })
    };
    let number = |index: usize| {
        let lexeme = value(index)?;
        lexeme.parse::<i64>().map_err(|_| {
            let place = first + index + 1;
            format!(
                "gold_context line {place}: {} is not a line number; {ENCODINGS}",
                quoted(lexeme)
            )
        })
    };
    Ok(Span { file: value(0)?.to_owned(), start: number(1)?, end: number(2)? })
}
