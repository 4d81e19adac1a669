//! Declarations of Python, as LocAgent's graph has them.
//!
//! A class's own synchronous `__init__` is no entity: what it calls and imports is the class's, and what it nests is
//! lost. A class calls nothing else besides its decorators. An entity ends with its last statement, as Python's own
//! `ast` has it, whatever comments follow.

use tree_sitter::Node;

use super::fragment::{Bytes, Import, Imported, Kind};
use super::sketch::{Declared, Sketch, Visit, bytes, descend};

/// The kinds of nodes at which [`enter`] does anything.
pub const KINDS: [&str; 12] = [
    "call",
    "class_definition",
    "comment",
    "decorated_definition",
    "decorator",
    "function_definition",
    "future_import_statement",
    "import_from_statement",
    "import_statement",
    "parameters",
    "type",
    "type_alias_statement",
];

/// What Python does at a node.
pub fn enter(sketch: &mut Sketch<'_>, node: Node<'_>) -> Visit {
    match node.kind() {
        "decorated_definition" => match node.child_by_field_name("definition") {
            Some(definition) => declare(sketch, definition, Some(node)),
            None => Visit::Children,
        },
        "class_definition" | "function_definition" => {
            // A decorated one is open already.
            let is_open =
                sketch.innermost().is_some_and(|entity| entity.code.start == bytes(node).start);
            if is_open { Visit::Children } else { declare(sketch, node, None) }
        }
        // What stands in a signature is called by whoever defines the function, which nobody records.
        "parameters" | "decorator" | "type" => Visit::Nothing,
        "call" => {
            if is_in_function(sketch) {
                call(sketch, node);
            }
            Visit::Children
        }
        "type_alias_statement" => {
            if is_in_function(sketch) && is_call_of_type(node) {
                for (node, _) in acts(node) {
                    act(sketch, node, None);
                }
            }
            Visit::Nothing
        }
        "import_statement" | "import_from_statement" | "future_import_statement" => {
            let within = sketch.innermost_id().filter(|_| is_direct(sketch));
            import(sketch, node, within);
            Visit::Nothing
        }
        "comment" => {
            sketch.comment(node);
            Visit::Nothing
        }
        _ => Visit::Children,
    }
}

fn declare(sketch: &mut Sketch<'_>, node: Node<'_>, decorated: Option<Node<'_>>) -> Visit {
    let (Some(name), Some(body)) =
        (node.child_by_field_name("name"), node.child_by_field_name("body"))
    else {
        return Visit::Children;
    };
    let kind = if node.kind() == "class_definition" { Kind::Class } else { Kind::Function };
    let own_name = sketch.text(name);
    if kind == Kind::Function && own_name == "__init__" && is_in_class(sketch) && !is_async(node) {
        initialise(sketch, decorated.unwrap_or(node), body);
        return Visit::Nothing;
    }
    let signature = match kind {
        Kind::Function => signature(node, name, body),
        Kind::Class => Bytes::default(),
    };
    let is_open = sketch.open(&Declared {
        kind,
        name: own_name,
        owner: None,
        code: node,
        decorated,
        signature,
        documentation: documentation(sketch, body),
    });
    if !is_open {
        return Visit::Children;
    }
    sketch.end_at(last_statement(body));
    if let Some(decorated) = decorated {
        decorators(sketch, decorated);
    }
    if let Some(bases) = node.child_by_field_name("superclasses") {
        let mut cursor = bases.walk();
        for base in bases.named_children(&mut cursor) {
            if let Some(name) = last_name(sketch, base) {
                sketch.base(name);
            }
        }
    }
    Visit::Children
}

/// The class calls and imports what its `__init__` does.
fn initialise(sketch: &mut Sketch<'_>, definition: Node<'_>, body: Node<'_>) {
    if definition.kind() == "decorated_definition" {
        decorators(sketch, definition);
    }
    let class = sketch.innermost_id();
    for (node, depth) in acts(body) {
        act(sketch, node, class.filter(|_| depth == 1));
    }
}

/// The calls and imports from `root` on, and how deep below it they are.
fn acts(root: Node<'_>) -> Vec<(Node<'_>, usize)> {
    let mut found = Vec::new();
    descend(root, |node, depth| {
        let is_act = match node.kind() {
            "call" | "import_statement" | "import_from_statement" => true,
            "type_alias_statement" => is_call_of_type(node),
            _ => false,
        };
        if is_act {
            found.push((node, depth));
        }
        Visit::Children
    });
    found
}

fn act(sketch: &mut Sketch<'_>, node: Node<'_>, within: Option<u32>) {
    match node.kind() {
        "call" => call(sketch, node),
        "type_alias_statement" => sketch.call("type"),
        _ => import(sketch, node, within),
    }
}

/// The grammar takes `type(x).y = z` for the declaration of a type.
fn is_call_of_type(statement: Node<'_>) -> bool {
    let mut left = statement.child_by_field_name("left");
    while let Some(node) = left.filter(|node| node.child_count() > 0) {
        if node.kind() == "parenthesized_expression" {
            return true;
        }
        left = node.child(0);
    }
    false
}

fn is_in_function(sketch: &Sketch<'_>) -> bool {
    sketch.innermost().is_some_and(|entity| entity.kind == Kind::Function)
}

/// Whether the current node is a statement of a class's body.
fn is_in_class(sketch: &Sketch<'_>) -> bool {
    sketch.innermost().is_some_and(|entity| entity.kind == Kind::Class) && is_direct(sketch)
}

/// Whether the current node is a statement of the innermost entity's body: definition, block, statement.
fn is_direct(sketch: &Sketch<'_>) -> bool {
    let Some(entity) = sketch.innermost() else { return false };
    let decorated = usize::from(entity.decorated_line != entity.first_line);
    sketch.depth_in_innermost() == 2 + decorated
}

fn is_async(definition: Node<'_>) -> bool {
    definition.child(0).is_some_and(|word| word.kind() == "async")
}

/// From behind the name to the colon before the body.
fn signature(definition: Node<'_>, name: Node<'_>, body: Node<'_>) -> Bytes {
    let mut end = bytes(name).end;
    let mut cursor = definition.walk();
    for part in definition.children(&mut cursor).filter(|part| part.start_byte() >= name.end_byte())
    {
        if part.kind() == ":" {
            end = bytes(part).start;
            break;
        }
        if part.start_byte() >= body.start_byte() {
            break;
        }
        end = bytes(part).end;
    }
    bytes(name).end..end
}

/// The string that the body begins with, unless it is formatted or bytes.
fn documentation(sketch: &Sketch<'_>, body: Node<'_>) -> Bytes {
    let mut cursor = body.walk();
    let first = body.named_children(&mut cursor).find(|node| node.kind() != "comment");
    let statement =
        first.filter(|node| node.kind() == "expression_statement" && node.named_child_count() == 1);
    let Some(text) = statement.and_then(|statement| statement.named_child(0)).map(bare) else {
        return Bytes::default();
    };
    let is_plain = |string: Node<'_>| {
        let prefix = string.child(0).map(|start| sketch.text(start)).unwrap_or_default();
        string.kind() == "string" && !prefix.contains(['f', 'F', 'b', 'B', 't', 'T'])
    };
    let mut cursor = text.walk();
    let documents = match text.kind() {
        "concatenated_string" => {
            text.named_children(&mut cursor).all(|part| part.kind() == "comment" || is_plain(part))
        }
        _ => is_plain(text),
    };
    if documents { bytes(text) } else { Bytes::default() }
}

/// The last statement in `node`, however deep: the comments behind it belong to nobody.
fn last_statement(node: Node<'_>) -> Node<'_> {
    let mut last = node;
    while matches!(
        last.kind(),
        "block"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "for_statement"
            | "while_statement"
            | "try_statement"
            | "except_clause"
            | "except_group_clause"
            | "finally_clause"
            | "with_statement"
            | "match_statement"
            | "case_clause"
            | "function_definition"
            | "class_definition"
            | "decorated_definition"
    ) {
        let mut cursor = last.walk();
        let is_code = |node: &Node<'_>| node.kind() != "comment" && !node.byte_range().is_empty();
        match last.children(&mut cursor).filter(is_code).last() {
            Some(child) => last = child,
            None => break,
        }
    }
    last
}

/// What decorators call: a plain name, or else every name that is called and every attribute.
fn decorators(sketch: &mut Sketch<'_>, decorated: Node<'_>) {
    let mut cursor = decorated.walk();
    for decorator in decorated.children(&mut cursor).filter(|node| node.kind() == "decorator") {
        let Some(expression) = decorator.named_child(0).map(bare) else { continue };
        if expression.kind() == "identifier" {
            sketch.call(sketch.text(expression));
            continue;
        }
        let mut names = Vec::new();
        descend(expression, |node, _| {
            let name = match node.kind() {
                "call" => callee(node).filter(|callee| callee.kind() == "identifier"),
                "attribute" => node.child_by_field_name("attribute"),
                _ => None,
            };
            names.extend(name);
            Visit::Children
        });
        for name in names {
            sketch.call(sketch.text(name));
        }
    }
}

fn call(sketch: &mut Sketch<'_>, node: Node<'_>) {
    if let Some(callee) = callee(node)
        && let Some(name) = last_name(sketch, callee)
    {
        sketch.call(name);
    }
}

/// What stands in parentheses, however many.
fn bare(node: Node<'_>) -> Node<'_> {
    let mut bare = node;
    while bare.kind() == "parenthesized_expression" {
        let mut cursor = bare.walk();
        match bare.named_children(&mut cursor).find(|child| child.kind() != "comment") {
            Some(child) => bare = child,
            None => break,
        }
    }
    bare
}

/// What a call calls.
fn callee(call: Node<'_>) -> Option<Node<'_>> {
    let function = bare(call.child_by_field_name("function")?);
    // The grammar may read the star of `g(*f(x))` as part of the name.
    if function.kind() == "list_splat" { function.named_child(0).map(bare) } else { Some(function) }
}

/// `c` of `c` and of `a.b.c`.
fn last_name<'a>(sketch: &Sketch<'a>, node: Node<'_>) -> Option<&'a str> {
    let node = bare(node);
    match node.kind() {
        "identifier" => Some(sketch.text(node)),
        "attribute" => node.child_by_field_name("attribute").map(|name| sketch.text(name)),
        _ => None,
    }
}

fn import(sketch: &mut Sketch<'_>, node: Node<'_>, within: Option<u32>) {
    let mut cursor = node.walk();
    let named: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
    let named = named.into_iter().map(|name| match name.kind() {
        "aliased_import" => {
            let part = |field| name.child_by_field_name(field).map(|part| spoken(sketch, part));
            (part("name").unwrap_or_default(), part("alias"))
        }
        _ => (spoken(sketch, name), None),
    });
    let named: Vec<(String, Option<String>)> = named.collect();
    if node.kind() == "import_statement" {
        for (module, alias) in named {
            sketch.import(Import { within, module, level: 0, names: Vec::new(), alias });
        }
        return;
    }
    let written = match node.child_by_field_name("module_name") {
        Some(module) => spoken(sketch, module),
        // The grammar has a statement of its own for it.
        None if node.kind() == "future_import_statement" => "__future__".to_owned(),
        None => return,
    };
    let path = written.trim_start_matches('.');
    let level = u32::try_from(written.len() - path.len()).unwrap_or(u32::MAX);
    let mut names: Vec<Imported> =
        named.into_iter().map(|(name, alias)| Imported { name, alias }).collect();
    let mut cursor = node.walk();
    if node.children(&mut cursor).any(|child| child.kind() == "wildcard_import") {
        names.push(Imported { name: "*".to_owned(), alias: None });
    }
    sketch.import(Import { within, module: path.to_owned(), level, names, alias: None });
}

/// A dotted name without the white space that may stand in it.
fn spoken(sketch: &Sketch<'_>, node: Node<'_>) -> String {
    sketch.text(node).split_whitespace().collect()
}
