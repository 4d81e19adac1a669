//! The arms: who ranks files, what an answer is, and the one table every other part follows.
//!
//! A family of arms is opened once per repository and sees its snapshots one after another, so that work on a
//! content that several commits share is done once. An arm's failure is data ([`Answer::failed`]), never an error
//! of the run. This module names arms; it does not run them.

use std::time::Duration;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::Sample;
use crate::snapshot::{ContentId, Survey, Tree};

/// The families of arms: arms of one family share their work on a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// The tool under test, one child process per call.
    Corvint,
    /// grep and BM25 baselines over shared per-content statistics.
    Lexical,
}

/// One row of the table of arms.
#[derive(Debug)]
pub struct ArmRow {
    /// The name in `--arms`, the journal and the report.
    pub name: &'static str,
    /// The family it shares its work with.
    pub family: Family,
    /// What `--arms` lists select it besides its name (`bm25` selects both BM25 arms).
    pub group: Option<&'static str>,
    /// Whether it is a system whose gain over the baselines is the question (a row of `paired`).
    pub retriever: bool,
    /// One sentence for people.
    pub about: &'static str,
}

/// Every arm, in the order in which they run and are registered.
pub static ARMS: [ArmRow; 8] = [
    ArmRow {
        name: "corvint",
        family: Family::Corvint,
        group: None,
        retriever: true,
        about: "corvint query over the first 2,000 characters of the query text",
    },
    ArmRow {
        name: "context",
        family: Family::Corvint,
        group: None,
        retriever: true,
        about: "corvint context over the whole query text",
    },
    ArmRow {
        name: "grep",
        family: Family::Lexical,
        group: None,
        retriever: false,
        about: "files by distinct query terms they hold as substrings, a term in the path counting double",
    },
    ArmRow {
        name: "grep-ident",
        family: Family::Lexical,
        group: None,
        retriever: false,
        about: "files by distinct identifiers of the query they hold as whole words: what an agent types into ripgrep",
    },
    ArmRow {
        name: "bm25:all",
        family: Family::Lexical,
        group: Some("bm25"),
        retriever: false,
        about: "whole-file BM25 (k1 1.2, b 0.75) over every term of the query text",
    },
    ArmRow {
        name: "bm25:ident",
        family: Family::Lexical,
        group: Some("bm25"),
        retriever: false,
        about: "whole-file BM25 (k1 1.2, b 0.75) over the terms of the query's identifiers",
    },
    ArmRow {
        name: "impact",
        family: Family::Corvint,
        group: None,
        retriever: false,
        about: "corvint impact of query.changed_file",
    },
    ArmRow {
        name: "affected",
        family: Family::Corvint,
        group: None,
        retriever: false,
        about: "corvint affected with query.changed_file dirtied",
    },
];

/// The row of an arm.
pub fn row(name: &str) -> Option<&'static ArmRow> {
    ARMS.iter().find(|row| row.name == name)
}

/// What one arm said to one sample: the `arms` member of a report's detail line.
///
/// Members that are absent, zero or empty are not written, as the reference does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Paths, best first, at most `limit`. Older reports write `null` for an errored arm.
    #[serde(default, deserialize_with = "null_as_empty")]
    pub ranked: Vec<String>,
    /// Whether the arm declined to answer.
    #[serde(default)]
    pub abstained: bool,
    /// The tool's own word for its outcome.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// The best score, in the arm's own unit, rounded to 1e-6.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub top_score: f64,
    /// Bytes of the tool's answer.
    #[serde(default, skip_serializing_if = "is_zero_u64")]
    pub packet_bytes: u64,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Wall time of the whole call, milliseconds, rounded to 1e-6; of calls that succeeded alone (older reports
    /// time failed ones, too).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wall_ms: f64,
    /// What was observed of the tool's cache before the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cache_state: String,
    /// Wall time of the matched cold call, milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cold_wall_ms: f64,
}

impl Answer {
    /// An answer with files, or an abstention where there are none.
    pub fn ranked(ranked: Vec<String>, top_score: f64) -> Answer {
        Answer {
            abstained: ranked.is_empty(),
            ranked,
            top_score: (top_score * 1e6).round() / 1e6,
            ..Answer::default()
        }
    }

    /// A failure: no files, no abstention, every metric zero.
    pub fn failed(error: impl Into<String>) -> Answer {
        Answer { error: error.into(), ..Answer::default() }
    }

    /// Whether the arm failed.
    pub fn is_failed(&self) -> bool {
        !self.error.is_empty()
    }
}

/// A wall time as an answer carries it: of whole nanoseconds, so never more than six decimals.
pub fn milliseconds(wall: Duration) -> f64 {
    wall.as_nanos() as f64 / 1e6
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

fn is_zero_u64(value: &u64) -> bool {
    *value == 0
}

fn null_as_empty<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    Ok(Option::<Vec<String>>::deserialize(input)?.unwrap_or_default())
}

/// What becomes of the files that the asker already holds. The benchmark keeps them in a ranking, the reference
/// harness removes them; the two are never mixed in one comparison.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Given {
    /// Leave them out of every ranking
    #[default]
    Remove,
    /// Rank them like any other file
    Keep,
}

impl Given {
    /// The files that may not be ranked for `sample`.
    pub fn excluded(self, sample: &Sample) -> &[String] {
        match self {
            Given::Remove => &sample.given,
            Given::Keep => &[],
        }
    }
}

/// What every arm is told besides the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankOptions {
    /// The longest ranking, 1 to 50.
    pub limit: usize,
    /// What becomes of the given files.
    pub given: Given,
}

/// What keeps an answer from being a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The family's arms cannot be measured on this sample, for this reason; the run goes on.
    Sample(String),
    /// What was registered cannot be kept: the run ends without a report.
    Run(String),
}

/// A family of arms at work on the snapshots of one repository.
///
/// For each snapshot: [`Ranker::content`] for what is new in it, [`Ranker::enter`]; then for each sample
/// [`Ranker::begin`], [`Ranker::rank`] for each of its arms in the table's order, [`Ranker::end`].
pub trait Ranker {
    /// A text that no earlier snapshot of the repository held. Called in ascending order of `id`, before the
    /// [`Ranker::enter`] of the first snapshot that holds it.
    fn content(&mut self, _id: ContentId, _text: &[u8]) {}

    /// A new snapshot: whatever follows is over it.
    fn enter(&mut self, snapshot: &Survey);

    /// A sample over the snapshot, whose files are in `tree`, and which of the family's arms will be asked.
    fn begin(&mut self, _turn: &Turn, _tree: &mut dyn Tree) -> Result<(), Trouble> {
        Ok(())
    }

    /// The answer of the arm of `arm` to the sample that was begun.
    fn rank(&mut self, arm: &'static ArmRow, turn: &Turn) -> Result<Answer, Trouble>;

    /// All of the family's arms have answered. An error takes their answers back.
    fn end(&mut self, _turn: &Turn) -> Result<(), Trouble> {
        Ok(())
    }
}

/// One sample's turn.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The sample.
    pub sample: &'a Sample,
    /// The arms that will be asked, in the table's order.
    pub arms: &'a [&'static ArmRow],
    /// What every arm is told besides the sample.
    pub options: &'a RankOptions,
}
