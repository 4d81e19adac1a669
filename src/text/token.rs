//! Bytes → tokens, terms and identifiers (reference harness, section 5).
//!
//! A bench token is a maximal run of ASCII letters and digits, cut between a lower-case letter and a following
//! upper-case one, lower-cased: `parseHTTP2Url` → `parse`, `http2url`. Every byte outside ASCII separates. Nothing
//! here knows files or samples; the fast counting of whole files lives in `lexical`, which is held to these rules.

/// Extensions whose file names lend their stem to the identifiers.
const CODE_EXTENSIONS: [&[u8]; 13] =
    [b"go", b"py", b"rs", b"ts", b"tsx", b"js", b"java", b"kt", b"rb", b"cs", b"cpp", b"c", b"h"];

/// The shortest identifier, in bytes: shorter ones are words.
const IDENTIFIER_MIN: usize = 4;

/// The shortest term of a text, in bytes.
const TERM_MIN: usize = 2;

/// Whether the byte can stand in an identifier: `[A-Za-z0-9_]`.
pub fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The first run at or after `from` of bytes that satisfy `holds`: its start and end.
fn next_run(text: &[u8], from: usize, holds: impl Fn(u8) -> bool) -> Option<(usize, usize)> {
    let start = from + text.get(from..)?.iter().position(|&byte| holds(byte))?;
    let end =
        text[start..].iter().position(|&byte| !holds(byte)).map_or(text.len(), |at| start + at);
    Some((start, end))
}

/// Every bench token of `text`, in order, in its original case.
pub fn for_each_token(text: &[u8], mut token: impl FnMut(&[u8])) {
    let mut from = 0;
    while let Some((start, end)) = next_run(text, from, |byte| byte.is_ascii_alphanumeric()) {
        let mut cut = start;
        for at in start + 1..end {
            if text[at - 1].is_ascii_lowercase() && text[at].is_ascii_uppercase() {
                token(&text[cut..at]);
                cut = at;
            }
        }
        token(&text[cut..end]);
        from = end;
    }
}

/// The bench tokens of `text`, lower-cased, in order.
pub fn tokens(text: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for_each_token(text, |token| found.push(token.to_ascii_lowercase()));
    found
}

/// The terms of a text: its distinct tokens of at least two bytes, byte-sorted.
pub fn terms(text: &[u8]) -> Vec<Vec<u8>> {
    sorted_distinct(tokens(text).into_iter().filter(|token| token.len() >= TERM_MIN).collect())
}

/// The identifiers of a query's string values, distinct, byte-sorted: what a person would search for literally.
///
/// An identifier has at least four bytes and either an underscore inside or a lower-case letter directly before an
/// upper-case one; the stem of every code file name counts too, whatever its shape, and may hold `-`.
pub fn identifiers<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for value in values {
        push_names(value.as_bytes(), &mut found);
        push_stems(value.as_bytes(), &mut found);
    }
    sorted_distinct(found)
}

/// The bench tokens of identifiers, distinct, byte-sorted, of any length.
pub fn identifier_terms(identifiers: &[Vec<u8>]) -> Vec<Vec<u8>> {
    sorted_distinct(identifiers.iter().flat_map(|identifier| tokens(identifier)).collect())
}

fn push_names(text: &[u8], found: &mut Vec<Vec<u8>>) {
    let mut from = 0;
    while let Some((start, end)) = next_run(text, from, is_word_byte) {
        from = end;
        // A name cannot start with a digit; it can start after one.
        let skipped = text[start..end].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let name = &text[start + skipped..end];
        if name.len() >= IDENTIFIER_MIN && (has_inner_underscore(name) || has_camel_case(name)) {
            found.push(name.to_vec());
        }
    }
}

fn has_inner_underscore(name: &[u8]) -> bool {
    let first = name.iter().position(|&byte| byte != b'_');
    let last = name.iter().rposition(|&byte| byte != b'_');
    matches!((first, last), (Some(first), Some(last)) if name[first..last].contains(&b'_'))
}

fn has_camel_case(name: &[u8]) -> bool {
    name.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

fn push_stems(text: &[u8], found: &mut Vec<Vec<u8>>) {
    let mut from = 0;
    while let Some((start, end)) = next_run(text, from, |byte| is_word_byte(byte) || byte == b'-') {
        from = end;
        if text.get(end) != Some(&b'.') {
            continue;
        }
        let rest = &text[end + 1..];
        let extension =
            rest.iter().position(|&byte| !is_word_byte(byte)).map_or(rest, |at| &rest[..at]);
        if CODE_EXTENSIONS.contains(&extension) {
            from = end + 1 + extension.len();
            if end - start >= IDENTIFIER_MIN {
                found.push(text[start..end].to_vec());
            }
        }
    }
}

/// Lower-cases as Unicode does, as far as an ASCII pattern could notice: besides `A`-`Z` only KELVIN SIGN (→ `k`)
/// and LATIN CAPITAL LETTER I WITH DOT ABOVE (→ `i`) become ASCII, so every other byte is kept.
pub fn fold_case(text: &[u8], into: &mut Vec<u8>) {
    into.clear();
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(KELVIN_SIGN) {
            into.push(b'k');
            at += KELVIN_SIGN.len();
        } else if text[at..].starts_with(DOTTED_I) {
            into.push(b'i');
            at += DOTTED_I.len();
        } else {
            into.push(text[at].to_ascii_lowercase());
            at += 1;
        }
    }
}

/// U+212A, whose lower case is `k`.
pub const KELVIN_SIGN: &[u8] = "\u{212a}".as_bytes();

/// U+0130, whose simple lower case is `i`.
pub const DOTTED_I: &[u8] = "\u{130}".as_bytes();

fn sorted_distinct(mut list: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    list.sort_unstable();
    list.dedup();
    list
}
