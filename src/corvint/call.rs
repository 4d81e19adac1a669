//! What a call of the tool is about, and the words that every command line shares.

use std::ffi::OsString;
use std::path::Path;

/// What one call is about. Each verb takes what it needs.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The folder it is asked over.
    pub root: &'a Path,
    /// The whole query text.
    pub task: &'a str,
    /// The changed file, relative to `root`; empty where there is none.
    pub changed: &'a str,
    /// The most rows of the answer.
    pub limit: usize,
}

impl Call<'_> {
    /// `--root ROOT VERB`, which begins every call.
    pub(super) fn words(&self, verb: &str) -> Vec<OsString> {
        vec!["--root".into(), self.root.into(), verb.into()]
    }

    /// `--task TEXT --limit K`. A text that looks like a flag would be refused as a word of its own.
    pub(super) fn asking(&self, verb: &str, task: &str) -> Vec<OsString> {
        let mut words = self.words(verb);
        if task.starts_with('-') {
            words.push(format!("--task={task}").into());
        } else {
            words.extend(["--task".into(), task.into()]);
        }
        words.extend(self.limit_words());
        words
    }

    /// `--limit K`.
    pub(super) fn limit_words(&self) -> [OsString; 2] {
        ["--limit".into(), self.limit.to_string().into()]
    }
}
