//! `demo`: the built-in benchmark, run with every arm that needs no tool, into a new folder.
//!
//! The folder gets the inputs too, so that what is printed last can be typed at once. Nothing that exists is touched.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manual::PROGRAM;
use super::{CliError, Outcome, Plan, Request, RunPlan, Streams, measure};
use crate::arm::{ARMS, Family};
use crate::dataset::{self, ReadOptions, Samples};
use crate::demo;
use crate::publish;
use crate::registration::{Gate, LiveHost};
use crate::snapshot::Sources;

/// The folder's name where none is asked for; a number is added while it is taken.
const FOLDER: &str = "retrieval-bench-demo";
/// How many names are tried.
const MOST_FOLDERS: u32 = 1_000;

/// Where the demo's files lie.
struct Files {
    folder: PathBuf,
    samples: PathBuf,
    corpus: PathBuf,
    report: PathBuf,
}

/// Runs the demo; its inputs, report and registration go into `output`, which must be new.
pub fn demo(output: Option<PathBuf>, streams: &mut Streams) -> Result<Outcome, CliError> {
    let folder = new_folder(output)?;
    let files = Files {
        samples: folder.join("samples.jsonl"),
        corpus: folder.join("corpus"),
        report: folder.join("report.json"),
        folder,
    };
    fill(&files, streams).inspect_err(|_| {
        // A refusal leaves nothing; a folder that something was already written to is not empty and stays.
        let _ = fs::remove_dir(&files.folder);
    })
}

fn fill(files: &Files, streams: &mut Streams) -> Result<Outcome, CliError> {
    let plan = run_plan(files)?;
    let samples = dataset::parse(demo::SAMPLES, "the built-in samples", &ReadOptions::default())
        .map_err(CliError::refused_by)?;
    streams.answer(opening(&samples, &plan).as_bytes())?;
    write_inputs(files)?;
    let without_gold = samples.kept.iter().filter(|sample| !sample.is_positive()).count();
    let sources = Sources {
        embedded: [(demo::key(), demo::CORPUS)].into(),
        git_timeout: plan.timeout,
        ..Sources::default()
    };
    let mut host = LiveHost::new(plan.host_root.clone());
    let gate = Gate::new(plan.quiet_host, &mut host);
    let (report, outcome) = measure::run(&plan, samples, sources, gate, streams)?;
    if let Some(report) = report {
        streams.answer(report.table().as_bytes())?;
    }
    streams.answer(closing(files, without_gold).as_bytes())?;
    Ok(outcome)
}

/// The plan of the command line that a person would type to run this over the inputs that are left.
fn run_plan(files: &Files) -> Result<RunPlan, CliError> {
    // With an equals sign, because the folder's name may begin with a dash.
    let flag = |name: &str, path: &Path| {
        let mut word = OsString::from(name);
        word.push(path);
        word
    };
    // Those that need nothing but the inputs.
    let own = ARMS.iter().filter(|row| row.family == Family::Lexical);
    let arms: Vec<&str> = own.map(|row| row.name).collect();
    let words = [
        flag("--samples=", &files.samples),
        flag("--corpus=", &files.corpus),
        flag("--output=", &files.report),
        OsString::from(format!("--arms={}", arms.join(","))),
        OsString::from("--quiet"),
    ];
    if let Request::Do(args) = super::parse(words)?
        && let Plan::Run(plan) = Plan::new(*args)?
    {
        return Ok(*plan);
    }
    Err(CliError::refused("the demo's command line is no run"))
}

fn new_folder(output: Option<PathBuf>) -> Result<PathBuf, CliError> {
    let named = output.is_some();
    let numbered = (2..=MOST_FOLDERS).map(|number| PathBuf::from(format!("{FOLDER}-{number}")));
    let first = output.unwrap_or_else(|| PathBuf::from(FOLDER));
    let mut last = first.clone();
    for folder in std::iter::once(first).chain(numbered.take_while(|_| !named)) {
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = folder,
            Err(error) => {
                return Err(CliError::refused(format!(
                    "demo: cannot create the folder {}: {error}; name one elsewhere with --output",
                    folder.display()
                )));
            }
        }
    }
    Err(CliError::refused(format!(
        "demo: {} exists already and is never overwritten; name a new folder with --output",
        last.display()
    )))
}

fn write_inputs(files: &Files) -> Result<(), CliError> {
    let key = demo::key();
    let snapshots = files.corpus.join(key.repo.replace('/', "__"));
    fs::create_dir_all(&snapshots).map_err(|error| {
        CliError::refused(format!("demo: cannot create {}: {error}", snapshots.display()))
    })?;
    let chunks = snapshots.join(format!("{}.chunks.jsonl", key.commit));
    for (path, bytes) in [(&chunks, demo::CORPUS), (&files.samples, demo::SAMPLES)] {
        publish::publish(path, bytes).map_err(CliError::refused_by)?;
    }
    Ok(())
}

fn opening(samples: &Samples, plan: &RunPlan) -> String {
    let files = demo::CORPUS.iter().filter(|byte| **byte == b'\n').count();
    format!(
        "demo: {} hand-labelled questions over this program's own source ({files} files), put to {} arms\n\n",
        samples.kept.len(),
        plan.arms.len()
    )
}

/// How to read the table, what was left where, and what to try next; every command can be typed as it stands.
fn closing(files: &Files, without_gold: usize) -> String {
    let Files { folder, samples, corpus, report } = files;
    let [shown, samples, corpus] = [folder, samples, corpus].map(|path| shell_word(path));
    let inputs = format!("--samples {samples} --corpus {corpus}");
    let again = shell_word(&folder.join("bm25.json"));
    let report = report.file_name().unwrap_or_default().display();
    format!(
        "
recall@k and mrr: how much of the gold comes how early. success: a gold file found, or, for the
{without_gold} questions that no file answers, an abstention.

In {shown}: {report} has every ranking, metric and test; {report}.registration.json says
what was run, and was there before the first answer; samples.jsonl and corpus are the inputs.

Next:
  Check inputs, these or your own:
    {PROGRAM} verify {inputs}
  Ask some arms again, in an ordinary run:
    {PROGRAM} {inputs} --arms bm25 --output {again}
  See which arms there are:
    {PROGRAM} arms
  Find every flag, with examples for real data:
    {PROGRAM} --help
"
    )
}

/// The path as one word of a shell, and no flag.
fn shell_word(path: &Path) -> String {
    let mut word = path.display().to_string();
    if word.starts_with('-') {
        word.insert_str(0, "./");
    }
    if word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+,@".contains(c)) {
        return word;
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
