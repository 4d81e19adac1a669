//! The code graph.

mod cut;
mod gold;
mod outline;
mod patch;
mod pieces;
mod python;
mod python_text;
