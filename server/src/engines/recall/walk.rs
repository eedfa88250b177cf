//! The best documents by words. Rare terms are walked first; once no other document can come among the best, the common ones
//! are only looked up for those that are.

use super::{
    document::scale,
    lexical::{Asked, Census, Lexicon, damping, ordinal},
    postings::Postings,
    semantic::bits_above,
    weights::Weights,
};
use roaring::RoaringBitmap;
use std::cell::Cell;

/// Postings left to walk for each document, from which on it is worth looking whether they must be walked.
const WORTH_LOOKING: usize = 4;
/// How much the rest may add, of what was added so far, for the best to be beyond its reach at all.
const WITHIN_REACH: f32 = 0.8;
/// Postings that are walked in the time that one document is looked up.
const LOOKING_UP: usize = 16;

/// What the documents of an index come to by the words of one question.
pub struct Walk<'a> {
    lexicon: &'a Lexicon,
    board: Board,
    /// Common terms that were left alone, with their weights.
    rest: Vec<(&'a Postings, f32)>,
    /// By the code of a document's length.
    damping: [f32; 256],
}

thread_local!(static BOARD: Cell<Board> = Cell::default());

impl Drop for Walk<'_> {
    fn drop(&mut self) {
        self.board.wipe();
        BOARD.set(std::mem::take(&mut self.board));
    }
}

impl<'a> Walk<'a> {
    /// And the best of them that are allowed, best first. `asked` is sorted by weight, greatest first.
    pub fn over(
        lexicon: &'a Lexicon,
        census: &Census<'_>,
        asked: &[Asked],
        allowed: &RoaringBitmap,
        weights: &Weights,
        count: usize,
    ) -> (Self, Vec<(u32, f32)>) {
        let damping = std::array::from_fn(|code| damping(scale::LENGTHS[code], census.average_length, weights));
        let mut board = BOARD.take();
        board.cover(lexicon.lengths().len());
        let mut walk = Self { lexicon, board, rest: Vec::new(), damping };
        let known = asked.iter().filter_map(|asked| Some((lexicon.postings(asked.term?), asked.weight))).collect();
        let best = walk.best(known, allowed, count);
        (walk, best)
    }

    /// What these come to, in rising order. Summed in the order of the question, so that it is the same however an index grew.
    pub fn scores(&self, documents: &[u32]) -> Vec<f32> {
        let lengths = self.lexicon.lengths();
        let mut scores: Vec<f32> = documents.iter().map(|&document| self.board.scores[document as usize]).collect();
        for (postings, weight) in &self.rest {
            let (said_by, said) = postings.columns();
            let mut at = 0;
            for (document, score) in documents.iter().zip(&mut scores) {
                at = first_not_below(said_by, at, *document);
                // More than once only where another is gone, whose place weighs nothing.
                while said_by.get(at) == Some(document) {
                    *score += self.worth(*weight, said[at], lengths[*document as usize]);
                    at += 1;
                }
            }
        }
        scores
    }

    /// How many common terms were left alone.
    #[cfg(test)]
    pub fn left_alone(&self) -> usize {
        self.rest.len()
    }

    fn best(&mut self, mut known: Vec<(&'a Postings, f32)>, allowed: &RoaringBitmap, count: usize) -> Vec<(u32, f32)> {
        let all = self.lexicon.lengths().len();
        let (mut reached, mut reach) = (0.0, known.iter().map(|(_, weight)| weight).sum::<f32>());
        // What the last of the best has come to so far: it only grows.
        let mut bar = 0.0;
        for at in 0..known.len() {
            let (postings, weight) = known[at];
            self.walk(postings, weight);
            reached += weight;
            // No document that says only the rest can come to more than this.
            reach -= weight;
            let rest: usize = known[at + 1..].iter().map(|(postings, _)| postings.len()).sum();
            // Looking for the bar is a walk too: over the documents, and not over what they say.
            if rest * WORTH_LOOKING < all || reach > reached * WITHIN_REACH {
                continue;
            }
            bar = self.board.best(allowed, bar, count).get(count - 1).map_or(bar, |(_, score)| *score);
            if bar <= reach {
                continue;
            }
            let Some(in_play) = self.board.above(allowed, bar - reach, rest / LOOKING_UP + 1) else { continue };
            self.rest = known.split_off(at + 1);
            let scores = self.scores(&in_play);
            let mut best: Vec<(u32, f32)> = in_play.into_iter().zip(scores).collect();
            keep_best(&mut best, count);
            best.sort_unstable_by(best_first);
            return best;
        }
        self.board.best(allowed, bar, count)
    }

    fn walk(&mut self, postings: &Postings, weight: f32) {
        let (lengths, (documents, said)) = (self.lexicon.lengths(), postings.columns());
        for (&document, &said) in documents.iter().zip(said) {
            let at = document as usize;
            let worth = self.worth(weight, said, lengths[at]);
            self.board.scores[at] += worth;
            self.board.touched[at / BLOCK] = true;
        }
    }

    fn worth(&self, weight: f32, said: u8, length: u8) -> f32 {
        let said = scale::WEIGHTS[usize::from(said)];
        weight * said / (said + self.damping[usize::from(length)])
    }
}

/// The first place from here on whose document is this one or a later one.
fn first_not_below(documents: &[u32], from: usize, document: u32) -> usize {
    let rest = &documents[from..];
    let mut end = 1;
    while end < rest.len() && rest[end] < document {
        end *= 2;
    }
    let begin = end / 2;
    from + begin + rest.get(begin..rest.len().min(end + 1)).map_or(0, |near| near.partition_point(|&other| other < document))
}

const BLOCK: usize = 64;

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

    /// The best that are allowed, best first; as many as asked for are known to have come to the bar.
    fn best(&self, allowed: &RoaringBitmap, bar: f32, count: usize) -> Vec<(u32, f32)> {
        /// Found before those beyond the count are let go.
        const SPARE: usize = 4;
        let mut best: Vec<(u32, f32)> = Vec::with_capacity(count * SPARE);
        let mut bar = if bar > 0.0 { bar.next_down() } else { 0.0 };
        self.each_above(allowed, bar, |document, score| {
            best.push((document, score));
            if best.len() >= count * SPARE {
                keep_best(&mut best, count);
                bar = best.iter().map(|(_, score)| *score).fold(f32::INFINITY, f32::min);
            }
            Some(bar)
        });
        keep_best(&mut best, count);
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
            let mut above = bits_above(scores, bar);
            while above > 0 {
                let place = above.trailing_zeros() as usize;
                above &= above - 1;
                let (document, score) = (ordinal(block * BLOCK + place), scores[place]);
                if score > bar && allowed.contains(document) {
                    let Some(next) = offer(document, score) else { return };
                    bar = next;
                }
            }
        }
    }
}

fn keep_best(found: &mut Vec<(u32, f32)>, count: usize) {
    if found.len() > count {
        found.select_nth_unstable_by(count, best_first);
        found.truncate(count);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as sorting asks for it")]
fn best_first(a: &(u32, f32), b: &(u32, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(b.0.cmp(&a.0))
}

#[cfg(test)]
mod tests {
    use super::first_not_below;

    #[test]
    fn a_place_is_found_wherever_one_begins() {
        let documents = [2, 3, 3, 5, 8, 13, 13, 13, 21, 34, 55];
        for from in 0..=documents.len() {
            for document in 0..60 {
                let there = from + documents[from..].iter().take_while(|other| **other < document).count();
                assert_eq!(first_not_below(&documents, from, document), there, "{document} from {from}");
            }
        }
    }
}
