//! Sessions and their logs: appended, read in order, closed; never changed.

use super::{
    Tx,
    tx::{Record, Write},
};
use crate::{
    model::{
        Actor, ActorKind, AuditId, MemoryId, SessionId, TaskId,
        page::{Limit, Page, decode},
        sessions::{Cut, Event, EventType, Session, SessionFilter, SessionState},
    },
    problem::Problem,
};
use serde_json::Value;
use sqlx::{QueryBuilder, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(sqlx::FromRow)]
struct Row {
    id: SessionId,
    agent_tool: String,
    external_id: Option<String>,
    project: Option<String>,
    task: Option<String>,
    branch: Option<String>,
    commit_id: Option<String>,
    cwd: Option<String>,
    state: SessionState,
    started_at: OffsetDateTime,
    last_event_at: Option<OffsetDateTime>,
    ended_at: Option<OffsetDateTime>,
    summary: Option<String>,
    event_count: i64,
    episode_id: Option<MemoryId>,
    actor_type: ActorKind,
    actor_id: Uuid,
    actor_name: Option<String>,
}

impl From<Row> for Session {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            agent_tool: row.agent_tool,
            external_id: row.external_id,
            project: row.project,
            task: row.task,
            branch: row.branch,
            commit: row.commit_id,
            cwd: row.cwd,
            state: row.state,
            started_at: row.started_at,
            last_event_at: row.last_event_at,
            ended_at: row.ended_at,
            summary: row.summary,
            event_count: row.event_count,
            episode_id: row.episode_id,
            created_by: Actor::known(row.actor_type, row.actor_id, row.actor_name),
        }
    }
}

const SELECT: &str =
    "select s.id, s.agent_tool, s.external_id, s.project, t.key as task, s.branch, s.commit_id, s.cwd, s.state, s.started_at,
       e.at as last_event_at, s.ended_at, s.summary, coalesce(e.seq, 0) as event_count, s.episode_id, s.actor_type, s.actor_id,
       coalesce(a.name, p.name) as actor_name
from sessions s
left join tasks t on t.workspace_id = s.workspace_id and t.id = s.task_id
left join lateral (
    select e.seq, e.at from session_events e where e.workspace_id = s.workspace_id and e.session_id = s.id order by e.seq desc limit 1
) e on true
left join agents a on a.workspace_id = s.workspace_id and a.id = s.actor_id
left join people p on p.id = s.actor_id
where s.workspace_id = ";

pub async fn insert(tx: &mut Tx<Write>, session: &Session, task: Option<TaskId>, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "insert into sessions (workspace_id, id, agent_tool, external_id, project, task_id, branch, commit_id, cwd, state, started_at, actor_type, actor_id, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'running', $10, $11, $12, $13)",
        workspace.0,
        session.id.0,
        session.agent_tool,
        session.external_id,
        session.project,
        task.map(|task| task.0),
        session.branch,
        session.commit,
        session.cwd,
        session.started_at,
        session.created_by.kind as _,
        session.created_by.id,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The run of this actor that goes by this name and has not ended; in this project, if one is asked for.
pub async fn running<M>(tx: &mut Tx<M>, actor: Uuid, external_id: &str, project: Option<&str>) -> Result<Option<Session>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    sql.push(" and s.state = 'running' and s.actor_id = ").push_bind(actor).push(" and s.external_id = ").push_bind(external_id);
    if let Some(project) = project {
        sql.push(" and s.project = ").push_bind(project);
    }
    sql.push(" order by s.id desc limit 1");
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    Ok(row.map(Session::from))
}

pub async fn find<M>(tx: &mut Tx<M>, id: SessionId) -> Result<Session, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and s.id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(Session::from).ok_or(Problem::NotFound)
}

/// Only who began a run says that something is of it. One that is not there, or not to be seen, looks like another's.
pub async fn must_be_of<M>(tx: &mut Tx<M>, actor: &Actor, field: &'static str, id: SessionId) -> Result<(), Problem> {
    let own: Option<bool> = sqlx::query_scalar("select actor_id = $3 from sessions where workspace_id = $1 and id = $2")
        .bind(tx.workspace())
        .bind(id)
        .bind(actor.id)
        .fetch_optional(tx.conn())
        .await?;
    match own {
        Some(true) => Ok(()),
        _ => Err(Problem::invalid(field, "must be a session that you began")),
    }
}

/// The newest run that worked on a task, but for one.
pub async fn last_of_task<M>(tx: &mut Tx<M>, task: TaskId, but: Option<SessionId>) -> Result<Option<SessionId>, Problem> {
    let workspace = tx.workspace();
    let found = sqlx::query_scalar!(
        "select id from sessions where workspace_id = $1 and task_id = $2 and id is distinct from $3 order by id desc limit 1",
        workspace.0,
        task.0,
        but.map(|id| id.0)
    )
    .fetch_optional(tx.conn())
    .await?;
    Ok(found.map(SessionId))
}

/// The newest run of a project that left a checkpoint.
pub async fn last_with_checkpoint<M>(tx: &mut Tx<M>, project: Option<&str>) -> Result<Option<SessionId>, Problem> {
    let workspace = tx.workspace();
    let found = sqlx::query_scalar!(
        "select session_id from checkpoints where workspace_id = $1 and ($2::text is null or project = $2) order by id desc limit 1",
        workspace.0,
        project
    )
    .fetch_optional(tx.conn())
    .await?;
    Ok(found.map(SessionId))
}

/// Newest first.
pub async fn list<M>(tx: &mut Tx<M>, filter: &SessionFilter, limit: Limit, cursor: Option<&str>) -> Result<Page<Session>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    if let Some(state) = filter.state {
        sql.push(" and s.state = ").push_bind(state);
    }
    if let Some(project) = &filter.project {
        sql.push(" and s.project = ").push_bind(project);
    }
    if let Some(task) = &filter.task {
        sql.push(" and t.key = ").push_bind(task);
    }
    if let Some(task) = filter.task_id {
        sql.push(" and s.task_id = ").push_bind(task);
    }
    if let Some(actor) = filter.actor {
        sql.push(" and s.actor_id = ").push_bind(actor);
    }
    if let Some(tool) = &filter.agent_tool {
        sql.push(" and s.agent_tool = ").push_bind(tool);
    }
    if let Some(id) = &filter.external_id {
        sql.push(" and s.external_id = ").push_bind(id);
    }
    if let Some(cursor) = cursor {
        sql.push(" and s.id < ").push_bind(decode::<SessionId>(cursor)?);
    }
    sql.push(" order by s.id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Session::from))
}

/// A session that nobody else writes to before this transaction ends.
pub struct Held {
    pub state: SessionState,
    pub actor: Uuid,
    pub project: Option<String>,
    pub task: Option<TaskId>,
    /// The end of its log, and how much of it has been distilled.
    pub last: i64,
    pub distilled: i64,
    pub summary: Option<String>,
    pub agent_tool: String,
    pub cwd: Option<String>,
    pub episode: Option<MemoryId>,
}

pub async fn hold<M>(tx: &mut Tx<M>, id: SessionId) -> Result<Held, Problem> {
    let workspace = tx.workspace();
    let row = sqlx::query!(
        r#"select s.state as "state: SessionState", s.actor_id, s.project, s.task_id, s.distilled, s.summary, s.agent_tool, s.cwd, s.episode_id
           from sessions s where s.workspace_id = $1 and s.id = $2
           for update"#,
        workspace.0,
        id.0
    )
    .fetch_optional(tx.conn())
    .await?
    .ok_or(Problem::NotFound)?;
    // After the lock, in a snapshot of its own.
    let last = sqlx::query_scalar!(
        r#"select coalesce(max(seq), 0) as "last!" from session_events where workspace_id = $1 and session_id = $2"#,
        workspace.0,
        id.0
    )
    .fetch_one(tx.conn())
    .await?;
    Ok(Held {
        state: row.state,
        actor: row.actor_id,
        project: row.project,
        task: row.task_id.map(TaskId),
        last,
        distilled: row.distilled,
        summary: row.summary,
        agent_tool: row.agent_tool,
        cwd: row.cwd,
        episode: row.episode_id.map(MemoryId),
    })
}

/// After what is there, in the order given; those that are there already are passed over. Answers how many were new.
pub async fn append(tx: &mut Tx<Record>, id: SessionId, held: &Held, events: &[Event], now: OffsetDateTime) -> Result<u64, Problem> {
    let workspace = tx.workspace();
    let added = sqlx::query(
        "insert into session_events (workspace_id, session_id, seq, id, project, type, at, received_at, text, tool, input, output, path, command, exit_code, cut)
         select $1, $2, $3 + row_number() over (order by n), i.id, $4, i.type, i.at, $5, i.text, i.tool, i.input, i.output, i.path, i.command, i.exit_code, i.cut
         from unnest($6::text[], $7::text[], $8::timestamptz[], $9::text[], $10::text[], $11::jsonb[], $12::text[], $13::text[], $14::text[], $15::int[], $16::jsonb[])
             with ordinality i (id, type, at, text, tool, input, output, path, command, exit_code, cut, n)
         where not exists (select 1 from session_events e where e.workspace_id = $1 and e.session_id = $2 and e.id = i.id)"
    )
    .bind(workspace)
    .bind(id)
    .bind(held.last)
    .bind(&held.project)
    .bind(now)
    .bind(column(events, |event| event.id.as_str()))
    .bind(column(events, |event| event.kind.word()))
    .bind(column(events, |event| event.at))
    .bind(column(events, |event| event.text.as_deref()))
    .bind(column(events, |event| event.tool.as_deref()))
    .bind(column(events, |event| event.input.as_ref()))
    .bind(column(events, |event| event.output.as_deref()))
    .bind(column(events, |event| event.path.as_deref()))
    .bind(column(events, |event| event.command.as_deref()))
    .bind(column(events, |event| event.exit_code))
    .bind(column(events, |event| event.cut.as_ref().map(Json)))
    .execute(tx.conn())
    .await?;
    Ok(added.rows_affected())
}

/// Whether each of these is in the log.
pub async fn has_all<M>(tx: &mut Tx<M>, id: SessionId, events: &[Event]) -> Result<bool, Problem> {
    let ids = column(events, |event| event.id.as_str());
    let there: i64 = sqlx::query_scalar("select count(*) from session_events where workspace_id = $1 and session_id = $2 and id = any($3)")
        .bind(tx.workspace())
        .bind(id)
        .bind(ids)
        .fetch_one(tx.conn())
        .await?;
    Ok(usize::try_from(there).is_ok_and(|there| there == events.len()))
}

fn column<'e, T>(events: &'e [Event], of: impl Fn(&'e Event) -> T) -> Vec<T> {
    events.iter().map(of).collect()
}

#[derive(sqlx::FromRow)]
struct EventRow {
    seq: i64,
    id: String,
    r#type: EventType,
    at: OffsetDateTime,
    text: Option<String>,
    tool: Option<String>,
    input: Option<Value>,
    output: Option<String>,
    path: Option<String>,
    command: Option<String>,
    exit_code: Option<i32>,
    cut: Option<Json<Cut>>,
}

impl From<EventRow> for Event {
    fn from(row: EventRow) -> Self {
        Self {
            seq: row.seq,
            id: row.id,
            kind: row.r#type,
            at: row.at,
            text: row.text,
            tool: row.tool,
            input: row.input,
            output: row.output,
            path: row.path,
            command: row.command,
            exit_code: row.exit_code,
            cut: row.cut.map(|cut| cut.0),
        }
    }
}

/// The log after a place, in order.
pub async fn log<M>(tx: &mut Tx<M>, id: SessionId, after: i64, most: i64) -> Result<Vec<Event>, Problem> {
    let rows: Vec<EventRow> = sqlx::query_as(
        "select seq, id, type, at, text, tool, input, output, path, command, exit_code, cut
         from session_events
         where workspace_id = $1 and session_id = $2 and seq > $3
         order by seq
         limit $4",
    )
    .bind(tx.workspace())
    .bind(id)
    .bind(after)
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(Event::from).collect())
}

#[derive(sqlx::FromRow)]
struct PlacedRow {
    session_id: Uuid,
    #[sqlx(flatten)]
    event: EventRow,
}

/// Events by their places in logs, each with the run whose log it is.
pub async fn events_at<M>(tx: &mut Tx<M>, places: &[(Uuid, i64)]) -> Result<Vec<(Uuid, Event)>, Problem> {
    let (runs, places): (Vec<Uuid>, Vec<i64>) = places.iter().copied().unzip();
    let rows: Vec<PlacedRow> = sqlx::query_as(
        "select e.session_id, e.seq, e.id, e.type, e.at, e.text, e.tool, e.input, e.output, e.path, e.command, e.exit_code, e.cut
         from unnest($2::uuid[], $3::bigint[]) p (session_id, seq)
         join session_events e on e.workspace_id = $1 and e.session_id = p.session_id and e.seq = p.seq",
    )
    .bind(tx.workspace())
    .bind(runs)
    .bind(places)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|row| (row.session_id, row.event.into())).collect())
}

/// Events by the names that their sender gave them, in the order of the log, as much of each as tells what happened.
pub async fn named<M>(tx: &mut Tx<M>, id: SessionId, names: &[String], most: i64) -> Result<Vec<Event>, Problem> {
    let rows: Vec<EventRow> = sqlx::query_as(
        "select seq, id, type, at, left(text, 1000) as text, tool, case when octet_length(input::text) <= 1000 then input end as input,
                left(output, 1000) as output, path, left(command, 1000) as command, exit_code, cut
         from session_events
         where workspace_id = $1 and session_id = $2 and id = any($3)
         order by seq
         limit $4",
    )
    .bind(tx.workspace())
    .bind(id)
    .bind(names)
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(Event::from).collect())
}

/// The end of a log, as much of each event as tells what happened: what is long is not read at all.
pub async fn log_in_short<M>(tx: &mut Tx<M>, id: SessionId, after: i64) -> Result<Vec<Event>, Problem> {
    let rows: Vec<EventRow> = sqlx::query_as(
        "select seq, id, type, at, left(text, 4000) as text, tool, case when octet_length(input::text) <= 4000 then input end as input,
                left(output, 4000) as output, path, left(command, 2000) as command, exit_code, cut
         from session_events
         where workspace_id = $1 and session_id = $2 and seq > $3
         order by seq",
    )
    .bind(tx.workspace())
    .bind(id)
    .bind(after)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(Event::from).collect())
}

/// A page of the log, in order.
pub async fn events<M>(tx: &mut Tx<M>, id: SessionId, limit: Limit, cursor: Option<&str>) -> Result<Page<Event>, Problem> {
    let after = cursor.map(decode::<i64>).transpose()?.unwrap_or_default();
    Ok(Page::cut(log(tx, id, after, limit.and_one()).await?, limit, |event| event.seq))
}

pub async fn close(
    tx: &mut Tx<Write>,
    id: SessionId,
    state: SessionState,
    at: OffsetDateTime,
    summary: Option<&str>,
    audit: AuditId,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update sessions set state = $3, ended_at = $4, summary = coalesce($5, summary), audit_id = $6, pairs_known = true
         where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        state as _,
        at,
        summary,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// From now on it works on this task.
pub async fn work_on(tx: &mut Tx<Write>, id: SessionId, task: TaskId, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!("update sessions set task_id = $3, audit_id = $4 where workspace_id = $1 and id = $2", workspace.0, id.0, task.0, audit.0)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// How far its log has been distilled, and into which episode.
pub async fn distilled(tx: &mut Tx<Write>, id: SessionId, until: i64, episode: Option<MemoryId>, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update sessions set distilled = $3, episode_id = coalesce($4, episode_id), audit_id = $5 where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        until,
        episode.map(|id| id.0),
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// A session that runs and has fallen silent.
pub struct Quiet {
    pub id: SessionId,
    /// When it was last heard of.
    pub heard: OffsetDateTime,
    /// The end of its log, and how much of it has been distilled.
    pub last: i64,
    pub distilled: i64,
}

/// Sessions that run and have said nothing since a moment.
pub async fn quiet_since<M>(tx: &mut Tx<M>, moment: OffsetDateTime) -> Result<Vec<Quiet>, Problem> {
    let workspace = tx.workspace();
    let rows = sqlx::query!(
        r#"select s.id, greatest(s.started_at, e.received_at, c.at) as "heard!", coalesce(e.seq, 0) as "last!", s.distilled
           from sessions s
           left join lateral (
               select e.seq, e.received_at from session_events e
               where e.workspace_id = s.workspace_id and e.session_id = s.id order by e.seq desc limit 1
           ) e on true
           left join lateral (
               select c.at from checkpoints c where c.workspace_id = s.workspace_id and c.session_id = s.id order by c.id desc limit 1
           ) c on true
           where s.workspace_id = $1 and s.state = 'running' and greatest(s.started_at, e.received_at, c.at) < $2"#,
        workspace.0,
        moment
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|row| Quiet { id: SessionId(row.id), heard: row.heard, last: row.last, distilled: row.distilled }).collect())
}
