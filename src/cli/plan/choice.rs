//! Which of the program's jobs a command line asks for.

use std::path::PathBuf;

use super::inputs::path;
use super::{RunPlan, SummarizePlan, VerifyPlan, run, summarize, verify};
use crate::cli::CliError;
use crate::cli::args::{Args, Command, SchemaOf};

/// What will be done.
#[derive(Debug)]
pub enum Plan {
    /// Ask samples and write a report.
    Run(Box<RunPlan>),
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

impl Plan {
    /// The plan that a command line asks for, or why there is none.
    pub fn new(args: Args) -> Result<Plan, CliError> {
        match args.command {
            None if args.run.summarize.is_empty() => {
                run::plan(args.run).map(|plan| Plan::Run(Box::new(plan)))
            }
            None => summarize::plan(args.run).map(Plan::Summarize),
            Some(Command::Demo { output }) => Ok(Plan::Demo { output: path(output) }),
            Some(Command::Arms) => Ok(Plan::Arms),
            Some(Command::Schema { of }) => Ok(Plan::Schema(of)),
            Some(Command::Verify(args)) => verify::plan(args).map(Plan::Verify),
            Some(Command::Completions { shell }) => Ok(Plan::Completions(shell)),
            Some(Command::Man) => Ok(Plan::Man),
        }
    }
}
