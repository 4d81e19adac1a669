//! What is wrong with the inputs of a run, without running anything.

mod check;
mod chunk_rows;
mod digest;
mod finding;
mod manifest;
mod pins;
mod render;
mod rules;
mod sample;
mod snapshot;

pub use check::{Inputs, Verdict, Verified, verify};
pub use digest::tree_digest;
pub use finding::{Finding, KINDS, Kind, KindRow, Severity};
pub use pins::{Digests, PinsError};
