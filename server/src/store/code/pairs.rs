//! What sessions taught about the code: files that go together.

use crate::model::SessionId;
use crate::problem::Problem;
use crate::store::{Tx, Write};
use time::OffsetDateTime;

/// Files that were used together in a run: what was known of each pair, and this; what this run adds goes with it.
pub async fn put_pairs(
    tx: &mut Tx<Write>,
    session: SessionId,
    project: Option<&str>,
    pairs: &[(String, String, f32)],
    at: OffsetDateTime,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let (a, b): (Vec<&str>, Vec<&str>) = pairs.iter().map(|(a, b, _)| (a.as_str(), b.as_str())).unzip();
    let weights: Vec<f32> = pairs.iter().map(|(.., weight)| *weight).collect();
    sqlx::query(
        "with told as materialized (
             select i.a, i.b, max(i.weight) as weight from unnest($4::text[], $5::text[], $6::real[]) i (a, b, weight) group by i.a, i.b
         ), counted as (
             insert into code_pairs (workspace_id, project, a, b, weight, runs, last_at)
             select $1, $2, a, b, weight, 1, $3 from told order by a, b
             on conflict (workspace_id, project, a, b) do update
             set weight = code_pairs.weight + excluded.weight, runs = code_pairs.runs + 1, last_at = excluded.last_at
         )
         insert into code_pair_runs (workspace_id, session_id, project, a, b, weight) select $1, $7, $2, a, b, weight from told",
    )
    .bind(workspace)
    .bind(project.unwrap_or_default())
    .bind(at)
    .bind(a)
    .bind(b)
    .bind(weights)
    .bind(session)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The projects that pairs are known of: each is one look into the primary key, which begins with them.
const PROJECTS: &str = "with recursive known as (
    (select project from code_pairs where workspace_id = $1 and ($2::text is null or project = $2) order by project limit 1)
    union all
    select n.project
    from known k
    cross join lateral (
        select p.project from code_pairs p where p.workspace_id = $1 and p.project > k.project and $2::text is null order by p.project limit 1
    ) n
)";

/// Files that runs used together with these, the closest first, with how close: 1 is the closest of all.
pub async fn companions<M>(tx: &mut Tx<M>, project: Option<&str>, paths: &[String], most: i64) -> Result<Vec<(String, f32)>, Problem> {
    let sql = format!(
        "{PROJECTS}
         select p.path, sum(p.weight)::real as weight
         from (
             select c.b as path, c.weight from known k join code_pairs c on c.workspace_id = $1 and c.project = k.project and c.a = any($3)
             union all
             select c.a, c.weight from known k join code_pairs c on c.workspace_id = $1 and c.project = k.project and c.b = any($3)
         ) p
         where p.path <> all($3)
         group by p.path
         order by weight desc, p.path
         limit $4"
    );
    let found: Vec<(String, f32)> =
        sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(tx.workspace()).bind(project).bind(paths).bind(most).fetch_all(tx.conn()).await?;
    let closest = found.first().map_or(1.0, |(_, weight)| weight.max(f32::MIN_POSITIVE));
    Ok(found.into_iter().map(|(path, weight)| (path, weight / closest)).collect())
}

/// Which of these files go with each other, and how close: 1 is the closest of them.
pub async fn ties<M>(tx: &mut Tx<M>, project: Option<&str>, paths: &[String]) -> Result<Vec<(String, String, f32)>, Problem> {
    let sql = format!(
        "{PROJECTS}
         select c.a, c.b, sum(c.weight)::real
         from known k
         join code_pairs c on c.workspace_id = $1 and c.project = k.project and c.a = any($3) and c.b = any($3)
         group by c.a, c.b
         order by 3 desc, c.a, c.b"
    );
    let found: Vec<(String, String, f32)> =
        sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(tx.workspace()).bind(project).bind(paths).fetch_all(tx.conn()).await?;
    let closest = found.first().map_or(1.0, |(.., weight)| weight.max(f32::MIN_POSITIVE));
    Ok(found.into_iter().map(|(a, b, weight)| (a, b, weight / closest)).collect())
}
