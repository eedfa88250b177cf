//! The erasure itself, in the transaction that executes a request.

use super::{
    list,
    memories::erase_memories,
    notes::{erase_notes, erase_sightings},
};
use crate::{
    engines::erasure::{bars_of_event, bars_of_line},
    keyring::Keyring,
    model::{
        DeletionId, MemoryId, SessionId,
        deletion::{Item, ItemKind},
    },
    problem::Problem,
    store::{Tx, Write, sessions},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use uuid::Uuid;

/// A log is read in pieces.
const AT_ONCE: u16 = 500;

/// What is gone, memory by memory, and how much of what.
pub struct Erased {
    pub memories: Vec<(MemoryId, i64)>,
    pub sessions: Vec<SessionId>,
    pub counts: Value,
}

pub(super) type Counts = BTreeMap<String, u64>;

/// Erases what a request that was closed in this transaction lists, from every table that holds any of it, and leaves keyed
/// hashes of the texts.
pub async fn erase(tx: &mut Tx<Write>, request: DeletionId, keyring: &Keyring) -> Result<Erased, Problem> {
    let items: Vec<Item> = list::items(tx, request).await?.into_iter().filter(|item| item.taken).collect();
    // What was approved is erased, whatever wall the key of whoever executes has.
    sqlx::query("select set_config('cairn.project', '', true)").execute(tx.conn()).await?;
    let mut counts = Counts::new();
    let memories: Vec<Uuid> = items.iter().filter(|item| item.kind == ItemKind::Memory).map(|item| item.id).collect();
    let erased = erase_memories(tx, request, &memories, keyring, &mut counts).await?;
    bar_runs(tx, request, &items, keyring).await?;
    erase_questions(tx, &items, &mut counts).await?;
    erase_notes(tx, &items, &mut counts).await?;
    erase_sightings(tx, request, &items).await?;
    erase_answers(tx, request, &items, &mut counts).await?;
    let runs: Value = sqlx::query_scalar("select erase_runs($1, $2)").bind(tx.workspace()).bind(request).fetch_one(tx.conn()).await?;
    for (table, rows) in runs.as_object().into_iter().flatten() {
        add(&mut counts, table, rows.as_u64().unwrap_or_default());
    }
    // Before anybody waits for this: whoever holds an answer that is to be kept may hold one of these.
    tx.mark_stirred().await?;
    forget_questions(tx, &erased, &mut counts).await?;
    erase_late_answers(tx, request, &items, &mut counts).await?;
    counts.retain(|_, rows| *rows > 0);
    let sessions = items.iter().filter(|item| item.kind == ItemKind::Session).map(|item| SessionId(item.id)).collect();
    Ok(Erased { memories: erased, sessions, counts: json!(counts) })
}

pub(super) fn add(counts: &mut Counts, table: &str, rows: u64) {
    *counts.entry(table.to_owned()).or_default() += rows;
}

/// Leaves the keyed hash of everything that was said in runs: in whole ones, and in single events, checkpoints and items.
async fn bar_runs(tx: &mut Tx<Write>, request: DeletionId, items: &[Item], keyring: &Keyring) -> Result<(), Problem> {
    for session in items.iter().filter(|item| item.kind == ItemKind::Session).map(|item| item.id) {
        let mut after = 0;
        loop {
            let events = sessions::log(tx, SessionId(session), after, i64::from(AT_ONCE)).await?;
            let Some(last) = events.last() else { break };
            after = last.seq;
            let barred = events.iter().flat_map(bars_of_event).map(|text| (keyring.erasure_mac(&text), session));
            bar(tx, request, barred.collect()).await?;
        }
    }
    let places: Vec<(Uuid, i64)> = items.iter().filter(|item| item.kind == ItemKind::Event).map(|item| (item.id, item.part)).collect();
    for some in places.chunks(usize::from(AT_ONCE)) {
        let events = sessions::events_at(tx, some).await?;
        let barred = events.iter().flat_map(|(of, event)| bars_of_event(event).into_iter().map(|text| (keyring.erasure_mac(&text), *of)));
        bar(tx, request, barred.collect()).await?;
    }
    let lines: Vec<(Uuid, Option<String>)> = sqlx::query_as(
        "with i as (select kind, memory_id as id, part from deletion_request_items where workspace_id = $1 and request_id = $2 and taken)
         select c.id, t.line
         from checkpoints c
         cross join lateral (select c.next_step as line union all select p ->> k from jsonb_array_elements(c.progress) p, (values ('item'), ('note')) w (k)) t
         where c.workspace_id = $1 and exists (select 1 from i where (i.kind = 'checkpoint' and i.id = c.id) or (i.kind = 'session' and i.id = c.session_id))
         union all
         select t.task_id, w.line from task_items t cross join lateral (values (t.item), (t.note)) w (line)
         where t.workspace_id = $1 and exists (select 1 from i where i.kind = 'task_item' and i.id = t.task_id and i.part = t.position)
         union all
         select t.id, w.line from tasks t cross join lateral (values (t.title), (t.next_step)) w (line)
         where t.workspace_id = $1 and exists (select 1 from i where i.kind = 'task' and i.id = t.id)
         union all
         select s.id, s.summary from sessions s
         where s.workspace_id = $1 and exists (select 1 from i where i.kind in ('session', 'session_words') and i.id = s.id)",
    )
    .bind(tx.workspace())
    .bind(request)
    .fetch_all(tx.conn())
    .await?;
    let barred = lines.iter().filter_map(|(of, line)| Some((keyring.erasure_mac(&bars_of_line(line.as_deref()?)?), *of)));
    bar(tx, request, barred.collect()).await
}

pub(super) async fn bar(tx: &mut Tx<Write>, request: DeletionId, barred: Vec<([u8; 32], Uuid)>) -> Result<(), Problem> {
    if barred.is_empty() {
        return Ok(());
    }
    let workspace = tx.workspace();
    let (macs, of): (Vec<Vec<u8>>, Vec<Uuid>) = barred.into_iter().map(|(mac, of)| (mac.to_vec(), of)).unzip();
    sqlx::query!(
        "insert into erasures (workspace_id, content_mac, request_id, memory_id)
         select $1, t.mac, $2, t.memory_id
         from unnest($3::bytea[], $4::uuid[]) t (mac, memory_id)
         on conflict do nothing",
        workspace.0,
        request.0,
        &macs,
        &of
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Who asked for it may have said it. Last, because whoever is answered meanwhile waits until all of this is there for all to see.
async fn forget_questions(tx: &mut Tx<Write>, erased: &[(MemoryId, i64)], counts: &mut Counts) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('receipts ' || $1::text, 0))").bind(workspace).execute(tx.conn()).await?;
    let done = sqlx::query(
        "update receipts set query = null, asked = '{}'
         where workspace_id = $1 and query is not null
           and id in (select receipt_id from receipt_items where workspace_id = $1 and memory_id = any($2))",
    )
    .bind(workspace)
    .bind(erased.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
    .execute(tx.conn())
    .await?;
    add(counts, "receipts", done.rows_affected());
    Ok(())
}

/// Questions, and requests that came to nothing, as far as they are on the list.
async fn erase_questions(tx: &mut Tx<Write>, items: &[Item], counts: &mut Counts) -> Result<(), Problem> {
    for (kind, table, sql) in [
        (
            ItemKind::Receipt,
            "receipts",
            "update receipts set query = null, asked = '{}' where workspace_id = $1 and query is not null and id = any($2)",
        ),
        (
            ItemKind::DeletionRequest,
            "deletion_requests",
            "update deletion_requests set reason = null, subject = null, query = null where workspace_id = $1 and state = 'rejected' and id = any($2)",
        ),
    ] {
        let ids: Vec<Uuid> = items.iter().filter(|item| item.kind == kind).map(|item| item.id).collect();
        let done = sqlx::query(sql).bind(tx.workspace()).bind(ids).execute(tx.conn()).await?;
        add(counts, table, done.rows_affected());
    }
    Ok(())
}

/// Kept answers that speak of anything on the list, or of the request itself.
async fn erase_answers(tx: &mut Tx<Write>, request: DeletionId, items: &[Item], counts: &mut Counts) -> Result<(), Problem> {
    let ids: Vec<Uuid> = items.iter().map(|item| item.id).chain([request.0]).collect();
    add(counts, "idempotency_keys", forget_answers(tx, &ids).await?);
    Ok(())
}

/// Those that were kept meanwhile: whoever keeps one from here on waits, as with receipts, and sees that it is gone. Everybody waits
/// for this, so only what can have come meanwhile is looked through: no act takes longer than an erasure may, a quarter of an hour.
async fn erase_late_answers(tx: &mut Tx<Write>, request: DeletionId, items: &[Item], counts: &mut Counts) -> Result<(), Problem> {
    let ids: Vec<Uuid> = items.iter().map(|item| item.id).chain([request.0]).collect();
    add(counts, "idempotency_keys", forget_answers_of(tx, &ids, Some("16 minutes")).await?);
    Ok(())
}

/// Empties the answers that are kept for a repeat and name any of these ids.
pub async fn forget_answers(tx: &mut Tx<Write>, ids: &[Uuid]) -> Result<u64, Problem> {
    forget_answers_of(tx, ids, None).await
}

async fn forget_answers_of(tx: &mut Tx<Write>, ids: &[Uuid], last: Option<&str>) -> Result<u64, Problem> {
    let done = sqlx::query(
        "update idempotency_keys
         set body = null, headers = null, erased = true
         where workspace_id = $1 and not erased and ($3::text is null or created_at >= now() - $3::interval)
           and (memory_ids && $2
                or exists (select 1 from regexp_matches(encode(body, 'escape'), '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}', 'g') m
                           where m[1]::uuid = any ($2)))",
    )
    .bind(tx.workspace())
    .bind(ids)
    .bind(last)
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected())
}
