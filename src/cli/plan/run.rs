//! A run: which arms answer which samples, within which bounds, and where the results go.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::arms::{ArmRows, expected_corvint, one_call_at_a_time, require_context, runnable_arms};
use super::bounds::{copies, jobs, limit, max_samples, quiet_wait, timeout};
use super::inputs::{InputPlan, path, samples};
use crate::arm::Given;
use crate::cli::args::RunArgs;
use crate::cli::{CliError, destination};
use crate::dataset::ChangedFileFrom;
use crate::registration::{HostRoot, QuietHost};

/// What `--output` is followed by to name the default registration.
const REGISTRATION_SUFFIX: &str = ".registration.json";

/// A run.
#[derive(Debug)]
pub struct RunPlan {
    /// What is asked and over what.
    pub inputs: InputPlan,
    /// The arms, in the table's order, never empty.
    pub arms: ArmRows,
    /// Whether the arms were chosen; if not, those that call the tool are left out where there is none.
    pub arms_chosen: bool,
    /// The most files a ranking may hold, 1 to 50.
    pub limit: usize,
    /// The most samples that are kept; 0 for all, as in the registration.
    pub max_samples: usize,
    /// The task types that are kept; empty for all.
    pub task_types: Vec<String>,
    /// What becomes of given files.
    pub given: Given,
    /// Members of a query that may name its changed file, each once, in the order given.
    pub changed_file_from: Vec<ChangedFileFrom>,
    /// Repositories at the same time, at least 1.
    pub jobs: usize,
    /// The bound on one call of a tool, above zero.
    pub timeout: Duration,
    /// The corvint executable, as typed.
    pub corvint: Option<OsString>,
    /// The SHA-256 that the corvint executable must have, in lower case.
    pub expect_corvint: Option<String>,
    /// Private copies at the same time, at least 1.
    pub copies: usize,
    /// Whether the context arm is timed cold and warm.
    pub snapshot_latency: bool,
    /// Where the raw answers of the context arm go.
    pub context_packets: Option<PathBuf>,
    /// Where the registration goes, if anywhere.
    pub registration: Option<PathBuf>,
    /// Where the report goes; standard output if `None`.
    pub output: Option<PathBuf>,
    /// What happens on a host that is not quiet.
    pub quiet_host: QuietHost,
    /// How long a quiet host is waited for at most.
    pub quiet_wait: Duration,
    /// Where the host is read: `/`, but in tests.
    pub host_root: HostRoot,
    /// Whether an interrupted run is continued.
    pub resume: bool,
    /// Whether progress and notices are left out.
    pub quiet: bool,
}

impl RunPlan {
    /// Refuses outputs that would destroy one another or an input. To be called before the samples are read and
    /// again before the report is published, because files appear and links move in between.
    pub fn check_destinations(&self) -> Result<(), CliError> {
        let outputs = [
            ("--registration", self.registration.as_deref()),
            ("--output", self.output.as_deref()),
            ("--context-packets", self.context_packets.as_deref()),
        ];
        destination::check(&outputs, &[("--samples", &self.inputs.samples)])
    }
}

/// The run that the flags ask for.
pub(super) fn plan(args: RunArgs) -> Result<RunPlan, CliError> {
    let samples = samples(&args.inputs)?;
    let (arms, arms_chosen) = runnable_arms(&args.arms)?;
    let output = path(args.output);
    let registration =
        path(args.registration).or_else(|| output.as_deref().map(default_registration));
    let context_packets = path(args.context_packets);
    if args.snapshot_latency {
        require_context("--snapshot-latency", &arms, registration.is_some())?;
    }
    if context_packets.is_some() {
        require_context("--context-packets", &arms, registration.is_some())?;
    }
    if context_packets.is_some() && args.resume {
        return Err(CliError::refused(
            "--context-packets and --resume exclude one another: a capture is of one whole run",
        ));
    }
    let limit = limit(args.limit)?;
    let max_samples = max_samples(args.max_samples)?;
    let (jobs, timeout) = (jobs(&args.work)?, timeout(args.timeout)?);
    let copies = copies(args.copies)?;
    if arms_chosen {
        one_call_at_a_time(&arms, jobs)?;
    }
    let expect_corvint = expected_corvint(args.expect_corvint, &arms)?;
    let quiet_wait = quiet_wait(args.quiet_wait, args.quiet_host)?;
    if args.resume && registration.is_none() {
        return Err(CliError::refused(
            "--resume needs --output or --registration: the journal stands beside the registration",
        ));
    }
    let inputs = InputPlan::new(samples, args.inputs)?;
    Ok(RunPlan {
        inputs,
        arms,
        arms_chosen,
        limit,
        max_samples,
        task_types: args.task_type,
        given: args.given,
        changed_file_from: each_once(args.changed_file_from),
        jobs,
        timeout,
        corvint: args.corvint.filter(|executable| !executable.is_empty()),
        expect_corvint,
        copies,
        snapshot_latency: args.snapshot_latency,
        context_packets,
        registration,
        output,
        quiet_host: args.quiet_host,
        quiet_wait,
        host_root: HostRoot::default(),
        resume: args.resume,
        quiet: args.quiet,
    })
}

/// A member that is named again adds nothing.
fn each_once(mut members: Vec<ChangedFileFrom>) -> Vec<ChangedFileFrom> {
    let mut seen = BTreeSet::new();
    members.retain(|member| seen.insert(*member));
    members
}

fn default_registration(output: &Path) -> PathBuf {
    let mut path = output.as_os_str().to_owned();
    path.push(REGISTRATION_SUFFIX);
    PathBuf::from(path)
}
