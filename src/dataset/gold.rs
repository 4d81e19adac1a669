//! Which files answer a row of Agent Retrieval Bench, and which ones the asker already holds
//! (spec: reference harness 3).
//!
//! A list that the rule does not choose is never looked at, so a bad path in it refuses nothing.

use std::collections::HashSet;

use super::row::{Members, member};
use super::{ChangedFileFrom, Sample, Stratum};
use crate::text::json::Json;
use crate::text::safe_path;

/// Task types with a gold rule of their own.
const CODE_TO_TEST: &str = "code2test";
const COMMENT_TO_CONTEXT: &str = "comment2context";

/// A list of files: the strings of an array, and the `path` strings of its objects, distinct, in order. Everything
/// else in it, empty strings included, is ignored; what is not an array lists nothing.
pub(super) fn paths(list: Option<&Json>) -> Vec<String> {
    let Some(Json::Array(items)) = list else {
        return Vec::new();
    };
    let mut seen = HashSet::new();
    let found = items.iter().filter_map(|item| match item {
        Json::Object(members) => members.get("path").and_then(Json::as_str),
        other => other.as_str(),
    });
    found.filter(|path| !path.is_empty() && seen.insert(*path)).map(str::to_owned).collect()
}

/// What kind of answer would be right.
pub(super) fn stratum(gold: &Members, metadata: &Members) -> Stratum {
    let is_true = |members: &Members, name| members.get(name) == Some(&Json::Bool(true));
    match (is_true(gold, "no_gold"), is_true(metadata, "organic")) {
        (false, _) => Stratum::Positive,
        (true, true) => Stratum::NaturalNoGold,
        (true, false) => Stratum::CounterfactualNoGold,
    }
}

/// The gold files of a positive row: the first list of its task's order that names any.
pub(super) fn files(task: &str, gold: &Members) -> Vec<String> {
    let order: &[&str] = match task {
        CODE_TO_TEST => &["files", "related_tests"],
        COMMENT_TO_CONTEXT => {
            &["files", "must_context_files", "context_files", "root_cause_files", "related_tests"]
        }
        _ => &["files", "root_cause_files", "related_tests"],
    };
    let lists = order.iter().map(|name| paths(gold.get(*name)));
    lists.into_iter().find(|list| !list.is_empty()).unwrap_or_default()
}

/// The files the asker already holds.
pub(super) fn given(task: &str, gold: &Members, query: &Members) -> Vec<String> {
    let listed = paths(gold.get("given_files"));
    if !listed.is_empty() || task != COMMENT_TO_CONTEXT {
        return listed;
    }
    let asked = ["given_file", "path"].into_iter().filter_map(|name| query.get(name));
    let first = asked.filter_map(Json::as_str).find(|path| !path.is_empty());
    first.map(str::to_owned).into_iter().collect()
}

/// The changed file, where the query names one.
pub(super) fn changed_file(query: &Members) -> Option<String> {
    let named = member(query, "changed_file").and_then(Json::as_str);
    named.filter(|path| !path.is_empty()).map(str::to_owned)
}

/// The files that other members of the query name: a string, or the first file of a list. An unsafe path names nothing,
/// for nobody may ask for it.
pub(super) fn changed_file_from(query: &Members) -> Vec<(ChangedFileFrom, String)> {
    let named = |from: ChangedFileFrom| {
        let path = match query.get(from.name())? {
            Json::String(path) => path.clone(),
            list => paths(Some(list)).into_iter().next()?,
        };
        safe_path::is_safe_relative(&path).then_some((from, path))
    };
    ChangedFileFrom::ALL.into_iter().filter_map(named).collect()
}

/// Whether a row's answer is not known: it asks for files and names none.
pub(super) fn is_unlabeled(sample: &Sample) -> bool {
    sample.is_positive() && sample.gold.is_empty()
}
