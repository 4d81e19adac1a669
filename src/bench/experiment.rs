//! An experiment: what is asked of whom, over what. Running it fills a journal; the journal becomes a report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use rayon::prelude::*;

use super::BenchError;
use super::journal::{Journal, Record};
use super::progress::{Progress, Show};
use super::repository::{self, Done, Repository, Shared};
use crate::arm::{ArmRow, RankOptions};
use crate::corvint::Tool;
use crate::dataset::{Sample, SnapshotKey};
use crate::report::{Detail, SnapshotReport};
use crate::snapshot::Sources;

/// What is asked of whom, over what.
#[derive(Debug)]
pub struct Experiment {
    /// The samples, in file order.
    pub samples: Vec<Sample>,
    /// Where snapshots lie.
    pub sources: Sources,
    /// The arms, in the table's order.
    pub arms: Vec<&'static ArmRow>,
    /// What every arm is told.
    pub options: RankOptions,
    /// The tool under test, where an arm calls it.
    pub tool: Option<Tool>,
    /// Repositories worked on side by side; at least 1, and 1 where an arm calls the tool.
    pub jobs: usize,
}

impl Experiment {
    /// Refuses an experiment none of whose snapshots can be found: that is a wrong path, not a finding.
    pub fn check_snapshots(&self) -> Result<(), BenchError> {
        let mut first_failure = None;
        let mut looked_for: BTreeSet<&SnapshotKey> = BTreeSet::new();
        for sample in &self.samples {
            if !looked_for.insert(&sample.snapshot) {
                continue;
            }
            match self.sources.resolve(&sample.snapshot) {
                Ok(_) => return Ok(()),
                Err(error) => {
                    first_failure
                        .get_or_insert_with(|| format!("sample {}: {}", sample.id, error.reason));
                }
            }
        }
        match first_failure {
            None => Ok(()),
            Some(failure) => Err(BenchError::new(format!(
                "{failure}; no other sample's snapshot can be found either"
            ))),
        }
    }

    /// Runs whatever `journal` does not hold yet and gives the journal back, complete.
    pub fn run(&self, journal: Journal, show: Show) -> Result<Journal, BenchError> {
        let repositories = self.repositories();
        let snapshots = repositories.iter().map(Repository::len).sum();
        let progress = Progress::new(show, snapshots, self.samples.len());
        let done = Done::of(journal.records());
        let journal = Mutex::new(journal);
        let shared =
            Shared { experiment: self, done: &done, journal: &journal, progress: &progress };
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(self.jobs).build().map_err(|error| {
                BenchError::new(format!("cannot start {} jobs: {error}", self.jobs))
            })?;
        let result = pool.install(|| {
            repositories.par_iter().with_max_len(1).try_for_each(|r| repository::work(r, &shared))
        });
        progress.finish();
        result?;
        let mut journal = journal.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        journal.sync()?;
        Ok(journal)
    }

    /// The samples by repository and snapshot; repositories with the most snapshots first, since they take longest.
    fn repositories(&self) -> Vec<Repository<'_>> {
        let mut by_name: BTreeMap<&str, Repository<'_>> = BTreeMap::new();
        for sample in &self.samples {
            let repository = by_name.entry(&sample.snapshot.repo).or_default();
            repository.entry(&sample.snapshot).or_default().push(sample);
        }
        let mut repositories: Vec<Repository<'_>> = by_name.into_values().collect();
        repositories.sort_by_key(|repository| std::cmp::Reverse(repository.len()));
        repositories
    }

    /// The report's lines and snapshots, from a journal's records: samples in file order, whatever the order of work.
    pub fn details(&self, records: &[Record]) -> (Vec<Detail>, BTreeMap<String, SnapshotReport>) {
        let mut details: BTreeMap<&str, Detail> =
            self.samples.iter().map(|s| (s.id.as_str(), Detail::of(s))).collect();
        let mut snapshots: BTreeMap<String, SnapshotReport> = BTreeMap::new();
        for record in records {
            match record {
                Record::Answer { sample, arm, answer, metrics } => {
                    if let Some(detail) = details.get_mut(sample.as_str()) {
                        detail.arms.insert(arm.clone(), answer.clone());
                        detail.metrics.insert(arm.clone(), metrics.clone());
                    }
                }
                Record::Resumed { .. } => {}
                Record::SpoiledSample { sample, error } => {
                    if let Some(detail) = details.get_mut(sample.as_str()) {
                        detail.error = error.clone();
                    }
                }
                Record::Snapshot { snapshot, census } => {
                    snapshots.insert(
                        snapshot.clone(),
                        SnapshotReport {
                            census: Some(census.clone()),
                            ..SnapshotReport::default()
                        },
                    );
                }
                Record::BrokenSnapshot { snapshot, error } => {
                    snapshots.insert(
                        snapshot.clone(),
                        SnapshotReport { census: None, error: error.clone() },
                    );
                }
            }
        }
        let in_file_order = self.samples.iter().filter_map(|sample| {
            let mut detail = details.remove(sample.id.as_str())?;
            // An earlier session may have spoiled what was measured well since.
            let stands = |error: &String| detail.arms.values().any(|answer| answer.error == *error);
            if !detail.error.is_empty() && !stands(&detail.error) {
                detail.error.clear();
            }
            let snapshot = snapshots.get(&sample.snapshot.to_string());
            if let Some(broken) = snapshot.filter(|snapshot| !snapshot.error.is_empty()) {
                detail.error.clone_from(&broken.error);
            }
            Some(detail)
        });
        (in_file_order.collect(), snapshots)
    }
}
