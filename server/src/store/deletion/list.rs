//! A request's list: written once, read by whoever has to decide.

use crate::{
    model::{
        DeletionId,
        deletion::{Item, ItemKind, Touched, Why},
        page::{Limit, Page, decode},
    },
    problem::Problem,
    store::{Tx, Write},
};
use uuid::Uuid;

pub async fn put(tx: &mut Tx<Write>, request: DeletionId, items: &[Item]) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query(
        "insert into deletion_request_items (workspace_id, request_id, kind, memory_id, part, owner_id, why, taken)
         select $1, $2, i.* from unnest($3::text[], $4::uuid[], $5::bigint[], $6::uuid[], $7::text[], $8::boolean[]) i
         on conflict do nothing",
    )
    .bind(workspace)
    .bind(request)
    .bind(column(items, |item| item.kind.word()))
    .bind(column(items, |item| item.id))
    .bind(column(items, |item| item.part))
    .bind(column(items, |item| item.owner))
    .bind(column(items, |item| item.why.word()))
    .bind(column(items, |item| item.taken))
    .execute(tx.conn())
    .await?;
    Ok(())
}

fn column<'i, T>(items: &'i [Item], of: impl Fn(&'i Item) -> T) -> Vec<T> {
    items.iter().map(of).collect()
}

/// All of it, by sort.
pub async fn items<M>(tx: &mut Tx<M>, request: DeletionId) -> Result<Vec<Item>, Problem> {
    let workspace = tx.workspace();
    let rows = sqlx::query!(
        r#"select kind as "kind: ItemKind", memory_id, part, owner_id, why as "why: Why", taken
           from deletion_request_items
           where workspace_id = $1 and request_id = $2
           order by kind, memory_id, part"#,
        workspace.0,
        request.0
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Item { kind: row.kind, id: row.memory_id, part: row.part, owner: row.owner_id, why: row.why, taken: row.taken })
        .collect())
}

/// A page of it, in words, as far as it is still there and the viewer may see it: what goes, or the copies that stay.
/// Memories first, then runs.
pub async fn touched<M>(
    tx: &mut Tx<M>,
    request: DeletionId,
    taken: bool,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Touched>, Problem> {
    let after = cursor.map(decode::<(i32, String, Uuid, i64)>).transpose()?;
    let (rank, kind, id, part) =
        after.map_or((None, None, None, None), |(rank, kind, id, part)| (Some(rank), Some(kind), Some(id), Some(part)));
    let rows: Vec<Touched> = sqlx::query_as(
        "select i.kind, i.memory_id as id, i.part, i.why, i.taken, w.title, w.detail, coalesce(w.size, 0) as size
         from (
             select l.*, coalesce(array_position(array['memory', 'session'], l.kind), 3) as rank
             from deletion_request_items l
             where l.workspace_id = $1 and l.request_id = $2 and l.taken = $3
               and ($4::int is null
                    or (coalesce(array_position(array['memory', 'session'], l.kind), 3), l.kind, l.memory_id, l.part) > ($4, $5, $6, $7))
             order by rank, l.kind, l.memory_id, l.part
             limit $8
         ) i
         left join lateral (
             select v.title, m.path as detail,
                    (select count(*) from memory_versions c where c.workspace_id = m.workspace_id and c.memory_id = m.id) as size
             from memories m
             join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
             where i.kind = 'memory' and m.workspace_id = i.workspace_id and m.id = i.memory_id
             union all
             select concat_ws(' · ', s.agent_tool, s.external_id), to_char(s.started_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'),
                    (select count(*) from session_events e where e.workspace_id = s.workspace_id and e.session_id = s.id)
             from sessions s
             where i.kind in ('session', 'session_words') and s.workspace_id = i.workspace_id and s.id = i.memory_id
             union all
             select left(coalesce(e.text, e.command, e.path, e.output, e.tool), 120), e.type, 0
             from session_events e
             where i.kind = 'event' and e.workspace_id = i.workspace_id and e.session_id = i.memory_id and e.seq = i.part
             union all
             select left(coalesce(c.next_step, c.progress #>> '{0,item}'), 120), to_char(c.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), 0
             from checkpoints c
             where i.kind = 'checkpoint' and c.workspace_id = i.workspace_id and c.id = i.memory_id
             union all
             select left(t.title, 120), t.key, 0
             from tasks t
             where i.kind = 'task' and t.workspace_id = i.workspace_id and t.id = i.memory_id
             union all
             select left(t.item, 120), t.status, 0
             from task_items t
             where i.kind = 'task_item' and t.workspace_id = i.workspace_id and t.task_id = i.memory_id and t.position = i.part
             union all
             select left(r.query, 120), to_char(r.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), 0
             from receipts r
             where i.kind = 'receipt' and r.workspace_id = i.workspace_id and r.id = i.memory_id
             union all
             select left(r.reason, 120), r.state, 0
             from deletion_requests r
             where i.kind = 'deletion_request' and r.workspace_id = i.workspace_id and r.id = i.memory_id
             union all
             select left(p.note, 120), p.state, 0
             from proposals p
             where i.kind = 'proposal' and p.workspace_id = i.workspace_id and p.id = i.memory_id
             union all
             select left(c.note, 120), c.resolution, 0
             from conflicts c
             where i.kind = 'conflict' and c.workspace_id = i.workspace_id and c.id = i.memory_id
         ) w on true
         order by i.rank, i.kind, i.memory_id, i.part",
    )
    .bind(tx.workspace())
    .bind(request)
    .bind(taken)
    .bind(rank)
    .bind(kind)
    .bind(id)
    .bind(part)
    .bind(limit.and_one())
    .fetch_all(tx.conn())
    .await?;
    Ok(Page::cut(rows, limit, |row| (rank_of(row.kind), row.kind.word().to_owned(), row.id, row.part)))
}

fn rank_of(kind: ItemKind) -> i32 {
    match kind {
        ItemKind::Memory => 1,
        ItemKind::Session => 2,
        _ => 3,
    }
}
