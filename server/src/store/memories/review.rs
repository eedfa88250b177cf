//! What needs review: active memories that are not fresh, and how much they were told all the same.

use super::{
    super::{
        Tx,
        tellings::{OF_EACH, SINCE, UNCOUNTED},
    },
    find_some,
};
use crate::{
    model::{Kind, Memory, MemoryId, Settings, memory::ReviewOrder},
    problem::Problem,
};
use time::OffsetDateTime;

/// A memory in doubt.
pub struct Doubted {
    pub memory: Memory,
    /// Since when.
    pub since: OffsetDateTime,
    /// How often it was told, and how often of that since then.
    pub told: i64,
    pub told_since: i64,
}

/// The rules of `engines::freshness` again, as moments; a test holds them together.
pub async fn doubted<M>(
    tx: &mut Tx<M>,
    settings: &Settings,
    (project, some): (Option<&str>, Option<&[MemoryId]>),
    order: ReviewOrder,
    after: i64,
    most: i64,
) -> Result<Vec<Doubted>, Problem> {
    let (kinds, ages): (Vec<&str>, Vec<i32>) = Kind::ALL
        .iter()
        .filter_map(|kind| Some((kind.word(), i32::try_from(settings.policy(*kind).review_age_days?).unwrap_or(i32::MAX))))
        .unzip();
    let (by, weighed) = match order {
        ReviewOrder::Told => ("t.told_since desc, t.told desc, d.since", ""),
        ReviewOrder::Use => ("t.told desc, t.told_since desc, d.since", ""),
        // Only of those that are shown it has to be known how often they were told.
        ReviewOrder::Age => ("d.sure, d.since", "order by x.sure, x.since, x.id limit $5::bigint + $6::bigint"),
    };
    // Each is weighed once, before what it was told is counted: else it is weighed again for every telling.
    let sql = format!(
        "with c as materialized ({UNCOUNTED}), d as materialized (
             select x.*, {SINCE}
             from (
                 select m.id, greatest(m.updated_at, m.verified_at) as sure, least(
                     case when m.expires_at <= now() then m.expires_at end,
                     case when m.stale_after <= now() and (m.verified_at is null or m.verified_at < m.stale_after) then m.stale_after end,
                     case when m.reported_at > greatest(m.updated_at, m.verified_at) then m.reported_at end,
                     case when a.due <= now() then a.due end,
                     (select min(c.at) from code_verdicts c
                      where c.workspace_id = m.workspace_id and c.memory_id = m.id and c.main and c.state in ('suspect', 'stale')),
                     (select min(k.found_at) from conflicts k
                      join memories o on o.workspace_id = k.workspace_id and o.id = case when k.a = m.id then k.b else k.a end
                      where k.workspace_id = m.workspace_id and (k.a = m.id or k.b = m.id) and k.state = 'open' and k.certain
                        and o.state = 'active'
                        and (o.project is null or o.project = m.project) and (o.owner_id is null or o.owner_id = m.owner_id))
                 ) as since
                 from memories m
                 cross join lateral (
                     select greatest(m.updated_at, m.verified_at) + make_interval(days => ($2::int[])[array_position($3::text[], m.kind)]) as due
                 ) a
                 where m.workspace_id = $1 and m.state = 'active' and ($4::text is null or m.project = $4) {}
                 offset 0
             ) x
             where x.since is not null
             {weighed}
         )
         select d.id, d.since, t.told, t.told_since
         from d
         cross join c
         {OF_EACH}
         order by {by}, d.id
         limit $5 offset $6",
        if some.is_some() { "and m.id = any($7)" } else { "" },
    );
    let mut query =
        sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(tx.workspace()).bind(ages).bind(kinds).bind(project).bind(most).bind(after);
    if let Some(some) = some {
        query = query.bind(some.iter().map(|id| id.0).collect::<Vec<_>>());
    }
    let rows: Vec<(MemoryId, OffsetDateTime, i64, i64)> = query.fetch_all(tx.conn()).await?;
    let ids: Vec<MemoryId> = rows.iter().map(|(id, ..)| *id).collect();
    let memories = find_some(tx, &ids).await?;
    let with = |memory: Memory| {
        let (_, since, told, told_since) = *rows.iter().find(|(id, ..)| *id == memory.id)?;
        Some(Doubted { memory, since, told, told_since })
    };
    Ok(memories.into_iter().filter_map(with).collect())
}
