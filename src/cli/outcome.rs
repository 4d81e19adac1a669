//! How a run ended, the exit code that says so, and the one error of this room.
//!
//! [`EXIT_CODES`] is the only table of exit codes: `--help` and the manual print it.

use std::fmt;

use crate::text::one_line::OneLine;

/// How an invocation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What was asked for was written.
    Complete,
    /// The report was written, but some samples carry an error instead of a measurement.
    Partial,
    /// Usage or input was refused; nothing was written.
    Refused,
    /// A pinned input is not the one registered.
    NotRegistered,
    /// The host does other work, so nothing was timed.
    NotQuiet,
    /// A signal with this number ended the run.
    Stopped(u8),
}

impl Outcome {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Complete => 0,
            Outcome::Partial => 1,
            Outcome::Refused => 2,
            Outcome::NotRegistered => 3,
            Outcome::NotQuiet => 4,
            Outcome::Stopped(signal) => 128_u8.saturating_add(signal),
        }
    }
}

/// One row of the table of exit codes.
#[derive(Debug)]
pub struct ExitRow {
    /// The code as a reader writes it.
    pub code: &'static str,
    /// What it says.
    pub meaning: &'static str,
}

/// Every exit code, in order.
pub static EXIT_CODES: [ExitRow; 6] = [
    ExitRow { code: "0", meaning: "report written" },
    ExitRow { code: "1", meaning: "report written, but some samples could not be measured" },
    ExitRow { code: "2", meaning: "refused: usage or input, nothing written" },
    ExitRow {
        code: "3",
        meaning: "the pinned corvint, or another pinned input, is not the one registered",
    },
    ExitRow { code: "4", meaning: "the host is not quiet" },
    ExitRow { code: "128+N", meaning: "stopped by signal N" },
];

/// Why there is no report: one lower-case sentence for a person, and the outcome it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    outcome: Outcome,
    message: String,
}

impl CliError {
    /// An error that ends in `outcome`.
    pub fn new(outcome: Outcome, message: impl Into<String>) -> CliError {
        CliError { outcome, message: message.into() }
    }

    /// Usage or input that is refused.
    pub fn refused(message: impl Into<String>) -> CliError {
        CliError::new(Outcome::Refused, message)
    }

    /// Usage or input that another room refuses, in its own words.
    pub fn refused_by(error: impl fmt::Display) -> CliError {
        CliError::refused(error.to_string())
    }

    /// A command line that cannot be read: refused, with the way to the help.
    pub fn syntax(message: impl fmt::Display) -> CliError {
        CliError::refused(format!("{message}; try 'retrieval-bench --help'"))
    }

    /// The outcome, which gives the exit code.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }
}

impl fmt::Display for CliError {
    /// Always one line: arguments and file names may hold line feeds, and a refusal is one line of standard error.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        OneLine(&self.message).fmt(out)
    }
}

impl std::error::Error for CliError {}
