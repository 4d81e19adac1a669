//! A check of inputs.

use std::path::PathBuf;

use super::bounds::jobs;
use super::inputs::{InputPlan, path, samples};
use crate::cli::args::VerifyArgs;
use crate::cli::{CliError, destination};

/// A check of inputs.
#[derive(Debug)]
pub struct VerifyPlan {
    /// What is asked and over what.
    pub inputs: InputPlan,
    /// Where the digests go.
    pub write_digests: Option<PathBuf>,
    /// The digests to compare with.
    pub check_digests: Option<PathBuf>,
    /// Repositories at the same time, at least 1.
    pub jobs: usize,
}

impl VerifyPlan {
    /// Refuses a digest file that would destroy the samples or cannot be written.
    pub fn check_destinations(&self) -> Result<(), CliError> {
        let outputs = [("--write-digests", self.write_digests.as_deref())];
        destination::check(&outputs, &[("--samples", &self.inputs.samples)])
    }
}

/// The check that the flags ask for.
pub(super) fn plan(args: VerifyArgs) -> Result<VerifyPlan, CliError> {
    let samples = samples(&args.inputs)?;
    let jobs = jobs(&args.work)?;
    let inputs = InputPlan::new(samples, args.inputs)?;
    Ok(VerifyPlan {
        inputs,
        write_digests: path(args.write_digests),
        check_digests: path(args.check_digests),
        jobs,
    })
}
