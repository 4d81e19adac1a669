//! Source within source: what a macro is given may be declarations, which the grammar takes for mere tokens.
//!
//! A language says which of its nodes may hold such source. That is parsed on its own, in its place in the file, and
//! counts only if it has no error: a macro may be given anything.

use std::collections::BTreeMap;

use tree_sitter::{Node, Parser, Range, Tree};

use super::language::Language;

/// How often source may stand in source: each level is parsed anew.
const MAX_LEVELS: usize = 4;

/// Finds the nodes of a tree that may hold source: the first byte of each, and where the source is.
pub type Nested = fn(Node<'_>) -> Vec<(usize, Range)>;

/// The trees of what is nested in `tree`, however often, by the first byte of the node that holds it.
pub fn trees(text: &str, tree: &Tree, language: &Language) -> BTreeMap<usize, Tree> {
    let mut trees = BTreeMap::new();
    let Some(nested) = language.nested else { return trees };
    let mut rest = nested(tree.root_node());
    let mut parser = Parser::new();
    if rest.is_empty() || parser.set_language(&tree.language()).is_err() {
        return trees;
    }
    for _ in 0..MAX_LEVELS {
        let mut inner = Vec::new();
        for (at, range) in rest {
            if parser.set_included_ranges(&[range]).is_ok()
                && let Some(tree) = parser.parse(text, None)
                && !tree.root_node().has_error()
            {
                inner.extend(nested(tree.root_node()));
                trees.insert(at, tree);
            }
        }
        rest = inner;
    }
    trees
}
