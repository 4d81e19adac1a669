//! The tool under test on the command line: found, expected, captured, and looked at again.

use std::fs::File;
use std::path::Path;

use super::manual::PROGRAM;
use super::plan::{ArmRows, one_call_at_a_time};
use super::{CliError, Outcome, RunPlan, Streams};
use crate::arm::{ArmRow, Family};
use crate::bench::Experiment;
use crate::corvint::capture::{Capture, CapturePlan, Destination, Surroundings};
use crate::corvint::{self, Tool, ToolOptions};
use crate::registration::{self, Registration};
use crate::report::Corvint;

/// The tool's name where no other is given.
const PROGRAM_UNDER_TEST: &str = "corvint";

/// This program's own file, which the guard of the tool's calls is.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// The arms of a run, and the tool that some of them call. Where nobody chose the arms and there is no tool, those that
/// call it are left out and named.
pub(super) fn arms_and_tool(
    plan: &RunPlan,
    streams: &mut Streams,
) -> Result<(ArmRows, Option<Tool>), CliError> {
    let needs_tool = |row: &&'static ArmRow| row.family == Family::Corvint;
    let (tools, others): (ArmRows, ArmRows) = plan.arms.iter().copied().partition(needs_tool);
    if tools.is_empty() {
        return Ok((others, None));
    }
    let executable = plan.corvint.clone().unwrap_or_else(|| PROGRAM_UNDER_TEST.into());
    let is_asked_for = plan.arms_chosen
        || plan.corvint.is_some()
        || plan.expect_corvint.is_some()
        || plan.snapshot_latency
        || plan.context_packets.is_some();
    if !is_asked_for && corvint::find(&executable).is_err() {
        if !plan.quiet {
            let names: Vec<&str> = tools.iter().map(|row| row.name).collect();
            streams.say(&format!(
                "{}: left out {}: there is no corvint in PATH; name it with --corvint\n",
                PROGRAM,
                names.join(", ")
            ));
        }
        return Ok((others, None));
    }
    one_call_at_a_time(&plan.arms, plan.jobs)?;
    refuse_copies_in_inputs(plan)?;
    let options = ToolOptions {
        executable,
        timeout: plan.timeout,
        copies: plan.copies,
        matched: plan.snapshot_latency,
        changed_file_from: plan.changed_file_from.clone(),
        expected: plan.expect_corvint.clone(),
    };
    let tool = Tool::open(options, Path::new(OWN_PROGRAM)).map_err(CliError::refused_by)?;
    Ok((plan.arms.clone(), Some(tool)))
}

/// Refuses another tool than the expected one, which was not run.
pub(super) fn check_expected(plan: &RunPlan, experiment: &Experiment) -> Result<(), CliError> {
    match (&plan.expect_corvint, &experiment.tool) {
        (Some(expected), Some(tool)) if *expected != tool.sha256() => Err(CliError::new(
            Outcome::NotRegistered,
            format!(
                "--expect-corvint: the executable's digest is {}, not {expected}",
                tool.sha256()
            ),
        )),
        _ => Ok(()),
    }
}

/// Refuses to make private copies inside a tree that is measured: it would be written to, and hold them.
fn refuse_copies_in_inputs(plan: &RunPlan) -> Result<(), CliError> {
    let Ok(temporary) = std::env::temp_dir().canonicalize() else { return Ok(()) };
    let trees = surroundings(plan, Path::new("")).trees;
    let holds = |path: &Path| path.canonicalize().is_ok_and(|path| temporary.starts_with(path));
    match trees.into_iter().find(|(_, path)| holds(path)) {
        None => Ok(()),
        Some((flag, path)) => Err(CliError::refused(format!(
            "private copies would lie in {flag} {}: set TMPDIR to a folder outside of it",
            path.display()
        ))),
    }
}

/// The identity of the tool, as a report has it.
pub(super) fn identity(experiment: &Experiment) -> Corvint {
    experiment.tool.as_ref().map_or_else(Corvint::default, |tool| Corvint {
        sha256: tool.sha256().to_owned(),
        version: tool.version().to_owned(),
    })
}

/// Refuses to report on programs or an environment that changed while they were measured.
pub(super) fn check_unchanged(
    experiment: &Experiment,
    registered: &Registration,
) -> Result<(), CliError> {
    let changed = |what: String| CliError::new(Outcome::NotRegistered, what);
    if let Some(tool) = &experiment.tool {
        tool.check_unchanged().map_err(|why| changed(why.to_string()))?;
    }
    // What runs cannot change, but what is at its path can; a run that is continued would be another program's.
    let own =
        std::env::current_exe().and_then(File::open).and_then(registration::Digest::of_reader);
    if !own.is_ok_and(|own| own.to_string() == registered.bench_sha256) {
        return Err(changed("this program's file was changed while it measured".to_owned()));
    }
    if registration::environment() != registered.environment {
        return Err(changed("the environment was changed while it was measured in".to_owned()));
    }
    Ok(())
}

/// A capture that may begin once its run is registered.
pub(super) struct Pending<'a> {
    destination: Destination,
    plan: CapturePlan,
    around: Surroundings<'a>,
}

/// The capture that a run asks for, as far as it can be refused before anything is written.
pub(super) fn pending_capture<'a>(
    plan: &'a RunPlan,
    experiment: &Experiment,
    journal: &'a Path,
) -> Result<Option<Pending<'a>>, CliError> {
    let Some(path) = &plan.context_packets else { return Ok(None) };
    let calls = CapturePlan::new(&experiment.samples, plan.snapshot_latency);
    let around = surroundings(plan, journal);
    Ok(Some(Pending {
        destination: Destination::check(path, &around).map_err(CliError::refused_by)?,
        plan: calls.map_err(CliError::refused_by)?,
        around,
    }))
}

impl Pending<'_> {
    /// Its first line, which can be too long.
    pub fn header(&self, registration: &Registration) -> Result<Vec<u8>, CliError> {
        let value = serde_json::to_value(registration).map_err(CliError::refused_by)?;
        self.plan.header(&value).map_err(CliError::refused_by)
    }

    /// Begins it: from now on the context arm's calls are captured.
    pub fn begin(self, header: &[u8], experiment: &mut Experiment) -> Result<(), CliError> {
        let Pending { destination, plan, around } = self;
        let capture = Capture::create(destination, &plan, header, &around);
        let capture = capture.map_err(CliError::refused_by)?;
        if let Some(tool) = &mut experiment.tool {
            tool.capture_into(plan, capture);
        }
        Ok(())
    }
}

/// Closes the capture, if there is one: it must still be the file that was created.
pub(super) fn end_capture(plan: &RunPlan, experiment: &mut Experiment) -> Result<(), CliError> {
    let Some(capture) = experiment.tool.as_mut().and_then(Tool::take_capture) else {
        return Ok(());
    };
    capture.verify(&surroundings(plan, Path::new("")).files).map_err(CliError::refused_by)?;
    capture.finish().map_err(CliError::refused_by)
}

fn surroundings<'a>(plan: &'a RunPlan, journal: &'a Path) -> Surroundings<'a> {
    let inputs = &plan.inputs;
    let files = [
        ("--samples", Some(inputs.samples.as_path())),
        ("--registration", plan.registration.as_deref()),
        ("--output", plan.output.as_deref()),
        ("the journal", Some(journal).filter(|path| !path.as_os_str().is_empty())),
    ];
    let folders = [("--corpus", inputs.corpus.as_deref()), ("--clones", inputs.clones.as_deref())];
    let named = inputs.named.values().map(|path| ("--snapshot", path.as_path()));
    let given = |(name, path): (&'static str, Option<&'a Path>)| Some((name, path?));
    Surroundings {
        files: files.into_iter().filter_map(given).collect(),
        trees: folders.into_iter().filter_map(given).chain(named).collect(),
    }
}
