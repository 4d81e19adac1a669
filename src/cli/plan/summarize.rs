//! A merge of reports.

use std::path::PathBuf;

use super::arms::{require_context, selected_arms};
use super::bounds::{jobs, limit, max_samples, timeout};
use super::inputs::{is_given, path};
use crate::arm::ARMS;
use crate::cli::args::RunArgs;
use crate::cli::{CliError, destination};
use crate::registration::QuietHost;

/// A merge of reports.
#[derive(Debug)]
pub struct SummarizePlan {
    /// The reports, in the order given, never empty.
    pub reports: Vec<PathBuf>,
    /// Where the merged report goes; standard output if `None`.
    pub output: Option<PathBuf>,
}

impl SummarizePlan {
    /// Refuses an output that cannot be written.
    pub fn check_destinations(&self) -> Result<(), CliError> {
        destination::check(&[("--output", self.output.as_deref())], &[])
    }
}

/// A merge: the flags of a run are held to their rules, as the reference does, and then not used.
pub(super) fn plan(args: RunArgs) -> Result<SummarizePlan, CliError> {
    let inputs = &args.inputs;
    let conflicts = [
        ("--samples", is_given(&inputs.samples)),
        ("--corpus", is_given(&inputs.corpus)),
        ("--snapshot", !inputs.snapshot.is_empty()),
        ("--clones", is_given(&inputs.clones)),
        ("--resume", args.resume),
        ("--expect-corvint", is_given(&args.expect_corvint)),
        ("--quiet-host", args.quiet_host != QuietHost::Record),
        ("--quiet-wait", args.quiet_wait.is_some()),
    ];
    if let Some((flag, _)) = conflicts.iter().find(|(_, given)| *given) {
        return Err(CliError::refused(format!(
            "--summarize takes no {flag}: it merges reports and runs nothing"
        )));
    }
    let arms = selected_arms(&args.arms)?.unwrap_or_else(|| ARMS.iter().collect());
    if args.snapshot_latency {
        require_context("--snapshot-latency", &arms, is_given(&args.registration))?;
    }
    if is_given(&args.context_packets) {
        return Err(CliError::refused(
            "--context-packets and --summarize exclude one another: a merge calls no arm",
        ));
    }
    limit(args.limit)?;
    max_samples(args.max_samples)?;
    jobs(&args.work)?;
    timeout(args.timeout)?;
    Ok(SummarizePlan {
        reports: args.summarize.into_iter().map(PathBuf::from).collect(),
        output: path(args.output),
    })
}
