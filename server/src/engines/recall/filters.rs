//! What narrows an answer before anything is ranked: bitmaps of what documents are, and walls between those who ask.

use super::{
    document::{Anchor, AnchorOf, Facts, Named},
    index::Entry,
    labels::{Labels, NONE},
    question::{Filter, Viewer},
};
use crate::{
    engines::freshness::Freshness,
    model::{Kind, PersonId, State},
};
use roaring::RoaringBitmap;
use std::sync::Arc;
use uuid::Uuid;

#[derive(Default)]
pub struct Filters {
    kinds: [RoaringBitmap; Kind::ALL.len()],
    states: [RoaringBitmap; State::ALL.len()],
    /// Those that everyone may see.
    open: RoaringBitmap,
    owners: Labels<PersonId>,
    /// Those that belong to no project, and so to the whole workspace.
    shared: RoaringBitmap,
    projects: Labels<Arc<str>>,
    tags: Labels<Arc<str>>,
    folders: Labels<Arc<str>>,
    authors: Labels<Uuid>,
    stores: Labels<Uuid>,
    files: Labels<Arc<str>>,
    symbols: Labels<Arc<str>>,
    repos: Labels<Arc<str>>,
    /// Those that will not be fresh for ever.
    ageing: RoaringBitmap,
    bytes: usize,
}

/// What one document bears, by the numbers of the names.
#[derive(Debug)]
pub struct Marks {
    kind: Kind,
    state: State,
    project: u32,
    owner: u32,
    author: u32,
    store: u32,
    folder: u32,
    name: Box<str>,
    tags: Box<[u32]>,
    anchors: Box<[Place]>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    repo: u32,
    file: u32,
    symbol: u32,
}

impl Filters {
    pub fn put(&mut self, document: u32, facts: &Facts, named: &Named) -> Marks {
        self.kinds[kind(facts.kind)].insert(document);
        self.states[state(facts.state)].insert(document);
        let doubts = [facts.contested_from, facts.suspect_from, facts.stale_from];
        if doubts.iter().any(|from| *from != i64::MAX) || !facts.code.is_empty() {
            self.ageing.insert(document);
        }
        let owner = if let Some(owner) = named.owner {
            self.owners.put(owner, document)
        } else {
            self.open.insert(document);
            NONE
        };
        let project = if let Some(project) = &named.project {
            self.projects.put(project.as_str().into(), document)
        } else {
            self.shared.insert(document);
            NONE
        };
        let (folder, name) = split(&named.path);
        let marks = Marks {
            kind: facts.kind,
            state: facts.state,
            project,
            owner,
            author: self.authors.put(named.author, document),
            store: self.stores.put(named.store, document),
            folder: self.folders.put(folder.into(), document),
            name: name.into(),
            tags: named.tags.iter().map(|tag| self.tags.put(tag.as_str().into(), document)).collect(),
            anchors: named.anchors.iter().map(|anchor| self.place(anchor, document)).collect(),
        };
        self.bytes += marks.bytes();
        marks
    }

    pub fn remove(&mut self, document: u32, marks: &Marks) {
        self.bytes -= marks.bytes();
        self.kinds[kind(marks.kind)].remove(document);
        self.states[state(marks.state)].remove(document);
        for bitmap in [&mut self.open, &mut self.shared, &mut self.ageing] {
            bitmap.remove(document);
        }
        self.owners.remove(marks.owner, document);
        self.projects.remove(marks.project, document);
        self.authors.remove(marks.author, document);
        self.stores.remove(marks.store, document);
        self.folders.remove(marks.folder, document);
        marks.tags.iter().for_each(|tag| self.tags.remove(*tag, document));
        for place in &marks.anchors {
            self.files.remove(place.file, document);
            self.symbols.remove(place.symbol, document);
            self.repos.remove(place.repo, document);
        }
    }

    pub fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        let bitmaps = self.kinds.iter_mut().chain(&mut self.states).chain([&mut self.open, &mut self.shared, &mut self.ageing]);
        for bitmap in bitmaps {
            *bitmap = bitmap.iter().filter_map(new).collect();
        }
        for labels in [&mut self.projects, &mut self.tags, &mut self.folders, &mut self.files, &mut self.symbols, &mut self.repos] {
            labels.renumber(new);
        }
        self.owners.renumber(new);
        self.authors.renumber(new);
        self.stores.renumber(new);
    }

    /// Everything that may be answered with.
    pub fn allowed(&self, filter: &Filter, viewer: Viewer<'_>, now: i64, entries: &[Option<Entry>]) -> RoaringBitmap {
        let mut allowed =
            any_of(filter.states.iter().map(|one| &self.states[state(*one)])).unwrap_or_else(|| self.states[state(State::Active)].clone());
        match viewer.person.and_then(|person| self.owners.with(&person)) {
            Some(own) => allowed &= &self.open | own,
            None => allowed &= &self.open,
        }
        for project in viewer.project.iter().copied().chain(filter.project.as_deref()) {
            match self.projects.with(project) {
                Some(own) => allowed &= &self.shared | own,
                None => allowed &= &self.shared,
            }
        }
        if let Some(kinds) = any_of(filter.kinds.iter().map(|one| &self.kinds[kind(*one)])) {
            allowed &= kinds;
        }
        let none = RoaringBitmap::new();
        for tag in &filter.tags {
            allowed &= self.tags.with(tag.as_str()).unwrap_or(&none);
        }
        if let Some(author) = &filter.author {
            allowed &= self.authors.with(author).unwrap_or(&none);
        }
        if let Some(store) = &filter.store {
            allowed &= self.stores.with(store).unwrap_or(&none);
        }
        if let Some(files) = any_of(filter.anchor_paths.iter().map(|path| self.files.with(path.as_str()).unwrap_or(&none))) {
            allowed &= files;
        }
        if let Some(prefix) = filter.path_prefix.as_deref().filter(|prefix| !matches!(*prefix, "" | "/")) {
            allowed &= self.below(prefix, entries);
        }
        if filter.leave_out_stale || !filter.freshness.is_empty() {
            self.keep_as_fresh(&mut allowed, filter, now, entries);
        }
        allowed
    }

    /// What is behind the walls of whoever asks: what others keep to themselves, and other projects'.
    pub fn hidden_from(&self, viewer: Viewer<'_>) -> RoaringBitmap {
        let others = self.owners.all().filter(|(owner, _)| Some(**owner) != viewer.person).map(|(_, own)| own);
        let elsewhere =
            self.projects.all().filter(|(name, _)| viewer.project.is_some_and(|project| ***name != *project)).map(|(_, own)| own);
        others.chain(elsewhere).fold(RoaringBitmap::new(), |hidden, some| hidden | some)
    }

    /// Documents anchored in a file.
    pub fn anchored(&self, path: &str) -> Option<&RoaringBitmap> {
        self.files.with(path)
    }

    /// Files whose paths begin so, with the documents anchored in each.
    pub fn files_below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a RoaringBitmap)> {
        self.files.from(prefix).map(|(path, bearers)| (&**path, bearers)).take_while(move |(path, _)| path.starts_with(prefix))
    }

    pub fn anchors(&self, marks: &Marks) -> impl Iterator<Item = AnchorOf<'_>> {
        marks.anchors.iter().filter_map(|place| {
            Some(AnchorOf {
                repo: text(&self.repos, place.repo),
                path: text(&self.files, place.file)?,
                symbol: text(&self.symbols, place.symbol),
            })
        })
    }

    /// How many names of any sort are kept.
    #[cfg(test)]
    pub fn names(&self) -> usize {
        [&self.projects, &self.tags, &self.folders, &self.files, &self.symbols, &self.repos]
            .iter()
            .map(|labels| labels.len())
            .sum::<usize>()
            + self.owners.len()
            + self.authors.len()
            + self.stores.len()
    }

    pub fn bytes(&self) -> usize {
        let labels = [&self.projects, &self.tags, &self.folders, &self.files, &self.symbols, &self.repos];
        let bitmaps = self.kinds.iter().chain(&self.states).chain([&self.open, &self.shared, &self.ageing]);
        self.bytes
            + labels.iter().map(|labels| labels.bytes()).sum::<usize>()
            + self.owners.bytes()
            + self.authors.bytes()
            + self.stores.bytes()
            + bitmaps.map(RoaringBitmap::serialized_size).sum::<usize>()
    }

    fn below(&self, prefix: &str, entries: &[Option<Entry>]) -> RoaringBitmap {
        let mut below = RoaringBitmap::new();
        self.folders.from(prefix).take_while(|(folder, _)| folder.starts_with(prefix)).for_each(|(_, inside)| below |= inside);
        let (folder, begun) = split(prefix);
        if !begun.is_empty()
            && let Some(inside) = self.folders.with(folder)
        {
            let named = |document: &u32| entries[*document as usize].as_ref().is_some_and(|entry| entry.marks.name.starts_with(begun));
            below.extend(inside.iter().filter(named));
        }
        below
    }

    fn keep_as_fresh(&self, allowed: &mut RoaringBitmap, filter: &Filter, now: i64, entries: &[Option<Entry>]) {
        let wanted = |freshness: Freshness| is_fresh_enough(filter, freshness);
        let changing = &*allowed & &self.ageing;
        if !wanted(Freshness::Fresh) {
            *allowed &= &self.ageing;
        }
        let branch = filter.branch.as_deref();
        let unwanted =
            |document: &u32| entries[*document as usize].as_ref().is_none_or(|entry| !wanted(entry.facts.freshness(now, branch)));
        *allowed -= changing.iter().filter(unwanted).collect::<RoaringBitmap>();
    }

    fn place(&mut self, anchor: &Anchor, document: u32) -> Place {
        let put =
            |labels: &mut Labels<Arc<str>>, name: &Option<String>| name.as_deref().map_or(NONE, |name| labels.put(name.into(), document));
        Place {
            repo: put(&mut self.repos, &anchor.repo),
            file: self.files.put(anchor.path.as_str().into(), document),
            symbol: put(&mut self.symbols, &anchor.symbol),
        }
    }
}

/// The same for a document that is not in the index.
pub fn admits(filter: &Filter, viewer: Viewer<'_>, now: i64, facts: &Facts, named: &Named) -> bool {
    let of_project = |project: &str| named.project.as_deref().is_none_or(|own| own == project);
    (if filter.states.is_empty() { facts.state == State::Active } else { filter.states.contains(&facts.state) })
        && named.owner.is_none_or(|owner| viewer.person == Some(owner))
        && viewer.project.is_none_or(of_project)
        && filter.project.as_deref().is_none_or(of_project)
        && (filter.kinds.is_empty() || filter.kinds.contains(&facts.kind))
        && filter.tags.iter().all(|tag| named.tags.contains(tag))
        && filter.author.is_none_or(|author| named.author == author)
        && filter.store.is_none_or(|store| named.store == store)
        && (filter.anchor_paths.is_empty() || named.anchors.iter().any(|anchor| filter.anchor_paths.contains(&anchor.path)))
        && filter.path_prefix.as_deref().is_none_or(|prefix| named.path.starts_with(prefix))
        && is_fresh_enough(filter, facts.freshness(now, filter.branch.as_deref()))
}

fn is_fresh_enough(filter: &Filter, freshness: Freshness) -> bool {
    (filter.freshness.is_empty() || filter.freshness.contains(&freshness)) && !(filter.leave_out_stale && freshness == Freshness::Stale)
}

impl Marks {
    fn bytes(&self) -> usize {
        self.name.len() + self.tags.len() * 4 + self.anchors.len() * size_of::<Place>()
    }
}

fn any_of<'a>(mut bitmaps: impl Iterator<Item = &'a RoaringBitmap>) -> Option<RoaringBitmap> {
    let first = bitmaps.next()?.clone();
    Some(bitmaps.fold(first, |all, one| all | one))
}

fn text(labels: &Labels<Arc<str>>, id: u32) -> Option<&str> {
    labels.name(id).map(|name| &**name)
}

/// A path's folder with its slash, and the name in it.
fn split(path: &str) -> (&str, &str) {
    path.rfind('/').map_or(("", path), |slash| path.split_at(slash + 1))
}

fn kind(kind: Kind) -> usize {
    Kind::ALL.iter().position(|one| *one == kind).unwrap_or_default()
}

fn state(state: State) -> usize {
    State::ALL.iter().position(|one| *one == state).unwrap_or_default()
}
