//! What sessions taught about the code: files that go together.

use crate::problem::Problem;
use crate::store::{Tx, Write};
use time::OffsetDateTime;

/// Files that were used together in a run: what was known of each pair, and this.
pub async fn put_pairs(
    tx: &mut Tx<Write>,
    project: Option<&str>,
    pairs: &[(String, String, f32)],
    at: OffsetDateTime,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let (a, b): (Vec<&str>, Vec<&str>) = pairs.iter().map(|(a, b, _)| (a.as_str(), b.as_str())).unzip();
    let weights: Vec<f32> = pairs.iter().map(|(.., weight)| *weight).collect();
    sqlx::query(
        "insert into code_pairs (workspace_id, project, a, b, weight, runs, last_at)
         select $1, $2, i.a, i.b, max(i.weight), 1, $3 from unnest($4::text[], $5::text[], $6::real[]) i (a, b, weight) group by i.a, i.b order by i.a, i.b
         on conflict (workspace_id, project, a, b) do update
         set weight = code_pairs.weight + excluded.weight, runs = code_pairs.runs + 1, last_at = excluded.last_at",
    )
    .bind(workspace)
    .bind(project.unwrap_or_default())
    .bind(at)
    .bind(a)
    .bind(b)
    .bind(weights)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Files that runs used together with these, the closest first, with how close: 1 is the closest of all.
pub async fn companions<M>(tx: &mut Tx<M>, project: Option<&str>, paths: &[String], most: i64) -> Result<Vec<(String, f32)>, Problem> {
    let found: Vec<(String, f32)> = sqlx::query_as(
        "select p.path, sum(p.weight)::real as weight
         from (
             select b as path, weight from code_pairs where workspace_id = $1 and a = any($3) and ($2::text is null or project = $2)
             union all
             select a, weight from code_pairs where workspace_id = $1 and b = any($3) and ($2::text is null or project = $2)
         ) p
         where p.path <> all($3)
         group by p.path
         order by weight desc, p.path
         limit $4",
    )
    .bind(tx.workspace())
    .bind(project)
    .bind(paths)
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    let closest = found.first().map_or(1.0, |(_, weight)| weight.max(f32::MIN_POSITIVE));
    Ok(found.into_iter().map(|(path, weight)| (path, weight / closest)).collect())
}
