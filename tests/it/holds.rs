//! A legal hold: what it keeps is not erased while it stands, whatever was approved before or after.

use cairn_tests::{Agent, House, Person, Role};
use serde_json::{Value, json};

struct Cast {
    house: House,
    writer: Agent,
    reviewer: Person,
    auditor: Person,
}

async fn cast() -> Cast {
    let house = House::open().await;
    let (writer, reviewer, auditor) = (
        house.agent("coding", Role::Writer).await,
        house.person("coding", Role::Reviewer).await,
        house.person("coding", Role::Auditor).await,
    );
    Cast { house, writer, reviewer, auditor }
}

fn hold_at(hold: &Value) -> String {
    format!("holds/{}", hold["id"].as_str().expect("a hold has an id"))
}

#[tokio::test]
async fn a_hold_between_approval_and_execution_stops_it() {
    let Cast { house, writer, reviewer, auditor } = cast().await;
    let memory = writer.remembers("evidence of the case").await;
    let request = writer.asks_to_erase(&[&memory], "a wish").await;
    reviewer.approves(&request).await.expect(200);
    let hold = auditor.post("holds", json!({"memory_ids": [memory["id"]], "reason": "case 118"})).await.expect(201);
    assert_eq!((&hold["memory_ids"], &hold["created_by"]["id"]), (&json!([memory["id"]]), &json!(auditor.id)));

    let refused = reviewer.executes(&request).await;
    assert_eq!(refused.refuses(409, "held").body["hold_ids"], json!([hold["id"]]));
    let shown = reviewer.previews(&request).await;
    assert_eq!((&shown["state"], &shown["holds"]), (&json!("blocked"), &json!([hold["id"]])));
    assert_eq!(reviewer.lists("deletion-requests?state=blocked").await.len(), 1);
    writer.reads(&memory).await;

    assert_eq!(auditor.delete(&hold_at(&hold)).await.status, 204);
    assert_eq!(reviewer.previews(&request).await["state"], "approved");
    assert_eq!(reviewer.executes(&request).await.expect(200)["state"], "executed");
    let actions: Vec<Value> = auditor.trail_of(request["id"].as_str().unwrap()).await.iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["deletion.asked", "deletion.approved", "deletion.blocked", "deletion.unblocked", "deletion.executed"]);
    let actions: Vec<Value> = auditor.trail_of(hold["id"].as_str().unwrap()).await.iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["hold.placed", "hold.released"]);
    assert!(!house.dump().await.contains("case 118"), "a released hold leaves its reason behind");
}

#[tokio::test]
async fn a_hold_before_approval_stops_it_too() {
    let Cast { house: _house, writer, reviewer, auditor } = cast().await;
    let memory = writer.remembers("evidence of the case").await;
    let hold = auditor.post("holds", json!({"memory_ids": [memory["id"]], "reason": "case 118"})).await.expect(201);
    let request = writer.asks_to_erase(&[&memory], "a wish").await;
    assert_eq!(request["state"], "blocked");
    assert_eq!(reviewer.approves(&request).await.expect(200)["state"], "blocked");
    reviewer.executes(&request).await.refuses(409, "held");
    // A second hold keeps it when the first is gone.
    let second = auditor.post("holds", json!({"memory_ids": [memory["id"]], "reason": "case 119"})).await.expect(201);
    assert_eq!(auditor.delete(&hold_at(&hold)).await.status, 204);
    reviewer.executes(&request).await.refuses(409, "held");
    assert_eq!(auditor.delete(&hold_at(&second)).await.status, 204);
    reviewer.executes(&request).await.expect(200);
}

#[tokio::test]
async fn a_hold_on_a_session_or_a_person_keeps_what_belongs_to_them() {
    let Cast { house: _house, writer, reviewer, auditor } = cast().await;
    let run = writer.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let place = format!("sessions/{}", run["id"].as_str().unwrap());
    writer.post(&format!("{place}/events"), super::capture::log(1)).await.expect(200);
    let checkpoint = writer.post(&format!("{place}/checkpoints"), json!({"decisions": ["Use the injected clock"]})).await.expect(201);
    let decision = json!({"id": checkpoint["decisions"][0]["memory_id"]});
    auditor.post("holds", json!({"session_ids": [run["id"]], "reason": "case 118"})).await.expect(201);
    for asked in [
        json!({"session_ids": [run["id"]], "reason": "x"}),
        json!({"memory_ids": [decision["id"]], "reason": "x"}),
        json!({"query": "flaky login", "reason": "x"}),
    ] {
        assert_eq!(writer.wants_erased(asked.clone()).await["state"], "blocked", "{asked}");
    }
    // What is written about a person after the hold is kept as well.
    auditor.post("holds", json!({"subject": "Grace Hopper", "reason": "case 119"})).await.expect(201);
    let about = writer.remembers("GRACE  HOPPER prefers to be called at noon").await;
    let request = writer.asks_to_erase(&[&about], "a wish").await;
    assert_eq!(request["state"], "blocked");
    let other = writer.remembers("Grace prefers to be called at noon").await;
    assert_eq!(writer.asks_to_erase(&[&other], "a wish").await["state"], "pending");
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.refuses(409, "held");
}

#[tokio::test]
async fn a_hold_on_a_session_keeps_what_was_only_changed_in_it() {
    let Cast { house: _house, writer, reviewer, auditor } = cast().await;
    let run = writer.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let revised = writer.remembers("the canteen is closed on fridays").await;
    let change = writer.ask("PATCH", &cairn_tests::at(&revised)).header("X-Cairn-Session", run["id"].as_str().unwrap());
    change.json(&json!({"content": "the canteen is closed on mondays"})).send().await.expect(200);
    writer.revises(&revised, json!({"content": "the canteen is never closed"})).await;
    let other = writer.remembers("the library is closed on fridays").await;
    auditor.post("holds", json!({"session_ids": [run["id"]], "reason": "case 118"})).await.expect(201);
    let request = writer.asks_to_erase(&[&revised], "a wish").await;
    assert_eq!(request["state"], "blocked");
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.refuses(409, "held");
    assert_eq!(writer.asks_to_erase(&[&other], "a wish").await["state"], "pending");
}

#[tokio::test]
async fn a_hold_on_a_person_outlasts_their_names_and_their_account() {
    let Cast { house, writer, reviewer, auditor } = cast().await;
    let ada = house.person("coding", Role::Writer).await;
    let named = async |name: &str, email: &str| {
        let sql = "update people set name = $2, email = $3 where id = $1";
        sqlx::query(sql).bind(ada.id).bind(name).bind(email).execute(house.owner()).await.expect("a new name");
    };
    named("Ada Quist", &ada.email).await;
    let (own, about) = (ada.remembers("the tea is in the kitchen").await, writer.remembers("Ada Quist asked for the invoice").await);
    let (new, other) = (writer.remembers("Ada Lark asked for it again").await, writer.remembers("a removed person left a key").await);
    auditor.post("holds", json!({"subject": ada.email, "reason": "case 118"})).await.expect(201);
    let approved = writer.asks_to_erase(&[&own], "a wish").await;
    reviewer.approves(&approved).await.expect(200);
    named("Ada Lark", "lark@example.org").await;
    for memory in [&own, &about, &new] {
        assert_eq!(writer.asks_to_erase(&[memory], "a wish").await["state"], "blocked", "she is renamed: {memory}");
    }
    assert_eq!(house.admin().await.delete(&format!("/v1/users/{}", ada.id)).await.status, 204);
    for memory in [&own, &about] {
        assert_eq!(writer.asks_to_erase(&[memory], "a wish").await["state"], "blocked", "she is gone: {memory}");
    }
    reviewer.executes(&approved).await.refuses(409, "held");
    // What all who were removed are called is nobody's name.
    assert_eq!(writer.asks_to_erase(&[&other], "a wish").await["state"], "pending");
}

#[tokio::test]
async fn a_hold_keeps_private_memories_that_only_their_owner_sees() {
    let Cast { house, reviewer, auditor, .. } = cast().await;
    let owner = house.person("coding", Role::Writer).await;
    let agent = house.agent_like("coding", json!({"role": "writer", "owner": owner.id})).await;
    let run = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let named = owner.remembers_all_of(json!({"content": "Grace Hopper still owes me a nanosecond", "visibility": "private"})).await;
    let in_run = json!({"content": "what the run found", "visibility": "private", "session_id": run["id"]});
    let in_run = agent.remembers_all_of(in_run).await;
    auditor.get(&cairn_tests::at(&named)).await.refuses(404, "not_found");
    auditor.post("holds", json!({"subject": "Grace Hopper", "reason": "case 118"})).await.expect(201);
    auditor.post("holds", json!({"session_ids": [run["id"]], "reason": "case 119"})).await.expect(201);
    for memory in [&named, &in_run] {
        let request = owner.asks_to_erase(&[memory], "mine").await;
        assert_eq!(request["state"], "blocked", "{memory}");
        reviewer.approves(&request).await.expect(200);
        reviewer.executes(&request).await.refuses(409, "held");
        owner.reads(memory).await;
    }
}

#[tokio::test]
async fn a_hold_on_a_name_that_is_everywhere_stops_what_has_it_and_nothing_else() {
    let Cast { house, writer, reviewer, auditor } = cast().await;
    let run = writer.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    sqlx::query(
        "insert into session_events (workspace_id, session_id, seq, id, type, at, received_at, text)
         select workspace_id, id, n, 'e' || n, 'note', now(), now(), 'Grace Hopper, the ' || n || 'th time' from sessions, generate_series(1, 50001) n",
    )
    .execute(house.owner())
    .await
    .expect("a long log");
    auditor.post("holds", json!({"subject": "Grace Hopper", "reason": "case 118"})).await.expect(201);
    let other = writer.remembers("the canteen is closed on fridays").await;
    let request = writer.asks_to_erase(&[&other], "a wish").await;
    assert_eq!(request["state"], "pending");
    let log = writer.wants_erased(json!({"session_ids": [run["id"]], "reason": "a wish"})).await;
    assert_eq!(log["state"], "blocked");
    reviewer.lets_go(&request).await;
}

#[tokio::test]
async fn auditors_manage_holds_and_write_nothing_else() {
    let Cast { house, writer, reviewer, auditor } = cast().await;
    let memory = writer.remembers("kept").await;
    let body = json!({"memory_ids": [memory["id"]], "reason": "case 118"});
    for other in [&*writer, &*reviewer] {
        other.post("holds", body.clone()).await.refuses(403, "forbidden");
        other.get("holds").await.refuses(403, "forbidden");
    }
    let hold = house.admin().await.looking_at("coding").post("holds", body.clone()).await.expect(201);
    assert_eq!(auditor.get(&hold_at(&hold)).await.expect(200), hold);
    assert_eq!(auditor.lists("holds").await, std::slice::from_ref(&hold));
    reviewer.delete(&hold_at(&hold)).await.refuses(403, "forbidden");
    auditor.post("memories", json!({"content": "mine"})).await.refuses(403, "forbidden");
    assert_eq!(auditor.delete(&hold_at(&hold)).await.status, 204);
    auditor.delete(&hold_at(&hold)).await.refuses(404, "not_found");
    for wrong in [
        json!({"reason": "x"}),
        json!({"memory_ids": [cairn_tests::nobody()], "reason": "x"}),
        json!({"session_ids": [cairn_tests::nobody()], "reason": "x"}),
        json!({"memory_ids": [memory["id"]], "reason": ""}),
        json!({"subject": "", "reason": "x"}),
    ] {
        auditor.post("holds", wrong).await.refuses(422, "invalid");
    }
    // Another workspace knows nothing of it.
    let elsewhere = house.person("support", Role::Auditor).await;
    assert_eq!(elsewhere.lists("holds").await.len(), 0);
    elsewhere.delete(&hold_at(&hold)).await.refuses(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hold_and_an_execution_at_once_have_an_order() {
    let Cast { house: _house, writer, reviewer, auditor } = cast().await;
    for round in 0..6 {
        let memory = writer.remembers(&format!("evidence {round}")).await;
        let request = writer.asks_to_erase(&[&memory], "a wish").await;
        reviewer.approves(&request).await.expect(200);
        let hold = auditor.post("holds", json!({"memory_ids": [memory["id"]], "reason": "case"}));
        let (placed, executed) = tokio::join!(hold, reviewer.executes(&request));
        let there = writer.get(&cairn_tests::at(&memory)).await.status == 200;
        match (placed.status, executed.status) {
            (201, 409) => assert!(there, "held and gone"),
            // It was gone before there was anything to hold.
            (422, 200) => assert!(!there, "executed and still there"),
            other => panic!("{other:?}: {placed:?} {executed:?}"),
        }
    }
}
