//! The code graph.

mod outline;
mod python;
