//! What people noted on proposals and conflicts, and what proposals have seen, whoever may see the memories that they are about:
//! the index does, and writes nothing else of them.

use super::{
    erase::{Counts, add},
    kept::Place,
};
use crate::{
    model::{
        DeletionId,
        deletion::{Item, ItemKind, Why},
    },
    problem::Problem,
    store::{
        Tx, Write,
        guise::{as_app, as_index},
    },
};
use serde_json::Value;
use uuid::Uuid;

/// Empties the notes that are on the list.
pub(super) async fn erase_notes(tx: &mut Tx<Write>, items: &[Item], counts: &mut Counts) -> Result<(), Problem> {
    let workspace = tx.workspace();
    as_index(tx).await?;
    for (kind, table, sql) in [
        (ItemKind::Proposal, "proposals", "update proposals set note = null where workspace_id = $1 and note is not null and id = any($2)"),
        (ItemKind::Conflict, "conflicts", "update conflicts set note = null where workspace_id = $1 and note is not null and id = any($2)"),
    ] {
        let done = sqlx::query(sql).bind(workspace).bind(of_kind(items, kind)).execute(tx.conn()).await?;
        add(counts, table, done.rows_affected());
    }
    as_app(tx).await
}

/// Evidence in a log that is about to go speaks for nothing; events go by names that their senders gave.
pub(super) async fn erase_sightings(tx: &mut Tx<Write>, request: DeletionId, items: &[Item]) -> Result<(), Problem> {
    let (workspace, whole) = (tx.workspace(), of_kind(items, ItemKind::Session));
    let runs: Vec<Uuid> = whole.iter().copied().chain(of_kind(items, ItemKind::Event)).collect();
    if runs.is_empty() {
        return Ok(());
    }
    let names: Value = sqlx::query_scalar(
        "select coalesce(jsonb_object_agg(e.session_id || ' ' || e.id, true), '{}')
         from deletion_request_items i
         join session_events e on e.workspace_id = $1 and e.session_id = i.memory_id and e.seq = i.part
         where i.workspace_id = $1 and i.request_id = $2 and i.kind = 'event' and i.taken",
    )
    .bind(workspace)
    .bind(request)
    .fetch_one(tx.conn())
    .await?;
    as_index(tx).await?;
    sqlx::query(
        "update proposals p
         set sightings = coalesce((
             select jsonb_agg(jsonb_set(s, '{events}', coalesce((
                 select jsonb_agg(shown)
                 from jsonb_array_elements_text(s -> 'events') shown
                 where not $4::jsonb ? concat(s ->> 'session_id', ' ', shown)), '[]')))
             from jsonb_array_elements(p.sightings) s
             where (s ->> 'session_id')::uuid <> all ($2)), '[]')
         where p.workspace_id = $1
           and exists (select 1 from jsonb_array_elements(p.sightings) s where (s ->> 'session_id')::uuid = any ($3))",
    )
    .bind(workspace)
    .bind(&whole)
    .bind(&runs)
    .bind(names)
    .execute(tx.conn())
    .await?;
    as_app(tx).await
}

/// Notes that go along when memories on a list go, each with the memory that takes it.
pub(super) async fn on_memories<M>(tx: &mut Tx<M>, items: &[Item]) -> Result<Vec<(Item, Place)>, Problem> {
    let (workspace, memories) = (tx.workspace(), of_kind(items, ItemKind::Memory));
    as_index(tx).await?;
    let rows: Vec<(ItemKind, Uuid, Uuid)> = sqlx::query_as(
        "select 'proposal', p.id, p.memory_id from proposals p
         where p.workspace_id = $1 and p.note is not null and p.memory_id = any($2)
         union all
         select 'conflict', c.id, c.a from conflicts c
         where c.workspace_id = $1 and c.note is not null and c.a = any($2)
         union all
         select 'conflict', c.id, c.b from conflicts c
         where c.workspace_id = $1 and c.note is not null and c.b = any($2)",
    )
    .bind(workspace)
    .bind(memories)
    .fetch_all(tx.conn())
    .await?;
    as_app(tx).await?;
    let note = |kind, id| Item { kind, id, part: 0, owner: None, why: Why::Derived, taken: true };
    Ok(rows.into_iter().map(|(kind, id, memory)| (note(kind, id), (ItemKind::Memory, memory, 0))).collect())
}

/// Who noted what.
pub(super) async fn writers<M>(tx: &mut Tx<M>, items: &[Item]) -> Result<Vec<(ItemKind, Uuid, Option<Uuid>)>, Problem> {
    let workspace = tx.workspace();
    as_index(tx).await?;
    let rows = sqlx::query_as(
        "select 'proposal', p.id, p.decided_by from proposals p where p.workspace_id = $1 and p.id = any($2)
         union all
         select 'conflict', c.id, c.resolved_by from conflicts c where c.workspace_id = $1 and c.id = any($3)",
    )
    .bind(workspace)
    .bind(of_kind(items, ItemKind::Proposal))
    .bind(of_kind(items, ItemKind::Conflict))
    .fetch_all(tx.conn())
    .await?;
    as_app(tx).await?;
    Ok(rows)
}

fn of_kind(items: &[Item], kind: ItemKind) -> Vec<Uuid> {
    items.iter().filter(|item| item.kind == kind).map(|item| item.id).collect()
}
