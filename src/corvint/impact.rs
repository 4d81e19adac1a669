//! `corvint impact`: what a change of one file reaches, by every place where it is seen (reference harness 8).

use std::ffi::OsString;

use super::call::Call;
use super::packet::{self, Asked, Object, Packet, Row};
use super::query::OUT_OF_SCOPE;
use crate::arm::Answer;

/// The word on the command line.
pub(super) const WORD: &str = "impact";

/// `--root R impact PATH --limit K`; a path that looks like a flag stands behind `--` at the end.
pub(super) fn arguments(call: &Call) -> Vec<OsString> {
    let mut words = call.words(WORD);
    if call.changed.starts_with('-') {
        words.extend(call.limit_words());
        words.extend(["--".into(), call.changed.into()]);
    } else {
        words.push(call.changed.into());
        words.extend(call.limit_words());
    }
    words
}

/// Every path of every result, less the changed file and the given ones. It abstains where none is left.
pub(super) fn answer(stdout: &[u8], asked: &Asked) -> Result<Answer, String> {
    let Object(context) = packet::read::<Packet>(stdout)?.context;
    let all = |Object(row): Object<Row>| row.evidence.into_iter();
    let paths = context.results.into_iter().flat_map(all).map(|Object(seen)| seen.path);
    let paths = asked.without_known(packet::distinct(paths)?);
    let abstained = context.state == OUT_OF_SCOPE || paths.is_empty();
    Ok(asked.answer(stdout, paths, abstained, context.state))
}
