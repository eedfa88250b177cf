//! What two texts speak of together: shared words, and how each side stands to them.

use super::text::{Reading, Role, Word};
use std::collections::BTreeMap;

/// How a text speaks of one word.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stance {
    pub affirmed: u32,
    pub denied: u32,
    pub unsure: u32,
    /// Named in the title, which may only say what it is about.
    pub topic: bool,
    pub part: bool,
    pub named: bool,
    /// Stands in a clause that claims, not only in one that gives a reason.
    pub claimed: bool,
    pub titled: bool,
}

/// What a text says of a word, all in all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    Yes,
    No,
    Both,
    /// It is only named.
    Topic,
    Unsure,
}

impl Stance {
    pub fn said(&self) -> Said {
        match (self.affirmed, self.denied) {
            (0, 0) if self.unsure > 0 => Said::Unsure,
            (0, 0) => Said::Topic,
            (_, 0) => Said::Yes,
            (0, _) => Said::No,
            _ => Said::Both,
        }
    }
}

pub type Stances<'a> = BTreeMap<&'a str, Stance>;

pub fn stances(reading: &Reading) -> Stances<'_> {
    let mut stances = Stances::new();
    for (at, word) in reading.words.iter().enumerate() {
        if !matches!(word.role, Role::Content | Role::Name) {
            continue;
        }
        let stance = stances.entry(word.stem.as_str()).or_default();
        let topic = at < reading.title && !word.denied;
        if topic {
            stance.topic = true;
        } else if word.denied {
            stance.denied += 1;
        } else if word.unsure {
            stance.unsure += 1;
        } else {
            stance.affirmed += 1;
        }
        stance.part |= word.part;
        stance.named |= word.role == Role::Name;
        stance.claimed |= !word.reason || reading.explains;
        stance.titled |= at < reading.title;
    }
    stances
}

/// How much of the shorter text's words stand in the other one too, 0 to 1; names weigh more.
pub fn overlap(old: &Stances<'_>, new: &Stances<'_>) -> (f32, f32) {
    let weigh = |stances: &Stances<'_>| stances.values().map(weight).sum::<f32>();
    let shared: f32 = old.iter().filter(|(stem, _)| new.contains_key(*stem)).map(|(_, stance)| weight(stance)).sum();
    let least = weigh(old).min(weigh(new));
    (if least > 0.0 { shared / least } else { 0.0 }, shared)
}

fn weight(stance: &Stance) -> f32 {
    if stance.named { 1.5 } else { 1.0 }
}

/// The telling stems of one clause, or of its sentence where the clause says too little, and of the title, which says what all is about.
pub fn around<'a>(reading: &'a Reading, word: &Word) -> Vec<&'a str> {
    let telling = |other: &&Word| matches!(other.role, Role::Content | Role::Name);
    let in_clause = reading.words.iter().filter(|other| other.clause == word.clause && other.stem != word.stem).filter(telling).count();
    let near = |other: &Word| if in_clause >= 2 { other.clause == word.clause } else { other.sentence == word.sentence };
    let words = reading.words.iter().enumerate().filter(|(at, other)| *at < reading.title || near(other)).map(|(_, word)| word);
    let mut stems: Vec<&str> = words.filter(telling).map(|word| word.stem.as_str()).collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

pub fn common<'a>(one: &[&'a str], other: &[&str]) -> Vec<&'a str> {
    one.iter().copied().filter(|stem| other.contains(stem)).collect()
}
