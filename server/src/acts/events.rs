//! Listening to a workspace: ids and sorts of what changed, never a text.

use crate::{
    App,
    model::{Power, clock},
    problem::Problem,
    store::{
        self, Reading, Scope,
        events::{Change, Look},
    },
};
use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, PoisonError},
};
use time::OffsetDateTime;
use uuid::Uuid;

/// What everybody in a workspace may hear of.
const OPEN: [&str; 8] = ["memory", "session", "task", "proposal", "conflict", "deletion_request", "dream", "rollback"];
/// And what auditors and admins may.
const GUARDED: [&str; 5] = ["hold", "agent", "key", "person", "workspace"];
/// More at once than this is told as one: read everything again.
const MOST: i64 = 200;

/// One listener: what it has heard, and from where it has to look.
pub struct Listener {
    horizon: Option<u64>,
    since: OffsetDateTime,
    heard: HashSet<Uuid>,
}

impl Listener {
    pub fn new() -> Self {
        Self { horizon: None, since: clock::now(), heard: HashSet::new() }
    }

    /// What is new since the last look. The first only says where to begin.
    pub async fn hear(&mut self, app: &App, scope: &Scope<Reading>) -> Result<Vec<Change>, Problem> {
        let kinds = if scope.standing().role().may(Power::Auditing) { [&OPEN[..], &GUARDED[..]].concat() } else { OPEN.to_vec() };
        let now = clock::now();
        let mut tx = app.db().read(scope).await?;
        let Look { horizon, mut changes } = store::events::since(&mut tx, self.horizon, &kinds, MOST).await?;
        if self.horizon.is_some() {
            let receipts = store::events::receipts(&mut tx, self.since, MOST).await?;
            changes.extend(receipts.into_iter().map(|id| Change { mark: id.0, kind: "receipt".to_owned(), id: id.0 }));
        } else {
            self.heard.extend(store::events::receipts(&mut tx, self.since, MOST).await?.into_iter().map(|id| id.0));
        }
        let marks: HashSet<Uuid> = changes.iter().map(|change| change.mark).collect();
        changes.retain(|change| !self.heard.contains(&change.mark));
        // What is no longer seen was written before the horizon and does not come again.
        if self.horizon.is_some() {
            self.heard = marks;
        }
        (self.horizon, self.since) = (Some(horizon), now);
        Ok(changes)
    }
}

impl Default for Listener {
    fn default() -> Self {
        Self::new()
    }
}

/// How many listen at once, in all and by each.
const SEATS: usize = 512;
const SEATS_EACH: usize = 12;
static TAKEN: Mutex<Option<HashMap<Uuid, usize>>> = Mutex::new(None);

/// A place among the listeners, given back when it is dropped.
pub struct Seat(Uuid);

impl Seat {
    pub fn take(scope: &Scope<Reading>) -> Result<Self, Problem> {
        let who = scope.actor().id;
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = taken.get_or_insert_default();
        if taken.values().sum::<usize>() >= SEATS {
            return Err(Problem::Unavailable("Too many are listening already; try again in a moment.".into()));
        }
        let own = taken.entry(who).or_default();
        if *own >= SEATS_EACH {
            let detail = format!("You are listening {SEATS_EACH} times already. Close some of your tabs or programs.");
            return Err(Problem::TooMany { retry_after: 10, detail: detail.into() });
        }
        *own += 1;
        Ok(Self(who))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = taken.as_mut()
            && let Some(own) = taken.get_mut(&self.0)
        {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.0);
            }
        }
    }
}
