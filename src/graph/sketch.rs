//! A fragment in the making: a language tells it what it sees, node by node, and it keeps the books.
//!
//! The walk is a loop over a cursor, never a recursion, so that no nesting of the source can exhaust the stack. A language
//! sees each node once, parents first, and says whether its children are of interest. An entity that is opened at
//! a node is closed when the walk leaves that node.

use std::collections::BTreeMap;

use tree_sitter::{Node, Tree, TreeCursor};

use super::fragment::{Bytes, Entity, Fragment, Import, Kind};
use super::language::Language;
use super::lead::Lead;
use super::nested;
use super::places::Places;

/// The deepest nesting of entities: what is declared deeper belongs to the entity at this depth. Bounds the length of names.
pub const MAX_DEPTH: usize = 64;

/// Whether the children of a node are of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// See them.
    Children,
    /// See the source that they hold ([`super::nested`]), or else none of them.
    Inner,
    /// See none of them.
    Nothing,
}

/// What a language does at a node.
pub type Enter = fn(&mut Sketch<'_>, Node<'_>) -> Visit;

/// A declaration as a language sees it.
#[derive(Clone, Debug)]
pub struct Declared<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its own name.
    pub name: &'a str,
    /// The dotted name of the entity that it is attached to, where that is not the one it stands in
    /// (`Foo` of `Foo.prototype.bar = …`, the receiver of a Go method, the type of a Rust `impl`). Where the file
    /// declares no such entity, before or behind, it becomes part of the name.
    pub owner: Option<&'a str>,
    /// The node that is its source.
    pub code: Node<'a>,
    /// The node that begins with its first decorator, where it has any.
    pub decorated: Option<Node<'a>>,
    /// From behind its name to the beginning of its body.
    pub signature: Bytes,
    /// The text that documents it.
    pub documentation: Bytes,
}

/// A fragment in the making.
#[derive(Debug)]
pub struct Sketch<'a> {
    text: &'a str,
    fragment: Fragment,
    /// The entities that are open, innermost last, and the depth of the node that each was opened at.
    open: Vec<(u32, usize)>,
    /// The nodes above the current one, the root first.
    above: Vec<Node<'a>>,
    /// What may stand before the next declaration.
    lead: Lead,
    /// What documents the current group of declarations.
    shared: Bytes,
    /// How many numbers each entity gave out.
    numbers: BTreeMap<Option<u32>, u32>,
    /// Entities that wait for an owner to be declared.
    attached: Vec<(u32, String)>,
    /// Bases that wait for what inherits from them to be declared: where they stand, its name, the base.
    inherited: Vec<(Option<u32>, String, String)>,
}

impl<'a> Sketch<'a> {
    /// Walks `tree`, the syntax tree of `text`, which is in `language`.
    pub fn walk(text: &str, tree: &Tree, language: &Language) -> Fragment {
        let of_interest = of_interest(language, &tree.language());
        let nested = nested::trees(text, tree, language);
        let mut sketch = Sketch {
            text,
            fragment: Fragment::default(),
            open: Vec::new(),
            above: Vec::new(),
            lead: Lead::default(),
            shared: Bytes::default(),
            numbers: BTreeMap::new(),
            attached: Vec::new(),
            inherited: Vec::new(),
        };
        // One for the file, and one for each source in source that the walk is in.
        let mut cursors = vec![tree.walk()];
        while let Some(cursor) = cursors.last_mut() {
            let node = cursor.node();
            if node.is_error() || node.is_missing() {
                sketch.fragment.errors += 1;
            }
            let seen = of_interest.get(usize::from(node.kind_id())).copied().unwrap_or(false);
            let visit = if seen { (language.enter)(&mut sketch, node) } else { Visit::Children };
            let inner = nested.get(&node.start_byte()).filter(|_| visit == Visit::Inner);
            if let Some(inner) = inner {
                sketch.above.push(node);
                cursors.push(inner.walk());
            } else if visit == Visit::Children && cursor.goto_first_child() {
                sketch.above.push(node);
            } else {
                sketch.go_on(&mut cursors);
            }
        }
        sketch.attach();
        let mut fragment = sketch.fragment;
        for entity in &mut fragment.entities {
            // Behind its last statement a comment may belong to anything.
            let code = entity.code.clone();
            entity.comments.retain(|comment| code.contains(&comment.start));
        }
        if tree.root_node().has_error() {
            fragment.errors = fragment.errors.max(1);
        }
        fragment
    }

    /// Moves on to the next node that is no descendant; without a cursor at the end.
    fn go_on(&mut self, cursors: &mut Vec<TreeCursor<'_>>) {
        while let Some(cursor) = cursors.last_mut() {
            while self.open.last().is_some_and(|(_, depth)| *depth == self.above.len()) {
                self.open.pop();
            }
            if cursor.goto_next_sibling() {
                return;
            }
            if !cursor.goto_parent() {
                cursors.pop();
            }
            self.above.pop();
        }
    }

    /// The source of a node.
    pub fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The whole file.
    pub fn file(&self) -> &'a str {
        self.text
    }

    /// The innermost open entity.
    pub fn innermost(&self) -> Option<&Entity> {
        let (id, _) = self.open.last()?;
        self.fragment.entities.get(*id as usize)
    }

    /// The node above the current one (0), the one above that (1), and so on.
    pub fn ancestor(&self, above: usize) -> Option<Node<'a>> {
        self.above.iter().rev().nth(above).copied()
    }

    /// Declares an entity, which is open until the walk leaves the current node. False where entities are nested
    /// too deep: then what follows belongs to the entity around it.
    pub fn open(&mut self, declared: &Declared<'_>) -> bool {
        if self.open.len() == MAX_DEPTH {
            return false;
        }
        let id = u32::try_from(self.fragment.entities.len()).unwrap_or(u32::MAX);
        let first_line = line(declared.code.start_position().row);
        let decorated = declared.decorated.map(|node| line(node.start_position().row));
        self.fragment.entities.push(Entity {
            kind: declared.kind,
            name: declared.name.to_owned(),
            parent: self.open.last().map(|(parent, _)| *parent),
            code: bytes(declared.code),
            decorated_line: decorated.unwrap_or(first_line),
            first_line,
            last_line: last_line(declared.code).max(first_line),
            signature: declared.signature.clone(),
            documentation: declared.documentation.clone(),
            comments: Vec::new(),
            calls: Vec::new(),
            bases: Vec::new(),
        });
        if let Some(owner) = declared.owner {
            self.attached.push((id, owner.to_owned()));
        }
        self.open.push((id, self.above.len()));
        true
    }

    /// Until the walk leaves the current node, what it sees belongs to the entity around the innermost one.
    pub fn step_out(&mut self) {
        let around = self.open.iter().rev().nth(1).copied();
        self.open.extend(around.map(|(id, _)| (id, self.above.len())));
    }

    /// The source of the innermost open entity begins where `node` does; what stands before it decorates.
    pub fn begin_at(&mut self, node: Node<'_>) {
        let (start, first_line) = (bytes(node).start, line(node.start_position().row));
        self.innermost_mut(|entity| {
            entity.code.start = start;
            entity.first_line = first_line;
            entity.last_line = entity.last_line.max(first_line);
        });
    }

    /// The innermost open entity has the attributes of a lead.
    pub fn decorate(&mut self, lead: Lead) {
        self.innermost_mut(|entity| {
            entity.decorated_line = lead.line.unwrap_or(entity.first_line);
            entity.calls.extend(lead.decorators);
        });
    }

    /// The innermost open entity ends where `node` does.
    pub fn end_at(&mut self, node: Node<'_>) {
        let (end, last_line) = (bytes(node).end, last_line(node));
        self.innermost_mut(|entity| {
            entity.code.end = end;
            entity.last_line = last_line.max(entity.first_line);
        });
    }

    /// How many nodes below that of the innermost open entity the current one is.
    pub fn depth_in_innermost(&self) -> usize {
        let depth = self.above.len();
        self.open.last().map_or(depth, |(_, opened)| depth - opened)
    }

    /// The innermost open entity calls `name`. At the level of the file nobody calls.
    pub fn call(&mut self, name: &str) {
        self.innermost_mut(|entity| entity.calls.push(name.to_owned()));
    }

    /// The innermost open entity inherits from `name`.
    pub fn base(&mut self, name: &str) {
        self.innermost_mut(|entity| entity.bases.push(name.to_owned()));
    }

    /// The entity that `name` means here, before or behind, inherits from `base`; nothing does where there is none.
    pub fn base_of(&mut self, name: &str, base: &str) {
        self.inherited.push((self.innermost_id(), name.to_owned(), base.to_owned()));
    }

    /// A comment, which belongs to every open function, and maybe to what is declared next.
    pub fn comment(&mut self, node: Node<'_>) {
        let mut comment = bytes(node);
        if self.text(node).ends_with('\n') {
            comment.end -= 1;
        }
        for (id, _) in &self.open {
            let entity = self.fragment.entities.get_mut(*id as usize);
            if let Some(entity) = entity.filter(|entity| entity.kind == Kind::Function)
                && entity.comments.last() != Some(&comment)
            {
                entity.comments.push(comment.clone());
            }
        }
        self.lead.comment(self.text, comment);
    }

    /// An attribute, which decorates what is declared next, if nothing else stands between.
    pub fn decorator(&mut self, node: Node<'_>, name: &str) {
        self.lead.decorator(self.text, bytes(node), line(node.start_position().row), name);
    }

    /// What stands before the declaration that begins at `node`.
    pub fn lead(&mut self, node: Node<'_>) -> Lead {
        self.lead.take(self.text, bytes(node).start)
    }

    /// The next number that the innermost open entity gives out, from 1 on.
    pub fn number(&mut self) -> u32 {
        let number = self.numbers.entry(self.innermost_id()).or_default();
        *number += 1;
        *number
    }

    /// The bytes from `start` to `end`, without the white space before `end`.
    pub fn part(&self, start: usize, end: usize) -> Bytes {
        let part = self.text.get(start..end).unwrap_or_default().trim_end();
        let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        at(start)..at(start + part.len())
    }

    /// What documents every declaration of a group that has no documentation of its own.
    pub fn share(&mut self, documentation: Bytes) {
        self.shared = documentation;
    }

    /// What was last shared.
    pub fn shared(&self) -> Bytes {
        self.shared.clone()
    }

    /// An import.
    pub fn import(&mut self, import: Import) {
        self.fragment.imports.push(import);
    }

    /// The number of the innermost open entity.
    pub fn innermost_id(&self) -> Option<u32> {
        self.open.last().map(|(id, _)| *id)
    }

    fn innermost_mut(&mut self, change: impl FnOnce(&mut Entity)) {
        if let Some((id, _)) = self.open.last()
            && let Some(entity) = self.fragment.entities.get_mut(*id as usize)
        {
            change(entity);
        }
    }

    /// Gives the entities that wait for an owner to it, or its name to them, and then bases to their heirs. A name means
    /// what is declared nearest around the place where it stands. An owner may itself have waited, before.
    fn attach(&mut self) {
        let waiting = std::mem::take(&mut self.attached);
        let inherited = std::mem::take(&mut self.inherited);
        if waiting.is_empty() && inherited.is_empty() {
            return;
        }
        let mut places = Places::new(&self.fragment, &waiting);
        for (id, owner) in waiting {
            let around = self.fragment.entities.get(id as usize).and_then(|entity| entity.parent);
            let found = places.find(around, &owner).filter(|owner| !self.is_within(*owner, id));
            let Some(entity) = self.fragment.entities.get_mut(id as usize) else { continue };
            match found {
                Some(owner) => entity.parent = Some(owner),
                None => entity.name = format!("{owner}.{}", entity.name),
            }
            places.declare(entity.parent, &entity.name, id);
        }
        for (around, name, base) in inherited {
            let heir = places.find(around, &name);
            if let Some(entity) = heir.and_then(|id| self.fragment.entities.get_mut(id as usize)) {
                entity.bases.push(base);
            }
        }
    }

    /// Whether `id` is `ancestor` or declared within it.
    fn is_within(&self, id: u32, ancestor: u32) -> bool {
        let mut next = Some(id);
        while let Some(id) = next {
            if id == ancestor {
                return true;
            }
            next = self.fragment.entities.get(id as usize).and_then(|entity| entity.parent);
        }
        false
    }
}

/// By the number of a kind, whether the language wants to see its nodes. Anonymous nodes are of no interest to anybody.
fn of_interest(language: &Language, grammar: &tree_sitter::Language) -> Vec<bool> {
    let wanted = |kind: u16| {
        let name = grammar.node_kind_for_id(kind).unwrap_or_default();
        grammar.node_kind_is_named(kind)
            && (language.kinds.is_empty() || language.kinds.contains(&name))
    };
    (0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX)).map(wanted).collect()
}

/// The bytes of a node.
pub fn bytes(node: Node<'_>) -> Bytes {
    let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    at(node.start_byte())..at(node.end_byte())
}

/// The line of a row.
fn line(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

/// The line on which a node ends; one that ends with its line feed ends on the line before.
fn last_line(node: Node<'_>) -> u32 {
    let end = node.end_position();
    line(if end.column == 0 { end.row.saturating_sub(1) } else { end.row })
}

/// Shows `see` every named node from `root` on, parents first, and how deep below `root` it is.
pub fn descend<'t>(root: Node<'t>, mut see: impl FnMut(Node<'t>, usize) -> Visit) {
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let visit = if node.is_named() { see(node, depth) } else { Visit::Children };
        if visit == Visit::Children && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            depth -= 1;
        }
    }
}
