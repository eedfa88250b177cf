//! “Verify now”: a sealed trail is computed anew from its entries and held against the signed checkpoint, on this server,
//! in the background. What came of it is kept in memory: whoever wants to trust no server verifies an export.

use super::{Whose, proofs};
use crate::{
    App,
    engines::seal::{Checkpoint, Edge, leaf},
    model::{WorkspaceId, clock, trail::Filter},
    problem::Problem,
    store::{Auditing, Scope, sealed},
};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use time::OffsetDateTime;
use tlog_tiles::record_hash;

/// Entries that are read at a time.
const PAGE: i64 = 2000;
/// Trails whose last check is remembered.
const REMEMBERED: usize = 1000;
/// Most trails are checked within this time, and whoever asked sees at once what came of it.
const AT_ONCE: Duration = Duration::from_secs(3);

/// How far a check has come, or what came of it.
#[derive(Clone, Debug)]
pub struct Check {
    pub begun_at: OffsetDateTime,
    /// Entries that were held against the checkpoint so far.
    pub entries: u64,
    pub size: u64,
    pub outcome: Option<Outcome>,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    /// Every entry is as it was sealed, and the tree is the one that was signed.
    Holds {
        root: String,
        signed_by: String,
        took: time::Duration,
    },
    Broken {
        index: Option<u64>,
        why: String,
    },
    /// It could not be finished.
    Failed,
}

/// The last check of each trail that was made by this server.
#[derive(Debug, Default)]
pub struct Checks(Mutex<HashMap<WorkspaceId, Check>>);

impl Checks {
    pub fn last(&self, workspace: WorkspaceId) -> Option<Check> {
        self.lock().get(&workspace).cloned()
    }

    fn set(&self, workspace: WorkspaceId, check: Check) {
        let mut all = self.lock();
        if all.len() >= REMEMBERED && !all.contains_key(&workspace) {
            let oldest = all.iter().filter(|(_, one)| one.outcome.is_some()).min_by_key(|(_, one)| one.begun_at).map(|(id, _)| *id);
            oldest.and_then(|id| all.remove(&id));
        }
        all.insert(workspace, check);
    }

    /// Begins one, unless one is under way.
    fn begin(&self, workspace: WorkspaceId) -> bool {
        let running = self.last(workspace).is_some_and(|check| check.outcome.is_none());
        if !running {
            self.set(workspace, Check { begun_at: clock::now(), entries: 0, size: 0, outcome: None });
        }
        !running
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<WorkspaceId, Check>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What came of the last check of a workspace's trail by this server.
pub fn last_check(app: &App, scope: &Scope<Auditing>) -> Option<Check> {
    app.checks().last(scope.workspace())
}

/// Check a trail, and wait a moment for what comes of it.
pub async fn check(app: &App, whose: Whose) -> Option<Check> {
    let workspace = whose.workspace();
    if app.checks().begin(workspace) {
        let doing = app.clone();
        let done = tokio::spawn(async move {
            let outcome = run(&doing, &whose).await.unwrap_or_else(|problem| {
                tracing::warn!(?problem, %workspace, "a trail could not be checked");
                Outcome::Failed
            });
            if let Some(last) = doing.checks().last(workspace) {
                doing.checks().set(workspace, Check { outcome: Some(outcome), ..last });
            }
        });
        let _ = tokio::time::timeout(AT_ONCE, done).await;
    }
    app.checks().last(workspace)
}

async fn run(app: &App, whose: &Whose) -> Result<Outcome, Problem> {
    let begun_at = clock::now();
    let workspace = whose.workspace();
    let (_, note) = proofs::checkpoint(app, whose).await?;
    let vkeys = app.notary().vkeys()?;
    let signed = match Checkpoint::read(&note, &vkeys) {
        Ok(signed) => signed,
        Err(problem) => {
            return Ok(Outcome::Broken { index: None, why: format!("the checkpoint is not signed by this server's keys: {problem}") });
        }
    };
    if !signed.origin.ends_with(&format!("/{workspace}")) {
        return Ok(Outcome::Broken { index: None, why: "the checkpoint is that of another trail".to_owned() });
    }
    let mut edge = Edge::default();
    while edge.size() < signed.size {
        let leaves = {
            let mut tx = whose.read(app).await?;
            sealed::leaves(&mut tx, edge.size(), signed.size, &Filter::default(), PAGE).await?
        };
        if leaves.is_empty() {
            return Ok(Outcome::Broken { index: Some(edge.size()), why: "it is missing".to_owned() });
        }
        for one in leaves {
            let text = leaf::text_of(&one.entry, one.index).map_err(Problem::internal)?;
            let hash = record_hash(text.as_bytes());
            if one.index != edge.size() {
                return Ok(Outcome::Broken {
                    index: Some(edge.size()),
                    why: "it is missing, and the next one stands in its place".to_owned(),
                });
            }
            if one.hash != hash {
                return Ok(Outcome::Broken { index: Some(one.index), why: "it is not what it was when it was sealed".to_owned() });
            }
            edge.push(hash, |_, _| ());
        }
        app.checks().set(workspace, Check { begun_at, entries: edge.size(), size: signed.size, outcome: None });
    }
    if edge.root() != signed.root {
        return Ok(Outcome::Broken { index: None, why: "the entries do not add up to the root that was signed".to_owned() });
    }
    app.checks().set(workspace, Check { begun_at, entries: edge.size(), size: signed.size, outcome: None });
    Ok(Outcome::Holds { root: signed.root.to_string(), signed_by: app.notary().name()?, took: clock::now() - begun_at })
}
