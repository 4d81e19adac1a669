//! [`Args`] → [`Plan`]: every check that needs no file, in the reference's order.
//!
//! Order (reference section 2): flag syntax and positional arguments are refused before this module; then conflicts
//! with `--summarize`, samples, arms, the arm that `--snapshot-latency` needs, the default registration, the
//! registration that `--snapshot-latency` needs, `--context-packets`, limit, max-samples, snapshot syntax, sources.
//! Checks of newer flags stand before the snapshot syntax. Nothing here touches a file.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::arm::{ARMS, ArmRow, Availability, Given};
use crate::cli::args::{Args, Command, InputArgs, RunArgs, SchemaOf};
use crate::cli::args::{VerifyArgs, WorkArgs};
use crate::cli::{CliError, destination};
use crate::dataset::SnapshotKey;
use crate::snapshot::CorpusText;

/// The largest `--limit`.
const MAX_LIMIT: i64 = 50;
/// The largest `--jobs`: far above any host, and small enough that a slip starts no million threads.
const MAX_JOBS: i64 = 512;
/// The largest `--timeout`, seconds: a day.
const MAX_TIMEOUT: f64 = 86_400.0;
/// What `--output` is followed by to name the default registration.
const REGISTRATION_SUFFIX: &str = ".registration.json";

/// Arms, in the table's order.
pub type ArmRows = Vec<&'static ArmRow>;

/// What will be done.
#[derive(Debug)]
pub enum Plan {
    /// Ask samples and write a report.
    Run(RunPlan),
    /// Merge reports.
    Summarize(SummarizePlan),
    /// Run the built-in benchmark.
    Demo {
        /// The folder that keeps its files.
        output: Option<PathBuf>,
    },
    /// Print the table of arms.
    Arms,
    /// Print a JSON Schema.
    Schema(SchemaOf),
    /// Check inputs.
    Verify(VerifyPlan),
    /// Print a completion script.
    Completions(clap_complete::Shell),
    /// Print the manual page.
    Man,
}

/// A run.
#[derive(Debug)]
pub struct RunPlan {
    /// The samples file.
    pub samples: PathBuf,
    /// Trees named one by one; they go before `corpus` and `clones`.
    pub named: BTreeMap<SnapshotKey, PathBuf>,
    /// The folder of snapshots.
    pub corpus: Option<PathBuf>,
    /// The folder of Git clones.
    pub clones: Option<PathBuf>,
    /// Which rows of a chunk file make its texts.
    pub corpus_text: CorpusText,
    /// Whether ContextBench paths are normalised as upstream does.
    pub contextbench_compat: bool,
    /// The arms, in the table's order, never empty.
    pub arms: ArmRows,
    /// The arms that no `--arms` was given for and that this version cannot run; to be named on standard error.
    pub left_out: ArmRows,
    /// The most files a ranking may hold, 1 to 50.
    pub limit: usize,
    /// The most samples that are kept; 0 for all, as in the registration.
    pub max_samples: usize,
    /// The task types that are kept; empty for all.
    pub task_types: Vec<String>,
    /// What becomes of given files.
    pub given: Given,
    /// Repositories at the same time, at least 1.
    pub jobs: usize,
    /// The bound on one call of a tool, above zero.
    pub timeout: Duration,
    /// The corvint executable, as typed.
    pub corvint: OsString,
    /// Whether the context arm is timed cold and warm.
    pub snapshot_latency: bool,
    /// Where the raw answers of the context arm go.
    pub context_packets: Option<PathBuf>,
    /// Where the registration goes, if anywhere.
    pub registration: Option<PathBuf>,
    /// Where the report goes; standard output if `None`.
    pub output: Option<PathBuf>,
    /// Whether an interrupted run is continued.
    pub resume: bool,
    /// Whether progress and notices are left out.
    pub quiet: bool,
}

impl RunPlan {
    /// What standard error says when the run starts: the arms that the default leaves out.
    pub fn notice(&self) -> Option<String> {
        if self.quiet || self.left_out.is_empty() {
            return None;
        }
        let names: Vec<&str> = self.left_out.iter().map(|row| row.name).collect();
        Some(format!(
            "left out {}: not in this version; see 'retrieval-bench arms'",
            names.join(", ")
        ))
    }

    /// Refuses outputs that would destroy one another or an input. To be called before the samples are read and
    /// again before the report is published, because files appear and links move in between.
    pub fn check_destinations(&self) -> Result<(), CliError> {
        let outputs = [
            ("--registration", self.registration.as_deref()),
            ("--output", self.output.as_deref()),
            ("--context-packets", self.context_packets.as_deref()),
        ];
        destination::check(&outputs, &[("--samples", &self.samples)])
    }
}

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

/// A check of inputs.
#[derive(Debug)]
pub struct VerifyPlan {
    /// The samples file.
    pub samples: PathBuf,
    /// Trees named one by one.
    pub named: BTreeMap<SnapshotKey, PathBuf>,
    /// The folder of snapshots.
    pub corpus: Option<PathBuf>,
    /// The folder of Git clones.
    pub clones: Option<PathBuf>,
    /// Which rows of a chunk file make its texts.
    pub corpus_text: CorpusText,
    /// Whether ContextBench paths are normalised as upstream does.
    pub contextbench_compat: bool,
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
        destination::check(&outputs, &[("--samples", &self.samples)])
    }
}

impl Plan {
    /// The plan that a command line asks for, or why there is none.
    pub fn new(args: Args) -> Result<Plan, CliError> {
        match args.command {
            None if args.run.summarize.is_empty() => run(args.run).map(Plan::Run),
            None => summarize(args.run).map(Plan::Summarize),
            Some(Command::Demo { output }) => Ok(Plan::Demo { output: path(output) }),
            Some(Command::Arms) => Ok(Plan::Arms),
            Some(Command::Schema { of }) => Ok(Plan::Schema(of)),
            Some(Command::Verify(args)) => verify(args).map(Plan::Verify),
            Some(Command::Completions { shell }) => Ok(Plan::Completions(shell)),
            Some(Command::Man) => Ok(Plan::Man),
        }
    }
}

fn run(args: RunArgs) -> Result<RunPlan, CliError> {
    let samples = samples(&args.inputs)?;
    let (arms, left_out) = runnable_arms(&args.arms)?;
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
    let limit = limit(args.limit)?;
    let max_samples = max_samples(args.max_samples)?;
    let (jobs, timeout) = (jobs(&args.work)?, timeout(args.timeout)?);
    if args.resume && registration.is_none() {
        return Err(CliError::refused(
            "--resume needs --output or --registration: the journal stands beside the registration",
        ));
    }
    let named = named_snapshots(&args.inputs.snapshot)?;
    let (corpus, clones) = (path(args.inputs.corpus), path(args.inputs.clones));
    require_sources(&named, &corpus, &clones)?;
    Ok(RunPlan {
        samples,
        named,
        corpus,
        clones,
        corpus_text: args.inputs.corpus_text,
        contextbench_compat: args.inputs.contextbench_compat,
        arms,
        left_out,
        limit,
        max_samples,
        task_types: args.task_type,
        given: args.given,
        jobs,
        timeout,
        corvint: args.corvint,
        snapshot_latency: args.snapshot_latency,
        context_packets,
        registration,
        output,
        resume: args.resume,
        quiet: args.quiet,
    })
}

/// A merge: the flags of a run are held to their rules, as the reference does, and then not used.
fn summarize(args: RunArgs) -> Result<SummarizePlan, CliError> {
    let inputs = &args.inputs;
    let conflicts = [
        ("--samples", is_given(&inputs.samples)),
        ("--corpus", is_given(&inputs.corpus)),
        ("--snapshot", !inputs.snapshot.is_empty()),
        ("--clones", is_given(&inputs.clones)),
        ("--resume", args.resume),
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

fn verify(args: VerifyArgs) -> Result<VerifyPlan, CliError> {
    let samples = samples(&args.inputs)?;
    let jobs = jobs(&args.work)?;
    let named = named_snapshots(&args.inputs.snapshot)?;
    let (corpus, clones) = (path(args.inputs.corpus), path(args.inputs.clones));
    require_sources(&named, &corpus, &clones)?;
    Ok(VerifyPlan {
        samples,
        named,
        corpus,
        clones,
        corpus_text: args.inputs.corpus_text,
        contextbench_compat: args.inputs.contextbench_compat,
        write_digests: path(args.write_digests),
        check_digests: path(args.check_digests),
        jobs,
    })
}

/// A path flag; an empty value means it was not given.
fn path(value: Option<OsString>) -> Option<PathBuf> {
    value.filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn is_given(value: &Option<OsString>) -> bool {
    value.as_ref().is_some_and(|value| !value.is_empty())
}

fn samples(inputs: &InputArgs) -> Result<PathBuf, CliError> {
    path(inputs.samples.clone()).ok_or_else(|| {
        CliError::refused("--samples is required; 'retrieval-bench demo' needs no samples")
    })
}

/// The arms that `--arms` selects, in the table's order; `None` where the flag was not given.
fn selected_arms(lists: &[String]) -> Result<Option<ArmRows>, CliError> {
    if lists.is_empty() {
        return Ok(None);
    }
    let names: Vec<&str> = lists.iter().flat_map(|list| list.split(',')).collect();
    let selects = |name: &str, row: &ArmRow| row.name == name || row.group == Some(name);
    if let Some(name) = names.iter().find(|name| !ARMS.iter().any(|row| selects(name, row))) {
        let known: Vec<&str> = ARMS.iter().map(|row| row.name).collect();
        return Err(CliError::refused(format!(
            "--arms: unknown arm {name:?}; name some of {}, or bm25 for both BM25 arms, \
             separated by commas without spaces",
            known.join(", ")
        )));
    }
    Ok(Some(ARMS.iter().filter(|row| names.iter().any(|name| selects(name, row))).collect()))
}

/// The arms of a run, and those that the default leaves out because this version cannot run them.
fn runnable_arms(lists: &[String]) -> Result<(ArmRows, ArmRows), CliError> {
    let Some(arms) = selected_arms(lists)? else {
        return Ok(ARMS.iter().partition(|row| row.availability == Availability::Ready));
    };
    for row in &arms {
        if let Availability::NotBuilt(reason) = row.availability {
            return Err(CliError::refused(format!("--arms: {}: {reason}", row.name)));
        }
    }
    Ok((arms, Vec::new()))
}

/// What `--snapshot-latency` and `--context-packets` need: the context arm, and a registration (section 13).
fn require_context(
    flag: &str,
    arms: &[&'static ArmRow],
    registration: bool,
) -> Result<(), CliError> {
    if !arms.iter().any(|row| row.name == "context") {
        return Err(CliError::refused(
            match crate::arm::row("context").map(|row| row.availability) {
                Some(Availability::NotBuilt(reason)) => {
                    format!("{flag} needs the context arm, but {reason}")
                }
                _ => format!("{flag} needs the context arm; add it to --arms"),
            },
        ));
    }
    if !registration {
        return Err(CliError::refused(format!("{flag} needs --registration or --output")));
    }
    Ok(())
}

fn default_registration(output: &Path) -> PathBuf {
    let mut path = output.as_os_str().to_owned();
    path.push(REGISTRATION_SUFFIX);
    PathBuf::from(path)
}

fn limit(value: i64) -> Result<usize, CliError> {
    usize::try_from(value).ok().filter(|_| (1..=MAX_LIMIT).contains(&value)).ok_or_else(|| {
        CliError::refused(format!("--limit must be within 1..{MAX_LIMIT}, not {value}"))
    })
}

fn max_samples(value: i64) -> Result<usize, CliError> {
    usize::try_from(value).map_err(|_| {
        CliError::refused(format!("--max-samples must not be negative, as {value} is; 0 means all"))
    })
}

fn jobs(work: &WorkArgs) -> Result<usize, CliError> {
    match usize::try_from(work.jobs) {
        Ok(0) => Ok(thread::available_parallelism().map_or(1, NonZero::get)),
        Ok(jobs) if work.jobs <= MAX_JOBS => Ok(jobs),
        _ => Err(CliError::refused(format!(
            "--jobs must be within 0..{MAX_JOBS}, not {}; 0 means one per core",
            work.jobs
        ))),
    }
}

fn timeout(seconds: f64) -> Result<Duration, CliError> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|timeout| !timeout.is_zero() && seconds <= MAX_TIMEOUT)
        .ok_or_else(|| {
            CliError::refused(format!(
                "--timeout must be above 0 and at most {MAX_TIMEOUT} seconds, not {seconds}"
            ))
        })
}

/// `OWNER/NAME@COMMIT=PATH`, cut at the first `=`, its key at the first `@`; for one key the last wins.
fn named_snapshots(values: &[OsString]) -> Result<BTreeMap<SnapshotKey, PathBuf>, CliError> {
    values
        .iter()
        .map(|value| {
            named_snapshot(value).ok_or_else(|| {
                CliError::refused(format!(
                    "--snapshot must be OWNER/NAME@COMMIT=PATH, not {:?}",
                    value.to_string_lossy()
                ))
            })
        })
        .collect()
}

/// The path may hold any bytes; the key is text.
fn named_snapshot(value: &OsStr) -> Option<(SnapshotKey, PathBuf)> {
    let bytes = value.as_bytes();
    let cut = bytes.iter().position(|byte| *byte == b'=')?;
    let (key, path) = (bytes.get(..cut)?, bytes.get(cut + 1..)?);
    let (repo, commit) = std::str::from_utf8(key).ok()?.split_once('@')?;
    if repo.is_empty() || commit.is_empty() || path.is_empty() {
        return None;
    }
    let key = SnapshotKey { repo: repo.into(), commit: commit.into() };
    Some((key, PathBuf::from(OsStr::from_bytes(path))))
}

fn require_sources(
    named: &BTreeMap<SnapshotKey, PathBuf>,
    corpus: &Option<PathBuf>,
    clones: &Option<PathBuf>,
) -> Result<(), CliError> {
    if named.is_empty() && corpus.is_none() && clones.is_none() {
        return Err(CliError::refused(
            "--corpus, --clones or --snapshot is required: they say where the trees are",
        ));
    }
    Ok(())
}
