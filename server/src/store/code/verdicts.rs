//! Anchors held against pictures: of the whole workspace, whoever synced, so this is read and written as the index is.

use crate::{
    model::{
        MemoryId, SessionId,
        code::{Fate, Standing},
    },
    problem::Problem,
    store::{
        Tx, Write,
        guise::{as_app, as_index},
    },
};
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// An anchor, and what was said of it on a branch before.
#[derive(Clone, Debug)]
pub struct Anchor {
    pub memory: MemoryId,
    pub position: i32,
    pub path: String,
    pub symbol: Option<String>,
    pub fingerprint: Option<String>,
    pub standing: Option<Standing>,
}

/// Which anchors are to be judged.
pub struct Judging<'a> {
    pub project: &'a str,
    pub repo: &'a str,
    pub branch: &'a str,
    /// Only those in these files, those that are missing, and those nothing has been said of; or all.
    pub touched: Option<&'a [&'a str]>,
}

#[derive(sqlx::FromRow)]
struct Row {
    memory_id: MemoryId,
    position: i32,
    path: String,
    symbol: Option<String>,
    fingerprint: Option<String>,
    verdict: Option<Fate>,
    now_path: Option<String>,
    now_symbol: Option<String>,
    main: Option<bool>,
    since: Option<String>,
    at: Option<OffsetDateTime>,
}

/// A project that has a picture of its own is judged by that one.
const OF_THIS_PICTURE: &str = "case when $2 = '' then m.project is null or not exists (
        select 1 from code_snapshots s where s.workspace_id = m.workspace_id and s.project = m.project and s.repo = $3)
    else m.project = $2 end";

pub async fn anchors(tx: &mut Tx<Write>, judging: &Judging<'_>) -> Result<Vec<Anchor>, Problem> {
    let workspace = tx.workspace();
    as_index(tx).await?;
    let sql = format!(
        "select a.memory_id, a.position, a.path, a.symbol, a.fingerprint, v.verdict, v.path as now_path, v.symbol as now_symbol, v.main, v.since, v.at
         from anchors a
         join memories m on m.workspace_id = a.workspace_id and m.id = a.memory_id
         left join lateral (
             select * from code_verdicts v
             where v.workspace_id = a.workspace_id and v.memory_id = a.memory_id and v.branch = $4 and v.position = a.position
             limit 1) v on true
         where a.workspace_id = $1 and {OF_THIS_PICTURE}
           and (a.repo = $3 or (a.repo = '' and (a.home = $3 or (a.home is null and not exists (
               select 1 from code_files f
               join code_snapshots s on s.workspace_id = f.workspace_id and s.id = f.snapshot_id
               where f.workspace_id = a.workspace_id and f.path = a.path and s.repo <> $3)))))
           and ($5::text[] is null or v.memory_id is null or v.path = any($5) or v.verdict in ('removed', 'file_gone', 'absent'))
         order by a.memory_id, a.position"
    );
    let rows: Vec<Row> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(workspace)
        .bind(judging.project)
        .bind(judging.repo)
        .bind(judging.branch)
        .bind(judging.touched)
        .fetch_all(tx.conn())
        .await?;
    as_app(tx).await?;
    Ok(rows.into_iter().map(|row| row.anchor(judging)).collect())
}

impl Row {
    fn anchor(self, judging: &Judging<'_>) -> Anchor {
        let standing = (|| {
            Some(Standing {
                position: self.position,
                branch: judging.branch.to_owned(),
                main: self.main?,
                repo: judging.repo.to_owned(),
                verdict: self.verdict?,
                path: self.now_path?,
                symbol: self.now_symbol,
                was_path: self.path.clone(),
                was_symbol: self.symbol.clone(),
                since: self.since?,
                at: self.at?,
            })
        })();
        Anchor {
            memory: self.memory_id,
            position: self.position,
            path: self.path,
            symbol: self.symbol,
            fingerprint: self.fingerprint,
            standing,
        }
    }
}

/// Titles and texts of memories as they are now, of the whole workspace.
pub async fn texts(tx: &mut Tx<Write>, memories: &[MemoryId]) -> Result<HashMap<MemoryId, String>, Problem> {
    let (workspace, ids): (_, Vec<Uuid>) = (tx.workspace(), memories.iter().map(|id| id.0).collect());
    as_index(tx).await?;
    let rows: Vec<(MemoryId, String)> = sqlx::query_as(
        "select m.id, concat_ws(e'\\n', v.title, v.content)
         from memories m
         join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
         where m.workspace_id = $1 and m.id = any($2)",
    )
    .bind(workspace)
    .bind(ids)
    .fetch_all(tx.conn())
    .await?;
    as_app(tx).await?;
    Ok(rows.into_iter().collect())
}

/// What is newly said of an anchor.
pub struct Change {
    pub memory: MemoryId,
    pub standing: Standing,
    /// Of one that no picture had before: what it looks like.
    pub fingerprint: Option<String>,
}

/// Writes what is newly said, lets anchors follow on the main branch, and tells every index.
pub async fn put(tx: &mut Tx<Write>, changes: &[Change]) -> Result<(), Problem> {
    if changes.is_empty() {
        return Ok(());
    }
    as_index(tx).await?;
    write(tx, changes).await?;
    touch(tx, changes).await?;
    as_app(tx).await
}

async fn write(tx: &mut Tx<Write>, changes: &[Change]) -> Result<(), Problem> {
    /// A column of what is newly said.
    fn column<'a, T>(changes: &'a [Change], part: impl Fn(&'a Change) -> T) -> Vec<T> {
        changes.iter().map(part).collect()
    }
    let workspace = tx.workspace();
    let state = |change: &Change| change.standing.verdict.freshness().map_or("unresolved", crate::engines::freshness::Freshness::word);
    sqlx::query(
        "insert into code_verdicts (workspace_id, memory_id, branch, position, main, repo, verdict, state, path, symbol, was_path, was_symbol, since, at)
         select $1, c.* from unnest($2::uuid[], $3::text[], $4::int[], $5::bool[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
             $12::text[], $13::text[], $14::timestamptz[]) c
         on conflict (workspace_id, memory_id, branch, position) do update
         set main = excluded.main, repo = excluded.repo, verdict = excluded.verdict, state = excluded.state, path = excluded.path,
             symbol = excluded.symbol, was_path = excluded.was_path, was_symbol = excluded.was_symbol, since = excluded.since, at = excluded.at",
    )
    .bind(workspace)
    .bind(column(changes, |change| change.memory.0))
    .bind(column(changes, |change| change.standing.branch.as_str()))
    .bind(column(changes, |change| change.standing.position))
    .bind(column(changes, |change| change.standing.main))
    .bind(column(changes, |change| change.standing.repo.as_str()))
    .bind(column(changes, |change| change.standing.verdict.word()))
    .bind(column(changes, state))
    .bind(column(changes, |change| change.standing.path.as_str()))
    .bind(column(changes, |change| change.standing.symbol.as_deref()))
    .bind(column(changes, |change| change.standing.was_path.as_str()))
    .bind(column(changes, |change| change.standing.was_symbol.as_deref()))
    .bind(column(changes, |change| change.standing.since.as_str()))
    .bind(column(changes, |change| change.standing.at))
    .execute(tx.conn())
    .await?;
    let seen: Vec<&Change> = changes.iter().filter(|change| change.fingerprint.is_some()).collect();
    if !seen.is_empty() {
        sqlx::query(
            "update anchors a set fingerprint = c.fingerprint, home = case when a.repo = '' then c.repo end
             from unnest($2::uuid[], $3::int[], $4::text[], $5::text[]) c (memory_id, position, fingerprint, repo)
             where a.workspace_id = $1 and a.memory_id = c.memory_id and a.position = c.position",
        )
        .bind(workspace)
        .bind(seen.iter().map(|change| change.memory.0).collect::<Vec<_>>())
        .bind(seen.iter().map(|change| change.standing.position).collect::<Vec<_>>())
        .bind(seen.iter().map(|change| change.fingerprint.as_deref()).collect::<Vec<_>>())
        .bind(seen.iter().map(|change| change.standing.repo.as_str()).collect::<Vec<_>>())
        .execute(tx.conn())
        .await?;
    }
    let ids: Vec<Uuid> = changes.iter().filter(|change| change.standing.main).map(|change| change.memory.0).collect();
    follow(tx, &ids).await
}

/// Where anchors are found from now on: where they stand on the main branch.
async fn follow(tx: &mut Tx<Write>, memories: &[Uuid]) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query(
        "update anchors a set now_path = n.path, now_symbol = n.symbol
         from (
             select a.memory_id, a.position,
                 case when v.path <> a.path or v.symbol <> a.symbol then v.path end as path,
                 case when v.path <> a.path or v.symbol <> a.symbol then v.symbol end as symbol
             from anchors a
             left join lateral (
                 select v.path, v.symbol from code_verdicts v
                 where v.workspace_id = a.workspace_id and v.memory_id = a.memory_id and v.position = a.position and v.main
                   and v.verdict not in ('removed', 'file_gone', 'absent')
                 limit 1) v on true
             where a.workspace_id = $1 and a.memory_id = any($2)
         ) n
         where a.workspace_id = $1 and a.memory_id = n.memory_id and a.position = n.position
           and (a.now_path, a.now_symbol) is distinct from (n.path, n.symbol)",
    )
    .bind(workspace)
    .bind(memories)
    .execute(tx.conn())
    .await?;
    Ok(())
}

async fn touch(tx: &mut Tx<Write>, changes: &[Change]) -> Result<(), Problem> {
    let (workspace, ids): (_, Vec<Uuid>) = (tx.workspace(), changes.iter().map(|change| change.memory.0).collect());
    sqlx::query("select touch_memories($1, $2)").bind(workspace).bind(ids).execute(tx.conn()).await?;
    Ok(())
}

/// An anchor by its place in a memory, what a picture first saw there, and in which repository if it names none.
pub type FirstSeen = (MemoryId, i32, String, Option<String>);

/// What pictures first saw at anchors of these memories: it stands beside their versions.
pub async fn first_seen<M>(tx: &mut Tx<M>, memories: &[Uuid]) -> Result<Vec<FirstSeen>, Problem> {
    Ok(sqlx::query_as(
        "select memory_id, position, fingerprint, home from anchors where workspace_id = $1 and memory_id = any($2) and fingerprint is not null",
    )
    .bind(tx.workspace())
    .bind(memories)
    .fetch_all(tx.conn())
    .await?)
}

/// Nothing is said of a memory's anchors any longer, and nothing is known of what they looked like beyond its version.
pub async fn forget(tx: &mut Tx<Write>, memory: MemoryId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    as_index(tx).await?;
    for sql in [
        "delete from code_verdicts where workspace_id = $1 and memory_id = $2",
        "update anchors a set fingerprint = v.anchors -> (a.position - 1) ->> 'fingerprint', home = null, now_path = null, now_symbol = null
         from memories m
         join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
         where a.workspace_id = $1 and a.memory_id = $2 and m.workspace_id = $1 and m.id = $2",
    ] {
        sqlx::query(sql).bind(workspace).bind(memory).execute(tx.conn()).await?;
    }
    as_app(tx).await
}

/// Nothing is said of memories on this branch any longer.
pub async fn unsay(tx: &mut Tx<Write>, project: &str, repo: &str, branch: &str) -> Result<(), Problem> {
    let sql = format!(
        "delete from code_verdicts v using memories m
         where v.workspace_id = $1 and v.repo = $3 and v.branch = $4 and m.workspace_id = v.workspace_id and m.id = v.memory_id and {OF_THIS_PICTURE}
         returning v.memory_id"
    );
    resay(tx, sql, project, repo, branch).await
}

/// Freshness is judged on this branch from now on.
pub async fn judge_on(tx: &mut Tx<Write>, project: &str, repo: &str, branch: &str) -> Result<(), Problem> {
    let sql = format!(
        "update code_verdicts v set main = (v.branch = $4)
         from memories m
         where v.workspace_id = $1 and v.repo = $3 and v.main <> (v.branch = $4) and m.workspace_id = v.workspace_id and m.id = v.memory_id
           and {OF_THIS_PICTURE}
         returning v.memory_id"
    );
    resay(tx, sql, project, repo, branch).await
}

/// Changes verdicts as the statement says, and lets the memories that it returns follow.
async fn resay(tx: &mut Tx<Write>, sql: String, project: &str, repo: &str, branch: &str) -> Result<(), Problem> {
    let workspace = tx.workspace();
    as_index(tx).await?;
    let ids: Vec<Uuid> =
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(workspace).bind(project).bind(repo).bind(branch).fetch_all(tx.conn()).await?;
    follow(tx, &ids).await?;
    sqlx::query("select touch_memories($1, $2)").bind(workspace).bind(ids).execute(tx.conn()).await?;
    as_app(tx).await
}

/// The branch that a run works on, if it said.
pub async fn branch_of_run<M>(tx: &mut Tx<M>, session: SessionId) -> Result<Option<String>, Problem> {
    let found: Option<Option<String>> = sqlx::query_scalar("select branch from sessions where workspace_id = $1 and id = $2")
        .bind(tx.workspace())
        .bind(session)
        .fetch_optional(tx.conn())
        .await?;
    Ok(found.flatten())
}

/// The same, where it is a branch that some repository has beside its default one.
pub async fn side_branch_of_run<M>(tx: &mut Tx<M>, session: SessionId) -> Result<Option<String>, Problem> {
    Ok(sqlx::query_scalar(
        "select r.branch from sessions r
         where r.workspace_id = $1 and r.id = $2 and exists (
             select 1 from code_snapshots s
             where s.workspace_id = r.workspace_id and s.branch = r.branch collate \"C\" and s.commit is not null and not s.main)",
    )
    .bind(tx.workspace())
    .bind(session)
    .fetch_optional(tx.conn())
    .await?)
}

/// A memory on a place in code, where the place is now.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Hung {
    pub memory: MemoryId,
    pub path: String,
    pub symbol: Option<String>,
}

/// The active memories on these files, as far as they may be seen; a symbol by the name that the newest picture has for it.
pub async fn hung_on<M>(tx: &mut Tx<M>, paths: impl Iterator<Item = &str>) -> Result<Vec<Hung>, Problem> {
    let paths: Vec<&str> = paths.collect();
    Ok(sqlx::query_as(
        "select a.memory_id as memory, coalesce(a.now_path, a.path) as path, coalesce(v.symbol, a.now_symbol, a.symbol) as symbol
         from anchors a
         join memories m on m.workspace_id = a.workspace_id and m.id = a.memory_id and m.state = 'active'
         left join code_verdicts v on v.workspace_id = a.workspace_id and v.memory_id = a.memory_id and v.position = a.position and v.main
         where a.workspace_id = $1 and (a.now_path = any($2) or (a.now_path is null and a.path = any($2)))",
    )
    .bind(tx.workspace())
    .bind(paths)
    .fetch_all(tx.conn())
    .await?)
}
