//! How likely two statements contradict each other, by all there is: what the plain rules say, what the words mean, rival answers,
//! opposite states, words of change, and whatever says that they speak of different cases.

use super::{
    Statement, agreement, cases,
    clash::Clash,
    cues::Cue,
    flips::Of,
    frame,
    meaning::{Cover, Pair},
    order,
    rivals::{self, Found, Rivals},
    scales::{BIAS, WEIGHTS},
    signs::Signs,
    slots::Sort::{self, Amount, Machine, Name, Person, Place, Rhythm, Team, Time, Tool, Version},
    states::{self, Opposed},
    text::{Reading, Role, Word},
    weights,
};
use std::collections::BTreeSet;

const QUANTITIES: [Sort; 4] = [Amount, Rhythm, Time, Version];
const NAMES: [Sort; 6] = [Person, Machine, Tool, Place, Team, Name];
const ALL: [Sort; 10] = [Amount, Rhythm, Time, Version, Person, Machine, Tool, Place, Team, Name];
/// From here each knows so much of the other that they say the same words.
const SAME_WORDS: f32 = 0.8;
/// From here a word is known to the other text.
const KNOWN: f32 = 0.5;
/// From here a disagreement is about the same thing.
const FIRM: f32 = 0.3;
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
        let near = there.meaning.nearness(&here.meaning);
        let (old, new) = (&there.reading, &here.reading);
        let rivals = rivals::rivals(old, &there.slots, new, &here.slots, &pair);
        let opposed = states::opposed(old, &there.states, new, &here.states, &pair);
        let reversed = order::is_reversed(there.order.as_ref(), here.order.as_ref(), &pair);
        // In the order of the weights.
        let covers = pair.covers();
        let mut terms = by_rules(signs, plain).to_vec();
        terms.extend(by_meaning(near, &covers));
        terms.extend(by_rivals(&rivals));
        terms.extend([opposed.any, opposed.requirement, is(reversed)]);
        terms.extend(by_cues(there, here));
        terms.extend(by_cases(there, here, &rivals, opposed.any));
        terms.extend(by_frame(old, new));
        terms.extend(by_agreement(there, here, &pair));
        terms.extend(by_signs(signs));
        terms.extend(by_own_cases(there, here, &pair));
        terms.extend(by_answers(&rivals));
        let kinds = Kinds::of(signs, &rivals, &opposed, reversed);
        let divided = signs.siblings || cases::titled(new, |word| is_ours(word, old, &pair));
        terms.extend(kinds.terms(signs.shared.min(6.0) / 6.0, divided, here.cues.changes() * near));
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

fn by_meaning(near: f32, (there, here): &(Cover, Cover)) -> [f32; 9] {
    [
        near,
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

fn by_rivals(rivals: &Rivals) -> [f32; 12] {
    let found = |sort: Sort| -> Found { rivals.found(sort) };
    [
        found(Time).rival,
        found(Rhythm).rival,
        rivals.most(&NAMES, |found| found.rival),
        rivals.most(&QUANTITIES, |found| found.rival),
        is(found(Person).lone),
        is(found(Rhythm).lone),
        is(found(Machine).lone),
        is(found(Version).lone),
        is(found(Tool).lone),
        found(Amount).same,
        found(Rhythm).same,
        found(Machine).same,
    ]
}

fn by_cues(there: &Statement<'_>, here: &Statement<'_>) -> [f32; 8] {
    [
        is(here.cues.has(Cue::Now)),
        is(here.cues.has(Cue::Wide)),
        is(here.cues.has(Cue::Sole)),
        is(there.cues.has(Cue::Yet)),
        is(here.cues.has(Cue::Exception)),
        is(here.cues.has(Cue::Besides)),
        is(there.cues.history),
        is(there.cues.story),
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

fn by_agreement(there: &Statement<'_>, here: &Statement<'_>, pair: &Pair<'_>) -> [f32; 4] {
    let (old, new) = (&there.reading, &here.reading);
    let numbers = agreement::numbers(old, new);
    [
        is(numbers.shared > 0),
        is(numbers.shared > 0 && numbers.ours == 0),
        pair.denied(),
        is(agreement::denies(old) != agreement::denies(new)),
    ]
}

fn by_signs(signs: &Signs) -> [f32; 8] {
    let strength = |clash: &Option<Clash>| weights::strength(clash.as_ref());
    let firm =
        [&signs.choice, &signs.value, &signs.name, &signs.owner].into_iter().flatten().max_by(|a, b| a.weight().total_cmp(&b.weight()));
    let extra = firm.map_or((0, 0), |clash| clash.extra);
    [
        strength(&signs.name),
        strength(&signs.opposite),
        strength(&signs.filler),
        signs.flips.weight.min(2.0),
        is(signs.excepted),
        is(signs.universal),
        is((signs.exclusive.0 && signs.denials.1) || (signs.exclusive.1 && signs.denials.0)),
        weights::few(extra.0.min(extra.1).min(3)),
    ]
}

/// Whether the old text does not know a word of the new one, in whatever words.
fn is_ours(word: &Word, old: &Reading, pair: &Pair<'_>) -> bool {
    !old.has_stem(&word.stem) && pair.column(&word.stem).is_some_and(|column| pair.best_of_column(column) < KNOWN)
}

/// Whether the new text does not know a word of the old one.
fn is_theirs(word: &Word, new: &Reading, pair: &Pair<'_>) -> bool {
    !new.has_stem(&word.stem) && pair.row(&word.stem).is_some_and(|row| pair.best_of_row(row) < KNOWN)
}

fn by_own_cases(there: &Statement<'_>, here: &Statement<'_>, pair: &Pair<'_>) -> [f32; 8] {
    let (old, new) = (&there.reading, &here.reading);
    let ours = |word: &Word| is_ours(word, old, pair);
    let theirs = |word: &Word| is_theirs(word, new, pair);
    [
        is(here.cues.has(Cue::Kept)),
        is(here.cues.has(Cue::Idea)),
        is(here.cues.history),
        is(here.cues.story),
        is(cases::titled(old, theirs)),
        is(cases::fronted(new, ours)),
        is(cases::conditional(new, ours)),
        is(cases::other_heads(old, &there.slots, new, &here.slots)),
    ]
}

fn by_answers(rivals: &Rivals) -> [f32; 2] {
    let gone = ALL.iter().any(|sort| rivals.found(*sort).gone);
    [is(gone), rivals.most(&ALL, |found| if found.gone { 0.0 } else { found.dropped })]
}

/// Which kinds of signs there are at all.
struct Kinds {
    number: bool,
    name: bool,
    turned: bool,
    state: bool,
    gone: bool,
    any: bool,
}

impl Kinds {
    fn of(signs: &Signs, rivals: &Rivals, opposed: &Opposed, reversed: bool) -> Self {
        let is_firm = |clash: &Option<Clash>| weights::strength(clash.as_ref()) > FIRM;
        let number = is_firm(&signs.value) || QUANTITIES.iter().any(|sort| rivals.found(*sort).any);
        let name = is_firm(&signs.choice) || is_firm(&signs.name) || rivals.most(&NAMES, |found| found.rival) > FIRM;
        let turned = signs.flips.weight >= 1.0 && signs.said_of == Of::Same;
        let state = opposed.any > FAINT || is_firm(&signs.opposite);
        let gone = !signs.retired.is_empty() || ALL.iter().any(|sort| rivals.found(*sort).gone);
        let any = number || name || turned || state || gone || reversed || signs.restricted;
        Self { number, name, turned, state, gone, any }
    }

    /// What is shared, divided or changed counts by what sign there is.
    fn terms(&self, shared: f32, divided: bool, changed: f32) -> [f32; 16] {
        let each = [is(self.number), is(self.name), is(self.turned), is(self.state), is(self.gone)];
        let none = is(!self.any);
        let [number, name, turned, state, gone] = each;
        [
            number,
            turned,
            state,
            none,
            shared * number,
            shared * name,
            shared * turned,
            shared * state,
            shared * gone,
            is(divided) * number,
            is(divided) * name,
            is(divided) * turned,
            changed * number,
            changed * name,
            changed * state,
            changed * none,
        ]
    }
}
