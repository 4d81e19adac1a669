//! One snapshot as the lexical arms see it: which files, which contents they have, what their paths say.

use super::index::Index;
use super::vocabulary::{Taken, TermId, Vocabulary};
use crate::snapshot::{ContentId, ContentKind, Survey};
use crate::text::token::{fold_case, for_each_token};

/// Directories that belong to tools, not to the repository; skipped at any depth.
const TOOL_DIRECTORIES: [&str; 3] = [".git", ".corvint", ".context-corvint"];

/// The number of a file among those searched, in bytewise order of paths.
pub type FileId = u32;

/// The searched files of a snapshot.
#[derive(Debug, Default)]
pub struct View {
    paths: Vec<String>,
    contents: Vec<ContentId>,
    multiplicity: Vec<u32>,
    mean_length: f64,
    path_terms: Vec<(TermId, FileId)>,
    path_identifiers: Vec<(TermId, FileId)>,
}

impl View {
    /// The view of a surveyed snapshot whose texts are all in `index`.
    pub fn new(survey: &Survey, index: &Index, vocabulary: &Vocabulary) -> View {
        let mut view = View { multiplicity: vec![0; index.content_bound()], ..View::default() };
        let mut total_length = 0u64;
        let mut folded = Vec::new();
        let mut taken = Taken::default();
        for file in &survey.files {
            if file.kind != ContentKind::Text || in_tool_directory(&file.path) {
                continue;
            }
            let id = view.paths.len() as FileId;
            total_length += u64::from(index.length(file.content));
            if let Some(count) = view.multiplicity.get_mut(file.content as usize) {
                *count += 1;
            }
            view.contents.push(file.content);
            if vocabulary.wanted.substrings {
                for_each_token(file.path.as_bytes(), |token| {
                    if let Some(term) = vocabulary.term(&token.to_ascii_lowercase()) {
                        view.path_terms.push((term, id));
                    }
                });
            }
            if let Some(patterns) = vocabulary.lowercase_identifiers() {
                fold_case(file.path.as_bytes(), &mut folded);
                patterns.for_each_apart(&folded, &mut taken, |pattern, _, _| {
                    let hits = patterns.meaning(pattern).iter().map(|&identifier| (identifier, id));
                    view.path_identifiers.extend(hits);
                    true
                });
            }
            view.paths.push(file.path.clone());
        }
        for hits in [&mut view.path_terms, &mut view.path_identifiers] {
            hits.sort_unstable();
            hits.dedup();
        }
        view.mean_length = total_length as f64 / view.paths.len().max(1) as f64;
        view
    }

    /// How many files are searched.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Mean bench tokens per searched file.
    pub fn mean_length(&self) -> f64 {
        self.mean_length
    }

    /// The path of a file.
    pub fn path(&self, file: FileId) -> &str {
        &self.paths[file as usize]
    }

    /// The content of every file, in file order.
    pub fn contents(&self) -> &[ContentId] {
        &self.contents
    }

    /// How many searched files have this content.
    pub fn multiplicity(&self, content: ContentId) -> u32 {
        self.multiplicity.get(content as usize).copied().unwrap_or(0)
    }

    /// The file at a path.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.paths.binary_search_by(|own| own.as_str().cmp(path)).ok().map(|at| at as FileId)
    }

    /// Files whose path has the term among its bench tokens, ascending.
    pub fn files_with_path_term(&self, term: TermId) -> impl Iterator<Item = FileId> {
        hits_of(&self.path_terms, term)
    }

    /// Files whose lower-cased path holds the lower-cased identifier anywhere, ascending.
    pub fn files_with_path_identifier(&self, identifier: TermId) -> impl Iterator<Item = FileId> {
        hits_of(&self.path_identifiers, identifier)
    }
}

fn hits_of(hits: &[(TermId, FileId)], id: TermId) -> impl Iterator<Item = FileId> {
    let from = hits.partition_point(|&(other, _)| other < id);
    hits[from..].iter().take_while(move |&&(other, _)| other == id).map(|&(_, file)| file)
}

fn in_tool_directory(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.next_back();
    parts.any(|part| TOOL_DIRECTORIES.contains(&part))
}
