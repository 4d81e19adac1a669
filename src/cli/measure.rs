//! A planned run, carried out: read, register, run, report.
//!
//! The order is the promise. Everything that can refuse comes before the registration; the registration is on the disk
//! before the first arm; the report appears whole, by rename, after the last. What was measured stays in the journal
//! until the report is there.

use std::io::{self, IsTerminal};
use std::path::Path;

use super::begin::{Begun, begin};
use super::register::register;
use super::tool::{arms_and_tool, check_unchanged, end_capture, identity};
use super::{CliError, Outcome, RunPlan, Streams, quiet};
use crate::arm::RankOptions;
use crate::bench::{Experiment, Show};
use crate::dataset::{self, ReadOptions, Samples};
use crate::process::stop;
use crate::registration::{Gate, LiveHost};
use crate::report::{Assembly, Origin, Report, Skipped};
use crate::snapshot::Sources;
use crate::text::one_line::OneLine;

/// Carries out a run.
pub fn measure(plan: &RunPlan, streams: &mut Streams) -> Result<Outcome, CliError> {
    plan.check_destinations()?;
    let mut host = LiveHost::new(plan.host_root.clone());
    let gate = Gate::new(plan.quiet_host, &mut host);
    let samples = dataset::read(
        &plan.inputs.samples,
        &ReadOptions {
            max_samples: plan.max_samples,
            task_types: plan.task_types.clone(),
            contextbench_compat: plan.inputs.contextbench_compat,
        },
    )
    .map_err(CliError::refused_by)?;
    run(plan, samples, plan.inputs.sources(plan.timeout), gate, streams).map(|(_, outcome)| outcome)
}

/// Carries out a run over samples that are read already.
pub(super) fn run(
    plan: &RunPlan,
    samples: Samples,
    sources: Sources,
    mut gate: Gate,
    streams: &mut Streams,
) -> Result<(Option<Report>, Outcome), CliError> {
    let (arms, tool) = arms_and_tool(plan, streams)?;
    let mut experiment = Experiment {
        samples: samples.kept,
        sources,
        arms,
        options: RankOptions { limit: plan.limit, given: plan.given },
        tool,
        jobs: plan.jobs,
    };
    experiment.check_snapshots().map_err(CliError::refused_by)?;

    let registration = register(plan, &experiment, &samples.sha256)?;
    let begun = begin(plan, &mut experiment, registration, &mut gate, streams)?;
    let (journal, mut registration) = match begun {
        Begun::Now(journal, registration) => (journal, registration),
        Begun::Finished(outcome) => return Ok((None, outcome)),
    };
    if experiment.samples.is_empty() && !plan.quiet {
        let program = super::manual::PROGRAM;
        streams.say(&format!(
            "{program}: {} holds no sample to ask: look at --task-type and at skipped rows in the report\n",
            plan.inputs.samples.display()
        ));
    }

    if plan.registration.is_some() {
        stop::last_words(
            "; what was measured is kept: the same command with --resume continues it",
        );
    }
    let show = Show::fitting(plan.quiet, io::stderr().is_terminal());
    let journal = experiment.run(journal, show).map_err(CliError::refused_by)?;
    registration.conditions.resumed = journal.resumed();
    quiet::end(&mut gate, plan, &mut registration, streams);
    stop::checkpoint();
    check_unchanged(&experiment, &registration)?;
    end_capture(plan, &mut experiment)?;
    let (details, snapshots) = experiment.details(journal.records());
    let unmeasured: Vec<String> = details
        .iter()
        .filter(|detail| !detail.error.is_empty())
        .map(|detail| format!("{}: {}\n", OneLine(&detail.id), OneLine(&detail.error)))
        .collect();
    let report = Report::assemble(Assembly {
        details,
        samples_sha256: samples.sha256,
        skipped: Skipped { no_gold_unlabeled: samples.no_gold_unlabeled as u64 },
        limit: plan.limit,
        corvint: identity(&experiment),
        registration: Some(Origin::Run(registration)),
        snapshots,
    });
    stop::checkpoint();
    hand_over(&report, plan.output.as_deref(), plan, streams)?;
    journal.remove().map_err(CliError::refused_by)?;
    if let Some(output) = plan.output.as_deref().filter(|_| !plan.quiet) {
        let program = super::manual::PROGRAM;
        streams.say(&format!("{program}: wrote {}\n", output.display()));
    }
    if unmeasured.is_empty() {
        return Ok((Some(report), Outcome::Complete));
    }
    streams.say(&format!(
        "{}: {} of {} samples could not be measured\n{}",
        super::manual::PROGRAM,
        unmeasured.len(),
        report.samples,
        unmeasured.concat()
    ));
    Ok((Some(report), Outcome::Partial))
}

/// Writes the report where the plan says, and the headline table where a person looks.
fn hand_over(
    report: &Report,
    output: Option<&Path>,
    plan: &RunPlan,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let Some(output) = output else {
        let text = report.text().map_err(CliError::refused_by)?;
        return streams.deliver(&text);
    };
    plan.check_destinations()?;
    report.publish(output).map_err(CliError::refused_by)?;
    if !plan.quiet && io::stdout().is_terminal() {
        streams.answer(report.table().as_bytes())?;
    }
    Ok(())
}
