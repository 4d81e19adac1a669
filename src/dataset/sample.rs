//! One question of a benchmark, whatever file it came from.
//!
//! Every dataset reader ends in these types and every later room starts from them. They hold plain values only:
//! nothing here reads a file, and nothing here knows an arm.

use std::collections::BTreeMap;
use std::fmt;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tree a sample is asked over: a repository at its frozen base commit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotKey {
    /// `OWNER/NAME`, both parts safe file names.
    pub repo: String,
    /// 40 or 64 lowercase hexadecimal digits.
    pub commit: String,
}

impl fmt::Display for SnapshotKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.repo, self.commit)
    }
}

/// What kind of answer would be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stratum {
    /// There are gold files; abstaining is a miss.
    Positive,
    /// No file answers the question, and a person really asked it (`metadata.organic`).
    NaturalNoGold,
    /// No file answers the question because it was paired with another repository.
    CounterfactualNoGold,
}

impl Stratum {
    /// Every stratum, in report order.
    pub const ALL: [Stratum; 3] =
        [Stratum::Positive, Stratum::NaturalNoGold, Stratum::CounterfactualNoGold];

    /// The name the report uses.
    pub fn name(self) -> &'static str {
        match self {
            Stratum::Positive => "positive",
            Stratum::NaturalNoGold => "natural_no_gold",
            Stratum::CounterfactualNoGold => "counterfactual_no_gold",
        }
    }
}

/// What an arm is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The text every text-driven arm sees, whole. For Agent Retrieval Bench it is what Python's
    /// `json.dumps(query or {}, ensure_ascii=False, sort_keys=True)` writes; for ContextBench the statement.
    pub text: String,
    /// The string values of the query at any depth, in sorted-key order; never its keys. For ContextBench the
    /// statement alone.
    pub values: Vec<String>,
    /// Whether the text names something a repository can be searched for literally (an error, a URL, a frame…).
    pub anchor_bearing: bool,
}

/// The longest prefix of a query that the `corvint` arm may pass on, in Unicode scalar values.
pub const QUERY_PREFIX_CHARS: usize = 2_000;

impl Query {
    /// Unicode scalar values in the text.
    pub fn chars(&self) -> usize {
        self.text.chars().count()
    }

    /// Whether the `corvint` arm sees only a prefix.
    pub fn truncated(&self) -> bool {
        self.chars() > QUERY_PREFIX_CHARS
    }
}

/// A member of a query, besides `changed_file`, that names a file which a change could be in: newer tasks have no
/// `changed_file`.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum ChangedFileFrom {
    /// The first of the files that implement a change (code2test)
    ImplementationFiles,
    /// The file that an edit starts from (edit2ripple)
    AnchorFile,
    /// The file that a review comment is about (comment2context)
    GivenFile,
}

impl ChangedFileFrom {
    /// Every member.
    pub const ALL: [ChangedFileFrom; 3] = [
        ChangedFileFrom::ImplementationFiles,
        ChangedFileFrom::AnchorFile,
        ChangedFileFrom::GivenFile,
    ];

    /// The member's name in a query.
    pub fn name(self) -> &'static str {
        match self {
            ChangedFileFrom::ImplementationFiles => "implementation_files",
            ChangedFileFrom::AnchorFile => "anchor_file",
            ChangedFileFrom::GivenFile => "given_file",
        }
    }
}

/// A closed range of 1-based lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRange {
    /// First line, from 1.
    pub start: u64,
    /// Last line, at least `start`.
    pub end: u64,
}

/// Gold lines per file (ContextBench): merged where they overlap or touch, sorted.
pub type GoldLines = BTreeMap<String, Vec<LineRange>>;

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Unique in its file.
    pub id: String,
    /// 1-based line (or Parquet row) of the samples file.
    pub line: usize,
    /// The benchmark's task type.
    pub task: String,
    /// The tree it is asked over.
    pub snapshot: SnapshotKey,
    /// What is asked.
    pub query: Query,
    /// The files that answer it, distinct, in the row's order; empty exactly when the stratum is a no-gold one.
    pub gold: Vec<String>,
    /// Files the asker already holds, distinct, in the row's order.
    pub given: Vec<String>,
    /// Files that look right and are not (`gold.negative_distractors`).
    pub hard_negatives: Vec<String>,
    /// `query.changed_file`, where it is a string.
    pub changed_file: Option<String>,
    /// Safe paths that other members of the query name, at most one a member; see [`ChangedFileFrom`].
    pub changed_file_from: Vec<(ChangedFileFrom, String)>,
    /// What kind of answer would be right.
    pub stratum: Stratum,
    /// Line-level gold, for ContextBench only.
    pub gold_lines: Option<GoldLines>,
}

impl Sample {
    /// Whether some file answers the question.
    pub fn is_positive(&self) -> bool {
        self.stratum == Stratum::Positive
    }
}
