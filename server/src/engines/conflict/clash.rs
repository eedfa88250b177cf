//! One thing that two texts speak of and do not agree on, with how sure it is that both speak of the same.

use super::{
    subject, synonyms,
    text::{Reading, Role, Word},
};

/// More names and numbers than these are a list, not a claim.
pub const MOST: usize = 24;

/// Something that both speak of and do not agree on.
#[derive(Clone, Debug)]
pub struct Clash {
    /// How much of the words around it is shared, 0 to 1.
    pub near: f32,
    /// How many words around it are shared.
    pub shared: usize,
    /// What both speak of.
    pub slot: Vec<String>,
    pub there: String,
    pub here: String,
    /// Words before it, on each side, that the other text does not have at all.
    pub extra: (usize, usize),
    /// The stems that are told apart.
    pub own: [String; 2],
}

pub fn clash(old: &Reading, one: &Word, new: &Reading, other: &Word, there: String, here: String) -> Clash {
    let (mut around_one, mut around_other) = (subject::around(old, one), subject::around(new, other));
    around_one.retain(|stem| *stem != one.stem && !synonyms::is_generic(stem));
    around_other.retain(|stem| *stem != other.stem && !synonyms::is_generic(stem));
    let slot = subject::common(&around_one, &around_other);
    #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
    let near = slot.len() as f32 / around_one.len().min(around_other.len()).max(1) as f32;
    Clash {
        near,
        shared: slot.len(),
        slot: slot.into_iter().map(str::to_owned).collect(),
        there,
        here,
        own: [one.stem.clone(), other.stem.clone()],
        extra: (extra(old, one, new), extra(new, other, old)),
    }
}

/// What narrows the subject of a statement: words before the value that the other text knows nothing of.
pub fn extra(reading: &Reading, value: &Word, other: &Reading) -> usize {
    let clause = reading.words.iter().filter(|word| word.clause == value.clause).take_while(|word| !std::ptr::eq(*word, value));
    clause
        .filter(|word| {
            matches!(word.role, Role::Content | Role::Name)
                && !word.part
                && !synonyms::is_generic(&word.stem)
                && !other.has_stem(&word.stem)
        })
        .count()
}

impl Clash {
    pub fn weight(&self) -> f32 {
        self.near * 2.0 + f32::from(u8::try_from(self.shared).unwrap_or(u8::MAX))
    }
}

pub fn better(best: &mut Option<Clash>, clash: Clash) {
    if best.as_ref().is_none_or(|best| best.weight() < clash.weight()) {
        *best = Some(clash);
    }
}
