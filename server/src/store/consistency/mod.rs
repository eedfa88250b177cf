//! What must always hold, asked of a whole database as its owner: one statement for each promise, which names the rows that
//! break it. Ids only: what is found may be shown to whoever runs the check.

mod deletion;
mod memories;
mod references;
mod runs;
pub mod texts;
mod trail;
mod walls;

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Postgres, Transaction};

/// How many of those that break a promise are named.
pub const NAMED: usize = 10;

/// A promise, and what breaks it.
#[derive(Clone, Copy)]
struct Promise<'a> {
    name: &'static str,
    /// What holds when nothing is found.
    says: &'static str,
    /// How many rows it is about: a number.
    counts: &'static str,
    /// Those that break it, each in words: a text.
    breaks: &'a str,
}

/// What came of one promise.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Outcome {
    pub name: &'static str,
    pub promise: &'static str,
    pub looked_at: u64,
    pub found: u64,
    /// The first of what was found.
    pub examples: Vec<String>,
}

impl Outcome {
    pub fn of(name: &'static str, promise: &'static str, looked_at: u64, mut found: Vec<String>) -> Self {
        let count = found.len() as u64;
        found.sort_unstable();
        found.truncate(NAMED);
        Self { name, promise, looked_at, found: count, examples: found }
    }
}

/// Everything as it was at one moment. Nothing can be changed through it; and a role that row policies bind is refused, for it
/// would find nothing wrong where it sees nothing.
pub async fn snapshot(conn: &mut PgConnection) -> Result<Transaction<'_, Postgres>, sqlx::Error> {
    let mut tx = conn.begin_with("begin isolation level repeatable read read only").await?;
    tx.execute("set local row_security = off; set local statement_timeout = 0; set local jit = off").await?;
    Ok(tx)
}

/// Whether whoever is connected sees only what row policies let through.
pub async fn policies_bind(conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("select row_security_active('memories')").fetch_one(conn).await
}

/// Asks for every promise that a statement can tell of.
pub async fn ask(conn: &mut PgConnection) -> Result<Vec<Outcome>, sqlx::Error> {
    let mut outcomes = Vec::new();
    for promise in [trail::PROMISES, memories::PROMISES, deletion::PROMISES, runs::PROMISES, walls::PROMISES].concat() {
        outcomes.push(keeps(conn, &promise).await?);
    }
    outcomes.push(references::with_entries(conn).await?);
    outcomes.push(references::within_walls(conn).await?);
    outcomes.push(references::in_workspaces(conn).await?);
    Ok(outcomes)
}

async fn keeps(conn: &mut PgConnection, promise: &Promise<'_>) -> Result<Outcome, sqlx::Error> {
    let looked_at: i64 = sqlx::query_scalar(AssertSqlSafe(promise.counts)).fetch_one(&mut *conn).await?;
    let asked = format!(
        "with broken (what) as materialized ({})
         select (select count(*) from broken), array(select what from broken order by what limit {NAMED})",
        promise.breaks
    );
    let (found, examples): (i64, Vec<String>) = sqlx::query_as(AssertSqlSafe(asked)).fetch_one(conn).await?;
    Ok(Outcome { name: promise.name, promise: promise.says, looked_at: looked_at.cast_unsigned(), found: found.cast_unsigned(), examples })
}
