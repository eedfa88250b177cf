//! Documents that were born in one session, in the order of their birth: each is the context of the next.

use crate::model::MemoryId;
use hashbrown::HashMap;

pub use super::labels::NONE;

#[derive(Default)]
pub struct Sessions {
    ids: HashMap<Box<str>, u32>,
    slots: Vec<(Box<str>, Vec<u32>)>,
    free: Vec<u32>,
}

/// When a document was born: by its validity, and within one moment by its id.
pub type Birth = (i64, MemoryId);

impl Sessions {
    pub fn put(&mut self, name: &str, document: u32, birth: &dyn Fn(u32) -> Birth) -> u32 {
        let id = if let Some(id) = self.ids.get(name) {
            *id
        } else {
            let id = self.free.pop().unwrap_or_else(|| {
                self.slots.push(Default::default());
                u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
            });
            self.slots[id as usize] = (name.into(), Vec::new());
            self.ids.insert(name.into(), id);
            id
        };
        let mates = &mut self.slots[id as usize].1;
        let own = birth(document);
        let at =
            if mates.last().is_none_or(|last| birth(*last) < own) { mates.len() } else { mates.partition_point(|mate| birth(*mate) < own) };
        mates.insert(at, document);
        id
    }

    pub fn remove(&mut self, id: u32, document: u32, birth: &dyn Fn(u32) -> Birth) {
        let Some((name, mates)) = self.slots.get_mut(id as usize) else { return };
        let own = birth(document);
        let from = mates.partition_point(|mate| birth(*mate) < own);
        if let Some(at) = (from..mates.len()).find(|at| mates[*at] == document) {
            mates.remove(at);
        }
        if mates.is_empty() {
            self.ids.remove(name);
            self.slots[id as usize] = Default::default();
            self.free.push(id);
        }
    }

    /// All of a session, and where in it a document stands.
    pub fn around(&self, id: u32, document: u32, birth: &dyn Fn(u32) -> Birth) -> (&[u32], usize) {
        /// Looking at each is quicker than looking up when they were born.
        const FEW: usize = 64;
        let Some((_, mates)) = self.slots.get(id as usize) else { return (&[], 0) };
        let from = if mates.len() > FEW {
            let own = birth(document);
            mates.partition_point(|mate| birth(*mate) < own)
        } else {
            0
        };
        let at = (from..mates.len()).find(|at| mates[*at] == document).unwrap_or(from);
        (mates, at)
    }

    pub fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        for (_, mates) in &mut self.slots {
            *mates = mates.iter().filter_map(|mate| new(*mate)).collect();
        }
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn bytes(&self) -> usize {
        const EACH: usize = 200;
        self.ids.len() * EACH
    }
}
