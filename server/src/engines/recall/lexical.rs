//! The dictionary of one index, and BM25 over it. Rare terms are walked first; once no other document can
//! come among the best, the common ones are only looked up for those that are.

use super::{
    document::{Terms, scale},
    postings::Postings,
    typos,
    weights::Weights,
};
use hashbrown::{DefaultHashBuilder, HashTable};
use roaring::RoaringBitmap;
use std::{cell::RefCell, cmp::Reverse, collections::BinaryHeap, hash::BuildHasher};

/// More terms than this are not asked: the rarest of them say enough, and a question must not cost more than its cap.
pub const MOST_TERMS: usize = 64;

/// Postings left to walk for each document, from which on it is worth looking whether they must be walked.
const WORTH_LOOKING: usize = 4;
/// How much the rest may add, of what was added so far, for the best to be beyond its reach at all.
const WITHIN_REACH: f32 = 0.8;
/// Postings that are walked in the time that one document is looked up.
const LOOKING_UP: usize = 64;

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

    /// How rare a term is; one that is not known is as rare as one that a single document says.
    #[expect(clippy::cast_precision_loss, reason = "a count of documents")]
    pub fn rareness(&self, term: Option<u32>) -> f32 {
        let said_by = term.map_or(1, |id| self.terms[id as usize].postings.len()) as f32;
        let all = (self.count.max(1) as f32).max(said_by);
        ((all - said_by + 0.5) / (said_by + 0.5)).ln_1p()
    }

    /// Whether any document that may be seen says it.
    pub fn is_said(&self, term: u32, allowed: &RoaringBitmap) -> bool {
        let (documents, weights) = self.terms[term as usize].postings.columns();
        documents.iter().zip(weights).any(|(&document, &weight)| weight > 0 && allowed.contains(document))
    }

    /// Known words that a misspelt one may have meant, with how many letters differ.
    pub fn near(&self, word: &str) -> Vec<(u32, usize)> {
        typos::near(word, &self.signatures, &|id| &self.terms[id as usize].text)
    }

    /// How much a document says what is asked; `by_term` is `asked` in order of terms, see [`by_term`].
    pub fn said(&self, document: u32, by_term: &[(u32, usize)]) -> Said {
        let mut said = [0.0; MOST_TERMS];
        let mut wanted = by_term.iter().peekable();
        for (id, weight) in unpack(&self.documents[document as usize]) {
            while wanted.next_if(|(want, _)| *want < id).is_some() {}
            match wanted.peek() {
                None => break,
                Some(&&(want, place)) if want == id => said[place] = scale::WEIGHTS[usize::from(weight)],
                Some(_) => {}
            }
        }
        said
    }

    pub fn length_of(&self, document: u32) -> f32 {
        scale::LENGTHS[usize::from(self.lengths[document as usize])]
    }

    #[expect(clippy::cast_precision_loss, reason = "an average needs no more")]
    pub fn average_length(&self) -> f32 {
        (self.total_length as f32 / self.count.max(1) as f32).max(1.0)
    }

    /// The best documents by words, best first. `asked` is sorted by weight, greatest first.
    pub fn best(&self, asked: &[Asked], allowed: &RoaringBitmap, weights: &Weights, count: usize) -> Vec<(u32, f32)> {
        thread_local!(static BOARD: RefCell<Board> = RefCell::default());
        BOARD.with_borrow_mut(|board| {
            board.cover(self.documents.len());
            let best = self.fill(board, asked, allowed, weights, count);
            board.wipe();
            best
        })
    }

    fn fill(&self, board: &mut Board, asked: &[Asked], allowed: &RoaringBitmap, weights: &Weights, count: usize) -> Vec<(u32, f32)> {
        let average = self.average_length();
        let damping: [f32; 256] = std::array::from_fn(|code| damping(scale::LENGTHS[code], average, weights));
        let known: Vec<(&Postings, f32)> =
            asked.iter().filter_map(|asked| Some((&self.terms[asked.term? as usize].postings, asked.weight))).collect();
        let (mut reached, mut reach) = (0.0, known.iter().map(|(_, weight)| weight).sum::<f32>());
        for (at, (postings, weight)) in known.iter().enumerate() {
            self.walk(board, postings, *weight, &damping);
            reached += weight;
            // No document that says only the rest can come to more than this.
            reach -= weight;
            let rest: usize = known[at + 1..].iter().map(|(postings, _)| postings.len()).sum();
            // Looking for the bar is a walk too: over the documents, and not over what they say.
            if rest * WORTH_LOOKING < self.documents.len() || reach > reached * WITHIN_REACH {
                continue;
            }
            let Some(bar) = board.best(allowed, count).get(count - 1).map(|(_, bar)| *bar).filter(|bar| *bar > reach) else { continue };
            let Some(in_play) = board.above(allowed, bar - reach, rest / LOOKING_UP + 1) else { continue };
            let by_term = by_term(asked);
            let full = |document| score(&self.said(document, &by_term), self.length_of(document), average, asked, weights);
            let mut best: Vec<(u32, f32)> = in_play.into_iter().map(|document| (document, full(document))).collect();
            best.sort_unstable_by(best_first);
            best.truncate(count);
            return best;
        }
        board.best(allowed, count)
    }

    fn walk(&self, board: &mut Board, postings: &Postings, rareness: f32, damping: &[f32; 256]) {
        let (documents, said) = postings.columns();
        let table = &*scale::WEIGHTS;
        for (&document, &said) in documents.iter().zip(said) {
            let said = table[usize::from(said)];
            let at = document as usize;
            board.scores[at] += rareness * said / (said + damping[usize::from(self.lengths[at])]);
            board.touched[at / BLOCK] = true;
        }
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

/// The places of the asked terms, in the order in which documents keep theirs.
pub fn by_term(asked: &[Asked]) -> Vec<(u32, usize)> {
    let mut by_term: Vec<_> = asked.iter().enumerate().filter_map(|(place, asked)| Some((asked.term?, place))).collect();
    by_term.sort_unstable();
    by_term
}

/// BM25 of what a document of this length says. Summed in the order of the question, so that it comes out the same however an index grew.
pub fn score(said: &Said, length: f32, average: f32, asked: &[Asked], weights: &Weights) -> f32 {
    let damping = damping(length, average, weights);
    asked.iter().zip(said).filter(|(_, said)| **said > 0.0).map(|(asked, said)| asked.weight * said / (said + damping)).sum()
}

fn damping(length: f32, average: f32, weights: &Weights) -> f32 {
    weights.k1 * (1.0 - weights.b + weights.b * length / average)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rounded length")]
fn length(code: u8) -> u64 {
    scale::LENGTHS[usize::from(code)] as u64
}

fn ordinal(place: usize) -> u32 {
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

const BLOCK: usize = 128;

/// One score per document, kept by each thread and wiped where it was written.
#[derive(Default)]
struct Board {
    scores: Vec<f32>,
    touched: Vec<bool>,
}

impl Board {
    fn cover(&mut self, documents: usize) {
        let blocks = documents.div_ceil(BLOCK);
        if self.touched.len() < blocks {
            self.touched.resize(blocks, false);
            self.scores.resize(blocks * BLOCK, 0.0);
        }
    }

    fn wipe(&mut self) {
        for (touched, scores) in self.touched.iter_mut().zip(self.scores.chunks_exact_mut(BLOCK)) {
            if std::mem::take(touched) {
                scores.fill(0.0);
            }
        }
    }

    /// The best that are allowed, best first.
    fn best(&self, allowed: &RoaringBitmap, count: usize) -> Vec<(u32, f32)> {
        let mut heap: BinaryHeap<Reverse<(Ordered, u32)>> = BinaryHeap::with_capacity(count + 1);
        self.each_above(allowed, 0.0, |document, score| {
            heap.push(Reverse((Ordered(score), document)));
            if heap.len() > count {
                heap.pop();
            }
            if heap.len() < count { Some(0.0) } else { heap.peek().map(|Reverse((Ordered(score), _))| *score) }
        });
        let mut best: Vec<(u32, f32)> = heap.into_iter().map(|Reverse((Ordered(score), document))| (document, score)).collect();
        best.sort_unstable_by(best_first);
        best
    }

    /// All that are allowed and above a bar, unless there are more than `most`.
    fn above(&self, allowed: &RoaringBitmap, bar: f32, most: usize) -> Option<Vec<u32>> {
        let mut above = Vec::new();
        self.each_above(allowed, bar, |document, _| {
            above.push(document);
            Some(bar).filter(|_| above.len() <= most)
        });
        Some(above).filter(|above| above.len() <= most)
    }

    /// Whoever is offered one answers with the bar for the next, or with none to end it.
    fn each_above(&self, allowed: &RoaringBitmap, mut bar: f32, mut offer: impl FnMut(u32, f32) -> Option<f32>) {
        let blocks = self.touched.iter().filter(|touched| **touched).count();
        // The smaller of the two is walked, the other asked.
        if allowed.len() < (blocks * 8) as u64 {
            for document in allowed {
                let score = self.scores.get(document as usize).copied().unwrap_or_default();
                if score > bar {
                    let Some(next) = offer(document, score) else { return };
                    bar = next;
                }
            }
            return;
        }
        for (block, scores) in self.scores.chunks_exact(BLOCK).enumerate().filter(|(block, _)| self.touched[*block]) {
            // Counting them all is quicker than stopping at the first: the compiler does eight at a time.
            if scores.iter().map(|score| u32::from(*score > bar)).sum::<u32>() == 0 {
                continue;
            }
            for (place, &score) in scores.iter().enumerate() {
                let document = ordinal(block * BLOCK + place);
                if score > bar && allowed.contains(document) {
                    let Some(next) = offer(document, score) else { return };
                    bar = next;
                }
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as sorting asks for it")]
fn best_first(a: &(u32, f32), b: &(u32, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(b.0.cmp(&a.0))
}

#[derive(Clone, Copy, PartialEq)]
struct Ordered(f32);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
