//! Declarations of rust.

use tree_sitter::Node;

use super::sketch::{Sketch, Visit};

/// What rust does at a node.
pub fn enter(_sketch: &mut Sketch<'_>, _node: Node<'_>) -> Visit {
    Visit::Children
}
