//! The dictionary of one index, and BM25 over it. Who walks it is in `walk`.

use super::{
    document::{Terms, scale},
    postings::Postings,
    typos,
    weights::Weights,
};
use hashbrown::{DefaultHashBuilder, HashTable};
use roaring::RoaringBitmap;
use std::hash::BuildHasher;

/// More terms than this are not asked: the rarest of them say enough, and a question must not cost more than its cap.
pub const MOST_TERMS: usize = 64;

#[derive(Default)]
pub struct Lexicon {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    terms: Vec<Term>,
    /// For finding a misspelt word without looking at every letter of the dictionary.
    signatures: Vec<u32>,
    free: Vec<u32>,
    /// Per document, by ordinal: its terms in rising order with their weights, and its length.
    documents: Vec<Box<[u8]>>,
    lengths: Vec<u8>,
    count: usize,
    total_length: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Term {
    text: Box<str>,
    postings: Postings,
}

/// What is counted for whoever asks: only documents that they may see, for scores tell of what was counted.
pub struct Census<'a> {
    hidden: &'a RoaringBitmap,
    count: usize,
    pub average_length: f32,
}

/// A term of the question, as this index knows it.
#[derive(Clone, Debug)]
pub struct Asked {
    pub text: Box<str>,
    /// None when no document of the index says it.
    pub term: Option<u32>,
    /// Its rareness times how much it is meant.
    pub weight: f32,
}

/// How much one document says each of the asked terms.
pub type Said = [f32; MOST_TERMS];

impl Lexicon {
    /// The document is the newest.
    pub fn push(&mut self, terms: &Terms) {
        let document = ordinal(self.documents.len());
        let mut ids: Vec<(u32, u8)> = terms.iter().map(|(text, weight)| (self.say(text, document, weight), weight)).collect();
        ids.sort_unstable();
        let packed = pack(&ids);
        self.bytes += packed.len();
        self.documents.push(packed);
        self.lengths.push(terms.length);
        self.count += 1;
        self.total_length += length(terms.length);
    }

    /// Every posting goes, and every term that only this one said.
    pub fn remove(&mut self, document: u32) {
        let packed = std::mem::take(&mut self.documents[document as usize]);
        self.bytes -= packed.len();
        for (id, _) in unpack(&packed) {
            let term = &mut self.terms[id as usize];
            self.bytes -= term.postings.bytes();
            if term.postings.remove(document) {
                self.forget(id);
            } else {
                self.bytes += term.postings.bytes();
            }
        }
        self.count -= 1;
        self.total_length -= length(self.lengths[document as usize]);
        self.lengths[document as usize] = 0;
    }

    /// Drops the places of removed documents. `new` has the new ordinal of each that stays, in the same order.
    pub fn renumber(&mut self, new: &[u32], stays: &dyn Fn(u32) -> bool) {
        for term in self.terms.iter_mut().filter(|term| !term.text.is_empty()) {
            self.bytes -= term.postings.bytes();
            term.postings.renumber(new);
            self.bytes += term.postings.bytes();
        }
        let mut place = 0;
        self.documents.retain(|_| {
            place += 1;
            stays(place - 1)
        });
        place = 0;
        self.lengths.retain(|_| {
            place += 1;
            stays(place - 1)
        });
    }

    /// How many different terms are known.
    #[cfg(test)]
    pub fn terms(&self) -> usize {
        self.terms.len() - self.free.len()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
            + self.table.capacity() * 5
            + self.terms.capacity() * size_of::<Term>()
            + (self.signatures.capacity() + self.free.capacity()) * 4
            + self.documents.capacity() * size_of::<Box<[u8]>>()
            + self.lengths.capacity()
    }

    pub fn find(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.table.find(hash, |&id| *self.terms[id as usize].text == *text).copied()
    }

    pub fn text(&self, term: u32) -> &str {
        &self.terms[term as usize].text
    }

    /// Of all but those that are hidden.
    #[expect(clippy::cast_precision_loss, reason = "an average needs no more")]
    pub fn census<'a>(&self, hidden: &'a RoaringBitmap) -> Census<'a> {
        let count = self.count - usize::try_from(hidden.len()).unwrap_or_default();
        let total = self.total_length - hidden.iter().map(|document| length(self.lengths[document as usize])).sum::<u64>();
        Census { hidden, count, average_length: (total as f32 / count.max(1) as f32).max(1.0) }
    }

    /// How rare a term is; one that is not known is as rare as one that a single document says.
    #[expect(clippy::cast_precision_loss, reason = "a count of documents")]
    pub fn rareness(&self, term: Option<u32>, census: &Census<'_>) -> f32 {
        let said_by = term.map_or(1, |id| self.said_by(id, census).max(1)) as f32;
        let all = (census.count.max(1) as f32).max(said_by);
        ((all - said_by + 0.5) / (said_by + 0.5)).ln_1p()
    }

    fn said_by(&self, term: u32, census: &Census<'_>) -> usize {
        /// Postings that are walked in the time that one document is looked up among them.
        const LOOKING_UP: usize = 16;
        let postings = &self.terms[term as usize].postings;
        let ((documents, weights), hidden) = (postings.columns(), census.hidden);
        let by_hidden = if hidden.is_empty() {
            0
        } else if hidden.len() < (documents.len() / LOOKING_UP) as u64 {
            hidden.iter().filter(|document| postings.names(*document)).count()
        } else {
            documents.iter().zip(weights).filter(|(document, weight)| **weight > 0 && hidden.contains(**document)).count()
        };
        postings.len() - by_hidden
    }

    /// Whether any document that may be seen says it.
    pub fn is_said(&self, term: u32, allowed: &RoaringBitmap) -> bool {
        let (documents, weights) = self.terms[term as usize].postings.columns();
        documents.iter().zip(weights).any(|(&document, &weight)| weight > 0 && allowed.contains(document))
    }

    /// Words that a misspelt one may have meant, of those that may be seen, with how many letters differ.
    pub fn near(&self, word: &str, allowed: &RoaringBitmap) -> Vec<(u32, usize)> {
        typos::near(word, &self.signatures, &|id| &self.terms[id as usize].text, &|id| self.is_said(id, allowed))
    }

    /// Where a term is said.
    pub fn postings(&self, term: u32) -> &Postings {
        &self.terms[term as usize].postings
    }

    /// The codes of the documents' lengths, by ordinal.
    pub fn lengths(&self) -> &[u8] {
        &self.lengths
    }

    fn say(&mut self, text: &str, document: u32, weight: u8) -> u32 {
        let hash = self.hasher.hash_one(text);
        if let Some(&id) = self.table.find(hash, |&id| *self.terms[id as usize].text == *text) {
            let postings = &mut self.terms[id as usize].postings;
            self.bytes -= postings.bytes();
            postings.push(document, weight);
            self.bytes += postings.bytes();
            return id;
        }
        let term = Term { text: text.into(), postings: Postings::One(document, weight) };
        self.bytes += text.len();
        let id = if let Some(id) = self.free.pop() {
            self.terms[id as usize] = term;
            self.signatures[id as usize] = typos::signature(text);
            id
        } else {
            self.terms.push(term);
            self.signatures.push(typos::signature(text));
            ordinal(self.terms.len() - 1)
        };
        self.table.insert_unique(hash, id, |&id| self.hasher.hash_one(&*self.terms[id as usize].text));
        id
    }

    fn forget(&mut self, id: u32) {
        let term = &mut self.terms[id as usize];
        let hash = self.hasher.hash_one(&*term.text);
        if let Ok(entry) = self.table.find_entry(hash, |&other| other == id) {
            entry.remove();
        }
        self.bytes -= term.text.len();
        *term = Term { text: "".into(), postings: Postings::One(0, 0) };
        self.signatures[id as usize] = 0;
        self.free.push(id);
    }
}

/// BM25 of what a document of this length says. Summed in the order of the question, so that it comes out the same however an index grew.
pub fn score(said: &Said, length: f32, average: f32, asked: &[Asked], weights: &Weights) -> f32 {
    let damping = damping(length, average, weights);
    asked.iter().zip(said).filter(|(_, said)| **said > 0.0).map(|(asked, said)| asked.weight * said / (said + damping)).sum()
}

pub fn damping(length: f32, average: f32, weights: &Weights) -> f32 {
    weights.k1 * (1.0 - weights.b + weights.b * length / average)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rounded length")]
fn length(code: u8) -> u64 {
    scale::LENGTHS[usize::from(code)] as u64
}

pub fn ordinal(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Rising ids as differences of 7 bits a byte, each followed by its weight.
fn pack(ids: &[(u32, u8)]) -> Box<[u8]> {
    let mut packed = Vec::with_capacity(ids.len() * 4);
    let mut before = 0;
    for &(id, weight) in ids {
        let mut gap = id - before;
        before = id;
        while gap >= 0x80 {
            packed.push(0x80 | gap.to_le_bytes()[0]);
            gap >>= 7;
        }
        packed.extend([gap.to_le_bytes()[0], weight]);
    }
    packed.into()
}

fn unpack(packed: &[u8]) -> impl Iterator<Item = (u32, u8)> {
    let mut bytes = packed.iter().copied();
    let mut id = 0_u32;
    std::iter::from_fn(move || {
        let (mut gap, mut shift) = (0_u32, 0);
        loop {
            let byte = bytes.next()?;
            gap |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        id = id.wrapping_add(gap);
        Some((id, bytes.next()?))
    })
}
