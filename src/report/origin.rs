//! Where a report's figures come from: one registered run, or reports that were merged.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::arm::Given;
use crate::dataset::ChangedFileFrom;
use crate::registration::{Family, Registration};
use crate::snapshot::CorpusText;

/// The host of a report that names none.
pub(super) const UNKNOWN_HOST: &str = "UNKNOWN";

/// The arms that are asked about a changed file.
const ABOUT_A_CHANGE: [&str; 2] = ["impact", "affected"];

/// The `registration` of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Origin {
    /// One run of ours.
    Run(Box<Registration>),
    /// Merged reports.
    Merged(Box<Merged>),
    /// What an older report says; kept as it is, and never written by a run or a merge.
    #[schemars(skip)]
    Older(Map<String, Value>),
}

/// What a merged report stands on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Merged {
    /// The arms that have an answer, in the order of the table.
    pub arms: Vec<String>,
    /// What the arms `impact` and `affected` of every source that ran one were asked about; absent where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_file_from: Option<Vec<ChangedFileFrom>>,
    /// Which rows of a chunk file made every source's texts; absent for the file rows alone, as the reference reads them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub corpus_text: CorpusText,
    /// SHA-256 of the tool under test, `NOT_RUN` where no source measured it.
    pub corvint_sha256: String,
    /// The families that every source registered alike; absent where they differ or one has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub families: Option<Vec<Family>>,
    /// SHA-256 of the map from repositories to folds.
    pub fold_map_sha256: String,
    /// What every source did with the files that the asker already holds; absent where it removed them, as the reference
    /// does.
    #[serde(default, skip_serializing_if = "is_default")]
    pub given: Given,
    /// The hosts that each arm's wall times come from: the digests of their facts, sorted, and `UNKNOWN` for reports that
    /// name none. Arms whose times all come from such reports are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hosts: BTreeMap<String, BTreeSet<String>>,
    /// SHA-256 of the samples file.
    pub samples_sha256: String,
    /// SHA-256 of each source, in the order in which they were named.
    pub source_reports_sha256: Vec<String>,
}

impl Origin {
    /// The families that were registered before the figures were known: none where no registration was written.
    pub fn families(&self) -> Option<&[Family]> {
        match self {
            Origin::Run(registration) => {
                Some(registration.families.as_slice()).filter(|families| !families.is_empty())
            }
            Origin::Merged(merged) => merged.families.as_deref(),
            Origin::Older(_) => None,
        }
    }

    /// The hosts that an arm's wall times come from: one, unless reports of several were merged.
    pub(super) fn hosts(&self, arm: &str) -> BTreeSet<String> {
        let host = match self {
            Origin::Run(registration) => registration.host.sha256(),
            Origin::Merged(merged) => match merged.hosts.get(arm) {
                Some(hosts) => return hosts.clone(),
                None => None,
            },
            Origin::Older(_) => None,
        };
        BTreeSet::from([host.unwrap_or_else(|| UNKNOWN_HOST.to_owned())])
    }

    /// What must be alike in reports that are merged: rankings under two conventions are never compared.
    pub(super) fn conventions(&self) -> (Given, CorpusText) {
        match self {
            Origin::Run(registration) => (registration.given, registration.corpus_text),
            Origin::Merged(merged) => (merged.given, merged.corpus_text),
            Origin::Older(members) => (said(members, "given"), said(members, "corpus_text")),
        }
    }

    /// What the arms that are asked about a change were asked, where any was: figures of an arm that was asked something
    /// else are never mixed.
    pub(super) fn changed_file_from(&self) -> Option<&[ChangedFileFrom]> {
        match self {
            Origin::Run(registration) => {
                let asked = |arm: &String| ABOUT_A_CHANGE.contains(&arm.as_str());
                let from = registration.changed_file_from.as_slice();
                Some(from).filter(|_| registration.arms.iter().any(asked))
            }
            Origin::Merged(merged) => merged.changed_file_from.as_deref(),
            Origin::Older(_) => None,
        }
    }
}

/// A member of an older registration, or its default.
fn said<T: Default + serde::de::DeserializeOwned>(members: &Map<String, Value>, name: &str) -> T {
    members.get(name).and_then(|value| T::deserialize(value).ok()).unwrap_or_default()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
