//! Inputs → findings, in one order whatever is worked on at the same time: the samples file, its samples in file
//! order, the snapshots by name, the corpus manifest, the digests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rayon::prelude::*;

use super::finding::{Finding, Severity};
use super::manifest::{self, Manifest};
use super::pins::{Digests, MANIFEST, SAMPLES};
use super::snapshot::{Examined, Need, Setting, examine};
use super::{Kind, rules, sample};
use crate::dataset::{self, DatasetError, ReadOptions, Sample, SnapshotKey};
use crate::snapshot::Sources;

/// What is looked at.
#[derive(Debug)]
pub struct Inputs {
    /// The samples file.
    pub samples: PathBuf,
    /// Whether ContextBench paths are normalised as upstream does.
    pub contextbench_compat: bool,
    /// Where snapshots lie.
    pub sources: Sources,
    /// Snapshots worked on at the same time, at least 1.
    pub jobs: usize,
    /// The pinned digests, and the file they came from as messages call it.
    pub pins: Option<(String, Digests)>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Samples that a run would ask.
    pub samples: usize,
    /// Snapshots that they need.
    pub snapshots: usize,
    /// Gold files that were looked for, once per sample.
    pub gold: u64,
    /// What is wrong, in order.
    pub findings: Vec<Finding>,
    /// The digest of every input that could be read.
    pub digests: Digests,
}

/// What the findings come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No errors.
    Clean,
    /// Errors.
    Errors,
    /// An input is not the pinned one; whatever else is wrong.
    NotPinned,
}

impl Verified {
    /// What the findings come to.
    pub fn verdict(&self) -> Verdict {
        let is_pin =
            |kind| matches!(kind, Kind::DigestDiffers | Kind::DigestMissing | Kind::DigestUnnamed);
        let mut kinds = self.findings.iter().map(|finding| finding.kind);
        if kinds.clone().any(is_pin) {
            Verdict::NotPinned
        } else if kinds.any(|kind| kind.row().severity == Severity::Error) {
            Verdict::Errors
        } else {
            Verdict::Clean
        }
    }
}

/// Reads every sample and every snapshot that the samples need. A samples file that a run would refuse is refused.
pub fn verify(inputs: &Inputs) -> Result<Verified, DatasetError> {
    let options =
        ReadOptions { contextbench_compat: inputs.contextbench_compat, ..ReadOptions::default() };
    let file = inputs.samples.display().to_string();
    // Once: a pipe gives its bytes to one reader.
    let bytes = dataset::read_bytes(&inputs.samples)?;
    let samples = dataset::parse(&bytes, &file, &options)?;
    let found = inputs.sources.corpus.as_deref().and_then(manifest::find);
    let manifest = found.as_deref().map(Manifest::read);
    let needs = needs(&samples.kept);
    let setting = Setting { file: &file, sources: &inputs.sources, manifest: manifest.as_ref() };
    let examined = at_once(inputs.jobs, &needs, |need| examine(&setting, need));

    let mut findings = sample::of_file(&file, &samples);
    findings.extend(rules::broken(&bytes, &file));
    let mut by_line: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
    for kept in &samples.kept {
        by_line.insert(kept.line, sample::of_query(&file, &samples, kept));
    }
    let mut of_snapshots = Vec::new();
    let mut digests = BTreeMap::from([(SAMPLES.to_owned(), samples.sha256.clone())]);
    let (mut gold, mut unreadable) = (0, BTreeSet::new());
    for (need, seen) in needs.iter().zip(examined) {
        let Examined { of_samples, of_snapshot, digest, gold: looked_for } = seen;
        for (line, finding) in of_samples {
            by_line.entry(line).or_default().push(finding);
        }
        of_snapshots.extend(of_snapshot);
        gold += looked_for;
        match digest {
            Some(digest) => digests.extend([(need.key.to_string(), digest)]),
            None => unreadable.extend([need.key.to_string()]),
        }
    }
    findings.extend(by_line.into_values().flatten());
    findings.extend(of_snapshots);
    if let Some(manifest) = manifest {
        findings.extend(manifest.findings);
        match manifest.sha256 {
            Some(digest) => digests.extend([(MANIFEST.to_owned(), digest)]),
            None => unreadable.extend([MANIFEST.to_owned()]),
        }
    }
    let digests = Digests(digests);
    if let Some((file, pins)) = &inputs.pins {
        findings.extend(pins.compare(file, &digests, &unreadable));
    }
    let (samples, snapshots) = (samples.kept.len(), needs.len());
    Ok(Verified { samples, snapshots, gold, findings, digests })
}

/// The snapshots that samples need, in order of their keys.
fn needs(samples: &[Sample]) -> Vec<Need<'_>> {
    let mut by_key: BTreeMap<&SnapshotKey, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        by_key.entry(&sample.snapshot).or_default().push(sample);
    }
    let needs = by_key.into_iter();
    needs.map(|(key, samples)| Need { key: key.clone(), samples }).collect()
}

/// Each need's result, in order.
fn at_once<'a, R: Send>(
    jobs: usize,
    needs: &[Need<'a>],
    work: impl Fn(&Need<'a>) -> R + Send + Sync,
) -> Vec<R> {
    match rayon::ThreadPoolBuilder::new().num_threads(jobs).build() {
        Ok(pool) => pool.install(|| needs.par_iter().map(&work).collect()),
        // Without threads the answer is the same, later.
        Err(_) => needs.iter().map(work).collect(),
    }
}
