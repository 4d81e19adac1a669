//! What every row has: typed members of its object, and an identity.
//!
//! Member names are case-sensitive, `null` is the same as absent, and a member of the wrong type refuses the row.

use std::collections::BTreeMap;

use super::error::quoted;
use super::{Sample, SnapshotKey};
use crate::text::json::Json;
use crate::text::safe_path;

/// The members of a JSON object.
pub(super) type Members = BTreeMap<String, Json>;

/// What a row gives.
pub(super) struct Row {
    /// The sample. A positive one may still have no gold: then it is unlabelled, and the reader drops it.
    pub sample: Sample,
    /// Commits that the query must not name (see [`super::leakage`]).
    pub fix_commits: Vec<String>,
}

/// A member, unless it is absent or null.
pub(super) fn member<'a>(members: &'a Members, name: &str) -> Option<&'a Json> {
    members.get(name).filter(|value| **value != Json::Null)
}

/// A string member.
pub(super) fn text<'a>(members: &'a Members, name: &str) -> Result<Option<&'a str>, String> {
    match member(members, name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("{name} is {}; write a string", other.kind())),
    }
}

/// An object member.
pub(super) fn object<'a>(members: &'a Members, name: &str) -> Result<Option<&'a Members>, String> {
    match member(members, name) {
        None => Ok(None),
        Some(Json::Object(object)) => Ok(Some(object)),
        Some(other) => Err(format!("{name} is {}; write an object or null", other.kind())),
    }
}

/// Each value, all of them required and not empty.
pub(super) fn required<'a, const N: usize>(
    named: [(&str, Option<&'a str>); N],
) -> Result<[&'a str; N], String> {
    let is_missing = |value: &Option<&str>| value.is_none_or(str::is_empty);
    let missing = named.iter().filter(|(_, value)| is_missing(value)).map(|(name, _)| *name);
    let missing = missing.collect::<Vec<_>>().join(", ");
    if missing.is_empty() {
        return Ok(named.map(|(_, value)| value.unwrap_or_default()));
    }
    let all = named.map(|(name, _)| name).join(", ");
    Err(format!("{missing} is missing or empty; a row needs {all}"))
}

/// The tree a row asks over.
pub(super) fn snapshot(repo: &str, commit: &str) -> Result<SnapshotKey, String> {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !matches!(commit.len(), 40 | 64) || !commit.bytes().all(is_hex) {
        return Err(format!(
            "base_commit {} is not a full commit id; write its 40 or 64 lowercase hexadecimal digits",
            quoted(commit)
        ));
    }
    if !safe_path::is_safe_repo(repo) {
        return Err(format!(
            "repo {} is not a safe pair; write OWNER/NAME in letters, digits, `.`, `_` and `-`",
            quoted(repo)
        ));
    }
    Ok(SnapshotKey { repo: repo.to_owned(), commit: commit.to_owned() })
}

/// Refuses the first path that is not a safe relative path; `role` says what the path is in the row.
pub(super) fn check_paths<'a>(
    role: &str,
    paths: impl IntoIterator<Item = &'a String>,
) -> Result<(), String> {
    for path in paths {
        if let Some(why) = safe_path::why_unsafe(path) {
            return Err(format!(
                "{role} {} {why}; write a path relative to the repository's root",
                quoted(path)
            ));
        }
    }
    Ok(())
}
