//! The code graph.

mod cut;
mod gold;
mod outline;
mod patch;
mod python;
