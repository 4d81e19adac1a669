//! What is asked and over what: the part of a command line that a run and a check of its inputs share.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use crate::cli::CliError;
use crate::cli::args::InputArgs;
use crate::dataset::SnapshotKey;
use crate::snapshot::{CorpusText, Sources};

/// What is asked and over what.
#[derive(Debug)]
pub struct InputPlan {
    /// The samples file.
    pub samples: PathBuf,
    /// Trees named one by one; they go before `corpus` and `clones`.
    pub named: BTreeMap<SnapshotKey, PathBuf>,
    /// The folder of snapshots.
    pub corpus: Option<PathBuf>,
    /// The folder of Git clones.
    pub clones: Option<PathBuf>,
    /// Which rows of a chunk file make its texts.
    pub corpus_text: CorpusText,
    /// Whether ContextBench paths are normalised as upstream does.
    pub contextbench_compat: bool,
}

impl InputPlan {
    /// The inputs that the flags name. The samples are checked long before, so they come apart.
    pub(super) fn new(samples: PathBuf, args: InputArgs) -> Result<InputPlan, CliError> {
        let named = named_snapshots(&args.snapshot)?;
        let (corpus, clones) = (path(args.corpus), path(args.clones));
        if named.is_empty() && corpus.is_none() && clones.is_none() {
            return Err(CliError::refused(
                "--corpus, --clones or --snapshot is required: they say where the trees are",
            ));
        }
        Ok(InputPlan {
            samples,
            named,
            corpus,
            clones,
            corpus_text: args.corpus_text,
            contextbench_compat: args.contextbench_compat,
        })
    }

    /// Where the trees are, with the bound on one call of Git.
    pub fn sources(&self, git_timeout: Duration) -> Sources {
        Sources {
            named: self.named.clone(),
            corpus: self.corpus.clone(),
            clones: self.clones.clone(),
            text: self.corpus_text,
            git_timeout,
            ..Sources::default()
        }
    }
}

/// A path flag; an empty value means it was not given.
pub(super) fn path(value: Option<OsString>) -> Option<PathBuf> {
    value.filter(|value| !value.is_empty()).map(PathBuf::from)
}

pub(super) fn is_given(value: &Option<OsString>) -> bool {
    value.as_ref().is_some_and(|value| !value.is_empty())
}

/// The samples file, which every plan with inputs needs.
pub(super) fn samples(inputs: &InputArgs) -> Result<PathBuf, CliError> {
    path(inputs.samples.clone()).ok_or_else(|| {
        CliError::refused("--samples is required; 'retrieval-bench demo' needs no samples")
    })
}

/// `OWNER/NAME@COMMIT=PATH`, cut at the first `=`, its key at the first `@`; for one key the last wins.
fn named_snapshots(values: &[OsString]) -> Result<BTreeMap<SnapshotKey, PathBuf>, CliError> {
    values
        .iter()
        .map(|value| {
            named_snapshot(value).ok_or_else(|| {
                CliError::refused(format!(
                    "--snapshot must be OWNER/NAME@COMMIT=PATH, not {:?}",
                    value.to_string_lossy()
                ))
            })
        })
        .collect()
}

/// The path may hold any bytes; the key is text.
fn named_snapshot(value: &OsStr) -> Option<(SnapshotKey, PathBuf)> {
    let bytes = value.as_bytes();
    let cut = bytes.iter().position(|byte| *byte == b'=')?;
    let (key, path) = (bytes.get(..cut)?, bytes.get(cut + 1..)?);
    let (repo, commit) = std::str::from_utf8(key).ok()?.split_once('@')?;
    if repo.is_empty() || commit.is_empty() || path.is_empty() {
        return None;
    }
    let key = SnapshotKey { repo: repo.into(), commit: commit.into() };
    Some((key, PathBuf::from(OsStr::from_bytes(path))))
}
