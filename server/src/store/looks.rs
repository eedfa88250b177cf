//! What runs looked for: kept by run, so that it goes with the run, and counted over runs.

use super::{Tx, Write};
use crate::{model::SessionId, problem::Problem};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Longer ago, the code was another.
const KEPT: Duration = Duration::days(90);

/// What a run looked for, by its key and with the file that answered it; said again, the later word counts.
pub async fn put(
    tx: &mut Tx<Write>,
    session: SessionId,
    project: Option<&str>,
    looks: &[(String, &str)],
    at: OffsetDateTime,
) -> Result<(), Problem> {
    let (workspace, project) = (tx.workspace(), project.unwrap_or_default());
    sqlx::query("delete from run_looks where workspace_id = $1 and project = $2 and at < $3")
        .bind(workspace)
        .bind(project)
        .bind(at - KEPT)
        .execute(tx.conn())
        .await?;
    let (keys, paths) = columns(looks);
    sqlx::query(
        "insert into run_looks (workspace_id, project, key, session_id, path, at)
         select $1, $2, l.key, $3, l.path, $4 from unnest($5::text[], $6::text[]) l (key, path) order by l.key
         on conflict (workspace_id, project, key, session_id) do update set path = excluded.path, at = excluded.at",
    )
    .bind(workspace)
    .bind(project)
    .bind(session)
    .bind(at)
    .bind(keys)
    .bind(paths)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Which of these at least so many runs looked for and found in the same file, and which runs those are, the first one first.
pub async fn seen_in<M>(
    tx: &mut Tx<M>,
    project: Option<&str>,
    looks: &[(String, &str)],
    runs: i64,
) -> Result<Vec<(String, Vec<SessionId>)>, Problem> {
    let (keys, paths) = columns(looks);
    let found: Vec<(String, Vec<Uuid>)> = sqlx::query_as(
        "select l.key, array_agg(l.session_id order by l.at, l.session_id)
         from unnest($3::text[], $4::text[]) w (key, path)
         join run_looks l on l.workspace_id = $1 and l.project = $2 and l.key = w.key and l.path = w.path
         group by l.key
         having count(*) >= $5
         order by count(*) desc, l.key",
    )
    .bind(tx.workspace())
    .bind(project.unwrap_or_default())
    .bind(keys)
    .bind(paths)
    .bind(runs)
    .fetch_all(tx.conn())
    .await?;
    Ok(found.into_iter().map(|(key, sessions)| (key, sessions.into_iter().map(SessionId).collect())).collect())
}

fn columns<'a>(looks: &'a [(String, &'a str)]) -> (Vec<&'a str>, Vec<&'a str>) {
    looks.iter().map(|(key, path)| (key.as_str(), *path)).unzip()
}
