//! Whoever made room comes back when what took its place is taken back, in order, and of a chain one stands.

use crate::{
    proposals::dreamt,
    rollback::{At, group, rolls_back, said},
};
use cairn_tests::{Actor, House, Role, at};
use serde_json::{Value, json};

#[tokio::test]
async fn superseding_is_unwound_in_order_and_nothing_stands_twice() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    let first = agent.remembers_all_of(json!({"content": "Orders are kept in Postgres.", "kind": "decision", "path": "/orders.md"})).await;
    let run = At::work(&agent).await;
    let second = run.supersedes(&first, "Orders are kept in SQLite.").await;
    let third = run.supersedes(&second, "Orders are kept in DuckDB.").await;

    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!(group(&done, "unwound"), [(first["id"].clone(), Value::Null)]);
    assert_eq!(done["counts"]["archived"], 2);
    assert_eq!(said(&agent.reads(&first).await), said(&first));
    let active = agent.lists("memories?kind=decision&state=active").await;
    assert_eq!(active.len(), 1, "{active:?}");

    // Taken back, the chain stands again; built on by others, it stays.
    rolls_back(&reviewer, json!({"rollback_id": done["id"]})).await;
    assert_eq!(agent.reads(&first).await["superseded_by"], second["id"]);
    assert_eq!(agent.reads(&third).await["state"], "active");
    let fourth = agent.post(&format!("{}/supersede", at(&third)), json!({"content": "Orders are kept in Redis."})).await.expect(201);
    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!(done["counts"], json!({"restored": 0, "unwound": 0, "archived": 0, "left": 3, "withdrawn": 0}));
    let reasons: Vec<Value> = group(&done, "left").into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(reasons, ["place_taken", "place_taken", "changed_since"]);
    let active = agent.lists("memories?kind=decision&state=active").await;
    assert_eq!((active.len(), &active[0]["id"]), (1, &fourth["id"]));
}

#[tokio::test]
async fn undoing_only_the_new_decision_brings_the_old_one_back() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    let old = agent.remembers_all_of(json!({"content": "Orders are kept in Postgres.", "kind": "decision"})).await;
    let new = agent.post(&format!("{}/supersede", at(&old)), json!({"content": "Orders are kept in SQLite."})).await.expect(201);
    // The other way round, the new one stands in its place.
    let done = rolls_back(&reviewer, json!({"memory_ids": [old["id"]], "from": new["created_at"]})).await;
    assert_eq!(group(&done, "left"), [(old["id"].clone(), json!("place_taken"))]);
    let done = rolls_back(&reviewer, json!({"memory_ids": [new["id"]]})).await;
    assert_eq!(
        (group(&done, "unwound"), group(&done, "archived")),
        (vec![(old["id"].clone(), Value::Null)], vec![(new["id"].clone(), Value::Null)])
    );
    assert_eq!(agent.reads(&old).await["state"], "active");
}

/// Somebody decides that one holds, which takes the other's place.
async fn keeps(reviewer: &Actor, kept: &Value, conflict: &Value) {
    let resolve = format!("conflicts/{}/resolve", conflict["id"].as_str().unwrap_or_else(|| panic!("no conflict: {conflict}")));
    reviewer.post(&resolve, json!({"keep": kept["id"]})).await.expect(200);
}

#[tokio::test]
async fn what_somebody_else_put_aside_for_it_comes_back_when_it_goes() {
    let house = House::open().await;
    let (agent, other) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await);
    let reviewer = house.person("coding", Role::Reviewer).await;
    let first = other.remembers("Service tokens are signed with ES512.").await;
    let second = other.post(&format!("{}/supersede", at(&first)), json!({"content": "Service tokens are signed with RS256."})).await;
    let (second, invoices) = (second.expect(201), other.remembers("On Mondays invoices go out.").await);
    let run = At::work(&agent).await;
    let wrong = run.remembers(json!({"content": "Service tokens are signed with HS256."})).await;
    let merged = run.remembers(json!({"content": "Invoices go out on Mondays."})).await;
    keeps(&reviewer, &wrong, &wrong["conflicts"][0]).await;
    let merge = dreamt(&house, &merged, json!({"type": "merge", "keep": merged["id"], "away": [invoices["id"]]})).await;
    reviewer.post(&format!("{merge}/approve"), json!({})).await.expect(200);
    let before = [said(&agent.reads(&second).await), said(&agent.reads(&invoices).await)];
    assert_eq!([&before[0]["superseded_by"], &before[1]["superseded_by"]], [&wrong["id"], &merged["id"]]);

    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    let all = |memories: [&Value; 2]| memories.map(|memory| (memory["id"].clone(), Value::Null));
    assert_eq!(
        (group(&done, "unwound"), group(&done, "archived"), group(&done, "left")),
        (all([&second, &invoices]).to_vec(), all([&wrong, &merged]).to_vec(), vec![])
    );
    for memory in [&second, &invoices] {
        assert_eq!(said(&agent.reads(memory).await), said(memory));
    }
    let stays = agent.reads(&first).await;
    assert_eq!((&stays["state"], &stays["superseded_by"]), (&json!("superseded"), &second["id"]), "of a chain one is active");

    // Taken back they stand in its place again, unless somebody went on with what they had stood for.
    other.revises(&invoices, json!({"tags": ["billing"]})).await;
    let back = rolls_back(&reviewer, json!({"rollback_id": done["id"]})).await;
    assert_eq!(said(&agent.reads(&second).await), before[0]);
    assert_eq!(agent.reads(&wrong).await["state"], "active");
    assert_eq!((group(&back, "left"), &back["left"][0]["other_id"]), (vec![(merged["id"].clone(), json!("place_taken"))], &invoices["id"]));
    assert_eq!((&agent.reads(&invoices).await["state"], &agent.reads(&merged).await["state"]), (&json!("active"), &json!("archived")));
}

#[tokio::test]
async fn what_was_put_aside_for_something_stays_so_where_somebody_built_on_it() {
    let house = House::open().await;
    let (agent, other) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await);
    let reviewer = house.person("coding", Role::Reviewer).await;
    let old = other.remembers("Service tokens are signed with RS256.").await;
    let decided = other.remembers_all_of(json!({"content": "Orders are kept in Postgres.", "kind": "decision"})).await;
    let run = At::work(&agent).await;
    let new = run.remembers(json!({"content": "Service tokens are signed with HS256."})).await;
    keeps(&reviewer, &new, &new["conflicts"][0]).await;
    other.revises(&new, json!({"tags": ["reviewed"]})).await;
    let waiting = run.remembers(json!({"content": "Orders are kept in SQLite.", "kind": "decision", "on_conflict": "propose"})).await;
    let proposal = reviewer.lists("proposals").await[0]["id"].as_str().expect("an id").to_owned();
    reviewer.post(&format!("proposals/{proposal}/approve"), json!({})).await.expect(200);
    let all = [&old, &decided, &new, &waiting];
    let states = async || {
        let mut states = Vec::new();
        for memory in all {
            states.push(agent.reads(memory).await);
        }
        states
    };
    let before = states().await;

    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    let reasons = ["place_taken", "place_taken", "changed_since", "changed_since"];
    let left: Vec<(Value, Value)> = all.iter().zip(reasons).map(|(memory, reason)| (memory["id"].clone(), json!(reason))).collect();
    assert_eq!((group(&done, "left"), group(&done, "unwound")), (left, vec![]));
    assert_eq!([&done["left"][0]["other_id"], &done["left"][1]["other_id"]], [&new["id"], &waiting["id"]]);
    assert_eq!(states().await, before);
}

#[tokio::test]
async fn what_had_been_put_away_goes_away_again_though_what_it_replaced_was_touched_too() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    let old = agent.remembers_all_of(json!({"content": "Orders are kept in Postgres.", "kind": "decision"})).await;
    let new = agent.post(&format!("{}/supersede", at(&old)), json!({"content": "Orders are kept in SQLite."})).await.expect(201);
    agent.ask("DELETE", &at(&new)).send().await.expect(200);
    let before = (said(&agent.reads(&old).await), said(&agent.reads(&new).await));
    let run = At::work(&agent).await;
    run.revises(&old, json!({"tags": ["orders"]})).await;
    run.sends("POST", &format!("{}/restore", at(&new)), json!({})).await.expect(200);
    let after = (said(&agent.reads(&old).await), said(&agent.reads(&new).await));

    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!(group(&done, "left"), []);
    assert_eq!((said(&agent.reads(&old).await), said(&agent.reads(&new).await)), before);
    rolls_back(&reviewer, json!({"rollback_id": done["id"]})).await;
    assert_eq!((said(&agent.reads(&old).await), said(&agent.reads(&new).await)), after);
}
