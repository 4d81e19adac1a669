//! Text from inputs in a line for people: whatever a path or an id holds, it starts no new line and drives no terminal.

use std::fmt;

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
