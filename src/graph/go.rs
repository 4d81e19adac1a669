//! Declarations of Go.
//!
//! Classes are all named types, aliases too; functions are functions, methods (attached to the type of their receiver),
//! the methods that a declared interface lists, and function literals that a `var` or `:=` gives a name. Other literals are no
//! entities: what they call belongs to what is around them; nor is a later `f = func…`. What a struct or an
//! interface embeds are its bases. The grammar cannot tell a conversion `T(x)` from a call. Code begins with `func`, `type`
//! or `var`, or with the name where several share the keyword; a group's comment documents each type of
//! it that has none. A blank import has the alias `_`.

use tree_sitter::Node;

use super::fragment::{Bytes, Import, Imported, Kind};
use super::sketch::{Declared, Sketch, Visit};

/// The kinds of nodes at which [`enter`] does anything.
pub const KINDS: [&str; 12] = [
    "call_expression",
    "comment",
    "field_declaration",
    "func_literal",
    "function_declaration",
    "import_spec",
    "method_declaration",
    "method_elem",
    "type_alias",
    "type_declaration",
    "type_elem",
    "type_spec",
];

/// The longest list of values in which a literal's name is looked for; what is longer is a table.
const MAX_VALUES: usize = 64;

/// What Go does at a node.
pub fn enter(sketch: &mut Sketch<'_>, node: Node<'_>) -> Visit {
    match node.kind() {
        "function_declaration" | "method_declaration" => {
            let owner = node.child_by_field_name("receiver").and_then(receiver);
            function(sketch, node, owner);
        }
        "method_elem" if is_named_type(sketch, "interface_type") => function(sketch, node, None),
        "func_literal" => literal(sketch, node),
        "type_declaration" => {
            let group = sketch.lead(node).block();
            sketch.share(group);
        }
        "type_spec" | "type_alias" => named_type(sketch, node),
        "type_elem" if is_named_type(sketch, "interface_type") => {
            // Several are a union, which embeds none of them.
            let only = node.named_child(0).filter(|_| node.named_child_count() == 1);
            embed(sketch, only);
        }
        "field_declaration" if is_named_type(sketch, "field_declaration_list") => {
            let is_embedded = node.child_by_field_name("name").is_none();
            embed(sketch, node.child_by_field_name("type").filter(|_| is_embedded));
        }
        "call_expression" => {
            if let Some(name) = node.child_by_field_name("function").and_then(last_name) {
                sketch.call(sketch.text(name));
            }
        }
        "import_spec" => import(sketch, node),
        "comment" => sketch.comment(node),
        _ => {}
    }
    Visit::Children
}

fn function(sketch: &mut Sketch<'_>, node: Node<'_>, owner: Option<Node<'_>>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let body = node.child_by_field_name("body");
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let documentation = sketch.lead(node).block();
    sketch.open(&Declared {
        kind: Kind::Function,
        name: sketch.text(name),
        owner: owner.map(|owner| sketch.text(owner)),
        code: node,
        decorated: None,
        signature: sketch.part(name.end_byte(), end),
        documentation,
    });
}

/// `T` of `(t *T[K])`.
fn receiver(list: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = list.walk();
    let mut parameters = list.named_children(&mut cursor);
    let parameter = parameters.find(|child| child.kind() == "parameter_declaration")?;
    type_name(parameter.child_by_field_name("type")?)
}

/// `T` of `T`, `*T`, `(T)`, `T[K]` and `p.T`.
fn type_name(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        let mut cursor = node.walk();
        node = match node.kind() {
            "type_identifier" => return Some(node),
            "pointer_type" | "parenthesized_type" => {
                node.named_children(&mut cursor).find(|child| !child.is_extra())?
            }
            "generic_type" => node.child_by_field_name("type")?,
            "qualified_type" => node.child_by_field_name("name")?,
            _ => return None,
        };
    }
}

/// Whether the current node is part of a `body` that is the whole of a named type.
fn is_named_type(sketch: &Sketch<'_>, body: &str) -> bool {
    // The fields of a struct stand in a list of their own.
    let above = if body == "interface_type" { 1 } else { 2 };
    let is = |above, kinds: &[&str]| {
        sketch.ancestor(above).is_some_and(|node| kinds.contains(&node.kind()))
    };
    is(0, &[body]) && is(above, &["type_spec", "type_alias"])
}

/// A type, with the keyword where that is its own.
fn named_type(sketch: &mut Sketch<'_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let declaration = sketch.ancestor(0).filter(|above| above.kind() == "type_declaration");
    let alone = declaration.filter(|above| above.child(1).is_none_or(|next| next.kind() != "("));
    let own = sketch.lead(node).block();
    let documentation = if own.is_empty() { sketch.shared() } else { own };
    sketch.open(&Declared {
        kind: Kind::Class,
        name: sketch.text(name),
        owner: None,
        code: alone.unwrap_or(node),
        decorated: None,
        signature: Bytes::default(),
        documentation,
    });
}

fn embed(sketch: &mut Sketch<'_>, embedded: Option<Node<'_>>) {
    if let Some(name) = embedded.and_then(type_name) {
        sketch.base(sketch.text(name));
    }
}

/// A function literal, which may be the value of a name.
fn literal(sketch: &mut Sketch<'_>, node: Node<'_>) {
    let (Some(values), Some(statement)) = (sketch.ancestor(0), sketch.ancestor(1)) else { return };
    if values.kind() != "expression_list" || values.named_child_count() > MAX_VALUES {
        return;
    }
    let mut cursor = values.walk();
    let is_value = |child: &Node<'_>| !child.is_extra();
    let values: Vec<Node<'_>> = values.named_children(&mut cursor).filter(is_value).collect();
    let Some(place) = values.iter().position(|value| value.id() == node.id()) else { return };
    let mut cursor = statement.walk();
    let (name, shared) = match statement.kind() {
        "short_var_declaration" => {
            let names = statement.child_by_field_name("left");
            let name = names
                .and_then(|names| names.named_children(&mut cursor).filter(is_value).nth(place));
            (name, statement)
        }
        "var_spec" => {
            let is_name = |child: &Node<'_>| child.kind() == "identifier";
            let names = statement.children_by_field_name("name", &mut cursor);
            let declaration = sketch.ancestor(2).filter(|above| above.kind() == "var_declaration");
            (names.filter(is_name).nth(place), declaration.unwrap_or(statement))
        }
        _ => return,
    };
    let Some(name) = name.filter(|name| name.kind() == "identifier") else { return };
    let text = sketch.text(name);
    if text == "_" {
        return;
    }
    let start =
        node.child_by_field_name("parameters").map_or(node.start_byte(), |p| p.start_byte());
    let end = node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
    let documentation = sketch.lead(shared).block();
    sketch.open(&Declared {
        kind: Kind::Function,
        name: text,
        owner: None,
        code: if values.len() == 1 { shared } else { node },
        decorated: None,
        signature: sketch.part(start, end),
        documentation,
    });
}

/// `f` of `f`, `p.f`, `f[T]` and `(f)`.
fn last_name(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        let mut cursor = node.walk();
        node = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" => return Some(node),
            "selector_expression" => node.child_by_field_name("field")?,
            "index_expression" => node.child_by_field_name("operand")?,
            "type_instantiation_expression" => node.child_by_field_name("type")?,
            "generic_type" => node.child_by_field_name("type")?,
            "qualified_type" => node.child_by_field_name("name")?,
            "parenthesized_expression" => {
                node.named_children(&mut cursor).find(|child| !child.is_extra())?
            }
            _ => return None,
        };
    }
}

fn import(sketch: &mut Sketch<'_>, node: Node<'_>) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let module = sketch.text(path).trim_matches(['"', '`']).to_owned();
    let name = node.child_by_field_name("name");
    let alias = name.filter(|name| name.kind() != "dot").map(|name| sketch.text(name).to_owned());
    let mut names = Vec::new();
    if name.is_some_and(|name| name.kind() == "dot") {
        names.push(Imported { name: "*".to_owned(), alias: None });
    }
    sketch.import(Import { within: None, module, level: 0, names, alias });
}
