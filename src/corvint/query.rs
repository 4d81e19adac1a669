//! `corvint query`: files for a task, by the first place where each result is seen (reference harness 8).

use std::ffi::OsString;

use super::call::Call;
use super::packet::{self, Asked, Object, Packet, Row};
use crate::arm::Answer;
use crate::dataset::sample::QUERY_PREFIX_CHARS;

/// The word on the command line.
pub(super) const WORD: &str = "query";

/// The state in which the tool declines to answer; shared with `impact`.
pub(super) const OUT_OF_SCOPE: &str = "OUT_OF_SCOPE";

/// `--root R query --task T --limit K`; older versions refuse a longer text than the prefix that is passed on.
pub(super) fn arguments(call: &Call) -> Vec<OsString> {
    let cut = call.task.char_indices().nth(QUERY_PREFIX_CHARS).map_or(call.task.len(), |at| at.0);
    call.asking(WORD, &call.task[..cut])
}

/// The first path of each result that has evidence. It abstains where it found nothing, given files counted.
pub(super) fn answer(stdout: &[u8], asked: &Asked) -> Result<Answer, String> {
    let Object(context) = packet::read::<Packet>(stdout)?.context;
    let first = |Object(row): Object<Row>| row.evidence.into_iter().next();
    let paths = context.results.into_iter().filter_map(first).map(|Object(seen)| seen.path);
    let paths = packet::distinct(paths)?;
    let abstained = context.state == OUT_OF_SCOPE || paths.is_empty();
    Ok(asked.answer(stdout, asked.without_given(paths), abstained, context.state))
}
