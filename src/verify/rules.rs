//! The rules of Agent Retrieval Bench's own validator that a row of any kind can break (spec: benchmark 1.1).
//!
//! A run does not need them to hold: it asks what it can read. They tell that a file is not, or no longer, the
//! benchmark's. What refuses a file anyway (an id, a repository, a base commit) and leaks are checked elsewhere. A
//! rule is one finding, however many rows break it.

use super::finding::{Finding, Kind, counted};
use crate::text::json::Json;

/// Task types that the benchmark knows.
const TASKS: [&str; 6] =
    ["abstention", "code2test", "comment2context", "edit2ripple", "testlog2code", "trace2code"];
/// Why a sample may have no gold.
const REASONS: [&str; 5] = [
    "flaky_ci",
    "upstream_dependency",
    "external_service",
    "user_error",
    "counterfactual_wrong_repo",
];
/// Where the text of a sample without gold may come from.
const SOURCES: [&str; 3] = ["ci_log", "issue", "counterfactual_wrong_repo"];

/// A rule, and which rows it is for.
struct Rule {
    kind: Kind,
    says: &'static str,
    is_for: fn(&Row) -> bool,
    holds: fn(&Row) -> bool,
}

macro_rules! rules {
    ($($kind:ident $says:literal, $is_for:expr, $holds:expr;)*) => {
        [$(Rule { kind: Kind::$kind, says: $says, is_for: $is_for, holds: $holds }),*]
    };
}

static RULES: [Rule; 17] = rules! {
    RowRule "task_type is one of the benchmark's", |_| true, |row| TASKS.contains(&row.task());
    RowRule "candidate_corpus.type is repo_at_base_commit", |_| true,
        |row| row.text(&["candidate_corpus", "type"]) == "repo_at_base_commit";
    OtherCorpus "candidate_corpus.base_commit is the row's base_commit",
        |row| row.has(&["candidate_corpus", "base_commit"]),
        |row| row.text(&["candidate_corpus", "base_commit"]) == row.text(&["base_commit"]);
    RowRule "candidate_corpus has a base_commit", |_| true,
        |row| row.has(&["candidate_corpus", "base_commit"]);
    RowRule "abstention: gold.files is an empty array", |row| row.is("abstention"),
        |row| matches!(row.at(&["gold", "files"]), Some(Json::Array(files)) if files.is_empty());
    RowRule "abstention: gold.no_gold is true", |row| row.is("abstention"),
        |row| row.is_no_gold();
    RowRule "abstention: gold.reason is one of the benchmark's", |row| row.is("abstention"),
        |row| REASONS.contains(&row.text(&["gold", "reason"]));
    RowRule "abstention: query.source is one of the benchmark's", |row| row.is("abstention"),
        |row| SOURCES.contains(&row.text(&["query", "source"]));
    RowRule "abstention: query.text is not blank", |row| row.is("abstention"),
        |row| !row.text(&["query", "text"]).trim().is_empty();
    RowRule "gold.no_gold is true in abstention rows only", |row| !row.is("abstention"),
        |row| !row.is_no_gold();
    RowRule "edit2ripple: there are gold.files", |row| row.is("edit2ripple"),
        |row| row.has(&["gold", "files"]);
    RowRule "edit2ripple: there are gold.given_files", |row| row.is("edit2ripple"),
        |row| row.has(&["gold", "given_files"]);
    RowRule "edit2ripple: query has anchor_file, anchor_diff and intent",
        |row| row.is("edit2ripple"),
        |row| ["anchor_file", "anchor_diff", "intent"]
            .iter()
            .all(|name| !row.text(&["query", name]).trim().is_empty());
    RowRule "comment2context from version 2 on: there are gold.given_files",
        |row| row.is("comment2context") && row.version() >= 2,
        |row| row.has(&["gold", "given_files"]);
    RowRule "comment2context from version 2 on: there are gold.must_context_files",
        |row| row.is("comment2context") && row.version() >= 2,
        |row| row.has(&["gold", "must_context_files"]);
    RowRule "code2test: there are gold.related_tests", |row| row.is("code2test"),
        |row| row.has(&["gold", "related_tests"]);
    RowRule "there are gold.root_cause_files",
        |row| !["abstention", "code2test", "edit2ripple"].contains(&row.task()),
        |row| row.has(&["gold", "root_cause_files"]);
};

/// A row of the samples file.
struct Row(Json);

impl Row {
    /// The value at the end of member names; null counts as absent.
    fn at(&self, names: &[&str]) -> Option<&Json> {
        let found = names.iter().try_fold(&self.0, |value, name| match value {
            Json::Object(members) => members.get(*name),
            _ => None,
        });
        found.filter(|value| **value != Json::Null)
    }

    /// Whether there is something: no empty text, array or object.
    fn has(&self, names: &[&str]) -> bool {
        self.at(names).is_some_and(|value| match value {
            Json::String(text) => !text.is_empty(),
            Json::Array(items) => !items.is_empty(),
            Json::Object(members) => !members.is_empty(),
            _ => true,
        })
    }

    fn text(&self, names: &[&str]) -> &str {
        self.at(names).and_then(Json::as_str).unwrap_or_default()
    }

    /// Whether it is a row of this benchmark and not of ContextBench.
    fn is_benchmarks(&self) -> bool {
        self.has(&["id"]) && !self.has(&["instance_id"])
    }

    fn task(&self) -> &str {
        self.text(&["task_type"])
    }

    fn is(&self, task: &str) -> bool {
        self.task() == task
    }

    fn is_no_gold(&self) -> bool {
        self.at(&["gold", "no_gold"]) == Some(&Json::Bool(true))
    }

    fn version(&self) -> u64 {
        match self.at(&["version"]) {
            Some(Json::Number(lexeme)) => lexeme.parse().unwrap_or_default(),
            _ => 0,
        }
    }
}

/// The rules that rows of a samples file break, in the table's order. The file has been read as samples before, so
/// what is not a row of the benchmark (another dataset's, another format) is passed over.
pub(super) fn broken(bytes: &[u8], file: &str) -> Vec<Finding> {
    let mut rows = Vec::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let row = str::from_utf8(line).ok().and_then(|text| Json::parse(text).ok()).map(Row);
        rows.extend(row.filter(Row::is_benchmarks).map(|row| (index + 1, row)));
    }
    let mut findings = Vec::new();
    for rule in &RULES {
        let mut breaking = rows.iter().filter(|(_, row)| (rule.is_for)(row) && !(rule.holds)(row));
        let Some((line, row)) = breaking.next() else { continue };
        let rows = counted(1 + breaking.count() as u64, "row breaks", "rows break");
        let id = row.text(&["id"]);
        let what = format!(
            "{rows} the benchmark's rule `{}`, first on line {line} (sample {id})",
            rule.says
        );
        findings.push(Finding::new(rule.kind, file, what));
    }
    findings
}
