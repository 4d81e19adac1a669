//! The slow, obvious versions that property tests hold the fast code against.

pub mod lexical;
pub mod metric;
pub mod stats;
