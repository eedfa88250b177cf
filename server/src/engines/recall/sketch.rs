//! A text in ten bytes: of two texts that say the same it never says that they differ, so that hardly any have to be read to
//! know that they do. Nothing of a text can be read from it.

use hashbrown::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sketch {
    /// Each different word turns one of them over: a word more or less in one of two texts is at most one bit between them.
    bits: u64,
    words: u16,
}

impl Sketch {
    /// Whether at most one of thirty words may be another. Of n words in both texts together, counted in each, that is one of 59.
    pub fn may_say_the_same(self, other: Self) -> bool {
        let different = (self.bits ^ other.bits).count_ones().max(u32::from(self.words.abs_diff(other.words)));
        different * 59 <= u32::from(self.words) + u32::from(other.words)
    }
}

/// A sketch in the making.
#[derive(Default)]
pub struct Sketching {
    bits: u64,
    said: HashSet<u64>,
}

impl Sketching {
    pub fn say(&mut self, word: &str) {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        let hash = hasher.finish();
        if self.said.insert(hash) {
            self.bits ^= 1 << (hash % 64);
        }
    }

    pub fn done(self) -> Sketch {
        Sketch { bits: self.bits, words: u16::try_from(self.said.len()).unwrap_or(u16::MAX) }
    }
}
