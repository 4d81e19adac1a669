//! The rows of a chunk file, checked and located without decoding anything.
//!
//! Every line must be a JSON object in valid UTF-8 (specification, reference harness 7). A row of the shape that corpus
//! builders write (one level, values strings, small numbers, `true`, `false` or `null`) is read in one pass over
//! its bytes. Whatever is not of that shape is judged by serde_json in [`super::row`], which alone decides
//! what is refused and how: this module only ever accepts, and what it accepts serde_json accepts with the same result.

use std::ops::Range;

use super::row;

/// The longest line, without its LF (specification 17).
pub const CHUNK_LINE_LIMIT: usize = 67_108_864;

/// What a row describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// A whole file, perhaps cut.
    File,
    /// A run of a file's lines.
    Symbol,
    /// Anything else; not used.
    Other,
}

/// A row. Ranges are offsets into the scanned bytes, of what stands between the quotes of a string; a member
/// that is absent or null has an empty range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// What it describes.
    pub kind: RowKind,
    /// Its path, escaped.
    pub path: Range<usize>,
    /// Its text, escaped.
    pub text: Range<usize>,
    /// First line, 0 if not given.
    pub start_line: u64,
    /// Last line, 0 if not given.
    pub end_line: u64,
}

impl Default for Row {
    fn default() -> Row {
        Row { kind: RowKind::Other, path: 0..0, text: 0..0, start_line: 0, end_line: 0 }
    }
}

/// Why a chunk file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowError {
    /// 1-based.
    pub line: u64,
    /// The end of a sentence that begins with `line N`.
    pub reason: String,
}

/// A member that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// `kind`
    Kind,
    /// `path`
    Path,
    /// `text`
    Text,
    /// `start_line`
    StartLine,
    /// `end_line`
    EndLine,
}

impl Member {
    /// The member of that name, in any ASCII case.
    pub fn named(name: &[u8]) -> Option<Member> {
        const NAMES: [(&[u8], Member); 5] = [
            (b"kind", Member::Kind),
            (b"path", Member::Path),
            (b"text", Member::Text),
            (b"start_line", Member::StartLine),
            (b"end_line", Member::EndLine),
        ];
        NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|&(_, member)| member)
    }

    /// Whether its value is a string rather than a number.
    pub fn is_string(self) -> bool {
        matches!(self, Member::Kind | Member::Path | Member::Text)
    }
}

/// Calls `each` with every row of `bytes`. With `numbers`, line numbers must be numbers; else they are not looked at.
pub(super) fn scan(bytes: &[u8], numbers: bool, mut each: impl FnMut(Row)) -> Result<(), RowError> {
    let mut shape = Shape { fields: Vec::new(), numbers };
    let mut at = 0;
    let mut line = 0;
    while at < bytes.len() {
        line += 1;
        let refused = |reason| RowError { line, reason };
        if let Some((row, end)) = shape.row(bytes, at)
            && end - at <= CHUNK_LINE_LIMIT
        {
            each(row);
            at = end + 1;
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        if length > CHUNK_LINE_LIMIT {
            return Err(refused(format!("is longer than {CHUNK_LINE_LIMIT} bytes")));
        }
        each(row::parse(bytes, at..at + length, numbers).map_err(refused)?);
        at += length + 1;
    }
    Ok(())
}

/// The members of the last row: rows of one builder have the same names in the same order, with the same spaces, so
/// that a comparison tells that a name is well formed, what it means, and that no name stands twice.
struct Shape {
    fields: Vec<Field>,
    numbers: bool,
}

/// Rows with more members are judged one by one: names are compared each with each here.
const MOST_MEMBERS: usize = 64;

struct Field {
    /// Everything from the end of the value before to the start of this one.
    lead: Vec<u8>,
    /// Where the name stands in it.
    name: Range<usize>,
    member: Option<Member>,
}

impl Shape {
    /// The row that starts at `start`, and the offset of the LF (or the end of the file) after it.
    fn row(&mut self, bytes: &[u8], start: usize) -> Option<(Row, usize)> {
        let mut row = Row::default();
        let mut at = start;
        let mut index = 0;
        loop {
            if index == MOST_MEMBERS {
                return None;
            }
            let rest = bytes.get(at..)?;
            let known = self.fields.get(index).filter(|field| rest.starts_with(&field.lead));
            let member = match known {
                Some(field) => {
                    at += field.lead.len();
                    field.member
                }
                None => {
                    let field = Field::read(bytes, at, index == 0)?;
                    self.fields.truncate(index);
                    if self.fields.iter().any(|earlier| earlier.clashes(&field)) {
                        return None;
                    }
                    at += field.lead.len();
                    let member = field.member;
                    self.fields.push(field);
                    member
                }
            };
            at = self.value(bytes, at, member, &mut row)?;
            if bytes.get(at) == Some(&b'}') {
                at += 1;
                break;
            }
            index += 1;
        }
        if !is_clean(bytes.get(start..at)?) {
            return None;
        }
        match bytes.get(at..).unwrap_or_default() {
            [] | [b'\n', ..] => Some((row, at)),
            [b'\r'] | [b'\r', b'\n', ..] => Some((row, at + 1)),
            _ => None,
        }
    }

    /// Reads the value at `at` into `row`; the offset of what follows it.
    #[inline(always)]
    fn value(
        &self,
        bytes: &[u8],
        at: usize,
        member: Option<Member>,
        row: &mut Row,
    ) -> Option<usize> {
        match *bytes.get(at)? {
            b'"' => {
                let inside = match member {
                    Some(Member::Text) => long_string(bytes, at + 1)?,
                    _ => short_string(bytes, at + 1)?,
                };
                let next = inside.end + 1;
                match member {
                    None => {}
                    Some(Member::Kind) => row.kind = kind(bytes.get(inside)?)?,
                    Some(Member::Path) => row.path = inside,
                    Some(Member::Text) => row.text = inside,
                    Some(Member::StartLine | Member::EndLine) if self.numbers => return None,
                    Some(Member::StartLine | Member::EndLine) => {}
                }
                Some(next)
            }
            b'0'..=b'9' => {
                let (number, next) = small_number(bytes, at)?;
                match member {
                    None => {}
                    Some(Member::StartLine) => row.start_line = number,
                    Some(Member::EndLine) => row.end_line = number,
                    Some(_) => return None,
                }
                Some(next)
            }
            _ => {
                let rest = bytes.get(at..)?;
                let read = member.is_some_and(|member| member.is_string() || self.numbers);
                match rest {
                    [b'n', b'u', b'l', b'l', ..] => Some(at + 4),
                    [b't', b'r', b'u', b'e', ..] if !read => Some(at + 4),
                    [b'f', b'a', b'l', b's', b'e', ..] if !read => Some(at + 5),
                    _ => None,
                }
            }
        }
    }
}

impl Field {
    /// The separator, name and colon at `at`.
    fn read(bytes: &[u8], at: usize, first: bool) -> Option<Field> {
        let spaces = |from: usize| {
            let rest = bytes.get(from..).unwrap_or_default();
            from + rest.iter().take_while(|&&byte| byte == b' ').count()
        };
        let opening = if first { b'{' } else { b',' };
        let separator = if first { at } else { spaces(at) };
        if bytes.get(separator) != Some(&opening) {
            return None;
        }
        let quote = spaces(separator + 1);
        if bytes.get(quote) != Some(&b'"') {
            return None;
        }
        let name = short_string(bytes, quote + 1)?;
        let plain = |&byte: &u8| byte.is_ascii_graphic() && byte != b'\\';
        if !bytes.get(name.clone())?.iter().all(plain) {
            return None;
        }
        let colon = spaces(name.end + 1);
        if bytes.get(colon) != Some(&b':') {
            return None;
        }
        let end = spaces(colon + 1);
        Some(Field {
            lead: bytes.get(at..end)?.to_vec(),
            member: Member::named(bytes.get(name.clone())?),
            name: name.start - at..name.end - at,
        })
    }

    fn name(&self) -> &[u8] {
        self.lead.get(self.name.clone()).unwrap_or_default()
    }

    fn clashes(&self, other: &Field) -> bool {
        self.name() == other.name() || (self.member.is_some() && self.member == other.member)
    }
}

/// What `name` says, unless it is written with escapes.
pub(super) fn kind(name: &[u8]) -> Option<RowKind> {
    match name {
        b"file" => Some(RowKind::File),
        b"symbol" => Some(RowKind::Symbol),
        _ if name.contains(&b'\\') => None,
        _ => Some(RowKind::Other),
    }
}

/// A non-negative integer that cannot overflow, and where it ends.
fn small_number(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let rest = bytes.get(at..)?;
    let digits = rest.iter().take(16).take_while(|byte| byte.is_ascii_digit()).count();
    let leading_zero = digits > 1 && rest.first() == Some(&b'0');
    if digits == 16 || leading_zero || !matches!(rest.get(digits), Some(b',' | b'}')) {
        return None;
    }
    let add = |number: u64, digit: &u8| number * 10 + u64::from(digit - b'0');
    Some((rest.iter().take(digits).fold(0, add), at + digits))
}

/// The inside of the string that starts behind its opening quote at `start`, every escape right. Control characters
/// and UTF-8 are looked at once per row. For strings that seldom hold an escape.
#[inline(always)]
fn short_string(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let mut at = start;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes.get(at..)? {
            [b'"', ..] => return Some(start..at),
            [b'\\', b'n' | b't' | b'"' | b'\\', ..] => at += 2,
            _ if is_rare_escape(bytes, at + 1) => at += 2,
            _ => return None,
        }
    }
}

/// The same for texts, where every other line ends in an escape: a block at a time, whatever it holds.
fn long_string(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let mut at = start;
    // Whether the first byte of the block is escaped by the last of the block before.
    let mut carry = 0;
    loop {
        let Some(block) = bytes.get(at..)?.first_chunk::<BLOCK>() else {
            // The end of the file is near. An escape that the last block left open begins with its last byte.
            return short_string(bytes, at - carry as usize).map(|rest| start..rest.end);
        };
        let quote = positions(block, |byte| byte == b'"');
        let backslash = positions(block, |byte| byte == b'\\');
        let mut escaped = 0;
        if backslash | carry != 0 {
            // A backslash escapes the next byte unless it is itself escaped, so what counts are the ends of odd runs
            // of backslashes. An addition finds them by carrying through each run (Langdale and Lemire, 2019).
            let backslash = backslash & !carry;
            let follows = backslash << 1 | carry;
            let odd_starts = backslash & !EVEN & !follows;
            let (even_runs, overflow) = odd_starts.overflowing_add(backslash);
            carry = u64::from(overflow);
            escaped = (EVEN ^ (even_runs << 1)) & follows;
        }
        let close = quote & !escaped;
        let inside = close.wrapping_sub(1) & !close;
        let common = quote | backslash | positions(block, |byte| byte == b'n' || byte == b't');
        let mut rare = escaped & inside & !common;
        while rare != 0 {
            if !is_rare_escape(bytes, at + rare.trailing_zeros() as usize) {
                return None;
            }
            rare &= rare - 1;
        }
        if close != 0 {
            return Some(start..at + close.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
}

/// Bytes looked at together.
const BLOCK: usize = 64;

/// A bit for each row of eight.
const ROW_WEIGHTS: [u8; BLOCK] = {
    let mut weights = [0; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        weights[at] = 1 << (at / 8);
        at += 1;
    }
    weights
};

/// The places in a block whose byte `holds`, as bits.
#[inline(always)]
fn positions(block: &[u8; BLOCK], holds: impl Fn(u8) -> bool) -> u64 {
    // Byte `j` collects in bit `i` what place `8 i + j` says: loops that the compiler turns into vector code.
    let mut weighed = [0; BLOCK];
    for ((out, &byte), &weight) in weighed.iter_mut().zip(block).zip(&ROW_WEIGHTS) {
        *out = if holds(byte) { weight } else { 0 };
    }
    let eights = weighed.as_chunks::<8>().0.iter();
    let mut bits = eights.fold(0, |bits, eight| bits | u64::from_le_bytes(*eight));
    // Turns the 8 by 8 bits over their diagonal (Warren, Hacker's Delight, 7-3).
    for (shift, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let swapped: u64 = (bits ^ (bits >> shift)) & mask;
        bits ^= swapped ^ (swapped << shift);
    }
    bits
}

/// Whether the letter at `at` is one of the rarer that may follow a backslash, with its four digits if it is a `u`.
#[cold]
fn is_rare_escape(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        Some(b'b' | b'f' | b'r' | b'/') => true,
        Some(b'u') => bytes
            .get(at + 1..at + 5)
            .is_some_and(|digits| digits.iter().all(|digit| digit.is_ascii_hexdigit())),
        _ => false,
    }
}

/// Whether `row` is valid UTF-8 without control characters.
fn is_clean(row: &[u8]) -> bool {
    let (mut control, mut high) = (false, false);
    for &byte in row {
        control |= byte < 0x20;
        high |= byte >= 0x80;
    }
    !control && (!high || str::from_utf8(row).is_ok())
}
