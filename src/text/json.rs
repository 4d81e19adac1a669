//! A JSON value that loses nothing a query text could need.
//!
//! Invariants: numbers keep their lexeme (so `1e400`, `-0` and integers of any size survive), an object has each
//! member once, strings are whole (no lone surrogate), and nesting is bounded, so that neither parsing nor dropping
//! a value can exhaust the stack. Members are case-sensitive.
//!
//! The grammar is serde_json's. Each level is parsed through [`RawValue`], which scans a value once per level above
//! it: [`MAX_DEPTH`] is therefore also the bound on the work per byte. This module must not interpret numbers.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The deepest nesting of arrays and objects that is read; the same bound as serde_json's own.
pub const MAX_DEPTH: usize = 128;

/// A parsed JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(String),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, its members by name in code-point order.
    Object(BTreeMap<String, Json>),
}

/// Why a text is not JSON that we read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong, in lower case.
    pub reason: String,
    /// Where it was noticed: a 1-based byte of the text.
    pub column: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at column {}", self.reason, self.column)
    }
}

impl std::error::Error for JsonError {}

impl Json {
    /// Parses a text that holds one JSON value and nothing else but white space.
    ///
    /// Refused besides what JSON forbids: a member name that occurs twice in one object, lone surrogate escapes,
    /// and nesting beyond [`MAX_DEPTH`].
    pub fn parse(text: &str) -> Result<Json, JsonError> {
        let raw = serde_json::from_str(text).map_err(|error| located(text, text, &error))?;
        build(raw, text, 0)
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value it is, with its article, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }

    /// The string values at any depth, never member names: arrays in order, members in code-point order.
    pub fn strings(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.collect_strings(&mut found);
        found
    }

    fn collect_strings<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Json::String(text) => found.push(text),
            Json::Array(items) => items.iter().for_each(|item| item.collect_strings(found)),
            Json::Object(members) => members.values().for_each(|item| item.collect_strings(found)),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
}

/// The members of one object, each still raw.
struct Members<'a>(BTreeMap<String, &'a RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Once;

        impl<'de> Visitor<'de> for Once {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if members.contains_key(&name) {
                        return Err(A::Error::custom(format!("member {name:?} occurs twice")));
                    }
                    members.insert(name, value);
                }
                Ok(Members(members))
            }
        }

        input.deserialize_map(Once)
    }
}

fn build(raw: &RawValue, text: &str, depth: usize) -> Result<Json, JsonError> {
    let value = raw.get();
    let fail = |error: serde_json::Error| located(text, value, &error);
    let first = value.as_bytes().first().copied();
    if matches!(first, Some(b'[' | b'{')) && depth == MAX_DEPTH {
        let reason = format!("arrays and objects are nested more than {MAX_DEPTH} deep");
        return Err(JsonError { reason, column: offset(text, value) + 1 });
    }
    Ok(match first {
        Some(b'n') => Json::Null,
        Some(b't') => Json::Bool(true),
        Some(b'f') => Json::Bool(false),
        Some(b'"') => Json::String(serde_json::from_str(value).map_err(fail)?),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(value).map_err(fail)?;
            let items = items.into_iter().map(|item| build(item, text, depth + 1));
            Json::Array(items.collect::<Result<_, _>>()?)
        }
        Some(b'{') => {
            let Members(members) = serde_json::from_str(value).map_err(fail)?;
            let members = members.into_iter();
            let members = members.map(|(name, item)| Ok((name, build(item, text, depth + 1)?)));
            Json::Object(members.collect::<Result<_, _>>()?)
        }
        // The scan of the whole text has already checked the grammar.
        _ => Json::Number(value.to_owned()),
    })
}

/// Where `part`, a slice of `text`, begins in it.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// An error of serde_json about `part`, placed in `text`.
fn located(text: &str, part: &str, error: &serde_json::Error) -> JsonError {
    let before = part.split_inclusive('\n').take(error.line().saturating_sub(1));
    let within = before.map(str::len).sum::<usize>() + error.column();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let reason = error.to_string();
    let reason = reason.strip_suffix(&suffix).unwrap_or(&reason).to_owned();
    JsonError { reason, column: (offset(text, part) + within).max(1) }
}
