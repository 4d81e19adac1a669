//! The five expressions of the anchor rule, run by a backtracking matcher that tries every start.

type Class = fn(u8) -> bool;

/// A piece of an expression.
enum Piece {
    /// One byte of a class.
    One(Class),
    /// As many bytes of a class as possible, at least so many.
    Many(Class, usize),
    /// A sequence, as often as possible, at least once.
    Group(Vec<Piece>),
}

use Piece::{Group, Many, One};

/// Every match of `expression` in `text`, as start and end.
fn matches(expression: &[Piece], text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    while start <= text.len() {
        match matched(expression, text, start, &|end| Some(end)) {
            Some(end) => {
                found.push((start, end));
                start = end;
            }
            None => start += 1,
        }
    }
    found
}

fn matched(
    expression: &[Piece],
    text: &[u8],
    at: usize,
    then: &dyn Fn(usize) -> Option<usize>,
) -> Option<usize> {
    let Some((first, rest)) = expression.split_first() else {
        return then(at);
    };
    match first {
        One(class) => {
            let fits = text.get(at).is_some_and(|byte| class(*byte));
            if fits { matched(rest, text, at + 1, then) } else { None }
        }
        Many(class, least) => {
            let most = text[at..].iter().take_while(|byte| class(**byte)).count();
            let counts = (*least..=most).rev();
            counts.into_iter().find_map(|count| matched(rest, text, at + count, then))
        }
        Group(inner) => matched(inner, text, at, &|end| {
            // Greedy: another round first, the rest of the expression second.
            matched(std::slice::from_ref(first), text, end, &|end| matched(rest, text, end, then))
                .or_else(|| matched(rest, text, end, then))
        }),
    }
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn error() -> Vec<Piece> {
    let quote: Class = |byte| byte == b'"';
    vec![One(quote), Many(|byte| byte != b'"' && byte != b'\n', 1), One(quote)]
}

fn url() -> Vec<Piece> {
    let slash: Class = |byte| byte == b'/';
    vec![
        One(|byte| byte.is_ascii_alphabetic()),
        Many(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte), 0),
        One(|byte| byte == b':'),
        One(slash),
        One(slash),
        Many(|byte| !b"\t\n\x0c\r \"'<>()`".contains(&byte), 1),
    ]
}

fn frame() -> Vec<Piece> {
    vec![
        Many(|byte| word(byte) || b"./-".contains(&byte), 1),
        One(|byte| byte == b'.'),
        Many(|byte| byte.is_ascii_alphanumeric(), 1),
        One(|byte| byte == b':'),
        Many(|byte| byte.is_ascii_digit(), 1),
    ]
}

fn path_enum() -> Vec<Piece> {
    let first: Class = |byte| byte.is_ascii_alphabetic() || byte == b'_';
    let colon: Class = |byte| byte == b':';
    let more = vec![One(colon), One(colon), One(first), Many(word, 0)];
    vec![One(first), Many(word, 0), Group(more)]
}

fn config() -> Vec<Piece> {
    let first: Class = |byte| byte.is_ascii_lowercase();
    let part: Class =
        |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    let more = vec![One(|byte| byte == b'.'), One(first), Many(part, 0)];
    vec![One(first), Many(part, 0), Group(more)]
}

/// The admissible anchors of a text that is not JSON, in order of position: class and literal.
pub fn anchors(text: &str) -> Vec<(&'static str, String)> {
    let classes = [
        ("error", error()),
        ("url", url()),
        ("frame", frame()),
        ("enum", path_enum()),
        ("config", config()),
    ];
    let mut bytes = text.as_bytes().to_vec();
    let mut found = Vec::new();
    for (class, expression) in classes {
        for (start, end) in matches(&expression, &bytes.clone()) {
            let literal = String::from_utf8(bytes[start..end].to_vec()).unwrap();
            let literal = if class == "error" { literal.trim_matches('"') } else { &literal };
            let has_run =
                literal.as_bytes().windows(3).any(|run| run.iter().all(|byte| word(*byte)));
            let is_file = class == "config"
                && "go py rs ts tsx js java kt rb cs cpp c h md json yaml yml toml txt"
                    .split(' ')
                    .any(|suffix| literal.ends_with(&format!(".{suffix}")));
            if (4..=256).contains(&literal.len()) && has_run && !is_file {
                found.push((start, class, literal.to_owned()));
            }
            bytes[start..end].fill(b' ');
        }
    }
    found.sort();
    found.into_iter().map(|(_, class, literal)| (class, literal)).collect()
}
