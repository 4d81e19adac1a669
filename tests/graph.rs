//! The code graph.

mod outline;
mod patch;
mod python;
