//! Samples files, and the readers of text they stand on.

mod anchor;
mod json;
mod python_json;
mod safe_path;
