//! One workspace's index, built when first asked for and brought up to date with every question.

use super::meaning::By;
use crate::{
    engines::{
        freshness,
        recall::{AnchorOf, CodeOf, Document, Index, Prepared, prepare},
        tokens,
    },
    model::{MemoryId, Settings, memory::SourceType, recall::Indexed},
    problem::Problem,
    store::{
        Db, ShelfMark,
        recall::{Changes, NOTHING_YET},
    },
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    time::Instant,
};
use time::OffsetDateTime;
use tokio::sync::Mutex;

/// Rows read, and prepared, at a time.
const PAGE: i64 = 2000;
/// More than this is prepared aside, so that nobody else waits for it.
const FEW: usize = 16;

/// Looks around, two seconds each, until an index that nobody asks counts as idle.
const IDLE: u32 = 30;
/// Fewer changes than these are followed anyhow.
const MANY_CHANGES: usize = 1000;
/// More are not put off: whoever asks at last would wait for them.
const TOO_MANY: usize = 100_000;
/// Looks for which many changes are left alone at most, while more of them come.
const PATIENCE: u32 = 5;

/// How an index keeps up with what changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follow {
    All,
    /// In a flood of writes, and nobody asks: what it has is brought up to date, what is new waits for whoever asks.
    Known,
    /// Many change, and nobody asks: what is gone goes, and the rest is followed when it has come to rest.
    Gone,
    /// Building it anew, when somebody asks, costs no more.
    NotWorthIt,
}

/// The newest of the changes that the last look left alone, and how often they have been.
#[derive(Default)]
struct Unrest {
    newest: u64,
    looks: u32,
}

impl Unrest {
    /// Whether the changes are those of the last look, or have been waited for long enough.
    fn is_over(&mut self, newest: u64) -> bool {
        let over = self.newest == newest || self.looks >= PATIENCE;
        *self = if over { Self::default() } else { Self { newest, looks: self.looks + 1 } };
        over
    }
}

pub struct Shelf {
    mark: ShelfMark,
    /// The cluster whose transactions it counts by.
    turn: u64,
    /// What freshness was judged by; another setting needs another index.
    pub(super) settings: Settings,
    /// What its vectors are made with; another model needs another index.
    pub(super) by: By,
    index: RwLock<Index>,
    /// Everything before it is in the index.
    horizon: AtomicU64,
    /// The transaction that last changed each memory, as far as the index has it. Held while changes are taken in.
    stamps: Mutex<HashMap<MemoryId, u64>>,
    bytes: AtomicUsize,
    /// Looks around since somebody last asked; one that nobody has asked yet is as idle as can be.
    idle: AtomicU32,
    unrest: std::sync::Mutex<Unrest>,
}

impl Shelf {
    /// Reads the whole workspace.
    pub(super) async fn build(db: &Db, mark: ShelfMark, settings: Settings, by: By) -> Result<Arc<Self>, Problem> {
        let (started, turn) = (Instant::now(), db.turn());
        // Taken before the first page: what changes while the pages are read is at or after it, and is read again.
        let horizon = db.changes(mark, NOTHING_YET).await?.horizon;
        let shelf = Arc::new(Self {
            mark,
            turn,
            settings,
            by,
            index: RwLock::default(),
            horizon: AtomicU64::new(horizon),
            stamps: Mutex::default(),
            bytes: AtomicUsize::new(0),
            idle: AtomicU32::new(IDLE),
            unrest: std::sync::Mutex::default(),
        });
        let mut last = None;
        let mut pages = VecDeque::new();
        let at_once = std::thread::available_parallelism().map_or(1, usize::from);
        loop {
            let page = db.index_page(mark, shelf.by.model(), last, PAGE).await?;
            let end = page.len() < usize::try_from(PAGE).unwrap_or_default();
            last = page.last().map(|row| row.id).or(last);
            let maker = shelf.clone();
            // Pages are prepared beside each other, and while the next is read.
            pages.push_back(tokio::task::spawn_blocking(move || maker.prepare_all(&page)));
            while pages.len() > if end { 0 } else { at_once } {
                let Some(ready) = pages.pop_front() else { break };
                shelf.put(ready.await.map_err(Problem::internal)?).await;
            }
            if end {
                break;
            }
        }
        shelf.account();
        let memories = shelf.read().len();
        if memories > 0 {
            tracing::info!(workspace = %mark.workspace(), memories, bytes = shelf.bytes(), took_ms = started.elapsed().as_millis(), "index built");
        }
        Ok(shelf)
    }

    pub(super) fn mark(&self) -> ShelfMark {
        self.mark
    }

    /// Whether it counts by the cluster that answers now: another's numbers would hide what was written since.
    pub(super) fn is_of(&self, db: &Db) -> bool {
        self.turn == db.turn()
    }

    /// Asked after a look at what changed, which may have been the first to meet another cluster.
    pub(super) fn must_be_of(&self, db: &Db) -> Result<(), Problem> {
        if self.is_of(db) { Ok(()) } else { Err(Problem::Unavailable("Another database answers by now; try again in a moment.".into())) }
    }

    /// Somebody asks.
    pub(super) fn is_asked(&self) {
        self.idle.store(0, Ordering::Relaxed);
    }

    /// How far it is worth following what changed, now that somebody looks around again.
    pub(super) fn follow(&self, changes: &Changes, flooded: bool) -> Follow {
        let (idle, news) = (self.idle.fetch_add(1, Ordering::Relaxed), changes.changed.len());
        match () {
            () if idle >= IDLE && news > self.read().len() + MANY_CHANGES => Follow::NotWorthIt,
            () if idle > 0 && flooded && (MANY_CHANGES..TOO_MANY).contains(&news) => Follow::Known,
            () if idle > 0 && (MANY_CHANGES..TOO_MANY).contains(&news) && !self.has_come_to_rest(changes) => Follow::Gone,
            () => Follow::All,
        }
    }

    fn has_come_to_rest(&self, changes: &Changes) -> bool {
        let newest = changes.changed.iter().map(|(_, stamp)| *stamp).max().unwrap_or_default();
        self.unrest.lock().unwrap_or_else(PoisonError::into_inner).is_over(newest)
    }

    pub(super) fn horizon(&self) -> u64 {
        self.horizon.load(Ordering::Acquire)
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// After this the index has everything that the look saw.
    pub(super) async fn take_in(self: &Arc<Self>, db: &Db, changes: &Changes) -> Result<(), Problem> {
        self.take(db, changes, Follow::All).await?;
        self.horizon.fetch_max(changes.horizon, Ordering::AcqRel);
        Ok(())
    }

    /// After this the index has nothing that was erased; and of `Known`, nothing that says something else by now. What is new
    /// is not in it.
    pub(super) async fn take_in_some(self: &Arc<Self>, db: &Db, changes: &Changes, which: Follow) -> Result<(), Problem> {
        self.take(db, changes, which).await
    }

    /// One at a time, so that nothing older comes after something newer.
    async fn take(self: &Arc<Self>, db: &Db, changes: &Changes, which: Follow) -> Result<(), Problem> {
        let mut stamps = self.stamps.lock().await;
        let news = |(id, stamp): &&(MemoryId, u64)| match stamps.get(id) {
            Some(known) => known != stamp && which != Follow::Gone,
            None => which == Follow::All,
        };
        let unknown: Vec<MemoryId> = changes.changed.iter().filter(news).map(|(id, _)| *id).collect();
        let gone: Vec<MemoryId> = changes.gone.iter().filter(|id| stamps.contains_key(id)).copied().collect();
        // A page at a time, so that a large import neither fills the memory nor keeps askers out for long.
        for ids in unknown.chunks(usize::try_from(PAGE).unwrap_or(usize::MAX)) {
            let rows = db.index_some(self.mark, self.by.model(), ids).await?;
            let ready = if rows.len() > FEW {
                let maker = self.clone();
                tokio::task::spawn_blocking(move || maker.prepare_all(&rows)).await.map_err(Problem::internal)?
            } else {
                self.prepare_all(&rows)
            };
            let mut index = self.write();
            let mut erased: HashSet<MemoryId> = ids.iter().copied().collect();
            for (prepared, stamp) in ready {
                erased.remove(&prepared.id());
                stamps.insert(prepared.id(), stamp);
                index.put(prepared);
            }
            for id in erased {
                stamps.remove(&id);
                index.remove(id);
            }
        }
        let mut index = self.write();
        for id in gone {
            stamps.remove(&id);
            index.remove(id);
        }
        drop(index);
        self.account();
        Ok(())
    }

    async fn put(&self, ready: Vec<(Prepared, u64)>) {
        let mut stamps = self.stamps.lock().await;
        let mut index = self.write();
        for (prepared, stamp) in ready {
            stamps.insert(prepared.id(), stamp);
            index.put(prepared);
        }
    }

    fn account(&self) {
        let index = self.read();
        self.bytes.store(index.bytes() + index.len() * size_of::<(MemoryId, u64, u64)>(), Ordering::Relaxed);
    }

    /// What has changed since a moment, as it was then, beside the index: a page at a time, so that no more texts are in memory.
    pub(super) async fn as_of(self: &Arc<Self>, db: &Db, moment: OffsetDateTime) -> Result<(HashSet<MemoryId>, Vec<Prepared>), Problem> {
        let (mut since, mut older, mut last) = (HashSet::new(), Vec::new(), None);
        loop {
            let (ids, rows) = db.index_as_of(self.mark, self.by.model(), moment, last, PAGE).await?;
            let Some(end) = ids.last() else { return Ok((since, older)) };
            last = Some(*end);
            let maker = self.clone();
            let ready = tokio::task::spawn_blocking(move || rows.iter().map(|row| maker.prepare(row)).collect::<Vec<_>>()).await;
            older.extend(ready.map_err(Problem::internal)?);
            since.extend(ids);
        }
    }

    fn prepare_all(&self, rows: &[Indexed]) -> Vec<(Prepared, u64)> {
        rows.iter().map(|row| (self.prepare(row), row.stamp)).collect()
    }

    fn prepare(&self, row: &Indexed) -> Prepared {
        let turns = freshness::turns(row, &self.settings);
        let seconds = |at: Option<OffsetDateTime>| at.map(OffsetDateTime::unix_timestamp);
        let code: Vec<CodeOf<'_>> = freshness::code_turns(&row.code)
            .into_iter()
            .map(|(branch, suspect, stale)| CodeOf { branch, suspect_from: seconds(suspect), stale_from: seconds(stale) })
            .collect();
        let anchors: Vec<AnchorOf<'_>> = row
            .anchors
            .iter()
            .zip(1..)
            .map(|(anchor, position)| {
                // Where it has gone on the main branch.
                let now = row.code.iter().find(|at| at.main && at.position == position && !at.verdict.is_missing());
                AnchorOf {
                    repo: anchor.repo.as_deref(),
                    path: now.map_or(&anchor.path, |now| &now.path),
                    symbol: anchor.symbol.as_deref().map(|was| now.and_then(|now| now.symbol.as_deref()).unwrap_or(was)),
                }
            })
            .collect();
        let born_in = row.session_id.map(|session| session.to_string()).or_else(|| {
            let source = row.source.as_ref().filter(|source| matches!(source.kind, SourceType::Session | SourceType::Message))?;
            source.reference.clone()
        });
        let document = Document {
            id: row.id,
            version: row.version,
            kind: row.kind,
            state: row.state,
            title: &row.title,
            store: row.store.0,
            path: &row.path,
            body: &row.content,
            tags: &row.tags,
            project: row.project.as_deref(),
            owner: row.owner,
            author: row.author,
            author_name: &row.author_name,
            anchors: &anchors,
            confidence: row.confidence,
            verified: row.verified_by_person,
            changed_at: row.verified_at.map_or(row.updated_at, |verified| verified.max(row.updated_at)).unix_timestamp(),
            valid_from: row.valid_from.unix_timestamp(),
            contested_from: seconds(turns.contested),
            suspect_from: seconds(turns.suspect),
            stale_from: seconds(turns.stale),
            code: &code,
            spoken_of: !row.code.is_empty() || !row.contested.is_empty(),
            session: born_in.as_deref(),
            tokens: row.tokens.unwrap_or_else(|| tokens::count(&row.content)),
            helpful: row.helpful,
        };
        prepare(&document, self.by.vectors_of(row))
    }
}

#[cfg(test)]
mod tests {
    use super::{PATIENCE, Unrest};

    #[test]
    fn many_changes_are_followed_when_no_newer_came_and_never_put_off_for_ever() {
        let mut unrest = Unrest::default();
        assert!(!unrest.is_over(7), "they have only just come");
        assert!(!unrest.is_over(9), "and more of them");
        assert!(unrest.is_over(9), "they are those of the last look");
        let looks = (10..99).take_while(|newest| !unrest.is_over(*newest)).count();
        assert_eq!(looks, PATIENCE as usize);
    }
}
