//! What happened in a workspace by the hour: counted once an hour is over, and from the rows themselves until
//! then. What people look up on the dashboard is not told to anybody who works, and does not count.

use super::{
    Tx,
    tx::{Read, Record},
};
use crate::{
    engines::conflict::LIKELY,
    model::{Actor, ActorKind, MemoryId, SessionId},
    problem::Problem,
};
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

/// Hours are counted again for as long: what took long to commit is not left out.
const AGAIN: Duration = Duration::hours(2);
/// An entry's id is made before the entry is written.
const AHEAD: Duration = Duration::minutes(10);
/// Kept, and looked back at most.
const KEPT: Duration = Duration::days(90);

/// Counts the hours that are over and are not counted yet.
pub async fn count_up(tx: &mut Tx<Record>, now: OffsetDateTime) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let end = hour_of(now);
    let last: Option<OffsetDateTime> =
        sqlx::query_scalar("select max(hour) from activity where workspace_id = $1").bind(workspace).fetch_one(tx.conn()).await?;
    let from = last.map_or(end - KEPT, |last| (last - AGAIN).max(end - KEPT));
    if last.is_some_and(|last| last + Duration::HOUR >= end && now - end > Duration::minutes(10)) {
        return Ok(());
    }
    sqlx::query(COUNT).bind(workspace).bind(from).bind(end).bind(first_id(from - AHEAD)).bind(first_id(end)).execute(tx.conn()).await?;
    sqlx::query("delete from activity where workspace_id = $1 and hour < $2").bind(workspace).bind(end - KEPT).execute(tx.conn()).await?;
    Ok(())
}

const COUNT: &str = "
insert into activity (workspace_id, hour, writes, recalls, told_tokens, recalled)
select $1, h.hour, coalesce(w.writes, 0), coalesce(r.recalls, 0), coalesce(r.tokens, 0), coalesce(t.recalled, '[]')
from generate_series($2::timestamptz, $3::timestamptz - interval '1 hour', interval '1 hour') h (hour)
left join (
    select date_trunc('hour', at, 'UTC') as hour, count(*)::int as writes
    from audit_entries
    where workspace_id = $1 and id >= $4 and id < $5 and at >= $2 and at < $3 and target_type = 'memory'
    group by 1
) w using (hour)
left join (
    select date_trunc('hour', at, 'UTC') as hour, count(*)::int as recalls, sum(tokens)::bigint as tokens
    from receipts
    where workspace_id = $1 and id >= $4 and id < $5 and at >= $2 and at < $3 and surface <> 'dashboard'
    group by 1
) r using (hour)
left join (
    select hour, jsonb_agg(jsonb_build_array(memory, times) order by times desc) as recalled
    from (
        select hour, memory, count(*) as times, row_number() over (partition by hour order by count(*) desc, memory) as place
        from (
            select date_trunc('hour', r.at, 'UTC') as hour, i ->> 'memory_id' as memory
            from receipts r
            cross join lateral jsonb_array_elements(r.items) i
            where r.workspace_id = $1 and r.id >= $4 and r.id < $5 and r.at >= $2 and r.at < $3 and r.surface <> 'dashboard'
        ) told
        group by hour, memory
    ) ranked
    where place <= 20
    group by hour
) t using (hour)
where w.writes is not null or r.recalls is not null or h.hour = $3::timestamptz - interval '1 hour'
on conflict (workspace_id, hour) do update
set writes = excluded.writes, recalls = excluded.recalls, told_tokens = excluded.told_tokens, recalled = excluded.recalled";

/// A day, with what was written, how often was asked, and how much was told.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct Day {
    pub day: Date,
    pub writes: i64,
    pub recalls: i64,
    pub tokens: i64,
}

/// Days on which anything happened, from a moment on. Of the hours that are not counted yet, the newest rows.
pub async fn days(tx: &mut Tx<Read>, since: OffsetDateTime) -> Result<Vec<Day>, Problem> {
    let (workspace, open) = (tx.workspace(), open_since(tx, since).await?);
    let rows = sqlx::query_as(
        "select day, sum(writes)::bigint as writes, sum(recalls)::bigint as recalls, sum(tokens)::bigint as tokens
         from (
             select (hour at time zone 'UTC')::date as day, writes, recalls, told_tokens as tokens
             from activity where workspace_id = $1 and hour >= $2 and hour < $3
             union all
             (select (at at time zone 'UTC')::date, 1, 0, 0
              from audit_entries where workspace_id = $1 and id >= $4 and at >= $3 and target_type = 'memory'
              order by id desc limit 20000)
             union all
             (select (at at time zone 'UTC')::date, 0, 1, tokens
              from receipts where workspace_id = $1 and id >= $4 and at >= $3 and surface <> 'dashboard'
              order by id desc limit 20000)
         ) counted
         group by day
         order by day",
    )
    .bind(workspace)
    .bind(since)
    .bind(open)
    .bind(first_id(open - AHEAD))
    .fetch_all(tx.conn())
    .await?;
    Ok(rows)
}

/// What was told most often since, and how often.
pub async fn most_recalled(tx: &mut Tx<Read>, since: OffsetDateTime, most: i64) -> Result<Vec<(MemoryId, i64)>, Problem> {
    let (workspace, open) = (tx.workspace(), open_since(tx, since).await?);
    let rows = sqlx::query_as(
        "select memory, sum(times)::bigint
         from (
             select (p ->> 0)::uuid as memory, (p ->> 1)::bigint as times
             from activity a cross join lateral jsonb_array_elements(a.recalled) p
             where a.workspace_id = $1 and a.hour >= $2 and a.hour < $3
             union all
             select (i ->> 'memory_id')::uuid, 1
             from (select items from receipts where workspace_id = $1 and id >= $4 and at >= $3 and surface <> 'dashboard'
                   order by id desc limit 200) r
             cross join lateral jsonb_array_elements(r.items) i
         ) told
         group by memory
         order by 2 desc, 1
         limit $5",
    )
    .bind(workspace)
    .bind(since)
    .bind(open)
    .bind(first_id(open - AHEAD))
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows)
}

/// From when on nothing is counted yet.
async fn open_since(tx: &mut Tx<Read>, since: OffsetDateTime) -> Result<OffsetDateTime, Problem> {
    let last: Option<OffsetDateTime> =
        sqlx::query_scalar("select max(hour) from activity where workspace_id = $1").bind(tx.workspace()).fetch_one(tx.conn()).await?;
    Ok(last.map_or(since, |last| (last + Duration::HOUR).max(since)))
}

/// An agent that used its key lately, and its newest run that has not ended.
#[derive(Clone, Debug)]
pub struct AtWork {
    pub agent: Actor,
    pub last_seen: OffsetDateTime,
    pub session: Option<(SessionId, String, Option<String>)>,
}

#[derive(sqlx::FromRow)]
struct AtWorkRow {
    id: Uuid,
    name: String,
    last_seen: OffsetDateTime,
    session: Option<SessionId>,
    agent_tool: Option<String>,
    task: Option<String>,
}

pub async fn at_work(tx: &mut Tx<Read>, since: OffsetDateTime, most: i64) -> Result<Vec<AtWork>, Problem> {
    let rows: Vec<AtWorkRow> = sqlx::query_as(
        "select a.id, a.name, k.last_seen, s.id as session, s.agent_tool, s.task
         from (
             select agent_id, max(last_used_at) as last_seen from agent_keys
             where workspace_id = $1 and last_used_at >= $2 group by agent_id
             order by 2 desc limit $3
         ) k
         join agents a on a.workspace_id = $1 and a.id = k.agent_id and a.deleted_at is null
         left join lateral (
             select s.id, s.agent_tool, coalesce(t.title, s.project) as task
             from sessions s left join tasks t on t.workspace_id = s.workspace_id and t.id = s.task_id
             where s.workspace_id = $1 and s.state = 'running' and s.actor_id = a.id
             order by s.started_at desc limit 1
         ) s on true
         order by k.last_seen desc",
    )
    .bind(tx.workspace())
    .bind(since)
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    let shown = |row: AtWorkRow| AtWork {
        agent: Actor::known(ActorKind::Agent, row.id, Some(row.name)),
        last_seen: row.last_seen,
        session: row.session.zip(row.agent_tool).map(|(id, tool)| (id, tool, row.task)),
    };
    Ok(rows.into_iter().map(shown).collect())
}

/// How many wait, each sort up to a hundred: nobody counts past that.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct Waiting {
    pub proposals: i64,
    pub conflicts: i64,
    pub to_approve: i64,
    pub to_execute: i64,
}

pub async fn waiting(tx: &mut Tx<Read>) -> Result<Waiting, Problem> {
    let counts = sqlx::query_as(
        "select (select count(*) from (select 1 from proposals where workspace_id = $1 and state = 'open' limit 100) p) as proposals,
                (select count(*) from (
                    select 1 from conflicts c
                    join memories a on a.workspace_id = c.workspace_id and a.id = c.a and a.state = 'active'
                    join memories b on b.workspace_id = c.workspace_id and b.id = c.b and b.state = 'active'
                    where c.workspace_id = $1 and c.state = 'open' and (c.certain or c.score >= $2) limit 100) c) as conflicts,
                (select count(*) from (select 1 from deletion_requests where workspace_id = $1 and state = 'pending' limit 100) d) as to_approve,
                (select count(*) from (select 1 from deletion_requests where workspace_id = $1 and state = 'approved' limit 100) e) as to_execute",
    )
    .bind(tx.workspace())
    .bind(LIKELY)
    .fetch_one(tx.conn())
    .await?;
    Ok(counts)
}

fn hour_of(at: OffsetDateTime) -> OffsetDateTime {
    let at = at.to_offset(time::UtcOffset::UTC);
    at.replace_time(time::Time::from_hms(at.hour(), 0, 0).unwrap_or(time::Time::MIDNIGHT))
}

/// Below every id that is made at that moment or later.
pub(super) fn first_id(at: OffsetDateTime) -> Uuid {
    let milliseconds = u128::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
    Uuid::from_u128(milliseconds << 80)
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn an_hour_begins_on_the_hour_and_an_id_after_its_moment() {
        assert_eq!(hour_of(datetime!(2026-11-16 09:59:59.9 UTC)), datetime!(2026-11-16 09:00 UTC));
        let now = crate::model::clock::now();
        let made = crate::model::clock::new_id();
        assert!(first_id(now - Duration::SECOND) < made && made < first_id(now + Duration::MINUTE));
    }
}
