//! The code graph: nodes, four kinds of edges, one file per language; patch → gold functions.

mod cut;
pub mod fragment;
mod go;
pub mod gold;
mod java;
mod javascript;
pub mod language;
pub mod patch;
pub mod pieces;
mod python;
mod rust;
pub mod sketch;
mod typescript;
