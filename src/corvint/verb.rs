//! The four verbs as one table, which drives the family of arms.

use std::ffi::OsString;

use super::call::Call;
use super::packet::Asked;
use super::{affected, context, impact, query};
use crate::arm::Answer;

/// One verb.
#[derive(Debug)]
pub struct Verb {
    /// The arm that calls it, a name of [`crate::arm::ARMS`].
    pub arm: &'static str,
    /// The word on the command line.
    pub word: &'static str,
    /// Whether it is asked about a changed file rather than with a text.
    pub needs_changed_file: bool,
    /// Whether that file is made dirty for the call.
    pub dirties: bool,
    /// The command line after the executable.
    pub arguments: fn(&Call) -> Vec<OsString>,
    /// What standard output says when the call succeeded; the error is one sentence.
    pub answer: fn(&[u8], &Asked) -> Result<Answer, String>,
}

/// Every verb, in the order of the table of arms.
pub static VERBS: [Verb; 4] = [
    Verb {
        arm: "corvint",
        word: query::WORD,
        needs_changed_file: false,
        dirties: false,
        arguments: query::arguments,
        answer: query::answer,
    },
    Verb {
        arm: "context",
        word: context::WORD,
        needs_changed_file: false,
        dirties: false,
        arguments: context::arguments,
        answer: context::answer,
    },
    Verb {
        arm: "impact",
        word: impact::WORD,
        needs_changed_file: true,
        dirties: false,
        arguments: impact::arguments,
        answer: impact::answer,
    },
    Verb {
        arm: "affected",
        word: affected::WORD,
        needs_changed_file: true,
        dirties: true,
        arguments: affected::arguments,
        answer: affected::answer,
    },
];

/// The verb that an arm calls.
pub fn verb(arm: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.arm == arm)
}
