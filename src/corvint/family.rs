//! The tool's arms at work on one repository: a private copy per snapshot, one call per arm and sample.
//!
//! Invariants: every call is over a copy that was found clean; a copy that is found dirty, or in which something still
//! runs, is not used again, and what the arms said on that sample does not count; the time of an answer is that of its
//! whole call, the look at the tool's store and the reading of its packet included.

use std::time::Instant;

use super::ask::{CONTEXT, Said, ask};
use super::capture::Phase;
use super::matched::{Cold, cold, prime};
use super::tool::Tool;
use super::verb::verb;
use crate::arm::{Answer, ArmRow, Ranker, Trouble, Turn, milliseconds};
use crate::dataset::SnapshotKey;
use crate::snapshot::{PrivateCopy, Survey, Tree};

/// The tool's family over the snapshots of one repository.
#[derive(Debug)]
pub struct Corvint<'a> {
    tool: &'a Tool,
    snapshot: Option<SnapshotKey>,
    copy: Option<PrivateCopy>,
    /// Why there can be none.
    uncopied: Option<String>,
    /// What the context arm said without the tool's store, in matched mode.
    cold: Option<Cold>,
}

impl<'a> Corvint<'a> {
    /// Of this tool.
    pub fn new(tool: &'a Tool) -> Corvint<'a> {
        Corvint { tool, snapshot: None, copy: None, uncopied: None, cold: None }
    }

    /// The copy of the snapshot, made where there is none. Where none can be made none is tried again.
    fn copy(&mut self, tree: &mut dyn Tree) -> Result<&PrivateCopy, String> {
        if let Some(why) = &self.uncopied {
            return Err(why.clone());
        }
        if self.copy.is_none() {
            let made = self.make(tree);
            self.uncopied = made.as_ref().err().cloned();
            self.copy = Some(made?);
        }
        self.copy.as_ref().ok_or_else(|| "there is no private copy".to_owned())
    }

    fn make(&self, tree: &mut dyn Tree) -> Result<PrivateCopy, String> {
        let tool = self.tool;
        let key = self.snapshot.as_ref().ok_or("there is no snapshot")?;
        let path = tool.new_path("copy");
        let made = PrivateCopy::make(tool.copies(), key, tree, &path, tool.options().timeout)
            .map_err(|error| error.reason)?;
        made.check_clean()?;
        Ok(made)
    }

    /// What a spoiled sample means: the copy is not used again, and two times that are compared would not be of one thing.
    fn spoiled(&mut self, trouble: Trouble) -> Trouble {
        self.copy = None;
        match trouble {
            Trouble::Sample(why) if self.tool.options().matched => Trouble::Run(why),
            trouble => trouble,
        }
    }

    fn begin_over(&mut self, turn: &Turn, tree: &mut dyn Tree) -> Result<(), Trouble> {
        let tool = self.tool;
        let copy = self.copy(tree).map_err(Trouble::Sample)?;
        if turn.arms.iter().filter_map(|arm| verb(arm.name)).any(|verb| verb.dirties) {
            // Once a copy, and not in the time of the first call.
            copy.list_tracked().map_err(Trouble::Sample)?;
        }
        if tool.options().matched {
            self.cold = match turn.arms.iter().find(|arm| arm.name == CONTEXT) {
                Some(_) => Some(cold(tool, copy, turn)?),
                // The context arm has answered in an earlier session; the others see what they would have seen.
                None => prime(tool, copy).map(|()| None).map_err(Trouble::Run)?,
            };
        }
        Ok(())
    }

    fn ask(&mut self, arm: &'static ArmRow, turn: &Turn) -> Result<Answer, Trouble> {
        let (Some(copy), Some(verb)) = (&self.copy, verb(arm.name)) else {
            return Err(Trouble::Sample(format!("{} has no copy to be asked over", arm.name)));
        };
        self.tool.prepare().map_err(|why| {
            Trouble::Sample(format!("no folder for temporary files can be made: {why}"))
        })?;
        let began = Instant::now();
        let state = cache_state(copy);
        let said = ask(self.tool, copy, verb, turn)?;
        let wall_ms = milliseconds(began.elapsed());
        if arm.name == CONTEXT {
            let phase = if self.cold.is_some() { Phase::Hit } else { Phase::Ordinary };
            said.record(self.tool, &turn.sample.id, phase)?;
        }
        let Said { mut answer, observed, .. } = said;
        if !answer.is_failed() {
            answer.wall_ms = wall_ms;
        }
        answer.cache_state = state.to_owned();
        match &self.cold {
            Some(cold) if arm.name == CONTEXT => cold.matched_by(answer, observed, turn),
            _ => Ok(answer),
        }
    }
}

impl Ranker for Corvint<'_> {
    fn enter(&mut self, snapshot: &Survey) {
        // The old copy goes before there is a new one.
        self.copy = None;
        self.uncopied = None;
        self.snapshot = Some(snapshot.key.clone());
    }

    // The copy is clean here: the last thing that happened to it was the check after the sample before.
    fn begin(&mut self, turn: &Turn, tree: &mut dyn Tree) -> Result<(), Trouble> {
        self.cold = None;
        self.begin_over(turn, tree).map_err(|trouble| self.spoiled(trouble))
    }

    fn rank(&mut self, arm: &'static ArmRow, turn: &Turn) -> Result<Answer, Trouble> {
        self.ask(arm, turn).map_err(|trouble| self.spoiled(trouble))
    }

    fn end(&mut self, _turn: &Turn) -> Result<(), Trouble> {
        let checked = self.copy.as_ref().map_or(Ok(()), PrivateCopy::check_clean);
        checked.map_err(|why| self.spoiled(Trouble::Sample(why)))
    }
}

/// Whether the copy has a store of the tool's, which is observed and not inferred (specification 8).
fn cache_state(copy: &PrivateCopy) -> &'static str {
    if copy.store().is_some() { "PRIMED_SHARED" } else { "COLD_UNIQUE" }
}
