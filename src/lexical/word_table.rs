//! What each distinct word adds to a file, worked out once per word and not once per occurrence.
//!
//! A word is a maximal run of `[A-Za-z0-9_]`. Everything the lexical arms count in a file is a sum over its words:
//! bench tokens lie inside words, occurrences of a query term lie inside words (a term has letters and digits only,
//! so non-overlapping counts restart at every word), and a whole-word identifier is a word. So a file is read as a
//! bag of words and every word's meaning is remembered. The memory is bounded: a full table is emptied between files,
//! which costs time and never changes a count.

use super::vocabulary::{Taken, TermId, Vocabulary};
use super::word_scan::for_each_word;
use crate::text::token::for_each_token;

/// Longer words are worked out anew at each occurrence: they are data, not names, and hardly repeat.
const LONGEST_KEPT: usize = 256;

/// Distinct words after which the table is emptied before the next file.
const MOST_WORDS: usize = 1 << 17;

/// Places of an empty table.
const FEWEST_PLACES: usize = 1 << 12;

/// Bytes of a word that stand in its entry.
const HEAD: usize = 16;

/// A distinct word, or a free place (length 0: no word is empty). 32 bytes, two to a cache line.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The first 16 bytes, zero-padded.
    head: [u64; 2],
    /// Occurrences in the file being read.
    count: u32,
    /// Where its remaining bytes start in `tails`.
    tail: u32,
    /// Where its [`Meaning`] starts in `meanings`; 0 = it adds only length.
    meaning: u32,
    /// Its length in bytes.
    len: u16,
    /// Its bench tokens.
    tokens: u16,
}

/// The distinct words seen so far: entries lie where their hash says, or behind (open addressing), so that a word
/// is mostly found by one look at memory.
#[derive(Debug)]
pub struct WordTable {
    entries: Vec<Entry>,
    words: usize,
    tails: Vec<u8>,
    meanings: Vec<u32>,
    touched: Vec<u32>,
    taken: Taken,
    found: Vec<TermId>,
    folded: Vec<u8>,
}

/// What one word adds to a file, once per occurrence.
#[derive(Clone, Copy, Debug)]
pub struct Meaning<'a> {
    /// The identifier that the word is.
    pub identifier: Option<TermId>,
    /// (term, tokens equal to it), flattened to pairs.
    pub tokens: &'a [[u32; 2]],
    /// (term, non-overlapping occurrences of it), flattened to pairs.
    pub substrings: &'a [[u32; 2]],
}

const NO_MEANING: u32 = 0;
const MEANING_HEADER: usize = 3;

impl WordTable {
    /// An empty table.
    pub fn new() -> WordTable {
        WordTable {
            entries: vec![Entry::default(); FEWEST_PLACES],
            words: 0,
            tails: Vec::new(),
            meanings: vec![0],
            touched: Vec::new(),
            taken: Taken::default(),
            found: Vec::new(),
            folded: Vec::new(),
        }
    }

    /// Counts the words of `text`, then calls `add(occurrences, tokens, meaning)` once per distinct word.
    pub fn count(
        &mut self,
        text: &[u8],
        vocabulary: &Vocabulary,
        mut add: impl FnMut(u32, u32, Option<Meaning<'_>>),
    ) {
        if self.words >= MOST_WORDS {
            self.clear();
        }
        for_each_word(text, |start, end| {
            if end - start > LONGEST_KEPT {
                self.add_unkept(&text[start..end], vocabulary, &mut add);
            } else {
                self.count_one(text, start, end, vocabulary);
            }
        });
        for &at in &self.touched {
            let entry = &mut self.entries[at as usize];
            let count = std::mem::take(&mut entry.count);
            add(count, u32::from(entry.tokens), meaning(&self.meanings, entry.meaning));
        }
        self.touched.clear();
    }

    fn clear(&mut self) {
        self.entries.fill(Entry::default());
        self.words = 0;
        self.tails.clear();
        self.meanings.truncate(1);
    }

    fn add_unkept(
        &mut self,
        word: &[u8],
        vocabulary: &Vocabulary,
        add: &mut impl FnMut(u32, u32, Option<Meaning<'_>>),
    ) {
        let before = self.meanings.len();
        let (at, tokens) = self.work_out(word, vocabulary);
        add(1, tokens, meaning(&self.meanings, at));
        self.meanings.truncate(before);
    }

    #[inline]
    fn count_one(&mut self, text: &[u8], start: usize, end: usize, vocabulary: &Vocabulary) {
        let len = end - start;
        let head = load_head(text, start, len);
        let tail = if len > HEAD { &text[start + HEAD..end] } else { &[] };
        let mask = self.entries.len() - 1;
        let mut place = hash(head, tail, len) as usize & mask;
        loop {
            let entry = &mut self.entries[place];
            if entry.head == head && usize::from(entry.len) == len {
                let from = entry.tail as usize;
                if tail.is_empty() || self.tails[from..from + tail.len()] == *tail {
                    if entry.count == 0 {
                        self.touched.push(place as u32);
                    }
                    entry.count += 1;
                    return;
                }
            }
            if entry.len == 0 {
                return self.insert(place, head, &text[start..end], vocabulary);
            }
            place = (place + 1) & mask;
        }
    }

    /// Puts a new word at a free place, seen once.
    #[cold]
    #[inline(never)]
    fn insert(&mut self, place: usize, head: [u64; 2], word: &[u8], vocabulary: &Vocabulary) {
        let (meaning, tokens) = self.work_out(word, vocabulary);
        let tail = self.tails.len() as u32;
        self.tails.extend_from_slice(word.get(HEAD..).unwrap_or_default());
        let (len, tokens) = (word.len() as u16, tokens as u16);
        self.entries[place] = Entry { head, count: 1, tail, meaning, len, tokens };
        self.touched.push(place as u32);
        self.words += 1;
        if self.words * 2 > self.entries.len() {
            self.grow();
        }
    }

    /// Doubles the places. Words move, so those of the file being read are noted anew.
    fn grow(&mut self) {
        let places = self.entries.len() * 2;
        let entries = std::mem::replace(&mut self.entries, vec![Entry::default(); places]);
        self.touched.clear();
        for entry in entries.into_iter().filter(|entry| entry.len > 0) {
            let len = usize::from(entry.len);
            let from = entry.tail as usize;
            let tail = &self.tails[from..from + len.saturating_sub(HEAD)];
            let mut place = hash(entry.head, tail, len) as usize & (places - 1);
            while self.entries[place].len > 0 {
                place = (place + 1) & (places - 1);
            }
            self.entries[place] = entry;
            if entry.count > 0 {
                self.touched.push(place as u32);
            }
        }
    }

    /// Appends the meaning of `word` to `meanings`; answers where, and how many bench tokens the word has.
    fn work_out(&mut self, word: &[u8], vocabulary: &Vocabulary) -> (u32, u32) {
        let wanted = vocabulary.wanted;
        let identifier = if wanted.identifiers { vocabulary.identifier(word) } else { None };
        let at = self.meanings.len();
        self.meanings.extend_from_slice(&[identifier.map_or(0, |id| id + 1), 0, 0]);

        let mut tokens = 0;
        if wanted.tokens {
            for_each_token(word, |token| {
                tokens += 1;
                self.folded.clear();
                self.folded.extend(token.iter().map(u8::to_ascii_lowercase));
                self.found.extend(vocabulary.term(&self.folded));
            });
            push_counts(&mut self.found, &mut self.meanings);
        }
        let token_pairs = (self.meanings.len() - at - MEANING_HEADER) / 2;

        if let Some(patterns) = vocabulary.substrings() {
            self.folded.clear();
            self.folded.extend(word.iter().map(u8::to_ascii_lowercase));
            patterns.for_each_apart(&self.folded, &mut self.taken, |pattern, _, _| {
                self.found.extend_from_slice(patterns.meaning(pattern));
                true
            });
            push_counts(&mut self.found, &mut self.meanings);
        }
        let substring_pairs = (self.meanings.len() - at - MEANING_HEADER) / 2 - token_pairs;

        if identifier.is_none() && token_pairs == 0 && substring_pairs == 0 {
            self.meanings.truncate(at);
            return (NO_MEANING, tokens);
        }
        self.meanings[at + 1] = token_pairs as u32;
        self.meanings[at + 2] = substring_pairs as u32;
        (at as u32, tokens)
    }
}

fn meaning(meanings: &[u32], at: u32) -> Option<Meaning<'_>> {
    if at == NO_MEANING {
        return None;
    }
    let at = at as usize;
    let [identifier, tokens, substrings] = [meanings[at], meanings[at + 1], meanings[at + 2]];
    let (pairs, _) = meanings[at + MEANING_HEADER..].as_chunks::<2>();
    let (tokens, rest) = pairs.split_at(tokens as usize);
    Some(Meaning {
        identifier: identifier.checked_sub(1),
        tokens,
        substrings: &rest[..substrings as usize],
    })
}

/// Appends each distinct term of `found` with how often it stands there, and empties it.
fn push_counts(found: &mut Vec<TermId>, meanings: &mut Vec<u32>) {
    // Sorted, because a word that is data can hold as many different terms as it has letters.
    found.sort_unstable();
    for run in found.chunk_by(|a, b| a == b) {
        meanings.extend_from_slice(&[run[0], run.len() as u32]);
    }
    found.clear();
}

/// The first 16 bytes of a word, zero-padded.
#[inline(always)]
fn load_head(text: &[u8], start: usize, len: usize) -> [u64; 2] {
    let mut bytes = [0u8; HEAD];
    match text.get(start..start + HEAD) {
        Some(window) => bytes.copy_from_slice(window),
        None => bytes[..text.len() - start].copy_from_slice(&text[start..]),
    }
    let whole = u128::from_le_bytes(bytes);
    let kept = if len >= HEAD { whole } else { whole & ((1u128 << (len * 8)) - 1) };
    [kept as u64, (kept >> 64) as u64]
}

/// Folded multiplication over the word's bytes: fast, and good enough for a table that is no defence.
#[inline(always)]
fn hash(head: [u64; 2], tail: &[u8], len: usize) -> u64 {
    const A: u64 = 0x9e37_79b9_7f4a_7c15;
    const B: u64 = 0xd1b5_4a32_d192_ed03;
    let fold = |x: u64, y: u64| {
        let product = u128::from(x) * u128::from(y);
        (product as u64) ^ (product >> 64) as u64
    };
    let mut mixed = fold(head[0] ^ A, head[1] ^ B ^ len as u64);
    for chunk in tail.chunks(8) {
        let mut bytes = [0u8; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        mixed = fold(mixed ^ u64::from_le_bytes(bytes), B);
    }
    mixed
}
