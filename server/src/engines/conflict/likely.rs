//! How likely two statements contradict each other, by all there is: what the plain rules say, what the words mean, rival answers,
//! opposite states, words of change, and whatever says that they speak of different cases.

use super::{
    Statement, cases,
    cues::Cue,
    frame,
    meaning::{Cover, Pair},
    order,
    rivals::{self, Found, Rivals},
    scales::{BIAS, WEIGHTS},
    signs::Signs,
    slots::Sort::{self, Amount, Machine, Name, Person, Place, Rhythm, Team, Time, Tool, Version},
    states,
    text::{Reading, Role},
    weights,
};
use std::collections::BTreeSet;

const QUANTITIES: [Sort; 4] = [Amount, Rhythm, Time, Version];
const NAMES: [Sort; 6] = [Person, Machine, Tool, Place, Team, Name];
const ALL: [Sort; 10] = [Amount, Rhythm, Time, Version, Person, Machine, Tool, Place, Team, Name];
/// From here each knows so much of the other that they say the same words.
const SAME_WORDS: f32 = 0.8;
/// Below this no sign is one.
const FAINT: f32 = 0.2;

/// What was found between two statements, weighed term by term.
pub struct Findings {
    terms: Vec<f32>,
    /// Rival answers, as they are written.
    pub rivals: Option<(String, String)>,
    pub given_up: Option<String>,
    /// Words that put things in opposite states.
    pub opposed: Option<(String, String)>,
    /// The same things in another order.
    pub reversed: bool,
    /// Both say the same words and deny nothing else alike, so that what the plain rules see is all there is.
    pub same_words: bool,
}

impl Findings {
    #[cfg(test)]
    pub fn terms(&self) -> &[f32] {
        &self.terms
    }

    /// How likely the two contradict each other, from 0 to 1.
    pub fn score(&self) -> f32 {
        let sum: f32 = self.terms.iter().zip(WEIGHTS).map(|(term, (_, weight))| term * weight).sum();
        1.0 / (1.0 + (-(sum + BIAS)).exp())
    }

    pub fn of(there: &Statement<'_>, here: &Statement<'_>, signs: &Signs, plain: f32) -> Self {
        let pair = Pair::of(&there.meaning, &here.meaning);
        let nearness = there.meaning.nearness(&here.meaning);
        let (old, new) = (&there.reading, &here.reading);
        let rivals = rivals::rivals(old, &there.slots, new, &here.slots, &pair);
        let opposed = states::opposed(old, &there.states, new, &here.states, &pair);
        let reversed = order::is_reversed(there.order.as_ref(), here.order.as_ref(), &pair);
        let strongest = rivals.most(&ALL, |found| found.rival.max(found.dropped)).max(opposed.any);
        // In the order of the weights.
        let covers = pair.covers();
        let mut terms = by_rules(signs, plain).to_vec();
        terms.extend(by_meaning(nearness, &covers));
        terms.extend(by_rivals(&rivals));
        terms.extend([opposed.any, opposed.requirement, opposed.activation, is(reversed)]);
        terms.push(is(strongest < FAINT && plain < weights::POSSIBLE));
        terms.extend(by_cues(there, here, nearness.0));
        terms.extend(by_cases(there, here, &rivals, opposed.any));
        terms.extend(by_frame(old, new));
        let agree = signs.flips.denied > 0
            || rivals.most(&[Amount, Rhythm], |found| found.same) > 0.0
            || cases::denies_twice(old) != cases::denies_twice(new);
        let same_words = !agree && covers.0.all.min(covers.1.all) >= SAME_WORDS;
        let opposites = opposed.told.filter(|_| opposed.any >= FAINT);
        Self { terms, rivals: rivals.told, given_up: rivals.given_up, opposed: opposites, reversed, same_words }
    }
}

fn is(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

fn by_rules(signs: &Signs, plain: f32) -> [f32; 9] {
    [
        plain,
        signs.shared.min(6.0) / 6.0,
        weights::strength(signs.choice.as_ref()),
        is(signs.restricted),
        is(signs.flips.denied > 0),
        is(signs.siblings),
        is(signs.past),
        is(signs.titles_part),
        is(signs.heads_differ),
    ]
}

fn by_meaning(nearness: (f32, f32), (there, here): &(Cover, Cover)) -> [f32; 10] {
    [
        nearness.0,
        nearness.1,
        here.all,
        there.all.min(here.all),
        there.subject_own,
        here.subject_own,
        is(here.named_own),
        is(there.named_own && here.named_own),
        there.title,
        there.head.max(here.head),
    ]
}

fn by_rivals(rivals: &Rivals) -> [f32; 17] {
    let found = |sort: Sort| -> Found { rivals.found(sort) };
    [
        found(Time).rival,
        found(Rhythm).rival,
        found(Machine).rival,
        rivals.most(&NAMES, |found| found.rival),
        rivals.most(&QUANTITIES, |found| found.rival),
        is(found(Person).lone),
        is(found(Rhythm).lone),
        is(found(Machine).lone),
        is(found(Version).lone),
        is(found(Tool).lone),
        is(found(Time).lone),
        found(Tool).dropped,
        rivals.most(&ALL, |found| found.dropped),
        found(Amount).same,
        found(Rhythm).same,
        found(Machine).same,
        found(Place).same,
    ]
}

fn by_cues(there: &Statement<'_>, here: &Statement<'_>, near: f32) -> [f32; 10] {
    [
        is(here.cues.has(Cue::Now)),
        is(here.cues.has(Cue::Wide)),
        is(here.cues.has(Cue::Sole)),
        is(here.cues.gives_up_name(&here.reading, &there.reading)),
        is(there.cues.has(Cue::Yet)),
        is(here.cues.has(Cue::Exception)),
        is(here.cues.has(Cue::Besides)),
        is(there.cues.history),
        is(there.cues.story),
        here.cues.changes() * near,
    ]
}

fn by_cases(there: &Statement<'_>, here: &Statement<'_>, rivals: &Rivals, opposed: f32) -> [f32; 6] {
    let (old, new) = (&there.reading, &here.reading);
    let places = cases::other_places(old, new);
    let apart = is(places + cases::other_kinds(old, &there.slots, new, &here.slots) > 0);
    let alert = is(there.cues.has(Cue::Alert) != here.cues.has(Cue::Alert));
    [
        rivals.most(&QUANTITIES, |found| found.rival) * alert,
        rivals.most(&ALL, |found| found.rival) * apart,
        opposed * apart,
        weights::few(places.min(2)),
        is(cases::other_numbers(old, new)),
        is(cases::denies_twice(old) != cases::denies_twice(new)),
    ]
}

fn by_frame(old: &Reading, new: &Reading) -> [f32; 4] {
    let frame = frame::frame(old, new);
    let (there, here) = (names(old), names(new));
    let own = |one: &BTreeSet<&str>, other: &BTreeSet<&str>| weights::few(one.difference(other).count().min(3));
    let (theirs, ours) = (own(&there, &here), own(&here, &there));
    [f32::from(frame.swaps.min(4)), is(frame.at_head) * frame.alike, ours, ours.min(theirs)]
}

fn names(reading: &Reading) -> BTreeSet<&str> {
    reading.words.iter().filter(|word| word.role == Role::Name && !word.part).map(|word| word.stem.as_str()).collect()
}
