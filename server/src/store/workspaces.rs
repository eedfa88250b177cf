//! Workspaces: made and ended by the instance, changed from within.

use super::{
    Standing, Tx,
    guise::{as_app, as_index},
    tx::{Instance, Write},
};
use crate::{
    model::{
        PersonId, Role, Settings, Workspace, WorkspaceId,
        page::{Limit, Page, decode},
        workspaces::{NewWorkspace, Seen},
    },
    problem::Problem,
};
use serde_json::json;
use sqlx::types::Json;

/// How many memories count against the quota, up to `most`. One writer at a time looks and adds, where there is a quota.
pub async fn count_memories<M>(tx: &mut Tx<M>, most: i64) -> Result<i64, Problem> {
    let workspace = tx.workspace();
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('quota ' || $1::text, 0))", workspace.to_string())
        .execute(tx.conn())
        .await?;
    // Everybody's count, also those that this one does not see.
    as_index(tx).await?;
    let there = sqlx::query_scalar!(
        r#"select count(*) as "count!" from (select 1 from memories where workspace_id = $1 and state in ('active', 'proposed') limit $2) counted"#,
        workspace.0,
        most
    )
    .fetch_one(tx.conn())
    .await?;
    as_app(tx).await?;
    Ok(there)
}

pub async fn insert(tx: &mut Tx<Instance>, new: &NewWorkspace) -> Result<Workspace, Problem> {
    let id = WorkspaceId::new();
    let created_at = sqlx::query_scalar!(
        "insert into workspaces (id, slug, name, purpose, settings) values ($1, $2, $3, $4, $5) returning created_at",
        id.0,
        new.slug.as_str(),
        new.name,
        new.purpose,
        json!(new.settings)
    )
    .fetch_one(tx.conn())
    .await?;
    Ok(Workspace {
        id,
        slug: new.slug.as_str().to_owned(),
        name: new.name.clone(),
        purpose: new.purpose.clone(),
        settings: new.settings.clone(),
        created_at,
    })
}

/// The default store has the workspace's own id.
pub async fn insert_main_store(tx: &mut Tx<Write>) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!("insert into stores (workspace_id, id, name) values ($1, $2, 'main')", workspace.0, workspace.main_store().0)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// The workspace one stands in, held against other changes until the transaction ends.
pub async fn hold(tx: &mut Tx<Write>) -> Result<Workspace, Problem> {
    let workspace = tx.workspace();
    let row = sqlx::query!(
        r#"select slug, name, purpose, settings as "settings: Json<Settings>", created_at
           from workspaces
           where id = $1 and deleted_at is null
           for update"#,
        workspace.0
    )
    .fetch_optional(tx.conn())
    .await?
    .ok_or(Problem::NotFound)?;
    Ok(Workspace {
        id: workspace,
        slug: row.slug,
        name: row.name,
        purpose: row.purpose,
        settings: row.settings.0,
        created_at: row.created_at,
    })
}

pub async fn update(tx: &mut Tx<Write>, workspace: &Workspace) -> Result<(), Problem> {
    sqlx::query!(
        "update workspaces set name = $2, purpose = $3, settings = $4 where id = $1",
        tx.workspace().0,
        workspace.name,
        workspace.purpose,
        json!(workspace.settings)
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Ends all access at once; the slug becomes free.
pub async fn end(tx: &mut Tx<Instance>, id: WorkspaceId) -> Result<(), Problem> {
    let ended = sqlx::query!("update workspaces set deleted_at = now() where id = $1 and deleted_at is null", id.0)
        .execute(tx.conn())
        .await?
        .rows_affected();
    if ended == 1 { Ok(()) } else { Err(Problem::NotFound) }
}

/// Those a person is in or, for one who runs the instance, all of them; by slug.
pub async fn list<M>(tx: &mut Tx<M>, person: PersonId, all: bool, limit: Limit, cursor: Option<&str>) -> Result<Page<Seen>, Problem> {
    let after = cursor.map(decode::<String>).transpose()?;
    let rows = sqlx::query!(
        r#"select w.id as "id: WorkspaceId", w.slug, w.name, w.purpose, w.settings as "settings: Json<Settings>", w.created_at, m.role as "role?: Role"
           from workspaces w
           left join members m on m.workspace_id = w.id and m.person_id = $1 and m.removed_at is null
           where w.deleted_at is null and ($2 or m.role is not null) and ($3::text is null or w.slug collate "C" > $3)
           order by w.slug collate "C"
           limit $4"#,
        person.0,
        all,
        after,
        limit.and_one()
    )
    .fetch_all(tx.conn())
    .await?;
    let seen = rows
        .into_iter()
        .map(|row| Seen {
            workspace: Workspace {
                id: row.id,
                slug: row.slug,
                name: row.name,
                purpose: row.purpose,
                settings: row.settings.0,
                created_at: row.created_at,
            },
            role: row.role,
            project: None,
        })
        .collect();
    Ok(Page::cut(seen, limit, |seen: &Seen| seen.workspace.slug.clone()))
}

impl Seen {
    /// What an agent sees: the one workspace that its key belongs to.
    pub fn of(standing: &Standing) -> Self {
        Self {
            workspace: standing.workspace().clone(),
            role: Some(standing.role()),
            project: standing.project().map(|project| project.as_str().to_owned()),
        }
    }
}
