//! One question of one verb over a private copy: made ready, called, read, and the copy put back.
//!
//! What goes wrong is the answer's error, unless it spoils the copy.

use super::call::Call;
use super::capture::Phase;
use super::changed_file::changed_file;
use super::failure::failure;
use super::packet::Asked;
use super::tool::Tool;
use super::trace::Observed;
use super::verb::Verb;
use crate::arm::{Answer, Trouble, Turn};
use crate::process::{Ended, Finished};
use crate::snapshot::PrivateCopy;

/// The arm whose calls are traced.
pub(super) const CONTEXT: &str = "context";

/// A call and what it said.
#[derive(Debug)]
pub(super) struct Said {
    pub answer: Answer,
    pub observed: Observed,
    /// The call itself, where one was made.
    pub finished: Option<Finished>,
}

impl Said {
    /// Keeps what a call of the context arm printed, where that is asked for. Not for the timed span.
    pub fn record(&self, tool: &Tool, sample: &str, phase: Phase) -> Result<(), Trouble> {
        let Some(finished) = &self.finished else { return Ok(()) };
        tool.record(sample, phase, finished, &self.answer.error).map_err(Trouble::Run)
    }
}

/// Asks one verb.
pub(super) fn ask(
    tool: &Tool,
    copy: &PrivateCopy,
    verb: &Verb,
    turn: &Turn,
) -> Result<Said, Trouble> {
    let sample = turn.sample;
    let changed = changed_file(sample, &tool.options().changed_file_from);
    let unasked = |why: String| {
        let (answer, observed) = (Answer::failed(why), Observed::Unknown);
        Ok(Said { answer, observed, finished: None })
    };
    if verb.needs_changed_file && changed.is_none() {
        return unasked("no changed_file in query".to_owned());
    }
    let call = Call {
        root: copy.path(),
        task: &sample.query.text,
        changed: changed.unwrap_or_default(),
        limit: turn.options.limit,
    };
    let dirtied = match verb.dirties.then(|| copy.dirty(call.changed)).transpose() {
        Ok(dirtied) => dirtied,
        Err(why) => return unasked(format!("corvint {}: {why}", verb.word)),
    };
    let finished = tool.call((verb.arguments)(&call), verb.arm == CONTEXT);
    let spoiled = |why: &str| Trouble::Sample(format!("corvint {}: {why}", verb.word));
    if let Some(dirtied) = dirtied {
        dirtied.restore().map_err(|why| spoiled(&why))?;
    }
    if finished.left_running {
        return Err(spoiled("something that it started cannot be ended, and may still be at work"));
    }
    let asked =
        Asked { limit: turn.options.limit, excluded: turn.options.given.excluded(sample), changed };
    let answer = printed(verb.word, &finished, tool, copy).and_then(|packet| {
        let mut answer = (verb.answer)(packet, &asked)
            .map_err(|why| format!("corvint {}: {}", verb.word, tool.unnamed(&why, copy.path())))?;
        for path in answer.ranked.iter_mut().filter(|path| path.starts_with('/')) {
            *path = tool.unnamed(path, copy.path());
        }
        Ok(answer)
    });
    let (answer, observed) =
        (answer.unwrap_or_else(Answer::failed), Observed::on(&finished.stderr));
    Ok(Said { answer, observed, finished: Some(finished) })
}

/// What a call has printed, if it succeeded.
pub(super) fn printed<'f>(
    word: &str,
    finished: &'f Finished,
    tool: &Tool,
    copy: &PrivateCopy,
) -> Result<&'f [u8], String> {
    match &finished.ended {
        Ended::Exited(0) => Ok(&finished.stdout),
        ended => {
            let said = tool.unnamed(&String::from_utf8_lossy(&finished.stderr), copy.path());
            Err(failure(word, ended, said.as_bytes(), copy.path()))
        }
    }
}
