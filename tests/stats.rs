//! What a difference is worth: against hand-computed values, the reference's tables, and the slow oracles.

mod interval;
mod properties;
mod published;
mod summary;

use serde_json::Value;

/// A shared JSON file, where there is one.
fn shared_json(path: &str) -> Option<Value> {
    let path = crate::fixture::shared(path)?;
    let text = std::fs::read(path).expect("the file was there a moment ago");
    Some(serde_json::from_slice(&text).expect("the reference data are JSON"))
}

/// The rows of a shared table that is an array, or of the named array in it.
fn rows(table: &Value) -> &[Value] {
    table.as_array().expect("a table is an array")
}

fn floats(list: &Value) -> Vec<f64> {
    rows(list).iter().map(|value| value.as_f64().expect("a list of numbers")).collect()
}

fn float(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}
