//! What has been written without being held against the rest: in a flood of writes nobody looks, and a sweep follows.

use crate::model::WorkspaceId;
use std::{
    collections::HashSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Writes under way at once from which on looking would cost more than it may.
const FLOOD: usize = 4;
/// A flood comes in waves: it is over when there was none for so long.
const EBB: Duration = Duration::from_secs(1);
/// Looks at once: some happen within a transaction, and must leave connections to the others.
const LOOKS: usize = 2;

#[derive(Debug)]
pub struct Backlog {
    under_way: AtomicUsize,
    began: Instant,
    /// When the last flood was seen, in milliseconds since then; none was at 0.
    flooded: AtomicU64,
    looks: Semaphore,
    workspaces: Mutex<HashSet<WorkspaceId>>,
}

impl Default for Backlog {
    fn default() -> Self {
        Self {
            under_way: AtomicUsize::new(0),
            began: Instant::now(),
            flooded: AtomicU64::new(0),
            looks: Semaphore::new(LOOKS),
            workspaces: Mutex::default(),
        }
    }
}

/// A write under way, until it is dropped.
pub struct UnderWay<'a>(&'a AtomicUsize);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Backlog {
    pub fn begin(&self) -> UnderWay<'_> {
        if self.under_way.fetch_add(1, Ordering::Relaxed) >= FLOOD {
            self.flooded.store(self.now(), Ordering::Relaxed);
        }
        UnderWay(&self.under_way)
    }

    pub fn is_flooded(&self) -> bool {
        let last = self.flooded.load(Ordering::Relaxed);
        self.under_way.load(Ordering::Relaxed) > FLOOD || (last > 0 && u128::from(self.now().saturating_sub(last)) < EBB.as_millis())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// Leave to look, unless there is too much else to do.
    pub fn may_look(&self) -> Option<SemaphorePermit<'_>> {
        if self.is_flooded() { None } else { self.looks.try_acquire().ok() }
    }

    /// Something in this workspace has not been looked at.
    pub fn leave(&self, workspace: WorkspaceId) {
        self.lock().insert(workspace);
    }

    /// The workspaces in which something has not been looked at; whoever takes them looks.
    pub fn take(&self) -> HashSet<WorkspaceId> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<WorkspaceId>> {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
