//! Answers of the same kind in two texts: the same one, rivals, or one that is given up.

use super::{
    alternatives, figures,
    meaning::Pair,
    slots::{Slot, Sort},
    text::{Reading, Role},
    values::{Measure, Quantity},
};
use std::cell::LazyCell;

/// More answers than these are a list, not a claim.
const MOST: usize = 24;
/// How far a name that is given up speaks for itself.
const NAMED: f32 = 0.5;
/// A number from here on may be a port or an id, which needs no noun.
const BARE: f64 = 1000.0;
/// From here two nouns may count the same.
const ALIKE: f32 = 0.35;

/// How the answers of one sort stand to each other; how much is shared around them, from 0 to 1.
#[derive(Default, Clone, Copy, Debug)]
pub struct Found {
    pub rival: f32,
    pub same: f32,
    /// The new text names the old one's answer as given up.
    pub dropped: f32,
    /// Each text has but one answer of this sort, and they are rivals.
    pub lone: bool,
    /// There are rivals at all.
    pub any: bool,
    /// The old one's answer is said to be gone, not only denied.
    pub gone: bool,
}

/// What was found of each sort, and which answers tell it best.
#[derive(Default)]
pub struct Rivals {
    found: [Found; Sort::Name as usize + 1],
    /// The nearest rivals, as they are written.
    pub told: Option<(String, String)>,
    /// The old one's answer that is given up.
    pub given_up: Option<String>,
}

impl Rivals {
    pub fn found(&self, sort: Sort) -> Found {
        self.found[sort as usize]
    }

    pub fn most(&self, sorts: &[Sort], of: impl Fn(&Found) -> f32) -> f32 {
        sorts.iter().map(|sort| of(&self.found[*sort as usize])).fold(0.0, f32::max)
    }
}

pub fn rivals(old: &Reading, there: &[Slot], new: &Reading, here: &[Slot], pair: &Pair<'_>) -> Rivals {
    let mut rivals = Rivals::default();
    let mut nearest = 0.0;
    let is_same = |one: &Slot, other: &Slot| same(old, one, new, other);
    let known: Vec<bool> = here.iter().take(MOST).map(|other| there.iter().any(|known| !known.dropped && is_same(known, other))).collect();
    // "once a month, on its first Tuesday": the same day tells the same rhythm.
    let timed = LazyCell::new(|| there.iter().any(|one| is_timed(one) && here.iter().any(|other| is_same(one, other))));
    for one in there.iter().take(MOST) {
        if rivals.keeps(one, here.iter().filter(|other| is_same(one, other)), |other| pair.around(old, one.at, new, other.at), old) {
            continue;
        }
        for (other, known) in here.iter().zip(&known).filter(|(other, _)| !other.dropped) {
            let across = one.sort != other.sort && one.quantity.is_some() && *timed;
            if across || *known || !comparable(old, one, new, other, pair) || is_same(one, other) {
                continue;
            }
            let near = pair.around(old, one.at, new, other.at);
            let alone = |slots: &[Slot], sort: Sort| slots.iter().filter(|slot| slot.sort == sort).count() == 1;
            let found = &mut rivals.found[one.sort as usize];
            found.any = true;
            found.rival = found.rival.max(near);
            found.lone = alone(there, one.sort) && alone(here, other.sort);
            if near > nearest {
                nearest = near;
                rivals.told = Some((shown(old, one), shown(new, other)));
            }
        }
    }
    rivals
}

impl Rivals {
    /// Whether the old answer stands in the new text too, or was given up in the old one already.
    fn keeps<'a>(&mut self, one: &Slot, same: impl Iterator<Item = &'a Slot>, near: impl Fn(&Slot) -> f32, old: &Reading) -> bool {
        let found = &mut self.found[one.sort as usize];
        let mut kept = one.dropped;
        for other in same {
            let near = near(other);
            if other.dropped && !one.dropped {
                // A name is enough: "master was deleted" says nothing else.
                found.gone |= other.gone;
                found.dropped = found.dropped.max(if one.quantity.is_none() { near.max(NAMED) } else { near });
                self.given_up = Some(shown(old, one));
            } else {
                kept = true;
                found.same = found.same.max(near);
            }
        }
        kept
    }
}

fn shown(reading: &Reading, slot: &Slot) -> String {
    slot.quantity.as_ref().map_or_else(|| reading.words[slot.at].raw.clone(), |quantity| quantity.shown.clone())
}

fn same(old: &Reading, one: &Slot, new: &Reading, other: &Slot) -> bool {
    match (&one.quantity, &other.quantity) {
        (Some(a), Some(b)) if is_bare(a) && is_bare(b) => same_number(a, b),
        (Some(a), Some(b)) => a.measure == b.measure && figures::same_value(a, b),
        (None, None) => {
            let (one, other) = (&old.words[one.at], &new.words[other.at]);
            one.stem == other.stem || one.low == other.low
        }
        _ => false,
    }
}

/// Whether two answers may answer the same question.
fn comparable(old: &Reading, one: &Slot, new: &Reading, other: &Slot, pair: &Pair<'_>) -> bool {
    match (&one.quantity, &other.quantity) {
        (Some(a), Some(b)) if is_version(a) && is_version(b) => same_product(a, b),
        (Some(a), Some(b)) if is_rhythm(a) && is_rhythm(b) && a.measure != b.measure => true,
        (Some(a), Some(b)) if one.sort == other.sort => {
            if is_bare(a) && is_bare(b) {
                alike(a, b, pair)
            } else {
                figures::same_measure(a, b)
            }
        }
        (None, None) if one.sort == Sort::Tool && other.sort == Sort::Tool => {
            one.category == other.category && !alternatives::tells_apart(old, one.at, new, other.at)
        }
        // "topic orders has …", "topic clicks has …": what each is about, not what it says of it.
        (None, None) if is_subject(old, one.at) && is_subject(new, other.at) => false,
        (None, None) => one.sort == other.sort || matches!((one.sort, other.sort), (Sort::Person, Sort::Team) | (Sort::Team, Sort::Person)),
        _ => false,
    }
}

/// Whether a sentence begins with this word, or with a noun that it names.
fn is_subject(reading: &Reading, at: usize) -> bool {
    let words = &reading.words;
    let verb = words.get(at + 1).is_some_and(|next| next.clause == words[at].clause && next.role == Role::Stop);
    at >= reading.title && verb && (words[at].first || words[at - 1].first)
}

/// Once a week on one day, or each night: another rhythm.
fn is_rhythm(quantity: &Quantity) -> bool {
    matches!(quantity.measure, Measure::Weekday | Measure::Every | Measure::DayOfMonth)
}

fn is_timed(slot: &Slot) -> bool {
    slot.quantity.as_ref().is_some_and(is_rhythm)
}

/// A number whose unit is no unit of measure.
fn is_bare(quantity: &Quantity) -> bool {
    matches!(quantity.measure, Measure::Version(_) | Measure::Plain(_) | Measure::Count(_))
}

/// 16 and 16.3 are the same to who says only 16.
fn same_number(one: &Quantity, other: &Quantity) -> bool {
    let versions = [one, other].iter().any(|quantity| matches!(quantity.measure, Measure::Version(_)));
    let is_whole = |value: f64| value.fract().abs() < f64::EPSILON;
    let (a, b) = if versions && is_whole(one.value) != is_whole(other.value) {
        (one.value.trunc(), other.value.trunc())
    } else {
        (one.value, other.value)
    };
    (a - b).abs() < f64::EPSILON
}

/// The nouns by two numbers say whether they count the same.
fn alike(one: &Quantity, other: &Quantity, pair: &Pair<'_>) -> bool {
    let near = |one: &str, other: &str| pair.row(one).zip(pair.column(other)).is_some_and(|(row, column)| pair.near(row, column) >= ALIKE);
    match (&one.measure, &other.measure) {
        (Measure::Plain(a), Measure::Plain(b)) => a.iter().any(|label| b.contains(label)) || (one.value >= BARE && other.value >= BARE),
        (Measure::Plain(a), Measure::Count(b)) | (Measure::Count(b), Measure::Plain(a)) => {
            a.iter().any(|label| label == b || label.len() > 3)
        }
        // "requests" and "calls" are counted alike.
        (Measure::Count(a), Measure::Count(b)) => a == b || near(a, b),
        (a, b) => a == b,
    }
}

fn is_version(quantity: &Quantity) -> bool {
    match quantity.measure {
        Measure::Version(_) => true,
        Measure::Plain(_) => quantity.value.fract().abs() > f64::EPSILON,
        _ => false,
    }
}

fn same_product(one: &Quantity, other: &Quantity) -> bool {
    let name = |quantity: &'_ Quantity| match &quantity.measure {
        Measure::Version(name) if name != "version" => name.clone(),
        _ => String::new(),
    };
    let (one, other) = (name(one), name(other));
    one == other || one.is_empty() || other.is_empty()
}
