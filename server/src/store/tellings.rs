//! How often each memory was told: counted by the day once a day is long over, and from the receipts themselves until then.

use super::{Tx, tx::Record};
use crate::problem::Problem;
use time::{Date, Duration, OffsetDateTime};

/// A receipt that is written late, or by a server whose clock is slow, is not left out.
const LATE: Duration = Duration::days(1);

/// Counts the days that are over and are not counted yet.
pub async fn count_up(tx: &mut Tx<Record>, now: OffsetDateTime) -> Result<(), Problem> {
    let (workspace, end) = (tx.workspace(), (now - LATE).date());
    let counted: Option<Date> =
        sqlx::query_scalar("select before from tellings_counted where workspace_id = $1").bind(workspace).fetch_optional(tx.conn()).await?;
    let from = match counted {
        Some(before) if before == end => return Ok(()),
        Some(before) if before < end => Some(before),
        known => {
            // The clock was wrong then, or is now: what comes may have the ids of days that were counted.
            if known.is_some() {
                sqlx::query("delete from tellings where workspace_id = $1").bind(workspace).execute(tx.conn()).await?;
            }
            let first: Option<OffsetDateTime> = sqlx::query_scalar("select at from receipts where workspace_id = $1 order by id limit 1")
                .bind(workspace)
                .fetch_optional(tx.conn())
                .await?;
            first.map(|at| (at - LATE).date())
        }
    };
    let mut day = from.unwrap_or(end);
    while day < end {
        let next = day.next_day().unwrap_or(end);
        sqlx::query(COUNT).bind(workspace).bind(day).bind(next).execute(tx.conn()).await?;
        day = next;
    }
    sqlx::query("insert into tellings_counted (workspace_id, before) values ($1, $2) on conflict (workspace_id) do update set before = excluded.before")
        .bind(workspace)
        .bind(end)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Each receipt counts once for a memory, told by itself or folded into another.
const COUNT: &str = "
insert into tellings (workspace_id, memory_id, day, times)
select $1, (told #>> '{}')::uuid, $2, count(distinct r.id)
from receipts r
cross join lateral (
    select jsonb_path_query(r.items, '$[*].memory_id')
    union all
    select jsonb_path_query(r.items, '$[*].folded[*]')
) t (told)
where r.workspace_id = $1 and r.id >= id_of_day($2) and r.id < id_of_day($3)
group by 2
on conflict (workspace_id, memory_id, day) do update set times = excluded.times";

/// What [`OF_EACH`] needs to know of the moment `x.since`: the first id that a receipt of it can have, and where the next day
/// begins.
pub(super) const SINCE: &str = "id_at(x.since) as first_since, (x.since at time zone 'UTC')::date + 1 as next_day, id_of_day((x.since at time zone 'UTC')::date + 1) as first_next";

/// The first id that a receipt of a day can have which is not counted yet; `$1` is the workspace.
pub(super) const UNCOUNTED: &str = "
select coalesce(id_of_day(max(before)), '00000000-0000-0000-0000-000000000000') as first_uncounted
from tellings_counted where workspace_id = $1";

/// Of each `d` with an `id` and `SINCE`, and one `c` with `UNCOUNTED`, how often it was told at all: `told`, and `told_since`.
pub(super) const OF_EACH: &str = "
cross join lateral (
    select coalesce(sum(t.times), 0) as told, coalesce(sum(t.times) filter (where t.day >= d.next_day), 0) as since
    from tellings t where t.workspace_id = $1 and t.memory_id = d.id
) counted
cross join lateral (
    select count(*) as told, count(*) filter (where i.receipt_id >= d.first_since) as since
    from receipt_items i where i.workspace_id = $1 and i.memory_id = d.id and i.receipt_id >= c.first_uncounted
) lately
-- The rest of the day on which it began, if that day is counted as a whole.
cross join lateral (
    select count(*) as since
    from receipt_items i
    where i.workspace_id = $1 and i.memory_id = d.id and i.receipt_id >= d.first_since and i.receipt_id < least(d.first_next, c.first_uncounted)
) that_day
cross join lateral (
    select counted.told + lately.told as told, counted.since + lately.since + that_day.since as told_since
) t";
