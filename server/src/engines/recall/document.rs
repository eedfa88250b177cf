//! A memory as the index needs it: tokenised and with its vectors, made outside of any lock.

use super::{
    dates,
    semantic::Vector,
    sketch::{Sketch, Sketching},
    weights::field,
    words::{Role, Splitting, Words},
};
use crate::{
    engines::freshness::Freshness,
    model::{Kind, MemoryId, PersonId, State},
};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use uuid::Uuid;

/// What the index has to know of one memory; nothing of its text is kept but terms and vectors.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    pub id: MemoryId,
    pub version: i32,
    pub kind: Kind,
    pub state: State,
    pub title: &'a str,
    pub store: Uuid,
    pub path: &'a str,
    pub body: &'a str,
    pub tags: &'a [String],
    pub project: Option<&'a str>,
    /// Whose a private memory is.
    pub owner: Option<PersonId>,
    pub author: Uuid,
    pub author_name: &'a str,
    pub anchors: &'a [AnchorOf<'a>],
    pub confidence: f32,
    pub verified: bool,
    /// The last change or verification. All times in seconds since 1970.
    pub changed_at: i64,
    pub valid_from: i64,
    /// From when another contradicts it, undecided: one of the two is wrong, and nobody knows which.
    pub contested_from: Option<i64>,
    pub suspect_from: Option<i64>,
    pub stale_from: Option<i64>,
    /// From when the code under it makes it suspect and stale, by branch; by no name on the main one.
    pub code: &'a [CodeOf<'a>],
    /// Whether code or other memories speak for or against it; what they say is not kept here.
    pub spoken_of: bool,
    /// The run or source it was born in; its mates there are its context.
    pub session: Option<&'a str>,
    pub tokens: u32,
    /// What readers said of it, a bounded sum of verdicts.
    pub helpful: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnchorOf<'a> {
    pub repo: Option<&'a str>,
    pub path: &'a str,
    pub symbol: Option<&'a str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeOf<'a> {
    pub branch: Option<&'a str>,
    pub suspect_from: Option<i64>,
    pub stale_from: Option<i64>,
}

/// What is kept of a memory beside its terms and vectors.
#[derive(Clone, Debug)]
pub struct Facts {
    pub id: MemoryId,
    pub author: Uuid,
    pub version: i32,
    pub kind: Kind,
    pub state: State,
    pub verified: bool,
    pub helpful: i8,
    pub confidence: f32,
    pub tokens: u32,
    pub changed_at: i64,
    pub valid_from: i64,
    /// `i64::MAX` for never.
    pub contested_from: i64,
    pub suspect_from: i64,
    pub stale_from: i64,
    /// Of most memories nothing.
    pub code: Box<[CodeFacts]>,
    pub spoken_of: bool,
    /// Of what it says.
    pub sketch: Sketch,
}

#[derive(Clone, Debug)]
pub struct CodeFacts {
    branch: Option<Box<str>>,
    suspect_from: i64,
    stale_from: i64,
}

impl Facts {
    pub fn freshness(&self, now: i64, branch: Option<&str>) -> Freshness {
        match self.freshness_if_right(now, branch) {
            Freshness::Fresh if self.contested_from <= now => Freshness::Suspect,
            freshness => freshness,
        }
    }

    /// Whatever contradicts it. Of a branch that says nothing of its own, as on the main one.
    pub fn freshness_if_right(&self, now: i64, branch: Option<&str>) -> Freshness {
        let on = |branch: Option<&str>| self.code.iter().find(|code| code.branch.as_deref() == branch);
        let code = on(branch).or_else(|| on(None));
        if self.stale_from <= now || code.is_some_and(|code| code.stale_from <= now) {
            Freshness::Stale
        } else if self.suspect_from <= now || code.is_some_and(|code| code.suspect_from <= now) {
            Freshness::Suspect
        } else {
            Freshness::Fresh
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Anchor {
    pub repo: Option<String>,
    pub path: String,
    pub symbol: Option<String>,
}

/// What filters ask for, by name.
#[derive(Clone, Debug)]
pub struct Named {
    pub store: Uuid,
    pub path: String,
    pub tags: Vec<String>,
    pub project: Option<String>,
    pub owner: Option<PersonId>,
    pub author: Uuid,
    pub anchors: Vec<Anchor>,
    pub session: Option<String>,
}

/// A document ready to be put into an index, or to be ranked beside one.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) facts: Facts,
    pub(super) named: Named,
    pub(super) terms: Terms,
    pub(super) vectors: Vec<Vector>,
}

impl Prepared {
    pub fn id(&self) -> MemoryId {
        self.facts.id
    }

    pub fn version(&self) -> i32 {
        self.facts.version
    }
}

pub fn prepare(document: &Document<'_>, vectors: Vec<Vector>) -> Prepared {
    prepare_with(document, vectors, Splitting::Split)
}

/// Without splitting only to measure what splitting is worth.
pub fn prepare_with(document: &Document<'_>, vectors: Vec<Vector>, splitting: Splitting) -> Prepared {
    let (terms, sketch) = terms(document, splitting);
    let facts = Facts {
        author: document.author,
        id: document.id,
        version: document.version,
        kind: document.kind,
        state: document.state,
        verified: document.verified,
        helpful: i8::try_from(document.helpful.clamp(-100, 100)).unwrap_or_default(),
        confidence: if document.confidence.is_nan() { 0.0 } else { document.confidence.clamp(0.0, 1.0) },
        tokens: document.tokens,
        changed_at: document.changed_at,
        valid_from: document.valid_from,
        contested_from: document.contested_from.unwrap_or(i64::MAX),
        suspect_from: document.suspect_from.unwrap_or(i64::MAX),
        stale_from: document.stale_from.unwrap_or(i64::MAX),
        spoken_of: document.spoken_of,
        sketch,
        code: document
            .code
            .iter()
            .map(|code| CodeFacts {
                branch: code.branch.map(Into::into),
                suspect_from: code.suspect_from.unwrap_or(i64::MAX),
                stale_from: code.stale_from.unwrap_or(i64::MAX),
            })
            .collect(),
    };
    let anchor = |anchor: &AnchorOf<'_>| Anchor {
        repo: anchor.repo.map(str::to_owned),
        path: anchor.path.to_owned(),
        symbol: anchor.symbol.map(str::to_owned),
    };
    let named = Named {
        store: document.store,
        path: document.path.to_owned(),
        tags: document.tags.to_vec(),
        project: document.project.map(str::to_owned),
        owner: document.owner,
        author: document.author,
        anchors: document.anchors.iter().map(anchor).collect(),
        session: document.session.map(str::to_owned),
    };
    Prepared { facts, named, terms, vectors }
}

fn terms(document: &Document<'_>, splitting: Splitting) -> (Terms, Sketch) {
    let mut words = Words::of_texts(splitting);
    let mut counted = Counter::default();
    let (mut length, mut sketch) = (0.0_f32, Sketching::default());
    let mut field = |text: &str, weight: f32, wholes: bool, lengthens: bool| {
        words.each(text, &mut |term, role| {
            if role == Role::Whole && !wholes {
                return;
            }
            if role != Role::Whole && lengthens {
                length += 1.0;
                sketch.say(term);
            }
            counted.add(term, weight);
        });
    };
    // Only what it says makes a memory long, not how it is labelled.
    field(document.body, 1.0, true, true);
    field(document.title, field::TITLE, true, false);
    // A path made from a title would be a term of its own in every memory.
    field(document.path.strip_suffix(".md").unwrap_or(document.path), field::PATH, false, false);
    let anchors = document.anchors.iter().flat_map(|anchor| [Some(anchor.path), anchor.symbol]).flatten();
    anchors.for_each(|anchor| field(anchor, field::ANCHORS, true, false));
    document.tags.iter().for_each(|tag| field(tag, field::TAGS, true, false));
    for label in [document.project.unwrap_or_default(), document.author_name, &dates::words_of(document.valid_from)] {
        field(label, field::LABELS, true, false);
    }
    (counted.finish(length), sketch.done())
}

/// The terms of one document, each once, with how much it says them.
#[derive(Clone, Debug)]
pub struct Terms {
    text: Box<str>,
    ends: Box<[(u32, u8)]>,
    pub length: u8,
}

impl Terms {
    pub fn iter(&self) -> impl Iterator<Item = (&str, u8)> {
        let mut start = 0;
        self.ends.iter().map(move |&(end, weight)| {
            let term = &self.text[start..end as usize];
            start = end as usize;
            (term, weight)
        })
    }
}

#[derive(Default)]
struct Counter {
    text: String,
    found: Vec<(u32, u32, f32)>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Counter {
    fn add(&mut self, term: &str, weight: f32) {
        let Self { text, found, table, hasher } = self;
        let at = |i: u32| &text[found[i as usize].0 as usize..found[i as usize].1 as usize];
        let hash = hasher.hash_one(term);
        if let Some(&i) = table.find(hash, |&i| at(i) == term) {
            found[i as usize].2 += weight;
            return;
        }
        let next = u32::try_from(found.len()).unwrap_or(u32::MAX);
        table.insert_unique(hash, next, |&i| hasher.hash_one(at(i)));
        let start = u32::try_from(text.len()).unwrap_or(u32::MAX);
        text.push_str(term);
        found.push((start, start + u32::try_from(term.len()).unwrap_or_default(), weight));
    }

    fn finish(self, length: f32) -> Terms {
        let ends = self.found.iter().map(|&(_, end, weight)| (end, scale::of_weight(weight))).collect();
        Terms { text: self.text.into(), ends, length: scale::of_length(length) }
    }
}

/// One byte for a weight or a length: steps of 4 %, which no ranking notices.
pub mod scale {
    use std::sync::LazyLock;

    const SMALLEST: f32 = 0.1;
    const STEP: f32 = 0.036;
    const LENGTH_STEP: f32 = 0.045;

    /// Nought weighs nothing: it is the place of one that is gone.
    pub static WEIGHTS: LazyLock<[f32; 256]> =
        LazyLock::new(|| std::array::from_fn(|code| if code == 0 { 0.0 } else { SMALLEST * (code_as(code) * STEP).exp() }));
    pub static LENGTHS: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|code| (code_as(code) * LENGTH_STEP).exp().round()));

    /// At least 1: nought is kept for what is no longer there.
    pub fn of_weight(weight: f32) -> u8 {
        byte((weight / SMALLEST).ln() / STEP).max(1)
    }

    pub fn of_length(length: f32) -> u8 {
        byte(length.max(1.0).ln() / LENGTH_STEP)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what a byte holds")]
    fn byte(value: f32) -> u8 {
        value.round().clamp(0.0, 255.0) as u8
    }

    #[expect(clippy::cast_precision_loss, reason = "below 256")]
    fn code_as(code: usize) -> f32 {
        code as f32
    }
}
