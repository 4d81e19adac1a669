//! One row of ContextBench, from JSONL or Parquet (spec: reference harness 10 and 14.14).

use std::borrow::Cow;

use super::error::Fault;
use super::row::{self, Members, Row};
use super::{Query, Sample, Stratum, span};
use crate::text::anchor;

/// The task type of every ContextBench sample.
pub const CONTEXTBENCH_TASK: &str = "contextbench";

/// The columns that make a sample, as they stand in the row.
pub(super) struct Columns<'a> {
    pub instance_id: Option<&'a str>,
    /// The id in the benchmark that the row was taken from.
    pub original_inst_id: Option<&'a str>,
    pub repo: Option<&'a str>,
    pub base_commit: Option<&'a str>,
    pub problem_statement: Option<&'a str>,
    pub gold_context: Option<&'a str>,
}

/// Reads the JSON row on line `line`.
pub(super) fn row(members: &Members, line: usize, compat: bool) -> Result<Row, Fault> {
    let columns = || {
        let text = |name| row::text(members, name);
        Ok(Columns {
            instance_id: text("instance_id")?,
            original_inst_id: text("original_inst_id")?,
            repo: text("repo")?,
            base_commit: text("base_commit")?,
            problem_statement: text("problem_statement")?,
            gold_context: text("gold_context")?,
        })
    };
    match columns() {
        Ok(columns) => columns.row(line, compat),
        Err(reason) => {
            let id = row::text(members, "instance_id").ok().flatten().map(str::to_owned);
            Err(Fault { id, reason })
        }
    }
}

impl Columns<'_> {
    /// The sample of these columns, number `line` of its file.
    pub(super) fn row(&self, line: usize, compat: bool) -> Result<Row, Fault> {
        let id = self.instance_id.filter(|id| !id.is_empty());
        self.checked(line, compat).map_err(|reason| Fault { id: id.map(str::to_owned), reason })
    }

    fn checked(&self, line: usize, compat: bool) -> Result<Row, String> {
        let [id, repo, commit, statement] = row::required([
            ("instance_id", self.instance_id),
            ("repo", self.repo),
            ("base_commit", self.base_commit),
            ("problem_statement", self.problem_statement),
        ])?;
        let snapshot = row::snapshot(&pair(repo, self.original_inst_id), commit)?;
        let gold_lines = span::gold_lines(self.gold_context.unwrap_or_default(), compat)?;
        row::check_paths("gold file", gold_lines.keys())?;
        let sample = Sample {
            id: id.to_owned(),
            line,
            task: CONTEXTBENCH_TASK.to_owned(),
            snapshot,
            query: Query {
                text: statement.to_owned(),
                values: vec![statement.to_owned()],
                anchor_bearing: anchor::is_anchor_bearing(statement),
            },
            gold: gold_lines.keys().cloned().collect(),
            given: Vec::new(),
            hard_negatives: Vec::new(),
            changed_file: None,
            changed_file_from: Vec::new(),
            stratum: Stratum::Positive,
            gold_lines: Some(gold_lines),
        };
        Ok(Row { sample, fix_commits: Vec::new() })
    }
}

/// `OWNER/NAME` of a row. Rows taken from Multi-SWE-bench give the name alone, and their original id
/// `OWNER__NAME-NUMBER` gives the owner.
fn pair<'a>(repo: &'a str, original_inst_id: Option<&str>) -> Cow<'a, str> {
    let owner = || {
        let (named, number) = original_inst_id?.rsplit_once('-')?;
        let (owner, name) = named.split_once("__")?;
        let is_numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_numbered && name == repo).then_some(owner)
    };
    match owner() {
        Some(owner) => Cow::Owned(format!("{owner}/{repo}")),
        None => Cow::Borrowed(repo),
    }
}
