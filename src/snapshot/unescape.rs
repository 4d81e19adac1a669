//! The bytes that a JSON string lexeme stands for.
//!
//! The lexeme (without its quotes) has been checked by [`super::scan`] or serde_json. Over anything else the result
//! is unspecified but this neither panics nor reads outside. A lone surrogate becomes U+FFFD, as in the reference.

use memchr::memchr;

/// Puts what `lexeme` stands for behind what `into` holds.
pub(super) fn unescape(lexeme: &[u8], into: &mut Vec<u8>) {
    into.reserve(lexeme.len());
    let mut rest = lexeme;
    while let Some(plain) = memchr(b'\\', rest) {
        let (span, escape) = rest.split_at(plain);
        into.extend_from_slice(span);
        let (bytes, used) = match escape.get(1) {
            Some(b'n') => (b'\n', 2),
            Some(b't') => (b'\t', 2),
            Some(b'r') => (b'\r', 2),
            Some(b'b') => (0x08, 2),
            Some(b'f') => (0x0c, 2),
            Some(b'u') => {
                let (letter, used) = code_point(escape);
                let mut utf8 = [0; 4];
                into.extend_from_slice(letter.encode_utf8(&mut utf8).as_bytes());
                rest = escape.get(used..).unwrap_or_default();
                continue;
            }
            Some(&letter) => (letter, 2),
            None => (b'\\', 1),
        };
        into.push(bytes);
        rest = escape.get(used..).unwrap_or_default();
    }
    into.extend_from_slice(rest);
}

/// The letter of the `\uXXXX`, or pair of them, that `escape` starts with, and its length.
fn code_point(escape: &[u8]) -> (char, usize) {
    let unit = code_unit(escape.get(2..6));
    if (0xd800..0xdc00).contains(&unit) && escape.get(6..8) == Some(br"\u") {
        let low = code_unit(escape.get(8..12));
        if (0xdc00..0xe000).contains(&low) {
            let scalar = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            return (char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
        }
    }
    (char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

fn code_unit(digits: Option<&[u8]>) -> u32 {
    let digit = |unit: u32, &byte: &u8| unit << 4 | char::from(byte).to_digit(16).unwrap_or(0);
    digits.unwrap_or_default().iter().fold(0, digit)
}
