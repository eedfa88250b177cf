//! Answers that are on their way while what they tell is being erased: none leaves with it, and none is kept.

use cairn_tests::{House, Role, until};
use serde_json::{Value, json};
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

/// An erasure as far as it is when it looks for receipts: whoever is told something meanwhile waits for it.
struct Erasing {
    tx: Transaction<'static, Postgres>,
    memory: Uuid,
}

impl Erasing {
    async fn of(house: &House, memory: &Value) -> Self {
        let memory: Uuid = memory.as_str().expect("an id").parse().expect("an id");
        let mut tx = house.owner().begin().await.expect("a transaction");
        sqlx::query("select pg_advisory_xact_lock(hashtextextended('receipts ' || workspace_id, 0)) from memories where id = $1")
            .bind(memory)
            .execute(&mut *tx)
            .await
            .expect("held");
        Self { tx, memory }
    }

    /// There for all to see when somebody waits for it.
    async fn ends(mut self, house: &House) {
        let waits = "select count(*) from pg_locks l join pg_database d on d.oid = l.database where d.datname = current_database() and l.locktype = 'advisory' and not l.granted";
        until("the receipt waits", async || house.count(waits).await > 0).await;
        for sql in [
            "set local session_replication_role = replica",
            "insert into deletion_requests (workspace_id, id, state, asked_at, asked_by_type, asked_by, asked_for, executed_at, executed_xid, audit_id)
             select workspace_id, id, 'executed', now(), 'person', created_by, created_by, now(), pg_current_xact_id(), audit_id from memories where id = $1",
            "insert into deletion_request_items (workspace_id, request_id, memory_id) select workspace_id, id, id from memories where id = $1",
            "insert into erasures (workspace_id, content_mac, request_id, memory_id) select workspace_id, '\\x00', id, id from memories where id = $1",
            "delete from memory_versions where memory_id = $1",
            "delete from memories where id = $1",
        ] {
            let statement = sqlx::query(sql);
            let statement = if sql.contains("$1") { statement.bind(self.memory) } else { statement };
            statement.execute(&mut *self.tx).await.expect(sql);
        }
        self.tx.commit().await.expect("there for all to see");
    }
}

#[tokio::test]
async fn who_is_told_while_it_is_being_erased_is_told_without_it_and_leaves_no_question_behind() {
    // Whole texts are told as they are read, and passages after that.
    for detail in ["full", "excerpt"] {
        let house = House::open().await;
        let agent = house.agent("coding", Role::Writer).await;
        let tagged = |content: &str| json!({"content": content, "tags": ["lamps"]});
        let memory = agent.remembers_all_of(tagged("the lighthouse keeper is called Grace")).await;
        let other = agent.remembers_all_of(tagged("the lighthouse has a keeper")).await;
        let erasing = Erasing::of(&house, &memory["id"]).await;
        let asks = agent.asks(json!({"query": "what is the lighthouse keeper called?", "tags": ["lamps"], "detail": detail}));
        let (answer, ()) = tokio::join!(asks, erasing.ends(&house));
        assert!(!answer.to_string().contains("Grace"), "{answer}");
        assert_eq!(cairn_tests::texts(&answer), ["the lighthouse has a keeper"]);
        assert_eq!(agent.looks_up(&answer).await["items"][0]["memory_id"], other["id"]);
        assert_eq!(house.count("select count(*) from receipts").await, 1);
        assert_eq!(house.count("select count(*) from receipts where query is not null or asked::text like '%lamps%'").await, 0);
        agent.asks(json!({"query": "what is the lighthouse keeper called?"})).await;
        assert_eq!(house.count("select count(*) from receipts where query is not null").await, 1, "other questions are kept");
    }
}

#[tokio::test]
async fn a_brief_that_is_made_while_something_in_it_is_being_erased_is_made_anew() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers_all_of(json!({"content": "the lighthouse keeper is called Grace", "kind": "pattern"})).await;
    agent.remembers_all_of(json!({"content": "the lighthouse has a keeper", "kind": "pattern"})).await;
    let erasing = Erasing::of(&house, &memory["id"]).await;
    let (brief, ()) = tokio::join!(agent.post("context", json!({})), erasing.ends(&house));
    let brief = brief.expect(200).to_string();
    assert!(brief.contains("the lighthouse has a keeper") && !brief.contains("Grace"), "{brief}");
}

#[tokio::test]
async fn a_task_that_is_taken_up_while_a_decision_of_it_is_being_erased_is_told_and_kept_without_it() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let begins = async || agent.post("sessions", json!({"agent_tool": "codex", "task": "lamps"})).await.expect(201);
    let (first, second) = (begins().await, begins().await);
    let at = |run: &Value| run["id"].as_str().expect("an id").to_owned();
    let place = format!("sessions/{}/checkpoints", at(&first));
    let written = agent.post(&place, json!({"decisions": ["the lighthouse keeper is called Grace"]})).await.expect(201);
    for key in [None, Some("k1")] {
        if key.is_some() {
            agent.post(&place, json!({"decisions": ["her deputy is called Grace too"]})).await.expect(201);
        }
        let newest = agent.lists("memories?kind=decision").await.remove(0);
        assert!(key.is_some() || newest["id"] == written["decisions"][0]["memory_id"]);
        let takes_up = || {
            let ask = agent.ask("POST", "tasks/lamps/resume").json(&json!({"session_id": at(&second)}));
            key.into_iter().fold(ask, |ask, key| ask.header("Idempotency-Key", key)).send()
        };
        let erasing = Erasing::of(&house, &newest["id"]).await;
        let (told, ()) = tokio::join!(takes_up(), erasing.ends(&house));
        assert!(!told.text().contains("Grace"), "{told:?}");
        if key.is_none() {
            assert_eq!(told.expect(200)["state"]["decisions"], json!([]));
        } else {
            takes_up().await.refuses(410, "gone");
            assert_eq!(house.count("select count(*) from idempotency_keys where strpos(encode(body, 'escape'), 'Grace') > 0").await, 0);
        }
    }
}
