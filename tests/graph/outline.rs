//! Fragments as lines of text, so that a case of the batteries is source and lines.

use retrieval_bench::graph::fragment::{Fragment, Import, Kind};
use retrieval_bench::graph::language;
use retrieval_bench::graph::sketch::Sketch;

/// One case: what it shows, the source, and its outline.
pub type Case = (&'static str, &'static str, &'static [&'static str]);

/// Reads `source` as a file named `path`.
pub fn read(path: &str, source: &str) -> Fragment {
    let (language, grammar) = language::of_path(path).expect("a language");
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&(language.grammars[grammar].1)()).expect("a grammar");
    Sketch::walk(source, &parser.parse(source, None).expect("a tree"), language)
}

/// Entities in order, `class A.B 2-5 (1) < Base -> f, g` with the line of its decorators in parentheses where it has
/// any; then imports; then `errors N`.
pub fn outline(fragment: &Fragment) -> Vec<String> {
    let mut lines = Vec::new();
    for (id, entity) in (0u32..).zip(&fragment.entities) {
        let kind = match entity.kind {
            Kind::Class => "class",
            Kind::Function => "function",
        };
        let mut line =
            format!("{kind} {} {}-{}", fragment.path(id), entity.first_line, entity.last_line);
        if entity.decorated_line != entity.first_line {
            line += &format!(" ({})", entity.decorated_line);
        }
        if !entity.bases.is_empty() {
            line += &format!(" < {}", entity.bases.join(", "));
        }
        if !entity.calls.is_empty() {
            line += &format!(" -> {}", entity.calls.join(", "));
        }
        lines.push(line);
    }
    lines.extend(fragment.imports.iter().map(|import| imported(fragment, import)));
    if fragment.errors > 0 {
        lines.push(format!("errors {}", fragment.errors));
    }
    lines
}

/// `import ..a.b as c {x as y, *} in f`.
fn imported(fragment: &Fragment, import: &Import) -> String {
    let mut line = format!("import {}{}", ".".repeat(import.level as usize), import.module);
    if let Some(alias) = &import.alias {
        line += &format!(" as {alias}");
    }
    let names = import.names.iter().map(|name| match &name.alias {
        Some(alias) => format!("{} as {alias}", name.name),
        None => name.name.clone(),
    });
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        line += &format!(" {{{}}}", names.join(", "));
    }
    if let Some(within) = import.within {
        line += &format!(" in {}", fragment.path(within));
    }
    line
}

/// Holds every case of a battery to its outline.
pub fn hold(path: &str, cases: &[Case]) {
    for (about, source, expected) in cases {
        assert_eq!(outline(&read(path, source)), *expected, "{about}:\n{source}");
    }
}
