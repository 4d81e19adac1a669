//! A row of a chunk file of whatever shape, judged by serde_json.
//!
//! This decides what is refused, and with which words; [`super::scan`] only takes over what needs no judgement.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::scan::{Member, Row, RowKind, kind};
use super::unescape::unescape;

/// Reads the row on `line` of `bytes` (without its LF), or says what is wrong with it.
pub(super) fn parse(bytes: &[u8], line: Range<usize>, numbers: bool) -> Result<Row, String> {
    let text = bytes.get(line.clone()).unwrap_or_default();
    if text.trim_ascii().is_empty() {
        return Err("is blank, and every line must be a JSON object".into());
    }
    let text = str::from_utf8(text)
        .map_err(|error| format!("is not UTF-8 at byte {}", error.valid_up_to() + 1))?;
    let members: Members = serde_json::from_str(text).map_err(|error| {
        let mut reason = error.to_string();
        if let Some(end) = reason.rfind(" at line ") {
            reason.truncate(end);
        }
        format!("is not a JSON row that can be used: {reason} (column {})", error.column())
    })?;
    let place = |raw: Option<&RawValue>| match raw.map(RawValue::get) {
        Some(value) if value.len() >= 2 => {
            // The value is a slice of the line, so its distance from the line's start is its place in it.
            let start = line.start + (value.as_ptr() as usize - text.as_ptr() as usize);
            start + 1..start + value.len() - 1
        }
        _ => 0..0,
    };
    let mut row = Row { path: place(members.path), text: place(members.text), ..Row::default() };
    if let Some(name) = bytes.get(place(members.kind)) {
        row.kind = kind(name).unwrap_or_else(|| {
            let mut decoded = Vec::new();
            unescape(name, &mut decoded);
            kind(&decoded).unwrap_or(RowKind::Other)
        });
    }
    if numbers {
        row.start_line = number("start_line", members.start_line)?;
        row.end_line = number("end_line", members.end_line)?;
    }
    Ok(row)
}

fn number(name: &str, raw: Option<&RawValue>) -> Result<u64, String> {
    match raw {
        None => Ok(0),
        Some(raw) => raw
            .get()
            .parse()
            .map_err(|_| format!("has a `{name}` that is no line number: {:.40}", raw.get())),
    }
}

/// The members that are read, as they were written; null counts as absent.
#[derive(Default)]
struct Members<'a> {
    kind: Option<&'a RawValue>,
    path: Option<&'a RawValue>,
    text: Option<&'a RawValue>,
    start_line: Option<&'a RawValue>,
    end_line: Option<&'a RawValue>,
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members::default();
        let mut names = HashSet::new();
        let mut seen = Vec::new();
        while let Some(Name(name)) = map.next_key()? {
            let value: &'de RawValue = map.next_value()?;
            let member = Member::named(name.as_bytes());
            if member.is_some_and(|member| seen.contains(&member)) || names.contains(&name) {
                return Err(A::Error::custom(format!("it has two members named `{name}`")));
            }
            names.insert(name.clone());
            let Some(member) = member else { continue };
            seen.push(member);
            let null = value.get() == "null";
            if member.is_string() && !null && !value.get().starts_with('"') {
                return Err(A::Error::custom(format!("its `{name}` is not a string")));
            }
            let slot = match member {
                Member::Kind => &mut members.kind,
                Member::Path => &mut members.path,
                Member::Text => &mut members.text,
                Member::StartLine => &mut members.start_line,
                Member::EndLine => &mut members.end_line,
            };
            *slot = (!null).then_some(value);
        }
        Ok(members)
    }
}

/// A member's name, borrowed where it has no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a member name")
            }

            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}
