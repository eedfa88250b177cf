//! Tasks, their items, and the checkpoints that fill them.

use super::{Tx, tx::Write};
use crate::{
    model::{
        Actor, ActorKind, AuditId, CheckpointId, MemoryId, SessionId, TaskId,
        page::{Limit, Page, decode},
        sessions::{Item, Kept, Progress, Task, TaskItem, TaskState, Which},
    },
    problem::Problem,
};
use sqlx::{QueryBuilder, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(sqlx::FromRow)]
struct Row {
    id: TaskId,
    key: String,
    title: String,
    project: Option<String>,
    state: TaskState,
    next_step: Option<String>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    episode_id: Option<MemoryId>,
    actor_type: ActorKind,
    actor_id: Uuid,
    actor_name: Option<String>,
}

impl From<Row> for Task {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            key: row.key,
            title: row.title,
            project: row.project,
            state: row.state,
            next_step: row.next_step,
            created_at: row.created_at,
            created_by: Actor::known(row.actor_type, row.actor_id, row.actor_name),
            updated_at: row.updated_at,
            episode_id: row.episode_id,
        }
    }
}

const SELECT: &str =
    "select t.id, t.key, t.title, t.project, t.state, t.next_step, t.created_at, t.updated_at, t.episode_id, t.actor_type, t.actor_id,
       coalesce(a.name, p.name) as actor_name
from tasks t
left join agents a on a.workspace_id = t.workspace_id and a.id = t.actor_id
left join people p on p.id = t.actor_id
where t.workspace_id = ";

pub async fn insert(tx: &mut Tx<Write>, task: &Task, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "insert into tasks (workspace_id, id, key, title, project, state, created_at, updated_at, actor_type, actor_id, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10)",
        workspace.0,
        task.id.0,
        task.key,
        task.title,
        task.project,
        task.state as _,
        task.created_at,
        task.created_by.kind as _,
        task.created_by.id,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// By its key, which more than one project may have: that of the project asked for, else one of no project, else the oldest
/// that the caller sees.
pub async fn find<M>(tx: &mut Tx<M>, which: Which<'_>) -> Result<Option<Task>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and t.key = ").push_bind(which.key);
    sql.push(" order by t.project is not distinct from ").push_bind(which.project).push(" desc, t.project is null desc, t.id limit 1");
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    Ok(row.map(Task::from))
}

/// As above, and nobody else changes it before this transaction ends.
pub async fn find_to_change(tx: &mut Tx<Write>, which: Which<'_>) -> Result<Option<Task>, Problem> {
    match find(tx, which).await? {
        Some(task) => hold(tx, task.id).await,
        None => Ok(None),
    }
}

/// As above, by its id.
pub async fn hold(tx: &mut Tx<Write>, id: TaskId) -> Result<Option<Task>, Problem> {
    let workspace = tx.workspace();
    sqlx::query_scalar!("select key from tasks where workspace_id = $1 and id = $2 for update", workspace.0, id.0)
        .fetch_optional(tx.conn())
        .await?;
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(workspace).push(" and t.id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    Ok(row.map(Task::from))
}

/// What a task is about.
/// With the project that it is of.
pub async fn title<M>(tx: &mut Tx<M>, id: TaskId) -> Result<Option<(String, Option<String>)>, Problem> {
    let found = sqlx::query_as("select title, project from tasks where workspace_id = $1 and id = $2").bind(tx.workspace()).bind(id);
    Ok(found.fetch_optional(tx.conn()).await?)
}

/// The task of a project that was worked on last and is not over.
pub async fn last_active<M>(tx: &mut Tx<M>, project: Option<&str>) -> Result<Option<Task>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and t.state in ('active', 'paused')");
    if let Some(project) = project {
        sql.push(" and t.project = ").push_bind(project.to_owned());
    }
    sql.push(" order by t.updated_at desc limit 1");
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    Ok(row.map(Task::from))
}

/// Newest first.
pub async fn list<M>(
    tx: &mut Tx<M>,
    state: Option<TaskState>,
    project: Option<&str>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Task>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    if let Some(state) = state {
        sql.push(" and t.state = ").push_bind(state);
    }
    if let Some(project) = project {
        sql.push(" and t.project = ").push_bind(project.to_owned());
    }
    if let Some(cursor) = cursor {
        sql.push(" and t.id < ").push_bind(decode::<TaskId>(cursor)?);
    }
    sql.push(" order by t.id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Task::from))
}

/// The task as it is from now on.
pub async fn change(tx: &mut Tx<Write>, task: &Task, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update tasks set state = $3, next_step = $4, updated_at = $5, episode_id = $6, audit_id = $7 where workspace_id = $1 and id = $2",
        workspace.0,
        task.id.0,
        task.state as _,
        task.next_step,
        task.updated_at,
        task.episode_id.map(|id| id.0),
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Items by what they say. What is completed stays so, unless it is said to begin anew: a list that was made before it was
/// completed must not have it done twice.
pub async fn put_items(tx: &mut Tx<Write>, task: TaskId, project: Option<&str>, kept: &Kept, at: OffsetDateTime) -> Result<(), Problem> {
    let workspace = tx.workspace();
    for item in &kept.progress {
        sqlx::query!(
            "insert into task_items (workspace_id, task_id, item_key, project, item, status, note, checkpoint_id, session_id, line, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
             on conflict (workspace_id, task_id, item_key) do update
             set status = excluded.status, note = coalesce(excluded.note, task_items.note), checkpoint_id = excluded.checkpoint_id,
                 session_id = excluded.session_id, line = excluded.line, updated_at = excluded.updated_at
             where task_items.status <> 'completed' or excluded.status = 'completed' or $12",
            workspace.0,
            task.0,
            item.key(),
            project,
            item.item,
            item.status as _,
            item.note,
            kept.id.0,
            kept.session_id.0,
            item.line.and_then(|line| i32::try_from(line).ok()),
            at,
            item.reopen
        )
        .execute(tx.conn())
        .await?;
    }
    Ok(())
}

/// In the order in which they came up.
pub async fn items<M>(tx: &mut Tx<M>, task: TaskId) -> Result<Vec<TaskItem>, Problem> {
    let workspace = tx.workspace();
    let rows = sqlx::query!(
        r#"select item, status as "status: Progress", note, session_id, line, updated_at
           from task_items where workspace_id = $1 and task_id = $2
           order by position
           limit 2000"#,
        workspace.0,
        task.0
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| TaskItem {
            item: row.item,
            status: row.status,
            note: row.note,
            session_id: SessionId(row.session_id),
            line: row.line.and_then(|line| u32::try_from(line).ok()),
            updated_at: row.updated_at,
        })
        .collect())
}

pub async fn keep(tx: &mut Tx<Write>, kept: &Kept, task: Option<TaskId>, by: &Actor, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let ids = |ids: &[MemoryId]| ids.iter().map(|id| id.0).collect::<Vec<_>>();
    sqlx::query!(
        "insert into checkpoints (workspace_id, id, session_id, task_id, project, at, decisions, discoveries, progress, next_step, actor_type, actor_id, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        workspace.0,
        kept.id.0,
        kept.session_id.0,
        task.map(|task| task.0),
        kept.project,
        kept.at,
        &ids(&kept.decisions),
        &ids(&kept.discoveries),
        Json(&kept.progress) as _,
        kept.next_step,
        by.kind as _,
        by.id,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Which checkpoints: those of a task, or of one run.
#[derive(Clone, Copy)]
pub enum Of {
    Task(TaskId),
    Session(SessionId),
}

#[derive(sqlx::FromRow)]
struct KeptRow {
    id: Uuid,
    session_id: Uuid,
    project: Option<String>,
    at: OffsetDateTime,
    decisions: Vec<Uuid>,
    discoveries: Vec<Uuid>,
    progress: Json<Vec<Item>>,
    next_step: Option<String>,
}

/// The newest of them, in the order in which they were written.
pub async fn checkpoints<M>(tx: &mut Tx<M>, of: Of) -> Result<Vec<Kept>, Problem> {
    let (task, session) = match of {
        Of::Task(task) => (Some(task.0), None),
        Of::Session(session) => (None, Some(session.0)),
    };
    let rows: Vec<KeptRow> = sqlx::query_as(
        "select id, session_id, project, at, decisions, discoveries, progress, next_step
         from (
             select * from checkpoints
             where workspace_id = $1 and ($2::uuid is null or task_id = $2) and ($3::uuid is null or session_id = $3)
             order by id desc
             limit 500
         ) newest
         order by id",
    )
    .bind(tx.workspace())
    .bind(task)
    .bind(session)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Kept {
            id: CheckpointId(row.id),
            session_id: SessionId(row.session_id),
            project: row.project,
            at: row.at,
            decisions: row.decisions.into_iter().map(MemoryId).collect(),
            discoveries: row.discoveries.into_iter().map(MemoryId).collect(),
            progress: row.progress.0,
            next_step: row.next_step,
        })
        .collect())
}
