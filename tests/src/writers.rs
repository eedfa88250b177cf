//! Writers who know what they were told is kept, for tests in which servers and databases die under them.

use crate::{Actor, at};
use serde_json::json;
use sqlx::{AssertSqlSafe, PgPool};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::task::JoinSet;
use uuid::Uuid;

/// A version that somebody was told is kept.
pub struct Acknowledged {
    pub memory: Uuid,
    pub version: i32,
    pub content: String,
}

/// Some who write as fast as they are answered, and go on when they are not.
pub struct Writers {
    running: JoinSet<Vec<Acknowledged>>,
    stop: Arc<AtomicBool>,
    count: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
}

impl Writers {
    /// Sixteen.
    pub fn start(actor: &Actor) -> Self {
        Self::at(&[actor], 16)
    }

    /// So many at each of these.
    pub fn at(actors: &[&Actor], each: usize) -> Self {
        let mut all = Self { running: JoinSet::new(), stop: Arc::default(), count: Arc::default(), refused: Arc::default() };
        for (n, actor) in actors.iter().enumerate() {
            for writer in n * each..(n + 1) * each {
                all.running.spawn(write_on((*actor).clone(), writer, all.stop.clone(), all.count.clone(), all.refused.clone()));
            }
        }
        all
    }

    /// How often they were told that the server is not available.
    pub fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    /// How often they got through.
    pub fn done(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Returns when they have got through so many more times; fails when none gets through for half a minute.
    pub async fn get_through(&self, times: usize) {
        let aim = self.done() + times;
        let (mut last, mut still) = (self.done(), 0);
        while last < aim {
            assert!(still < 6000, "the writers do not get through");
            tokio::time::sleep(Duration::from_millis(5)).await;
            still = if self.done() == last { still + 1 } else { 0 };
            last = self.done();
        }
    }

    pub async fn finish(self) -> Vec<Acknowledged> {
        self.stop.store(true, Ordering::Relaxed);
        self.running.join_all().await.into_iter().flatten().collect()
    }
}

/// New memories, and a change of every second one.
async fn write_on(
    actor: Actor,
    writer: usize,
    stop: Arc<AtomicBool>,
    count: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
) -> Vec<Acknowledged> {
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    for turn in 0_usize.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let content = format!("writer {writer} turn {turn}");
        let last = acknowledged.last().filter(|_| turn % 3 == 2).map(|last| at(&json!({"id": last.memory})));
        let ask = match &last {
            Some(place) => actor.ask("PATCH", place),
            None => actor.ask("POST", "memories"),
        };
        match ask.json(&json!({ "content": content })).try_send().await {
            Ok(reply) if reply.status < 300 => {
                let memory = reply.body["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
                let version = reply.body["version"].as_i64().and_then(|version| version.try_into().ok()).expect("a version");
                acknowledged.push(Acknowledged { memory, version, content });
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok(reply) => {
                assert!(reply.status == 503, "{reply:?}");
                refused.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
    acknowledged
}

/// Every answer of 2xx is there with its version and its entry, and nothing half-done is.
pub async fn everything_adds_up(owner: &PgPool, acknowledged: &[Acknowledged]) {
    assert!(acknowledged.len() > 100, "only {} writes were acknowledged", acknowledged.len());
    let (memories, (versions, contents)): (Vec<Uuid>, (Vec<i32>, Vec<String>)) =
        acknowledged.iter().map(|one| (one.memory, (one.version, one.content.clone()))).unzip();
    let kept: i64 = sqlx::query_scalar(
        "select count(*)
         from unnest($1::uuid[], $2::int[], $3::text[]) a (memory_id, version, content)
         join memory_versions v on v.memory_id = a.memory_id and v.version = a.version and v.content = a.content
         join memories m on m.workspace_id = v.workspace_id and m.id = v.memory_id and m.version >= v.version
         join audit_entries e on e.workspace_id = v.workspace_id and e.id = v.audit_id and e.target_id = v.memory_id and e.version = v.version and e.digest = v.digest",
    )
    .bind(memories)
    .bind(versions)
    .bind(contents)
    .fetch_one(owner)
    .await
    .expect("a count");
    assert_eq!(kept, i64::try_from(acknowledged.len()).expect("a few"), "something acknowledged is lost");
    let halves = "select count(*)
         from memory_versions v
         full join (select * from audit_entries where action like 'memory.%') e
             on e.workspace_id = v.workspace_id and e.id = v.audit_id and e.target_id = v.memory_id and e.version = v.version
         where v.memory_id is null or e.id is null";
    assert_eq!(count(owner, halves).await, 0, "versions without entries, or entries without versions");
    let gaps = "select count(*) from memories m
         where m.version <> (select count(*) from memory_versions v where v.workspace_id = m.workspace_id and v.memory_id = m.id)
            or m.audit_id <> (select v.audit_id from memory_versions v where v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version)";
    assert_eq!(count(owner, gaps).await, 0, "memories whose versions do not add up");
}

async fn count(owner: &PgPool, sql: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(owner).await.expect(sql)
}
