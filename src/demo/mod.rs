//! The built-in benchmark: this project's own source at one commit, with labelled questions.

mod frozen;

pub use frozen::{CORPUS, SAMPLES, key};
