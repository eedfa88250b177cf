//! Checkpoints: what a run writes so that the next can go on. Decisions and discoveries become memories, progress and the
//! next step become the task's, all in one transaction.

use super::{must_be_own, must_run};
use crate::{
    App,
    acts::{
        Tries, conflicts,
        memories::{Asked, put_down},
        safety::{self, Found},
    },
    audit::{Audit, Trail},
    model::{
        Anchor, AuditId, CheckpointId, Kind, Memory, MemoryId, NewMemory, Project, SessionId, Source, Visibility, clock,
        memory::SourceType,
        proposals::{Origin, Proposed},
        sessions::{Checkpoint, Item, Kept, Line},
        text::{self, Content},
    },
    problem::Problem,
    store::{self, CanWrite, Scope},
};

/// A checkpoint, with the memories that its lines became.
pub struct Written {
    pub kept: Kept,
    pub decisions: Vec<Memory>,
    pub discoveries: Vec<Memory>,
}

/// Whether a decision takes another's place, or waits if it contradicts one.
#[derive(Clone, Copy, Default)]
pub struct Manners {
    pub supersedes: Option<MemoryId>,
    pub propose_on_conflict: bool,
}

/// Write a checkpoint. A decision that contradicts an active one stops all of it, unless it says how to go on.
pub async fn checkpoint<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    session: SessionId,
    mut sent: Checkpoint,
    manners: &[Manners],
) -> Result<Written, Problem> {
    let mut found = Vec::new();
    for item in &mut sent.progress {
        let (clean, more) = safety::admit_text(app, scope, "progress", std::mem::take(&mut item.item)).await?;
        item.item = clean;
        found.extend(more);
        if let Some(note) = item.note.take() {
            let (clean, more) = safety::admit_text(app, scope, "progress.note", note).await?;
            item.note = Some(clean);
            found.extend(more);
        }
    }
    let next_step = match sent.next_step.take() {
        Some(line) => {
            let (clean, more) = safety::admit_text(app, scope, "next_step", line.text).await?;
            found.extend(more);
            Some(clean)
        }
        None => None,
    };
    let id = CheckpointId::new();
    let run = store::sessions::find(&mut app.db().read(scope).await?, session).await?;
    let project = run.project.as_deref().map(Project::parse).transpose()?;
    let mut asked = Vec::new();
    for (n, line) in sent.decisions.iter().enumerate() {
        let manners = manners.get(n).copied().unwrap_or_default();
        let mut new = memory_of(session, id, project.clone(), Kind::Decision, line)?;
        new.supersedes = manners.supersedes;
        new.propose_on_conflict = manners.propose_on_conflict;
        new = conflicts::weigh(app, scope, new).await.map_err(|problem| problem.at_field_item("decisions", n))?;
        asked.push(Asked::admitted(app, scope, new).await?);
    }
    for line in &sent.discoveries {
        asked.push(Asked::admitted(app, scope, memory_of(session, id, project.clone(), Kind::Discovery, line)?).await?);
    }

    let draft = Draft { id, session, progress: sent.progress, next_step, decisions: sent.decisions.len(), asked, found };
    let mut tries = Tries::default();
    loop {
        let done = write(app, scope, &draft).await;
        if !tries.again(&done) {
            return done;
        }
    }
}

/// All that is known before the transaction begins.
struct Draft {
    id: CheckpointId,
    session: SessionId,
    progress: Vec<Item>,
    next_step: Option<String>,
    /// How many of what is asked for are decisions; the others are discoveries.
    decisions: usize,
    asked: Vec<Asked>,
    found: Vec<Found>,
}

async fn write<P: CanWrite>(app: &App, scope: &Scope<P>, draft: &Draft) -> Result<Written, Problem> {
    let (id, session) = (draft.id, draft.session);
    let mut tx = app.db().write(scope).await?;
    let held = store::sessions::hold(&mut tx, session).await?;
    must_be_own(scope, &held)?;
    must_run(&held)?;
    let (remembered, mut trail) = put_down(app, scope, &mut tx, &draft.asked).await?;
    let mut decisions: Vec<Memory> = remembered.into_iter().map(|one| one.memory().clone()).collect();
    let discoveries = decisions.split_off(draft.decisions.min(decisions.len()));
    let ids = |memories: &[Memory]| memories.iter().map(|memory| memory.id).collect::<Vec<_>>();
    let kept = Kept {
        id,
        session_id: session,
        at: clock::now(),
        decisions: ids(&decisions),
        discoveries: ids(&discoveries),
        progress: draft.progress.clone(),
        next_step: draft.next_step.clone(),
    };
    let audit = AuditId::new();
    store::tasks::keep(&mut tx, &kept, held.task, held.project.as_deref(), scope.actor(), audit).await?;
    trail.push(Audit::checkpointed(audit, id, session));
    if let Some(task) = held.task {
        trail.extend(super::tasks::advance(&mut tx, task, &kept, held.project.as_deref()).await?);
    }
    if !draft.found.is_empty() {
        trail.push(Audit::secrets("secrets.redacted", Some(("checkpoint", id.0)), &draft.found));
    }
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(Written { kept, decisions, discoveries })
}

/// What a line becomes; one that speaks to the model waits for somebody to look at it.
fn memory_of(
    session: SessionId,
    checkpoint: CheckpointId,
    project: Option<Project>,
    kind: Kind,
    line: &Line,
) -> Result<NewMemory, Problem> {
    let place = line.line.map_or_else(|| format!("checkpoint {checkpoint}"), |n| format!("checkpoint {checkpoint}, line {n}"));
    let suspicious = cairn_secrets::speaks_to_the_model(&line.text).map(|reason| Proposed {
        origin: Origin::Suspicious,
        key: None,
        reason: format!("Its text {reason}."),
        confidence: 0.5,
        sightings: Vec::new(),
    });
    Ok(NewMemory {
        path: None,
        title: line.title.as_deref().map(|title| text::line("title", title, 300)).transpose()?,
        content: Content::parse(line.text.clone())?,
        kind,
        tags: Vec::new(),
        project,
        anchors: Vec::<Anchor>::new(),
        source: Some(Source { kind: SourceType::Session, reference: Some(place), excerpt: None }),
        confidence: None,
        subject: None,
        visibility: Visibility::Workspace,
        valid_from: None,
        stale_after: None,
        expires_at: None,
        supersedes: None,
        session_id: Some(session),
        propose_on_conflict: false,
        proposed: suspicious,
    })
}
