//! What has to be computed from more than a statement: rows for whoever does it, and erased texts, which only their keyed
//! hashes are left of.

use super::Outcome;
use crate::{
    engines::erasure::bars_of_line,
    keyring::Keyring,
    model::{deletion::Journalled, text::hex},
    store::memories,
};
use futures_util::TryStreamExt;
use sqlx::PgConnection;
use std::collections::{HashMap, HashSet};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The clocks of servers and Postgres may differ, and whoever was quicker by so little did not see the other.
const AT_ONCE: Duration = Duration::minutes(1);

/// What each memory is superseded by, by workspace and id.
pub async fn successors(conn: &mut PgConnection) -> Result<HashMap<(Uuid, Uuid), Uuid>, sqlx::Error> {
    let rows: Vec<(Uuid, Uuid, Uuid)> = sqlx::query_as(
        "select m.workspace_id, m.id, v.superseded_by
         from memories m
         join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
         where v.superseded_by is not null",
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|(workspace, old, new)| ((workspace, old), new)).collect())
}

/// How many versions there are, and those whose digest is not that of their text and entry.
pub async fn unproven(conn: &mut PgConnection) -> Result<(u64, Vec<(Uuid, i32)>), sqlx::Error> {
    let versions: i64 = sqlx::query_scalar("select count(*) from memory_versions").fetch_one(&mut *conn).await?;
    Ok((versions.cast_unsigned(), memories::unproven(conn).await?))
}

/// Every executed request with its certificate. One that was executed before there were any has none.
pub async fn certificates(conn: &mut PgConnection) -> Result<Vec<(Uuid, Uuid, Option<String>)>, sqlx::Error> {
    sqlx::query_as("select workspace_id, id, certificate from deletion_requests where state = 'executed' and executed_xid is not null")
        .fetch_all(conn)
        .await
}

/// What the journal beside the database says was erased is known here, with every hash of it.
pub async fn journalled(conn: &mut PgConnection, journal: &[Journalled]) -> Result<Outcome, sqlx::Error> {
    let mut found = Vec::new();
    for entry in journal {
        let kept: Vec<(Vec<u8>, Uuid)> = sqlx::query_as(
            "select e.content_mac, e.memory_id
             from erasures e
             join deletion_requests r on r.workspace_id = e.workspace_id and r.id = e.request_id and r.state = 'executed'
             where e.workspace_id = $1 and e.request_id = $2",
        )
        .bind(entry.workspace)
        .bind(entry.request)
        .fetch_all(&mut *conn)
        .await?;
        let kept: HashSet<(String, Uuid)> = kept.into_iter().map(|(mac, of)| (hex(&mac), of)).collect();
        if !entry.macs.iter().all(|mac| kept.contains(mac)) {
            found.push(format!("deletion request {}", entry.request.0));
        }
    }
    let promise = "every erasure that the journal in the data dir knows of is known to the database, with all its hashes";
    Ok(Outcome::of("tombstones_hold", promise, journal.len() as u64, found))
}

type Erased = HashMap<(Uuid, [u8; 32]), OffsetDateTime>;

/// No text has come back after it was erased. An independent copy that nobody chose stays, and so does what is written from it.
pub async fn come_back(conn: &mut PgConnection, keyring: &Keyring) -> Result<Outcome, sqlx::Error> {
    let rows: Vec<(Uuid, Vec<u8>, OffsetDateTime)> =
        sqlx::query_as("select workspace_id, content_mac, min(erased_at) from erasures group by 1, 2").fetch_all(&mut *conn).await?;
    let erased: Erased =
        rows.into_iter().filter_map(|(workspace, mac, at)| Some(((workspace, mac.try_into().ok()?), at + AT_ONCE))).collect();
    let (mut looked_at, mut found) = (0, Vec::new());
    for (memory, version, erased_at) in of_memories(conn, keyring, &erased, &mut looked_at).await? {
        let was_there: bool = sqlx::query_scalar(
            "select exists (
                 select 1 from memory_versions b
                 join memory_versions v on v.workspace_id = b.workspace_id and v.memory_id = b.memory_id and v.content_sha256 = b.content_sha256
                 where v.memory_id = $1 and v.version = $2 and b.at <= $3)",
        )
        .bind(memory)
        .bind(version)
        .bind(erased_at)
        .fetch_one(&mut *conn)
        .await?;
        if !was_there {
            found.push(format!("version {version} of memory {memory}"));
        }
    }
    found.extend(of_runs(conn, keyring, &erased, &mut looked_at).await?);
    let promise = "no text that was erased has been written again since";
    Ok(Outcome::of("erased_texts_stay_away", promise, looked_at, found))
}

async fn of_memories(
    conn: &mut PgConnection,
    keyring: &Keyring,
    erased: &Erased,
    looked_at: &mut u64,
) -> Result<Vec<(Uuid, i32, OffsetDateTime)>, sqlx::Error> {
    let mut rows = sqlx::query_as::<_, (Uuid, Uuid, i32, String, OffsetDateTime)>(
        "select workspace_id, memory_id, version, content, at from memory_versions
         where content is not null and workspace_id in (select workspace_id from erasures)",
    )
    .fetch(conn);
    let mut found = Vec::new();
    while let Some((workspace, memory, version, content, at)) = rows.try_next().await? {
        *looked_at += 1;
        if let Some(erased_at) = erased.get(&(workspace, keyring.erasure_mac(&content))).filter(|erased_at| at > **erased_at) {
            found.push((memory, version, *erased_at));
        }
    }
    Ok(found)
}

/// What was said in runs, and the lines of tasks and checkpoints.
async fn of_runs(conn: &mut PgConnection, keyring: &Keyring, erased: &Erased, looked_at: &mut u64) -> Result<Vec<String>, sqlx::Error> {
    let mut rows = sqlx::query_as::<_, (Uuid, String, String, OffsetDateTime)>(
        "select l.workspace_id, l.what, l.line, l.at
         from (
             select workspace_id, format('event %s of session %s', seq, session_id) as what, text as line, received_at as at from session_events
             union all select workspace_id, format('checkpoint %s', id), next_step, at from checkpoints
             union all select c.workspace_id, format('checkpoint %s', c.id), p ->> 'item', c.at from checkpoints c, jsonb_array_elements(c.progress) p
             union all select workspace_id, format('task %s', id), title, created_at from tasks
             union all select workspace_id, format('item %s of task %s', position, task_id), item, updated_at from task_items
             union all select workspace_id, format('session %s', id), summary, ended_at from sessions
         ) l
         where l.line is not null and l.at is not null and l.workspace_id in (select workspace_id from erasures)",
    )
    .fetch(conn);
    let mut found = Vec::new();
    while let Some((workspace, what, line, at)) = rows.try_next().await? {
        *looked_at += 1;
        let Some(told) = bars_of_line(&line) else { continue };
        if erased.get(&(workspace, keyring.erasure_mac(&told))).is_some_and(|erased_at| at > *erased_at) {
            found.push(what);
        }
    }
    Ok(found)
}
