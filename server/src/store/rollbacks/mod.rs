//! Rollbacks: finding what is to be undone, what stands around it, and keeping what was done.

mod kept;
mod select;

pub use kept::{find, insert, items, list, name};
pub use select::{Chosen, choose, followed, hold, in_the_way, make_way, standing_of, threads};

use super::{Tx, tx::Write};
use crate::{
    model::{Actor, AuditId, MemoryId, ProposalId, RollbackId, proposals::ProposalState},
    problem::Problem,
};
use time::OffsetDateTime;
use uuid::Uuid;

/// A proposal that follows its memory.
pub struct Followed {
    pub id: ProposalId,
    pub memory_id: MemoryId,
    pub state: ProposalState,
    pub audit_id: AuditId,
}

/// What a rollback moved, and what the run that it takes back had put up without touching a memory.
pub struct Moved {
    pub away: Vec<MemoryId>,
    pub back: Vec<MemoryId>,
    /// A dream that is taken back as a whole: what it put up is withdrawn.
    pub dream: Option<Uuid>,
    /// A rollback that is taken back as a whole: what it withdrew so is open again.
    pub rollback: Option<RollbackId>,
}

/// Proposals that a memory become known go where it went: withdrawn with what was put away, open again with what waits again,
/// approved with what is known again; what else is proposed about it nobody has decided by that. Those that a dream put up
/// about memories as they were go with the dream. One that is withdrawn bars nothing: its finding may come again.
pub async fn take_proposals_along(
    tx: &mut Tx<Write>,
    rollback: RollbackId,
    moved: &Moved,
    by: &Actor,
    at: OffsetDateTime,
) -> Result<Vec<Followed>, Problem> {
    hand_over(tx, &moved.back).await?;
    let workspace = tx.workspace();
    let ids = |memories: &[MemoryId]| memories.iter().map(|id| id.0).collect::<Vec<Uuid>>();
    let rows: Vec<(ProposalId, MemoryId, ProposalState)> = sqlx::query_as(
        "with put_up as (
               select a.proposal_id as id from dream_actions a where a.workspace_id = $1 and a.dream_id = $4 and a.proposal_id is not null
           ), withdrawn as (
               select a.proposal_id as id
               from dream_actions a
               join proposals o on o.workspace_id = a.workspace_id and o.id = a.proposal_id
               where a.workspace_id = $1 and o.withdrawn_by = $5)
           select p.id, p.memory_id,
                  case when p.memory_id = any($2) or (p.state = 'open' and (m.state = 'archived' or p.id in (select id from put_up)))
                           then 'rejected'
                       when m.state in ('proposed', 'archived') or p.id in (select id from withdrawn) then 'open'
                       else 'approved' end as state
           from proposals p
           join memories m on m.workspace_id = p.workspace_id and m.id = p.memory_id
           left join memory_versions now on now.workspace_id = m.workspace_id and now.memory_id = m.id and now.version = m.version
           left join memory_versions undone on undone.workspace_id = m.workspace_id and undone.memory_id = m.id and undone.version = m.version - 1
           left join memory_versions again on again.workspace_id = m.workspace_id and again.memory_id = m.id and again.version = now.restores
           where p.workspace_id = $1
             and ((coalesce(p.change ->> 'type', 'remember') = 'remember'
                   and ((p.memory_id = any($2) and p.state = 'open')
                     or (p.memory_id = any($3) and m.state = 'proposed' and p.state <> 'open')
                     or (p.memory_id = any($3) and m.state in ('active', 'superseded') and p.state <> 'approved')
                     -- Rejected though it had been put away; and rejected once more.
                     or (p.memory_id = any($3) and m.state = 'archived' and p.state = 'rejected' and undone.reason = 'rejected')
                     or (p.memory_id = any($3) and m.state = 'archived' and p.state = 'open' and again.reason = 'rejected')))
               or (p.state = 'open' and p.id in (select id from put_up))
               or (p.state = 'rejected' and m.state = 'active' and p.id in (select id from withdrawn)))
           order by p.id
           for update of p",
    )
    .bind(workspace)
    .bind(ids(&moved.away))
    .bind(ids(&moved.back))
    .bind(moved.dream)
    .bind(moved.rollback)
    .fetch_all(tx.conn())
    .await?;
    let followed: Vec<Followed> =
        rows.into_iter().map(|(id, memory_id, state)| Followed { id, memory_id, state, audit_id: AuditId::new() }).collect();
    sqlx::query!(
        "update proposals p
         set state = g.state, audit_id = g.audit_id,
             decided_at = case when g.state = 'open' then null else $6::timestamptz end,
             decided_by_type = case when g.state = 'open' then null else $7::text end,
             decided_by = case when g.state = 'open' then null else $8::uuid end,
             withdrawn_by = case when g.state = 'rejected' then $2::uuid end,
             withdrawn_key = case when g.state = 'rejected' then p.key end,
             key = case
                 when g.state = 'rejected' then null
                 when p.withdrawn_key is null or exists (
                     select 1 from proposals o
                     where o.workspace_id = p.workspace_id and coalesce(o.project, '') = coalesce(p.project, '') and o.key = p.withdrawn_key
                 ) then p.key
                 else p.withdrawn_key
             end
         from unnest($3::uuid[], $4::text[], $5::uuid[]) g (id, state, audit_id)
         where p.workspace_id = $1 and p.id = g.id",
        workspace.0,
        rollback.0,
        &followed.iter().map(|one| one.id.0).collect::<Vec<_>>(),
        &followed.iter().map(|one| one.state.word().to_owned()).collect::<Vec<_>>(),
        &followed.iter().map(|one| one.audit_id.0).collect::<Vec<_>>(),
        at,
        by.kind.word(),
        by.id
    )
    .execute(tx.conn())
    .await?;
    Ok(followed)
}

/// A decision that waited and was edited stands beside what came of it, and its proposal with one of the two: with the one that
/// waits again, or with the one that is known again.
async fn hand_over(tx: &mut Tx<Write>, back: &[MemoryId]) -> Result<(), Problem> {
    sqlx::query(
        "update proposals p
         set memory_id = h.goes_to
         from (
             select case when m.state = 'proposed' then s.superseded_by else m.id end as lies_with,
                    case when m.state = 'proposed' then m.id else s.superseded_by end as goes_to,
                    case when m.state = 'proposed' then 'approved' else 'open' end as state
             from unnest($2::uuid[]) w (id)
             cross join lateral (select m.id, m.state, m.version from memories m where m.workspace_id = $1 and m.id = w.id offset 0) m
             cross join lateral (
                 select v.superseded_by from memory_versions v
                 where v.workspace_id = $1 and v.memory_id = m.id and v.version = m.version
                 offset 0) now
             cross join lateral (
                 select v.version, v.superseded_by from memory_versions v
                 where v.workspace_id = $1 and v.memory_id = m.id and v.operation = 'superseded'
                 offset 0) s
             cross join lateral (
                 select v.state from memory_versions v
                 where v.workspace_id = $1 and v.memory_id = m.id and v.version = s.version - 1
                 offset 0) before
             where before.state = 'proposed'
               and (m.state = 'proposed'
                 or (m.state = 'superseded' and now.superseded_by = s.superseded_by and s.superseded_by = any($2)))) h
         where p.workspace_id = $1 and p.memory_id = h.lies_with and p.state = h.state
           and coalesce(p.change ->> 'type', 'remember') = 'remember'",
    )
    .bind(tx.workspace())
    .bind(back.iter().map(|id| id.0).collect::<Vec<_>>())
    .execute(tx.conn())
    .await?;
    Ok(())
}
