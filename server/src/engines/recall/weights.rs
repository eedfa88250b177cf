//! Every number that ranking depends on, in one place. Effects are in questions answered among the first ten (hit@10) of 447:
//! chats, code, product documentation and short notes together, one number changed at a time. They were chosen on these same
//! questions, so that a difference of two or three says nothing, and other questions will be answered somewhat less well.

use super::words::Splitting;
use crate::{
    engines::freshness::Freshness,
    model::{Kind, recall::Why},
};

/// How much a term counts by where it was found. Body is 1.
pub mod field {
    /// 0.5, 1, 2, 3: 371, 370, 375, 375.
    pub const TITLE: f32 = 2.0;
    /// 0, 0.5, 1: 374, 375, 376.
    pub const PATH: f32 = 0.5;
    pub const TAGS: f32 = 1.0;
    pub const ANCHORS: f32 = 0.5;
    /// Author, project and date: enough to find by, too little to drown what a memory says.
    pub const LABELS: f32 = 0.3;
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fusion {
    /// Both scores stretched to 0..1 over the candidates and added by weight.
    Sum,
    /// Reciprocal ranks, for comparison.
    Ranks,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// How soon saying it again adds nothing. 0.6, 0.9, 1.2, 1.6: 369, 375, 373, 373.
    pub k1: f32,
    /// How much a long text is held back. 0.4, 0.6, 0.75, 0.9: 364, 366, 375, 376: among short notes long answers must not win by length.
    pub b: f32,
    /// Reciprocal ranks instead of the sum: 358 instead of 375.
    pub fusion: Fusion,
    /// The share of meaning. 0, 0.3, 0.4, 0.45, 0.5, 0.6: 369, 372, 374, 375, 371, 364.
    pub semantic: f32,
    /// How many of the best by words, and by meaning, are looked at closely. 50, 100, 150, 200: 372, 375, 374, 374.
    pub candidates: usize,
    /// What a misspelt word is worth. Not measured: these questions are spelt well.
    pub typo: f32,
    /// What the memories just before and after in the session lend. 0, 0.5, 0.7, 1, 1.5: 369, 372, 374, 375, 373.
    /// An average that could take, too, cost documentation 8 points of NDCG, tried earlier.
    pub context: f32,
    /// How many of the best bring their neighbours with them. 0, 20, 50, 100: 373, 375, 375, 374.
    pub in_context: usize,
    /// Being of the time that the question names. 0, 0.2, 0.25, 0.3: 372, 374, 375, 375;
    /// of 238 asked for a session among the first five: 232, 234, 236, 237.
    pub date: f32,
    /// Hanging on the code at hand. Not measured: no set has anchors.
    pub code: f32,
    /// These only tell equals apart. Without recency and authority: 375 as well; the others are alike throughout these sets.
    pub recency: f32,
    pub authority: f32,
    pub verification: f32,
    pub confidence: f32,
    /// Least of all: being liked is not being true.
    pub helpfulness: f32,
    /// What is left of a match when the memory may no longer hold, and when it does not. Not measured.
    pub suspect: f32,
    pub stale: f32,
    /// What is left where another contradicts it: enough to stand below what nobody doubts and answers as well, and not to be
    /// passed over for what answers less. As suspect as the rest: 2 of 238 questions fewer.
    pub contested: f32,
    /// Off: 375 as well, but on code 5 points of NDCG less.
    pub splitting: Splitting,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            k1: 0.9,
            b: 0.75,
            fusion: Fusion::Sum,
            semantic: 0.45,
            candidates: 100,
            typo: 0.5,
            context: 1.0,
            in_context: 50,
            date: 0.25,
            code: 0.2,
            recency: 0.02,
            authority: 0.02,
            verification: 0.02,
            confidence: 0.01,
            helpfulness: 0.01,
            suspect: 0.85,
            stale: 0.5,
            contested: 0.98,
            splitting: Splitting::Split,
        }
    }
}

/// What is left out to see what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Ablation {
    #[default]
    None,
    NoVectors,
    NoSplitting,
    RankFusion,
}

impl Weights {
    pub fn without(ablation: Ablation) -> Self {
        let all = Self::default();
        match ablation {
            Ablation::None => all,
            Ablation::NoVectors => Self { semantic: 0.0, ..all },
            Ablation::NoSplitting => Self { splitting: Splitting::Off, ..all },
            Ablation::RankFusion => Self { fusion: Fusion::Ranks, ..all },
        }
    }

    /// What was asked for counts by how fresh it is, and only the fresh are helped by what they are beside that:
    /// so nothing suspect or stale comes above something fresh that answers as well.
    pub fn total(&self, relevance: f32, why: &Why) -> f32 {
        let answers = relevance + self.code * why.code + self.date * why.date;
        let stands = self.recency * why.recency
            + self.authority * why.authority
            + self.verification * why.verification
            + self.confidence * why.confidence
            + self.helpfulness * why.helpfulness;
        let most = 1.0 + self.code + self.date + self.recency + self.authority + self.verification + self.confidence + self.helpfulness;
        (answers * why.freshness + if why.freshness < 1.0 { 0.0 } else { stands }) / most
    }

    /// Never above 1: a memory that no longer holds must not win by its age.
    pub fn freshness(&self, freshness: Freshness) -> f32 {
        match freshness {
            Freshness::Fresh => 1.0,
            Freshness::Suspect => self.suspect,
            Freshness::Stale => self.stale,
        }
    }
}

/// How binding a memory is by its kind: the rules of a project, then how work is done, then what one person wants, and what
/// happened or was found once least.
pub fn authority(kind: Kind) -> f32 {
    match kind {
        Kind::Decision => 1.0,
        Kind::Pattern => 0.9,
        Kind::Fact => 0.8,
        Kind::Procedure => 0.7,
        Kind::Preference => 0.6,
        Kind::Discovery => 0.5,
        Kind::Episode => 0.3,
    }
}
