//! Distinct pieces of source, each parsed once for all files and commits that hold it.
//!
//! A piece is a whole file, or a part of one where its language can be cut. Invariants: pieces are numbered in the order
//! in which they were first read; a reading names its pieces and where they stand, so that a hundred versions of a file
//! cost little more than one. This module knows no paths beyond a file's ending, and no commit.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use tree_sitter::{ParseOptions, Parser, Tree};

use super::cut::{self, Part};
use super::fragment::{Bytes, Entity, Fragment, Kind};
use super::language::{self, Language};
use super::sketch::Sketch;

/// The largest file that is parsed; larger ones are generated or minified.
pub const MAX_FILE_BYTES: usize = 4 << 20;
/// How long the parse of one piece may take.
const MAX_PARSE: Duration = Duration::from_secs(10);
/// What the parts of a class's body are parsed behind.
const WRAPPER: &str = "class _:\n";

/// Why a file of a known language has no declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skipped {
    /// It is not UTF-8.
    NotUtf8,
    /// It has over [`MAX_FILE_BYTES`].
    TooLarge,
    /// The parser took too long.
    TooSlow,
}

/// A piece at its place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The number of the piece.
    pub piece: u32,
    /// Bytes of the file before it.
    pub bytes_before: u32,
    /// Lines of the file before it.
    pub lines_before: u32,
    /// Whether it is part of the body of the class that an earlier piece declares last.
    pub in_class: bool,
}

/// What was read of one file.
pub type Reading = Result<Vec<Placed>, Skipped>;

/// Every distinct piece of a repository.
#[derive(Default)]
pub struct Pieces {
    parsers: HashMap<(&'static str, usize), Parser>,
    known: HashMap<[u8; 32], Result<u32, Skipped>>,
    fragments: Vec<Fragment>,
}

impl std::fmt::Debug for Pieces {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} pieces", self.fragments.len())
    }
}

impl Pieces {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.fragments.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fragments.is_empty()
    }

    /// What piece `piece` declares; lines and bytes count from its own beginning.
    pub fn fragment(&self, piece: u32) -> Option<&Fragment> {
        self.fragments.get(piece as usize)
    }

    /// Reads a file named `path`; `None` where no language knows it. `new` is told of each piece that is new and its text.
    pub fn read(
        &mut self,
        path: &str,
        bytes: &[u8],
        new: &mut dyn FnMut(u32, &Fragment, &str),
    ) -> Option<Reading> {
        let (language, grammar) = language::of_path(path)?;
        if bytes.len() > MAX_FILE_BYTES {
            return Some(Err(Skipped::TooLarge));
        }
        let Ok(text) = str::from_utf8(bytes) else { return Some(Err(Skipped::NotUtf8)) };
        if language.cut {
            let parts = cut::parts(bytes);
            if parts.len() > 1
                && let Some(reading) = self.read_parts(language, grammar, text, &parts, new)
            {
                return Some(reading);
            }
        }
        let piece = self.piece(language, grammar, text, false, new);
        Some(
            piece.map(|piece| {
                vec![Placed { piece, bytes_before: 0, lines_before: 0, in_class: false }]
            }),
        )
    }

    /// `None` where the parts do not fit together, so that the file must be read whole.
    fn read_parts(
        &mut self,
        language: &Language,
        grammar: usize,
        text: &str,
        parts: &[Part],
        new: &mut dyn FnMut(u32, &Fragment, &str),
    ) -> Option<Reading> {
        let mut placed = Vec::with_capacity(parts.len());
        let mut has_class = false;
        for (index, part) in parts.iter().enumerate() {
            let end = parts.get(index + 1).map_or(text.len(), |next| next.start);
            let piece =
                match self.piece(language, grammar, text.get(part.start..end)?, part.in_class, new)
                {
                    Ok(piece) => piece,
                    Err(skipped) => return Some(Err(skipped)),
                };
            let fragment = self.fragment(piece)?;
            // What the parser makes of broken code depends on all of the file.
            if fragment.errors > 0 {
                return None;
            }
            if !part.in_class {
                has_class = last_class(fragment).is_some();
            } else if !has_class {
                return None;
            }
            placed.push(Placed {
                piece,
                bytes_before: u32::try_from(part.start).ok()?,
                lines_before: part.lines_before,
                in_class: part.in_class,
            });
        }
        Some(Ok(placed))
    }

    fn piece(
        &mut self,
        language: &Language,
        grammar: usize,
        text: &str,
        in_class: bool,
        new: &mut dyn FnMut(u32, &Fragment, &str),
    ) -> Result<u32, Skipped> {
        let mut hasher = Sha256::new_with_prefix(text);
        hasher.update([u8::from(in_class), grammar as u8]);
        hasher.update(language.name);
        let key = hasher.finalize().into();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let parsed = if in_class {
            let wrapped = [WRAPPER, text].concat();
            self.parse(language, grammar, &wrapped).map(|fragment| unwrapped(fragment, text))
        } else {
            self.parse(language, grammar, text)
        };
        let known = match parsed {
            None => Err(Skipped::TooSlow),
            Some(fragment) => {
                let piece = u32::try_from(self.fragments.len()).unwrap_or(u32::MAX);
                new(piece, &fragment, text);
                self.fragments.push(fragment);
                Ok(piece)
            }
        };
        self.known.insert(key, known);
        known
    }

    fn parse(&mut self, language: &Language, grammar: usize, text: &str) -> Option<Fragment> {
        let parser = self.parsers.entry((language.name, grammar)).or_default();
        if parser.language().is_none() {
            let (_, load) = language.grammars.get(grammar)?;
            parser.set_language(&load()).ok()?;
        }
        let tree = parse_in_time(parser, text)?;
        Some(Sketch::walk(text, &tree, language))
    }

    /// Everything that the pieces of one file declare, as if it had been read whole.
    pub fn whole(&self, placed: &[Placed]) -> Fragment {
        let mut whole = Fragment::default();
        let mut class = None;
        for place in placed {
            let Some(fragment) = self.fragment(place.piece) else { continue };
            let base = u32::try_from(whole.entities.len()).unwrap_or(u32::MAX);
            // The first entity of a part in a class stands for the class itself.
            let skipped = u32::from(place.in_class);
            let at = |id: u32| match id.checked_sub(skipped) {
                Some(id) => Some(base + id),
                None => class,
            };
            for entity in fragment.entities.iter().skip(skipped as usize) {
                let mut entity = moved(entity, place);
                entity.parent = entity.parent.and_then(at);
                whole.entities.push(entity);
            }
            if place.in_class
                && let Some(id) = class
                && let (Some(part), Some(class)) =
                    (fragment.entities.first(), whole.entities.get_mut(id as usize))
            {
                let part = moved(part, place);
                class.code.end = part.code.end;
                class.last_line = part.last_line;
                class.calls.extend(part.calls);
            }
            whole.imports.extend(fragment.imports.iter().cloned().map(|mut import| {
                import.within = import.within.and_then(at);
                import
            }));
            whole.errors += fragment.errors;
            if !place.in_class {
                class = last_class(fragment).map(|id| base + id);
            }
        }
        whole
    }
}

/// The last class that a fragment declares at its top.
pub fn last_class(fragment: &Fragment) -> Option<u32> {
    let is_top_class = |entity: &Entity| entity.kind == Kind::Class && entity.parent.is_none();
    fragment.entities.iter().rposition(is_top_class).and_then(|id| u32::try_from(id).ok())
}

/// An entity of a piece at its place in the file.
fn moved(entity: &Entity, place: &Placed) -> Entity {
    let shift = |range: &Bytes| match range.is_empty() {
        true => Bytes::default(),
        false => range.start + place.bytes_before..range.end + place.bytes_before,
    };
    let line = |line: u32| line + place.lines_before;
    Entity {
        code: shift(&entity.code),
        decorated_line: line(entity.decorated_line),
        first_line: line(entity.first_line),
        last_line: line(entity.last_line),
        signature: shift(&entity.signature),
        documentation: shift(&entity.documentation),
        comments: entity.comments.iter().map(shift).collect(),
        ..entity.clone()
    }
}

/// Takes the wrapper off: what is left counts from the beginning of `text`, as if the class had been opened before it.
fn unwrapped(mut fragment: Fragment, text: &str) -> Fragment {
    let wrapper = u32::try_from(WRAPPER.len()).unwrap_or_default();
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let shift = |range: &mut Bytes| {
        *range = range.start.saturating_sub(wrapper)..range.end.saturating_sub(wrapper).min(end);
    };
    for entity in &mut fragment.entities {
        shift(&mut entity.code);
        shift(&mut entity.signature);
        shift(&mut entity.documentation);
        entity.comments.iter_mut().for_each(shift);
        for line in [&mut entity.decorated_line, &mut entity.first_line, &mut entity.last_line] {
            *line = line.saturating_sub(1);
        }
    }
    fragment
}

/// The tree of a text; `None` where it takes too long.
fn parse_in_time(parser: &mut Parser, text: &str) -> Option<Tree> {
    let began = Instant::now();
    let mut in_time = |_: &tree_sitter::ParseState| match began.elapsed() > MAX_PARSE {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let tree = parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(options),
    );
    if tree.is_none() {
        parser.reset();
    }
    tree
}
