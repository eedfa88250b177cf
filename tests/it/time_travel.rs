//! The workspace as it was: in lists, for one memory, and at the time of a receipt.

use cairn_tests::{Actor, House, Role, at};
use serde_json::{Value, json};

fn moment(memory: &Value) -> &str {
    memory["updated_at"].as_str().expect("a time")
}

/// The texts of a list, in order.
async fn told(actor: &Actor, query: &str) -> Vec<String> {
    let mut texts: Vec<String> =
        actor.lists(&format!("memories?{query}")).await.iter().map(|one| one["content"].as_str().expect("a text").to_owned()).collect();
    texts.sort();
    texts
}

#[tokio::test]
async fn a_list_shows_what_was_there_then_as_it_was() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reviewer).await;
    let revised = agent.remembers("one: ships wait").await;
    let archived = agent.remembers("two: boats wait").await;
    let replaced = agent.remembers_all_of(json!({"content": "three: tugs wait", "kind": "decision"})).await;
    let revision = agent.revises(&revised, json!({"content": "one: ships hurry"})).await;
    let archive = agent.delete(&at(&archived)).await.expect(200);
    agent.post(&format!("{}/supersede", at(&replaced)), json!({"content": "three: tugs hurry"})).await.expect(201);
    let later = agent.remembers("four: nobody waits").await;
    for (then, known) in [
        ("2001-01-01T00:00:00Z", vec![]),
        (moment(&revised), vec!["one: ships wait"]),
        (moment(&replaced), vec!["one: ships wait", "three: tugs wait", "two: boats wait"]),
        (moment(&revision), vec!["one: ships hurry", "three: tugs wait", "two: boats wait"]),
        (moment(&archive), vec!["one: ships hurry", "three: tugs wait"]),
        (moment(&later), vec!["four: nobody waits", "one: ships hurry", "three: tugs hurry"]),
    ] {
        assert_eq!(told(&agent, &format!("as_of={then}")).await, known, "{then}");
        assert_eq!(told(&agent, &format!("as_of={then}&limit=1")).await, known, "page by page");
    }
    assert_eq!(told(&agent, "as_of=2100-01-01T00:00:00Z").await, told(&agent, "").await);
    assert_eq!(agent.get(&format!("{}?as_of={}", at(&archived), moment(&archived))).await.expect(200)["state"], "active");
    agent.get(&format!("{}?as_of={}", at(&later), moment(&archive))).await.refuses(404, "not_found");
}

#[tokio::test]
async fn every_filter_is_judged_as_of_then() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let before = json!({"content": "ships wait", "title": "Harbour", "kind": "procedure", "tags": ["old"], "project": "port",
        "path": "/harbour/ships.md", "anchors": [{"path": "src/old.rs"}]});
    let memory = agent.remembers_all_of(before).await;
    let after = json!({"content": "boats hurry", "title": "Haven", "kind": "fact", "tags": ["new"], "project": "haven",
        "path": "/haven/boats.md", "anchors": [{"path": "src/new.rs"}]});
    agent.revises(&memory, after).await;
    agent.delete(&at(&memory)).await.expect(200);
    let then = moment(&memory);
    for (was, is) in [
        ("kind=procedure", "kind=fact"),
        ("tag=old", "tag=new"),
        ("project=port", "project=haven"),
        ("path_prefix=/harbour/", "path_prefix=/haven/"),
        ("anchor_path=src/old.rs", "anchor_path=src/new.rs"),
        ("q=ships", "q=boats"),
        ("state=active", "state=archived"),
        ("updated_after=2001-01-01T00:00:00Z", "updated_after=2100-01-01T00:00:00Z"),
    ] {
        assert_eq!(told(&agent, &format!("as_of={then}&{was}")).await, ["ships wait"], "{was}");
        assert!(told(&agent, &format!("as_of={then}&{is}")).await.is_empty(), "{is}");
    }
    assert_eq!(told(&agent, &format!("as_of={then}&author={}", agent.id)).await, ["ships wait"]);
    assert_eq!(told(&agent, "state=archived").await, ["boats hurry"]);
}

#[tokio::test]
async fn freshness_is_that_of_then() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let dates = json!({"content": "ships wait", "stale_after": "2080-01-01T00:00:00Z", "expires_at": "2090-01-01T00:00:00Z"});
    let memory = agent.remembers_all_of(dates).await;
    house.admin().await.patch("/v1/workspaces/coding", json!({"settings": {"default_stale_after_days": null}})).await.expect(200);
    let answer = agent.asks(json!({"query": "ships"})).await;
    agent.judges(&answer, &memory, "wrong").await.expect(204);
    for (then, state) in [
        (moment(&memory), "fresh"),
        ("2079-01-01T00:00:00Z", "suspect"),
        ("2081-01-01T00:00:00Z", "suspect"),
        ("2091-01-01T00:00:00Z", "stale"),
    ] {
        let read = agent.get(&format!("{}?as_of={then}", at(&memory))).await.expect(200);
        assert_eq!(read["freshness"]["state"], state, "{then}");
        for wanted in ["fresh", "suspect", "stale"] {
            let listed = agent.lists(&format!("memories?as_of={then}&freshness={wanted}")).await;
            assert_eq!(listed.len(), usize::from(wanted == state), "{then} {wanted}");
            assert!(listed.iter().all(|one| one["freshness"]["state"] == state), "{listed:?}");
        }
    }
}

#[tokio::test]
async fn a_receipt_is_a_time_to_go_back_to() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("ships wait").await;
    let answer = agent.asks(json!({"query": "ships"})).await;
    agent.revises(&memory, json!({"content": "ships hurry"})).await;
    agent.remembers("rafts hurry").await;
    let receipt = answer["receipt_id"].as_str().expect("an id");
    assert_eq!(told(&agent, &format!("receipt_id={receipt}")).await, ["ships wait"]);
    assert_eq!(agent.get(&format!("{}?receipt_id={receipt}", at(&memory))).await.expect(200)["version"], 1);
    let both = format!("memories?receipt_id={receipt}&as_of=2026-01-01T00:00:00Z");
    assert_eq!(agent.get(&both).await.refuses(422, "invalid").wrong_fields(), ["receipt_id"]);
    let unknown = format!("memories?receipt_id={}", cairn_tests::nobody());
    assert_eq!(agent.get(&unknown).await.refuses(422, "invalid").wrong_fields(), ["receipt_id"]);
}

#[tokio::test]
async fn what_is_erased_private_or_walled_off_now_is_so_in_the_past() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Reviewer).await, house.person("coding", Role::Reviewer).await);
    let walled = house.agent_in("coding", "gateway", Role::Reader).await;
    let doomed = ada.remembers("doomed ships").await;
    let note = ada.remembers("ada's ships").await;
    let plan = ada.remembers("everyone's ships").await;
    ada.revises(&note, json!({"visibility": "private"})).await;
    ada.revises(&plan, json!({"project": "billing"})).await;
    let request = ada.asks_to_erase(&[&doomed], "because").await;
    grace.approves(&request).await.expect(200);
    grace.executes(&request).await.expect(200);
    let then = format!("as_of={}", moment(&plan));
    assert_eq!(told(&ada, &then).await, ["ada's ships", "everyone's ships"]);
    assert_eq!(told(&grace, &then).await, ["everyone's ships"]);
    assert!(told(&walled, &then).await.is_empty());
}

#[tokio::test]
async fn a_rollback_changes_the_present_and_not_the_past() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reviewer).await;
    let memory = agent.remembers("ships wait").await;
    let hurried = agent.revises(&memory, json!({"content": "ships hurry"})).await;
    agent.post("rollbacks", json!({"from": hurried["updated_at"]})).await.expect(201);
    assert_eq!(told(&agent, "").await, ["ships wait"]);
    assert_eq!(told(&agent, &format!("as_of={}", moment(&hurried))).await, ["ships hurry"]);
}
