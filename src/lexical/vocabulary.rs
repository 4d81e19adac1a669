//! What the samples of one repository ask for: every query term and identifier, numbered in byte order.
//!
//! Because all questions are known before the first file is read, a file is counted once for all of them. Numbers
//! ascend with the bytes, so that "in byte-sorted term order" is "in ascending order of number".

use std::collections::{BTreeSet, HashMap};

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;

use crate::dataset::Sample;
use crate::text::token;

/// A term of the vocabulary.
pub type TermId = u32;

/// What one sample asks for, as numbers, ascending.
#[derive(Debug, Default)]
pub struct Needs {
    /// The terms of the query text.
    pub terms: Vec<TermId>,
    /// The identifiers of the query's values.
    pub identifiers: Vec<TermId>,
    /// The terms of those identifiers.
    pub identifier_terms: Vec<TermId>,
}

/// Which statistics the selected arms need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Substring counts of terms (`grep`).
    pub substrings: bool,
    /// Whole-word counts of identifiers (`grep-ident`).
    pub identifiers: bool,
    /// Token counts and lengths (`bm25:*`).
    pub tokens: bool,
}

/// The vocabulary of one repository's samples.
#[derive(Debug)]
pub struct Vocabulary {
    /// Which statistics are kept.
    pub wanted: Wanted,
    terms: HashMap<Vec<u8>, TermId>,
    term_shapes: Shapes,
    term_count: usize,
    identifiers: HashMap<Vec<u8>, TermId>,
    identifier_count: usize,
    substrings: Option<Patterns>,
    dashed: Option<Patterns>,
    lowercase_identifiers: Option<Patterns>,
    needs: HashMap<String, Needs>,
}

/// The longest string, in bytes, that is searched for together with others. Longer ones are data (a dump of zeros, say):
/// building an automaton over one takes time quadratic in its length, and memory in how many others it holds.
const LONGEST_SHARED: usize = 256;

/// Strings searched for together, each standing for one or more numbers.
#[derive(Debug)]
pub struct Patterns {
    /// The short ones, which have the first numbers.
    automaton: AhoCorasick,
    short: usize,
    long: Vec<memmem::Finder<'static>>,
    meaning: Vec<Vec<TermId>>,
}

/// Scratch of a search: where the last taken occurrence of each short pattern ended. All zero between searches, so that
/// one does for all.
#[derive(Debug, Default)]
pub struct Taken {
    last_end: Vec<usize>,
    patterns: Vec<usize>,
}

impl Patterns {
    fn new(strings: impl Iterator<Item = (Vec<u8>, TermId)>) -> Option<Patterns> {
        let mut by_string: Vec<(Vec<u8>, TermId)> = strings.collect();
        let is_long = |string: &Vec<u8>| string.len() > LONGEST_SHARED;
        by_string.sort_unstable_by(|(a, id_a), (b, id_b)| {
            (is_long(a), a, id_a).cmp(&(is_long(b), b, id_b))
        });
        let mut distinct: Vec<Vec<u8>> = Vec::new();
        let mut meaning: Vec<Vec<TermId>> = Vec::new();
        for (string, id) in by_string {
            match (distinct.last(), meaning.last_mut()) {
                (Some(last), Some(ids)) if *last == string => ids.push(id),
                _ => {
                    distinct.push(string);
                    meaning.push(vec![id]);
                }
            }
        }
        if distinct.is_empty() {
            return None;
        }
        let long = distinct.split_off(distinct.partition_point(|string| !is_long(string)));
        // The automaton refuses only more patterns than a u32 can number; samples of a 256 MiB file hold fewer.
        let automaton =
            AhoCorasick::builder().match_kind(MatchKind::Standard).build(&distinct).ok()?;
        let long = long.iter().map(|string| memmem::Finder::new(string).into_owned()).collect();
        Some(Patterns { automaton, short: distinct.len(), long, meaning })
    }

    /// Every occurrence of every pattern, those of each in order, but for the ones that overlap an earlier one of the
    /// same pattern that was taken: `take(pattern, start, end)` answers whether it takes it.
    pub fn for_each_apart(
        &self,
        text: &[u8],
        taken: &mut Taken,
        mut take: impl FnMut(usize, usize, usize) -> bool,
    ) {
        let Taken { last_end, patterns } = taken;
        last_end.resize(self.short, 0);
        for found in self.automaton.find_overlapping_iter(text) {
            let (pattern, start, end) = (found.pattern().as_usize(), found.start(), found.end());
            if start >= last_end[pattern] && take(pattern, start, end) {
                last_end[pattern] = end;
                patterns.push(pattern);
            }
        }
        for pattern in patterns.drain(..) {
            last_end[pattern] = 0;
        }
        if text.len() <= LONGEST_SHARED {
            return;
        }
        for (finder, pattern) in self.long.iter().zip(self.short..) {
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
                let (start, end) = (from + at, from + at + finder.needle().len());
                from = if take(pattern, start, end) { end } else { start + 1 };
            }
        }
    }

    /// The numbers a pattern stands for.
    pub fn meaning(&self, pattern: usize) -> &[TermId] {
        &self.meaning[pattern]
    }
}

impl Vocabulary {
    /// The vocabulary of `samples`, with what `wanted` needs.
    pub fn new(samples: &[&Sample], wanted: Wanted) -> Vocabulary {
        let mut all_terms: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut query_terms: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut all_identifiers: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut asked = Vec::with_capacity(samples.len());
        for sample in samples {
            let terms = token::terms(sample.query.text.as_bytes());
            let identifiers = token::identifiers(sample.query.values.iter().map(String::as_str));
            let identifier_terms = token::identifier_terms(&identifiers);
            query_terms.extend(terms.iter().cloned());
            all_terms.extend(terms.iter().chain(&identifier_terms).cloned());
            all_identifiers.extend(identifiers.iter().cloned());
            asked.push((&sample.id, terms, identifiers, identifier_terms));
        }
        let term_count = all_terms.len();
        let identifier_count = all_identifiers.len();
        let term_shapes = Shapes::of(&all_terms);
        let terms = number(all_terms);
        let identifiers = number(all_identifiers);
        let numbers = |list: Vec<Vec<u8>>, map: &HashMap<Vec<u8>, TermId>| -> Vec<TermId> {
            list.iter().filter_map(|string| map.get(string).copied()).collect()
        };
        let needs = asked
            .into_iter()
            .map(|(id, own_terms, own_identifiers, own_identifier_terms)| {
                let needs = Needs {
                    terms: numbers(own_terms, &terms),
                    identifiers: numbers(own_identifiers, &identifiers),
                    identifier_terms: numbers(own_identifier_terms, &terms),
                };
                (id.clone(), needs)
            })
            .collect();
        let substrings = wanted
            .substrings
            .then(|| Patterns::new(query_terms.iter().map(|term| (term.clone(), terms[term]))))
            .flatten();
        let named = |keep: fn(&[u8]) -> bool, lower: bool| {
            let kept = identifiers.iter().filter(|(name, _)| keep(name));
            Patterns::new(kept.map(|(name, &id)| {
                (if lower { name.to_ascii_lowercase() } else { name.clone() }, id)
            }))
        };
        let dashed =
            wanted.identifiers.then(|| named(|name| name.contains(&b'-'), false)).flatten();
        let lowercase_identifiers = wanted.identifiers.then(|| named(|_| true, true)).flatten();
        Vocabulary {
            wanted,
            terms,
            term_shapes,
            term_count,
            identifiers,
            identifier_count,
            substrings,
            dashed,
            lowercase_identifiers,
            needs,
        }
    }

    /// How many terms.
    pub fn term_count(&self) -> usize {
        self.term_count
    }

    /// How many identifiers.
    pub fn identifier_count(&self) -> usize {
        self.identifier_count
    }

    /// The number of a lower-cased token, if any sample asks for it.
    pub fn term(&self, token: &[u8]) -> Option<TermId> {
        if self.term_shapes.may_hold(token) { self.terms.get(token).copied() } else { None }
    }

    /// The number of an identifier, if any sample asks for it.
    pub fn identifier(&self, word: &[u8]) -> Option<TermId> {
        self.identifiers.get(word).copied()
    }

    /// The query terms, to be searched for as substrings.
    pub fn substrings(&self) -> Option<&Patterns> {
        self.substrings.as_ref()
    }

    /// The identifiers that hold a `-` and so are no single word.
    pub fn dashed(&self) -> Option<&Patterns> {
        self.dashed.as_ref()
    }

    /// Every identifier, lower-cased, to be searched for in paths.
    pub fn lowercase_identifiers(&self) -> Option<&Patterns> {
        self.lowercase_identifiers.as_ref()
    }

    /// What a sample asks for; `None` for a sample this vocabulary was not made of.
    pub fn needs(&self, sample: &Sample) -> Option<&Needs> {
        self.needs.get(&sample.id)
    }
}

/// Which lengths and first and last bytes the terms have: most tokens of a file have a shape that no term has, and
/// are told apart without hashing them.
#[derive(Debug)]
struct Shapes(Box<[u64; Shapes::WORDS]>);

impl Shapes {
    const WORDS: usize = 1 << 10;

    fn of(terms: &BTreeSet<Vec<u8>>) -> Shapes {
        let mut bits = Box::new([0; Shapes::WORDS]);
        for (word, bit) in terms.iter().map(|term| Shapes::place(term)) {
            bits[word] |= 1 << bit;
        }
        Shapes(bits)
    }

    fn may_hold(&self, token: &[u8]) -> bool {
        let (word, bit) = Shapes::place(token);
        self.0[word] >> bit & 1 == 1
    }

    /// Five bits each of the first, second and last byte (letters and digits differ in these but for a few), the
    /// length's lowest bit.
    fn place(token: &[u8]) -> (usize, u32) {
        let low = |at: usize| token.get(at).map_or(0, |&byte| u32::from(byte & 0x1f));
        let last = token.len().wrapping_sub(1);
        let mixed = low(0) << 11 | low(1) << 6 | low(last) << 1 | (token.len() as u32 & 1);
        ((mixed >> 6) as usize, mixed & 63)
    }
}

fn number(strings: BTreeSet<Vec<u8>>) -> HashMap<Vec<u8>, TermId> {
    strings.into_iter().zip(0..).collect()
}
