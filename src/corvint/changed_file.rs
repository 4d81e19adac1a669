//! Which file a sample changes, for the verbs that are asked about a change.

use crate::dataset::{ChangedFileFrom, Sample};

/// `query.changed_file`, else the file of the first member in `from` that the query has, else none.
pub fn changed_file<'a>(sample: &'a Sample, from: &[ChangedFileFrom]) -> Option<&'a str> {
    let named = |member: &ChangedFileFrom| {
        sample.changed_file_from.iter().find(|(from, _)| from == member).map(|(_, path)| path)
    };
    sample.changed_file.as_ref().or_else(|| from.iter().find_map(named)).map(String::as_str)
}
