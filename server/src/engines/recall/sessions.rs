//! Documents that were born in one session, in the order of their birth: each is the context of the next.

use crate::model::MemoryId;
use hashbrown::HashMap;

pub use super::labels::NONE;

#[derive(Default)]
pub struct Sessions {
    ids: HashMap<Box<str>, u32>,
    slots: Vec<(Box<str>, Vec<u32>)>,
    free: Vec<u32>,
    /// Of each document the one before and the one after it: looked up hundreds of times in a search, all over the index.
    beside: Vec<[u32; 2]>,
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
        let own = beside(mates, at);
        self.link(document, own);
        self.tie(own[0], document);
        self.tie(document, own[1]);
        id
    }

    /// The one before a document in its session, and the one after it.
    pub fn beside(&self, document: u32) -> [Option<u32>; 2] {
        self.beside.get(document as usize).map_or([None; 2], |beside| beside.map(|mate| Some(mate).filter(|mate| *mate != NONE)))
    }

    pub fn remove(&mut self, id: u32, document: u32, birth: &dyn Fn(u32) -> Birth) {
        let Some((name, mates)) = self.slots.get_mut(id as usize) else { return };
        let own = birth(document);
        let from = mates.partition_point(|mate| birth(*mate) < own);
        let Some(at) = (from..mates.len()).find(|at| mates[*at] == document) else { return };
        let [before, after] = beside(mates, at);
        mates.remove(at);
        if mates.is_empty() {
            self.ids.remove(name);
            self.slots[id as usize] = Default::default();
            self.free.push(id);
        }
        self.link(document, [NONE; 2]);
        self.tie(before, after);
    }

    fn link(&mut self, document: u32, beside: [u32; 2]) {
        let at = document as usize;
        if self.beside.len() <= at {
            if self.beside.capacity() <= at {
                self.beside.reserve_exact((at + 1 - self.beside.len()).max(self.beside.len() / 8));
            }
            self.beside.resize(at + 1, [NONE; 2]);
        }
        self.beside[at] = beside;
    }

    /// These two follow each other, as far as there are two.
    fn tie(&mut self, before: u32, after: u32) {
        if let Some(links) = self.beside.get_mut(before as usize) {
            links[1] = after;
        }
        if let Some(links) = self.beside.get_mut(after as usize) {
            links[0] = before;
        }
    }

    pub fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        for (_, mates) in &mut self.slots {
            *mates = mates.iter().filter_map(|mate| new(*mate)).collect();
        }
        let mut links = vec![[NONE; 2]; self.beside.len()];
        let mut last = 0;
        for (_, mates) in &self.slots {
            for (at, mate) in mates.iter().enumerate() {
                links[*mate as usize] = beside(mates, at);
                last = last.max(*mate as usize + 1);
            }
        }
        links.truncate(last);
        links.shrink_to_fit();
        self.beside = links;
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn bytes(&self) -> usize {
        const EACH: usize = 200;
        self.ids.len() * EACH + self.beside.capacity() * size_of::<[u32; 2]>()
    }
}

fn beside(mates: &[u32], at: usize) -> [u32; 2] {
    [at.checked_sub(1), Some(at + 1)].map(|at| at.and_then(|at| mates.get(at)).copied().unwrap_or(NONE))
}
