//! What one file declares, with no knowledge of any other file: the unit that commits share.
//!
//! Invariants: entities stand in the order in which they begin; parents form no circle; ranges are byte ranges of the
//! file and lie on character boundaries of valid UTF-8; lines count from 1. The same name may be declared
//! several times (an overload, a property's setter): every declaration is kept here, and the graph makes one node of them.

use std::ops::Range;

/// Bytes of a file.
pub type Bytes = Range<u32>;

/// What an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A class, or what a language has in its place: interface, trait, struct, enum, namespace…
    Class,
    /// A function or method.
    Function,
}

/// One declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// What it is.
    pub kind: Kind,
    /// Its own name; dotted where its owner is not declared in the file (`Foo.bar` of `Foo.prototype.bar = …`).
    pub name: String,
    /// The entity that it is declared in, or attached to.
    pub parent: Option<u32>,
    /// Its source, from the keyword or name that declares it to its end; decorators stand before it.
    pub code: Bytes,
    /// The line of its first decorator, or else [`Entity::first_line`]. A change of a decorator is a change of the entity.
    pub decorated_line: u32,
    /// The line on which `code` begins.
    pub first_line: u32,
    /// The line on which `code` ends.
    pub last_line: u32,
    /// From behind its name to the beginning of its body: parameters, annotations, result. Empty where it has none.
    pub signature: Bytes,
    /// The text that documents it, inside `code` (Python) or before it (a comment block that touches it). Empty
    /// where it has none.
    pub documentation: Bytes,
    /// The comments in its body, in order.
    pub comments: Vec<Bytes>,
    /// The names that it calls, and those its decorators name, in order: `f` of `f(…)`, `attr` of `x.attr(…)`. Nested
    /// entities have their own.
    pub calls: Vec<String>,
    /// The names of the classes that it inherits from: the last part of `a.b.C`.
    pub bases: Vec<String>,
}

/// One import: of a whole module, or of names out of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Import {
    /// The entity whose body it stands in directly; every import counts for the file as well.
    pub within: Option<u32>,
    /// The module as written, without quotes: `a.b`, `./x`, `java.util`, `crate::a::b`. May be empty (`from . import x`).
    pub module: String,
    /// How many leading dots a relative import of Python has.
    pub level: u32,
    /// The names taken out of the module, `*` for all; empty where the module itself is imported.
    pub names: Vec<Imported>,
    /// The name that stands for the module itself (`import a.b as c`, `import * as c`), where it has one.
    pub alias: Option<String>,
}

/// A name taken out of a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Imported {
    /// The name there.
    pub name: String,
    /// The name here, where it is another.
    pub alias: Option<String>,
}

/// What one file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// Its declarations.
    pub entities: Vec<Entity>,
    /// Its imports.
    pub imports: Vec<Import>,
    /// Syntax errors that the parser stepped over; the entities are what could be recovered.
    pub errors: u32,
}

impl Fragment {
    /// The dotted name of entity `id` in its file: `Outer.inner.name`.
    pub fn path(&self, id: u32) -> String {
        let mut names = Vec::new();
        let mut next = self.entities.get(id as usize);
        while let Some(entity) = next {
            names.push(entity.name.as_str());
            next = entity.parent.and_then(|parent| self.entities.get(parent as usize));
        }
        names.reverse();
        names.join(".")
    }
}
