//! Tokens, counts and the four lexical arms, written as the specification says them: one file, one query, one term at
//! a time, nothing shared and nothing clever.

use std::collections::BTreeSet;

/// A file of a small corpus.
pub type File = (String, Vec<u8>);

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Bench tokens: a split goes in front of an upper-case letter that follows a lower-case one.
pub fn tokens(text: &[u8]) -> Vec<String> {
    let mut spaced = Vec::new();
    for (at, &byte) in text.iter().enumerate() {
        if at > 0 && text[at - 1].is_ascii_lowercase() && byte.is_ascii_uppercase() {
            spaced.push(b' ');
        }
        spaced.push(byte);
    }
    spaced
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|token| !token.is_empty())
        .map(|token| String::from_utf8_lossy(token).to_lowercase())
        .collect()
}

pub fn terms(text: &[u8]) -> BTreeSet<String> {
    tokens(text).into_iter().filter(|token| token.len() >= 2).collect()
}

/// Simple lower-casing, character by character; what is no text is kept as U+FFFD.
fn lower(text: &[u8]) -> String {
    String::from_utf8_lossy(text)
        .chars()
        .map(|c| match c {
            '\u{130}' => 'i',
            '\u{212a}' => 'k',
            other => other.to_ascii_lowercase(),
        })
        .collect()
}

/// Non-overlapping occurrences of `word` in the lower-cased text, left to right.
pub fn lower_count(text: &[u8], word: &str) -> usize {
    lower(text).matches(word).count()
}

/// Whole-word occurrences, as the scan of section 6 finds them.
pub fn whole_word(text: &[u8], word: &str) -> usize {
    let word = word.as_bytes();
    let (mut at, mut count) = (0, 0);
    while at + word.len() <= text.len() {
        if &text[at..at + word.len()] != word {
            at += 1;
            continue;
        }
        let end = at + word.len();
        let free =
            (at == 0 || !is_word(text[at - 1])) && (end == text.len() || !is_word(text[end]));
        if free {
            count += 1;
            at = end;
        } else {
            at += 1;
        }
    }
    count
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.len() <= 1 << 20 && !bytes.iter().take(8192).any(|&byte| byte == 0)
}

fn searched(files: &[File]) -> Vec<&File> {
    let mut kept: Vec<&File> = files.iter().filter(|(_, bytes)| is_text(bytes)).collect();
    kept.sort();
    kept
}

/// A ranking with its top score.
pub type Ranked = (Vec<String>, f64);

fn cut(mut scored: Vec<(f64, f64, String)>, excluded: &[String], limit: usize) -> Ranked {
    scored.retain(|(_, _, path)| !excluded.contains(path));
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    scored.truncate(limit);
    let top = scored.first().map_or(0.0, |first| first.0);
    (scored.into_iter().map(|(_, _, path)| path).collect(), top)
}

pub fn grep(files: &[File], query: &str, excluded: &[String], limit: usize) -> Ranked {
    let mut scored = Vec::new();
    for (path, bytes) in searched(files) {
        let path_tokens = tokens(path.as_bytes());
        let (mut distinct, mut occurrences) = (0.0, 0.0);
        for term in terms(query.as_bytes()) {
            let count = lower_count(bytes, &term);
            let in_path = path_tokens.contains(&term);
            distinct += f64::from(u8::from(count > 0 || in_path)) + f64::from(u8::from(in_path));
            occurrences += count as f64;
        }
        if distinct > 0.0 {
            scored.push((distinct, occurrences, path.clone()));
        }
    }
    cut(scored, excluded, limit)
}

pub fn grep_ident(files: &[File], names: &[String], excluded: &[String], limit: usize) -> Ranked {
    let mut scored = Vec::new();
    for (path, bytes) in searched(files) {
        let (mut distinct, mut occurrences) = (0.0, 0.0);
        for name in names {
            let count = whole_word(bytes, name);
            distinct += f64::from(u8::from(count > 0));
            distinct += f64::from(u8::from(lower(path.as_bytes()).contains(&name.to_lowercase())));
            occurrences += count as f64;
        }
        if distinct > 0.0 {
            scored.push((distinct, occurrences, path.clone()));
        }
    }
    cut(scored, excluded, limit)
}

pub fn bm25(
    files: &[File],
    terms: &BTreeSet<String>,
    excluded: &[String],
    limit: usize,
    ln: impl Fn(f64, f64) -> f64,
) -> Ranked {
    let files = searched(files);
    let bags: Vec<Vec<String>> = files.iter().map(|(_, bytes)| tokens(bytes)).collect();
    let n = files.len() as f64;
    let mean = bags.iter().map(Vec::len).sum::<usize>() as f64 / n.max(1.0);
    let mut scored = Vec::new();
    for ((path, _), bag) in files.iter().zip(&bags) {
        let mut score = 0.0;
        for term in terms {
            let holding = bags.iter().filter(|bag| bag.contains(term)).count();
            let tf = bag.iter().filter(|token| *token == term).count() as f64;
            if holding > 0 {
                let w = ln(n, holding as f64);
                score += w * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * bag.len() as f64 / mean));
            }
        }
        if score > 0.0 {
            scored.push((score, 0.0, path.clone()));
        }
    }
    cut(scored, excluded, limit)
}
