//! `corvint affected`: the tests that what is dirty calls for (reference harness 8).

use std::ffi::OsString;

use serde::Deserialize;

use super::call::Call;
use super::packet::{self, Asked, Object, null_as_default};
use crate::arm::Answer;

/// The word on the command line.
pub(super) const WORD: &str = "affected";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Packet {
    plan: Object<Plan>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Plan {
    #[serde(deserialize_with = "null_as_default")]
    scope: String,
    #[serde(deserialize_with = "null_as_default")]
    selected: Vec<Object<Unit>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Unit {
    #[serde(deserialize_with = "null_as_default")]
    tests: Vec<Option<String>>,
}

/// `--root R affected`: it takes neither path nor limit, the change is what is dirty.
pub(super) fn arguments(call: &Call) -> Vec<OsString> {
    call.words(WORD)
}

/// The tests of the selected units, less the changed file and the given ones. It abstains where none is left; the
/// plan's scope is the state.
pub(super) fn answer(stdout: &[u8], asked: &Asked) -> Result<Answer, String> {
    let Object(plan) = packet::read::<Packet>(stdout)?.plan;
    let tests = plan.selected.into_iter().flat_map(|Object(unit)| unit.tests);
    let paths = packet::distinct(tests.map(Option::unwrap_or_default))?;
    let paths = asked.without_known(paths);
    let abstained = paths.is_empty();
    Ok(asked.answer(stdout, paths, abstained, plan.scope))
}
