//! The report: what was measured and what follows from it.
//!
//! Invariants: everything but `details`, `corvint`, `skipped`, `snapshots` and `registration` is computed from the
//! details by [`Report::assemble`], and the same details always give the same report. Nothing measured stands outside
//! `latency`, the answers' wall times and the registration's host and conditions (section 14.3).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::detail::Detail;
use super::latency::{self, Latency};
use super::origin::Origin;
use super::paired::{self, Paired};
use super::significance::{self, Significance};
use super::summary::{self, ArmSummary};
use crate::arm::ARMS;
use crate::snapshot::Census;

/// The version of the report's shape; it moves when a member is added.
pub const PROFILE: &str = "retrieval-bench/1";

/// What stands for a digest or a version that was not taken.
pub const NOT_RUN: &str = "NOT_RUN";

/// A result. Reports of the reference harness and its older ones are read, too: what they lack is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// [`PROFILE`].
    #[serde(default)]
    #[schemars(extend("const" = PROFILE))]
    pub profile: String,
    /// How many samples `details` has.
    #[serde(default)]
    pub samples: usize,
    /// SHA-256 of the samples file.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub samples_sha256: String,
    /// The most files an arm may rank.
    pub limit: usize,
    /// Rows that are no samples.
    #[serde(default)]
    pub skipped: Skipped,
    /// The tool under test.
    #[serde(default)]
    pub corvint: Corvint,
    /// Every sample, in the order of the file.
    pub details: Vec<Detail>,
    /// Means per arm and group of samples.
    #[serde(default)]
    pub arms: BTreeMap<String, ArmSummary>,
    /// Retrievers minus baselines: group, retriever, baseline, metric.
    #[serde(default)]
    pub paired: Paired,
    /// Wall times per arm and state of the tool's cache.
    #[serde(default)]
    pub latency: Latency,
    /// Tests of every pair of arms.
    #[serde(default)]
    pub significance: Significance,
    /// What was seen in each snapshot, by `OWNER/NAME@COMMIT`.
    #[serde(default)]
    pub snapshots: BTreeMap<String, SnapshotReport>,
    /// Where the figures come from; `null` in older reports alone.
    #[serde(default)]
    pub registration: Option<Origin>,
}

/// Rows of the samples file that are no samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// Rows without gold files that do not say that no file is gold.
    #[serde(default)]
    pub no_gold_unlabeled: u64,
}

/// The identity of the tool under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Corvint {
    /// SHA-256 of the executable, or `NOT_RUN`.
    #[serde(default = "not_run")]
    pub sha256: String,
    /// What it calls itself, or `NOT_RUN`.
    #[serde(default = "not_run")]
    pub version: String,
}

impl Default for Corvint {
    fn default() -> Self {
        Corvint { sha256: not_run(), version: not_run() }
    }
}

impl Corvint {
    /// Whether an arm called the tool.
    pub fn is_measured(&self) -> bool {
        !self.sha256.is_empty() && self.sha256 != NOT_RUN
    }
}

fn not_run() -> String {
    NOT_RUN.to_owned()
}

/// One snapshot: what was seen in it, or why nothing was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotReport {
    /// What was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub census: Option<Census>,
    /// Why it could not be searched.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
}

/// What a report is made from.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// Every sample with its answers and metrics, in the order of the file.
    pub details: Vec<Detail>,
    /// SHA-256 of the samples file.
    pub samples_sha256: String,
    /// Rows that are no samples.
    pub skipped: Skipped,
    /// The most files an arm may rank.
    pub limit: usize,
    /// The tool under test.
    pub corvint: Corvint,
    /// Where the figures come from.
    pub registration: Option<Origin>,
    /// What was seen in each snapshot.
    pub snapshots: BTreeMap<String, SnapshotReport>,
}

impl Report {
    /// Computes every summary.
    pub fn assemble(parts: Assembly) -> Report {
        let Assembly { details, samples_sha256, skipped, limit, corvint, registration, snapshots } =
            parts;
        let registered = registration.as_ref().and_then(Origin::families);
        Report {
            profile: PROFILE.to_owned(),
            samples: details.len(),
            samples_sha256,
            limit,
            skipped,
            corvint,
            arms: summary::summarise(&details, limit),
            paired: paired::compare(&details),
            latency: latency::distributions(&details, registration.as_ref()),
            significance: significance::test(&details, limit, registered),
            details,
            snapshots,
            registration,
        }
    }
}

/// The arms that have an answer, in the order of the table.
pub(super) fn arms_present(details: &[Detail]) -> Vec<&'static str> {
    let present: BTreeSet<&str> =
        details.iter().flat_map(|detail| detail.arms.keys()).map(String::as_str).collect();
    ARMS.iter().map(|row| row.name).filter(|name| present.contains(name)).collect()
}
