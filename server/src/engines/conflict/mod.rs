//! Judges whether a new memory contradicts one that is there, by rules over words and their meaning: no I/O, the same answer each time.

mod alternatives;
mod cases;
mod choices;
mod clash;
mod cues;
mod dates;
mod denials;
mod figures;
mod flips;
mod fractions;
mod frame;
mod gazetteer;
mod lexicon;
mod likely;
mod meaning;
mod opposites;
mod order;
mod polarity;
mod reason;
mod rivals;
mod roles;
mod scales;
mod scope;
mod shapes;
mod signs;
mod slots;
mod states;
mod subject;
mod synonyms;
#[cfg(test)]
mod tests;
mod text;
mod units;
mod values;
mod weights;

use crate::model::{Anchor, Kind};
use cues::Cues;
use meaning::Meaning;
use order::Turns;
use slots::Slot;
use states::State;
use text::Reading;
use weights::Evidence;

/// What the judge may know of a memory.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    pub kind: Kind,
    pub title: &'a str,
    pub content: &'a str,
    pub project: Option<&'a str>,
    pub tags: &'a [String],
    pub anchors: &'a [Anchor],
}

/// From this score on a contradiction counts as found; below it is only worth a look.
pub const LIKELY: f32 = 0.72;

/// Texts that are no nearer in meaning than this have nothing to do with each other.
const FAR: f32 = 0.1;

/// Below this score nothing is certain, however plain it looks.
const SURE: f32 = 0.4;

/// Below this score the judge says nothing.
const POSSIBLE: f32 = 0.3;

#[derive(Clone, PartialEq, Debug)]
pub struct Contradiction {
    /// Clear enough to stop a decision.
    pub certain: bool,
    /// How likely the two contradict each other, 0 to 1.
    pub score: f32,
    /// One sentence for a person.
    pub reason: String,
}

/// How sure the judge is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Grade {
    Possible,
    Likely,
    Certain,
}

impl Contradiction {
    pub fn grade(&self) -> Grade {
        match () {
            () if self.certain => Grade::Certain,
            () if self.score >= LIKELY => Grade::Likely,
            () => Grade::Possible,
        }
    }
}

/// A claim that has been read, to be judged against many.
pub struct Statement<'a> {
    claim: Claim<'a>,
    reading: Reading,
    meaning: Meaning,
    cues: Cues,
    slots: Vec<Slot>,
    states: Vec<State>,
    order: Option<Turns>,
}

impl<'a> Statement<'a> {
    pub fn of(claim: Claim<'a>) -> Self {
        let reading = Reading::of(claim.title, claim.content, claim.kind == Kind::Discovery);
        let cues = Cues::of(&reading);
        Self {
            meaning: Meaning::of(&reading),
            slots: slots::slots(&reading, &cues),
            states: states::states(&reading),
            order: order::turns(&reading),
            claim,
            reading,
            cues,
        }
    }

    /// Say whether `new` contradicts this.
    pub fn against(&self, new: &Statement<'_>) -> Option<Contradiction> {
        let far = self.reading.language == new.reading.language && self.meaning.nearness(&new.meaning).0 < FAR;
        if far || !may_contradict(&self.claim, &new.claim) {
            return None;
        }
        let signs = signs::signs(&self.reading, &new.reading);
        let evidence = Evidence::of(&signs);
        let plain = if evidence.is_any() { weights::score(&signs, &evidence) } else { 0.0 };
        let likely = likely::score(self, new, &signs, plain);
        // Workspace-wide against one project may be the rule and its exception.
        let certain = evidence.is_certain(plain) && self.claim.project == new.claim.project && likely >= SURE;
        (likely >= POSSIBLE).then(|| Contradiction {
            certain,
            score: likely,
            reason: reason::sentence(&signs, &self.reading, &new.reading),
        })
    }
}

/// Say whether `new` contradicts `old`.
pub fn judge(old: &Claim<'_>, new: &Claim<'_>) -> Option<Contradiction> {
    may_contradict(old, new).then(|| Statement::of(*old).against(&Statement::of(*new))).flatten()
}

/// What holds in another project is no contradiction, nor is an episode: it only tells what happened.
fn may_contradict(old: &Claim<'_>, new: &Claim<'_>) -> bool {
    let elsewhere = matches!((old.project, new.project), (Some(there), Some(here)) if there != here);
    let same = old.content.trim() == new.content.trim();
    !elsewhere && !same && ![old.kind, new.kind].contains(&Kind::Episode)
}

pub fn features(old: &Claim<'_>, new: &Claim<'_>) -> Vec<(&'static str, f32)> {
    let (there, here) = (Statement::of(*old), Statement::of(*new));
    let signs = signs::signs(&there.reading, &here.reading);
    let evidence = Evidence::of(&signs);
    let plain = if evidence.is_any() { weights::score(&signs, &evidence) } else { 0.0 };
    let terms = likely::terms(&there, &here, &signs, plain);
    let mut all: Vec<_> = likely::names_of_terms().zip(terms).collect();
    all.push(("elsewhere", f32::from(u8::from(!may_contradict(old, new)))));
    all.push(("certain", f32::from(u8::from(evidence.is_certain(plain) && old.project == new.project))));
    all
}
