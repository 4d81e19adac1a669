//! The code graph.

mod gold;
mod outline;
mod patch;
mod python;
