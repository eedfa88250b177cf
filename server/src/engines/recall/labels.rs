//! Names that documents bear, each with the documents that bear it. A name that nobody bears any more is gone.

use roaring::RoaringBitmap;
use std::collections::BTreeMap;

pub const NONE: u32 = u32::MAX;

pub struct Labels<K> {
    ids: BTreeMap<K, u32>,
    slots: Vec<Option<(K, RoaringBitmap)>>,
    free: Vec<u32>,
    borne: usize,
}

impl<K> Default for Labels<K> {
    fn default() -> Self {
        Self { ids: BTreeMap::new(), slots: Vec::new(), free: Vec::new(), borne: 0 }
    }
}

impl<K: Ord + Clone> Labels<K> {
    /// Answers the name's number, by which a document remembers what it bears.
    pub fn put(&mut self, name: K, document: u32) -> u32 {
        let id = if let Some(id) = self.ids.get(&name) {
            *id
        } else {
            let id = self.free.pop().unwrap_or_else(|| {
                self.slots.push(None);
                u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
            });
            self.slots[id as usize] = Some((name.clone(), RoaringBitmap::new()));
            self.ids.insert(name, id);
            id
        };
        if let Some((_, bearers)) = &mut self.slots[id as usize] {
            self.borne += usize::from(bearers.insert(document));
        }
        id
    }

    pub fn remove(&mut self, id: u32, document: u32) {
        let Some(slot) = self.slots.get_mut(id as usize) else { return };
        let Some((name, bearers)) = slot else { return };
        self.borne -= usize::from(bearers.remove(document));
        if bearers.is_empty() {
            self.ids.remove(name);
            *slot = None;
            self.free.push(id);
        }
    }

    pub fn name(&self, id: u32) -> Option<&K> {
        self.slots.get(id as usize)?.as_ref().map(|(name, _)| name)
    }

    pub fn with<Q: Ord + ?Sized>(&self, name: &Q) -> Option<&RoaringBitmap>
    where
        K: std::borrow::Borrow<Q>,
    {
        let id = self.ids.get(name)?;
        self.slots[*id as usize].as_ref().map(|(_, bearers)| bearers)
    }

    /// The bearers of every name from this one on, in order.
    pub fn from<Q: Ord + ?Sized>(&self, name: &Q) -> impl Iterator<Item = (&K, &RoaringBitmap)>
    where
        K: std::borrow::Borrow<Q>,
    {
        let range = (std::ops::Bound::Included(name), std::ops::Bound::Unbounded);
        self.ids.range::<Q, _>(range).filter_map(|(name, id)| Some((name, &self.slots[*id as usize].as_ref()?.1)))
    }

    pub fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        for (_, bearers) in self.slots.iter_mut().flatten() {
            *bearers = bearers.iter().filter_map(new).collect();
        }
    }

    pub fn all(&self) -> impl Iterator<Item = (&K, &RoaringBitmap)> {
        self.slots.iter().flatten().map(|(name, bearers)| (name, bearers))
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// As near as counting allows: a name with its slot and bitmap, and what a bitmap needs for one more bearer.
    pub fn bytes(&self) -> usize {
        const EACH: usize = 160;
        self.ids.len() * (EACH + 2 * size_of::<K>()) + self.borne * 2
    }
}
