//! One run from its first look to its last word.

use super::{
    apply::Batch,
    gather::{self, Gathered},
    plan::{self, Manners, Way},
    rewrite,
};
use crate::{
    App,
    acts::Tries,
    audit::{Audit, Trail},
    engines::dream::{self, Action, Known},
    model::{
        AuditId, MemoryId,
        access::Mode,
        clock,
        dreams::{Done, Dream, DreamState, Outcome, Stage, Tally},
    },
    problem::Problem,
    store::{self, Scope, Tx, Write, Writing, turns::Turn},
};
use std::{collections::HashMap, time::Duration};
use tokio::time::sleep;

/// Actions in one transaction: it holds what it changes for as long as it takes.
const AT_ONCE: usize = 500;

pub(super) async fn run(app: App, scope: Scope<Writing>, turn: Turn, dream: Dream, asked: Option<Mode>) {
    let mut run = Running::new(app, scope, dream, asked);
    let state = match run.go().await {
        Ok(()) => DreamState::Done,
        Err(problem) => {
            tracing::warn!(?problem, dream = %run.dream.id, "a dream broke off; what it did stands and can be rolled back");
            DreamState::Failed
        }
    };
    if let Err(problem) = run.end(state).await {
        tracing::warn!(?problem, dream = %run.dream.id, "the end of a dream could not be written down");
    }
    drop(turn);
}

/// A run under way.
pub(super) struct Running {
    pub app: App,
    pub scope: Scope<Writing>,
    pub dream: Dream,
    pub manners: Manners,
    pub tally: Tally,
    /// The versions that are to be there when something is changed.
    pub versions: HashMap<MemoryId, i32>,
    /// What was done and not yet written down, and how many were.
    done: Vec<Done>,
    written: usize,
}

impl Running {
    fn new(app: App, scope: Scope<Writing>, dream: Dream, asked: Option<Mode>) -> Self {
        let manners = Manners::new(scope.settings(), asked);
        Self { app, scope, dream, manners, tally: Tally::default(), versions: HashMap::new(), done: Vec::new(), written: 0 }
    }

    async fn go(&mut self) -> Result<(), Problem> {
        self.is_known().await?;
        let manners = self.manners.clone();
        let gathered = gather::gather(&self.app, &self.scope, self.dream.project.as_deref(), |kind| manners.mode(kind)).await?;
        let Gathered { known, left_out, rules } = gathered;
        (self.tally.looked_at, self.tally.left_out) = (known.len() as u64, left_out);
        self.versions = known.iter().map(|one| (one.id, one.version)).collect();
        let thought = tokio::task::spawn_blocking(move || (dream::dream(&known, &rules), known));
        let (actions, known) = thought.await.map_err(Problem::internal)?;
        let planned = plan::plan(actions, &known, &self.manners);
        if self.dream.dry_run {
            for (action, way) in &planned {
                self.would(action, *way);
            }
            return Ok(());
        }
        for some in batches(&planned) {
            self.follow(some).await?;
        }
        self.rewrite(&planned, &known).await
    }

    /// With an idempotency key the row is there only when the answer has left.
    async fn is_known(&self) -> Result<(), Problem> {
        const TRIES: usize = 200;
        for _ in 0..TRIES {
            match store::dreams::find(&mut self.app.db().read(&self.scope).await?, self.dream.id).await {
                Err(Problem::NotFound) => sleep(Duration::from_millis(50)).await,
                found => return found.map(drop),
            }
        }
        Err(Problem::internal("the dream was never written down"))
    }

    fn would(&mut self, action: &Action, way: Way) {
        let outcome = match way {
            Way::Apply => Outcome::WouldApply,
            Way::Propose => Outcome::WouldPropose,
            Way::Note => Outcome::Listed,
        };
        self.note([done(action, outcome)]);
    }

    /// Keeps what was done until the next transaction writes it down.
    pub fn note(&mut self, done: impl IntoIterator<Item = Done>) {
        for one in done {
            self.tally.count(one.deed, one.outcome);
            self.done.push(one);
        }
    }

    /// One batch, again if somebody else was quicker.
    async fn follow(&mut self, some: &[(Action, Way)]) -> Result<(), Problem> {
        let mut tries = Tries::default();
        loop {
            let attempt = self.attempt(some).await;
            if !tries.again(&attempt) {
                return attempt;
            }
        }
    }

    async fn attempt(&mut self, some: &[(Action, Way)]) -> Result<(), Problem> {
        let mut tx = self.app.db().write(&self.scope).await?;
        let batch = Batch::follow(self, &mut tx, some).await?;
        if batch.trail.is_empty() {
            self.note(batch.done);
            return Ok(());
        }
        self.put_down(tx, Stage::Writing, batch.done, batch.trail.into_iter().collect()).await?;
        self.versions.extend(batch.versions);
        Ok(())
    }

    /// Commits a change together with what it was: whoever erases what something was made of has to find what was made.
    pub async fn put_down(
        &mut self,
        mut tx: Tx<Write>,
        stage: Stage,
        done: impl IntoIterator<Item = Done>,
        trail: Trail,
    ) -> Result<(), Problem> {
        let (tally, noted) = (self.tally.clone(), self.done.len());
        self.note(done);
        let committed = async {
            store::dreams::add_actions(&mut tx, self.dream.id, self.written, &self.done).await?;
            store::dreams::note_progress(&mut tx, self.dream.id, stage, &self.tally).await?;
            tx.commit(trail).await
        };
        match committed.await {
            Ok(()) => self.written += self.done.drain(..).count(),
            Err(problem) => {
                self.tally = tally;
                self.done.truncate(noted);
                return Err(problem);
            }
        }
        Ok(())
    }

    /// Where there is somebody to ask, clusters are told anew.
    async fn rewrite(&mut self, planned: &[(Action, Way)], known: &[Known]) -> Result<(), Problem> {
        let Some(at) = self.app.config().llm.clone() else { return Ok(()) };
        rewrite::rewrite(self, &at, planned, known).await
    }

    async fn end(&mut self, state: DreamState) -> Result<(), Problem> {
        let mut tx = self.app.db().write(&self.scope).await?;
        let audit = AuditId::new();
        for some in self.done.chunks(5000) {
            store::dreams::add_actions(&mut tx, self.dream.id, self.written, some).await?;
            self.written += some.len();
        }
        store::dreams::end(&mut tx, self.dream.id, state, &self.tally, clock::now(), audit).await?;
        tx.commit(Audit::dream_ended(audit, self.dream.id, state, &self.tally)).await
    }
}

pub(super) fn done(action: &Action, outcome: Outcome) -> Done {
    let (memory, others) = plan::about(&action.act);
    Done {
        deed: plan::deed(&action.act),
        why: action.why,
        score: action.score,
        outcome,
        memory,
        others,
        made: None,
        proposal: None,
        conflict: None,
    }
}

/// Of a bounded size, and merges into one memory not torn apart.
fn batches(planned: &[(Action, Way)]) -> impl Iterator<Item = &[(Action, Way)]> {
    let mut rest = planned;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len().min(AT_ONCE);
        let into = |at: usize| match rest.get(at).map(|(action, _)| &action.act) {
            Some(dream::Act::Merge { into, .. }) => Some(*into),
            _ => None,
        };
        while end < rest.len() && end < 2 * AT_ONCE && into(end).is_some() && into(end) == into(end - 1) {
            end += 1;
        }
        let (some, later) = rest.split_at(end);
        rest = later;
        Some(some)
    })
}
