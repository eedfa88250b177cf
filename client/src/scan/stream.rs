//! What counts in a file, in order: the shape of its tree and the words at the leaves, each as a number. Fingerprints are
//! made over ranges of it.

use crate::clean::hex;
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Of each body so many shingles are kept.
const SHINGLES: usize = 64;
/// Neighbouring words in one shingle.
const TOGETHER: usize = 3;

const LEAF: u64 = 1 << 63;
const ENTER: u64 = 1 << 62;
const EXIT: u64 = 1;
/// Something that turned out to count for nothing.
const NOTHING: u64 = 0;
/// A symbol's own name inside it, so that a renamed function that calls itself has the body it had.
const OWN_NAME: u64 = LEAF | 7;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub [u8; 16]);

impl Fingerprint {
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    fn of(hasher: Sha256) -> Self {
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize()[..16]);
        Self(short)
    }

    /// One for several: order means nothing, twice the same is once.
    pub fn together(parts: &[Self]) -> Self {
        let mut parts = parts.to_vec();
        parts.sort_unstable();
        parts.dedup();
        if let [one] = parts[..] {
            return one;
        }
        let mut hasher = Sha256::new();
        for part in &parts {
            hasher.update(part.0);
        }
        Self::of(hasher)
    }
}

impl std::fmt::Debug for Fingerprint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.hex())
    }
}

pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[derive(Default)]
pub struct Stream {
    events: Vec<u64>,
}

impl Stream {
    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn word(&mut self, text: &str) {
        self.events.push(word(text));
    }

    pub fn raw(&mut self, event: u64) {
        self.events.push(event);
    }

    pub fn enter(&mut self, kind: u64) {
        self.events.push((kind & (ENTER - 1)) | ENTER);
    }

    pub fn exit(&mut self) {
        self.events.push(EXIT);
    }

    /// The node that was entered here is not there, only what is in it.
    pub fn erase(&mut self, at: usize) {
        self.events[at] = NOTHING;
    }

    pub fn cut(&mut self, at: usize) {
        self.events.truncate(at);
    }

    /// Of a chain, `x && (y && z)` becomes `(x && y) && z`, as it would be written without parentheses: the right side,
    /// which begins at `right`, has so many links, each on the left of the next.
    pub fn regroup(&mut self, chain: usize, right: usize, links: usize) {
        let first = right + links;
        self.events.insert(self.after_one(first), EXIT);
        self.events[chain..first].rotate_right(links);
    }

    /// Behind the word or subtree that begins here.
    fn after_one(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        for (at, event) in self.events.iter().enumerate().skip(from).filter(|(_, event)| **event != NOTHING) {
            match *event {
                EXIT => depth = depth.saturating_sub(1),
                event => depth += usize::from(event & LEAF == 0),
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.events.len()
    }

    /// How many subtrees and words lie behind this place, up to two.
    pub fn few(&self, from: usize) -> usize {
        let (mut depth, mut count) = (0_usize, 0);
        for event in self.events[from..].iter().filter(|event| **event != NOTHING) {
            match *event {
                EXIT => depth = depth.saturating_sub(1),
                event => {
                    count += usize::from(depth == 0);
                    depth += usize::from(event & LEAF == 0);
                }
            }
            if count > 1 {
                break;
            }
        }
        count
    }

    /// As a word of its own, for what is put in order.
    pub fn folded(&self, range: Range<usize>) -> u64 {
        let folded = self.events[range].iter().filter(|event| **event != NOTHING).fold(SEED, |sum, event| mix(sum ^ event));
        folded | LEAF
    }

    pub fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        feed(&mut hasher, self.events.iter().copied());
        hex(&hasher.finalize())
    }

    pub fn fingerprint(&self, ranges: &[Range<usize>], own_name: &str) -> Fingerprint {
        let mut hasher = Sha256::new();
        for range in ranges {
            feed(&mut hasher, self.named(range, own_name));
        }
        Fingerprint::of(hasher)
    }

    pub fn shingles(&self, ranges: &[Range<usize>], own_name: &str) -> Vec<u32> {
        let words: Vec<u64> = ranges.iter().flat_map(|range| self.named(range, own_name)).filter(|event| event & LEAF != 0).collect();
        let hashes = words.windows(TOGETHER.min(words.len().max(1)));
        let mut hashes: Vec<u32> = hashes.map(|words| (words.iter().fold(SEED, |sum, word| mix(sum ^ word)) >> 32) as u32).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(SHINGLES);
        hashes
    }

    fn named<'a>(&'a self, range: &Range<usize>, own_name: &str) -> impl Iterator<Item = u64> + 'a {
        let own_name = word(own_name);
        self.events.get(range.clone()).unwrap_or_default().iter().map(move |event| if *event == own_name { OWN_NAME } else { *event })
    }
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The same on every machine and in every version: it is what servers compare.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum: u64, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

pub fn word(text: &str) -> u64 {
    mix(hash(text)) | LEAF
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn feed(hasher: &mut Sha256, events: impl Iterator<Item = u64>) {
    let mut buffer = [0_u8; 512];
    let mut filled = 0;
    for event in events.filter(|event| *event != NOTHING) {
        buffer[filled..filled + 8].copy_from_slice(&event.to_le_bytes());
        filled += 8;
        if filled == buffer.len() {
            hasher.update(buffer);
            filled = 0;
        }
    }
    hasher.update(&buffer[..filled]);
}
