//! Connections that were in use a moment ago, for statements that stand alone. A pool tests whatever comes back to it
//! with a trip of its own, which costs as much as a short statement does: what is asked many times a second goes from
//! hand to hand instead, and only now and then through the pool.

use super::connect::stale_since;
use sqlx::{PgConnection, PgPool, Postgres, pool::PoolConnection};
use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// One that nobody used for so long may have died unnoticed: the pool looks.
pub(super) const RESTED: Duration = Duration::from_millis(500);
/// After so long one goes through the pool, which looks how old it is.
const LONGEST: Duration = Duration::from_secs(30);
/// Of the pool's connections, this part at most is kept from it.
const PART: usize = 4;

#[derive(Clone)]
pub(super) struct AtHand {
    pool: PgPool,
    kept: Arc<Mutex<Stack>>,
    most: usize,
}

/// The one that was used last on top.
#[derive(Default)]
struct Stack(Vec<Kept>);

struct Kept {
    connection: PoolConnection<Postgres>,
    out_since: Instant,
    used: Instant,
}

impl std::fmt::Debug for AtHand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AtHand")
    }
}

impl AtHand {
    pub(super) fn of(pool: &PgPool) -> Self {
        let most = usize::try_from(pool.options().get_max_connections()).unwrap_or_default() / PART;
        Self { pool: pool.clone(), kept: Arc::default(), most }
    }

    /// One that was used just now, or one of the pool's. Whoever is done lays it down; dropped, it goes to the pool,
    /// which finds out what state it was left in.
    pub(super) async fn take(&self) -> Result<Hand<'_>, sqlx::Error> {
        let (kept, rested) = self.newest();
        drop(rested);
        let kept = match kept {
            Some(kept) => kept,
            None => Kept { connection: self.pool.acquire().await?, out_since: Instant::now(), used: Instant::now() },
        };
        Ok(Hand { kept, of: self })
    }

    /// How many lie here and could be had.
    pub(super) fn idle(&self) -> usize {
        self.lock().0.len()
    }

    pub(super) fn clear(&self) {
        let all = std::mem::take(&mut self.lock().0);
        drop(all);
    }

    /// The one that was used last, and all others when even that has rested, or knows statements that no longer fit.
    fn newest(&self) -> (Option<Kept>, Vec<Kept>) {
        let mut kept = self.lock();
        match kept.0.pop() {
            Some(newest) if newest.used.elapsed() < RESTED && stale_since().is_none_or(|since| newest.out_since >= since) => {
                (Some(newest), Vec::new())
            }
            Some(rested) => {
                let mut all = std::mem::take(&mut kept.0);
                all.push(rested);
                (None, all)
            }
            None => (None, Vec::new()),
        }
    }

    fn put(&self, mut one: Kept) {
        one.used = Instant::now();
        let wanted = self.pool.num_idle() == 0 && self.pool.size() >= self.pool.options().get_max_connections();
        let mut kept = self.lock();
        // After the pool is closed nobody would ever clear this.
        if kept.0.len() < self.most && !wanted && one.out_since.elapsed() < LONGEST && !self.pool.is_closed() {
            kept.0.push(one);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Stack> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection finds back to its pool by a task; where no task can run any more, it is let go.
impl Drop for Stack {
    fn drop(&mut self) {
        if tokio::runtime::Handle::try_current().is_err() {
            self.0.drain(..).for_each(|kept| drop(kept.connection.leak()));
        }
    }
}

#[must_use = "a connection that is not laid down goes through the pool"]
pub(super) struct Hand<'a> {
    kept: Kept,
    of: &'a AtHand,
}

impl Hand<'_> {
    /// What was asked was answered to its end.
    pub(super) fn lay_down(self) {
        self.of.put(self.kept);
    }
}

impl Deref for Hand<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.kept.connection
    }
}

impl DerefMut for Hand<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.kept.connection
    }
}
