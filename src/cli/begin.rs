//! The beginning of a run: everything that can still refuse it, then the registration, then the journal.
//!
//! A run that was interrupted begins where it was; one whose report is there has nothing to do.

use std::fs;
use std::path::{Path, PathBuf};

use super::tool::{check_expected, pending_capture};
use super::{CliError, Outcome, RunPlan, Streams, quiet};
use crate::bench::{Experiment, Journal, Record};
use crate::publish;
use crate::registration::{Gate, Registration};
use crate::report::{Origin, Report};

/// What the journal's name adds to the name of the file it stands beside.
const JOURNAL_SUFFIX: &str = ".journal.jsonl";

/// How a run begins.
pub(super) enum Begun {
    /// With this journal, under this registration.
    Now(Journal, Box<Registration>),
    /// It has ended already, so.
    Finished(Outcome),
}

/// Begins the run of `experiment` under `registration`, or under that of the run it continues.
pub(super) fn begin(
    plan: &RunPlan,
    experiment: &mut Experiment,
    mut registration: Registration,
    gate: &mut Gate,
    streams: &mut Streams,
) -> Result<Begun, CliError> {
    match (&plan.registration, plan.resume) {
        (None, _) => {
            check_expected(plan, experiment)?;
            registration.conditions = quiet::pass(gate, plan, streams)?;
            Ok(Begun::Now(Journal::in_memory(), Box::new(registration)))
        }
        (Some(path), false) => {
            if let Some(output) = &plan.output {
                publish::ensure_vacant(output).map_err(CliError::refused_by)?;
            }
            // Before the registration, which would be left behind without a run.
            let journal = journal_path(plan, path);
            if journal.symlink_metadata().is_ok() {
                return Err(CliError::refused(format!(
                    "{} exists already: an earlier run was interrupted; continue it with --resume, or name another --output",
                    journal.display()
                )));
            }
            for path in [path, &journal] {
                publish::ensure_vacant(path).map_err(CliError::refused_by)?;
            }
            publish::distinct(&[("--registration", path), ("the journal", &journal)])
                .map_err(CliError::refused_by)?;
            let capture = pending_capture(plan, experiment, &journal)?;
            check_expected(plan, experiment)?;
            registration.conditions = quiet::pass(gate, plan, streams)?;
            let header =
                capture.as_ref().map(|pending| pending.header(&registration)).transpose()?;
            let digest = registration.write_new(path).map_err(CliError::refused_by)?;
            if let (Some(capture), Some(header)) = (capture, header) {
                capture.begin(&header, experiment)?;
            }
            let journal = Journal::create(&journal, &digest.to_string());
            Ok(Begun::Now(journal.map_err(CliError::refused_by)?, Box::new(registration)))
        }
        (Some(path), true) if path.exists() => {
            let (earlier, digest) = Registration::read(path).map_err(CliError::refused_by)?;
            refuse_differences(path, &earlier, &registration)?;
            let (journal, digest) = (journal_path(plan, path), digest.to_string());
            if let Some(outcome) = finished(plan, &earlier, streams)? {
                // A run that died behind its report has left it; what is no journal of ours stays.
                if journal.exists()
                    && let Ok(left) = Journal::resume(&journal, &digest)
                {
                    left.remove().map_err(CliError::refused_by)?;
                }
                return Ok(Begun::Finished(outcome));
            }
            refuse_another_host(path, &earlier, &registration)?;
            refuse_another_way(plan, &earlier)?;
            let mut journal = Journal::resume(&journal, &digest).map_err(CliError::refused_by)?;
            check_expected(plan, experiment)?;
            let moment = quiet::pass(gate, plan, streams)?.before;
            journal.append(Record::Resumed { moment }).map_err(CliError::refused_by)?;
            Ok(Begun::Now(journal, Box::new(earlier)))
        }
        (Some(path), true) => Err(CliError::refused(format!(
            "--resume: there is no registration {}; the run it would continue never began",
            path.display()
        ))),
    }
}

/// How an earlier run ended whose report is there: it is left as it is. A report of anything else is refused.
fn finished(
    plan: &RunPlan,
    earlier: &Registration,
    streams: &mut Streams,
) -> Result<Option<Outcome>, CliError> {
    let Some(output) = plan.output.as_deref().filter(|path| path.exists()) else {
        return Ok(None);
    };
    let report: Option<Report> =
        fs::read(output).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(report) = report.filter(|report| {
        matches!(&report.registration, Some(Origin::Run(copy)) if earlier.is_copied_in(copy))
    }) else {
        return publish::ensure_vacant(output).map(|()| None).map_err(CliError::refused_by);
    };
    if !plan.quiet {
        let program = super::manual::PROGRAM;
        streams.say(&format!("{program}: {} is complete already\n", output.display()));
    }
    let unmeasured = report.details.iter().any(|detail| !detail.error.is_empty());
    Ok(Some(if unmeasured { Outcome::Partial } else { Outcome::Complete }))
}

fn refuse_differences(
    path: &Path,
    earlier: &Registration,
    now: &Registration,
) -> Result<(), CliError> {
    let differences = earlier.differences(now);
    if differences.is_empty() {
        return Ok(());
    }
    Err(CliError::refused(format!(
        "--resume: this is another experiment than the one in {}: {} differ; run it under a new output",
        path.display(),
        differences.join(", ")
    )))
}

/// Half a run's wall times from one host and half from another are the latency of neither.
fn refuse_another_host(
    path: &Path,
    earlier: &Registration,
    now: &Registration,
) -> Result<(), CliError> {
    let differences = earlier.host.differences(&now.host);
    if differences.is_empty() {
        return Ok(());
    }
    Err(CliError::refused(format!(
        "--resume: the run in {} began on another host, and its wall times would be mixed: {} differ; continue it there, \
         or run under a new output",
        path.display(),
        differences.join(", ")
    )))
}

/// A run that began on a host that had to be quiet goes on so, and with as many jobs.
fn refuse_another_way(plan: &RunPlan, earlier: &Registration) -> Result<(), CliError> {
    let began = &earlier.conditions;
    if !plan.quiet_host.is_as_strict_as(began.quiet_host) {
        return Err(CliError::refused(
            "--resume: the run began on a host that had to be quiet; continue it with --quiet-host=require or wait",
        ));
    }
    if plan.jobs as u64 != began.jobs {
        return Err(CliError::refused(format!(
            "--resume: the run began with --jobs {}; continue it so, or its wall times would be mixed",
            began.jobs
        )));
    }
    Ok(())
}

/// The journal stands beside the report, or beside the registration where the report goes to standard output.
fn journal_path(plan: &RunPlan, registration: &Path) -> PathBuf {
    let mut name = plan.output.as_deref().unwrap_or(registration).as_os_str().to_owned();
    name.push(JOURNAL_SUFFIX);
    PathBuf::from(name)
}
