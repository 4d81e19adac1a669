//! Declarations of Java.
//!
//! Classes are classes, interfaces, enums, records and annotation types; functions are methods, constructors (named as
//! their class) and the elements of annotation types. An anonymous class, and an enum's constant with a body, is the class `$1`,
//! `$2`… of the entity around it; what its arguments call is called there. A lambda is no entity. `this(…)` calls the
//! class's own constructor, `super(…)` that of the class it extends. `X::f` calls `f`, `X::new` calls `X`, an annotation is
//! called by whatever it stands in. Code begins behind the annotations that a declaration begins with.
//! The module of `import a.b.C` is `a.b`. A module declares nothing.

use tree_sitter::Node;

use super::fragment::{Bytes, Import, Imported, Kind};
use super::sketch::{Declared, Sketch, Visit, descend};

/// The kinds of nodes at which [`enter`] does anything.
pub const KINDS: [&str; 21] = [
    "annotation",
    "annotation_type_declaration",
    "annotation_type_element_declaration",
    "argument_list",
    "block_comment",
    "class_declaration",
    "compact_constructor_declaration",
    "constructor_declaration",
    "enum_constant",
    "enum_declaration",
    "explicit_constructor_invocation",
    "import_declaration",
    "interface_declaration",
    "line_comment",
    "marker_annotation",
    "method_declaration",
    "method_invocation",
    "method_reference",
    "module_declaration",
    "object_creation_expression",
    "record_declaration",
];

/// What Java does at a node.
pub fn enter(sketch: &mut Sketch<'_>, node: Node<'_>) -> Visit {
    match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => declare(sketch, node, Kind::Class),
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => declare(sketch, node, Kind::Function),
        "enum_constant" => constant(sketch, node),
        "object_creation_expression" => create(sketch, node),
        "argument_list" if is_of_anonymous(sketch) => sketch.step_out(),
        "method_invocation" => {
            if let Some(name) = node.child_by_field_name("name") {
                sketch.call(sketch.text(name));
            }
        }
        "method_reference" => refer(sketch, node),
        "explicit_constructor_invocation" => construct(sketch, node),
        "annotation" | "marker_annotation" => {
            annotate(sketch, node);
            return Visit::Nothing;
        }
        "import_declaration" => import(sketch, node),
        "module_declaration" => return Visit::Nothing,
        "line_comment" | "block_comment" => sketch.comment(node),
        _ => {}
    }
    Visit::Children
}

fn declare(sketch: &mut Sketch<'_>, node: Node<'_>, kind: Kind) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let signature = match kind {
        Kind::Function => sketch.part(name.end_byte(), end_of_signature(node)),
        Kind::Class => Bytes::default(),
    };
    let opened = open(sketch, node, kind, sketch.text(name), signature);
    if !opened || kind == Kind::Function {
        return;
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if matches!(child.kind(), "superclass" | "super_interfaces" | "extends_interfaces") {
            inherit(sketch, child);
        }
    }
}

/// Opens an entity whose code is `node` without the annotations that it begins with.
fn open(sketch: &mut Sketch<'_>, node: Node<'_>, kind: Kind, name: &str, signature: Bytes) -> bool {
    let documentation = sketch.lead(node).last(sketch.file(), is_documentation);
    let declared =
        Declared { kind, name, owner: None, code: node, decorated: None, signature, documentation };
    let opened = sketch.open(&declared);
    if opened && let Some(first) = behind_annotations(node) {
        sketch.begin_at(first);
    }
    opened
}

/// The first node of a declaration that is no annotation.
fn behind_annotations(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let is_code = |node: &Node<'_>| {
        !matches!(
            node.kind(),
            "annotation" | "marker_annotation" | "line_comment" | "block_comment" | "modifiers"
        )
    };
    for child in node.children(&mut cursor) {
        let mut cursor = child.walk();
        let first = match child.kind() {
            "modifiers" => child.children(&mut cursor).find(is_code),
            _ => Some(child).filter(is_code),
        };
        if first.is_some() {
            return first;
        }
    }
    None
}

/// The body, or else the semicolon.
fn end_of_signature(node: Node<'_>) -> usize {
    if let Some(body) = node.child_by_field_name("body") {
        return body.start_byte();
    }
    let last = node.child(node.child_count().saturating_sub(1));
    last.filter(|last| last.kind() == ";").map_or(node.end_byte(), |last| last.start_byte())
}

fn is_documentation(comment: &str) -> bool {
    comment.starts_with("/**") && comment != "/**/"
}

/// The types that a clause names: directly, or in a list.
fn inherit(sketch: &mut Sketch<'_>, clause: Node<'_>) {
    let mut found = Vec::new();
    descend(clause, |node, depth| {
        if depth == 0 || node.kind() == "type_list" {
            return Visit::Children;
        }
        found.extend(last_name(node));
        Visit::Nothing
    });
    for base in found {
        sketch.base(sketch.text(base));
    }
}

/// `C` of `C`, `a.b.C`, `C<T>` and `@A C`.
fn last_name(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        let mut cursor = node.walk();
        node = match node.kind() {
            "type_identifier" => return Some(node),
            "generic_type" => node.named_children(&mut cursor).find(|child| {
                matches!(child.kind(), "type_identifier" | "scoped_type_identifier")
            })?,
            "scoped_type_identifier" | "annotated_type" => {
                node.named_children(&mut cursor).filter(|child| !child.is_extra()).last()?
            }
            _ => return None,
        };
    }
}

/// `new X(…)`, which may declare an anonymous class.
fn create(sketch: &mut Sketch<'_>, node: Node<'_>) {
    let name = node.child_by_field_name("type").and_then(last_name);
    let name = name.map(|name| sketch.text(name));
    if let Some(name) = name {
        sketch.call(name);
    }
    let mut cursor = node.walk();
    if node.named_children(&mut cursor).any(|child| child.kind() == "class_body") {
        anonymous(sketch, node, name);
    }
}

/// A constant of an enum, which may have a body.
fn constant(sketch: &mut Sketch<'_>, node: Node<'_>) {
    if node.child_by_field_name("body").is_some() {
        let base = sketch.innermost().map(|entity| entity.name.clone());
        anonymous(sketch, node, base.as_deref());
    }
}

fn anonymous(sketch: &mut Sketch<'_>, node: Node<'_>, base: Option<&str>) {
    let name = format!("${}", sketch.number());
    if open(sketch, node, Kind::Class, &name, Bytes::default())
        && let Some(base) = base
    {
        sketch.base(base);
    }
}

/// Whether the current node stands directly in an anonymous class, which no class with a name has arguments in.
fn is_of_anonymous(sketch: &Sketch<'_>) -> bool {
    let name = sketch.innermost().map(|entity| entity.name.as_str());
    sketch.depth_in_innermost() == 1 && name.is_some_and(|name| name.starts_with('$'))
}

/// `X::f` or `X::new`.
fn refer(sketch: &mut Sketch<'_>, node: Node<'_>) {
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor).filter(|child| !child.is_extra());
    let (first, last) = (children.next(), children.last());
    let name = match last {
        Some(last) if last.kind() == "identifier" => Some(last),
        Some(last) if last.kind() == "new" => first.and_then(|node| match node.kind() {
            "identifier" => Some(node),
            "field_access" => node.child_by_field_name("field"),
            _ => last_name(node),
        }),
        _ => None,
    };
    if let Some(name) = name {
        sketch.call(sketch.text(name));
    }
}

/// `this(…)` or `super(…)` in a constructor.
fn construct(sketch: &mut Sketch<'_>, node: Node<'_>) {
    let is_this = node.child_by_field_name("constructor").is_some_and(|word| word.kind() == "this");
    // The constructor's body, the constructor, the class's body, the class.
    let (Some(constructor), Some(class)) = (sketch.ancestor(1), sketch.ancestor(3)) else { return };
    let name = if is_this {
        constructor.child_by_field_name("name")
    } else {
        let clause = class.child_by_field_name("superclass");
        clause.and_then(|clause| clause.named_child(0)).and_then(last_name)
    };
    if let Some(name) = name {
        sketch.call(sketch.text(name));
    }
}

/// An annotation and those in its arguments.
fn annotate(sketch: &mut Sketch<'_>, node: Node<'_>) {
    let mut names = Vec::new();
    descend(node, |node, _| {
        if matches!(node.kind(), "annotation" | "marker_annotation") {
            names.extend(node.child_by_field_name("name"));
        }
        Visit::Children
    });
    for name in names {
        let name = name.child_by_field_name("name").unwrap_or(name);
        sketch.call(sketch.text(name));
    }
}

fn import(sketch: &mut Sketch<'_>, node: Node<'_>) {
    let mut cursor = node.walk();
    let (mut path, mut all) = (None, false);
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "identifier" | "scoped_identifier" => path = Some(child),
            "asterisk" => all = true,
            _ => {}
        }
    }
    let Some(path) = path else { return };
    // White space may stand in it.
    let path: String = sketch.text(path).split_whitespace().collect();
    let (module, name) = match path.rsplit_once('.') {
        _ if all => (path.as_str(), "*"),
        Some((module, name)) => (module, name),
        None => ("", path.as_str()),
    };
    sketch.import(Import {
        within: None,
        module: module.to_owned(),
        level: 0,
        names: vec![Imported { name: name.to_owned(), alias: None }],
        alias: None,
    });
}
