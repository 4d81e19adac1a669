//! A file that the corpus builder cut, put together again from its file row and its symbol rows.
//!
//! What the builder does (specification, Agent Retrieval Bench 1.5): lines are numbered as Python's `splitlines` counts
//! them; a symbol row holds the lines from one symbol to the next, so symbol rows tile the file from the first symbol
//! on; every text loses its outer white space and, over 8,000 code points, its end. Hence of each text
//! the first line may lack its indentation, the last its trailing space, and the last of a cut text may be torn.
//!
//! Invariants: a line that is written is the file's line of that number but for that outer space, or a prefix of it that
//! ends with a whole word; a line that no row tells is empty. The head keeps its line breaks. What contradicts the head is
//! not used. One thing cannot be known: how many blank lines stood before the head when no symbol starts inside it. It is
//! then taken to be none, as in 99 files of 100.

use std::ops::{AddAssign, Range};

use super::survey::TRUNCATION_MARKER;

/// Where the builder cuts a text, in code points.
const CUT_CHARS: usize = 8_000;

/// More lines than a file has for each letter of its head, so that a few rows cannot ask for gigabytes: a file of the most
/// bytes the builder takes (400,000) would have three bytes a line.
const MOST_LINES_PER_LETTER: usize = 16;

/// How often the lines of a file may be told by symbols: the builder's tell each line at most once.
const MOST_TELLINGS: usize = 2;

/// More blank lines than any file starts with.
const MOST_LEADING_LINES: usize = 1_000;

/// How much of cut files is known, in lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Lines of the files.
    pub lines: u64,
    /// Lines that the file rows alone hold whole.
    pub in_head: u64,
    /// Lines known whole, from either kind of row.
    pub known: u64,
}

impl AddAssign for Recovered {
    fn add_assign(&mut self, other: Recovered) {
        self.lines += other.lines;
        self.in_head += other.in_head;
        self.known += other.known;
    }
}

/// A symbol row, decoded.
#[derive(Clone, Debug)]
pub(super) struct Symbol<'a> {
    /// First line, from 1.
    pub start: u64,
    /// Last line.
    pub end: u64,
    /// Its text.
    pub text: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unknown,
    /// A prefix.
    Torn,
    Known,
}

#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    text: &'a str,
    /// The line break behind it.
    end: &'a str,
    state: State,
}

/// Appends to `into` the file of `lines` lines whose file row holds `text`. `None`, and nothing appended, if `text` is not cut,
/// or the rows do not fit each other.
pub(super) fn assemble(
    text: &str,
    lines: u64,
    symbols: &[Symbol<'_>],
    into: &mut Vec<u8>,
) -> Option<Recovered> {
    let head = head_lines(text)?;
    let most = MOST_LINES_PER_LETTER * text.chars().count();
    let total = usize::try_from(lines).ok().filter(|&total| total <= most)?;
    let placed = symbols.iter().filter_map(|symbol| Some((symbol, place(symbol, total)?)));
    if placed.clone().map(|(_, place)| place.len()).sum::<usize>() > MOST_TELLINGS * total {
        return None;
    }
    let pieces = placed
        .filter_map(|(symbol, place)| Some((place.start, symbol_lines(symbol, place.len())?)));
    let pieces: Vec<(usize, Vec<Line<'_>>)> = pieces.collect();
    let room = total.checked_sub(head.len())?;
    let fits = |&leading: &usize| pieces.iter().all(|(at, piece)| fits(&head, leading, *at, piece));
    let leading = (0..=room.min(MOST_LEADING_LINES)).find(fits).filter(|_| !pieces.is_empty())?;

    let blank = Line { text: "", end: "\n", state: State::Known };
    let unknown = Line { state: State::Unknown, ..blank };
    let mut file = vec![unknown; total];
    file.iter_mut().take(leading).for_each(|line| *line = blank);
    file.iter_mut().skip(leading).zip(&head).for_each(|(line, known)| *line = *known);
    let in_head = file.iter().filter(|line| line.state == State::Known).count() as u64;
    for (at, piece) in &pieces {
        let place = file.get_mut(*at..at + piece.len())?;
        if place.iter().zip(piece).all(|(a, b)| agree(a, b)) {
            place.iter_mut().zip(piece).for_each(|(line, other)| merge(line, other));
        }
    }
    let known = file.iter().filter(|line| line.state == State::Known).count() as u64;
    for (at, line) in file.iter().enumerate() {
        into.extend_from_slice(line.text.as_bytes());
        if at + 1 < total {
            into.extend_from_slice(line.end.as_bytes());
        }
    }
    Some(Recovered { lines, in_head, known })
}

/// What is known of a cut file that cannot be put together.
pub(super) fn head_alone(text: &str, lines: u64) -> Recovered {
    let in_head = head_lines(text).map_or(0, |head| head.len() as u64 - 1).min(lines);
    Recovered { lines, in_head, known: in_head }
}

/// The lines of a cut file row.
fn head_lines(text: &str) -> Option<Vec<Line<'_>>> {
    let kept = text.strip_suffix(TRUNCATION_MARKER).filter(|kept| !is_longer_than_cut(kept))?;
    let mut lines = Vec::new();
    let mut rest = kept;
    while let Some(at) = rest.find(is_line_break) {
        let (line, behind) = rest.split_at(at);
        let width = if behind.starts_with("\r\n") {
            2
        } else {
            behind.chars().next().map_or(0, char::len_utf8)
        };
        let (end, behind) = behind.split_at(width);
        lines.push(Line { text: line, end, state: State::Known });
        rest = behind;
    }
    lines.push(Line { text: whole_words(kept, rest), end: "\n", state: State::Torn });
    Some(lines)
}

/// Where a symbol's lines are in a file of `total` lines. `None` if they do not lie in it.
fn place(symbol: &Symbol<'_>, total: usize) -> Option<Range<usize>> {
    let at = usize::try_from(symbol.start).ok()?.checked_sub(1)?;
    let end = usize::try_from(symbol.end).ok()?;
    (at <= end && end <= total).then_some(at..end)
}

/// The lines of a symbol that has `room` of them. `None` if its text cannot be the builder's.
fn symbol_lines<'a>(symbol: &Symbol<'a>, room: usize) -> Option<Vec<Line<'a>>> {
    let cut = symbol.text.strip_suffix(TRUNCATION_MARKER);
    let kept = cut.unwrap_or(symbol.text);
    let whole = |text| Line { text, end: "\n", state: State::Known };
    let mut lines: Vec<Line<'_>> = kept.split('\n').take(room + 1).map(whole).collect();
    if kept.is_empty() || lines.len() > room || is_longer_than_cut(kept) {
        return None;
    }
    if cut.is_none() {
        // What is stripped from the end of a whole text is blank.
        lines.resize(room, whole(""));
    } else if let Some(last) = lines.last_mut() {
        last.text = whole_words(kept, last.text);
        last.state = State::Torn;
    }
    Some(lines)
}

/// Whether a symbol's lines agree with the head, if `leading` blank lines stood before it.
fn fits(head: &[Line<'_>], leading: usize, at: usize, piece: &[Line<'_>]) -> bool {
    // A symbol starts with a line that is not blank.
    at.checked_sub(leading).is_some_and(|at| {
        let beside = head.get(at..).unwrap_or_default();
        beside.iter().zip(piece).all(|(a, b)| agree(a, b))
    })
}

/// Whether two rows may speak of the same line.
fn agree(a: &Line<'_>, b: &Line<'_>) -> bool {
    let (x, y) = (strip(a.text), strip(b.text));
    match (a.state, b.state) {
        (State::Unknown, _) | (_, State::Unknown) => true,
        (State::Known, State::Known) => x == y,
        (State::Known, State::Torn) => x.starts_with(y),
        (State::Torn, State::Known) => y.starts_with(x),
        (State::Torn, State::Torn) => x.starts_with(y) || y.starts_with(x),
    }
}

/// Takes over what the other row knows better: a whole line before a torn one, outer space before none.
fn merge<'a>(line: &mut Line<'a>, other: &Line<'a>) {
    let better = match (line.state, other.state) {
        (State::Unknown, _) | (State::Torn, State::Known) => true,
        (State::Known, State::Torn) | (_, State::Unknown) => false,
        _ => other.text.len() > line.text.len(),
    };
    if better {
        *line = Line { end: line.end, ..*other };
    }
}

/// Whether the builder would have cut `text`.
fn is_longer_than_cut(text: &str) -> bool {
    text.chars().nth(CUT_CHARS).is_some()
}

/// `line`, the last of a text cut to `kept`, without the word that the cut may have torn.
fn whole_words<'a>(kept: &str, line: &'a str) -> &'a str {
    // Shorter texts were cut in white space, which was then stripped.
    if kept.chars().count() < CUT_CHARS {
        return line;
    }
    line.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_')
}

/// What Python's `str.strip` takes away.
fn strip(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '\x1c'..='\x1f'))
}

/// Where Python's `str.splitlines` ends a line.
fn is_line_break(letter: char) -> bool {
    matches!(
        letter,
        '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}
