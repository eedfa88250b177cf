//! What goes with what is on a list because it was made from it alone, and what only says the same.

use super::{select::List, words::with_words};
use crate::{
    engines::erasure::Sought,
    model::deletion::{Item, ItemKind, Why},
    problem::Problem,
    store::Tx,
};
use uuid::Uuid;

/// Of how many memories words are looked for in other texts, and texts of which length are telling.
const MEMORIES: i64 = 50;
const TELLING: i32 = 12;
const LONGEST: i32 = 2000;

type Made = (ItemKind, Uuid, i64, Option<Uuid>, bool);

/// What was made from what is on the list, and what was made from that: from it alone it is derived, else it is a copy.
pub async fn derived<M>(tx: &mut Tx<M>, items: &[Item], include_copies: bool) -> Result<Vec<Item>, Problem> {
    let mut found = List::beyond(items);
    let mut sources = items.to_vec();
    loop {
        let (in_runs, in_dreams) = (made_of_runs(tx, &sources).await?, made_of_memories(tx, &sources).await?);
        let known = found.items.len();
        for (kind, id, part, owner, alone) in in_runs.into_iter().chain(in_dreams) {
            let why = if alone { Why::Derived } else { Why::Copy };
            found.bounded(Item { kind, id, part, owner, why, taken: alone || include_copies })?;
        }
        let more: Vec<Item> = found.items[known..].iter().filter(|item| item.taken).cloned().collect();
        if more.is_empty() {
            return Ok(found.items);
        }
        sources.extend(more);
    }
}

/// What curation made of memories on the list, and perhaps of others that are still there; and what it united with them, which
/// has their tags and places since.
async fn made_of_memories<M>(tx: &mut Tx<M>, items: &[Item]) -> Result<Vec<Made>, Problem> {
    let memories: Vec<Uuid> = items.iter().filter(|item| item.kind == ItemKind::Memory && item.taken).map(|item| item.id).collect();
    Ok(sqlx::query_as(
        "select 'memory', m.id, 0::bigint, m.owner_id,
                not exists (
                    select 1 from unnest(d.others || d.memory_id) o (id)
                    join memories s on s.workspace_id = d.workspace_id and s.id = o.id
                    where o.id <> d.made_id and o.id <> all ($2))
         from dream_actions d
         join memories m on m.workspace_id = d.workspace_id and m.id = d.made_id
         where d.workspace_id = $1 and d.made_id <> all ($2) and (d.memory_id = any ($2) or d.others && $2)
         union all
         select 'memory', m.id, 0, m.owner_id, false
         from dream_actions d
         join memories m on m.workspace_id = d.workspace_id and m.id = d.memory_id
         where d.workspace_id = $1 and d.deed = 'merge' and d.outcome in ('applied', 'proposed') and d.memory_id <> all ($2) and d.others && $2",
    )
    .bind(tx.workspace())
    .bind(memories)
    .fetch_all(tx.conn())
    .await?)
}

/// What was made from the runs on the list, and perhaps from others.
async fn made_of_runs<M>(tx: &mut Tx<M>, items: &[Item]) -> Result<Vec<Made>, Problem> {
    let sessions: Vec<Uuid> = items.iter().filter(|item| item.kind == ItemKind::Session && item.taken).map(|item| item.id).collect();
    if sessions.is_empty() {
        return Ok(Vec::new());
    }
    Ok(sqlx::query_as(
        "with gone as (select unnest($2::uuid[]) as id), task as (
             -- Tasks that no other run worked on.
             select t.id, t.key, t.title, t.episode_id,
                    not exists (select 1 from sessions o where o.workspace_id = $1 and o.task_id = t.id and o.id not in (select id from gone)) as sole
             from tasks t
             where t.workspace_id = $1
               and exists (select 1 from sessions s where s.workspace_id = $1 and s.task_id = t.id and s.id in (select id from gone))
         )
         select 'memory', m.id, 0::bigint, m.owner_id,
                coalesce(v.source ->> 'type' = 'session', false) and not exists (
                    select 1 from proposals p, jsonb_array_elements(p.sightings) s
                    where p.workspace_id = $1 and p.memory_id = m.id and (s ->> 'session_id')::uuid not in (select id from gone))
         from memory_versions v
         join memories m on m.workspace_id = v.workspace_id and m.id = v.memory_id
         where v.workspace_id = $1 and v.version = 1
           and (v.session_id in (select id from gone)
                -- The run that it came from was erased before, and one of these saw it again.
                or (v.memory_id in (
                        select p.memory_id from proposals p, jsonb_array_elements(p.sightings) s
                        where p.workspace_id = $1 and (s ->> 'session_id')::uuid in (select id from gone))
                    and not exists (select 1 from sessions b where b.workspace_id = $1 and b.id = v.session_id)))
         union all
         select 'memory', m.id, 0, m.owner_id, task.sole from task join memories m on m.workspace_id = $1 and m.id = task.episode_id
         union all
         select 'task', id, 0, null, sole and key = title from task
         union all
         select 'task_item', i.task_id, i.position, null, true
         from task_items i where i.workspace_id = $1 and i.session_id in (select id from gone)
         union all
         select 'receipt', r.id, 0, null, true
         from receipts r where r.workspace_id = $1 and r.session_id in (select id from gone) and r.query is not null",
    )
    .bind(tx.workspace())
    .bind(&sessions)
    .fetch_all(tx.conn())
    .await?)
}

/// What says the same as a memory on the list, in its own right: memories with its very text, and of the first on the list
/// whatever its whole text or its title stand in.
pub async fn copies<M>(tx: &mut Tx<M>, items: &[Item], taken: bool) -> Result<Vec<Item>, Problem> {
    let memories: Vec<Uuid> = items.iter().filter(|item| item.kind == ItemKind::Memory).map(|item| item.id).collect();
    let texts: Vec<String> = sqlx::query_scalar(
        "select distinct t.text
         from (select unnest($2::uuid[]) as id limit $3) i
         join memory_versions v on v.workspace_id = $1 and v.memory_id = i.id
         cross join lateral (values (v.title), (v.content), (v.source ->> 'excerpt')) t (text)
         where length(trim(t.text)) between $4 and $5
         limit 200",
    )
    .bind(tx.workspace())
    .bind(&memories)
    .bind(MEMORIES)
    .bind(TELLING)
    .bind(LONGEST)
    .fetch_all(tx.conn())
    .await?;
    let mut list = List::beyond(items);
    for (id, owner) in same_text(tx, &memories).await? {
        list.bounded(Item { kind: ItemKind::Memory, id, part: 0, owner, why: Why::Copy, taken })?;
    }
    with_words(tx, &Sought::any_of(texts.iter().map(String::as_str)), Why::Copy, &mut list).await?;
    list.items.iter_mut().for_each(|item| item.taken = taken);
    Ok(list.items)
}

/// Memories that said or say the same to the letter, however long it is, of all that are listed.
async fn same_text<M>(tx: &mut Tx<M>, memories: &[Uuid]) -> Result<Vec<(Uuid, Option<Uuid>)>, Problem> {
    Ok(sqlx::query_as(
        "with listed as materialized (
             select distinct v.content_sha256 as digest from memory_versions v
             where v.workspace_id = $1 and v.memory_id = any($2) and length(trim(v.content)) >= $3)
         select distinct m.id, m.owner_id
         from listed l
         join memory_versions v on v.workspace_id = $1 and v.content_sha256 = l.digest
         join memories m on m.workspace_id = $1 and m.id = v.memory_id
         where v.memory_id <> all ($2)",
    )
    .bind(tx.workspace())
    .bind(memories)
    .bind(TELLING)
    .fetch_all(tx.conn())
    .await?)
}
