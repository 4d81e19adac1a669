//! The table of languages: whose files the graph reads, by which grammar, and who knows their declarations.
//!
//! A new language is one file beside this one and one row here.

use super::nested::Nested;
use super::sketch::Enter;
use super::{go, java, javascript, python, rust, typescript};

/// Loads a grammar.
pub type Grammar = fn() -> tree_sitter::Language;

/// One row of the table of languages.
#[derive(Debug)]
pub struct Language {
    /// Its name in options and reports.
    pub name: &'static str,
    /// Its files' names end with one of these, and the grammar of each.
    pub grammars: &'static [(&'static str, Grammar)],
    /// What it does at a node.
    pub enter: Enter,
    /// The kinds of nodes at which it does anything; empty for all.
    pub kinds: &'static [&'static str],
    /// Which nodes may hold source that its grammar does not see.
    pub nested: Option<Nested>,
    /// Whether its files can be cut (see `cut.rs`).
    pub cut: bool,
}

/// Every language.
pub static LANGUAGES: [Language; 6] = [
    Language {
        name: "python",
        grammars: &[(".py", || tree_sitter_python::LANGUAGE.into())],
        enter: python::enter,
        kinds: &python::KINDS,
        nested: None,
        cut: true,
    },
    Language {
        name: "java",
        grammars: &[(".java", || tree_sitter_java::LANGUAGE.into())],
        enter: java::enter,
        kinds: &java::KINDS,
        nested: None,
        cut: false,
    },
    Language {
        name: "javascript",
        grammars: &[
            (".js", || tree_sitter_javascript::LANGUAGE.into()),
            (".jsx", || tree_sitter_javascript::LANGUAGE.into()),
            (".mjs", || tree_sitter_javascript::LANGUAGE.into()),
            (".cjs", || tree_sitter_javascript::LANGUAGE.into()),
        ],
        enter: javascript::enter,
        kinds: &[],
        nested: None,
        cut: false,
    },
    Language {
        name: "typescript",
        grammars: &[
            (".ts", || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
            (".tsx", || tree_sitter_typescript::LANGUAGE_TSX.into()),
            (".mts", || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
            (".cts", || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        ],
        enter: typescript::enter,
        kinds: &[],
        nested: None,
        cut: false,
    },
    Language {
        name: "go",
        grammars: &[(".go", || tree_sitter_go::LANGUAGE.into())],
        enter: go::enter,
        kinds: &go::KINDS,
        nested: None,
        cut: false,
    },
    Language {
        name: "rust",
        grammars: &[(".rs", || tree_sitter_rust::LANGUAGE.into())],
        enter: rust::enter,
        kinds: &rust::KINDS,
        nested: Some(rust::nested),
        cut: false,
    },
];

/// The language of a file, and which of its grammars reads it.
pub fn of_path(path: &str) -> Option<(&'static Language, usize)> {
    LANGUAGES.iter().find_map(|language| {
        let grammar = language.grammars.iter().position(|(ending, _)| path.ends_with(ending))?;
        Some((language, grammar))
    })
}
