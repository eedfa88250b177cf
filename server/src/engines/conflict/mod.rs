//! Judges whether a new memory contradicts one that is there, by rules over words and their meaning: no I/O, the same answer each time.

mod agreement;
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
mod places;
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
use likely::Findings;
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
pub const LIKELY: f32 = 0.75;

/// Texts that are no nearer in meaning than this have nothing to do with each other.
const FAR: f32 = 0.1;

/// What the plain rules must say of two texts in the same words.
const OUTRIGHT: f32 = 0.85;

/// Below this score nothing is certain, however plain it looks.
const SURE: f32 = 0.65;

/// Below this score the judge says nothing.
const POSSIBLE: f32 = 0.4;

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
        // A title that only repeats how the content begins says nothing of its own.
        let repeats = claim.content.trim_start().starts_with(claim.title.trim_end_matches(['…', '.']).trim());
        let title = if repeats { "" } else { claim.title };
        let reading = Reading::of(title, claim.content, claim.kind == Kind::Discovery);
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
        let far = self.reading.language == new.reading.language && self.meaning.nearness(&new.meaning) < FAR;
        if far || !may_contradict(&self.claim, &new.claim) {
            return None;
        }
        let signs = signs::signs(&self.reading, &new.reading);
        let evidence = Evidence::of(&signs);
        let plain = if evidence.is_any() { weights::score(&signs, &evidence) } else { 0.0 };
        let findings = Findings::of(self, new, &signs, plain);
        if places::apart(&self.claim, &new.claim) && !findings.same_words {
            return None;
        }
        let turned = findings.same_words && plain >= OUTRIGHT;
        let score = findings.score().max(if turned { LIKELY } else { 0.0 });
        // Workspace-wide against one project may be the rule and its exception.
        let certain = evidence.is_certain(plain) && self.claim.project == new.claim.project && score >= SURE;
        let reason = || reason::sentence(&signs, &findings, &self.reading, &new.reading);
        (score >= POSSIBLE).then(|| Contradiction { certain, score, reason: reason() })
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
