//! What stands directly before a declaration: the comments that document it and the attributes that decorate it.
//!
//! The walk meets comments and attributes before the declaration that they belong to, but is not told which one
//! that will be. So it gathers them here, and a declaration takes them if nothing but white space stands between. A blank
//! line cuts comments off, but no attributes: these belong to what follows, however far. No node is asked for its
//! neighbours, which would cost its depth each time.

use super::fragment::Bytes;

/// A run of comments and attributes.
#[derive(Clone, Debug, Default)]
pub struct Lead {
    comments: Vec<Comment>,
    /// The names of the attributes, which whatever takes the run calls.
    pub decorators: Vec<String>,
    /// The line of the first attribute, where there is any.
    pub line: Option<u32>,
    /// Where the run ends.
    end: u32,
}

#[derive(Clone, Debug)]
struct Comment {
    at: Bytes,
    /// Nothing but other such comments stands before it on its line.
    begins_line: bool,
}

/// What stands between the end of a run and what follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// White space with this many line feeds.
    Space(usize),
    /// Something else.
    Source,
}

impl Lead {
    /// The walk is at a comment.
    pub fn comment(&mut self, text: &str, at: Bytes) {
        let gap = self.keep(text, at.start);
        let begins_line = match self.comments.last() {
            Some(before) if gap == Gap::Space(0) => before.begins_line,
            _ => begins_line(text, at.start),
        };
        self.end = at.end;
        self.comments.push(Comment { at, begins_line });
    }

    /// The walk is at an attribute.
    pub fn decorator(&mut self, text: &str, at: Bytes, line: u32, name: &str) {
        self.keep(text, at.start);
        self.end = at.end;
        self.line.get_or_insert(line);
        self.decorators.push(name.to_owned());
    }

    /// The walk is at a declaration that begins at `start`: takes what belongs to it, and leaves nothing.
    pub fn take(&mut self, text: &str, start: u32) -> Lead {
        self.keep(text, start);
        std::mem::take(self)
    }

    /// Keeps what belongs to that which begins at `start`.
    fn keep(&mut self, text: &str, start: u32) -> Gap {
        if self.comments.is_empty() && self.line.is_none() {
            return Gap::Source;
        }
        let gap = gap(text, self.end, start);
        match gap {
            Gap::Space(0 | 1) => {}
            Gap::Space(_) => self.comments.clear(),
            Gap::Source => *self = Lead::default(),
        }
        gap
    }

    /// The last comment that documents, as `documents` sees it.
    pub fn last(&self, text: &str, documents: fn(&str) -> bool) -> Bytes {
        let last = self.comments.iter().rfind(|comment| documents(part(text, &comment.at)));
        last.map_or(Bytes::default(), |comment| comment.at.clone())
    }

    /// From the first comment that documents to the last one.
    pub fn all(&self, text: &str, documents: fn(&str) -> bool) -> Bytes {
        let first = self.comments.iter().find(|comment| documents(part(text, &comment.at)));
        first.map_or(Bytes::default(), |first| first.at.start..self.last(text, documents).end)
    }

    /// The block of comments that each begin their line, back from the last one.
    pub fn block(&self) -> Bytes {
        let block = || self.comments.iter().rev().take_while(|comment| comment.begins_line);
        match (block().last(), block().next()) {
            (Some(first), Some(last)) => first.at.start..last.at.end,
            _ => Bytes::default(),
        }
    }
}

/// Some bytes of the file.
fn part<'a>(text: &'a str, at: &Bytes) -> &'a str {
    text.get(at.start as usize..at.end as usize).unwrap_or_default()
}

/// Looks no further than to the first character that is no white space.
fn gap(text: &str, end: u32, start: u32) -> Gap {
    let Some(between) = text.get(end as usize..start as usize) else { return Gap::Source };
    let mut lines = 0;
    for character in between.chars() {
        match character {
            '\n' => lines += 1,
            _ if character.is_whitespace() => {}
            _ => return Gap::Source,
        }
    }
    Gap::Space(lines)
}

/// Whether nothing but white space stands before `at` on its line.
fn begins_line(text: &str, at: u32) -> bool {
    let before = text.get(..at as usize).unwrap_or_default();
    let last =
        before.chars().rev().find(|character| *character == '\n' || !character.is_whitespace());
    last.is_none_or(|character| character == '\n')
}
