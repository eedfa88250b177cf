//! Who owns a thing and what causes a thing: there is one answer, so another answer is a contradiction.

use super::{
    clash::{Clash, clash},
    lexicon,
    text::{Reading, Role, Word},
};

const OWNING: &[&str] = &["owner", "contact", "ansprechpartn", "assigne"];
const CAUSING: &[&str] = &[
    "because", "cause", "causes", "caused", "due", "reason", "culprit", "vient", "weil", "liegt", "ursache", "debe", "causa", "comes",
    "come",
];

/// Another owner of the same thing.
pub fn owner(old: &Reading, new: &Reading) -> Option<Clash> {
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
