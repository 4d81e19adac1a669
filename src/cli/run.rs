//! A plan → the room that does it. Only printing happens here.
//!
//! Standard output carries answers (help, tables, reports) and stays empty on a refusal; standard error carries one
//! line per refusal and notices. A reader that goes away early (`| head -1`) is not an error.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use crate::arm::ARMS;
use crate::cli::demo::demo;
use crate::cli::manual;
use crate::cli::measure::measure;
use crate::cli::verify::verify;
use crate::cli::{CliError, Outcome, Plan, Request, SchemaOf, SummarizePlan};
use crate::process::stop;
use crate::report;

/// Where answers and messages go.
pub struct Streams<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub err: &'a mut dyn Write,
}

impl Streams<'_> {
    /// Writes an answer to standard output.
    pub fn answer(&mut self, bytes: &[u8]) -> Result<Outcome, CliError> {
        match self.write(bytes) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(stdout_refused(&error)),
            _ => Ok(Outcome::Complete),
        }
    }

    /// Writes a report to standard output. A reader that went away has not got it, and it exists nowhere else.
    pub fn deliver(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.write(bytes).map_err(|error| stdout_refused(&error))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes).and_then(|()| self.out.flush())
    }

    /// Says something on standard error. Where nobody can read it, nothing is left to do.
    pub fn say(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush());
    }
}

fn stdout_refused(error: &io::Error) -> CliError {
    CliError::refused(format!("standard output: {error}"))
}

/// The whole program: the words after its name → how it ended.
pub fn main(words: impl IntoIterator<Item = OsString>, streams: &mut Streams) -> Outcome {
    let done = super::parse(words).and_then(|request| match request {
        Request::Nothing => {
            streams.say(manual::FIRST_STEPS);
            Ok(Outcome::Refused)
        }
        Request::Print(text) => streams.answer(text.as_bytes()),
        Request::Do(args) => run(Plan::new(*args)?, streams),
    });
    // What went wrong because the program is being stopped is nobody's error.
    stop::checkpoint();
    done.unwrap_or_else(|error| {
        streams.say(&format!("{}: {error}\n", manual::PROGRAM));
        error.outcome()
    })
}

/// Carries out a plan.
pub fn run(plan: Plan, streams: &mut Streams) -> Result<Outcome, CliError> {
    match plan {
        Plan::Run(plan) => measure(&plan, streams),
        Plan::Summarize(plan) => summarize(&plan, streams),
        Plan::Demo { output } => demo(output, streams),
        Plan::Arms => streams.answer(arms().as_bytes()),
        Plan::Schema(of) => schema(of, streams),
        Plan::Verify(plan) => verify(&plan, streams),
        Plan::Completions(shell) => streams.answer(&manual::completions(shell)),
        Plan::Man => match manual::page() {
            Ok(page) => streams.answer(&page),
            Err(error) => Err(CliError::refused(format!("the manual page: {error}"))),
        },
    }
}

fn summarize(plan: &SummarizePlan, streams: &mut Streams) -> Result<Outcome, CliError> {
    plan.check_destinations()?;
    let report = report::merge(&plan.reports).map_err(CliError::refused_by)?;
    let Some(output) = &plan.output else {
        return streams.answer(&report.text().map_err(CliError::refused_by)?);
    };
    report.publish(output).map_err(CliError::refused_by)?;
    if io::stdout().is_terminal() {
        streams.answer(report.table().as_bytes())?;
    }
    Ok(Outcome::Complete)
}

fn schema(of: SchemaOf, streams: &mut Streams) -> Result<Outcome, CliError> {
    let schema = match of {
        SchemaOf::Report => report::report_schema(),
        SchemaOf::Registration => report::registration_schema(),
    };
    let text = serde_json::to_string_pretty(&schema).map_err(CliError::refused_by)?;
    streams.answer(format!("{text}\n").as_bytes())
}

/// The table of arms, one line each.
fn arms() -> String {
    let width = ARMS.iter().map(|row| row.name.len()).max().unwrap_or_default();
    ARMS.iter().map(|row| format!("{:<width$}  {}\n", row.name, row.about)).collect()
}
