//! What a person types: plans, refusals, help, and where outputs may lie.

mod destination;
mod help;
mod plan;
mod quiet;
mod recorded;

use std::ffi::OsString;
use std::io::{self, Write};

use retrieval_bench::cli::{CliError, Outcome, Plan, Request, RunPlan, Streams, main, parse};

/// The words of a line that needs no quoting.
fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

/// What the words plan, or why they are refused.
fn planned(words: Vec<OsString>) -> Result<Plan, CliError> {
    match parse(words)? {
        Request::Do(args) => Plan::new(*args),
        other => panic!("nothing to plan: {other:?}"),
    }
}

/// The run that a line plans.
fn run_plan(line: &str) -> RunPlan {
    match planned(words(line)) {
        Ok(Plan::Run(plan)) => *plan,
        other => panic!("{line}: {other:?}"),
    }
}

/// The message with which a line is refused.
fn refusal(line: &str) -> String {
    match planned(words(line)) {
        Err(error) => {
            assert_eq!(error.outcome(), Outcome::Refused, "{line}");
            error.to_string()
        }
        Ok(plan) => panic!("{line} is accepted: {plan:?}"),
    }
}

/// Outcome, standard output and standard error of the whole program.
fn typed(words: Vec<OsString>) -> (Outcome, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = main(words, &mut Streams { out: &mut out, err: &mut err });
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    (outcome, text(out), text(err))
}

/// A standard output that fails with one kind of error.
struct Failing(io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_went_away_is_not_an_error() {
    let mut err = Vec::new();
    let mut gone = Failing(io::ErrorKind::BrokenPipe);
    let outcome = main(words("man"), &mut Streams { out: &mut gone, err: &mut err });
    assert_eq!((outcome, err.as_slice()), (Outcome::Complete, &b""[..]));
}

#[test]
fn the_binary_survives_a_closed_pipe() {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_retrieval-bench"))
        .arg("arms")
        .stdout(writer)
        .output()
        .expect("the binary starts");
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
}

#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let mut err = Vec::new();
    let mut full = Failing(io::ErrorKind::StorageFull);
    let outcome = main(words("arms"), &mut Streams { out: &mut full, err: &mut err });
    assert_eq!(outcome, Outcome::Refused);
    assert!(err.starts_with(b"retrieval-bench: standard output: "));
}

#[test]
fn a_bare_invocation_names_the_first_thing_to_try() {
    let (outcome, out, err) = typed(Vec::new());
    assert_eq!((outcome.code(), out.as_str()), (2, ""));
    assert!(err.contains("retrieval-bench demo"), "{err}");
}

#[test]
fn every_arm_is_one_line_of_the_table_of_arms() {
    let (outcome, out, _) = typed(words("arms"));
    assert_eq!(outcome, Outcome::Complete);
    let names: Vec<&str> = out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let arms: Vec<&str> = retrieval_bench::arm::ARMS.iter().map(|row| row.name).collect();
    assert_eq!(names, arms);
}
