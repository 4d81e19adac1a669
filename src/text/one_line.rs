//! Text from inputs in a line for people: whatever a path or an id holds, it starts no new line and drives no terminal.

use std::fmt;

/// The longest sentence about an input, in characters: a message is no place for a path of a megabyte, and a report
/// repeats it for every sample.
const MOST_CHARS: usize = 2_000;

/// `sentence`, cut where nobody would read on.
pub fn short(mut sentence: String) -> String {
    if let Some((cut, _)) = sentence.char_indices().nth(MOST_CHARS) {
        sentence.truncate(cut);
        sentence.push('…');
    }
    sentence
}

/// A text whose control characters are shown escaped.
#[derive(Clone, Copy, Debug)]
pub struct OneLine<'a>(pub &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            if letter.is_control() {
                write!(out, "{}", letter.escape_default())?;
            } else {
                write!(out, "{letter}")?;
            }
        }
        Ok(())
    }
}
