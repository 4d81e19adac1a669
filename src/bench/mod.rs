//! The main job: order the snapshots, drive the arms, keep the journal, show progress, resume.

mod error;
mod experiment;
mod families;
pub mod journal;
mod progress;
mod repository;

pub use error::BenchError;
pub use experiment::Experiment;
pub use journal::{Journal, Record};
pub use progress::Show;
