//! Every version says in which run it was written; where the memory came from stays with it.

use cairn_tests::{Actor, House, Role, at};
use serde_json::{Value, json};

/// A session, by its id.
async fn begins(actor: &Actor) -> String {
    let session = actor.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    session["id"].as_str().expect("an id").to_owned()
}

async fn runs_of(actor: &Actor, memory: &Value) -> Vec<Value> {
    let mut versions = actor.lists(&format!("{}/versions", at(memory))).await;
    versions.reverse();
    versions.iter().map(|version| version["run_id"].clone()).collect()
}

#[tokio::test]
async fn a_version_names_the_session_that_wrote_it_and_not_the_one_before() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reviewer).await;
    let (first, second) = (begins(&agent).await, begins(&agent).await);
    let memory = agent.remembers_all_of(json!({"content": "ships wait", "session_id": first})).await;
    let in_second = |method: &str, path: String| agent.ask(method, &path).header("X-Cairn-Session", &second);
    in_second("PATCH", at(&memory)).json(&json!({"tags": ["harbour"]})).send().await.expect(200);
    agent.revises(&memory, json!({"tags": ["port"]})).await;
    in_second("DELETE", at(&memory)).send().await.expect(200);
    in_second("POST", format!("{}/restore", at(&memory))).json(&json!({})).send().await.expect(200);
    in_second("POST", format!("{}/verify", at(&memory))).json(&json!({})).send().await.expect(200);
    in_second("POST", format!("{}/revert", at(&memory))).json(&json!({"version": 1})).send().await.expect(200);
    let newer = in_second("POST", format!("{}/supersede", at(&memory))).json(&json!({"content": "ships hurry"})).send().await.expect(201);

    let (one, two) = (json!(first), json!(second));
    assert_eq!(runs_of(&agent, &memory).await, [&one, &two, &Value::Null, &two, &two, &two, &two, &two].map(Clone::clone));
    assert_eq!(agent.reads(&memory).await["session_id"], one, "where it came from");
    assert_eq!((&newer["session_id"], runs_of(&agent, &newer).await), (&two, vec![two.clone()]));
    let trail = house.admin().await.looking_at("coding").trail_of(memory["id"].as_str().unwrap()).await;
    let sessions: Vec<_> = trail.iter().map(|entry| &entry["session_id"]).collect();
    assert_eq!(sessions, [&one, &two, &Value::Null, &two, &two, &two, &two, &two], "the trail says the same");
}

#[tokio::test]
async fn what_a_checkpoint_supersedes_belongs_to_its_session() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let old = agent.remembers_all_of(json!({"content": "Orders are kept in Postgres.", "kind": "decision"})).await;
    let session = begins(&agent).await;
    let sent = json!({"decisions": [{"content": "Orders are kept in SQLite.", "supersedes": old["id"]}]});
    let written = agent.post(&format!("sessions/{session}/checkpoints"), sent).await.expect(201);
    let newer = json!({"id": written["decisions"][0]["memory_id"]});
    assert_eq!(runs_of(&agent, &old).await, [Value::Null, json!(session)]);
    assert_eq!(runs_of(&agent, &newer).await, [json!(session)]);
    let both = json!({"items": [
        {"content": "Orders are kept in DuckDB.", "kind": "decision", "supersedes": newer["id"], "session_id": session},
        {"content": "Lunch is at noon."},
    ]});
    let batch = agent.post("memories/batch", both).await.expect(200);
    assert_eq!(runs_of(&agent, &newer).await, [json!(session), json!(session)]);
    assert_eq!(runs_of(&agent, &batch["data"][1]["memory"]).await, [Value::Null]);
}

#[tokio::test]
async fn a_session_that_is_no_id_is_refused() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let reply = agent.ask("POST", "memories").header("X-Cairn-Session", "monday").json(&json!({"content": "a"})).send().await;
    assert_eq!(reply.refuses(422, "invalid").wrong_fields(), ["X-Cairn-Session"]);
}

#[tokio::test]
async fn nobody_speaks_for_anothers_session() {
    let house = House::open().await;
    let (agent, other) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await);
    let person = house.person("coding", Role::Reviewer).await;
    let session = begins(&agent).await;
    let own = other.remembers("a stone of one's own").await;
    for not_theirs in [session.as_str(), &cairn_tests::nobody().to_string()] {
        let header = |method: &str, path: String, body: Value| other.ask(method, &path).header("X-Cairn-Session", not_theirs).json(&body);
        for asked in [
            header("POST", "memories".to_owned(), json!({"content": "slander"})),
            header("PATCH", at(&own), json!({"tags": ["slander"]})),
            header("POST", "memory-tool".to_owned(), json!({"command": "create", "path": "/memories/a.md", "file_text": "slander"})),
        ] {
            assert_eq!(asked.send().await.refuses(422, "invalid").wrong_fields(), ["X-Cairn-Session"]);
        }
        for writer in [&*other, &*person] {
            let reply = writer.post("memories", json!({"content": "slander", "session_id": not_theirs})).await;
            assert_eq!(reply.refuses(422, "invalid").wrong_fields(), ["session_id"]);
        }
        let many = json!({"items": [{"content": "harmless"}, {"content": "slander", "session_id": not_theirs}]});
        assert_eq!(other.post("memories/batch", many).await.refuses(422, "invalid").wrong_fields(), ["items[1].session_id"]);
    }
    assert_eq!(other.lists("memories").await.len(), 1, "nothing of it was written");
    let twice =
        json!({"items": [{"content": "one", "session_id": session}, {"content": "two", "session_id": session}, {"content": "three"}]});
    let batch = agent.post("memories/batch", twice).await.expect(200);
    let of: Vec<&Value> = batch["data"].as_array().unwrap().iter().map(|one| &one["memory"]["session_id"]).collect();
    assert_eq!(of, [&json!(session), &json!(session), &Value::Null]);
}
