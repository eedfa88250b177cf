//! The memories of one rollback together: none is put where another stands, and no place is left empty or filled twice.

use super::{
    Past, Standing, Thread,
    history::{Undo, undo},
};
use crate::model::{
    Kind, MemoryId, State,
    rollbacks::{Item, Outcome, Reason},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// A memory that has a path which a move needs, or one above or below it; no id when it may not be known.
#[derive(Clone, Debug)]
pub struct Blocker {
    pub id: Option<MemoryId>,
    pub path: Arc<str>,
}

#[derive(Clone, Copy, Debug)]
struct Left {
    reason: Reason,
    version: Option<i32>,
    other: Option<MemoryId>,
}

/// How a memory stands that is not part of this.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    pub state: State,
    pub supersedes: Option<MemoryId>,
    pub superseded_by: Option<MemoryId>,
}

/// What is to become of each memory. It starts with what its own history allows and only ever leaves more alone.
pub struct Plan {
    threads: BTreeMap<MemoryId, Thread>,
    /// The version each goes back to; 0: put away.
    moves: BTreeMap<MemoryId, i32>,
    left: BTreeMap<MemoryId, Left>,
    /// How memories outside of this stand that some inside name.
    others: HashMap<MemoryId, Other>,
    blockers: HashMap<MemoryId, Vec<Blocker>>,
}

impl Plan {
    /// By each memory's own history, for somebody who may be walled in a project.
    pub fn new(threads: Vec<Thread>, wall: Option<&str>) -> Self {
        let (mut moves, mut left) = (BTreeMap::new(), BTreeMap::new());
        for thread in &threads {
            let because = |reason, version| Left { reason, version, other: None };
            match undo(thread) {
                Undo::Nothing => {}
                Undo::BuiltOn(version) => drop(left.insert(thread.id, because(Reason::ChangedSince, Some(version)))),
                Undo::BackTo(version) => match own_reason(thread, version, wall) {
                    Some(reason) => drop(left.insert(thread.id, because(reason, None))),
                    None => drop(moves.insert(thread.id, version)),
                },
            }
        }
        let threads = threads.into_iter().map(|thread| (thread.id, thread)).collect();
        Self { threads, moves, left, others: HashMap::new(), blockers: HashMap::new() }
    }

    /// The memories that will be as they were.
    pub fn moving(&self) -> Vec<MemoryId> {
        self.moves.keys().copied().collect()
    }

    /// Memories that moves name and that are not part of this: how they stand has to be told with `know`.
    pub fn named(&self) -> Vec<MemoryId> {
        let links = |standing: &Standing| [standing.supersedes, standing.superseded_by];
        let named: BTreeSet<MemoryId> = self
            .moves
            .keys()
            .flat_map(|id| self.now(*id).map(links).into_iter().chain(self.then(*id).as_ref().map(links)))
            .flatten()
            .flatten()
            .collect();
        named.into_iter().filter(|id| !self.threads.contains_key(id)).collect()
    }

    pub fn know(&mut self, others: HashMap<MemoryId, Other>) {
        self.others = others;
    }

    /// Moves that take from the others what they read.
    pub fn hiding(&self) -> Vec<MemoryId> {
        let hides =
            |id: &MemoryId| self.now(*id).is_some_and(|now| now.owner.is_none()) && self.then(*id).is_some_and(|then| then.owner.is_some());
        self.moves.keys().copied().filter(hides).collect()
    }

    /// Leaves where they are, of those, decisions and what the others find in another's place.
    pub fn keep_in_sight(&mut self, followed: &HashMap<MemoryId, MemoryId>) {
        for id in self.hiding() {
            let decided = self.now(id).is_some_and(|now| now.kind == Kind::Decision);
            if decided || followed.contains_key(&id) {
                self.leave(id, Reason::StillNeeded, followed.get(&id).copied());
            }
        }
    }

    /// Moves that bring back a text that is not there now.
    pub fn returning(&self) -> Vec<(MemoryId, i32)> {
        let differs = |(id, version): &(MemoryId, i32)| {
            let then = self.past(*id, *version).and_then(|past| past.content_sha256.as_ref());
            then.is_some() && then != self.threads.get(id).and_then(Thread::current).and_then(|past| past.content_sha256.as_ref())
        };
        self.moves.iter().map(|(id, version)| (*id, *version)).filter(|(_, version)| *version > 0).filter(differs).collect()
    }

    /// Moves that need a path they do not have now, with how they would stand.
    pub fn needing_paths(&self) -> Vec<(MemoryId, Standing)> {
        self.moves.keys().filter(|id| self.needs_path(**id)).filter_map(|id| Some((*id, self.then(*id)?))).collect()
    }

    pub fn blocked_by(&mut self, blockers: HashMap<MemoryId, Vec<Blocker>>) {
        self.blockers = blockers;
    }

    /// Moves that make a decision active which is not now, with the version it is in.
    pub fn returning_decisions(&self) -> Vec<(MemoryId, i32)> {
        let returns = |id: &MemoryId| {
            let active = |standing: &Standing| standing.state == State::Active && standing.kind == Kind::Decision;
            self.then(*id).as_ref().is_some_and(active) && !self.now(*id).is_some_and(active)
        };
        self.moves.iter().filter(|(id, _)| returns(id)).map(|(id, version)| (*id, *version)).collect()
    }

    /// Whether a memory will be active.
    pub fn stays_active(&self, id: MemoryId) -> bool {
        self.after(id).is_none_or(|(state, _)| state == State::Active)
    }

    /// How many more memories count, and those that come back, the newest first.
    pub fn growth(&self) -> (i64, Vec<MemoryId>) {
        let there = |standing: Option<&Standing>| standing.is_some_and(Standing::is_there);
        let (mut growth, mut coming) = (0, Vec::new());
        for id in self.moves.keys().rev() {
            match (there(self.now(*id)), there(self.then(*id).as_ref())) {
                (false, true) => {
                    growth += 1;
                    coming.push(*id);
                }
                (true, false) => growth -= 1,
                _ => {}
            }
        }
        (growth, coming)
    }

    pub fn leave(&mut self, id: MemoryId, reason: Reason, other: Option<MemoryId>) {
        if self.moves.remove(&id).is_some() {
            self.left.insert(id, Left { reason, version: None, other });
        }
    }

    /// Leaves alone what does not fit with what stays, until everything fits.
    pub fn settle(&mut self) {
        loop {
            let misfits = self.misfits();
            if misfits.is_empty() {
                return;
            }
            for (id, reason, other) in misfits {
                self.leave(id, reason, other);
            }
        }
    }

    /// Each move: the memory, its version now, and the one it goes back to.
    pub fn moves(&self) -> impl Iterator<Item = (MemoryId, i32, i32)> + '_ {
        self.moves.iter().filter_map(|(id, to)| Some((*id, self.threads.get(id)?.current()?.version, *to)))
    }

    /// Moves out of whose way others have to be first: they give up a path that another move needs.
    pub fn making_way(&self) -> Vec<MemoryId> {
        let way = |id: &MemoryId| self.blockers.get(id).into_iter().flatten().filter_map(|blocker| blocker.id);
        let making: BTreeSet<MemoryId> = self.moves.keys().flat_map(way).filter(|id| self.moves.contains_key(id)).collect();
        making.into_iter().collect()
    }

    pub fn items(&self) -> Vec<Item> {
        let left = self.left.iter().map(|(id, left)| Item {
            memory_id: *id,
            outcome: Outcome::Left,
            version: left.version,
            back_to: None,
            reason: Some(left.reason),
            other: left.other,
        });
        let moved = self.moves().map(|(id, version, to)| Item {
            memory_id: id,
            outcome: self.outcome(id, to),
            version: Some(version + 1),
            back_to: Some(to),
            reason: None,
            other: None,
        });
        left.chain(moved).collect()
    }

    fn outcome(&self, id: MemoryId, to: i32) -> Outcome {
        let unwinds = |now: &Standing, then: &Standing| now.superseded_by.is_some() && then.superseded_by.is_none();
        match (to, self.now(id), self.then(id)) {
            (0, ..) => Outcome::Archived,
            (_, Some(now), Some(then)) if unwinds(now, &then) => Outcome::Unwound,
            _ => Outcome::Restored,
        }
    }

    fn misfits(&self) -> Vec<(MemoryId, Reason, Option<MemoryId>)> {
        let mut misfits = Vec::new();
        let mut wanted = Wanted::default();
        for id in self.moves.keys().copied() {
            let (Some(now), Some(then)) = (self.now(id), self.then(id)) else { continue };
            if let Some(other) = self.place_taken(id, now, &then) {
                misfits.push((id, Reason::PlaceTaken, Some(other)));
            } else if self.needs_path(id)
                && let Some(other) = self.in_the_way(id, &then).or_else(|| wanted.clash(&then).map(Some))
            {
                misfits.push((id, Reason::PathTaken, other));
            } else if self.needs_path(id) {
                wanted.add(id, &then);
            }
        }
        // Whoever stands for a memory that stays superseded has to stay, unless it had been put away while it stood for it.
        for id in self.threads.keys() {
            if let Some((State::Superseded, Some(by))) = self.after(*id)
                && self.then(by).is_some_and(|then| then.supersedes != Some(*id))
                && !self.holds_its_place(by)
                && self.now(by).is_some_and(|now| matches!(now.state, State::Active | State::Superseded))
            {
                misfits.push((by, Reason::StillNeeded, Some(*id)));
            }
        }
        misfits.extend(self.threads.values().flat_map(|thread| self.without_place(thread)));
        misfits
    }

    /// What was put away when this one came back, and would now stand beside it: it does not say itself whose place it took.
    fn without_place(&self, thread: &Thread) -> Vec<(MemoryId, Reason, Option<MemoryId>)> {
        let gave_way = |pair: &[Past]| match pair {
            [was, back] if back.selected && back.restores.is_some() && back.standing.superseded_by.is_none() => was.standing.superseded_by,
            _ => None,
        };
        let put_away = |by: &MemoryId| self.threads.get(by).and_then(Thread::current).is_some_and(|now| now.restores == Some(0));
        let returns = |by: &MemoryId| put_away(by) && self.then(*by).is_some_and(|then| then.state == State::Active);
        let stands_without = |by: &MemoryId| match self.after(thread.id) {
            Some((State::Active | State::Proposed, _)) => true,
            Some((State::Superseded, follower)) => follower != Some(*by),
            _ => false,
        };
        let returning = thread.versions.windows(2).filter_map(gave_way).filter(|by| returns(by) && stands_without(by));
        returning.map(|by| (by, Reason::PlaceTaken, Some(thread.id))).collect()
    }

    /// The memory that stands where a move would put its own.
    fn place_taken(&self, id: MemoryId, now: &Standing, then: &Standing) -> Option<MemoryId> {
        // Whoever followed it has to go before it stands alone again, or is put away.
        let follower =
            now.superseded_by.filter(|by| then.superseded_by != Some(*by) && self.stands_for(*by, id) && self.holds_its_place(*by));
        follower.or_else(|| match then.state {
            State::Active if now.state != State::Active => {
                let old = then.supersedes?;
                match self.after(old)? {
                    (State::Active, _) => Some(old),
                    (State::Superseded, Some(by)) if by != id => Some(by),
                    _ => None,
                }
            }
            State::Superseded if now.state != State::Superseded => {
                // Whoever was to follow it is gone, or was to come back with it and is left where it is.
                then.superseded_by.filter(|by| match self.after(*by) {
                    Some((State::Active | State::Superseded, _)) => false,
                    Some(_) => self.left.contains_key(by),
                    None => true,
                })
            }
            _ => None,
        })
    }

    /// Whether one was made to take the other's place, or by what is undone. Of two that were there before and were merged, each
    /// can stand alone.
    fn stands_for(&self, by: MemoryId, id: MemoryId) -> bool {
        let edited = |pair: &[Past]| {
            let [waited, then] = pair else { return false };
            waited.standing.state == State::Proposed && then.standing.superseded_by == Some(by) && then.restores.is_none()
        };
        let replaced = self.threads.get(&id).is_some_and(|thread| thread.versions.windows(2).any(edited));
        if replaced || self.past(by, 1).is_some_and(|first| first.selected) {
            return true;
        }
        let names = self.final_standing(by).map(|standing| standing.supersedes);
        names.or_else(|| self.others.get(&by).map(|other| other.supersedes)).is_none_or(|supersedes| supersedes == Some(id))
    }

    /// Whether a memory, or whatever followed it, is in force.
    fn holds_its_place(&self, id: MemoryId) -> bool {
        const FURTHEST: usize = 1000;
        let mut next = Some(id);
        for _ in 0..FURTHEST {
            match next.and_then(|id| self.after(id)) {
                None | Some((State::Proposed, _)) => return false,
                Some((State::Active | State::Superseded, _)) => return true,
                Some((State::Archived, by)) => next = by,
            }
        }
        true
    }

    #[expect(clippy::option_option, reason = "whether one is in the way, and which, if that may be known")]
    fn in_the_way(&self, id: MemoryId, then: &Standing) -> Option<Option<MemoryId>> {
        let blocks = |blocker: &&Blocker| match blocker.id.and_then(|id| self.final_standing(id)) {
            Some(standing) => standing.is_there() && standing.store == then.store && clash(&standing.path, &then.path),
            None => true,
        };
        self.blockers.get(&id).into_iter().flatten().find(blocks).map(|blocker| blocker.id)
    }

    fn needs_path(&self, id: MemoryId) -> bool {
        match (self.now(id), self.then(id)) {
            (Some(now), Some(then)) => {
                then.is_there() && !(now.is_there() && (now.store, &now.path, now.owner) == (then.store, &then.path, then.owner))
            }
            _ => false,
        }
    }

    fn past(&self, id: MemoryId, version: i32) -> Option<&Past> {
        self.threads.get(&id)?.at(version)
    }

    fn now(&self, id: MemoryId) -> Option<&Standing> {
        self.threads.get(&id)?.current().map(|past| &past.standing)
    }

    /// How a move makes its memory stand.
    fn then(&self, id: MemoryId) -> Option<Standing> {
        match self.moves.get(&id)? {
            0 => self.now(id).map(Standing::away),
            version => self.past(id, *version).map(|past| past.standing.clone()),
        }
    }

    fn final_standing(&self, id: MemoryId) -> Option<Standing> {
        self.then(id).or_else(|| self.now(id).cloned())
    }

    /// State and successor of any memory once this is done.
    fn after(&self, id: MemoryId) -> Option<(State, Option<MemoryId>)> {
        let standing = self.final_standing(id).map(|standing| (standing.state, standing.superseded_by));
        standing.or_else(|| self.others.get(&id).map(|other| (other.state, other.superseded_by)))
    }
}

/// Why a memory cannot go back to a version, whatever stands around it.
fn own_reason(thread: &Thread, version: i32, wall: Option<&str>) -> Option<Reason> {
    let outside = |past: &Past| wall.is_some_and(|wall| past.standing.project.as_deref() != Some(wall));
    if thread.current().is_none_or(outside) {
        return Some(Reason::OutsideProject);
    }
    match thread.at(version) {
        _ if version == 0 => None,
        None => Some(Reason::NotVisible),
        Some(past) if past.redacted => Some(Reason::VersionRedacted),
        Some(past) if outside(past) => Some(Reason::OutsideProject),
        Some(_) => None,
    }
}

/// Paths that moves need, so that no two need the same.
#[derive(Default)]
struct Wanted(BTreeMap<(uuid::Uuid, String), MemoryId>);

impl Wanted {
    fn add(&mut self, id: MemoryId, standing: &Standing) {
        self.0.insert((standing.store.0, standing.path.to_string()), id);
    }

    fn clash(&self, standing: &Standing) -> Option<MemoryId> {
        let store = standing.store.0;
        let ends = standing.path.match_indices('/').map(|(end, _)| end).chain([standing.path.len()]);
        let above = ends.filter(|end| *end > 0).find_map(|end| self.0.get(&(store, standing.path[..end].to_owned())));
        let below = (store, format!("{}/", standing.path))..(store, format!("{}0", standing.path));
        above.or_else(|| self.0.range(below).next().map(|(_, id)| id)).copied()
    }
}

/// The same path, or one above the other.
fn clash(a: &str, b: &str) -> bool {
    let above = |a: &str, b: &str| b.strip_prefix(a).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    above(a, b) || above(b, a)
}
