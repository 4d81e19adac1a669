//! The variables that change what the tool under test does.

use std::ffi::OsString;

/// What the names of the tool's own variables begin with.
const PREFIX: &str = "CORVINT_CONTEXT_";

/// The other names.
const NAMES: [&str; 4] = ["CORVINT_SNAPSHOT_FORMAT", "CORVINT_INDEX_SHARDS", "GOMAXPROCS", "GOGC"];

/// `NAME=VALUE` of every relevant variable of this process, sorted bytewise.
pub fn environment() -> Vec<String> {
    relevant(std::env::vars_os())
}

/// `NAME=VALUE` of the relevant ones among `variables`, sorted bytewise. A byte that is not UTF-8 becomes U+FFFD.
pub fn relevant(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<String> {
    let mut found: Vec<String> = variables
        .into_iter()
        .filter_map(|(name, value)| {
            let name = name.to_str()?;
            let listed = name.starts_with(PREFIX) || NAMES.contains(&name);
            listed.then(|| format!("{name}={}", value.to_string_lossy()))
        })
        .collect();
    found.sort_unstable();
    found
}
