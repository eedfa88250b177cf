//! Checkpoints: what a run writes so that the next can go on. Decisions and discoveries become memories, progress and the
//! next step become the task's, all in one transaction.

use super::{must_be_own, must_run};
use crate::{
    App,
    acts::{
        Tries,
        conflicts::{self, Noticed},
        erased,
        memories::{Asked, put_down},
        safety::{self, Found},
    },
    audit::{Audit, Trail},
    engines::checkpoint,
    model::{
        AuditId, CheckpointId, Kind, Memory, MemoryId, NewMemory, Project, Run, SessionId, Source, clock,
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
    /// What each of those may contradict.
    pub noticed: Vec<(MemoryId, Noticed)>,
    /// Lines beyond what one checkpoint may have.
    pub left_out: usize,
}

/// Whether a decision takes another's place, or waits if it contradicts one.
#[derive(Clone, Copy, Default)]
pub struct Manners {
    pub supersedes: Option<MemoryId>,
    pub propose_on_conflict: bool,
}

/// What a run sends: words to be sorted, or the parts as they are.
pub enum Sent {
    Text { text: String, propose_on_conflict: bool },
    Parts(Checkpoint, Vec<Manners>),
}

/// Write a checkpoint. A decision that contradicts an active one stops all of it, unless it says how to go on.
pub async fn checkpoint<P: CanWrite>(app: &App, scope: &Scope<P>, session: SessionId, sent: Sent) -> Result<Written, Problem> {
    let scope = &scope.in_run(Run::Session(session));
    app.db().unless_answered(scope).await?;
    let (sent, manners, found, left_out) = sorted(app, scope, sent).await?;
    let id = CheckpointId::new();
    let run = store::sessions::find(&mut app.db().read(scope).await?, session).await?;
    let project = run.project.as_deref().map(Project::parse).transpose()?;
    let mut news = Vec::new();
    for (line, manners) in sent.decisions.iter().zip(&manners) {
        let mut new = memory_of(session, id, project.clone(), Kind::Decision, line)?;
        new.supersedes = manners.supersedes;
        new.propose_on_conflict = manners.propose_on_conflict;
        news.push(new);
    }
    conflicts::weigh_together(&news)?;
    for line in &sent.discoveries {
        news.push(memory_of(session, id, project.clone(), Kind::Discovery, line)?);
    }
    let mut asked = Vec::with_capacity(news.len());
    for (n, new) in news.into_iter().enumerate() {
        asked.push(Asked::admitted(app, scope, new).await.map_err(|problem| problem.at_field_item("decisions", n))?);
    }
    Asked::hold_against(app, scope, &mut asked).await;
    let draft = Draft {
        id,
        session,
        progress: sent.progress,
        next_step: sent.next_step.map(|line| line.text),
        decisions: sent.decisions.len(),
        asked,
        found,
        left_out,
    };
    let mut tries = Tries::default();
    loop {
        let done = write(app, scope, &draft).await;
        if !tries.again(&done) {
            return done;
        }
    }
}

/// Looked through as a whole before it is sorted: a key of several lines is one only together.
async fn sorted<P: CanWrite>(app: &App, scope: &Scope<P>, sent: Sent) -> Result<(Checkpoint, Vec<Manners>, Vec<Found>, usize), Problem> {
    match sent {
        Sent::Text { text, propose_on_conflict } => {
            let (text, found) = safety::admit_text(app, scope, "text", text).await?;
            let routed = tokio::task::spawn_blocking(move || checkpoint::sort(&text)).await.map_err(Problem::internal)?;
            let sent = routed.checkpoint;
            if sent.decisions.is_empty() && sent.progress.is_empty() && sent.discoveries.is_empty() && sent.next_step.is_none() {
                return Err(Problem::invalid("text", "says nothing that could be kept: no decision, progress, discovery or next step"));
            }
            let manners = vec![Manners { supersedes: None, propose_on_conflict }; sent.decisions.len()];
            Ok((sent, manners, found, routed.left_out))
        }
        Sent::Parts(sent, manners) => {
            let (sent, found) = safety::admit_checkpoint(app, scope, sent).await?;
            Ok((sent, manners, found, 0))
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
    left_out: usize,
}

async fn write<P: CanWrite>(app: &App, scope: &Scope<P>, draft: &Draft) -> Result<Written, Problem> {
    let (id, session) = (draft.id, draft.session);
    let mut tx = app.db().write(scope).await?;
    let held = store::sessions::hold(&mut tx, session).await?;
    must_be_own(scope, &held)?;
    must_run(&held)?;
    erased::refuse_progress(app, &mut tx, &draft.progress, draft.next_step.as_deref()).await?;
    let (remembered, mut trail) = put_down(app, scope, &mut tx, &draft.asked).await?;
    let (mut decisions, mut noticed) = (Vec::with_capacity(remembered.len()), Vec::new());
    for one in remembered {
        let (memory, clashes) = one.into_parts();
        noticed.extend(clashes.into_iter().map(|clash| (memory.id, clash)));
        decisions.push(memory);
    }
    let discoveries = decisions.split_off(draft.decisions.min(decisions.len()));
    let ids = |memories: &[Memory]| memories.iter().map(|memory| memory.id).collect::<Vec<_>>();
    let task = match held.task {
        Some(task) => store::tasks::hold(&mut tx, task).await?,
        None => None,
    };
    // What belongs to a task is seen by whoever sees the task.
    let project = task.as_ref().map_or(&held.project, |task| &task.project).clone();
    let kept = Kept {
        id,
        session_id: session,
        project,
        at: clock::now(),
        decisions: ids(&decisions),
        discoveries: ids(&discoveries),
        progress: draft.progress.clone(),
        next_step: draft.next_step.clone(),
    };
    let audit = AuditId::new();
    store::tasks::keep(&mut tx, &kept, held.task, scope.actor(), audit).await?;
    trail.push(Audit::checkpointed(audit, id, session));
    if let Some(task) = task {
        trail.extend(super::tasks::advance(&mut tx, task, &kept).await?);
    }
    if !draft.found.is_empty() {
        trail.push(Audit::secrets("secrets.redacted", Some(("checkpoint", id.0)), &draft.found));
    }
    tx.shows(kept.decisions.iter().chain(&kept.discoveries).copied());
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(Written { kept, decisions, discoveries, noticed, left_out: draft.left_out })
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
    let suspicious = cairn_secrets::speaks_to_the_model(&line.text)
        .map(|reason| Proposed::because(Origin::Suspicious, format!("Its text {reason}."), 0.5));
    Ok(NewMemory {
        title: line.title.as_deref().map(|title| text::line("title", title, 300)).transpose()?,
        project,
        source: Some(Source { kind: SourceType::Session, reference: Some(place), excerpt: None }),
        session_id: Some(session),
        proposed: suspicious,
        ..NewMemory::of(Content::parse(line.text.clone())?, kind)
    })
}
