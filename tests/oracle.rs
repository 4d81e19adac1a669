//! The slow, obvious versions that property tests hold the fast code against.

pub mod anchor;
pub mod lexical;
pub mod metric;
pub mod packet;
pub mod safe_path;
pub mod stats;
