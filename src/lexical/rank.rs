//! Scores → a ranking: the rules of the four lexical arms (reference harness, section 6).
//!
//! Scores belong to contents, so files of one content score alike apart from what their paths add. Every order is
//! total: the path decides last, and paths are distinct.

use super::index::{Index, Postings};
use super::view::{FileId, View};
use super::vocabulary::TermId;
use crate::arm::Answer;

/// BM25's term saturation. Fixed by the protocol, never tuned.
const K1: f64 = 1.2;
/// BM25's length normalisation. Fixed by the protocol, never tuned.
const B: f64 = 0.75;

/// Which numbers of a query an arm counts, where, and what a path adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// `grep`: terms as substrings; a term in the path counts as held, and once more.
    Substrings,
    /// `grep-ident`: identifiers as whole words; an identifier in the path counts once.
    WholeWords,
}

/// Ranks by distinct terms held, then occurrences, then path.
pub fn by_distinct(
    counting: Counting,
    terms: &[TermId],
    index: &Index,
    view: &View,
    excluded: &[String],
    limit: usize,
) -> Answer {
    let postings = match counting {
        Counting::Substrings => &index.substrings,
        Counting::WholeWords => &index.identifiers,
    };
    let mut held = vec![(0u32, 0u64); index.content_bound()];
    for &term in terms {
        for posting in postings.of(term) {
            let (distinct, occurrences) = &mut held[posting.content as usize];
            *distinct += 1;
            *occurrences += u64::from(posting.count);
        }
    }
    let mut from_path = vec![0u32; view.len()];
    for &term in terms {
        match counting {
            Counting::Substrings => {
                for file in view.files_with_path_term(term) {
                    from_path[file as usize] += 1 + u32::from(!holds(postings, term, file, view));
                }
            }
            Counting::WholeWords => {
                for file in view.files_with_path_identifier(term) {
                    from_path[file as usize] += 1;
                }
            }
        }
    }
    let scored = view.contents().iter().zip(0..).filter_map(|(&content, file)| {
        let (distinct, occurrences) = held[content as usize];
        let distinct = distinct + from_path[file as usize];
        (distinct > 0).then_some(((distinct, occurrences), file))
    });
    let best = top(scored, view, excluded, limit, |a, b| b.cmp(a));
    let top_score = best.first().map_or(0.0, |&((distinct, _), _)| f64::from(distinct));
    answer(best, view, top_score)
}

fn holds(postings: &Postings, term: TermId, file: FileId, view: &View) -> bool {
    postings.holds(term, view.contents()[file as usize])
}

/// Ranks by BM25 over whole files, then path. The given files stay in the statistics.
pub fn by_bm25(
    terms: &[TermId],
    index: &Index,
    view: &View,
    excluded: &[String],
    limit: usize,
) -> Answer {
    let files = view.len() as f64;
    let mut scores = vec![0.0f64; index.content_bound()];
    for &term in terms {
        let postings = index.tokens.of(term);
        let holding: u32 = postings.iter().map(|posting| view.multiplicity(posting.content)).sum();
        if holding == 0 {
            continue;
        }
        let weight = inverse_document_frequency(files, f64::from(holding));
        for posting in postings {
            if view.multiplicity(posting.content) == 0 {
                continue;
            }
            let length = f64::from(index.length(posting.content));
            let count = f64::from(posting.count);
            // Written out in the reference's order of operations: the last bit decides ties.
            scores[posting.content as usize] += weight * count * (K1 + 1.0)
                / (count + K1 * (1.0 - B + B * length / view.mean_length()));
        }
    }
    let scored = view.contents().iter().zip(0..).filter_map(|(&content, file)| {
        let score = scores[content as usize];
        (score > 0.0).then_some((score, file))
    });
    let best = top(scored, view, excluded, limit, |a, b| b.total_cmp(a));
    let top_score = best.first().map_or(0.0, |&(score, _)| score);
    answer(best, view, top_score)
}

/// ln(1 + (N - n + 0.5) / (n + 0.5)), with the logarithm of FreeBSD's `e_log`, which the reference's equals bit for
/// bit; glibc's differs in the last bit for one pair in thirteen.
pub fn inverse_document_frequency(files: f64, holding: f64) -> f64 {
    libm::log(1.0 + (files - holding + 0.5) / (holding + 0.5))
}

/// The best `limit` files, excluded ones left out: by score, then by path, which file numbers follow.
fn top<S: Copy>(
    scored: impl Iterator<Item = (S, FileId)>,
    view: &View,
    excluded: &[String],
    limit: usize,
    better: impl Fn(&S, &S) -> std::cmp::Ordering,
) -> Vec<(S, FileId)> {
    let left_out: Vec<FileId> = excluded.iter().filter_map(|path| view.find(path)).collect();
    let mut kept: Vec<(S, FileId)> = scored.filter(|(_, file)| !left_out.contains(file)).collect();
    let order = |a: &(S, FileId), b: &(S, FileId)| better(&a.0, &b.0).then(a.1.cmp(&b.1));
    if kept.len() > limit {
        kept.select_nth_unstable_by(limit, order);
        kept.truncate(limit);
    }
    kept.sort_unstable_by(order);
    kept
}

fn answer<S>(best: Vec<(S, FileId)>, view: &View, top_score: f64) -> Answer {
    Answer::ranked(
        best.into_iter().map(|(_, file)| view.path(file).to_owned()).collect(),
        top_score,
    )
}
