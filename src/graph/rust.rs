//! Declarations of Rust.
//!
//! Classes are structs, enums, unions, traits and modules with a body; functions are functions, required or provided or
//! foreign ones too, and `macro_rules!` (under its name, without `!`). What an `impl` declares is attached to its
//! type, whatever stands around the `impl`, and the trait is a base of that type; a type without a name goes by the name
//! that Rust's own documentation gives it (`slice`, `tuple`…). Associated types and constants, variants and closures are no
//! entities. A tuple struct's constructor and a macro are called as functions are. Attributes are called by
//! what they decorate, and by nobody where that is no entity. To the grammar, what a macro is given and what it
//! consists of are tokens, and nothing that is declared or called there is seen, but for one thing: a macro that stands in
//! the place of a declaration and is given declarations in braces (`cfg_x! { fn f() {} }`) counts as if they stood
//! there themselves. `mod x;` imports `self::x`.

use tree_sitter::{Node, Range};

use super::fragment::{Bytes, Kind};
use super::rust_imports;
use super::sketch::{Declared, Sketch, Visit, descend};

/// The kinds of nodes at which [`enter`] does anything.
pub const KINDS: [&str; 16] = [
    "attribute_item",
    "block_comment",
    "call_expression",
    "enum_item",
    "extern_crate_declaration",
    "function_item",
    "function_signature_item",
    "impl_item",
    "line_comment",
    "macro_definition",
    "macro_invocation",
    "mod_item",
    "struct_item",
    "trait_item",
    "union_item",
    "use_declaration",
];

/// What Rust does at a node.
pub fn enter(sketch: &mut Sketch<'_>, node: Node<'_>) -> Visit {
    match node.kind() {
        "function_item" | "function_signature_item" | "macro_definition" => {
            declare(sketch, node, Kind::Function);
        }
        "struct_item" | "enum_item" | "union_item" | "trait_item" => {
            declare(sketch, node, Kind::Class);
        }
        "mod_item" => module(sketch, node),
        "impl_item" => {
            if let Some(name) =
                node.child_by_field_name("type").and_then(|of| type_name(sketch, of))
                && let Some(base) = implemented(sketch, node)
            {
                sketch.base_of(name, base);
            }
        }
        "call_expression" => {
            if let Some(name) = node.child_by_field_name("function").and_then(last_name) {
                sketch.call(sketch.text(name));
            }
        }
        "macro_invocation" => {
            if let Some(name) = node.child_by_field_name("macro").and_then(last_name) {
                sketch.call(sketch.text(name));
            }
            return Visit::Inner;
        }
        "attribute_item" => {
            let attribute = node.named_child(0);
            if let Some(name) = attribute.and_then(|node| node.named_child(0)).and_then(last_name) {
                sketch.decorator(node, sketch.text(name));
            }
            return Visit::Nothing;
        }
        "use_declaration" => {
            if let Some(tree) = node.child_by_field_name("argument") {
                rust_imports::import(sketch, tree);
            }
        }
        "extern_crate_declaration" => rust_imports::extern_crate(sketch, node),
        "line_comment" | "block_comment" => sketch.comment(node),
        _ => {}
    }
    Visit::Children
}

fn declare(sketch: &mut Sketch<'_>, node: Node<'_>, kind: Kind) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let signature = match node.kind() {
        "function_item" | "function_signature_item" => {
            sketch.part(name.end_byte(), end_of_signature(node))
        }
        _ => Bytes::default(),
    };
    let owner = match kind {
        Kind::Function => owner(sketch),
        Kind::Class => None,
    };
    let lead = sketch.lead(node);
    let opened = sketch.open(&Declared {
        kind,
        name: sketch.text(name),
        owner,
        code: node,
        decorated: None,
        signature,
        documentation: lead.all(sketch.file(), is_documentation),
    });
    if opened {
        sketch.decorate(lead);
    }
    if opened && node.kind() == "trait_item" {
        supertraits(sketch, node);
    }
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
    let is_line = comment.starts_with("///") && !comment.starts_with("////");
    let is_block = comment.starts_with("/**") && !comment.starts_with("/***");
    is_line || (is_block && comment != "/**/")
}

/// The macros in the place of a declaration that are given something in braces, and what that is.
pub fn nested(root: Node<'_>) -> Vec<(usize, Range)> {
    let mut found = Vec::new();
    descend(root, |node, depth| match node.kind() {
        "macro_invocation" => {
            found.extend(in_braces(node).map(|range| (node.start_byte(), range)));
            Visit::Nothing
        }
        "mod_item" | "impl_item" | "trait_item" | "foreign_mod_item" | "declaration_list" => {
            Visit::Children
        }
        _ if depth == 0 => Visit::Children,
        _ => Visit::Nothing,
    });
    found
}

/// What stands between the braces of a macro's arguments.
fn in_braces(invocation: Node<'_>) -> Option<Range> {
    let arguments = invocation.child(invocation.child_count().saturating_sub(1))?;
    let open = arguments.child(0).filter(|open| open.kind() == "{")?;
    let close = arguments.child(arguments.child_count().saturating_sub(1));
    let close = close.filter(|close| close.kind() == "}" && !close.is_missing())?;
    Some(Range {
        start_byte: open.end_byte(),
        end_byte: close.start_byte(),
        start_point: open.end_position(),
        end_point: close.start_position(),
    })
}

/// The type that an `impl` around the current node is of.
fn owner<'a>(sketch: &Sketch<'a>) -> Option<&'a str> {
    let above = (0..sketch.depth_in_innermost()).map_while(|above| sketch.ancestor(above));
    // A macro in an `impl` may hold its functions, and broken code stands in an error of its own.
    let mut above = above.filter(|node| !matches!(node.kind(), "macro_invocation" | "source_file"));
    let item = above.by_ref().take(3).find(|node| node.kind() == "impl_item")?;
    type_name(sketch, item.child_by_field_name("type")?)
}

/// The trait of an `impl`; none where it is negative.
fn implemented<'a>(sketch: &Sketch<'a>, item: Node<'_>) -> Option<&'a str> {
    let name = item.child_by_field_name("trait")?;
    let mut cursor = item.walk();
    let is_negative = item.children(&mut cursor).any(|child| child.kind() == "!");
    if is_negative { None } else { type_name(sketch, name) }
}

/// The bounds of a trait, and those that it demands of `Self`.
fn supertraits(sketch: &mut Sketch<'_>, item: Node<'_>) {
    let mut bounds: Vec<Node<'_>> = item.child_by_field_name("bounds").into_iter().collect();
    let mut cursor = item.walk();
    for clause in item.named_children(&mut cursor).filter(|child| child.kind() == "where_clause") {
        let mut cursor = clause.walk();
        for predicate in clause.named_children(&mut cursor) {
            let left = predicate.child_by_field_name("left").map(|left| sketch.text(left));
            if left == Some("Self") {
                bounds.extend(predicate.child_by_field_name("bounds"));
            }
        }
    }
    for bounds in bounds {
        let mut cursor = bounds.walk();
        for bound in bounds.named_children(&mut cursor) {
            if let Some(name) = type_name(sketch, bound) {
                sketch.base(name);
            }
        }
    }
}

/// `T` of `a::T<U>`, `&mut T`, `dyn T + Send`, `for<'a> T<'a>`…
fn type_name<'a>(sketch: &Sketch<'a>, mut node: Node<'_>) -> Option<&'a str> {
    loop {
        node = match node.kind() {
            "type_identifier" | "identifier" | "primitive_type" => return Some(sketch.text(node)),
            "scoped_type_identifier" | "scoped_identifier" => node.child_by_field_name("name")?,
            "generic_type" | "reference_type" | "pointer_type" | "higher_ranked_trait_bound" => {
                node.child_by_field_name("type")?
            }
            "dynamic_type" | "abstract_type" => node.child_by_field_name("trait")?,
            "bounded_type" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor)
                    .find(|child| !matches!(child.kind(), "lifetime" | "use_bounds"))?
            }
            "function_type" => match node.child_by_field_name("trait") {
                Some(name) => name,
                None => return Some("fn"),
            },
            "array_type" if node.child_by_field_name("length").is_some() => return Some("array"),
            "array_type" => return Some("slice"),
            "tuple_type" => return Some("tuple"),
            "unit_type" => return Some("unit"),
            "never_type" => return Some("never"),
            _ => return None,
        };
    }
}

/// `f` of `f`, `a::f`, `x.f` and `f::<T>`.
fn last_name(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        node = match node.kind() {
            "identifier" | "field_identifier" => return Some(node),
            "scoped_identifier" => node.child_by_field_name("name")?,
            "field_expression" => node.child_by_field_name("field")?,
            "generic_function" => node.child_by_field_name("function")?,
            _ => return None,
        };
    }
}

/// A module: an entity, or a file of its own.
fn module(sketch: &mut Sketch<'_>, node: Node<'_>) {
    if node.child_by_field_name("body").is_some() {
        declare(sketch, node, Kind::Class);
    } else if let Some(name) = node.child_by_field_name("name") {
        let module = format!("self::{}", sketch.text(name));
        rust_imports::whole(sketch, module, None);
    }
}
