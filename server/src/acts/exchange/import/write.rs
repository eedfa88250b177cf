//! A batch in one transaction: what stands alone together, what has a history one after the other, and what fails alone.

use super::{
    Took,
    plan::{Fresh, Mark, Plan, Step},
    skipped,
};
use crate::{
    App,
    acts::{
        Tries, code,
        conflicts::{self, Since},
        memories::{self, Asked, Remembered, waiting},
    },
    audit::{Audit, Trail},
    engines::tokens,
    model::{
        Kind, Memory, MemoryId, NewMemory, State, clock,
        exchange::{Format, Origin, Passed, Skipped},
        memory::Operation,
        text::MemoryPath,
    },
    problem::Problem,
    store::{self, CanWrite, Scope, Tx, Write, exchange::Arrived},
};

pub async fn write<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    since: &Since,
    format: Format,
    dry_run: bool,
    plans: &[Plan],
) -> Result<Vec<Took>, Problem> {
    if scope.request().once.is_none() && plans.iter().all(|plan| matches!(plan, Plan::Skip(_))) {
        return Ok(plans.iter().map(|plan| if let Plan::Skip(took) = plan { took.clone() } else { left() }).collect());
    }
    let mut tries = Tries::default();
    loop {
        let done = attempt(app, scope, since, format, dry_run, plans).await;
        if !tries.again(&done) {
            return done;
        }
    }
}

async fn attempt<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    since: &Since,
    format: Format,
    dry_run: bool,
    plans: &[Plan],
) -> Result<Vec<Took>, Problem> {
    let mut tx = app.db().write(scope).await?;
    store::exchange::take_turns(&mut tx).await?;
    let mut hand = Hand { app, scope, since, tx, trail: Vec::new(), arrived: Vec::new() };
    let took = hand.batch(plans).await?;
    hand.close(format, dry_run, &took).await?;
    Ok(took)
}

/// Between the look and the lock somebody brought the same.
fn left() -> Took {
    Skipped::new(Passed::Left, "Somebody else imported it at the same moment. Send the file again.").into()
}

struct Hand<'a, P> {
    app: &'a App,
    scope: &'a Scope<P>,
    /// When the decisions among them were weighed.
    since: &'a Since,
    tx: Tx<Write>,
    trail: Vec<Audit>,
    arrived: Vec<Arrived>,
}

impl<P: CanWrite> Hand<'_, P> {
    async fn batch(&mut self, plans: &[Plan]) -> Result<Vec<Took>, Problem> {
        let keys = plans.iter().filter_map(|plan| if let Plan::New(fresh) = plan { Some(fresh.mark.key) } else { None });
        let meanwhile = store::exchange::known(&mut self.tx, &keys.collect::<Vec<_>>()).await?;
        let mut took: Vec<Option<Took>> = plans.iter().map(|_| None).collect();
        let (mut alone, mut others) = (Vec::new(), Vec::new());
        for (n, plan) in plans.iter().enumerate() {
            match plan {
                Plan::Skip(skip) => took[n] = Some(skip.clone()),
                Plan::New(fresh) if meanwhile.contains_key(&fresh.mark.key) => took[n] = Some(left()),
                Plan::New(fresh) if fresh.rest.is_empty() && fresh.new.path.is_none() && fresh.new.supersedes.is_none() => {
                    alone.push((n, plan, &**fresh));
                }
                other => others.push((n, other)),
            }
        }
        // What is put away makes room for what took its path.
        others
            .sort_by_key(|(_, plan)| matches!(plan, Plan::New(fresh) if fresh.rest.last().is_none_or(|step| step.state == State::Active)));
        for (n, plan) in others {
            took[n] = Some(self.one(plan).await?);
        }
        for (n, done) in self.together(&alone).await? {
            took[n] = Some(done);
        }
        Ok(took.into_iter().map(|took| took.unwrap_or_else(left)).collect())
    }

    /// All at once; if one of them is refused, each for itself.
    async fn together(&mut self, alone: &[(usize, &Plan, &Fresh)]) -> Result<Vec<(usize, Took)>, Problem> {
        let mut done = Vec::with_capacity(alone.len());
        if alone.is_empty() {
            return Ok(done);
        }
        let asked: Vec<Asked> = alone.iter().map(|(.., fresh)| fresh.first.clone()).collect();
        self.tx.try_one().await?;
        match memories::put_down(self.app, self.scope, &mut self.tx, &asked).await {
            Ok((remembered, trail)) => {
                self.trail.extend(trail);
                for ((n, _, fresh), remembered) in alone.iter().zip(remembered) {
                    done.push((*n, self.remembered(fresh, remembered)));
                }
                self.tx.keep_one().await?;
            }
            Err(problem) => {
                if !matches!(problem, Problem::LostRace) {
                    // What is nobody's fault ends it all.
                    skipped(problem)?;
                }
                self.tx.take_back().await?;
                for (n, plan, _) in alone {
                    done.push((*n, self.one(plan).await?));
                }
            }
        }
        Ok(done)
    }

    async fn one(&mut self, plan: &Plan) -> Result<Took, Problem> {
        let (entries, rows) = (self.trail.len(), self.arrived.len());
        self.tx.try_one().await?;
        let mut done = self.tried(plan, false).await;
        let clash = match &done {
            Err(Problem::Conflict(conflict)) => conflict.code == "path_conflict",
            Err(Problem::LostRace) => true,
            _ => false,
        };
        if clash && matches!(plan, Plan::New(_)) {
            // A path that it had on its way, or its id, is somebody else's: it lies where it ended, and told apart.
            self.back_to(entries, rows).await?;
            done = self.tried(plan, true).await;
        }
        match done {
            Ok(took) => {
                self.tx.keep_one().await?;
                Ok(took)
            }
            Err(problem) => {
                let took = skipped(problem)?;
                self.back_to(entries, rows).await?;
                Ok(took)
            }
        }
    }

    async fn tried(&mut self, plan: &Plan, apart: bool) -> Result<Took, Problem> {
        match plan {
            Plan::New(fresh) => self.fresh(fresh, apart).await,
            Plan::More { memory, rest, mark } => self.more(memory, rest, *mark).await,
            Plan::Revise { memory, step, mark } => self.revise(memory, step, *mark).await,
            Plan::Skip(took) => Ok(took.clone()),
        }
    }

    async fn back_to(&mut self, entries: usize, rows: usize) -> Result<(), Problem> {
        self.tx.take_back().await?;
        self.trail.truncate(entries);
        self.arrived.truncate(rows);
        Ok(())
    }

    async fn fresh(&mut self, fresh: &Fresh, apart: bool) -> Result<Took, Problem> {
        let last = fresh.rest.last().map_or(&fresh.new, |step| &step.new);
        let path = last.path.as_ref().or(fresh.new.path.as_ref());
        if let Some(path) = path
            && let Some(known) = self.twin_of(fresh, last, path).await?
        {
            return Ok(duplicate(known));
        }
        let moved = apart.then(|| {
            let title = fresh.new.title.clone().unwrap_or_else(|| fresh.new.content.title());
            let made = || MemoryPath::made_from(fresh.new.kind.folder(), &title);
            path.cloned().unwrap_or_else(made).told_apart(clock::new_id())
        });
        let asked = if apart { fresh.first.clone().apart(moved.clone()) } else { fresh.first.clone() };
        let (mut remembered, trail) = memories::put_down(self.app, self.scope, &mut self.tx, &[asked]).await?;
        self.trail.extend(trail);
        let remembered = remembered.pop().ok_or_else(|| Problem::internal("one memory in, none out"))?;
        let new = matches!(remembered, Remembered::New(..));
        let mut memory = remembered.memory().clone();
        let took = self.remembered(fresh, remembered);
        if !new {
            return Ok(took);
        }
        for step in &fresh.rest {
            memory = self.step(&memory, step, moved.as_ref(), fresh.mark).await?;
        }
        if !fresh.rest.is_empty() {
            self.stands(&memory).await?;
        }
        Ok(match took {
            Took::Taken { id, redacted, .. } => Took::Taken {
                id,
                state: memory.state,
                versions: fresh.rest.len() + 1,
                redacted: redacted || fresh.rest.iter().any(|step| !step.found.is_empty()),
            },
            other => other,
        })
    }

    /// The same text, active here; in an export of ours there may be two of it, and both come.
    async fn twin_of(&mut self, fresh: &Fresh, last: &NewMemory, path: &MemoryPath) -> Result<Option<MemoryId>, Problem> {
        let mac = self.app.keyring().erasure_mac(last.content.as_str());
        let survey = store::memories::survey(&mut self.tx, self.scope, &[(last, path, mac)]).await?;
        let Some(known) = survey.first().and_then(|survey| survey.known).filter(|_| fresh.new.supersedes.is_none()) else {
            return Ok(None);
        };
        let with_it = fresh.mark.format == Format::Ndjson
            && (self.arrived.iter().any(|arrived| arrived.memory == known)
                || store::exchange::imported(&mut self.tx, known).await?.iter().any(|one| one.format == Format::Ndjson));
        Ok(Some(known).filter(|_| !with_it))
    }

    fn remembered(&mut self, fresh: &Fresh, remembered: Remembered) -> Took {
        match remembered {
            Remembered::Already(memory) => duplicate(memory.id),
            Remembered::New(memory, _) => {
                self.arrive(memory.id, 1, fresh.mark, &fresh.origin);
                Took::Taken { id: memory.id, state: memory.state, versions: 1, redacted: fresh.first.is_redacted() }
            }
        }
    }

    async fn more(&mut self, seen: &Memory, rest: &[Step], mark: Mark) -> Result<Took, Problem> {
        let mut memory = self.hold(seen).await?;
        // What nobody has decided on yet is decided here, however often it was put away and taken out there.
        let waits = memory.state == State::Proposed
            || (memory.state != State::Active && store::proposals::is_waiting(&mut self.tx, memory.id).await?);
        self.may_come_back(&memory, rest, waits).await?;
        for step in rest {
            let state = match step.state {
                State::Active if waits => State::Proposed,
                // What is known here needs nobody's word, whatever waits for one there.
                State::Proposed if !waits => memory.state,
                told => told,
            };
            memory = self.step(&memory, &Step { state, ..step.clone() }, None, mark).await?;
        }
        self.stands(&memory).await?;
        Ok(Took::Updated { id: memory.id, version: memory.version })
    }

    /// What was put away and is known by its last version counts against the quota again, and is looked at as a new one is.
    async fn may_come_back(&mut self, memory: &Memory, rest: &[Step], waits: bool) -> Result<(), Problem> {
        let Some(last) = rest.last() else { return Ok(()) };
        if matches!(memory.state, State::Active | State::Proposed) || !matches!(last.state, State::Active | State::Proposed) {
            return Ok(());
        }
        memories::within_quota(&mut self.tx, self.scope, 1).await?;
        let proposed = if waits { None } else { waiting::by_policy(self.scope, last.new.clone()).proposed };
        proposed.map_or(Ok(()), |proposed| Err(Problem::forbidden(proposed.reason)))
    }

    async fn revise(&mut self, seen: &Memory, step: &Step, mark: Mark) -> Result<Took, Problem> {
        let memory = self.hold(seen).await?;
        // A file that says nothing of where it stands leaves it there; one may put it away.
        let state = if step.state == State::Archived && memory.state == State::Active { State::Archived } else { memory.state };
        let step = Step { state, supersedes: memory.supersedes, superseded_by: memory.superseded_by, ..step.clone() };
        let memory = self.step(&memory, &step, None, mark).await?;
        self.stands(&memory).await?;
        Ok(Took::Updated { id: memory.id, version: memory.version })
    }

    /// A decision that is active by now contradicts none that came since it was weighed.
    async fn stands(&mut self, memory: &Memory) -> Result<(), Problem> {
        if memory.kind != Kind::Decision || memory.state != State::Active {
            return Ok(());
        }
        conflicts::unless_contradicting(&self.since.against(&mut self.tx, memory).await?)
    }

    async fn hold(&mut self, seen: &Memory) -> Result<Memory, Problem> {
        let mut memory = store::memories::find_to_change(&mut self.tx, seen.id).await?;
        if memory.version != seen.version {
            return Err(Problem::conflict("not_active", "Somebody changed it at the same moment; send the file again."));
        }
        memories::may_change(self.scope, &memory)?;
        code::recall_first_sight(&mut self.tx, [&mut memory].into_iter()).await?;
        Ok(memory)
    }

    /// The next version, as the file tells it.
    async fn step(&mut self, before: &Memory, step: &Step, path: Option<&MemoryPath>, mark: Mark) -> Result<Memory, Problem> {
        let new = &step.new;
        if new.content.as_str() != before.content {
            memories::may_return(self.app, &mut self.tx, new.content.as_str()).await?;
        }
        let owner = memories::owners::after(&mut self.tx, self.scope, before, new.visibility).await?;
        let project = new.project.as_ref().or(self.scope.project()).map(|project| project.as_str().to_owned());
        let mut next = Memory {
            path: path.or(new.path.as_ref()).unwrap_or(&before.path).clone(),
            title: new.title.clone().unwrap_or_else(|| new.content.title()),
            content: new.content.as_str().to_owned(),
            kind: new.kind,
            tags: new.tags.clone(),
            project,
            anchors: code::hung_as_before(&before.anchors, &new.anchors),
            source: new.source.clone(),
            confidence: new.confidence.unwrap_or(before.confidence),
            state: step.state,
            visibility: new.visibility,
            owner,
            subject: new.subject.clone(),
            valid_from: new.valid_from.unwrap_or(before.valid_from),
            stale_after: new.stale_after,
            expires_at: new.expires_at,
            supersedes: step.supersedes,
            superseded_by: step.superseded_by,
            reason: step.reason.clone(),
            tokens: Some(tokens::count(new.content.as_str())),
            ..memories::next_state(self.scope, before, Operation::Imported)
        };
        if !next.says(before) {
            next.unverify();
        }
        memories::may_change(self.scope, &next)?;
        store::memories::advance(&mut self.tx, before, &mut next).await?;
        if before.anchors != next.anchors {
            code::rejudge(&mut self.tx, &mut next).await?;
        }
        self.trail.push(Audit::of_memory(&next));
        if !step.found.is_empty() {
            self.trail.push(Audit::secrets("secrets.redacted", Some(("memory", next.id.0)), &step.found));
        }
        self.arrive(next.id, next.version, mark, &step.origin);
        Ok(next)
    }

    fn arrive(&mut self, memory: MemoryId, version: i32, mark: Mark, origin: &Origin) {
        self.arrived.push(Arrived { memory, version, format: mark.format, key: mark.key, origin: origin.clone() });
    }

    async fn close(mut self, format: Format, dry_run: bool, took: &[Took]) -> Result<(), Problem> {
        let shown: Vec<MemoryId> = took
            .iter()
            .filter_map(|took| match took {
                Took::Taken { id, .. } | Took::Updated { id, .. } => Some(*id),
                Took::Skipped { memory, .. } => *memory,
            })
            .collect();
        if dry_run || self.trail.is_empty() {
            return if dry_run { Ok(()) } else { self.tx.leave_as_is(shown).await };
        }
        store::exchange::keep(&mut self.tx, &self.arrived).await?;
        let taken = took.iter().filter(|took| matches!(took, Took::Taken { .. })).count();
        let updated = took.iter().filter(|took| matches!(took, Took::Updated { .. })).count();
        self.tx.shows(shown);
        self.trail.push(Audit::memories_imported(format, taken, updated));
        self.tx.commit(self.trail.into_iter().collect::<Trail>()).await
    }
}

fn duplicate(memory: MemoryId) -> Took {
    let skipped = Skipped::new(Passed::Duplicate, "The same text is known already.");
    Took::Skipped { skipped, memory: Some(memory), request: None }
}
