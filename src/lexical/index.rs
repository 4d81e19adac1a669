//! Counts of every vocabulary term and identifier in every distinct content of one repository.
//!
//! A content is counted once, whichever snapshots hold it and however many samples ask; what is kept is, per term,
//! the contents that hold it (ascending) with their counts. Nothing here knows paths or snapshots.

use memchr::memmem;

use super::vocabulary::{Taken, TermId, Vocabulary};
use super::word_table::{Meaning, WordTable};
use crate::snapshot::ContentId;
use crate::text::token::{DOTTED_I, KELVIN_SIGN, fold_case, is_word_byte};

/// One content that holds a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Which content.
    pub content: ContentId,
    /// How often it holds the term; at least 1.
    pub count: u32,
}

/// Per term, the contents that hold it, ascending.
#[derive(Debug, Default)]
pub struct Postings {
    lists: Vec<Vec<Posting>>,
    counts: Vec<u32>,
    touched: Vec<TermId>,
}

impl Postings {
    fn new(terms: usize) -> Postings {
        Postings { lists: vec![Vec::new(); terms], counts: vec![0; terms], touched: Vec::new() }
    }

    /// The contents that hold a term.
    pub fn of(&self, term: TermId) -> &[Posting] {
        self.lists.get(term as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether a content holds a term.
    pub fn holds(&self, term: TermId, content: ContentId) -> bool {
        self.of(term).binary_search_by_key(&content, |posting| posting.content).is_ok()
    }

    fn add(&mut self, term: TermId, count: u32) {
        let slot = &mut self.counts[term as usize];
        if *slot == 0 {
            self.touched.push(term);
        }
        *slot += count;
    }

    fn close(&mut self, content: ContentId) {
        for term in self.touched.drain(..) {
            let count = std::mem::take(&mut self.counts[term as usize]);
            self.lists[term as usize].push(Posting { content, count });
        }
    }
}

/// The statistics of one repository's contents.
#[derive(Debug)]
pub struct Index {
    /// Bench tokens equal to a term.
    pub tokens: Postings,
    /// Non-overlapping occurrences of a term in the lower-cased text.
    pub substrings: Postings,
    /// Whole-word occurrences of an identifier.
    pub identifiers: Postings,
    lengths: Vec<u32>,
    words: WordTable,
    taken: Taken,
    folded: Vec<u8>,
}

/// Which parts of a word's meaning a pass over a text counts.
#[derive(Clone, Copy)]
struct Parts {
    own: bool,
    substrings: bool,
}

impl Index {
    /// An empty index for a vocabulary.
    pub fn new(vocabulary: &Vocabulary) -> Index {
        Index {
            tokens: Postings::new(vocabulary.term_count()),
            substrings: Postings::new(vocabulary.term_count()),
            identifiers: Postings::new(vocabulary.identifier_count()),
            lengths: Vec::new(),
            words: WordTable::new(),
            taken: Taken::default(),
            folded: Vec::new(),
        }
    }

    /// Bench tokens of a content; 0 for one that was never added (it is no text).
    pub fn length(&self, content: ContentId) -> u32 {
        self.lengths.get(content as usize).copied().unwrap_or(0)
    }

    /// How many content numbers a table indexed by content needs.
    pub fn content_bound(&self) -> usize {
        self.lengths.len()
    }

    /// Counts a content. Contents come in ascending order.
    pub fn add(&mut self, content: ContentId, text: &[u8], vocabulary: &Vocabulary) {
        self.lengths.resize(content as usize, 0);
        let length = if vocabulary.wanted.substrings && folds_into_ascii(text) {
            let length = self.pass(text, vocabulary, Parts { own: true, substrings: false });
            let mut folded = std::mem::take(&mut self.folded);
            fold_case(text, &mut folded);
            self.pass(&folded, vocabulary, Parts { own: false, substrings: true });
            self.folded = folded;
            length
        } else {
            self.pass(text, vocabulary, Parts { own: true, substrings: true })
        };
        self.lengths.push(length);
        self.count_dashed(text, vocabulary);
        self.tokens.close(content);
        self.substrings.close(content);
        self.identifiers.close(content);
    }

    /// Counts the words of a text; answers how many bench tokens it has.
    fn pass(&mut self, text: &[u8], vocabulary: &Vocabulary, parts: Parts) -> u32 {
        let Index { tokens, substrings, identifiers, words, .. } = self;
        let mut length = 0;
        words.count(text, vocabulary, |occurrences, word_tokens, meaning| {
            length += occurrences * word_tokens;
            let Some(Meaning { identifier, tokens: own, substrings: inside }) = meaning else {
                return;
            };
            if parts.own {
                if let Some(identifier) = identifier {
                    identifiers.add(identifier, occurrences);
                }
                for &[term, count] in own {
                    tokens.add(term, occurrences * count);
                }
            }
            if parts.substrings {
                for &[term, count] in inside {
                    substrings.add(term, occurrences * count);
                }
            }
        });
        length
    }

    /// Identifiers with a `-` are no single word. A hit without a word byte on either side counts and is passed over
    /// whole; any other is not, so the next may start one byte later.
    fn count_dashed(&mut self, text: &[u8], vocabulary: &Vocabulary) {
        let Some(patterns) = vocabulary.dashed() else { return };
        let Index { taken, identifiers, .. } = self;
        patterns.for_each_apart(text, taken, |pattern, start, end| {
            let joined = start.checked_sub(1).is_some_and(|before| is_word_byte(text[before]))
                || text.get(end).is_some_and(|&after| is_word_byte(after));
            if !joined {
                for &identifier in patterns.meaning(pattern) {
                    identifiers.add(identifier, 1);
                }
            }
            !joined
        });
    }
}

/// Whether lower-casing turns some character outside ASCII into an ASCII letter, which then joins its neighbours.
fn folds_into_ascii(text: &[u8]) -> bool {
    memmem::find(text, KELVIN_SIGN).is_some() || memmem::find(text, DOTTED_I).is_some()
}
