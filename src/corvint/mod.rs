//! The tool under test: what it is asked, what its packets mean, and what is kept of them. Starts no process.

mod affected;
mod context;
mod failure;
mod impact;
mod packet;
mod query;
mod trace;
mod verb;

pub use failure::{COPY, Ended, failure, failure_reason, hide_copy};
pub use packet::Asked;
pub use trace::{Observed, TRACE_VARIABLE};
pub use verb::{Call, VERBS, Verb, verb};
