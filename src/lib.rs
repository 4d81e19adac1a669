//! Measures code retrieval for coding agents: samples × arms → a report one can trust.

pub mod arm;
pub mod bench;
pub mod cli;
pub mod dataset;
pub mod demo;
pub mod lexical;
pub mod metric;
pub mod process;
pub mod publish;
pub mod registration;
pub mod report;
pub mod snapshot;
pub mod stats;
pub mod text;
pub mod verify;
