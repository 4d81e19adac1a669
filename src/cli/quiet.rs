//! The gate of a run on the command line: what a person hears of a host that is not quiet.

use std::time::SystemTime;

use super::manual::PROGRAM;
use super::{CliError, Outcome, RunPlan, Streams};
use crate::registration::{Conditions, Gate, QuietHost, Registration, rfc3339};

/// Lets the run begin, or refuses it; answers the conditions under which it does.
pub(super) fn pass(
    gate: &mut Gate,
    plan: &RunPlan,
    streams: &mut Streams,
) -> Result<Conditions, CliError> {
    let waiting = |failed: &str| {
        if !plan.quiet {
            streams.say(&format!("{PROGRAM}: waiting for a quiet host: {failed}\n"));
        }
    };
    let before = gate.pass(plan.quiet_wait, waiting).map_err(|failed| {
        let refusal = match plan.quiet_host {
            QuietHost::Wait => format!(
                "--quiet-host=wait: the host did not become quiet within {} seconds",
                plan.quiet_wait.as_secs()
            ),
            _ => "--quiet-host=require: the host is not quiet".to_owned(),
        };
        CliError::new(Outcome::NotQuiet, format!("{refusal}: {failed}"))
    })?;
    let now = rfc3339(SystemTime::now());
    Ok(Conditions::new(&plan.host_root, plan.jobs, plan.quiet_host, before.clone(), now))
}

/// Looks again behind the last arm, and says so where a quiet host has become noisy.
pub(super) fn end(
    gate: &mut Gate,
    plan: &RunPlan,
    registration: &mut Registration,
    streams: &mut Streams,
) {
    let after = gate.after(registration.conditions.last_beginning());
    let noise = registration.conditions.end(after);
    // Who asked for a quiet host is told whatever else is left out.
    if let Some(noise) = noise.filter(|_| !plan.quiet || plan.quiet_host != QuietHost::Record) {
        streams.say(&format!(
            "{PROGRAM}: the host was quiet before the run and is not after it, so look twice at its latencies: {noise}\n"
        ));
    }
}
