//! Every number that ranking depends on, in one place.

use super::words::Splitting;
use crate::{
    engines::freshness::Freshness,
    model::{Kind, recall::Why},
};

/// How much a term counts by where it was found. Body is 1.
pub mod field {
    pub const TITLE: f32 = 0.5;
    pub const PATH: f32 = 0.2;
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
    pub k1: f32,
    pub b: f32,
    pub fusion: Fusion,
    pub semantic: f32,
    /// How many of the best by words, and by meaning, are looked at closely.
    pub candidates: usize,
    pub typo: f32,
    pub context: f32,
    pub date: f32,
    pub code: f32,
    pub recency: f32,
    pub authority: f32,
    pub verification: f32,
    pub confidence: f32,
    pub helpfulness: f32,
    pub suspect: f32,
    pub stale: f32,
    pub splitting: Splitting,
    pub spare: [f32; 4],
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            k1: 0.9,
            b: 0.75,
            fusion: Fusion::Sum,
            semantic: 0.5,
            candidates: 200,
            typo: 0.5,
            context: 0.0,
            date: 0.2,
            code: 0.2,
            recency: 0.02,
            authority: 0.02,
            verification: 0.02,
            confidence: 0.01,
            helpfulness: 0.01,
            suspect: 0.85,
            stale: 0.5,
            splitting: Splitting::Split,
            spare: [0.0; 4],
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

/// How binding a memory is by its kind.
pub fn authority(kind: Kind) -> f32 {
    match kind {
        Kind::Decision => 1.0,
        Kind::Procedure => 0.9,
        Kind::Pattern => 0.8,
        Kind::Preference => 0.7,
        Kind::Fact | Kind::Discovery => 0.5,
        Kind::Episode => 0.3,
    }
}
