//! The families that a run's arms belong to, at work on one repository.
//!
//! A family that gets into trouble on a sample costs its own arms that sample; the others' answers stand.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::{BenchError, Experiment};
use crate::arm::{Answer, ArmRow, Family, Ranker, Trouble, Turn, milliseconds};
use crate::corvint::Corvint;
use crate::dataset::Sample;
use crate::lexical::Lexical;
use crate::snapshot::{ContentId, Survey, Tree};

/// What a sample's arms said, in the order in which they were asked.
pub(super) type Answers = Vec<(&'static ArmRow, Answer)>;

/// The families, opened for one repository.
pub(super) struct Families<'a> {
    open: BTreeMap<Family, Box<dyn Ranker + 'a>>,
    /// What reading the snapshot took, until an arm has carried it.
    pub reading: Duration,
}

impl<'a> Families<'a> {
    /// Opens those that the arms of `experiment` belong to.
    pub fn open(experiment: &'a Experiment, samples: &[&Sample]) -> Families<'a> {
        let mut open: BTreeMap<Family, Box<dyn Ranker + 'a>> = BTreeMap::new();
        for family in experiment.arms.iter().map(|arm| arm.family).collect::<BTreeSet<_>>() {
            let arms = experiment.arms.iter().copied().filter(|arm| arm.family == family);
            let ranker: Box<dyn Ranker + 'a> = match (family, &experiment.tool) {
                (Family::Lexical, _) => Box::new(Lexical::new(&arms.collect::<Vec<_>>(), samples)),
                (Family::Corvint, Some(tool)) => Box::new(Corvint::new(tool)),
                // Refused below, sample by sample.
                (Family::Corvint, None) => continue,
            };
            open.insert(family, ranker);
        }
        Families { open, reading: Duration::ZERO }
    }

    /// A text that is new to the repository.
    pub fn content(&mut self, id: ContentId, text: &[u8]) {
        self.open.values_mut().for_each(|family| family.content(id, text));
    }

    /// A new snapshot.
    pub fn enter(&mut self, survey: &Survey) {
        self.open.values_mut().for_each(|family| family.enter(survey));
    }

    /// Has every arm of the turn answer, `told` before each; and why some could not be measured.
    pub fn answer(
        &mut self,
        turn: &Turn,
        tree: &mut dyn Tree,
        told: &dyn Fn(&ArmRow),
    ) -> Result<(Answers, Option<String>), BenchError> {
        let mut spoiled: BTreeMap<Family, String> = BTreeMap::new();
        for (&family, ranker) in &mut self.open {
            let arms: Vec<_> = of(family, turn.arms).collect();
            if !arms.is_empty() {
                note(&mut spoiled, family, ranker.begin(&Turn { arms: &arms, ..*turn }, tree))?;
            }
        }
        let mut answers = Answers::new();
        for &arm in turn.arms {
            told(arm);
            if !spoiled.contains_key(&arm.family) {
                let answer = self.rank(arm, turn);
                if let Some(answer) = note(&mut spoiled, arm.family, answer)? {
                    answers.push((arm, answer));
                    continue;
                }
            }
            answers.push((arm, Answer::default()));
        }
        for (&family, ranker) in &mut self.open {
            let arms: Vec<_> = of(family, turn.arms).collect();
            if !arms.is_empty() {
                note(&mut spoiled, family, ranker.end(&Turn { arms: &arms, ..*turn }))?;
            }
        }
        for (arm, answer) in &mut answers {
            if let Some(why) = spoiled.get(&arm.family) {
                *answer = Answer::failed(why.clone());
            }
        }
        Ok((answers, spoiled.into_values().next()))
    }

    fn rank(&mut self, arm: &'static ArmRow, turn: &Turn) -> Result<Answer, Trouble> {
        let Some(family) = self.open.get_mut(&arm.family) else {
            return Err(Trouble::Sample(format!("{} has no tool to call", arm.name)));
        };
        let began = Instant::now();
        let mut answer = family.rank(arm, turn)?;
        // The tool's family times its calls itself: it does more than a call.
        if arm.family == Family::Lexical && !answer.is_failed() {
            let wall = began.elapsed() + std::mem::take(&mut self.reading);
            answer.wall_ms = milliseconds(wall);
        }
        Ok(answer)
    }
}

fn of<'a>(
    family: Family,
    arms: &'a [&'static ArmRow],
) -> impl Iterator<Item = &'static ArmRow> + 'a {
    arms.iter().copied().filter(move |arm| arm.family == family)
}

/// Writes down what spoils a sample for a family; what ends the run is an error.
fn note<T>(
    spoiled: &mut BTreeMap<Family, String>,
    family: Family,
    done: Result<T, Trouble>,
) -> Result<Option<T>, BenchError> {
    match done {
        Ok(value) => Ok(Some(value)),
        Err(Trouble::Run(why)) => Err(BenchError::new(why)),
        Err(Trouble::Sample(why)) => {
            spoiled.entry(family).or_insert(why);
            Ok(None)
        }
    }
}
