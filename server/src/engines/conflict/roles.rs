//! Who owns a thing and what causes a thing: there is one answer, so another answer is a contradiction.

use super::{
    clash::{Clash, MOST, clash},
    lexicon,
    text::{Reading, Role, Word},
};

const OWNING: &[&str] = &["owner", "contact", "ansprechpartn", "assigne"];
const CAUSING: &[&str] = &[
    "because", "cause", "causes", "caused", "due", "reason", "culprit", "vient", "weil", "liegt", "ursache", "debe", "causa", "comes",
    "come",
];

/// Another owner of the same thing, or another who does it.
pub fn owner(old: &Reading, new: &Reading) -> Option<Clash> {
    owned(old, new).or_else(|| done_by(old, new))
}

/// "led by Irina", "Marcus leads": the same verb, another who does it.
fn done_by(old: &Reading, new: &Reading) -> Option<Clash> {
    let (there, here) = (agents(old), agents(new));
    let other_agent =
        |one: &Agent<'_>, other: &Agent<'_>| one.verb == other.verb && !new.has_stem(&one.who.stem) && !old.has_stem(&other.who.stem);
    let pairs = there.iter().flat_map(|one| here.iter().filter(|other| other_agent(one, other)).map(move |other| (one.who, other.who)));
    let clashes = pairs.take(MOST).map(|(one, other)| clash(old, one, new, other, one.raw.clone(), other.raw.clone()));
    clashes.into_iter().find(|found| found.shared > 0 && found.extra.0.min(found.extra.1) == 0)
}

struct Agent<'a> {
    verb: &'a str,
    who: &'a Word,
}

/// Who does what: "… written by the engineers", "Product writes …".
fn agents(reading: &Reading) -> Vec<Agent<'_>> {
    let content = reading.words.get(reading.title..).unwrap_or_default();
    let telling = |word: &&Word| matches!(word.role, Role::Content | Role::Name) && !word.part && !word.denied;
    let agent = |at: usize| {
        let word = &content[at];
        let after = content[at + 1..].iter().take_while(|next| next.clause == word.clause);
        if word.low == "by" {
            let verb = content[..at].last().filter(telling)?;
            return Some(Agent { verb: &verb.stem, who: after.take(3).find(telling)? });
        }
        let opens = word.first || (at > 0 && content[at - 1].first && content[at - 1].role == Role::Stop);
        let verb = after.take(1).find(telling).filter(|verb| verb.low.ends_with('s') && opens && telling(&word))?;
        Some(Agent { verb: &verb.stem, who: word })
    };
    (0..content.len()).filter_map(agent).collect()
}

fn owned(old: &Reading, new: &Reading) -> Option<Clash> {
    answered(old, new, |word| OWNING.contains(&word.stem.as_str()), |word, mark| word.clause == mark.clause)
}

/// Another cause of the same thing.
pub fn cause(old: &Reading, new: &Reading) -> Option<Clash> {
    let after = |word: &Word, mark: &Word| word.sentence == mark.sentence && word.reason >= lexicon::gives_reason(&mark.low);
    answered(old, new, |word| CAUSING.contains(&word.low.as_str()), after)
}

fn answered(old: &Reading, new: &Reading, asks: impl Fn(&Word) -> bool, belongs: impl Fn(&Word, &Word) -> bool) -> Option<Clash> {
    let mark =
        |reading: &'_ Reading| reading.words.iter().enumerate().position(|(at, word)| at >= reading.title && !word.denied && asks(word));
    let (there, here) = (mark(old)?, mark(new)?);
    let (there, here) = (&old.words[there], &new.words[here]);
    let answer = |reading: &Reading, mark: &Word, other: &Reading| -> Vec<String> {
        let own = reading.words.iter().filter(|word| belongs(word, mark) && !asks(word) && matches!(word.role, Role::Content | Role::Name));
        own.filter(|word| !other.has_stem(&word.stem)).map(|word| word.raw.clone()).collect()
    };
    let (one, other) = (answer(old, there, new), answer(new, here, old));
    let found = clash(old, there, new, here, one.join(" "), other.join(" "));
    (!one.is_empty() && !other.is_empty() && found.shared > 0).then_some(found)
}
