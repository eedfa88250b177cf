//! What memories are called and filed under.

use super::super::Tx;
use crate::{model::MemoryId, problem::Problem};
use std::collections::HashMap;
use uuid::Uuid;

/// What somebody might pick a filter from.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    pub projects: Vec<String>,
    pub tags: Vec<String>,
}

/// The projects and tags of what changed last: enough to offer, at a cost that does not grow with the workspace.
pub async fn labels<M>(tx: &mut Tx<M>) -> Result<Labels, Problem> {
    let workspace = tx.workspace().0;
    let row = sqlx::query!(
        r#"with recent as materialized (
               select id, project from memories where workspace_id = $1 order by updated_at desc, id desc limit 2000
           )
           select
               array(select distinct project from recent where project is not null order by project limit 200) as "projects!: Vec<String>",
               array(
                   select distinct t.tag
                   from recent r
                   join memory_tags t on t.workspace_id = $1 and t.memory_id = r.id
                   order by t.tag
                   limit 200
               ) as "tags!: Vec<String>""#,
        workspace
    )
    .fetch_one(tx.conn())
    .await?;
    Ok(Labels { projects: row.projects, tags: row.tags })
}

/// The present titles of these, as far as they are there and may be seen.
pub async fn titles<M>(tx: &mut Tx<M>, ids: &[MemoryId]) -> Result<HashMap<MemoryId, String>, Problem> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"select m.id as "id: MemoryId", v.title as "title!"
           from memories m
           join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
           where m.workspace_id = $1 and m.id = any($2) and v.title is not null"#,
        tx.workspace().0,
        &ids
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.title)).collect())
}
