//! One workspace's index: what goes in, what goes out, and how much it holds. Searching is in `rank`.

use super::{
    document::{Facts, Prepared},
    filters::{Filters, Marks},
    labels::NONE,
    lexical::Lexicon,
    question::{Hit, Question},
    rank,
    semantic::Vectors,
    sessions::{Birth, Sessions},
};
use crate::model::MemoryId;
use hashbrown::HashMap;

/// Documents are numbered in the order in which they came; one that is replaced gets a new number, and `compact` closes the gaps.
#[derive(Default)]
pub struct Index {
    pub(super) entries: Vec<Option<Entry>>,
    numbers: HashMap<MemoryId, u32>,
    pub(super) lexicon: Lexicon,
    pub(super) vectors: Vectors,
    pub(super) filters: Filters,
    pub(super) sessions: Sessions,
}

pub struct Entry {
    pub facts: Facts,
    pub marks: Marks,
    pub session: u32,
}

/// Chooses by memory and version among the index's own documents.
pub type Only<'a> = &'a dyn Fn(MemoryId, i32) -> bool;

impl Index {
    pub fn new() -> Self {
        Self::default()
    }

    /// In place of what was there under this id.
    pub fn put(&mut self, prepared: Prepared) {
        self.take_out(prepared.facts.id);
        let document = u32::try_from(self.entries.len()).unwrap_or(NONE);
        let Prepared { facts, named, terms, vectors } = prepared;
        self.lexicon.push(&terms);
        self.vectors.put(document, &vectors);
        let marks = self.filters.put(document, &facts, &named);
        self.numbers.insert(facts.id, document);
        self.entries.push(Some(Entry { facts, marks, session: NONE }));
        if let Some(name) = &named.session {
            let session = self.sessions.put(name, document, &|mate| birth(&self.entries, mate));
            if let Some(entry) = &mut self.entries[document as usize] {
                entry.session = session;
            }
        }
        self.compact_if_worth_it();
    }

    /// Nothing derived of it stays: no posting, no term or name that only it had, no vector.
    pub fn remove(&mut self, id: MemoryId) {
        self.take_out(id);
        self.compact_if_worth_it();
    }

    pub fn version_of(&self, id: MemoryId) -> Option<i32> {
        self.entry(*self.numbers.get(&id)?).map(|entry| entry.facts.version)
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// What it holds in memory, capacity and not only use.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Option<Entry>>()
            + self.numbers.capacity() * (size_of::<(MemoryId, u32)>() + 1)
            + self.lexicon.bytes()
            + self.vectors.bytes()
            + self.filters.bytes()
            + self.sessions.bytes()
    }

    pub fn search(&self, question: &Question<'_>) -> Vec<Hit> {
        self.search_with(question, None, &[])
    }

    /// What is nearest to the question's vector, with how near, whatever else speaks for it; of what may be seen.
    pub fn near(&self, question: &Question<'_>) -> Vec<(MemoryId, f32)> {
        let Some(vector) = question.vector else { return Vec::new() };
        let allowed = self.filters.allowed(question.filter, question.viewer, question.now, &self.entries);
        let nearest = self.vectors.nearest(vector, Some(&allowed), question.limit);
        nearest.into_iter().filter_map(|(document, near)| Some((self.entry(document)?.facts.id, near))).collect()
    }

    /// With documents that are not in the index (older versions), ranked by the same statistics; `only` narrows the index's own part.
    pub fn search_with(&self, question: &Question<'_>, only: Option<Only<'_>>, extra: &[Prepared]) -> Vec<Hit> {
        rank::rank(self, question, only, extra)
    }

    pub(super) fn entry(&self, document: u32) -> Option<&Entry> {
        self.entries.get(document as usize)?.as_ref()
    }

    fn take_out(&mut self, id: MemoryId) {
        let Some(document) = self.numbers.remove(&id) else { return };
        if let Some(session) = self.entry(document).map(|entry| entry.session).filter(|session| *session != NONE) {
            self.sessions.remove(session, document, &|mate| birth(&self.entries, mate));
        }
        self.lexicon.remove(document);
        self.vectors.remove(document);
        if let Some(entry) = self.entries[document as usize].take() {
            self.filters.remove(document, &entry.marks);
        }
    }

    /// A quarter of empty places, and enough of them to be worth the walk.
    fn compact_if_worth_it(&mut self) {
        const LEAST: usize = 1024;
        let gone = self.entries.len() - self.numbers.len();
        if gone >= LEAST && gone * 4 > self.entries.len() {
            self.compact();
        }
    }

    pub(super) fn compact(&mut self) {
        let mut next = 0_u32;
        let mut new = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            new.push(if entry.is_some() { next } else { NONE });
            next += u32::from(entry.is_some());
        }
        let renumbered = |document: u32| new.get(document as usize).copied().filter(|new| *new != NONE);
        self.lexicon.renumber(&new, &|document| renumbered(document).is_some());
        self.vectors.compact(&renumbered);
        self.filters.renumber(&renumbered);
        self.sessions.renumber(&renumbered);
        self.numbers.values_mut().for_each(|document| *document = new[*document as usize]);
        self.entries.retain(Option::is_some);
    }
}

fn birth(entries: &[Option<Entry>], document: u32) -> Birth {
    entries[document as usize].as_ref().map_or((i64::MAX, MemoryId(uuid::Uuid::max())), |entry| (entry.facts.valid_from, entry.facts.id))
}
