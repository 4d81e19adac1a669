//! `demo`: the built-in benchmark, run with every arm that is ready, into a new folder.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{CliError, Outcome, Plan, Request, RunPlan, Streams, measure};
use crate::dataset::{self, ReadOptions};
use crate::demo;
use crate::snapshot::Sources;

/// The folder's name where none is asked for; a number is added while it is taken.
const FOLDER: &str = "retrieval-bench-demo";
/// How many names are tried.
const MOST_FOLDERS: u32 = 1_000;

/// Runs the demo; its report and registration go into `output`, which must be new.
pub fn demo(output: Option<PathBuf>, streams: &mut Streams) -> Result<Outcome, CliError> {
    let folder = new_folder(output)?;
    let report_path = folder.join("report.json");
    let plan = run_plan(&report_path)?;
    let samples = dataset::parse(demo::SAMPLES, "the built-in samples", &ReadOptions::default())
        .map_err(CliError::refused_by)?;
    let sources = Sources {
        embedded: [(demo::key(), demo::CORPUS)].into(),
        git_timeout: plan.timeout,
        ..Sources::default()
    };
    let (report, outcome) = measure::run(&plan, samples, sources, streams)?;
    if let Some(report) = report {
        streams.answer(report.table().as_bytes())?;
    }
    streams.answer(next_steps(&folder, &report_path).as_bytes())?;
    Ok(outcome)
}

/// The plan of the command line that a person would type.
fn run_plan(report: &Path) -> Result<RunPlan, CliError> {
    let words: [OsString; 7] = [
        "--samples".into(),
        "built-in".into(),
        "--corpus".into(),
        "built-in".into(),
        "--output".into(),
        report.into(),
        "--quiet".into(),
    ];
    let Request::Do(args) = super::parse(words)? else {
        return Err(CliError::refused("the demo's command line is no run"));
    };
    match Plan::new(*args)? {
        Plan::Run(plan) => Ok(plan),
        _ => Err(CliError::refused("the demo's command line is no run")),
    }
}

fn new_folder(output: Option<PathBuf>) -> Result<PathBuf, CliError> {
    let refused = |folder: &Path, error: io::Error| {
        CliError::refused(format!(
            "demo: cannot create the folder {}: {error}; name a new one with --output",
            folder.display()
        ))
    };
    if let Some(folder) = output {
        return match fs::create_dir(&folder) {
            Ok(()) => Ok(folder),
            Err(error) => Err(refused(&folder, error)),
        };
    }
    let mut last = (PathBuf::from(FOLDER), io::ErrorKind::AlreadyExists.into());
    for number in 1..=MOST_FOLDERS {
        let name = if number == 1 { FOLDER.to_owned() } else { format!("{FOLDER}-{number}") };
        match fs::create_dir(&name) {
            Ok(()) => return Ok(PathBuf::from(name)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                last = (PathBuf::from(name), error);
            }
            Err(error) => return Err(refused(Path::new(&name), error)),
        }
    }
    Err(refused(&last.0, last.1))
}

fn next_steps(folder: &Path, report: &Path) -> String {
    format!(
        "\nThe whole report is {report}; what was run, on what, stands in {folder}/report.json.registration.json.\n\
         Next:\n  \
         retrieval-bench arms                                            who was asked\n  \
         retrieval-bench --samples FILE --corpus DIR --output NEW.json   a run over a release of a benchmark\n  \
         retrieval-bench verify --samples FILE --corpus DIR              what is wrong with its inputs\n  \
         retrieval-bench --help                                          every flag, with examples\n",
        report = report.display(),
        folder = folder.display(),
    )
}
