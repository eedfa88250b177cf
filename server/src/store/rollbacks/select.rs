//! Which versions a selector means, with the histories they stand in and the memories around them.

use super::super::{Tx, tx::Write};
use crate::{
    engines::rollback::{Blocker, Past, Standing, Thread},
    model::{Kind, MemoryId, PersonId, State, StoreId, rollbacks::Selector},
    problem::Problem,
};
use sqlx::{Postgres, QueryBuilder};
use std::{collections::HashMap, sync::Arc};
use uuid::Uuid;

/// The chosen versions, and the memories they touch. Who undoes the making of a memory undoes that it took another's place.
fn chosen(sql: &mut QueryBuilder<Postgres>, workspace: Uuid, selector: &Selector) {
    sql.push("with chosen as materialized (select v.memory_id, v.version, v.supersedes from ");
    match selector.run() {
        Some(run) => {
            sql.push("(select r.* from memory_versions r where r.workspace_id = ").push_bind(workspace);
            sql.push(" and r.run_id = ").push_bind(run);
            // From before runs were kept: what was made in a session names it.
            sql.push(" union all select f.* from memories m join memory_versions f on f.workspace_id = m.workspace_id and f.memory_id = m.id and f.version = 1 and f.run_id is null and f.session_id = m.session_id where m.workspace_id = ");
            sql.push_bind(workspace).push(" and m.session_id = ").push_bind(run).push(")");
        }
        None => {
            sql.push("memory_versions");
        }
    }
    sql.push(" v where v.workspace_id = ").push_bind(workspace);
    if let Some(agent) = selector.agent_id {
        sql.push(" and v.actor_id = ").push_bind(agent);
    }
    if let Some(from) = selector.from {
        sql.push(" and v.at >= ").push_bind(from);
    }
    if let Some(to) = selector.to {
        sql.push(" and v.at < ").push_bind(to);
    }
    if let Some(memories) = &selector.memory_ids {
        sql.push(" and v.memory_id = any(").push_bind(memories.iter().map(|id| id.0).collect::<Vec<_>>()).push(")");
    }
    sql.push(
        "), touched as materialized (
            select memory_id from chosen
            union
            select supersedes from chosen where version = 1 and supersedes is not null
         ) ",
    );
}

/// Nobody else changes what is touched before this transaction ends. Always in the same order.
pub async fn hold(tx: &mut Tx<Write>, selector: &Selector) -> Result<(), Problem> {
    let workspace = tx.workspace().0;
    let mut sql = QueryBuilder::new("");
    chosen(&mut sql, workspace, selector);
    sql.push("select m.id from memories m where m.workspace_id = ").push_bind(workspace);
    sql.push(" and m.id in (select memory_id from touched) order by m.id for update of m");
    sql.build().execute(tx.conn()).await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    memory_id: MemoryId,
    version: i32,
    selected: bool,
    restores: Option<i32>,
    state: State,
    kind: Kind,
    store_id: StoreId,
    path: Option<String>,
    project: Option<String>,
    owner_id: Option<PersonId>,
    supersedes: Option<MemoryId>,
    superseded_by: Option<MemoryId>,
    content_sha256: Option<Vec<u8>>,
    redacted: bool,
}

/// Every memory that is touched, with its history as far as it is to be seen.
pub async fn threads<M>(tx: &mut Tx<M>, selector: &Selector) -> Result<Vec<Thread>, Problem> {
    let workspace = tx.workspace().0;
    let mut sql = QueryBuilder::new("");
    chosen(&mut sql, workspace, selector);
    sql.push(
        "select v.memory_id, v.version, v.restores, v.state, v.kind, v.store_id, v.path, v.project, v.owner_id, v.supersedes, v.superseded_by,
                v.content_sha256, v.redacted_at is not null as redacted,
                c.version is not null or (v.operation = 'superseded' and b.memory_id is not null) as selected
         from touched t
         join memories m on m.id = t.memory_id
         join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id
         left join chosen c on c.memory_id = v.memory_id and c.version = v.version
         left join chosen b on b.memory_id = v.superseded_by and b.version = 1
         where m.workspace_id = ",
    );
    sql.push_bind(workspace).push(" order by v.memory_id, v.version");
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    let mut threads: Vec<Thread> = Vec::new();
    for row in rows {
        let (id, past) = (row.memory_id, Past::from(row));
        match threads.last_mut().filter(|thread| thread.id == id) {
            Some(thread) => thread.versions.push(past),
            None => threads.push(Thread { id, versions: vec![past] }),
        }
    }
    Ok(threads)
}

impl From<Row> for Past {
    fn from(row: Row) -> Self {
        Self {
            version: row.version,
            selected: row.selected,
            restores: row.restores,
            standing: Standing {
                state: row.state,
                kind: row.kind,
                store: row.store_id,
                path: row.path.unwrap_or_default().into(),
                project: row.project.map(Arc::from),
                owner: row.owner_id,
                supersedes: row.supersedes,
                superseded_by: row.superseded_by,
            },
            content_sha256: row.content_sha256,
            redacted: row.redacted,
        }
    }
}

/// State and successor of some memories.
pub async fn standing_of<M>(tx: &mut Tx<M>, ids: &[MemoryId]) -> Result<HashMap<MemoryId, (State, Option<MemoryId>)>, Problem> {
    let rows: Vec<(MemoryId, State, Option<MemoryId>)> = sqlx::query_as(
        "select m.id, m.state, v.superseded_by
         from memories m
         join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
         where m.workspace_id = $1 and m.id = any($2)",
    )
    .bind(tx.workspace())
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|(id, state, by)| (id, (state, by))).collect())
}

/// Who has a path that is wanted, or one above or below it. The rule holds across the wall of a limited key, which learns
/// no more than that a path cannot be had.
pub async fn in_the_way<M>(tx: &mut Tx<M>, wanted: &[(MemoryId, Standing)]) -> Result<HashMap<MemoryId, Vec<Blocker>>, Problem> {
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    let wall: Option<String> = sqlx::query_scalar("select current_setting('cairn.project', true)").fetch_one(tx.conn()).await?;
    let wall = wall.unwrap_or_default();
    lift_wall(tx, "").await?;
    let (ids, stores): (Vec<Uuid>, Vec<Uuid>) = wanted.iter().map(|(id, standing)| (id.0, standing.store.0)).unzip();
    let (paths, owners): (Vec<&str>, Vec<Option<Uuid>>) =
        wanted.iter().map(|(_, standing)| (&*standing.path, standing.owner.map(|owner| owner.0))).unzip();
    let rows: Vec<(MemoryId, MemoryId, String, Option<String>)> = sqlx::query_as(
        "with recursive w as (
            select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[]) w (id, store_id, path, owner_id)
         ), above as (
            select w.id, w.store_id, parent_of(w.path) as path from w
            union all
            select a.id, a.store_id, parent_of(a.path) from above a where a.path <> ''
         ), clash as (
            select w.id, m.id as by, m.path, m.project
            from w join memories m on m.workspace_id = $1 and m.store_id = w.store_id and m.path = w.path collate \"C\"
                and m.state in ('active', 'proposed') and m.owner_id is not distinct from w.owner_id
            union all
            select w.id, m.id, m.path, m.project
            from w join memories m on m.workspace_id = $1 and m.store_id = w.store_id and m.state in ('active', 'proposed')
                and m.path >= (w.path || '/') collate \"C\" and m.path < (w.path || '0') collate \"C\"
            union all
            select a.id, m.id, m.path, m.project
            from above a join memories m on m.workspace_id = $1 and m.store_id = a.store_id and m.path = a.path collate \"C\"
                and m.state in ('active', 'proposed')
            where a.path <> ''
         )
         select id, by, path, project from clash where id <> by",
    )
    .bind(tx.workspace())
    .bind(ids)
    .bind(stores)
    .bind(paths)
    .bind(owners)
    .fetch_all(tx.conn())
    .await?;
    lift_wall(tx, &wall).await?;
    let mut blockers: HashMap<MemoryId, Vec<Blocker>> = HashMap::new();
    for (id, by, path, project) in rows {
        let known = wall.is_empty() || project.is_none_or(|project| project == wall);
        blockers.entry(id).or_default().push(Blocker { id: known.then_some(by), path: path.into() });
    }
    Ok(blockers)
}

async fn lift_wall<M>(tx: &mut Tx<M>, wall: &str) -> Result<(), Problem> {
    sqlx::query("select set_config('cairn.project', $1, true)").bind(wall).execute(tx.conn()).await?;
    Ok(())
}

/// Frees the paths of memories that this transaction moves next, each with an entry of its own: of two that swap places
/// one has to go first.
pub async fn make_way(tx: &mut Tx<Write>, ids: &[MemoryId]) -> Result<(), Problem> {
    sqlx::query("update memories set state = 'archived', audit_id = gen_random_uuid() where workspace_id = $1 and id = any($2)")
        .bind(tx.workspace())
        .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .execute(tx.conn())
        .await?;
    Ok(())
}
