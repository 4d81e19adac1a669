//! Declarations of typescript.

use tree_sitter::Node;

use super::sketch::{Sketch, Visit};

/// What typescript does at a node.
pub fn enter(_sketch: &mut Sketch<'_>, _node: Node<'_>) -> Visit {
    Visit::Children
}
