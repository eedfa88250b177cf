//! Judges whether a new memory contradicts one that is there, by rules over words: no I/O, no model, the same answer each time.

mod alternatives;
mod choices;
mod clash;
mod denials;
mod figures;
mod flips;
mod lexicon;
mod opposites;
mod polarity;
mod reason;
mod roles;
mod scope;
mod shapes;
mod signs;
mod subject;
mod synonyms;
#[cfg(test)]
mod tests;
mod text;
mod units;
mod values;
mod weights;

use crate::model::{Anchor, Kind};
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

#[derive(Clone, PartialEq, Debug)]
pub struct Contradiction {
    /// Clear enough to stop a decision; otherwise it is worth a look.
    pub certain: bool,
    /// How likely the two contradict each other, 0 to 1.
    pub score: f32,
    /// One sentence for a person.
    pub reason: String,
}

/// Say whether `new` contradicts `old`. What holds in another project is no contradiction, nor is an episode: it only tells what happened.
pub fn judge(old: &Claim<'_>, new: &Claim<'_>) -> Option<Contradiction> {
    let elsewhere = matches!((old.project, new.project), (Some(there), Some(here)) if there != here);
    let same = old.content.trim() == new.content.trim();
    if elsewhere || same || [old.kind, new.kind].contains(&Kind::Episode) {
        return None;
    }
    let (there, here) = (read(old), read(new));
    let signs = signs::signs(&there, &here);
    let evidence = Evidence::of(&signs);
    if !evidence.is_any() {
        return None;
    }
    let score = weights::score(&signs, &evidence);
    // Workspace-wide against one project may be the rule and its exception.
    let certain = evidence.is_certain(score) && old.project == new.project;
    (score >= weights::POSSIBLE).then(|| Contradiction { certain, score, reason: reason::sentence(&signs, &there, &here) })
}

fn read(claim: &Claim<'_>) -> Reading {
    Reading::of(claim.title, claim.content, claim.kind == Kind::Discovery)
}
