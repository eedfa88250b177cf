//! Sessions: a run begins, its log grows, it writes checkpoints, it ends and is distilled.

mod checkpoint;
mod cut;
mod distil;
mod replay;

pub use checkpoint::{Manners, Sent, Written, checkpoint};
pub use distil::{Ended, close_quiet_ones};
pub use replay::{Replayed, replay};

use super::{
    Tries, erased,
    safety::{self, Found},
    tasks,
};
use crate::{
    App,
    audit::Audit,
    model::{
        AuditId, SessionId, clock,
        page::{Limit, Page},
        sessions::{Event, NewSession, Session, SessionFilter, SessionState, TaskState, Which, Whose},
    },
    problem::Problem,
    store::{self, CanWrite, Permission, Scope, sessions::Held},
};
use std::collections::HashSet;
use time::OffsetDateTime;

pub enum Started {
    New(Session),
    /// The tool has told of this run before.
    Running(Session),
}

/// A run begins, or goes on under the name that its tool gave it.
pub async fn start<P: CanWrite>(app: &App, scope: &Scope<P>, new: NewSession) -> Result<Started, Problem> {
    let (new, found) = safety::admit_session(app, scope, new).await?;
    let mut tries = Tries::default();
    loop {
        let done = attempt(app, scope, new.clone(), &found).await;
        if !tries.again(&done) {
            return done;
        }
    }
}

async fn attempt<P: CanWrite>(app: &App, scope: &Scope<P>, new: NewSession, found: &[Found]) -> Result<Started, Problem> {
    let project = match (scope.project(), &new.project) {
        (Some(wall), Some(asked)) if wall != asked => {
            return Err(Problem::forbidden(format!("Your key is limited to the project {} and runs only there.", wall.as_str())));
        }
        (wall, asked) => asked.as_ref().or(wall).map(|project| project.as_str().to_owned()),
    };
    let mut tx = app.db().write(scope).await?;
    if let Some(external) = &new.external_id
        && let Some(running) = store::sessions::running(&mut tx, scope.actor().id, external, project.as_deref()).await?
    {
        tx.leave_as_is([]).await?;
        return Ok(Started::Running(running));
    }
    let (task, mut trail) = match &new.task {
        Some(key) => {
            let which = Which { key, project: project.as_deref() };
            let (task, entries) = tasks::take_up(&mut tx, scope, which, new.whose_task).await?;
            (Some(task), entries)
        }
        None => (None, Vec::new()),
    };
    let session = Session {
        id: SessionId::new(),
        agent_tool: new.agent_tool,
        external_id: new.external_id.clone(),
        project,
        task: new.task,
        branch: new.branch,
        commit: new.commit,
        cwd: new.cwd,
        state: SessionState::Running,
        started_at: clock::now(),
        last_event_at: None,
        ended_at: None,
        summary: None,
        event_count: 0,
        episode_id: None,
        created_by: scope.actor().clone(),
    };
    let audit = AuditId::new();
    store::sessions::insert(&mut tx, &session, task.map(|task| task.id), audit).await?;
    trail.push(Audit::session(audit, "session.started", session.id));
    if !found.is_empty() {
        trail.push(Audit::secrets("secrets.redacted", Some(("session", session.id.0)), found));
    }
    tx.commit(trail.into_iter().collect::<crate::audit::Trail>()).await?;
    Ok(Started::New(session))
}

/// From now on a run works on this task; one that nobody has set up yet is set up by its key.
pub async fn turn_to<P: CanWrite>(app: &App, scope: &Scope<P>, id: SessionId, which: Which<'_>, whose: Whose) -> Result<(), Problem> {
    let mut tx = app.db().write(scope).await?;
    let held = store::sessions::hold(&mut tx, id).await?;
    must_be_own(scope, &held)?;
    must_run(&held)?;
    let now = match held.task {
        Some(task) => store::tasks::hold(&mut tx, task).await?,
        None => None,
    };
    let same = now.filter(|task| task.key == which.key && (whose == Whose::Anybodys || task.project.as_deref() == which.project));
    // What is said of a task after its end is kept in the run that was on it.
    if same.as_ref().is_some_and(|task| matches!(task.state, TaskState::Completed | TaskState::Abandoned)) {
        return tx.leave_as_is([]).await;
    }
    let which = same.as_ref().map_or(which, |task| Which { key: which.key, project: task.project.as_deref() });
    let (task, mut trail) = tasks::take_up(&mut tx, scope, which, whose).await?;
    trail.extend(tasks::put_on(&mut tx, id, &held, task.id).await?);
    if trail.is_empty() {
        return tx.leave_as_is([]).await;
    }
    tx.commit(trail.into_iter().collect::<crate::audit::Trail>()).await
}

/// How many were new, and how many were there already.
pub struct Appended {
    pub appended: u64,
    pub repeated: u64,
    /// Briefs that were kept before this moment may hold what was erased.
    pub last_erasure_at: Option<OffsetDateTime>,
}

/// Add to a run's log. What was sent before adds nothing.
pub async fn append<P: CanWrite>(app: &App, scope: &Scope<P>, id: SessionId, events: Vec<Event>) -> Result<Appended, Problem> {
    let sent = events.len() as u64;
    let (mut events, found) = safety::admit_events(app, scope, events).await?;
    events.iter_mut().for_each(cut::cut);
    let mut seen = HashSet::new();
    events.retain(|event| seen.insert(event.id.clone()));
    let mut tx = app.db().record_once(scope).await?;
    let held = store::sessions::hold(&mut tx, id).await?;
    must_be_own(scope, &held)?;
    let last_erasure_at = store::deletion::last_erasure(&mut tx, scope.project()).await?;
    // A retry of what had arrived before the end adds nothing, and is no mistake.
    if held.state != SessionState::Running && store::sessions::has_all(&mut tx, id, &events).await? {
        tx.commit().await?;
        return Ok(Appended { appended: 0, repeated: sent, last_erasure_at });
    }
    must_run(&held)?;
    erased::refuse_events(app, &mut tx, &events).await?;
    let appended = store::sessions::append(&mut tx, id, &held, &events, clock::now()).await?;
    if found.is_empty() {
        tx.commit().await?;
    } else {
        tx.commit_entry(Audit::secrets("secrets.redacted", Some(("session", id.0)), &found)).await?;
    }
    Ok(Appended { appended, repeated: sent - appended, last_erasure_at })
}

pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: SessionId) -> Result<Session, Problem> {
    store::sessions::find(&mut app.db().read(scope).await?, id).await
}

pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    filter: &SessionFilter,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Session>, Problem> {
    store::sessions::list(&mut app.db().read(scope).await?, filter, limit, cursor).await
}

/// The log, in order.
pub async fn events<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    id: SessionId,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Event>, Problem> {
    let mut tx = app.db().read(scope).await?;
    store::sessions::find(&mut tx, id).await?;
    store::sessions::events(&mut tx, id, limit, cursor).await
}

/// Events by the names that their sender gave them, in short: what speaks for a finding.
pub async fn named<P: Permission>(app: &App, scope: &Scope<P>, id: SessionId, names: &[String], most: i64) -> Result<Vec<Event>, Problem> {
    store::sessions::named(&mut app.db().read(scope).await?, id, names, most).await
}

/// The run is over: it is closed, and what it taught is distilled.
pub async fn end<P: CanWrite>(app: &App, scope: &Scope<P>, id: SessionId, summary: Option<String>) -> Result<Ended, Problem> {
    let (summary, found) = match summary {
        Some(text) => {
            let (text, found) = safety::admit_text(app, scope, "summary", text).await?;
            (Some(text), found)
        }
        None => (None, Vec::new()),
    };
    distil::end(app, scope, id, summary, found).await
}

/// A log is one actor's: nobody writes into another's.
pub(super) fn must_be_own<P>(scope: &Scope<P>, held: &Held) -> Result<(), Problem> {
    if held.actor == scope.actor().id {
        Ok(())
    } else {
        Err(Problem::forbidden("This session is another's; only who began it writes to it."))
    }
}

pub(super) fn must_run(held: &Held) -> Result<(), Problem> {
    match held.state {
        SessionState::Running => Ok(()),
        SessionState::Ended | SessionState::Abandoned => {
            Err(Problem::conflict("session_ended", format!("This session is {}; begin another.", held.state.word())))
        }
    }
}
