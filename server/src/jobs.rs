//! What goes on by itself, and how it went the last time: for those who run the instance. In memory only.

use crate::model::clock;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use time::OffsetDateTime;

/// What this server does beside answering.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Job {
    Sealing,
    Dreams,
    Retention,
    Journal,
    Contradictions,
    QuietSessions,
    OldPictures,
    Embeddings,
}

impl Job {
    pub const ALL: [Self; 8] = [
        Self::Sealing,
        Self::Dreams,
        Self::Retention,
        Self::Journal,
        Self::Contradictions,
        Self::QuietSessions,
        Self::OldPictures,
        Self::Embeddings,
    ];
}

/// How it went the last time.
#[derive(Clone, Copy, Debug)]
pub struct Went {
    pub at: OffsetDateTime,
    pub took: std::time::Duration,
    pub well: bool,
    /// Since this server started.
    pub failures: u64,
}

#[derive(Debug)]
pub struct Jobs {
    since: Instant,
    went: Mutex<BTreeMap<Job, Went>>,
}

impl Default for Jobs {
    fn default() -> Self {
        Self { since: Instant::now(), went: Mutex::default() }
    }
}

impl Jobs {
    /// Does it, and notes how it went.
    pub async fn watch<T, E>(&self, job: Job, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let begun = Instant::now();
        let done = work.await;
        let mut went = self.lock();
        let failures = went.get(&job).map_or(0, |last| last.failures) + u64::from(done.is_err());
        went.insert(job, Went { at: clock::now(), took: begun.elapsed(), well: done.is_ok(), failures });
        drop(went);
        done
    }

    pub fn last(&self, job: Job) -> Option<Went> {
        self.lock().get(&job).copied()
    }

    /// How long this server has been running.
    pub fn uptime(&self) -> std::time::Duration {
        self.since.elapsed()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Job, Went>> {
        self.went.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
