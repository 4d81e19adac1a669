//! `corvint context`: the files to read for a task, by their ids (reference harness 8).

use std::ffi::OsString;

use serde::Deserialize;

use super::call::Call;
use super::packet::{self, Asked, Object, null_as_default};
use crate::arm::Answer;

/// The word on the command line.
pub(super) const WORD: &str = "context";

/// The state in which nothing was found.
const NO_CANDIDATES: &str = "NO_CANDIDATES";

/// The verdict that no source holds what the task names together: only reserved rows are left.
const UNSUPPORTED_CONJUNCTION: &str = "unsupported-conjunction";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Packet {
    #[serde(deserialize_with = "null_as_default")]
    state: String,
    #[serde(deserialize_with = "null_as_default")]
    results: Vec<Object<Row>>,
    coverage: Object<Coverage>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    #[serde(deserialize_with = "null_as_default")]
    id: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Coverage {
    answerability: Object<Answerability>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answerability {
    #[serde(deserialize_with = "null_as_default")]
    verdict: String,
}

/// `--root R context --task T --limit K`, with the whole text.
pub(super) fn arguments(call: &Call) -> Vec<OsString> {
    call.asking(WORD, call.task)
}

/// The ids of the results. It abstains where it found nothing, given files counted, and on the verdict that the task
/// has no support, whose reserved rows are ranked all the same.
pub(super) fn answer(stdout: &[u8], asked: &Asked) -> Result<Answer, String> {
    let Packet { mut state, results, coverage } = packet::read(stdout)?;
    let ids = results.into_iter().map(|Object(row)| row.id).filter(|id| !id.is_empty());
    let paths = packet::distinct(ids)?;
    let is_unsupported = coverage.0.answerability.0.verdict == UNSUPPORTED_CONJUNCTION;
    let abstained = state == NO_CANDIDATES || is_unsupported || paths.is_empty();
    if is_unsupported {
        state = format!("{state}/{UNSUPPORTED_CONJUNCTION}");
    }
    Ok(asked.answer(stdout, asked.without_given(paths), abstained, state))
}
