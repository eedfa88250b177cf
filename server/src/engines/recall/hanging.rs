//! What hangs on code, by place: counted from what is in memory, for whoever looks at a tree of files.

use super::{
    Index,
    question::{Filter, Viewer},
};
use crate::{engines::freshness::Freshness, model::MemoryId};
use roaring::RoaringBitmap;
use std::collections::BTreeMap;

/// Whose eyes look at which code.
#[derive(Clone, Copy, Debug)]
pub struct OnCode<'a> {
    pub viewer: Viewer<'a>,
    /// An anchor that names no repository may be of any.
    pub repo: &'a str,
    /// Only this project's memories and those of the whole workspace.
    pub project: Option<&'a str>,
    /// The branch that code is judged on; the main one unless said.
    pub branch: Option<&'a str>,
    /// In seconds since 1970.
    pub now: i64,
}

/// How many active memories, each once, and how far they can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub fresh: u64,
    pub suspect: u64,
    pub stale: u64,
}

/// What hangs below a folder.
#[derive(Debug, Default)]
pub struct Below {
    /// By what lies in the folder: paths from the root, those of folders with a slash at the end.
    pub children: BTreeMap<String, Tally>,
    pub all: Tally,
    /// Those that cannot be trusted: the stale first, then what changed last.
    pub doubted: Vec<MemoryId>,
}

/// What hangs in a file.
#[derive(Debug, Default)]
pub struct Within {
    pub symbols: BTreeMap<String, Tally>,
    pub all: Tally,
    /// Those on the symbol first; of these the stale ones, then what changed last.
    pub memories: Vec<MemoryId>,
}

impl Index {
    /// What hangs on files whose paths begin so; a folder's with its slash, everything's with nothing.
    pub fn hung_below(&self, on: &OnCode<'_>, folder: &str) -> Below {
        let allowed = self.seen_on(on);
        // Files come in the order of their paths, so what lies in one folder comes together.
        let mut children: Vec<(&str, Vec<u32>)> = Vec::new();
        for (file, bearers) in self.filters.files_below(folder) {
            let child = file[folder.len()..].find('/').map_or(file, |slash| &file[..=folder.len() + slash]);
            for document in bearers.iter().filter(|document| allowed.contains(*document) && self.is_of(*document, on.repo, file)) {
                match children.last_mut() {
                    Some((last, here)) if *last == child => here.push(document),
                    _ => children.push((child, vec![document])),
                }
            }
        }
        let all: RoaringBitmap = children.iter().flat_map(|(_, here)| here.iter().copied()).collect();
        let mut doubted = self.by_trust(on, &all);
        doubted.retain(|(freshness, ..)| *freshness != Freshness::Fresh);
        Below {
            children: children.into_iter().map(|(path, here)| (path.to_owned(), self.tally(on, &here.into_iter().collect()))).collect(),
            all: self.tally(on, &all),
            doubted: doubted.into_iter().map(|(.., id)| id).collect(),
        }
    }

    /// What hangs in one file, by symbol.
    pub fn hung_in(&self, on: &OnCode<'_>, file: &str, symbol: Option<&str>) -> Within {
        let Some(bearers) = self.filters.anchored(file) else { return Within::default() };
        let all: RoaringBitmap = (bearers & self.seen_on(on)).iter().filter(|document| self.is_of(*document, on.repo, file)).collect();
        let mut symbols: BTreeMap<String, RoaringBitmap> = BTreeMap::new();
        for document in &all {
            let Some(entry) = self.entry(document) else { continue };
            for anchor in self.filters.anchors(&entry.marks).filter(|anchor| anchor.path == file) {
                if let Some(name) = anchor.symbol {
                    symbols.entry(name.to_owned()).or_default().insert(document);
                }
            }
        }
        let none = RoaringBitmap::new();
        let on_symbol = symbol.map_or(&none, |symbol| symbols.get(symbol).unwrap_or(&none));
        let sorted = [on_symbol.clone(), &all - on_symbol].into_iter().flat_map(|part| self.by_trust(on, &part));
        let memories = sorted.map(|(.., id)| id).collect();
        Within {
            symbols: symbols.iter().map(|(name, here)| (name.clone(), self.tally(on, here))).collect(),
            all: self.tally(on, &all),
            memories,
        }
    }

    /// How many cannot be trusted, and which of them nobody looked after for the longest time; only what hangs on a repository,
    /// if one is named.
    pub fn doubted(&self, viewer: Viewer<'_>, repo: Option<&str>, now: i64, most: usize) -> (usize, Vec<MemoryId>) {
        let filter = Filter { freshness: vec![Freshness::Suspect, Freshness::Stale], ..Filter::default() };
        let in_repo = |document: &u32| {
            repo.is_none_or(|repo| {
                let entry = self.entry(*document);
                entry.is_some_and(|entry| self.filters.anchors(&entry.marks).any(|anchor| anchor.repo.is_none_or(|own| own == repo)))
            })
        };
        let doubted = self.filters.allowed(&filter, viewer, now, &self.entries);
        let facts = doubted.iter().filter(in_repo).filter_map(|document| Some(&self.entry(document)?.facts));
        let mut aged: Vec<(i64, MemoryId)> = facts.map(|facts| (facts.changed_at, facts.id)).collect();
        let count = aged.len();
        if count > most {
            aged.select_nth_unstable(most);
            aged.truncate(most);
        }
        aged.sort_unstable();
        (count, aged.into_iter().map(|(_, id)| id).collect())
    }

    fn seen_on(&self, on: &OnCode<'_>) -> RoaringBitmap {
        let filter = Filter { project: on.project.map(str::to_owned), ..Filter::default() };
        self.filters.allowed(&filter, on.viewer, on.now, &self.entries)
    }

    /// The same path in another repository is another file.
    fn is_of(&self, document: u32, repo: &str, file: &str) -> bool {
        self.entry(document).is_some_and(|entry| {
            self.filters.anchors(&entry.marks).any(|anchor| anchor.path == file && anchor.repo.is_none_or(|own| own == repo))
        })
    }

    fn by_trust(&self, on: &OnCode<'_>, documents: &RoaringBitmap) -> Vec<(Freshness, i64, MemoryId)> {
        let judged = |document| {
            let facts = &self.entry(document)?.facts;
            Some((facts.freshness(on.now, on.branch), facts.changed_at, facts.id))
        };
        let mut judged: Vec<_> = documents.iter().filter_map(judged).collect();
        judged.sort_unstable_by(|one, other| other.cmp(one));
        judged
    }

    fn tally(&self, on: &OnCode<'_>, documents: &RoaringBitmap) -> Tally {
        let mut tally = Tally::default();
        for entry in documents.iter().filter_map(|document| self.entry(document)) {
            match entry.facts.freshness(on.now, on.branch) {
                Freshness::Fresh => tally.fresh += 1,
                Freshness::Suspect => tally.suspect += 1,
                Freshness::Stale => tally.stale += 1,
            }
        }
        tally
    }
}
