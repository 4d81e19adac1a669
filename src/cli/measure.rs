//! A planned run, carried out: read, register, run, report.
//!
//! The order is the promise. Everything that can refuse comes before the registration; the registration is on the disk
//! before the first arm; the report appears whole, by rename, after the last. What was measured stays in the journal
//! until the report is there.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::plan::{ArmRows, one_call_at_a_time};
use super::{CliError, Outcome, RunPlan, Streams, quiet};
use crate::arm::{ArmRow, Family, RankOptions};
use crate::bench::{Experiment, Journal, Show};
use crate::corvint::{self, Tool, ToolOptions};
use crate::dataset::{self, ReadOptions, Samples, fold};
use crate::process::stop;
use crate::publish;
use crate::registration::{
    self, Conditions, Gate, Host, IMAGE_VARIABLE, Identity, LiveHost, Program, Registration,
};
use crate::report::{Assembly, Corvint, Origin, Report, Skipped};
use crate::snapshot::Sources;
use crate::text::one_line::OneLine;

/// The tool's name where no other is given.
const PROGRAM_UNDER_TEST: &str = "corvint";

/// This program's own file, which the guard of the tool's calls is.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// What the journal's name adds to the name of the file it stands beside.
const JOURNAL_SUFFIX: &str = ".journal.jsonl";

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
    let experiment = Experiment {
        samples: samples.kept,
        sources,
        arms,
        options: RankOptions { limit: plan.limit, given: plan.given },
        tool,
        jobs: plan.jobs,
    };
    experiment.check_snapshots().map_err(CliError::refused_by)?;

    let mut registration = register(plan, &experiment, &samples.sha256)?;
    let journal = match (&plan.registration, plan.resume) {
        (None, _) => {
            registration.conditions = quiet::pass(&mut gate, plan, streams)?;
            Journal::in_memory()
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
            publish::ensure_vacant(&journal).map_err(CliError::refused_by)?;
            publish::distinct(&[("--registration", path), ("the journal", &journal)])
                .map_err(CliError::refused_by)?;
            registration.conditions = quiet::pass(&mut gate, plan, streams)?;
            let digest = registration.write_new(path).map_err(CliError::refused_by)?;
            Journal::create(&journal, &digest.to_string()).map_err(CliError::refused_by)?
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
                return Ok((None, outcome));
            }
            refuse_another_host(path, &earlier, &registration)?;
            quiet::pass(&mut gate, plan, streams)?;
            registration = earlier;
            Journal::resume(&journal, &digest).map_err(CliError::refused_by)?
        }
        (Some(path), true) => {
            return Err(CliError::refused(format!(
                "--resume: there is no registration {}; the run it would continue never began",
                path.display()
            )));
        }
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
    quiet::end(&mut gate, plan, &mut registration, streams);
    check_unchanged(&experiment, &registration)?;
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
        corvint: corvint(&experiment),
        registration: Some(Origin::Run(Box::new(registration))),
        snapshots,
    });
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

/// The arms of a run, and the tool that some of them call. Where nobody chose the arms and there is no tool, those that
/// call it are left out and named.
fn arms_and_tool(
    plan: &RunPlan,
    streams: &mut Streams,
) -> Result<(ArmRows, Option<Tool>), CliError> {
    let needs_tool = |row: &&'static ArmRow| row.family == Family::Corvint;
    let (tools, others): (ArmRows, ArmRows) = plan.arms.iter().copied().partition(needs_tool);
    if tools.is_empty() {
        return Ok((others, None));
    }
    let executable = plan.corvint.clone().unwrap_or_else(|| PROGRAM_UNDER_TEST.into());
    let is_asked_for = plan.arms_chosen || plan.corvint.is_some() || plan.expect_corvint.is_some();
    if !is_asked_for && corvint::find(&executable).is_err() {
        if !plan.quiet {
            let names: Vec<&str> = tools.iter().map(|row| row.name).collect();
            streams.say(&format!(
                "{}: left out {}: there is no corvint in PATH; name it with --corvint\n",
                super::manual::PROGRAM,
                names.join(", ")
            ));
        }
        return Ok((others, None));
    }
    one_call_at_a_time(&plan.arms, plan.jobs)?;
    let options = ToolOptions {
        executable,
        timeout: plan.timeout,
        copies: plan.copies,
        matched: plan.snapshot_latency,
        changed_file_from: plan.changed_file_from.clone(),
    };
    let tool = Tool::open(options, Path::new(OWN_PROGRAM)).map_err(CliError::refused_by)?;
    Ok((plan.arms.clone(), Some(tool)))
}

/// The identity of the tool, as a report has it.
fn corvint(experiment: &Experiment) -> Corvint {
    experiment.tool.as_ref().map_or_else(Corvint::default, |tool| Corvint {
        sha256: tool.sha256().to_owned(),
        version: tool.version().to_owned(),
    })
}

/// Refuses to report on programs or an environment that changed while they were measured.
fn check_unchanged(experiment: &Experiment, registered: &Registration) -> Result<(), CliError> {
    let changed = |what: String| CliError::new(Outcome::NotRegistered, what);
    if let Some(tool) = &experiment.tool {
        tool.check_unchanged().map_err(|why| changed(why.to_string()))?;
    }
    let own = registration::own_binary_sha256().map_err(CliError::refused_by)?.to_string();
    if own != registered.bench_sha256 {
        return Err(changed("this program was changed while it measured".to_owned()));
    }
    if registration::environment() != registered.environment {
        return Err(changed("the environment was changed while it was measured in".to_owned()));
    }
    Ok(())
}

/// What is about to be run, on what.
fn register(
    plan: &RunPlan,
    experiment: &Experiment,
    samples_sha256: &str,
) -> Result<Registration, CliError> {
    let arms: Vec<String> = experiment.arms.iter().map(|row| row.name.to_owned()).collect();
    let kinds = experiment.samples.iter().map(|s| (s.task.as_str(), s.stratum.name()));
    // What nobody can look up was not registered: the report plans its comparisons itself, and says so.
    let families = match plan.registration {
        Some(_) => registration::plan_families(&arms, plan.limit, kinds),
        None => Vec::new(),
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let bench_sha256 = registration::own_binary_sha256().map_err(CliError::refused_by)?.to_string();
    let Corvint { sha256, version: tool_version } = corvint(experiment);
    let tool = Program { sha256, version: tool_version };
    let bench = Program { sha256: bench_sha256.clone(), version: version.clone() };
    let registration = Registration {
        families,
        arms,
        bench_sha256,
        changed_file_from: plan.changed_file_from.clone(),
        // What the gate finds, which the run has still to pass.
        conditions: Conditions::default(),
        contextbench_compat: plan.inputs.contextbench_compat,
        corpus_text: plan.inputs.corpus_text,
        corvint_sha256: tool.sha256.clone(),
        environment: registration::environment(),
        fold_map_sha256: fold::FOLD_MAP_SHA256.to_owned(),
        given: plan.given,
        host: Host::read(&plan.host_root),
        identity: Identity::of(bench, tool, std::env::var_os(IMAGE_VARIABLE)),
        limit: plan.limit,
        max_samples: plan.max_samples,
        profile: registration::PROFILE.to_owned(),
        sample_ids: experiment.samples.iter().map(|sample| sample.id.clone()).collect(),
        samples_sha256: samples_sha256.to_owned(),
        snapshot_latency: plan.snapshot_latency,
        task_types: sorted(&plan.task_types),
        timeout_seconds: plan.timeout.as_secs_f64(),
        version,
    };
    registration.sealed().map_err(CliError::refused_by)
}

fn sorted(names: &[String]) -> Vec<String> {
    names.iter().collect::<BTreeSet<_>>().into_iter().cloned().collect()
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

/// The journal stands beside the report, or beside the registration where the report goes to standard output.
fn journal_path(plan: &RunPlan, registration: &Path) -> PathBuf {
    let mut name = plan.output.as_deref().unwrap_or(registration).as_os_str().to_owned();
    name.push(JOURNAL_SUFFIX);
    PathBuf::from(name)
}
