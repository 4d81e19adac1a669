//! What a run registers: the experiment, the programs, the host.

use std::collections::BTreeSet;

use super::tool::identity;
use super::{CliError, RunPlan};
use crate::bench::Experiment;
use crate::dataset::fold;
use crate::registration::{
    self, Conditions, Host, IMAGE_VARIABLE, Identity, Program, Registration,
};
use crate::report::Corvint;

/// What is about to be run, on what.
pub(super) fn register(
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
    let Corvint { sha256, version: tool_version } = identity(experiment);
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
