//! `verify`, carried out: what is wrong with the inputs, said on standard output.

use std::time::Duration;

use super::args::DEFAULT_TIMEOUT;
use super::{CliError, Outcome, Streams, VerifyPlan};
use crate::publish;
use crate::verify::{self, Digests, Inputs, Verdict};

/// Checks the inputs of a plan, and writes or compares their digests.
pub fn verify(plan: &VerifyPlan, streams: &mut Streams) -> Result<Outcome, CliError> {
    plan.check_destinations()?;
    if let Some(path) = &plan.write_digests {
        publish::ensure_vacant(path).map_err(CliError::refused_by)?;
    }
    let pins = plan
        .check_digests
        .as_deref()
        .map(|path| Digests::read(path).map(|digests| (path.display().to_string(), digests)));
    let inputs = Inputs {
        samples: plan.inputs.samples.clone(),
        contextbench_compat: plan.inputs.contextbench_compat,
        sources: plan.inputs.sources(Duration::from_secs_f64(DEFAULT_TIMEOUT)),
        jobs: plan.jobs,
        pins: pins.transpose().map_err(CliError::refused_by)?,
    };
    let verified = verify::verify(&inputs).map_err(CliError::refused_by)?;
    if let Some(path) = &plan.write_digests {
        let digests = verified.digests.to_string();
        publish::publish(path, digests.as_bytes()).map_err(CliError::refused_by)?;
    }
    streams.answer(verified.to_string().as_bytes())?;
    Ok(match verified.verdict() {
        Verdict::Clean => Outcome::Complete,
        Verdict::Errors => Outcome::Partial,
        Verdict::NotPinned => Outcome::NotRegistered,
    })
}
