//! The arms that a command line selects.

use std::ffi::OsString;

use crate::arm::{ARMS, ArmRow, Family};
use crate::cli::CliError;
use crate::registration::is_sha256;

/// Arms, in the table's order.
pub type ArmRows = Vec<&'static ArmRow>;

/// The arms that `--arms` selects, in the table's order; `None` where the flag was not given.
pub(super) fn selected_arms(lists: &[String]) -> Result<Option<ArmRows>, CliError> {
    if lists.is_empty() {
        return Ok(None);
    }
    let names: Vec<&str> = lists.iter().flat_map(|list| list.split(',')).collect();
    let selects = |name: &str, row: &ArmRow| row.name == name || row.group == Some(name);
    if let Some(name) = names.iter().find(|name| !ARMS.iter().any(|row| selects(name, row))) {
        let known: Vec<&str> = ARMS.iter().map(|row| row.name).collect();
        return Err(CliError::refused(format!(
            "--arms: unknown arm {name:?}; name some of {}, or bm25 for both BM25 arms, \
             separated by commas without spaces",
            known.join(", ")
        )));
    }
    Ok(Some(ARMS.iter().filter(|row| names.iter().any(|name| selects(name, row))).collect()))
}

/// The arms of a run, and whether they were chosen by name.
pub(super) fn runnable_arms(lists: &[String]) -> Result<(ArmRows, bool), CliError> {
    match selected_arms(lists)? {
        Some(arms) => Ok((arms, true)),
        None => Ok((ARMS.iter().collect(), false)),
    }
}

/// Refuses calls of the tool side by side.
pub fn one_call_at_a_time(arms: &[&'static ArmRow], jobs: usize) -> Result<(), CliError> {
    match arms.iter().find(|row| row.family == Family::Corvint) {
        Some(row) if jobs > 1 => Err(CliError::refused(format!(
            "--jobs {jobs}: the {} arm is timed, and calls at the same time would slow one another: \
             use --jobs 1, or run the arms that are not timed by themselves with --arms",
            row.name
        ))),
        _ => Ok(()),
    }
}

/// What `--snapshot-latency` and `--context-packets` need: the context arm, and a registration (section 13).
pub(super) fn require_context(
    flag: &str,
    arms: &[&'static ArmRow],
    registration: bool,
) -> Result<(), CliError> {
    if !arms.iter().any(|row| row.name == "context") {
        return Err(CliError::refused(format!("{flag} needs the context arm; add it to --arms")));
    }
    if !registration {
        return Err(CliError::refused(format!("{flag} needs --registration or --output")));
    }
    Ok(())
}

/// The digest that the corvint executable must have, in lower case (an empty value means none is given).
pub(super) fn expected_corvint(
    value: Option<OsString>,
    arms: &[&'static ArmRow],
) -> Result<Option<String>, CliError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
    let Some(digits) = value.to_str().filter(|digits| is_sha256(digits)) else {
        return Err(CliError::refused(format!(
            "--expect-corvint must be a SHA-256 in 64 hexadecimal digits, not {:?}",
            value.to_string_lossy()
        )));
    };
    if !arms.iter().any(|row| row.family == Family::Corvint) {
        return Err(CliError::refused(
            "--expect-corvint needs an arm that calls corvint, and none is selected",
        ));
    }
    Ok(Some(digits.to_ascii_lowercase()))
}
