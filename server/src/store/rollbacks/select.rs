//! Which versions a selector means, with the histories they stand in and the memories around them.

use super::super::{Tx, tx::Write};
use crate::{
    engines::rollback::{Blocker, Other, Past, Standing, Thread},
    model::{Kind, MemoryId, PersonId, State, StoreId, memory::Operation, rollbacks::Selector},
    problem::Problem,
};
use sqlx::QueryBuilder;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};
use uuid::Uuid;

/// Memories that one statement looks up. Each is looked up by its key, whatever the planner believes of tables that grew a
/// moment ago: joins of thousands with thousands would be a matter of luck.
const SOME: usize = 1000;

/// The chosen versions, and the memories they touch.
pub struct Chosen {
    versions: HashSet<(MemoryId, i32)>,
    /// Made by what is chosen.
    made: HashSet<MemoryId>,
    touched: Vec<MemoryId>,
}

/// What a selector means. Who undoes the making of a memory undoes that it took another's place, whoever put that one aside.
pub async fn choose<M>(tx: &mut Tx<M>, selector: &Selector) -> Result<Chosen, Problem> {
    let workspace = tx.workspace().0;
    let mut sql = QueryBuilder::new("select v.memory_id, v.version, v.supersedes from ");
    match selector.run() {
        Some(run) => {
            sql.push("(select r.* from memory_versions r where r.workspace_id = ").push_bind(workspace);
            sql.push(" and r.run_id = ").push_bind(run);
            // From before runs were kept: what was made in a session names it.
            sql.push(
                " union all select f.* from memories m cross join lateral (
                    select l.* from memory_versions l where l.workspace_id = m.workspace_id and l.memory_id = m.id and l.version = 1 offset 0) f
                  where f.run_id is null and f.session_id = m.session_id and m.workspace_id = ",
            );
            sql.push_bind(workspace).push(" and m.session_id = ").push_bind(run).push(")");
        }
        None => drop(sql.push("memory_versions")),
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
    let rows: Vec<(MemoryId, i32, Option<MemoryId>)> = sql.build_query_as().fetch_all(tx.conn()).await?;
    let first = |(_, version, _): &&(MemoryId, i32, Option<MemoryId>)| *version == 1;
    let made: HashSet<MemoryId> = rows.iter().filter(first).map(|(id, ..)| *id).collect();
    let replaced = rows.iter().filter(first).filter_map(|(.., old)| *old);
    let aside = aside_for(tx, &made).await?;
    let touched: BTreeSet<MemoryId> = rows.iter().map(|(id, ..)| *id).chain(replaced).chain(aside).collect();
    Ok(Chosen { made, versions: rows.iter().map(|(id, version, _)| (*id, *version)).collect(), touched: touched.into_iter().collect() })
}

/// In whose place these stand now.
async fn aside_for<M>(tx: &mut Tx<M>, made: &HashSet<MemoryId>) -> Result<Vec<MemoryId>, Problem> {
    let (made, mut aside): (Vec<Uuid>, Vec<MemoryId>) = (made.iter().map(|id| id.0).collect(), Vec::new());
    for some in made.chunks(SOME) {
        let rows: Vec<MemoryId> = sqlx::query_scalar(
            "select m.id
             from unnest($2::uuid[]) w (id)
             cross join lateral (
                 select l.memory_id, l.version from memory_versions l where l.workspace_id = $1 and l.superseded_by = w.id offset 0) v
             cross join lateral (
                 select m.id from memories m where m.workspace_id = $1 and m.id = v.memory_id and m.version = v.version offset 0) m",
        )
        .bind(tx.workspace())
        .bind(some)
        .fetch_all(tx.conn())
        .await?;
        aside.extend(rows);
    }
    Ok(aside)
}

/// Nobody else changes what is touched before this transaction ends. Always in the same order.
pub async fn hold(tx: &mut Tx<Write>, chosen: &Chosen) -> Result<(), Problem> {
    for some in chosen.touched.chunks(SOME) {
        sqlx::query("select id from memories where workspace_id = $1 and id = any($2) order by id for no key update")
            .bind(tx.workspace())
            .bind(some.iter().map(|id| id.0).collect::<Vec<_>>())
            .execute(tx.conn())
            .await?;
    }
    // Whoever puts one aside holds what takes its place: none come after this.
    let aside = aside_for(tx, &chosen.made).await?;
    if aside.iter().any(|id| chosen.touched.binary_search(id).is_err()) { Err(Problem::LostRace) } else { Ok(()) }
}

#[derive(sqlx::FromRow)]
struct Row {
    memory_id: MemoryId,
    version: i32,
    operation: Operation,
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
pub async fn threads<M>(tx: &mut Tx<M>, chosen: &Chosen) -> Result<Vec<Thread>, Problem> {
    let mut threads: Vec<Thread> = Vec::with_capacity(chosen.touched.len());
    for some in chosen.touched.chunks(SOME) {
        let rows: Vec<Row> = sqlx::query_as(
            "select v.*
             from unnest($2::uuid[]) w (id)
             cross join lateral (select m.id from memories m where m.workspace_id = $1 and m.id = w.id offset 0) m
             cross join lateral (
                 select l.memory_id, l.version, l.operation, l.restores, l.state, l.kind, l.store_id, l.path, l.project, l.owner_id, l.supersedes,
                        l.superseded_by, l.content_sha256, l.redacted_at is not null as redacted
                 from memory_versions l
                 where l.workspace_id = $1 and l.memory_id = m.id
                 offset 0) v
             order by v.memory_id, v.version",
        )
        .bind(tx.workspace())
        .bind(some.iter().map(|id| id.0).collect::<Vec<_>>())
        .fetch_all(tx.conn())
        .await?;
        for row in rows {
            let selected = chosen.versions.contains(&(row.memory_id, row.version))
                || (row.operation == Operation::Superseded && row.superseded_by.is_some_and(|by| chosen.made.contains(&by)));
            let (id, past) = (row.memory_id, Past { selected, ..Past::from(row) });
            match threads.last_mut().filter(|thread| thread.id == id) {
                Some(thread) => thread.versions.push(past),
                None => threads.push(Thread { id, versions: vec![past] }),
            }
        }
    }
    Ok(threads)
}

impl From<Row> for Past {
    fn from(row: Row) -> Self {
        Self {
            version: row.version,
            selected: false,
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

/// How some memories stand, and for whom.
pub async fn standing_of<M>(tx: &mut Tx<M>, ids: &[MemoryId]) -> Result<HashMap<MemoryId, Other>, Problem> {
    let rows: Vec<(MemoryId, State, Option<MemoryId>, Option<MemoryId>)> = sqlx::query_as(
        "select m.id, m.state, v.supersedes, v.superseded_by
         from unnest($2::uuid[]) w (id)
         cross join lateral (select m.* from memories m where m.workspace_id = $1 and m.id = w.id offset 0) m
         cross join lateral (
             select l.supersedes, l.superseded_by from memory_versions l
             where l.workspace_id = $1 and l.memory_id = m.id and l.version = m.version
             offset 0) v",
    )
    .bind(tx.workspace())
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|(id, state, supersedes, superseded_by)| (id, Other { state, supersedes, superseded_by })).collect())
}

/// Which of these took the place of a memory that everybody reads, and of which.
pub async fn followed<M>(tx: &mut Tx<M>, ids: &[MemoryId]) -> Result<HashMap<MemoryId, MemoryId>, Problem> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(MemoryId, MemoryId)> = sqlx::query_as(
        "select v.superseded_by, m.id
         from memories m
         join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
         where m.workspace_id = $1 and m.owner_id is null and m.state in ('superseded', 'archived') and v.superseded_by = any($2)
         order by m.id desc",
    )
    .bind(tx.workspace())
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().collect())
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
         )
         select w.id, m.id, m.path, m.project
         from w cross join lateral (
             select m.* from memories m
             where m.workspace_id = $1 and m.store_id = w.store_id and m.path = w.path collate \"C\" and m.state in ('active', 'proposed')
               and m.owner_id is not distinct from w.owner_id
             offset 0) m
         where m.id <> w.id
         union all
         select w.id, m.id, m.path, m.project
         from w cross join lateral (
             select m.* from memories m
             where m.workspace_id = $1 and m.store_id = w.store_id and m.state in ('active', 'proposed')
               and m.path >= (w.path || '/') collate \"C\" and m.path < (w.path || '0') collate \"C\"
             offset 0) m
         where m.id <> w.id
         union all
         select a.id, m.id, m.path, m.project
         from above a cross join lateral (
             select m.* from memories m
             where m.workspace_id = $1 and m.store_id = a.store_id and m.path = a.path collate \"C\" and m.state in ('active', 'proposed')
             offset 0) m
         where a.path <> '' and m.id <> a.id",
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
