//! The one integration harness: a themed module per room, a fixture builder, and the slow, obvious oracles.

mod bench;
mod cli;
mod corvint;
mod dataset;
mod demo;
mod fixture;
mod graph;
mod kill;
mod lexical;
mod metric;
mod oracle;
mod process;
mod publish;
mod registration;
mod report;
mod snapshot;
mod stats;
mod verify;
