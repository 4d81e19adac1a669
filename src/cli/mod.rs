//! What a person types → a validated plan (args, plan, run); no work happens here.

pub mod args;
mod begin;
mod demo;
pub mod destination;
pub mod manual;
mod measure;
pub mod outcome;
pub mod parse;
pub mod plan;
mod quiet;
mod register;
pub mod run;
mod tool;
mod verify;

pub use args::{Args, SchemaOf};
pub use outcome::{CliError, EXIT_CODES, ExitRow, Outcome};
pub use parse::{Request, parse};
pub use plan::{InputPlan, Plan, RunPlan, SummarizePlan, VerifyPlan};
pub use run::{Streams, main, run};
