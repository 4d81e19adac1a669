//! Bytes → tokens, identifiers, anchors; what counts as text and as a safe path. Knows no files.

pub mod token;
