//! What those who were told a memory say of it: complaints make it suspect, praise proves nothing.

use cairn_tests::{Agent, House, Role, at, items, receipt_at};
use serde_json::{Value, json};

struct Told {
    house: House,
    agent: Agent,
    memory: Value,
    answer: Value,
}

async fn told() -> Told {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reviewer).await;
    let memory = agent.remembers("The gateway listens on port 8080").await;
    let answer = agent.asks(json!({"query": "gateway port"})).await;
    Told { house, agent, memory, answer }
}

impl Told {
    /// How fresh it is, on which recall and reading have to agree.
    async fn freshness(&self) -> Value {
        let read = self.agent.reads(&self.memory).await["freshness"].clone();
        let answer = self.agent.asks(json!({"query": "gateway port"})).await;
        assert_eq!(items(&answer)[0]["freshness"], read);
        let receipt = self.agent.get(&receipt_at(&answer)).await.expect(200);
        assert_eq!(receipt["items"][0]["freshness"], read["state"]);
        read
    }
}

#[tokio::test]
async fn a_complaint_makes_it_suspect_until_somebody_verifies_it() {
    for verdict in ["wrong", "stale"] {
        let told = told().await;
        assert_eq!(told.freshness().await["state"], "fresh");
        told.agent.judges(&told.answer, &told.memory, verdict).await.expect(204);
        let doubted = told.freshness().await;
        assert_eq!(doubted["state"], "suspect");
        assert!(doubted["reasons"][0].as_str().unwrap().starts_with(&format!("reported as {verdict} on ")), "{doubted}");
        told.agent.post(&format!("{}/verify", at(&told.memory)), json!({"note": "looked"})).await.expect(200);
        assert_eq!(told.freshness().await, json!({"state": "fresh", "reasons": []}));
        // The old complaint is not heard twice, a new one is.
        let answer = told.agent.asks(json!({"query": "gateway port"})).await;
        told.agent.judges(&answer, &told.memory, verdict).await.expect(204);
        assert_eq!(told.freshness().await["state"], "suspect");
        told.agent.revises(&told.memory, json!({"content": "The gateway listens on port 9090"})).await;
        assert_eq!(told.freshness().await["state"], "fresh");
    }
}

#[tokio::test]
async fn a_suspect_memory_comes_after_one_that_nobody_doubts() {
    let told = told().await;
    let other = told.agent.remembers("The gateway listens on port 9090").await;
    told.agent.judges(&told.answer, &told.memory, "wrong").await.expect(204);
    let answer = told.agent.asks(json!({"query": "which port does the gateway listen on"})).await;
    let order: Vec<&Value> = items(&answer).iter().map(|item| &item["memory_id"]).collect();
    assert_eq!(order, [&other["id"], &told.memory["id"]]);
}

#[tokio::test]
async fn praise_changes_neither_text_nor_freshness() {
    let told = told().await;
    let before = told.agent.reads(&told.memory).await;
    for verdict in ["used", "helpful"] {
        told.agent.judges(&told.answer, &told.memory, verdict).await.expect(204);
        assert_eq!(told.agent.reads(&told.memory).await, before, "{verdict}");
    }
    // Nor does it make good what somebody else has complained of.
    let other = told.house.agent("coding", Role::Writer).await;
    other.judges(&told.answer, &told.memory, "wrong").await.expect(204);
    told.agent.judges(&told.answer, &told.memory, "helpful").await.expect(204);
    assert_eq!(told.freshness().await["state"], "suspect");
}

#[tokio::test]
async fn a_complaint_is_no_new_version() {
    let told = told().await;
    let before = told.agent.reads(&told.memory).await;
    told.agent.judges(&told.answer, &told.memory, "wrong").await.expect(204);
    let after = told.agent.reads(&told.memory).await;
    for same in ["version", "updated_at", "content", "state", "verified_at"] {
        assert_eq!(after[same], before[same], "{same}");
    }
    assert_eq!(told.agent.lists(&format!("{}/versions", at(&told.memory))).await.len(), 1);
    // And who has seen version 1 may change it.
    let change = told.agent.ask("PATCH", &at(&told.memory)).header("If-Match", "\"1\"").json(&json!({"content": "mended"})).send().await;
    assert_eq!(change.expect(200)["version"], 2);
}

#[tokio::test]
async fn every_verdict_leaves_an_entry() {
    let told = told().await;
    let other = told.house.agent("coding", Role::Writer).await;
    for (agent, verdict) in [(&told.agent, "used"), (&other, "wrong"), (&told.agent, "helpful")] {
        agent.judges(&told.answer, &told.memory, verdict).await.expect(204);
    }
    let auditor = told.house.person("coding", Role::Auditor).await;
    let trail = auditor.trail_of(told.memory["id"].as_str().unwrap()).await;
    let judged: Vec<&Value> = trail.iter().filter(|entry| entry["action"] == "memory.judged").collect();
    let said: Vec<Value> = judged.iter().map(|entry| entry["details"].clone()).collect();
    let as_said = |verdict: &str| json!({"receipt": told.answer["receipt_id"], "verdict": verdict});
    assert_eq!(said, ["used", "wrong", "helpful"].map(as_said));
    assert_eq!((&judged[1]["actor"]["id"], &judged[1]["version"]), (&json!(other.id), &Value::Null));
}

#[tokio::test]
async fn a_second_verdict_takes_the_place_of_the_first() {
    let told = told().await;
    let other = told.house.person("coding", Role::Writer).await;
    told.agent.judges(&told.answer, &told.memory, "wrong").await.expect(204);
    other.judges(&told.answer, &told.memory, "used").await.expect(204);
    told.agent.judges(&told.answer, &told.memory, "helpful").await.expect(204);
    let receipt = told.agent.get(&receipt_at(&told.answer)).await.expect(200);
    let said: Vec<_> =
        receipt["feedback"].as_array().unwrap().iter().map(|one| (one["actor"]["id"].clone(), one["verdict"].clone())).collect();
    assert_eq!(said, [(json!(other.id), json!("used")), (json!(told.agent.id), json!("helpful"))]);
    assert!(receipt["feedback"].as_array().unwrap().iter().all(|one| one["memory_id"] == told.memory["id"] && one["at"].is_string()));
    assert_eq!(told.house.count("select helpful::bigint from memories").await, 1, "only the last one counts");
}

#[tokio::test]
async fn only_what_was_told_can_be_judged() {
    let told = told().await;
    let untold = told.agent.remembers("Written after the question").await;
    let before = told.house.census().await;
    assert_eq!(told.agent.judges(&told.answer, &untold, "wrong").await.refuses(422, "invalid").wrong_fields(), ["memory_id"]);
    let feedback = format!("{}/feedback", receipt_at(&told.answer));
    for (body, field) in [
        (json!({"memory_id": told.memory["id"]}), "verdict"),
        (json!({"memory_id": told.memory["id"], "verdict": "lovely"}), "verdict"),
        (json!({"verdict": "used"}), "memory_id"),
        (json!({"memory_id": "x", "verdict": "used"}), "memory_id"),
        (json!({"memory_id": told.memory["id"], "verdict": "used", "because": "x"}), "because"),
    ] {
        assert_eq!(told.agent.post(&feedback, body.clone()).await.refuses(422, "invalid").wrong_fields(), [field], "{body}");
    }
    assert_eq!(told.house.census().await, before);
    assert_eq!(told.freshness().await["state"], "fresh");
    let reader = told.house.agent("coding", Role::Reader).await;
    reader.judges(&told.answer, &told.memory, "wrong").await.refuses(403, "forbidden");
}

#[tokio::test]
async fn what_was_erased_meanwhile_cannot_be_judged() {
    let told = told().await;
    let (asker, reviewer) = (told.house.agent("coding", Role::Writer).await, told.house.person("coding", Role::Reviewer).await);
    let request = asker.asks_to_erase(&[&told.memory], "a wish").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);
    told.agent.judges(&told.answer, &told.memory, "wrong").await.refuses(404, "not_found");
}

#[tokio::test]
async fn a_verdict_that_is_sent_again_counts_once() {
    let told = told().await;
    let said = json!({"memory_id": told.memory["id"], "verdict": "helpful"});
    for _ in 0..3 {
        let ask = told.agent.ask("POST", &format!("{}/feedback", receipt_at(&told.answer))).header("Idempotency-Key", "k");
        ask.json(&said).send().await.expect(204);
    }
    assert_eq!(told.house.count("select helpful::bigint from memories").await, 1);
    assert_eq!(told.house.count("select count(*) from audit_entries where action = 'memory.judged'").await, 1);
}
