//! What a name means in a file: the entity that is declared nearest around the place where it stands.

use std::collections::{BTreeMap, BTreeSet};

use super::fragment::Fragment;

/// Which entity a name means.
pub struct Places {
    /// By the entity that it is declared in, or attached to, and its name.
    declared: BTreeMap<(Option<u32>, String), u32>,
    /// The entity that each stands in, whatever it is attached to.
    around: Vec<Option<u32>>,
}

impl Places {
    /// All but those that wait.
    pub fn new(fragment: &Fragment, waiting: &[(u32, String)]) -> Self {
        let waiting: BTreeSet<u32> = waiting.iter().map(|(id, _)| *id).collect();
        let around = fragment.entities.iter().map(|entity| entity.parent).collect();
        let mut places = Self { declared: BTreeMap::new(), around };
        for (id, entity) in (0u32..).zip(&fragment.entities) {
            if !waiting.contains(&id) {
                places.declare(entity.parent, &entity.name, id);
            }
        }
        places
    }

    /// From now on `name` in `parent` means `id`, unless it means another already.
    pub fn declare(&mut self, parent: Option<u32>, name: &str, id: u32) {
        self.declared.entry((parent, name.to_owned())).or_insert(id);
    }

    /// What `name`, which may be dotted, means within `around`, or else around that.
    pub fn find(&self, mut around: Option<u32>, name: &str) -> Option<u32> {
        loop {
            if let Some(found) = self.below(around, name) {
                return Some(found);
            }
            around = self.around.get(around? as usize).copied().flatten();
        }
    }

    /// What is declared in `parent` under the whole name, or under its first part and there under the rest.
    fn below(&self, mut parent: Option<u32>, mut name: &str) -> Option<u32> {
        loop {
            if let Some(found) = self.declared.get(&(parent, name.to_owned())) {
                return Some(*found);
            }
            let (first, rest) = name.split_once('.')?;
            parent = Some(*self.declared.get(&(parent, first.to_owned()))?);
            name = rest;
        }
    }
}
