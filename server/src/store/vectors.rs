//! Vectors of an outside model, kept as a part of the index: by generation, for the text that a memory has now.
//! Written without an entry in the trail, by the index's own role, which may write nothing else.

use super::{Db, ShelfMark};
use crate::{model::MemoryId, problem::Problem};
use sqlx::{AssertSqlSafe, Postgres, Transaction};
use uuid::Uuid;

/// What a vector is made of.
#[derive(sqlx::FromRow)]
pub struct ToEmbed {
    pub id: MemoryId,
    pub version: i32,
    pub title: String,
    pub content: String,
}

/// Rows of a generation that is over, taken away at a time.
const AT_ONCE: i64 = 2000;

impl Db {
    /// The model whose vectors are complete, and their length: the wanted one if it is, else the last that was.
    pub async fn serving_generation(&self, mark: ShelfMark, wanted: &str) -> Result<Option<(String, Option<usize>)>, Problem> {
        let mut tx = self.as_index(mark).await?;
        let found: Option<(String, Option<i32>)> = sqlx::query_as(
            "select model, dimensions
             from embedding_generations
             where workspace_id = $1 and complete_at is not null
             order by model = $2 desc, complete_at desc
             limit 1",
        )
        .bind(mark.workspace())
        .bind(wanted)
        .fetch_optional(&mut *tx)
        .await?;
        Ok(found.map(|(model, dimensions)| (model, dimensions.and_then(|length| usize::try_from(length).ok()))))
    }

    /// Notes that vectors are being made with this model, and gives their length and whether they were complete once.
    pub async fn begin_generation(&self, mark: ShelfMark, model: &str) -> Result<(Option<i32>, bool), Problem> {
        let mut tx = self.to_index(mark).await?;
        let begun = sqlx::query_as(
            "with begun as (insert into embedding_generations (workspace_id, model) values ($1, $2) on conflict do nothing)
             select max(dimensions), coalesce(bool_or(complete_at is not null), false)
             from embedding_generations
             where workspace_id = $1 and model = $2",
        )
        .bind(mark.workspace())
        .bind(model)
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(begun)
    }

    /// The first vector says how long all of them are.
    pub async fn note_dimensions(&self, mark: ShelfMark, model: &str, dimensions: i32) -> Result<(), Problem> {
        let mut tx = self.to_index(mark).await?;
        sqlx::query("update embedding_generations set dimensions = $3 where workspace_id = $1 and model = $2 and dimensions is null")
            .bind(mark.workspace())
            .bind(model)
            .bind(dimensions)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// From now on this model's vectors serve.
    pub async fn complete_generation(&self, mark: ShelfMark, model: &str) -> Result<(), Problem> {
        let mut tx = self.to_index(mark).await?;
        sqlx::query("update embedding_generations set complete_at = now() where workspace_id = $1 and model = $2 and complete_at is null")
            .bind(mark.workspace())
            .bind(model)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Takes away what other models made; the generation itself last, so that whoever is interrupted goes on.
    pub async fn forget_other_generations(&self, mark: ShelfMark, model: &str) -> Result<(), Problem> {
        loop {
            let mut tx = self.to_index(mark).await?;
            let gone = sqlx::query(
                "delete from memory_vectors
                 where (workspace_id, memory_id, model) in (
                     select workspace_id, memory_id, model
                     from memory_vectors
                     where workspace_id = $1 and model <> $2
                     limit $3
                     for update skip locked)",
            )
            .bind(mark.workspace())
            .bind(model)
            .bind(AT_ONCE)
            .execute(&mut *tx)
            .await?
            .rows_affected();
            if gone == 0 {
                sqlx::query("delete from embedding_generations where workspace_id = $1 and model <> $2")
                    .bind(mark.workspace())
                    .bind(model)
                    .execute(&mut *tx)
                    .await?;
                return Ok(tx.commit().await?);
            }
            tx.commit().await?;
        }
    }

    /// Memories in the order of their ids.
    pub async fn memories_after(&self, mark: ShelfMark, after: Option<MemoryId>, most: i64) -> Result<Vec<MemoryId>, Problem> {
        let mut tx = self.as_index(mark).await?;
        Ok(sqlx::query_scalar("select id from memories where workspace_id = $1 and id > $2 order by id limit $3")
            .bind(mark.workspace())
            .bind(after.map_or(Uuid::nil(), |id| id.0))
            .bind(most)
            .fetch_all(&mut *tx)
            .await?)
    }

    /// How many memories this model has made nothing of yet.
    pub async fn count_without_vectors(&self, mark: ShelfMark, model: &str) -> Result<u64, Problem> {
        let mut tx = self.as_index(mark).await?;
        let count: i64 = sqlx::query_scalar(
            "select (select count(*) from memories where workspace_id = $1) - (select count(*) from memory_vectors where workspace_id = $1 and model = $2)",
        )
        .bind(mark.workspace())
        .bind(model)
        .fetch_one(&mut *tx)
        .await?;
        Ok(count.try_into().unwrap_or_default())
    }

    /// Which of these this model has made nothing of, as their text is now.
    pub async fn without_vectors(&self, mark: ShelfMark, model: &str, ids: &[MemoryId]) -> Result<Vec<MemoryId>, Problem> {
        let mut tx = self.as_index(mark).await?;
        Ok(sqlx::query_scalar(
            "select m.id
             from memories m
             join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
             where m.workspace_id = $1 and m.id = any($2) and v.content is not null
               and not exists (
                   select 1 from memory_vectors w
                   where w.workspace_id = $1 and w.memory_id = m.id and w.model = $3 and w.text_mark = text_mark(v.content_sha256, v.title))
             order by m.id",
        )
        .bind(mark.workspace())
        .bind(ids.iter().map(|id| id.0).collect::<Vec<Uuid>>())
        .bind(model)
        .fetch_all(&mut *tx)
        .await?)
    }

    pub async fn texts_to_embed(&self, mark: ShelfMark, ids: &[MemoryId]) -> Result<Vec<ToEmbed>, Problem> {
        let mut tx = self.as_index(mark).await?;
        Ok(sqlx::query_as(
            "select m.id, v.version, coalesce(v.title, '') as title, v.content
             from memories m
             join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
             where m.workspace_id = $1 and m.id = any($2) and v.content is not null
             order by m.id",
        )
        .bind(mark.workspace())
        .bind(ids.iter().map(|id| id.0).collect::<Vec<Uuid>>())
        .fetch_all(&mut *tx)
        .await?)
    }

    /// In place of what the model made of it before; not if the memory has changed or gone meanwhile.
    pub async fn keep_vectors(&self, mark: ShelfMark, of: &ToEmbed, model: &str, dimensions: i32, vectors: &[u8]) -> Result<(), Problem> {
        let kept = sqlx::query_scalar!(
            "select keep_vectors($1, $2, $3, $4, $5, $6)",
            mark.workspace().0,
            of.id.0,
            of.version,
            model,
            dimensions,
            vectors
        )
        .fetch_one(self.tenants())
        .await;
        match kept {
            // Erased at this very moment.
            Err(sqlx::Error::Database(error)) if error.constraint() == Some("memory_vectors_memory") => Ok(()),
            kept => Ok(kept.map(drop)?),
        }
    }

    async fn to_index(&self, mark: ShelfMark) -> Result<Transaction<'static, Postgres>, Problem> {
        let begin = format!("begin; select enter_index('{}')", mark.workspace());
        Ok(super::connect::begin_in(self.tenants(), AssertSqlSafe(begin)).await?)
    }
}
