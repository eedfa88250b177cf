//! Rollbacks: finding what is to be undone, what stands around it, and keeping what was done.

mod kept;
mod select;

pub use kept::{find, insert, items, list, name};
pub use select::{Chosen, choose, hold, in_the_way, make_way, standing_of, threads};

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

/// Proposals go where their memories went: withdrawn with what was put away, open again with what waits again, approved
/// with what is known again. One that is withdrawn bars nothing: its finding may come again.
pub async fn take_proposals_along(
    tx: &mut Tx<Write>,
    rollback: RollbackId,
    away: &[MemoryId],
    back: &[MemoryId],
    by: &Actor,
    at: OffsetDateTime,
) -> Result<Vec<Followed>, Problem> {
    let workspace = tx.workspace();
    let ids = |memories: &[MemoryId]| memories.iter().map(|id| id.0).collect::<Vec<Uuid>>();
    let rows = sqlx::query!(
        r#"select p.id as "id: ProposalId", p.memory_id as "memory_id: MemoryId",
                  case when p.memory_id = any($2) then 'rejected' when m.state = 'proposed' then 'open' else 'approved' end as "state!: ProposalState"
           from proposals p
           join memories m on m.workspace_id = p.workspace_id and m.id = p.memory_id
           where p.workspace_id = $1
             and ((p.memory_id = any($2) and p.state = 'open')
               or (p.memory_id = any($3) and m.state = 'proposed' and p.state <> 'open')
               or (p.memory_id = any($3) and m.state = 'active' and p.state <> 'approved'))
           order by p.id
           for update of p"#,
        workspace.0,
        &ids(away),
        &ids(back)
    )
    .fetch_all(tx.conn())
    .await?;
    let followed: Vec<Followed> =
        rows.into_iter().map(|row| Followed { id: row.id, memory_id: row.memory_id, state: row.state, audit_id: AuditId::new() }).collect();
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
