//! What is wrong with the samples themselves, before any snapshot is looked at.

use super::finding::{Finding, Kind, counted};
use crate::dataset::{Sample, Samples, leaks};

/// A sample as a place: the file and line that an editor can open, and its id.
pub(super) fn place(file: &str, sample: &Sample) -> String {
    format!("{file}:{}: sample {}", sample.line, sample.id)
}

/// What is wrong with the file as a whole: nothing to ask, samples left out, samples that no file answers.
pub(super) fn of_file(file: &str, samples: &Samples) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |kind, what: String| findings.push(Finding::new(kind, file, what));
    if samples.kept.is_empty() {
        find(Kind::NoSamples, "holds no sample that a run would ask".to_owned());
    }
    let unlabelled = samples.no_gold_unlabeled as u64;
    if unlabelled > 0 {
        let left_out = counted(unlabelled, "positive sample names", "positive samples name");
        find(
            Kind::Unlabelled,
            format!("{left_out} no gold file; a run leaves such samples out and counts them"),
        );
    }
    let no_gold = samples.kept.iter().filter(|sample| !sample.is_positive()).count() as u64;
    if no_gold > 0 {
        let samples = counted(no_gold, "sample has", "samples have");
        find(
            Kind::NoGold,
            format!("{samples} no gold by intent; only abstaining answers such samples"),
        );
    }
    findings
}

/// Where the query of a sample gives its answer away.
pub(super) fn of_query(file: &str, samples: &Samples, sample: &Sample) -> Vec<Finding> {
    let fix_commits = samples.fix_commits.get(&sample.id).map(Vec::as_slice).unwrap_or_default();
    let found = leaks(sample, fix_commits).into_iter();
    found
        .map(|leak| {
            let what = format!("{leak}; the benchmark's own evaluator skips the sample");
            Finding::new(Kind::Leak, place(file, sample), what)
        })
        .collect()
}
