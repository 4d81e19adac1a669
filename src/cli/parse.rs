//! Words on the command line → [`Args`], a text to print, or a one-line refusal.
//!
//! clap reads; this module only rewords. The reference's grammar is kept where the two differ: a long flag with one
//! dash is refused instead of being read as a cluster of short ones.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use crate::cli::{Args, CliError, manual};

/// What a command line asks for.
#[derive(Debug)]
pub enum Request {
    /// No word was typed at all.
    Nothing,
    /// A text for standard output: help or version.
    Print(String),
    /// Something to plan.
    Do(Box<Args>),
}

/// Reads the words after the program's name.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Request, CliError> {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.is_empty() {
        return Ok(Request::Nothing);
    }
    if let Some(word) = words.iter().take_while(|word| *word != "--").find(|word| clustered(word)) {
        let word = word.to_string_lossy();
        return Err(CliError::syntax(format_args!("unknown flag '{word}': flags take two dashes")));
    }
    let line = std::iter::once(OsString::from(manual::PROGRAM)).chain(words);
    match Args::try_parse_from(line) {
        Ok(args) => Ok(Request::Do(Box::new(args))),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Request::Print(error.render().to_string()))
            }
            _ => Err(CliError::syntax(sentence(&error))),
        },
    }
}

/// Whether clap would read the word as several short flags (`-limit`); a negative number is not one.
fn clustered(word: &OsStr) -> bool {
    matches!(word.as_bytes(), [b'-', first, _, ..] if first.is_ascii_alphabetic())
}

/// clap's complaint as one line.
fn sentence(error: &clap::Error) -> String {
    let suggestion =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
            .into_iter()
            .filter_map(|kind| error.get(kind))
            .find_map(|value| match value {
                ContextValue::String(one) => Some(one.as_str()),
                ContextValue::Strings(many) => many.first().map(String::as_str),
                _ => None,
            });
    let word =
        match error.get(ContextKind::InvalidArg).or(error.get(ContextKind::InvalidSubcommand)) {
            Some(ContextValue::String(word)) => word.as_str(),
            _ => "",
        };
    let complaint = match error.kind() {
        ErrorKind::UnknownArgument if word.starts_with('-') => format!("unknown flag '{word}'"),
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand if suggestion.is_some() => {
            format!("unexpected argument '{word}'")
        }
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => unexpected(word),
        // After a flag, clap takes any bare word for a subcommand.
        ErrorKind::ArgumentConflict if error.get(ContextKind::InvalidSubcommand).is_some() => {
            match Args::command().find_subcommand(word) {
                Some(_) => format!("{word} takes flags of its own, after its name"),
                None => unexpected(word),
            }
        }
        _ => {
            let text = error.render().to_string();
            let first: Vec<&str> =
                text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
            let first = first.join(" ");
            first.strip_prefix("error: ").unwrap_or(&first).to_string()
        }
    };
    match suggestion {
        Some(suggestion) => format!("{complaint}; did you mean '{suggestion}'?"),
        None => complaint,
    }
}

fn unexpected(word: &str) -> String {
    format!("unexpected argument '{word}': inputs are named by flags")
}
