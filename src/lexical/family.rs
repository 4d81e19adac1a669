//! The lexical family of arms over the snapshots of one repository.

use super::index::Index;
use super::rank::{Counting, by_bm25, by_distinct};
use super::view::View;
use super::vocabulary::{Vocabulary, Wanted};
use crate::arm::{Answer, ArmRow, Ranker, Trouble, Turn};
use crate::dataset::Sample;
use crate::snapshot::{ContentId, Survey};

/// grep, grep-ident and BM25, sharing one pass over each distinct content.
#[derive(Debug)]
pub struct Lexical {
    vocabulary: Vocabulary,
    index: Index,
    view: View,
}

impl Lexical {
    /// For these arms, over these samples of one repository: nothing is counted that none of them asks for.
    pub fn new(arms: &[&ArmRow], samples: &[&Sample]) -> Lexical {
        let mut wanted = Wanted::default();
        for arm in arms {
            match arm.name {
                "grep" => wanted.substrings = true,
                "grep-ident" => wanted.identifiers = true,
                "bm25:all" | "bm25:ident" => wanted.tokens = true,
                _ => {}
            }
        }
        let vocabulary = Vocabulary::new(samples, wanted);
        let index = Index::new(&vocabulary);
        Lexical { vocabulary, index, view: View::default() }
    }
}

impl Ranker for Lexical {
    fn content(&mut self, id: ContentId, text: &[u8]) {
        self.index.add(id, text, &self.vocabulary);
    }

    fn enter(&mut self, snapshot: &Survey) {
        self.view = View::new(snapshot, &self.index, &self.vocabulary);
    }

    fn rank(&mut self, arm: &'static ArmRow, turn: &Turn) -> Result<Answer, Trouble> {
        let Some(needs) = self.vocabulary.needs(turn.sample) else {
            return Err(Trouble::Sample("the sample is not of this repository".to_owned()));
        };
        let (index, view, limit) = (&self.index, &self.view, turn.options.limit);
        let excluded = turn.options.given.excluded(turn.sample);
        Ok(match arm.name {
            "grep" => by_distinct(Counting::Substrings, &needs.terms, index, view, excluded, limit),
            "grep-ident" => {
                by_distinct(Counting::WholeWords, &needs.identifiers, index, view, excluded, limit)
            }
            "bm25:all" => by_bm25(&needs.terms, index, view, excluded, limit),
            "bm25:ident" => by_bm25(&needs.identifier_terms, index, view, excluded, limit),
            other => Answer::failed(format!("{other} is no lexical arm")),
        })
    }
}
