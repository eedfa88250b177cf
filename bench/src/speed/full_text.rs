//! Postgres full-text on the same rows, as the owner, so that row policies do not keep it from its index: the words of each
//! memory stored beside it (so that ranking need not parse texts), a GIN index, an OR of the question's words, `ts_rank`,
//! the texts of the ten best, one prepared statement on one connection.

use crate::Failure;
use sqlx::{ConnectOptions, Connection, Executor, PgConnection, postgres::PgConnectOptions};
use uuid::Uuid;

const QUESTION: &str = "select v.memory_id, v.title, v.content, r.rank
    from (
        select w.memory_id, ts_rank(w.words, q.q) as rank
        from plain_words w, to_tsquery('english', $1) q (q)
        where w.words @@ q.q
        order by rank desc
        limit 10
    ) r
    join memory_versions v on v.workspace_id = $2 and v.memory_id = r.memory_id and v.version = 1
    order by r.rank desc";

pub struct FullText {
    connection: PgConnection,
    workspace: Uuid,
}

impl FullText {
    pub async fn connect(url: &str, workspace: Uuid) -> Result<Self, Failure> {
        let mut connection = connect(url).await?;
        connection.execute("set jit = off").await?;
        Ok(Self { connection, workspace })
    }

    pub async fn ask(&mut self, question: &str) -> Result<usize, Failure> {
        let rows = sqlx::query(QUESTION).bind(any_of(question)).bind(self.workspace).fetch_all(&mut self.connection).await?;
        Ok(rows.len())
    }

    pub async fn close(self) -> Result<(), Failure> {
        Ok(self.connection.close().await?)
    }
}

pub async fn connect(url: &str) -> Result<PgConnection, Failure> {
    let options: PgConnectOptions = url.parse()?;
    Ok(options.disable_statement_logging().connect().await?)
}

/// The words of whatever came since the last time, and the index anew: so it is as dense as one can be.
pub async fn prepare(owner: &mut PgConnection, workspace: Uuid) -> Result<(), Failure> {
    owner.execute("create table if not exists plain_words (memory_id uuid primary key, words tsvector not null)").await?;
    owner.execute("drop index if exists plain_words_index").await?;
    sqlx::query(
        "insert into plain_words
         select v.memory_id, to_tsvector('english', v.title || ' ' || v.content)
         from memory_versions v
         where v.workspace_id = $1 and v.memory_id > coalesce((select memory_id from plain_words order by memory_id desc limit 1), '00000000-0000-0000-0000-000000000000')",
    )
    .bind(workspace)
    .execute(&mut *owner)
    .await?;
    owner.execute("create index plain_words_index on plain_words using gin (words)").await?;
    owner.execute("vacuum analyze").await?;
    owner.execute("checkpoint").await?;
    Ok(())
}

fn any_of(question: &str) -> String {
    let words = question.split_whitespace().map(|word| word.trim_matches(['?', ',', '.']).replace(['\'', '\\'], " "));
    words.filter(|word| !word.trim().is_empty()).map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" | ")
}
