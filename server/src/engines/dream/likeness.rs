//! How much two readings say the same.

use super::{
    Why,
    reading::{Reading, Word},
};
use std::collections::HashSet;

/// How many of the longer one's words may be its own.
const MORE: f32 = 0.2;
const ALMOST: f32 = 0.75;
/// Below so many words a difference of one is a difference.
const FEW: usize = 8;

/// Why two may be merged, and how sure that is. A sign that only one of them has, or has elsewhere, makes them two statements.
pub fn likeness(one: &Reading, other: &Reading) -> Option<(Why, f32)> {
    if one.words.is_empty() || other.words.is_empty() || one.cut || other.cut {
        return (one.letters == other.letters && one.cut == other.cut && one.words == other.words).then_some((Why::SameText, 1.0));
    }
    if same(&one.words, &other.words) {
        return Some(if one.letters == other.letters { (Why::SameText, 1.0) } else { (Why::SameWords, 0.95) });
    }
    let (short, long) = if one.words.len() <= other.words.len() { (&one.words, &other.words) } else { (&other.words, &one.words) };
    if short.len() < FEW {
        return None;
    }
    let ratio = share(short.len(), long.len());
    if ratio < ALMOST {
        return None;
    }
    if ratio >= 1.0 - MORE && is_within(short, long) {
        return Some((Why::SaysMore, 0.9 * ratio));
    }
    (has_all(short, long) && signs_agree(one, other)).then_some((Why::AlmostSame, 0.65 * ratio))
}

fn same(one: &[Word], other: &[Word]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.hash == other.hash)
}

/// Whether the longer has all words of the shorter in their order, and beside them none that is a sign.
fn is_within(short: &[Word], long: &[Word]) -> bool {
    let mut wanted = short.iter().peekable();
    for word in long {
        if wanted.peek().is_some_and(|next| next.hash == word.hash) {
            wanted.next();
        } else if word.sign {
            return false;
        }
    }
    wanted.peek().is_none()
}

fn signs_agree(one: &Reading, other: &Reading) -> bool {
    let signs = |reading: &Reading| reading.words.iter().filter(|word| word.sign).map(|word| word.hash).collect::<Vec<_>>();
    signs(one) == signs(other)
}

/// Whether the longer has all words of the shorter, in whatever order: a word of its own would make it another statement.
fn has_all(short: &[Word], long: &[Word]) -> bool {
    let there: HashSet<u64> = long.iter().map(|word| word.hash).collect();
    short.iter().all(|word| there.contains(&word.hash))
}

#[expect(clippy::cast_precision_loss, reason = "counts of words in one text")]
pub fn share(part: usize, of: usize) -> f32 {
    part as f32 / of.max(1) as f32
}
