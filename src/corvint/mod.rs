//! The tool under test: what it is asked, what its packets mean, what a call of it costs, and what is kept of it.

mod affected;
mod ask;
mod call;
pub mod capture;
mod changed_file;
mod context;
mod failure;
mod family;
mod impact;
mod matched;
mod packet;
mod query;
mod tool;
mod trace;
mod verb;

pub use crate::process::Ended;
pub use call::Call;
pub use changed_file::changed_file;
pub use failure::{COPY, failure, failure_reason, hide_copy};
pub use family::Corvint;
pub use packet::Asked;
pub use tool::{STDERR_LIMIT, STDOUT_LIMIT, Tool, ToolError, ToolOptions, find};
pub use trace::{Observed, TRACE_VARIABLE};
pub use verb::{VERBS, Verb, verb};
