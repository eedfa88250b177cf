//! pgbench inserting one comparable row per transaction: what Postgres alone can do here and now.

use crate::Failure;
use cairn_server::store::cluster::ThrowAway;
use std::path::Path;
use tokio::process::Command;

const TABLE: &str = "create table if not exists plain_rows (
    id uuid primary key default gen_random_uuid(), workspace_id uuid not null, path text not null, kind text not null,
    title text not null, content text not null, created_at timestamptz not null default now())";

pub async fn prepare(postgres: &ThrowAway) -> Result<(), Failure> {
    sql(postgres, TABLE).await
}

pub async fn sql(postgres: &ThrowAway, statement: &str) -> Result<(), Failure> {
    let psql = postgres.binaries().path("psql");
    let done = Command::new(psql).args(["-X", "-q", "-c", statement]).arg(postgres.owner_url("postgres")).status().await?;
    if done.success() { Ok(()) } else { Err(format!("psql could not do: {statement}").into()) }
}

/// Transactions per second.
pub async fn run(postgres: &ThrowAway, folder: &Path, content: &str, clients: usize, seconds: u64) -> Result<f64, Failure> {
    let statement = format!(
        "insert into plain_rows (workspace_id, path, kind, title, content) values ('00000000-0000-7000-8000-000000000001', '/facts/a-row-of-its-own.md', 'fact', 'A row of its own', '{}');",
        literal(content)
    );
    repeat(postgres, folder, &statement, clients, seconds).await
}

/// A statement again and again, by clients that wait for nobody: how often a second.
pub async fn repeat(postgres: &ThrowAway, folder: &Path, statement: &str, clients: usize, seconds: u64) -> Result<f64, Failure> {
    let script = folder.join("statement.sql");
    std::fs::write(&script, format!("{statement}\n"))?;
    let threads = clients.min(2).to_string();
    let output = Command::new(postgres.binaries().path("pgbench"))
        .args(["-n", "-M", "prepared", "-c", &clients.to_string(), "-j", &threads, "-T", &seconds.to_string(), "-f"])
        .arg(&script)
        .arg(postgres.owner_url("postgres"))
        .output()
        .await?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split_whitespace().next()?.parse().ok())
        .ok_or_else(|| format!("pgbench did not say its tps: {said}{}", String::from_utf8_lossy(&output.stderr)).into())
}

/// As pgbench takes it: a colon would begin a variable.
pub fn literal(text: &str) -> String {
    text.replace('\'', "''").replace(':', " ")
}
