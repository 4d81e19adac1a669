//! Imports of Rust: the trees of `use`, and crates and modules as wholes.

use tree_sitter::Node;

use super::fragment::{Import, Imported};
use super::sketch::Sketch;

/// The longest path before a list in a `use`, which the imports repeat for each part of it; longer ones are left out.
const MAX_PATH: usize = 256;

/// The entity whose body the current node stands in directly: declaration, body, node.
fn within(sketch: &Sketch<'_>) -> Option<u32> {
    sketch.innermost_id().filter(|_| sketch.depth_in_innermost() == 2)
}

/// `extern crate a as b`.
pub fn extern_crate(sketch: &mut Sketch<'_>, node: Node<'_>) {
    if let Some(name) = node.child_by_field_name("name") {
        let alias = node.child_by_field_name("alias").map(|alias| sketch.text(alias).to_owned());
        let module = sketch.text(name).to_owned();
        whole(sketch, module, alias);
    }
}

/// An import of a module itself.
pub fn whole(sketch: &mut Sketch<'_>, module: String, alias: Option<String>) {
    let within = within(sketch);
    sketch.import(Import { within, module, level: 0, names: Vec::new(), alias });
}

/// The imports that the tree of a `use` stands for. The names that stand in one list are one import.
pub fn import(sketch: &mut Sketch<'_>, tree: Node<'_>) {
    let mut rest = vec![(tree, String::new())];
    while let Some((tree, prefix)) = rest.pop() {
        if prefix.len() > MAX_PATH {
            continue;
        }
        match tree.kind() {
            "scoped_use_list" => {
                // `::{a}` has no path.
                let path = tree.child_by_field_name("path").map(|path| spoken(sketch, path));
                let path = join(&prefix, path.as_deref().unwrap_or("::"));
                rest.extend(tree.child_by_field_name("list").map(|list| (list, path)));
            }
            "use_list" => {
                let mut names = Vec::new();
                let mut others = Vec::new();
                let mut cursor = tree.walk();
                for child in tree.named_children(&mut cursor).filter(|child| !child.is_extra()) {
                    match name(sketch, child) {
                        Some(name) if !prefix.is_empty() => names.push(name),
                        _ => others.push((child, prefix.clone())),
                    }
                }
                if !names.is_empty() {
                    let within = within(sketch);
                    sketch.import(Import { within, module: prefix, level: 0, names, alias: None });
                }
                rest.extend(others.into_iter().rev());
            }
            _ => one(sketch, tree, &prefix),
        }
    }
}

/// What a part of a list takes out of the module that the list is of, if it is no path.
fn name(sketch: &Sketch<'_>, tree: Node<'_>) -> Option<Imported> {
    let owned = |node: Node<'_>| sketch.text(node).to_owned();
    match tree.kind() {
        "identifier" => Some(Imported { name: owned(tree), alias: None }),
        "use_wildcard" if tree.named_child_count() == 0 => {
            Some(Imported { name: "*".to_owned(), alias: None })
        }
        "use_as_clause" => {
            let path =
                tree.child_by_field_name("path").filter(|path| path.kind() == "identifier")?;
            Some(Imported {
                name: owned(path),
                alias: tree.child_by_field_name("alias").map(owned),
            })
        }
        _ => None,
    }
}

/// A path that is no list: a name out of a module, or a module itself.
fn one(sketch: &mut Sketch<'_>, tree: Node<'_>, prefix: &str) {
    let alias = tree.child_by_field_name("alias").map(|alias| sketch.text(alias).to_owned());
    let path = match tree.kind() {
        "use_as_clause" => tree.child_by_field_name("path"),
        "use_wildcard" => tree.named_child(0),
        _ => Some(tree),
    };
    let mut path = path.map(|path| spoken(sketch, path)).unwrap_or_default();
    if path == "self" && !prefix.is_empty() {
        return whole(sketch, prefix.to_owned(), alias);
    }
    path = join(prefix, &path);
    let (module, name) = match path.rsplit_once("::") {
        _ if tree.kind() == "use_wildcard" => (path.as_str(), "*"),
        Some((module, name)) if !module.is_empty() => (module, name),
        _ => return whole(sketch, path, alias),
    };
    let names = vec![Imported { name: name.to_owned(), alias }];
    let within = within(sketch);
    sketch.import(Import { within, module: module.to_owned(), level: 0, names, alias: None });
}

/// A path behind a prefix.
fn join(prefix: &str, path: &str) -> String {
    if prefix.is_empty() || prefix.ends_with("::") || path.is_empty() {
        format!("{prefix}{path}")
    } else {
        format!("{prefix}::{path}")
    }
}

/// A path without the white space that may stand in it.
fn spoken(sketch: &Sketch<'_>, path: Node<'_>) -> String {
    sketch.text(path).split_whitespace().collect()
}
