//! Another choice for the same thing: MongoDB there and PostgreSQL here, one host there and another here.

use super::{
    alternatives::{self, Membership},
    clash::{Clash, MOST, better, clash},
    lexicon,
    text::{Reading, Role, Word},
};

/// Another member of the same category for the same thing. Each is held against the one that stands nearest on the other side.
pub fn choice(old: &Reading, new: &Reading) -> Option<Clash> {
    let affirmed = |reading: &'_ Reading| {
        let said = reading.members.iter().filter(|member| !reading.words[member.at].denied);
        said.take(MOST).copied().collect::<Vec<Membership>>()
    };
    let (there, here) = (affirmed(old), affirmed(new));
    if !there.iter().any(|one| here.iter().any(|other| one.category == other.category)) {
        return None;
    }
    // Who names both weighs them: which of the two is meant is not in the names.
    let names = |reading: &Reading, name: &str| reading.members.iter().any(|member| member.name(reading) == name);
    let weighed = |one: &Membership, other: &Membership| names(old, other.name(new)) && names(new, one.name(old));
    // "Python is formatted with …", "JavaScript is formatted with …": the subjects differ, that is no choice.
    let divided = |one: &Membership, other: &Membership| is_subject(old, one.at) && is_subject(new, other.at);
    let mut best: Option<Clash> = None;
    for other in &here {
        let mut nearest: Option<(Clash, bool)> = None;
        for one in there.iter().filter(|one| one.category == other.category) {
            let same_name = one.name(old) == other.name(new);
            if !same_name && (weighed(one, other) || divided(one, other) || alternatives::tells_apart(old, one.at, new, other.at)) {
                continue;
            }
            let (left, right) = (&old.words[one.at], &new.words[other.at]);
            let clash = clash(old, left, new, right, left.raw.clone(), right.raw.clone());
            if nearest
                .as_ref()
                .is_none_or(|(best, same)| best.weight() < clash.weight() || (!same && same_name && best.weight() <= clash.weight()))
            {
                nearest = Some((clash, same_name));
            }
        }
        // The same choice in the same place: whatever else is named is an addition.
        let Some((found, false)) = nearest else { continue };
        if found.shared == 0 && alternatives::is_one_per_project(other.called) {
            better(&mut best, Clash { near: 0.5, shared: 1, slot: vec![other.called.to_owned()], ..found });
        } else {
            better(&mut best, found);
        }
    }
    best
}

/// Another name in the same place of nearly the same sentence.
pub fn name(old: &Reading, new: &Reading) -> Option<Clash> {
    if old.language != new.language {
        return None;
    }
    let own = |reading: &Reading, other: &Reading| -> Vec<usize> {
        let is_own = |word: &Word| {
            word.role == Role::Name && !word.part && !word.denied && (!word.reason || reading.explains) && !other.has_stem(&word.stem)
        };
        (0..reading.words.len()).filter(|at| *at >= reading.title && is_own(&reading.words[*at])).take(MOST).collect()
    };
    let mut best = None;
    let theirs = own(new, old);
    for one in own(old, new) {
        for other in &theirs {
            let (a, b) = (&old.words[one], &new.words[*other]);
            // products_v3, products_v5: whatever leads to them.
            if is_machine_name(&a.raw) && numberless(&a.low) == numberless(&b.low) {
                better(&mut best, clash(old, a, new, b, a.raw.clone(), b.raw.clone()));
            }
            let (Some(left), Some(right)) = (leads_to(old, one), leads_to(new, *other)) else { continue };
            // "owned by", "written by": other questions.
            if left == "by"
                && right == "by"
                && old.words[one - 1].low == "by"
                && old.words[one.saturating_sub(2)].stem != new.words[other.saturating_sub(2)].stem
            {
                continue;
            }
            let machine = is_machine_name(&a.raw) && is_machine_name(&b.raw);
            let clash = clash(old, a, new, b, a.raw.clone(), b.raw.clone());
            let alike = left == right || (clash.near >= 0.6 && clash.extra.0.min(clash.extra.1) == 0);
            let halves = (left == "by") != (right == "by") && clash.near < 0.8;
            if machine || (alike && !halves && clash.shared > 1) {
                better(&mut best, clash);
            }
        }
    }
    best
}

/// The small word that puts a name in the place of an answer: "is in eu-west-1", "served from cdn.acme.com".
fn leads_to(reading: &Reading, at: usize) -> Option<&str> {
    const LEADS: &[&str] = &[
        "to", "at", "in", "into", "from", "is", "are", "on", "by", "with", "through", "via", "under", "called", "named", "as", "use",
        "uses", "run", "call", "ask", "prefers", "prefer", "likes", "wants", "contact",
    ];
    let before = reading.words[..at]
        .iter()
        .rev()
        .find(|word| !matches!(word.low.as_str(), "the" | "a" | "an") && !lexicon::is_named_kind(&word.low));
    let before = before.filter(|word| word.sentence == reading.words[at].sentence)?;
    if before.clause != reading.words[at].clause {
        return Some(":");
    }
    LEADS.iter().copied().find(|lead| *lead == before.low)
}

fn numberless(low: &str) -> String {
    low.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn is_machine_name(raw: &str) -> bool {
    raw.contains(['/', '.', '_', '-', ':', '#']) || raw.chars().any(|c| c.is_ascii_digit())
}

/// Whether a sentence is about this word: "Python is formatted with Black", but not "pnpm is our package manager".
fn is_subject(reading: &Reading, at: usize) -> bool {
    let word = &reading.words[at];
    let after = |ahead: usize| {
        reading.words.get(at + ahead).filter(|next| next.clause == word.clause).map(|next| next.low.as_str()).unwrap_or_default()
    };
    word.first
        && at >= reading.title
        && !(matches!(after(1), "is" | "are") && matches!(after(2), "the" | "our" | "a" | "an"))
        && !after(1).is_empty()
}

/// Another filler in the same frame: "error codes are strings", "error codes are integers".
pub fn filler(old: &Reading, new: &Reading) -> Option<Clash> {
    let (there, here) = (clauses(old), clauses(new));
    let mut best = None;
    for one in there.iter().take(MOST) {
        for other in here.iter().take(MOST) {
            let (Some(left), Some(right)) = (only_own(one, other), only_own(other, one)) else { continue };
            let found = clash(old, left, new, right, left.raw.clone(), right.raw.clone());
            if found.shared > 0 && !left.denied && !right.denied {
                better(&mut best, found);
            }
        }
    }
    best
}

/// The telling words of each clause of the content.
fn clauses(reading: &Reading) -> Vec<Vec<&Word>> {
    let content = reading.words.get(reading.title..).unwrap_or_default();
    let telling = |word: &&Word| matches!(word.role, Role::Content | Role::Name) && !word.part;
    content.chunk_by(|one, next| one.clause == next.clause).map(|clause| clause.iter().filter(telling).collect()).collect()
}

/// The one word at the end of a clause that the other does not have, where both begin with the same and share two words.
fn only_own<'a>(clause: &[&'a Word], other: &[&Word]) -> Option<&'a Word> {
    let has = |word: &Word| other.iter().any(|theirs| theirs.stem == word.stem);
    let own: Vec<&Word> = clause.iter().copied().filter(|word| !has(word)).collect();
    let (first, last) = (clause.first()?, clause.last()?);
    let [word] = own[..] else { return None };
    let at_end = std::ptr::eq(*last, word) || clause.len() > 2 && std::ptr::eq(clause[clause.len() - 2], word);
    (has(first) && at_end && clause.len() > 2).then_some(word)
}
