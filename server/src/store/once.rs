//! Idempotency: the same key and body give the first answer again. The key is claimed in the transaction of
//! the effect, and the answer is kept in it too: the transaction is parked, open, until the answer is known.

use crate::{
    model::{Project, WorkspaceId},
    problem::Problem,
};
use sha2::{Digest, Sha256};
use sqlx::{PgConnection, Postgres, Transaction};
use std::{collections::BTreeMap, sync::Mutex};
use uuid::Uuid;

/// An answer as it was first given.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// One use of an idempotency key, alive for one request.
pub struct Once {
    key: String,
    fingerprint: [u8; 32],
    claimed_in: Mutex<Option<WorkspaceId>>,
    /// What was there to be seen when it was claimed first.
    since: Mutex<Option<String>>,
    parked: Mutex<Option<Parked>>,
}

struct Parked {
    tx: Transaction<'static, Postgres>,
    workspace: WorkspaceId,
    actor: Uuid,
    memories: Vec<Uuid>,
}

impl std::fmt::Debug for Once {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Once({})", self.key)
    }
}

impl Once {
    pub fn new(key: &str, fingerprint: [u8; 32]) -> Result<Self, Problem> {
        if (1..=255).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()) {
            Ok(Self { key: key.to_owned(), fingerprint, claimed_in: Mutex::new(None), since: Mutex::new(None), parked: Mutex::new(None) })
        } else {
            Err(Problem::invalid("Idempotency-Key", "must be 1 to 255 printable ASCII characters without spaces"))
        }
    }

    /// A token that is limited to a project acts as the key that it came from, and is not given what that one was answered.
    fn behind(&self, wall: Option<&Project>) -> [u8; 32] {
        wall.map_or(self.fingerprint, |wall| Sha256::new().chain_update(self.fingerprint).chain_update(wall.as_str()).finalize().into())
    }

    /// Waits for a claim that is under way, takes one that is free or a day old, and ends with what was answered otherwise.
    pub(super) async fn claim(
        &self,
        conn: &mut PgConnection,
        workspace: WorkspaceId,
        actor: Uuid,
        wall: Option<&Project>,
    ) -> Result<(), Problem> {
        let fingerprint = self.behind(wall);
        let fresh = sqlx::query_scalar!(
            r#"insert into idempotency_keys (workspace_id, actor_id, key, fingerprint)
             values ($1, $2, $3, $4)
             on conflict (workspace_id, actor_id, key) do update
             set fingerprint = excluded.fingerprint, created_at = now(), status = null, headers = null, body = null,
                 secret = false, erased = false, memory_ids = '{}'
             where idempotency_keys.created_at < now() - interval '24 hours'
             returning pg_current_snapshot()::text as "since!""#,
            workspace.0,
            actor,
            self.key,
            &fingerprint
        )
        .fetch_optional(&mut *conn)
        .await?;
        *self.claimed_in.lock().map_err(Problem::internal)? = Some(workspace);
        if let Some(since) = fresh {
            self.since.lock().map_err(Problem::internal)?.get_or_insert(since);
            return Ok(());
        }
        let first = sqlx::query!(
            "select fingerprint, status, headers, body, secret, erased
             from idempotency_keys
             where workspace_id = $1 and actor_id = $2 and key = $3",
            workspace.0,
            actor,
            self.key
        )
        .fetch_one(conn)
        .await?;
        if first.fingerprint != fingerprint {
            return Err(Problem::conflict("idempotency_conflict", "This Idempotency-Key was used for another request; send a new one."));
        }
        if first.secret {
            return Err(Problem::conflict(
                "already_issued",
                "This request succeeded before, and its answer held a secret that is shown once.",
            ));
        }
        if first.erased {
            return Err(erased());
        }
        let Some(status) = first.status.and_then(|status| u16::try_from(status).ok()) else {
            return Err(Problem::conflict(
                "done_unheard",
                "This request was carried out after its caller had left, so there is no answer to give again; look at what it made.",
            ));
        };
        Err(Problem::AlreadyAnswered(Box::new(Answer {
            status,
            headers: first.headers.and_then(|headers| serde_json::from_value(headers).ok()).unwrap_or_default(),
            body: first.body.unwrap_or_default(),
        })))
    }

    pub(super) fn park(
        &self,
        tx: Transaction<'static, Postgres>,
        workspace: WorkspaceId,
        actor: Uuid,
        memories: Vec<Uuid>,
    ) -> Result<(), Problem> {
        let mut slot = self.parked.lock().map_err(Problem::internal)?;
        if slot.is_some() {
            return Err(Problem::internal("one request, one change: a second was to be committed under the same idempotency key"));
        }
        *slot = Some(Parked { tx, workspace, actor, memories });
        Ok(())
    }

    /// Nobody waits for the answer any more: the effect stands, and the key with it, so that it is not done twice.
    pub async fn settle_unheard(&self) -> Result<(), Problem> {
        let parked = self.parked.lock().map_err(Problem::internal)?.take();
        if let Some(parked) = parked {
            parked.tx.commit().await?;
        }
        Ok(())
    }

    /// Keeps the answer and commits it with its effect; one that shows what was erased meanwhile is neither kept nor given.
    /// Without a parked change there is nothing to keep.
    pub async fn settle(&self, answer: &Answer, secret: bool) -> Result<(), Problem> {
        let Some(mut parked) = self.parked.lock().map_err(Problem::internal)?.take() else {
            return Ok(());
        };
        let gone = self.shows_what_is_gone(&mut parked, answer).await?;
        let (headers, body) =
            if secret || gone { (None, None) } else { (serde_json::to_value(&answer.headers).ok(), Some(answer.body.as_slice())) };
        // An act of the instance may have gone on in a workspace; its claim lies where it began.
        let claimed_in = self.claimed_in.lock().map_err(Problem::internal)?.unwrap_or(parked.workspace);
        if claimed_in != parked.workspace {
            sqlx::query!("select enter_instance($1)", parked.actor).execute(&mut *parked.tx).await?;
        }
        let kept = sqlx::query!(
            "update idempotency_keys
             set status = $4, headers = $5, body = $6, secret = $7, memory_ids = $8, erased = $9
             where workspace_id = $1 and actor_id = $2 and key = $3",
            claimed_in.0,
            parked.actor,
            self.key,
            i32::from(answer.status),
            headers,
            body,
            secret,
            &parked.memories,
            gone
        )
        .execute(&mut *parked.tx)
        .await?
        .rows_affected();
        if kept != 1 {
            return Err(Problem::internal("the claim of an idempotency key was not found again"));
        }
        parked.tx.commit().await?;
        if gone { Err(erased()) } else { Ok(()) }
    }

    async fn shows_what_is_gone(&self, parked: &mut Parked, answer: &Answer) -> Result<bool, Problem> {
        let since = self.since.lock().map_err(Problem::internal)?.clone();
        // Nothing is erased from the instance.
        let Some(since) = since.filter(|_| parked.workspace != WorkspaceId::INSTANCE) else { return Ok(false) };
        Ok(sqlx::query_scalar("select erased_since($1, $2, $3, $4)")
            .bind(parked.workspace)
            .bind(since)
            .bind(&parked.memories)
            .bind(&answer.body)
            .fetch_one(&mut *parked.tx)
            .await?)
    }
}

fn erased() -> Problem {
    Problem::Gone("This request succeeded before; what it wrote has been erased since.".into())
}
