//! Where a file of Python may be cut, so that what two versions of it share is parsed once.
//!
//! A file is cut before top-level declarations and before the declarations in top-level classes, at true beginnings of
//! statements only: brackets, strings and continued lines are followed. Whatever is odd (tabs, inconsistent
//! indentation, open brackets at the end) leaves the file whole. Cutting must never change what a file declares:
//! the tests hold it to the parse of whole files.

/// A part of a file that is parsed on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its first byte; it ends where the next part begins.
    pub start: usize,
    /// How many lines stand before it.
    pub lines_before: u32,
    /// Whether it is part of the body of the class that the last part without this mark declares.
    pub in_class: bool,
}

/// What follows a scan of the lines.
#[derive(Default)]
struct Cutter {
    parts: Vec<Part>,
    /// The indentations of the open blocks; that of the file, 0, is left out.
    blocks: Vec<usize>,
    /// Whether the last statement must be followed by a block.
    opens: bool,
    /// The indentation of the body of the open top-level class: `Some(0)` until its first statement is seen.
    body: Option<usize>,
    /// Whether the last statement was a decorator.
    decorated: bool,
    /// Whether the current part began with a declaration.
    declares: bool,
}

/// The parts of a file, in order, the first at byte 0.
pub fn parts(text: &[u8]) -> Vec<Part> {
    let whole = Part { start: 0, lines_before: 0, in_class: false };
    let mut cutter = Cutter { parts: vec![whole], ..Cutter::default() };
    let (mut at, mut lines) = (0, 0);
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let indent = rest.iter().take_while(|byte| **byte == b' ').count();
        match rest.get(indent) {
            Some(b'\n' | b'#') => {}
            Some(b'\r') if rest.get(indent + 1) == Some(&b'\n') => {}
            Some(b'\t' | b'\x0c' | b'\r' | b'\\') => return vec![whole],
            Some(_)
                if !cutter.statement(at, lines, indent, rest.get(indent..).unwrap_or_default()) =>
            {
                return vec![whole];
            }
            _ => {}
        }
        let Some(line) = logical_line(text, at) else { return vec![whole] };
        (at, lines) = (line.end, lines + line.lines);
        if let Some(last) = line.last {
            cutter.opens = last == b':';
        }
    }
    cutter.parts
}

impl Cutter {
    /// A statement that begins on this line; false where its indentation fits nothing.
    fn statement(&mut self, line: usize, lines: u32, indent: usize, text: &[u8]) -> bool {
        if !self.fits(indent) {
            return false;
        }
        let is_decorator = text.first() == Some(&b'@');
        let is_class = begins_with_word(text, b"class");
        let declares = is_decorator
            || is_class
            || begins_with_word(text, b"def")
            || begins_with_word(text, b"async");
        let was_decorated = std::mem::replace(&mut self.decorated, is_decorator);
        if indent == 0 {
            self.body = None;
            if !was_decorated && (declares || self.declares) {
                self.cut(line, lines, false);
            }
            self.declares = declares;
            if is_class {
                self.body = Some(0);
            }
            return true;
        }
        match self.body {
            // Within a function, or a class that is not cut.
            None => {
                // A decorator deeper in the file decorates nothing on this level.
                self.decorated = false;
                true
            }
            Some(body) => {
                let body = if body == 0 { indent } else { body };
                self.body = Some(body);
                if indent > body {
                    self.decorated = false;
                    return true;
                }
                if indent == body && declares && !was_decorated {
                    self.cut(line, lines, true);
                }
                indent == body
            }
        }
    }

    /// Whether a statement may begin here: one level deeper behind a colon, or else on the level of an open block.
    fn fits(&mut self, indent: usize) -> bool {
        if self.opens {
            let is_deeper = indent > self.blocks.last().copied().unwrap_or(0);
            self.blocks.push(indent);
            return is_deeper;
        }
        while self.blocks.last().is_some_and(|block| *block > indent) {
            self.blocks.pop();
        }
        self.blocks.last().copied().unwrap_or(0) == indent
    }

    fn cut(&mut self, start: usize, lines_before: u32, in_class: bool) {
        if start > 0 {
            self.parts.push(Part { start, lines_before, in_class });
        }
    }
}

fn begins_with_word(text: &[u8], word: &[u8]) -> bool {
    text.starts_with(word) && text.get(word.len()).is_some_and(|byte| matches!(byte, b' ' | b'\\'))
}

/// A line that goes on where a bracket or a string is open, or behind a backslash.
struct LogicalLine {
    /// Behind its line feed.
    end: usize,
    /// How many lines it has.
    lines: u32,
    /// The last byte of its code; `None` where it has no code.
    last: Option<u8>,
}

/// The logical line that begins at `start`; `None` where a string or a bracket is still open at the end of the file.
fn logical_line(text: &[u8], start: usize) -> Option<LogicalLine> {
    let (mut at, mut lines, mut depth, mut last) = (start, 0, 0u32, None);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\n' => {
                lines += 1;
                if depth == 0 {
                    return Some(LogicalLine { end: at, lines, last });
                }
                continue;
            }
            b'#' => {
                at += text
                    .get(at..)
                    .and_then(|rest| memchr::memchr(b'\n', rest))
                    .unwrap_or(text.len());
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\x0c' => continue,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b'\\' => match text.get(at) {
                Some(b'\n') => (at, lines) = (at + 1, lines + 1),
                Some(b'\r') if text.get(at + 1) == Some(&b'\n') => {
                    (at, lines) = (at + 2, lines + 1)
                }
                _ => return None,
            },
            b'\'' | b'"' => {
                let (end, passed) = end_of_string(text, at, byte)?;
                (at, lines) = (end, lines + passed);
            }
            _ => {}
        }
        last = Some(byte);
    }
    (depth == 0).then_some(LogicalLine { end: at.min(text.len()), lines, last })
}

/// Where the string ends whose opening quote stands before `start`, and how many lines it crosses. A raw string's quotes
/// are escaped in the same way. A formatted string that nests its own quote is seen as several strings, which end on
/// the same line as it does.
fn end_of_string(text: &[u8], start: usize, quote: u8) -> Option<(usize, u32)> {
    let (mut at, mut lines) = (start, 0);
    let is_triple = text.get(at) == Some(&quote) && text.get(at + 1) == Some(&quote);
    if is_triple {
        at += 2;
    } else if text.get(at) == Some(&quote) {
        return Some((at + 1, 0));
    }
    loop {
        at += memchr::memchr3(quote, b'\\', b'\n', text.get(at..)?)?;
        match text.get(at) {
            Some(b'\\') => {
                lines += u32::from(text.get(at + 1) == Some(&b'\n'));
                if text.get(at + 1) == Some(&b'\r') && text.get(at + 2) == Some(&b'\n') {
                    lines += 1;
                    at += 1;
                }
                at += 2;
            }
            Some(b'\n') if is_triple => (at, lines) = (at + 1, lines + 1),
            Some(b'\n') => return None,
            _ if !is_triple => return Some((at + 1, lines)),
            _ if text.get(at + 1) == Some(&quote) && text.get(at + 2) == Some(&quote) => {
                return Some((at + 3, lines));
            }
            _ => at += 1,
        }
    }
}
