//! Tasks over REST.

use super::{
    answers::List,
    document::{Access, needs},
    memories::{ActorBody, FreshnessBody, MemoryBody},
    sent::{Json, Params, Query},
    sessions::SessionBody,
};
use crate::{
    App,
    acts::{
        self,
        tasks::{NewTask, Resumed, Shown},
    },
    model::{
        Memory, MemoryId, Power, Project, ReceiptId, SessionId, TaskId,
        page::Limit,
        sessions::{Progress, Task, TaskItem, TaskState, Which, task_key},
        text,
    },
    problem::Problem,
    store::{Reading, Scope, Writing},
};
use axum::{extract::State as Of, http::StatusCode};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    let (reading, writing) = (Access::Workspace(Power::Reading), Access::Workspace(Power::Writing));
    OpenApiRouter::new()
        .routes(needs(writing, routes!(create_task)))
        .routes(needs(reading, routes!(list_tasks)))
        .routes(needs(reading, routes!(get_task)))
        .routes(needs(writing, routes!(pause_task)))
        .routes(needs(writing, routes!(abandon_task)))
        .routes(needs(writing, routes!(resume_task)))
        .routes(needs(writing, routes!(complete_task)))
}

/// Work that spans sessions.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewTaskBody {
    /// What it goes by: letters, digits, `-`, `_`, `.` and `:`.
    #[schema(example = "rotate-keys")]
    key: String,
    /// What is to be done.
    #[schema(example = "Rotate the signing keys without ending sessions")]
    title: String,
    /// The project it belongs to.
    #[schema(example = "api-gateway")]
    project: Option<String>,
}

/// A task.
#[derive(Serialize, ToSchema)]
#[schema(as = Task)]
struct TaskBody {
    /// Its id.
    id: TaskId,
    /// What it goes by.
    key: String,
    /// What is to be done.
    title: String,
    /// The project it belongs to.
    project: Option<String>,
    /// Where it stands.
    state: TaskState,
    /// Where to go on.
    next_step: Option<String>,
    /// When it was set up.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// By whom.
    created_by: ActorBody,
    /// When it last moved.
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    /// Of a completed one: its record, an archived memory.
    episode_id: Option<MemoryId>,
    /// Its items; only where one task is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<TaskItemBody>>,
}

/// An item of a task.
#[derive(Serialize, ToSchema)]
struct TaskItemBody {
    /// What.
    item: String,
    /// How far it has come.
    status: Progress,
    /// Where exactly it stands.
    note: Option<String>,
    /// The session that last spoke of it.
    session_id: SessionId,
    /// The line of the checkpoint's text that it came from.
    line: Option<u32>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
}

impl From<TaskItem> for TaskItemBody {
    fn from(item: TaskItem) -> Self {
        Self {
            item: item.item,
            status: item.status,
            note: item.note,
            session_id: item.session_id,
            line: item.line,
            updated_at: item.updated_at,
        }
    }
}

impl From<Task> for TaskBody {
    fn from(task: Task) -> Self {
        Self {
            id: task.id,
            key: task.key,
            title: task.title,
            project: task.project,
            state: task.state,
            next_step: task.next_step,
            created_at: task.created_at,
            created_by: (&task.created_by).into(),
            updated_at: task.updated_at,
            episode_id: task.episode_id,
            items: None,
        }
    }
}

impl From<Shown> for TaskBody {
    fn from(shown: Shown) -> Self {
        Self { items: Some(shown.items.into_iter().map(TaskItemBody::from).collect()), ..shown.task.into() }
    }
}

#[derive(Deserialize)]
struct OfTask {
    key: String,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct WhoseTask {
    /// Whose task is meant, where two projects have one of this key; unless said, one of no project, else the oldest.
    /// Where that project has none, one of no project is meant; another project's can be read so, and not changed.
    project: Option<String>,
}

impl WhoseTask {
    fn of<'a>(&'a self, task: &'a OfTask) -> Which<'a> {
        Which { key: &task.key, project: self.project.as_deref() }
    }
}

/// Set up a task.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/tasks", tag = "Tasks", request_body = NewTaskBody, responses(
    (status = 201, description = "Set up; it is open.", body = TaskBody),
    (status = 409, description = "The key is taken (`task_exists`).")))]
async fn create_task(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Json(sent): Json<NewTaskBody>,
) -> Result<(StatusCode, axum::Json<TaskBody>), Problem> {
    let title = text::line("title", &sent.title, 300)?;
    if title.is_empty() {
        return Err(Problem::invalid("title", "must not be empty"));
    }
    let new = NewTask {
        key: task_key(&sent.key).map_err(|problem| problem.at_field("key"))?,
        title,
        project: sent.project.as_deref().map(Project::parse).transpose()?,
    };
    Ok((StatusCode::CREATED, axum::Json(acts::tasks::create(&app, &scope, new).await?.into())))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListTasks {
    /// Only in this state.
    state: Option<TaskState>,
    /// Only of this project.
    project: Option<String>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List tasks, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/tasks", tag = "Tasks", params(ListTasks), responses((status = 200, description = "A page of them.", body = List<TaskBody>)))]
async fn list_tasks(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListTasks>,
) -> Result<axum::Json<List<TaskBody>>, Problem> {
    let limit = Limit::parse(asked.limit)?;
    let page = acts::tasks::list(&app, &scope, asked.state, asked.project.as_deref(), limit, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
}

/// Read a task with its items.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/tasks/{key}", tag = "Tasks", params(WhoseTask), responses((status = 200, description = "The task.", body = TaskBody)))]
async fn get_task(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfTask>,
    Query(whose): Query<WhoseTask>,
) -> Result<axum::Json<TaskBody>, Problem> {
    Ok(axum::Json(acts::tasks::find(&app, &scope, whose.of(&of)).await?.into()))
}

/// Put a task aside for a while.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/tasks/{key}/pause", tag = "Tasks", params(WhoseTask), responses(
    (status = 200, description = "Paused.", body = TaskBody),
    (status = 409, description = "It is not active (`wrong_state`).")))]
async fn pause_task(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfTask>,
    Query(whose): Query<WhoseTask>,
) -> Result<axum::Json<TaskBody>, Problem> {
    Ok(axum::Json(acts::tasks::pause(&app, &scope, whose.of(&of)).await?.into()))
}

/// Give a task up.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/tasks/{key}/abandon", tag = "Tasks", params(WhoseTask), responses(
    (status = 200, description = "Given up.", body = TaskBody),
    (status = 409, description = "It is over already (`wrong_state`).")))]
async fn abandon_task(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfTask>,
    Query(whose): Query<WhoseTask>,
) -> Result<axum::Json<TaskBody>, Problem> {
    Ok(axum::Json(acts::tasks::abandon(&app, &scope, whose.of(&of)).await?.into()))
}

/// Complete a task: its record becomes an archived episode, and it stays readable.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/tasks/{key}/complete", tag = "Tasks", params(WhoseTask), responses(
    (status = 200, description = "Completed.", body = TaskBody),
    (status = 409, description = "It is over already (`wrong_state`).")))]
async fn complete_task(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfTask>,
    Query(whose): Query<WhoseTask>,
) -> Result<axum::Json<TaskBody>, Problem> {
    Ok(axum::Json(acts::tasks::complete(&app, &scope, whose.of(&of)).await?.into()))
}

/// Which session takes a task up.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ResumeBody {
    /// A session of the caller that runs.
    session_id: SessionId,
    /// How many tokens the brief may have, 1 to 100,000; 2,000 unless said.
    token_budget: Option<u32>,
}

/// A task as the runs so far left it.
#[derive(Serialize, ToSchema)]
struct ResumedBody {
    /// The record of what was told.
    receipt_id: ReceiptId,
    /// The task.
    task: TaskBody,
    /// What the runs so far came to.
    state: StateBody,
    /// The same as a brief to read, within the budget.
    markdown: String,
    /// What the brief costs.
    tokens: u32,
    /// How many lines did not fit the budget.
    omitted: usize,
}

/// What the runs so far came to.
#[derive(Serialize, ToSchema)]
struct StateBody {
    /// Decisions that bind.
    decisions: Vec<MemoryBody>,
    /// Decisions that others took the place of: history, not to be followed.
    superseded: Vec<MemoryBody>,
    /// Not to be done again.
    completed: Vec<TaskItemBody>,
    /// Begun.
    in_progress: Vec<TaskItemBody>,
    /// Not begun.
    pending: Vec<TaskItemBody>,
    /// What was found out.
    discoveries: Vec<MemoryBody>,
    /// Where to go on.
    next_step: Option<String>,
    /// What may no longer hold.
    stale: Vec<StaleBody>,
    /// The run before, and what its log shows after its last checkpoint.
    last_run: Option<LastRunBody>,
}

/// Something that may no longer hold.
#[derive(Serialize, ToSchema)]
struct StaleBody {
    /// The memory.
    memory_id: MemoryId,
    /// What it is about.
    title: String,
    /// Why it may not hold.
    freshness: FreshnessBody,
}

/// The run before.
#[derive(Serialize, ToSchema)]
struct LastRunBody {
    /// The session.
    session: SessionBody,
    /// Where it was when it stopped.
    traces: Vec<String>,
}

/// How many tokens a brief may have.
pub fn budget(sent: Option<u32>) -> Result<u32, Problem> {
    match sent {
        None => Ok(2000),
        Some(budget) if (1..=100_000).contains(&budget) => Ok(budget),
        Some(_) => Err(Problem::invalid("token_budget", "must be between 1 and 100,000")),
    }
}

/// Take a task up where the runs so far left it.
///
/// A completed or abandoned task answers 409 `wrong_state`: it can be read, not resumed.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/tasks/{key}/resume", tag = "Tasks", params(WhoseTask), request_body = ResumeBody, responses(
    (status = 200, description = "Taken up.", body = ResumedBody),
    (status = 409, description = "It is over (`wrong_state`), or the session is (`session_ended`).")))]
async fn resume_task(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfTask>,
    Query(whose): Query<WhoseTask>,
    Json(sent): Json<ResumeBody>,
) -> Result<axum::Json<ResumedBody>, Problem> {
    let Resumed { receipt_id, task, state, markdown, tokens, omitted } =
        acts::tasks::resume(&app, &scope, whose.of(&of), sent.session_id, budget(sent.token_budget)?).await?;
    let branch = state.branch.as_deref();
    let memories = |memories: Vec<Memory>| memories.into_iter().map(|memory| MemoryBody::on(&scope, memory, branch)).collect();
    let items = |items: Vec<TaskItem>| items.into_iter().map(TaskItemBody::from).collect();
    let state = StateBody {
        decisions: memories(state.decisions),
        superseded: memories(state.superseded),
        completed: items(state.completed),
        in_progress: items(state.in_progress),
        pending: items(state.pending),
        discoveries: memories(state.discoveries),
        next_step: state.next_step,
        stale: state
            .stale
            .into_iter()
            .map(|(memory_id, title, judged)| StaleBody {
                memory_id,
                title,
                freshness: FreshnessBody { state: judged.state, reasons: judged.reasons },
            })
            .collect(),
        last_run: state.last_run.map(|(session, traces)| LastRunBody { session: session.into(), traces }),
    };
    Ok(axum::Json(ResumedBody { receipt_id, task: task.into(), state, markdown, tokens, omitted }))
}
