//! Tasks: work that spans sessions. What one run knew, the next is told.

mod resume;

pub use resume::{Resumed, State, brief, resume};

use super::{erased, safety, unless_barred};
use crate::{
    App,
    audit::{Audit, Trail},
    model::{
        AuditId, Kind, NewMemory, Project, SessionId, Source, TaskId, clock,
        memory::SourceType,
        page::{Limit, Page},
        sessions::{Kept, Progress, Task, TaskItem, TaskState, Which, Whose},
        text::Content,
    },
    problem::Problem,
    store::{self, CanWrite, Permission, Scope, Tx, Write, sessions::Held},
};

pub struct NewTask {
    pub key: String,
    pub title: String,
    pub project: Option<Project>,
}

/// A task with its items.
pub struct Shown {
    pub task: Task,
    pub items: Vec<TaskItem>,
}

/// Set a task up, for sessions to work on.
pub async fn create<P: CanWrite>(app: &App, scope: &Scope<P>, new: NewTask) -> Result<Task, Problem> {
    let project = match (scope.project(), &new.project) {
        (Some(wall), Some(asked)) if wall != asked => {
            return Err(Problem::forbidden(format!("Your key is limited to the project {} and works only there.", wall.as_str())));
        }
        (wall, asked) => asked.as_ref().or(wall).map(|project| project.as_str().to_owned()),
    };
    safety::refuse_in("key", &new.key)?;
    let (title, found) = safety::admit_text(app, scope, "title", new.title).await?;
    let mut tx = app.db().write(scope).await?;
    if store::tasks::find(&mut tx, new.key.as_str().into()).await?.is_some() {
        return Err(taken(&new.key));
    }
    erased::refuse_line(app, &mut tx, Some(&title)).await?;
    let task = draft(scope, new.key, title, project, TaskState::Open);
    let audit = AuditId::new();
    match store::tasks::insert(&mut tx, &task, audit).await {
        Err(Problem::LostRace) => return Err(taken(&task.key)),
        done => done?,
    }
    let redacted = (!found.is_empty()).then(|| Audit::secrets("secrets.redacted", Some(("task", task.id.0)), &found));
    tx.commit(std::iter::once(Audit::task(audit, "task.created", task.id)).chain(redacted).collect::<Trail>()).await?;
    Ok(task)
}

pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, which: Which<'_>) -> Result<Shown, Problem> {
    let mut tx = app.db().read(scope).await?;
    let task = store::tasks::find(&mut tx, which).await?.ok_or(Problem::NotFound)?;
    let items = store::tasks::items(&mut tx, task.id).await?;
    Ok(Shown { task, items })
}

pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    state: Option<TaskState>,
    project: Option<&str>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Task>, Problem> {
    store::tasks::list(&mut app.db().read(scope).await?, state, project, limit, cursor).await
}

/// Put it aside for a while.
pub async fn pause<P: CanWrite>(app: &App, scope: &Scope<P>, which: Which<'_>) -> Result<Task, Problem> {
    moved(app, scope, which, TaskState::Paused, "task.paused").await
}

/// Give it up for good.
pub async fn abandon<P: CanWrite>(app: &App, scope: &Scope<P>, which: Which<'_>) -> Result<Task, Problem> {
    moved(app, scope, which, TaskState::Abandoned, "task.abandoned").await
}

async fn moved<P: CanWrite>(app: &App, scope: &Scope<P>, which: Which<'_>, to: TaskState, action: &'static str) -> Result<Task, Problem> {
    let mut tx = app.db().write(scope).await?;
    let mut task = hold(&mut tx, which).await?;
    may_move(&task, to)?;
    (task.state, task.updated_at) = (to, clock::now());
    let audit = AuditId::new();
    store::tasks::change(&mut tx, &task, audit).await?;
    tx.commit(Audit::task(audit, action, task.id)).await?;
    Ok(task)
}

/// It is done: its record becomes an archived episode, and stays readable.
pub async fn complete<P: CanWrite>(app: &App, scope: &Scope<P>, which: Which<'_>) -> Result<Shown, Problem> {
    let mut tries = super::Tries::default();
    loop {
        let done = finish(app, scope, which).await;
        if !tries.again(&done) {
            return done;
        }
    }
}

async fn finish<P: CanWrite>(app: &App, scope: &Scope<P>, which: Which<'_>) -> Result<Shown, Problem> {
    let mut tx = app.db().write(scope).await?;
    let mut task = hold(&mut tx, which).await?;
    may_move(&task, TaskState::Completed)?;
    let items = store::tasks::items(&mut tx, task.id).await?;
    let record = resume::record(&mut tx, &task, &items).await?;
    let new = NewMemory {
        title: Some(format!("Task {} completed", task.key)),
        project: task.project.as_deref().map(Project::parse).transpose()?,
        source: Some(Source { kind: SourceType::Session, reference: Some(format!("task {}", task.key)), excerpt: None }),
        ..NewMemory::of(Content::parse(record)?, Kind::Episode)
    };
    // A record that may not be kept does not keep a task from being completed.
    let asked = unless_barred(super::memories::Asked::admitted(app, scope, new).await.map(Some))?;
    let (episode, mut trail) = match asked {
        Some(asked) => unless_barred(super::memories::put_down(app, scope, &mut tx, &[asked]).await)?,
        None => Default::default(),
    };
    if let Some(episode) = episode.first() {
        task.episode_id = Some(episode.memory().id);
        trail.push(super::memories::put_away(&mut tx, scope, episode.memory()).await?);
    }
    (task.state, task.updated_at, task.next_step) = (TaskState::Completed, clock::now(), None);
    let audit = AuditId::new();
    store::tasks::change(&mut tx, &task, audit).await?;
    trail.push(Audit::task(audit, "task.completed", task.id));
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(Shown { task, items })
}

/// The task that is meant, which nobody else changes before this transaction ends.
async fn hold(tx: &mut Tx<Write>, which: Which<'_>) -> Result<Task, Problem> {
    store::tasks::find_to_change(tx, which).await?.filter(|task| which.means(task)).ok_or(Problem::NotFound)
}

/// A session begins to work on it; one that nobody has set up yet is set up by its key.
pub(super) async fn take_up<P: CanWrite>(
    tx: &mut Tx<Write>,
    scope: &Scope<P>,
    which: Which<'_>,
    whose: Whose,
) -> Result<(Task, Vec<Audit>), Problem> {
    let audit = AuditId::new();
    let Which { key, project } = which;
    let found = store::tasks::find_to_change(tx, which).await?;
    let Some(mut task) = found.filter(|task| whose == Whose::Anybodys || which.means(task)) else {
        let task = draft(scope, key.to_owned(), key.to_owned(), project.map(str::to_owned), TaskState::Active);
        store::tasks::insert(tx, &task, audit).await?;
        let entry = Audit::task(audit, "task.created", task.id);
        return Ok((task, vec![entry]));
    };
    may_move(&task, TaskState::Active)?;
    if task.state == TaskState::Active {
        return Ok((task, Vec::new()));
    }
    (task.state, task.updated_at) = (TaskState::Active, clock::now());
    store::tasks::change(tx, &task, audit).await?;
    let entry = Audit::task(audit, "task.taken_up", task.id);
    Ok((task, vec![entry]))
}

/// A session that works on something else works on this from now on.
pub(super) async fn put_on(tx: &mut Tx<Write>, session: SessionId, held: &Held, task: TaskId) -> Result<Option<Audit>, Problem> {
    if held.task == Some(task) {
        return Ok(None);
    }
    let audit = AuditId::new();
    store::sessions::work_on(tx, session, task, audit).await?;
    Ok(Some(Audit::session(audit, "session.resumed_task", session)))
}

/// What a checkpoint says of it.
pub(super) async fn advance(tx: &mut Tx<Write>, mut task: Task, kept: &Kept) -> Result<Option<Audit>, Problem> {
    if matches!(task.state, TaskState::Completed | TaskState::Abandoned) {
        return Ok(None);
    }
    store::tasks::put_items(tx, task.id, task.project.as_deref(), kept, kept.at).await?;
    if kept.next_step.is_some() {
        task.next_step.clone_from(&kept.next_step);
    }
    task.updated_at = kept.at;
    let audit = AuditId::new();
    store::tasks::change(tx, &task, audit).await?;
    Ok(Some(Audit::task(audit, "task.advanced", task.id)))
}

/// `open → active → paused → completed / abandoned`: what is over stays over.
fn may_move(task: &Task, to: TaskState) -> Result<(), Problem> {
    use TaskState::{Abandoned, Active, Completed, Open, Paused};
    let may = match to {
        Open => false,
        Active => matches!(task.state, Open | Active | Paused),
        Paused => task.state == Active,
        Completed | Abandoned => matches!(task.state, Open | Active | Paused),
    };
    if may {
        return Ok(());
    }
    Err(Problem::conflict("wrong_state", format!("This task is {} and cannot become {}.", task.state.word(), to.word())))
}

fn taken(key: &str) -> Problem {
    Problem::conflict("task_exists", format!("There is a task {key} already. Resume it, or choose another key."))
}

fn draft<P>(scope: &Scope<P>, key: String, title: String, project: Option<String>, state: TaskState) -> Task {
    let now = clock::now();
    Task {
        id: TaskId::new(),
        key,
        title,
        project,
        state,
        next_step: None,
        created_at: now,
        created_by: scope.actor().clone(),
        updated_at: now,
        episode_id: None,
    }
}

/// Of the items, those that are so far.
fn at(items: &[TaskItem], status: Progress) -> impl Iterator<Item = &TaskItem> {
    items.iter().filter(move |item| item.status == status)
}
