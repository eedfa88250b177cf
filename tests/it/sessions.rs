//! Sessions: a run's log is append-only, in order, and taken once, however often it is sent.

use cairn_tests::{House, Role, nobody};
use serde_json::{Value, json};

fn event(n: usize) -> Value {
    json!({"id": format!("e{n}"), "type": "note", "at": "2026-05-04T10:00:00Z", "text": format!("step {n}")})
}

fn batch(range: std::ops::Range<usize>) -> Value {
    json!({"events": range.map(event).collect::<Vec<_>>()})
}

fn log_of(session: &Value) -> String {
    format!("sessions/{}/events", session["id"].as_str().expect("a text"))
}

#[tokio::test]
async fn a_run_that_was_announced_goes_on_under_its_name() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let new = json!({"agent_tool": "claude-code", "external_id": "run-1", "project": "gateway", "branch": "main", "cwd": "/srv/gateway"});
    let session = agent.post("sessions", new.clone()).await.expect(201);
    assert_eq!((&session["state"], &session["project"], &session["event_count"]), (&json!("running"), &json!("gateway"), &json!(0)));
    assert_eq!(agent.post("sessions", new.clone()).await.expect(200)["id"], session["id"]);
    // Another agent's run may go by the same name.
    let other = house.agent("coding", Role::Writer).await;
    assert_ne!(other.post("sessions", new.clone()).await.expect(201)["id"], session["id"]);
    agent.post(&format!("sessions/{}/end", session["id"].as_str().unwrap()), json!({})).await.expect(200);
    assert_ne!(agent.post("sessions", new).await.expect(201)["id"], session["id"], "what is over is not gone on with");
}

#[tokio::test]
async fn two_announcements_at_once_are_one_run() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let asks = (0..8).map(|_| {
        let agent = agent.clone();
        tokio::spawn(async move { agent.post("sessions", json!({"agent_tool": "codex", "external_id": "same", "task": "t"})).await })
    });
    let mut ids = Vec::new();
    for ask in asks.collect::<Vec<_>>() {
        let reply = ask.await.unwrap();
        assert!(matches!(reply.status, 200 | 201), "{reply:?}");
        ids.push(reply.body["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
}

#[tokio::test]
async fn a_log_is_replayed_in_order_and_a_retry_adds_nothing() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let session = agent.post("sessions", json!({"agent_tool": "cursor"})).await.expect(201);
    let log = log_of(&session);
    assert_eq!(agent.post(&log, batch(0..1000)).await.expect(200), json!({"appended": 1000, "repeated": 0}));
    assert_eq!(agent.post(&log, batch(900..1200)).await.expect(200), json!({"appended": 200, "repeated": 100}));
    assert_eq!(
        agent.post(&log, json!({"events": [event(3), event(5000), event(5000)]})).await.expect(200),
        json!({"appended": 1, "repeated": 2})
    );
    let all = agent.lists(&format!("{log}?limit=200")).await;
    let said: Vec<&str> = all.iter().map(|event| event["text"].as_str().unwrap()).collect();
    let expected: Vec<String> = (0..1200).chain([5000]).map(|n| format!("step {n}")).collect();
    assert_eq!(said, expected);
    assert!(all.iter().zip(1..).all(|(event, seq)| event["seq"] == seq));
    assert_eq!(agent.get(&format!("sessions/{}", session["id"].as_str().unwrap())).await.expect(200)["event_count"], 1201);
}

#[tokio::test]
async fn the_log_is_one_actors_and_nobody_elses() {
    let house = House::open().await;
    let (agent, other) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await);
    let (reader, foreign) = (house.agent("coding", Role::Reader).await, house.agent("support", Role::Writer).await);
    let session = agent.post("sessions", json!({"agent_tool": "cursor"})).await.expect(201);
    let log = log_of(&session);
    agent.post(&log, batch(0..3)).await.expect(200);
    other.post(&log, batch(3..4)).await.refuses(403, "forbidden");
    reader.post(&log, batch(3..4)).await.refuses(403, "forbidden");
    foreign.post(&log, batch(3..4)).await.refuses(404, "not_found");
    foreign.get(&log).await.refuses(404, "not_found");
    assert_eq!(reader.lists(&log).await.len(), 3);
    agent.post(&format!("sessions/{}/events", nobody()), batch(0..1)).await.refuses(404, "not_found");
}

#[tokio::test]
async fn a_walled_key_sees_the_runs_of_its_project_only() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let walled = house.agent_in("coding", "billing", Role::Writer).await;
    let elsewhere = agent.post("sessions", json!({"agent_tool": "cursor", "project": "gateway", "task": "big"})).await.expect(201);
    walled.get(&format!("sessions/{}", elsewhere["id"].as_str().unwrap())).await.refuses(404, "not_found");
    walled.get("tasks/big").await.refuses(404, "not_found");
    walled.post("sessions", json!({"agent_tool": "cursor", "project": "gateway"})).await.refuses(403, "forbidden");
    let own = walled.post("sessions", json!({"agent_tool": "cursor"})).await.expect(201);
    assert_eq!(own["project"], "billing");
    walled.post(&log_of(&own), batch(0..2)).await.expect(200);
    assert_eq!(walled.lists("sessions").await.len(), 1);
}

#[tokio::test]
async fn a_long_result_is_cut_and_its_length_and_digest_are_kept() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let session = agent.post("sessions", json!({"agent_tool": "cursor"})).await.expect(201);
    let long = format!("begins here {} and ends there", "x".repeat(500_000));
    let events = json!({"events": [{"type": "command", "at": "2026-05-04T10:00:00Z", "command": "make", "exit_code": 2, "output": long}]});
    agent.post(&log_of(&session), events).await.expect(200);
    let kept = &agent.lists(&log_of(&session)).await[0];
    let output = kept["output"].as_str().unwrap();
    assert!(output.starts_with("begins here") && output.ends_with("ends there") && output.len() < 10_000);
    assert_eq!((&kept["output_length"], &kept["exit_code"]), (&json!(long.len()), &json!(2)));
    assert_eq!(kept["output_sha256"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn what_is_over_takes_no_more() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let session = agent.post("sessions", json!({"agent_tool": "cursor"})).await.expect(201);
    let end = format!("sessions/{}/end", session["id"].as_str().unwrap());
    let ended = agent.post(&end, json!({"summary": "Looked around."})).await.expect(200);
    assert_eq!((&ended["session"]["state"], &ended["session"]["summary"]), (&json!("ended"), &json!("Looked around.")));
    assert_eq!(agent.post(&end, json!({})).await.expect(200)["session"], ended["session"], "said again, it changes nothing");
    agent.post(&log_of(&session), batch(0..1)).await.refuses(409, "session_ended");
    agent
        .post(&format!("sessions/{}/checkpoints", session["id"].as_str().unwrap()), json!({"text": "NEXT: look again"}))
        .await
        .refuses(409, "session_ended");
}

#[tokio::test]
async fn bad_events_are_refused_by_name_and_nothing_is_written() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let session = agent.post("sessions", json!({"agent_tool": "cursor"})).await.expect(201);
    let log = log_of(&session);
    for (bad, field) in [
        (json!({"events": []}), "events"),
        (batch(0..1001), "events"),
        (json!({"events": [event(1), {"type": "dance", "at": "2026-05-04T10:00:00Z"}]}), "events[1].type"),
        (json!({"events": [{"type": "note"}]}), "events[0].at"),
        (json!({"events": [{"type": "note", "at": "yesterday"}]}), "events[0].at"),
        (json!({"events": [event(1), {"type": "note", "at": "2026-05-04T10:00:00Z", "id": ""}]}), "events[1].id"),
        (json!({"events": [{"type": "note", "at": "2026-05-04T10:00:00Z", "mood": "good"}]}), "events[0].mood"),
        (json!({"events": [{"type": "note", "at": "2026-05-04T10:00:00Z", "exit_code": "0"}]}), "events[0].exit_code"),
    ] {
        let reply = agent.post(&log, bad).await;
        reply.refuses(422, "invalid");
        assert_eq!(reply.body["errors"][0]["field"], field, "{reply:?}");
    }
    agent.post("sessions", json!({"agent_tool": ""})).await.refuses(422, "invalid");
    assert_eq!(agent.lists(&log).await.len(), 0);
}

#[tokio::test]
async fn a_retry_after_the_end_is_no_mistake() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let session = agent.post("sessions", json!({"agent_tool": "cursor"})).await.expect(201);
    agent.post(&log_of(&session), batch(0..5)).await.expect(200);
    agent.post(&format!("sessions/{}/end", session["id"].as_str().unwrap()), json!({})).await.expect(200);
    assert_eq!(agent.post(&log_of(&session), batch(0..5)).await.expect(200), json!({"appended": 0, "repeated": 5}));
    agent.post(&log_of(&session), batch(4..6)).await.refuses(409, "session_ended");
}

#[tokio::test]
async fn an_idempotency_key_makes_events_without_names_harmless_too() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let session = agent.post("sessions", json!({"agent_tool": "cursor"})).await.expect(201);
    let events = json!({"events": [{"type": "note", "at": "2026-05-04T10:00:00Z", "text": "once"}]});
    for _ in 0..3 {
        let sent = agent.ask("POST", &log_of(&session)).header("Idempotency-Key", "k1").json(&events).send().await;
        assert_eq!(sent.expect(200), json!({"appended": 1, "repeated": 0}));
    }
    assert_eq!(agent.lists(&log_of(&session)).await.len(), 1);
}
