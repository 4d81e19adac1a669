//! Bytes → tokens, identifiers, anchors; what counts as text and as a safe path. Knows no files.

pub mod anchor;
pub mod hex;
pub mod json;
pub mod one_line;
pub mod python_json;
pub mod safe_path;
pub mod token;
