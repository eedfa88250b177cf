//! Listening to a workspace: ids and sorts of what changed, never a text.

use crate::{
    App,
    model::{Power, clock},
    problem::Problem,
    store::{
        self, Reading, Scope,
        events::{Change, Look, Place, Snapshot},
    },
};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};
use time::OffsetDateTime;
use uuid::Uuid;

/// What everybody in a workspace may hear of.
const OPEN: [&str; 8] = ["memory", "session", "task", "proposal", "conflict", "deletion_request", "dream", "rollback"];
/// And what auditors and admins may.
const GUARDED: [&str; 5] = ["hold", "agent", "key", "person", "workspace"];
/// So much is told at a time, however much there is.
const SOME: u32 = 200;

/// One listener: up to where it has been told, and where it is within what came since.
pub struct Listener {
    told: Option<Snapshot>,
    goes_on: Option<(Snapshot, Place)>,
    since: OffsetDateTime,
    /// Receipts that may still be seen again.
    receipts: Vec<Uuid>,
    behind: bool,
}

impl Listener {
    pub fn new() -> Self {
        Self { told: None, goes_on: None, since: clock::now(), receipts: Vec::new(), behind: false }
    }

    /// Whether there is more to hear at once.
    pub fn is_behind(&self) -> bool {
        self.behind
    }

    /// What is new since the last look, or some of it. The first only says where to begin.
    pub async fn hear(&mut self, app: &App, scope: &Scope<Reading>) -> Result<Vec<Change>, Problem> {
        let now = clock::now();
        // Who cannot look now does not look again at once.
        self.behind = false;
        let mut tx = app.db().read(scope).await?;
        let Some(told) = &self.told else {
            self.told = Some(store::events::now(&mut tx).await?);
            let known = store::events::receipts(&mut tx, self.since, &[], i64::MAX).await?;
            self.receipts.extend(known.iter().map(|id| id.0));
            return Ok(Vec::new());
        };
        let kinds = if scope.standing().role().may(Power::Auditing) { [&OPEN[..], &GUARDED[..]].concat() } else { OPEN.to_vec() };
        let Look { until, mut changes, rest } = store::events::between(&mut tx, told, self.goes_on.as_ref(), &kinds, SOME).await?;
        let receipts = store::events::receipts(&mut tx, self.since, &self.receipts, SOME.into()).await?;
        let all = receipts.len() < SOME as usize;
        self.behind = rest.is_some() || !all;
        if let Some(place) = rest {
            self.goes_on = Some((until, place));
        } else {
            (self.told, self.goes_on) = (Some(until), None);
        }
        self.receipts.extend(receipts.iter().map(|id| id.0));
        if all {
            let first = store::events::first_receipt(now);
            self.receipts.retain(|id| *id >= first);
            self.since = now;
        }
        changes.extend(receipts.into_iter().map(|id| Change { kind: "receipt".to_owned(), id: id.0 }));
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
