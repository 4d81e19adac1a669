//! The work on one repository: its snapshots one after another, every pending arm on every sample.
//!
//! Commits of one repository share most of their contents, so its snapshots are taken together and in order, and what
//! the arms learned of a content at one commit serves at the next. Repositories share next to nothing and may be worked
//! on side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::families::Families;
use super::journal::{Journal, Record};
use super::progress::Progress;
use super::{BenchError, Experiment};
use crate::arm::{Answer, ArmRow, Turn};
use crate::dataset::{Sample, SnapshotKey};
use crate::metric::{self, Judged, LineJudgement};
use crate::snapshot::{Census, Contents, SnapshotError, Survey, Tree, count_lines};

/// The samples of one repository, by snapshot, each snapshot's in file order.
pub type Repository<'a> = BTreeMap<&'a SnapshotKey, Vec<&'a Sample>>;

/// What earlier runs have finished.
#[derive(Debug, Default)]
pub struct Done {
    answers: BTreeSet<(String, &'static str)>,
    snapshots: BTreeMap<String, Census>,
}

impl Done {
    /// What a journal's records finish. A broken snapshot is tried again.
    pub fn of(records: &[Record]) -> Done {
        let mut done = Done::default();
        for record in records {
            match record {
                Record::Answer { sample, arm, .. } => {
                    if let Some(row) = crate::arm::row(arm) {
                        done.answers.insert((sample.clone(), row.name));
                    }
                }
                Record::Snapshot { snapshot, census } => {
                    done.snapshots.insert(snapshot.clone(), census.clone());
                }
                Record::BrokenSnapshot { .. }
                | Record::SpoiledSample { .. }
                | Record::Resumed { .. } => {}
            }
        }
        done
    }

    fn pending(&self, arms: &[&'static ArmRow], sample: &Sample) -> Vec<&'static ArmRow> {
        let finished = |row: &ArmRow| self.answers.contains(&(sample.id.clone(), row.name));
        arms.iter().copied().filter(|row| !finished(row)).collect()
    }
}

/// What the threads of a run share.
#[derive(Debug)]
pub struct Shared<'a> {
    /// What is run.
    pub experiment: &'a Experiment,
    /// What earlier runs have finished.
    pub done: &'a Done,
    /// Where records go.
    pub journal: &'a Mutex<Journal>,
    /// What a person sees.
    pub progress: &'a Progress,
}

impl Shared<'_> {
    fn append(&self, record: Record) -> Result<(), BenchError> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).append(record)
    }

    fn sync(&self) -> Result<(), BenchError> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).sync()
    }
}

/// Works through one repository. An error is the journal's, or that of a snapshot that changed since an earlier run began:
/// everything else is data.
pub fn work(repository: &Repository<'_>, shared: &Shared<'_>) -> Result<(), BenchError> {
    let samples: Vec<&Sample> = repository.values().flatten().copied().collect();
    let mut families = Families::open(shared.experiment, &samples);
    let mut contents = Contents::default();
    for (key, samples) in repository {
        let pending: Vec<_> =
            samples.iter().map(|s| (*s, shared.done.pending(&shared.experiment.arms, s))).collect();
        let finished = pending.iter().all(|(_, arms)| arms.is_empty())
            && shared.done.snapshots.contains_key(&key.to_string());
        if finished {
            shared.progress.samples_done(samples.len());
            shared.progress.snapshot_done(key, "measured by an earlier run");
            continue;
        }
        let began = Instant::now();
        let opened = open(key, shared.experiment, &mut contents, &mut families);
        let (mut tree, mut survey) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                shared.progress.samples_done(samples.len());
                shared.progress.snapshot_done(key, &error.reason);
                let snapshot = key.to_string();
                shared.append(Record::BrokenSnapshot { snapshot, error: error.reason })?;
                continue;
            }
        };
        survey
            .count_gold(&contents, samples.iter().flat_map(|s| s.gold.iter().map(String::as_str)));
        families.enter(&survey);
        let census = survey.census.clone();
        if shared.done.snapshots.get(&key.to_string()).is_some_and(|earlier| *earlier != census) {
            return Err(BenchError::new(format!(
                "snapshot {key} is not the one that this run began with: restore it, or run anew under a new output"
            )));
        }
        shared.append(Record::Snapshot { snapshot: key.to_string(), census })?;
        // Reading the snapshot is the lexical arms' cost; its first call carries it.
        families.reading = began.elapsed();
        for (sample, arms) in pending {
            let options = &shared.experiment.options;
            let turn = Turn { sample, arms: &arms, options };
            let told = |arm: &ArmRow| shared.progress.arm(key, arm.name);
            let (answers, spoiled) = families.answer(&turn, &mut *tree, &told)?;
            if let Some(error) = spoiled {
                shared.append(Record::SpoiledSample { sample: sample.id.clone(), error })?;
            }
            for (arm, mut answer) in answers {
                let metrics = judge(sample, &mut answer, shared.experiment, &survey, &mut *tree);
                let (sample, arm) = (sample.id.clone(), arm.name.to_owned());
                shared.append(Record::Answer { sample, arm, answer, metrics })?;
            }
            shared.progress.samples_done(1);
        }
        shared.sync()?;
        let what = format!("{} of {} files searched", survey.census.text, survey.census.files);
        shared.progress.snapshot_done(key, &what);
    }
    Ok(())
}

fn open(
    key: &SnapshotKey,
    experiment: &Experiment,
    contents: &mut Contents,
    families: &mut Families,
) -> Result<(Box<dyn Tree>, Survey), SnapshotError> {
    let location = experiment.sources.resolve(key)?;
    let mut tree = experiment.sources.open(key, &location)?;
    let survey = contents.survey(key, &mut *tree, &mut |id, text| families.content(id, text))?;
    Ok((tree, survey))
}

/// What an answer is worth; line-level metrics read the ranked files again.
fn judge(
    sample: &Sample,
    answer: &mut Answer,
    experiment: &Experiment,
    survey: &Survey,
    tree: &mut dyn Tree,
) -> BTreeMap<String, f64> {
    let mut predicted = Vec::new();
    if sample.gold_lines.is_some() && !answer.is_failed() {
        let mut bytes = Vec::new();
        for path in &answer.ranked {
            let lines = match survey.find(path).map(|file| tree.read(file, &mut bytes)) {
                Some(Ok(())) => count_lines(&bytes),
                Some(Err(error)) => {
                    *answer = Answer::failed(format!("{path}: {}", error.reason));
                    break;
                }
                None => 0,
            };
            predicted.push(lines);
        }
    }
    let gold_lines = sample.gold_lines.as_ref();
    metric::score(&Judged {
        ranked: &answer.ranked,
        abstained: answer.abstained,
        failed: answer.is_failed(),
        gold: sample.is_positive().then_some(sample.gold.as_slice()),
        hard_negatives: &sample.hard_negatives,
        limit: experiment.options.limit,
        lines: gold_lines.map(|gold| LineJudgement { gold, predicted: &predicted }),
    })
}
