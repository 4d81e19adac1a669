//! The code graph: nodes, four kinds of edges, one file per language; patch → gold functions.

mod cut;
pub mod fragment;
mod go;
pub mod gold;
mod java;
mod javascript;
pub mod language;
pub mod lead;
pub mod nested;
pub mod patch;
pub mod pieces;
mod places;
mod python;
mod rust;
mod rust_imports;
pub mod sketch;
mod typescript;
