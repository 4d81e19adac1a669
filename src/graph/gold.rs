//! Patch → the functions, classes and files that it edits: the gold of a function-level sample.
//!
//! Two definitions (specification of SpIDER, 3.2). `Table1` is the one to use. `Table6` looks numbers of lines of the patched
//! file up in the file before, so that an edit may count for a function that it never touched; it is kept for comparison
//! with figures that were made with it. Nothing here reads a file: the caller gives texts and what they declare.

use std::collections::BTreeSet;

use super::fragment::{Entity, Fragment, Kind};
use super::patch::{Patch, PatchError};

/// What counts as an edited function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Definition {
    /// The innermost function of each changed line, decorators included: deleted lines in the file before, added lines
    /// in the file after, if the file before has that function. A line whose innermost entity is a class counts for none.
    #[default]
    Table1,
    /// Every function of the file before, decorators left out, that covers the old number of a deleted line or the new
    /// number of an added one.
    Table6,
}

/// What a patch edits. Ids are `path:Outer.inner`, paths those before the patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gold {
    /// The functions, which is what function-level arms are scored by; may be empty.
    pub functions: BTreeSet<String>,
    /// Functions that the patch adds. They cannot be found before it, and count for nothing.
    pub added_functions: BTreeSet<String>,
    /// The classes that are the innermost entity of a changed line, or hold an edited function directly.
    pub classes: BTreeSet<String>,
    /// Every file of the patch, by its path before it, or that of a new file.
    pub files: BTreeSet<String>,
    /// Hunks that stood elsewhere than their headers say.
    pub moved_hunks: usize,
}

impl Gold {
    /// The gold of a patch. `read` gives the text of a file at the base commit, `None` where it is no text or not
    /// there; `declared` says what a text declares, `None` where no language knows the path.
    pub fn of(
        patch: &Patch,
        definition: Definition,
        read: &mut dyn FnMut(&str) -> Option<String>,
        declared: &mut dyn FnMut(&str, &str) -> Option<Fragment>,
    ) -> Result<Gold, PatchError> {
        let mut gold = Gold::default();
        for file in &patch.files {
            gold.files.insert(file.path().to_owned());
            let Some(old_path) = file.old_path.as_deref().filter(|_| !file.is_binary) else {
                continue;
            };
            let Some(old_text) = read(old_path) else {
                if file.hunks.is_empty() {
                    continue;
                }
                return Err(PatchError {
                    line: 0,
                    reason: format!(
                        "{old_path} is no text at the base commit; is it the right commit?"
                    ),
                });
            };
            let (new_text, offsets) = file.apply(&old_text)?;
            gold.moved_hunks += offsets.iter().filter(|offset| **offset != 0).count();
            let Some(old) = declared(old_path, &old_text) else { continue };
            // What a function is called does not depend on the file's new name, which languages the file has may.
            let new = declared(old_path, &new_text).unwrap_or_default();
            let changed = Changed { path: old_path, old: &old, new: &new };
            // A hunk that stood elsewhere has other numbers than its header says.
            let (deleted, added) = file.true_lines(&offsets);
            changed.innermost(&deleted, &added, definition, &mut gold);
            if definition == Definition::Table6 {
                changed.covering(&file.deleted_lines(), &file.added_lines(), &mut gold);
            }
        }
        Ok(gold)
    }
}

/// One file before and after.
struct Changed<'a> {
    path: &'a str,
    old: &'a Fragment,
    new: &'a Fragment,
}

impl Changed<'_> {
    fn id(&self, fragment: &Fragment, id: u32) -> String {
        format!("{}:{}", self.path, fragment.path(id))
    }

    fn innermost(&self, deleted: &[u32], added: &[u32], definition: Definition, gold: &mut Gold) {
        let known: BTreeSet<String> =
            (0u32..).zip(&self.old.entities).map(|(id, _)| self.old.path(id)).collect();
        let before = deleted.iter().map(|line| (self.old, *line));
        for (fragment, line) in before.chain(added.iter().map(|line| (self.new, *line))) {
            let Some((id, entity)) = innermost(fragment, line) else { continue };
            let name = self.id(fragment, id);
            let is_known = known.contains(&fragment.path(id));
            match entity.kind {
                Kind::Class if is_known => {
                    gold.classes.insert(name);
                }
                Kind::Class => {}
                Kind::Function if is_known => {
                    if definition == Definition::Table1 {
                        gold.functions.insert(name);
                    }
                    gold.classes.extend(self.class_of(fragment, entity));
                }
                Kind::Function => {
                    gold.added_functions.insert(name);
                }
            }
        }
    }

    fn class_of(&self, fragment: &Fragment, entity: &Entity) -> Option<String> {
        let parent = entity.parent?;
        let is_class = fragment.entities.get(parent as usize)?.kind == Kind::Class;
        is_class.then(|| self.id(fragment, parent))
    }

    fn covering(&self, deleted: &[u32], added: &[u32], gold: &mut Gold) {
        for (id, entity) in (0u32..).zip(&self.old.entities) {
            let covers = |line: &u32| (entity.first_line..=entity.last_line).contains(line);
            if entity.kind == Kind::Function && deleted.iter().chain(added).any(covers) {
                gold.functions.insert(self.id(self.old, id));
            }
        }
    }
}

/// The innermost entity that has a line, its decorators included.
fn innermost(fragment: &Fragment, line: u32) -> Option<(u32, &Entity)> {
    let has = |entity: &Entity| (entity.decorated_line..=entity.last_line).contains(&line);
    let entities = (0u32..).zip(&fragment.entities).filter(|(_, entity)| has(entity));
    entities.max_by_key(|(id, entity)| (entity.decorated_line, *id))
}
