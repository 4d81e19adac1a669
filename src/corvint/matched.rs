//! Matched snapshot latency: the same question of the context arm without and with the tool's stored snapshot
//! (specification 13).
//!
//! The two calls are interleaved sample by sample, so that whatever slows the host slows both sides. The tool must say
//! itself that it missed and hit its store, and must give one answer: any other outcome ends the run, because then the
//! two times are not of one thing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::ask::{CONTEXT, Said, ask, printed};
use super::capture::Phase;
use super::tool::Tool;
use super::trace::Observed;
use super::verb::verb;
use crate::arm::{Answer, Trouble, Turn, milliseconds};
use crate::process::scratch::private_folder;
use crate::snapshot::PrivateCopy;

/// What the context arm said without the store, and how long that took.
#[derive(Debug)]
pub(super) struct Cold {
    answer: Answer,
    wall_ms: f64,
}

/// Asks without the store, which is there afterwards in any case.
pub(super) fn cold(tool: &Tool, copy: &PrivateCopy, turn: &Turn) -> Result<Cold, Trouble> {
    let ends = |why: String| Trouble::Run(format!("{}: {why}", turn.sample.id));
    let verb = verb(CONTEXT).ok_or_else(|| ends("there is no context arm".to_owned()))?;
    let store = copy.store();
    let hidden = store.map(|store| Hidden::hide(store, &tool.new_path("hidden")));
    let hidden = hidden.transpose().map_err(ends)?;
    tool.prepare().map_err(|why| ends(why.to_string()))?;
    let began = Instant::now();
    let said = ask(tool, copy, verb, turn);
    let wall_ms = milliseconds(began.elapsed());
    if copy.store().is_some() {
        return Err(ends("corvint context: the cold call wrote a store".to_owned()));
    }
    hidden.map(Hidden::show).transpose().map_err(ends)?;
    let said = said.map_err(|trouble| match trouble {
        Trouble::Sample(why) | Trouble::Run(why) => ends(why),
    })?;
    said.record(tool, &turn.sample.id, Phase::Cold)?;
    let Said { answer, observed, .. } = said;
    if answer.is_failed() {
        return Err(ends(answer.error));
    }
    if observed != Observed::Miss {
        let what = observed.name();
        return Err(ends(format!("corvint context: the cold call reported {what}, not a miss")));
    }
    prime(tool, copy).map_err(ends)?;
    Ok(Cold { answer, wall_ms })
}

impl Cold {
    /// The answer with the store, if it is the same one.
    pub fn matched_by(
        &self,
        hit: Answer,
        observed: Observed,
        turn: &Turn,
    ) -> Result<Answer, Trouble> {
        let ends = |why: String| Err(Trouble::Run(format!("{}: {why}", turn.sample.id)));
        if hit.is_failed() {
            return ends(hit.error);
        }
        if observed != Observed::Hit {
            let what = observed.name();
            return ends(format!("corvint context: the warm call reported {what}, not a hit"));
        }
        let cold = &self.answer;
        let same = cold.ranked == hit.ranked
            && cold.abstained == hit.abstained
            && cold.state == hit.state
            && cold.top_score == hit.top_score;
        if !same {
            return ends("corvint context: it answers otherwise without its store".to_owned());
        }
        let cache_state = observed.name().to_owned();
        Ok(Answer { cache_state, cold_wall_ms: self.wall_ms, ..hit })
    }
}

/// Has the tool store its snapshot of the copy, unless it has.
pub(super) fn prime(tool: &Tool, copy: &PrivateCopy) -> Result<(), String> {
    if copy.store().is_some() {
        return Ok(());
    }
    tool.prepare().map_err(|why| why.to_string())?;
    let finished = tool.call(vec!["--root".into(), copy.path().into(), "index".into()], false);
    printed("index", &finished, tool, copy)?;
    copy.check_clean()?;
    copy.store().map(|_| ()).ok_or_else(|| "corvint index: it wrote no store".to_owned())
}

/// A store that is out of the tool's sight until it is shown, or this is dropped.
#[derive(Debug)]
struct Hidden {
    store: PathBuf,
    place: PathBuf,
    shown: bool,
}

impl Hidden {
    fn hide(store: PathBuf, folder: &Path) -> Result<Hidden, String> {
        let place = folder.join("index");
        private_folder(folder)
            .and_then(|()| fs::rename(&store, &place))
            .map_err(|why| format!("the tool's store cannot be hidden: {why}"))?;
        Ok(Hidden { store, place, shown: false })
    }

    fn show(mut self) -> Result<(), String> {
        self.shown = true;
        fs::rename(&self.place, &self.store)
            .map_err(|why| format!("the tool's store cannot be put back: {why}"))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if !self.shown {
            let _ = fs::rename(&self.place, &self.store);
        }
    }
}
