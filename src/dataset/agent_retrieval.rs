//! One row of Agent Retrieval Bench (spec: reference harness 3 and 4; benchmark 1.1 and 1.2).

use super::error::Fault;
use super::row::{self, Members, Row};
use super::{Query, Sample, Stratum, gold, leakage};
use crate::text::json::Json;
use crate::text::{anchor, python_json};

/// Reads the row on line `line`.
pub(super) fn row(members: &Members, line: usize) -> Result<Row, Fault> {
    let id = members.get("id").and_then(Json::as_str).filter(|id| !id.is_empty());
    checked(members, line).map_err(|reason| Fault { id: id.map(str::to_owned), reason })
}

fn checked(members: &Members, line: usize) -> Result<Row, String> {
    let text = |name| row::text(members, name);
    let named = [
        ("id", text("id")?),
        ("repo", text("repo")?),
        ("base_commit", text("base_commit")?),
        ("task_type", text("task_type")?),
    ];
    let nothing = Members::new();
    let object = |name| Ok::<_, String>(row::object(members, name)?.unwrap_or(&nothing));
    let (asked, labels, metadata) = (object("query")?, object("gold")?, object("metadata")?);
    let [id, repo, commit, task] = row::required(named)?;
    let snapshot = row::snapshot(repo, commit)?;

    let stratum = gold::stratum(labels, metadata);
    let sample = Sample {
        id: id.to_owned(),
        line,
        task: task.to_owned(),
        snapshot,
        query: query(asked)?,
        gold: match stratum {
            Stratum::Positive => gold::files(task, labels),
            Stratum::NaturalNoGold | Stratum::CounterfactualNoGold => Vec::new(),
        },
        given: gold::given(task, labels, asked),
        hard_negatives: gold::paths(labels.get("negative_distractors")),
        changed_file: gold::changed_file(asked),
        changed_file_from: gold::changed_file_from(asked),
        stratum,
        gold_lines: None,
    };
    row::check_paths("gold file", &sample.gold)?;
    row::check_paths("given file", &sample.given)?;
    row::check_paths("hard negative", &sample.hard_negatives)?;
    row::check_paths("changed_file", &sample.changed_file)?;
    Ok(Row { sample, fix_commits: leakage::fix_commits(task, labels, metadata) })
}

fn query(asked: &Members) -> Result<Query, String> {
    let value = Json::Object(asked.clone());
    let text = python_json::dumps(&value).map_err(|error| {
        format!("query holds {error}; write it as a string, or with fewer digits")
    })?;
    let values = value.strings().into_iter().map(str::to_owned).collect();
    Ok(Query { anchor_bearing: anchor::is_anchor_bearing(&text), text, values })
}
