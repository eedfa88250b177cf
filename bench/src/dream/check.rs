//! The workspace as it lies in the database, before and after.

use crate::Failure;
use sqlx::{PgConnection, Row};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// A memory as it stands.
pub struct Stood {
    pub version: i32,
    pub state: String,
    pub superseded_by: Option<Uuid>,
    /// Of everything that it says and is filed under.
    print: String,
}

pub type Picture = HashMap<Uuid, Stood>;

/// All memories, each with a digest of its whole state but for who wrote the version and when.
pub async fn picture(owner: &mut PgConnection, workspace: Uuid) -> Result<Picture, Failure> {
    let rows = sqlx::query(
        "select id, version, state, superseded_by,
                encode(sha256(convert_to(row(title, content, kind, tags, project, path, state, confidence, anchors, source, subject, visibility,
                    owner_id, valid_from, stale_after, expires_at, supersedes, superseded_by, verified_at, content_sha256, session_id,
                    (select array_agg(t.tag order by t.tag) from memory_tags t where t.workspace_id = s.workspace_id and t.memory_id = s.id),
                    reported_at, reported_as)::text, 'UTF8')), 'hex') as print
         from memory_states s
         where workspace_id = $1 and current",
    )
    .bind(workspace)
    .fetch_all(owner)
    .await?;
    let stood = |row: sqlx::postgres::PgRow| {
        let stood = Stood {
            version: row.try_get("version")?,
            state: row.try_get("state")?,
            superseded_by: row.try_get("superseded_by")?,
            print: row.try_get("print")?,
        };
        Ok((row.try_get("id")?, stood))
    };
    rows.into_iter().map(stood).collect()
}

/// Those that are not as they were, and those that are new and still known.
pub fn differing(before: &Picture, after: &Picture) -> (usize, usize) {
    let changed = before.iter().filter(|(id, was)| after.get(*id).is_none_or(|is| is.print != was.print)).count();
    let new = after.iter().filter(|(id, is)| !before.contains_key(*id) && is.state != "archived").count();
    (changed, new)
}

/// Pairs that are flagged.
pub async fn conflicts(owner: &mut PgConnection, workspace: Uuid) -> Result<HashSet<(Uuid, Uuid)>, Failure> {
    Ok(sqlx::query_as("select a, b from conflicts where workspace_id = $1").bind(workspace).fetch_all(owner).await?.into_iter().collect())
}

/// Memories that a dream lists for somebody to verify.
pub async fn listed(owner: &mut PgConnection, workspace: Uuid) -> Result<HashSet<Uuid>, Failure> {
    let rows: Vec<(Uuid,)> = sqlx::query_as("select memory_id from dream_actions where workspace_id = $1 and deed = 'verify'")
        .bind(workspace)
        .fetch_all(owner)
        .await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}
