//! Two contents laid side by side, word by word: which words stand in both in the same order, and where each has its own.

use super::{
    synonyms,
    text::{self, Reading, Role, Word},
};

/// Words that are laid side by side; who says more says it in other words.
const MOST: usize = 48;

#[derive(Default, Debug)]
pub struct Frame {
    /// How much of the shorter one stands in both in the same order, 0 to 1.
    pub alike: f32,
    /// Places where each has words of its own.
    pub swaps: u8,
    /// One of them comes before two telling words were shared: there stands what it is about.
    pub at_head: bool,
}

pub fn frame(old: &Reading, new: &Reading) -> Frame {
    let (there, here) = (words(old), words(new));
    let (marks, others) = (marks(&there), marks(&here));
    let is_same = |one: usize, other: usize| marks[one].is_some() && marks[one] == others[other];
    let table = common(&marks, &others);
    let (mut one, mut other, mut met) = (0, 0, 0);
    let (mut ours, mut theirs) = (false, false);
    let mut frame = Frame::default();
    while one < there.len() && other < here.len() {
        if is_same(one, other) {
            frame.swap(ours && theirs, met);
            (ours, theirs) = (false, false);
            met += usize::from(tells(there[one]));
            (one, other) = (one + 1, other + 1);
        } else if table[one + 1][other] >= table[one][other + 1] {
            ours |= tells(there[one]);
            one += 1;
        } else {
            theirs |= tells(here[other]);
            other += 1;
        }
    }
    let rest = |words: &[&Word]| words.iter().any(|word| tells(word));
    frame.swap((ours || rest(&there[one..])) && (theirs || rest(&here[other..])), usize::MAX);
    let least = u8::try_from(there.len().min(here.len()).max(1)).unwrap_or(u8::MAX);
    frame.alike = f32::from(table[0][0]) / f32::from(least);
    frame
}

impl Frame {
    fn swap(&mut self, is_one: bool, met: usize) {
        self.swaps = self.swaps.saturating_add(u8::from(is_one));
        self.at_head |= is_one && met < 2;
    }
}

fn words(reading: &Reading) -> Vec<&Word> {
    reading.words.iter().skip(reading.title).filter(|word| !word.part).take(MOST).collect()
}

/// What words are compared by; articles stand for nothing.
fn marks(words: &[&Word]) -> Vec<Option<u64>> {
    words.iter().map(|word| (!matches!(word.low.as_str(), "the" | "a" | "an")).then(|| text::mark(&word.stem))).collect()
}

/// For each place in both, the length of the longest run in the same order from there on.
fn common(there: &[Option<u64>], here: &[Option<u64>]) -> Vec<Vec<u8>> {
    let mut table = vec![vec![0; here.len() + 1]; there.len() + 1];
    for (one, mark) in there.iter().enumerate().rev() {
        for (other, theirs) in here.iter().enumerate().rev() {
            table[one][other] = if mark.is_some() && mark == theirs {
                table[one + 1][other + 1] + 1
            } else {
                table[one + 1][other].max(table[one][other + 1])
            };
        }
    }
    table
}

fn tells(word: &Word) -> bool {
    word.role != Role::Stop && !synonyms::is_generic(&word.stem)
}
