//! The arms that a command line selects.

use crate::arm::{ARMS, ArmRow, Availability};
use crate::cli::CliError;

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

/// The arms of a run, and those that the default leaves out because this version cannot run them.
pub(super) fn runnable_arms(lists: &[String]) -> Result<(ArmRows, ArmRows), CliError> {
    let Some(arms) = selected_arms(lists)? else {
        return Ok(ARMS.iter().partition(|row| row.availability == Availability::Ready));
    };
    for row in &arms {
        if let Availability::NotBuilt(reason) = row.availability {
            return Err(CliError::refused(format!("--arms: {}: {reason}", row.name)));
        }
    }
    Ok((arms, Vec::new()))
}

/// What `--snapshot-latency` and `--context-packets` need: the context arm, and a registration (section 13).
pub(super) fn require_context(
    flag: &str,
    arms: &[&'static ArmRow],
    registration: bool,
) -> Result<(), CliError> {
    if !arms.iter().any(|row| row.name == "context") {
        return Err(CliError::refused(
            match crate::arm::row("context").map(|row| row.availability) {
                Some(Availability::NotBuilt(reason)) => {
                    format!("{flag} needs the context arm, but {reason}")
                }
                _ => format!("{flag} needs the context arm; add it to --arms"),
            },
        ));
    }
    if !registration {
        return Err(CliError::refused(format!("{flag} needs --registration or --output")));
    }
    Ok(())
}
