//! Lists of memories: filters as bound parameters, newest change first.

use super::{super::Tx, row::Row};
use crate::{
    engines::freshness::Freshness,
    model::{
        Kind, Memory, MemoryId, Settings,
        memory::Filter,
        page::{Limit, Page, decode},
        text::nfc,
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use sqlx::{Postgres, QueryBuilder};
use time::OffsetDateTime;

const NEWEST_FIRST: &str = " order by m.updated_at desc, m.id desc";

/// Each by its key, whatever the planner thinks: of tables that grew a moment ago it knows nothing.
const WHOLE: &str = " cross join lateral (
    select s.* from memory_states s where s.workspace_id = m.workspace_id and s.id = m.id and s.version = m.version offset 0
) s";

#[derive(Serialize, Deserialize)]
struct Place {
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    id: MemoryId,
}

pub async fn list<M>(
    tx: &mut Tx<M>,
    filter: &Filter,
    settings: &Settings,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Memory>, Problem> {
    // Only where their words are asked for are all of them read; else first which, and then those.
    let words = filter.q.is_some();
    let mut sql = QueryBuilder::new(if words { "select s.* from " } else { "select s.* from (select m.* from " });
    match filter.as_of {
        None => drop(sql.push("memories")),
        Some(moment) => as_of(&mut sql, moment),
    }
    sql.push(" m").push(if words { WHOLE } else { "" }).push(" where m.workspace_id = ");
    sql.push_bind(tx.workspace());
    narrow(&mut sql, filter);
    if let Some(freshness) = filter.freshness {
        judge(&mut sql, freshness, settings, filter.as_of);
    }
    if let Some(cursor) = cursor {
        let place: Place = decode(cursor)?;
        sql.push(" and (m.updated_at, m.id) < (").push_bind(place.updated_at).push(", ").push_bind(place.id).push(")");
    }
    sql.push(NEWEST_FIRST).push(" limit ").push_bind(limit.and_one());
    if !words {
        sql.push(") m").push(WHOLE).push(NEWEST_FIRST);
    }
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    let memories = rows.into_iter().map(Memory::try_from).collect::<Result<Vec<_>, _>>()?;
    Ok(Page::cut(memories, limit, |memory| Place { updated_at: memory.updated_at, id: memory.id }))
}

/// Memories as they were at a moment: those that were there, each in its last version until then.
fn as_of(sql: &mut QueryBuilder<Postgres>, moment: OffsetDateTime) {
    sql.push("(select v.*, v.memory_id as id, v.at as updated_at, c.created_by, c.version as newest, case when c.reported_at <= ");
    sql.push_bind(moment).push(
        " then c.reported_at end as reported_at
         from memories c
         cross join lateral (
             select l.* from memory_versions l
             where l.workspace_id = c.workspace_id and l.memory_id = c.id and l.at <= ",
    );
    sql.push_bind(moment).push(" order by l.version desc limit 1) v where c.created_at <= ").push_bind(moment).push(")");
}

fn narrow(sql: &mut QueryBuilder<Postgres>, filter: &Filter) {
    if let Some(kind) = filter.kind {
        sql.push(" and m.kind = ").push_bind(kind.word());
    }
    if let Some(project) = &filter.project {
        sql.push(" and m.project = ").push_bind(project.clone());
    }
    match (filter.state, filter.freshness) {
        (Some(state), _) => {
            sql.push(" and m.state = ").push_bind(state.word());
        }
        (None, Some(_)) => {
            sql.push(" and m.state <> 'archived'");
        }
        (None, None) => {
            sql.push(" and m.state in ('active', 'proposed')");
        }
    }
    if let Some(store) = filter.store {
        sql.push(" and m.store_id = ").push_bind(store);
    }
    if let Some(author) = filter.author {
        sql.push(" and m.created_by = ").push_bind(author);
    }
    if let Some(session) = filter.session_id {
        sql.push(" and m.session_id = ").push_bind(session);
    }
    if let Some(after) = filter.updated_after {
        sql.push(" and m.updated_at > ").push_bind(after);
    }
    if let Some(prefix) = &filter.path_prefix {
        // A range in collation C: LIKE could not use the index behind a row policy.
        let prefix = nfc(prefix);
        sql.push(" and m.path >= ").push_bind(prefix.to_string()).push(" and m.path < ").push_bind(format!("{prefix}\u{10ffff}"));
    }
    if let Some(tag) = filter.tag.as_ref().filter(|_| filter.as_of.is_some()) {
        sql.push(" and ").push_bind(tag.clone()).push(" = any(m.tags)");
    } else if let Some(tag) = &filter.tag {
        sql.push(" and exists (select 1 from memory_tags t where t.workspace_id = m.workspace_id and t.memory_id = m.id and t.tag = ");
        sql.push_bind(tag.clone()).push(")");
    }
    if let Some(path) = filter.anchor_path.as_ref().filter(|_| filter.as_of.is_some()) {
        sql.push(" and exists (select 1 from jsonb_array_elements(m.anchors) a where a ->> 'path' = ").push_bind(path.clone()).push(")");
    } else if let Some(path) = &filter.anchor_path {
        // Where it is now: one that has moved is no longer where it was.
        sql.push(" and exists (select 1 from anchors a where a.workspace_id = m.workspace_id and a.memory_id = m.id and (a.now_path = ");
        sql.push_bind(path.clone()).push(" or (a.now_path is null and a.path = ").push_bind(path.clone()).push(")))");
    }
    if let Some(q) = &filter.q {
        sql.push(" and (position(lower(").push_bind(q.clone()).push(") in lower(s.title)) > 0 or position(lower(");
        sql.push_bind(q.clone())
            .push(") in lower(s.content)) > 0 or position(lower(")
            .push_bind(q.clone())
            .push(") in lower(s.path)) > 0)");
    }
}

/// The rules of `engines::freshness`, for the database; a test holds the two together.
fn judge(sql: &mut QueryBuilder<Postgres>, wanted: Freshness, settings: &Settings, as_of: Option<OffsetDateTime>) {
    let now = |sql: &mut QueryBuilder<Postgres>| match as_of {
        Some(moment) => drop(sql.push_bind(moment)),
        None => drop(sql.push("now()")),
    };
    // What is said of the code under it, and against it, speaks of the current version.
    let current = if as_of.is_some() { "m.version = m.newest and" } else { "" };
    let code = |sql: &mut QueryBuilder<Postgres>, state: &'static str| {
        sql.push(format!(
            " or ({current} exists (select 1 from code_verdicts c
                where c.workspace_id = m.workspace_id and c.memory_id = m.id and c.main and c.state = '{state}' and c.at <= "
        ));
        now(sql);
        sql.push("))");
    };
    let stale = |sql: &mut QueryBuilder<Postgres>| {
        sql.push("(m.state = 'superseded' or (m.expires_at is not null and m.expires_at <= ");
        now(sql);
        sql.push(")");
        code(sql, "stale");
        sql.push(")");
    };
    // By kind, because policies differ; a kind without an age is never too old.
    let (kinds, ages): (Vec<&str>, Vec<i32>) = Kind::ALL
        .iter()
        .filter_map(|kind| Some((kind.word(), i32::try_from(settings.policy(*kind).review_age_days?).unwrap_or(i32::MAX))))
        .unzip();
    let suspect = |sql: &mut QueryBuilder<Postgres>| {
        sql.push("((m.stale_after is not null and m.stale_after <= ");
        now(sql);
        sql.push(" and (m.verified_at is null or m.verified_at < m.stale_after))");
        sql.push(" or (m.reported_at is not null and m.reported_at > greatest(m.updated_at, m.verified_at))");
        sql.push(" or coalesce(greatest(m.updated_at, m.verified_at) + make_interval(days => (").push_bind(ages.clone());
        sql.push("::int[])[array_position(").push_bind(kinds.clone()).push("::text[], m.kind)]) <= ");
        now(sql);
        sql.push(", false)");
        code(sql, "suspect");
        sql.push(format!(
            " or ({current} m.state = 'active' and exists (select 1 from conflicts k
                join memories o on o.workspace_id = k.workspace_id and o.id = case when k.a = m.id then k.b else k.a end
                where k.workspace_id = m.workspace_id and (k.a = m.id or k.b = m.id) and k.state = 'open' and k.certain
                    and o.state = 'active'
                    and (o.project is null or o.project = m.project) and (o.owner_id is null or o.owner_id = m.owner_id) and k.found_at <= "
        ));
        now(sql);
        sql.push("))");
        sql.push(")");
    };
    match wanted {
        Freshness::Stale => {
            sql.push(" and ");
            stale(sql);
        }
        Freshness::Suspect => {
            sql.push(" and not ");
            stale(sql);
            sql.push(" and ");
            suspect(sql);
        }
        Freshness::Fresh => {
            sql.push(" and not ");
            stale(sql);
            sql.push(" and not ");
            suspect(sql);
        }
    }
}
