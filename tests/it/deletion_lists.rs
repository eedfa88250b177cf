//! What a deletion request lists can be read to its end, says what repeats it however long that is, and is erased though nobody
//! waits for the answer.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use cairn_tests::{House, Role, nobody, until};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use std::{collections::BTreeSet, time::Duration};

fn place(request: &Value) -> String {
    format!("deletion-requests/{}", request["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn whoever_approves_can_read_the_whole_list() {
    let house = House::open().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let items: Vec<Value> = (0..230).map(|n| json!({"content": format!("zorblat note {n}"), "kind": "episode"})).collect();
    let made = writer.post("memories/batch", json!({"items": items})).await.expect(200);
    let run = writer.post("sessions", json!({"agent_tool": "codex", "cwd": "/zorblat"})).await.expect(201);
    let made: BTreeSet<String> =
        made["data"].as_array().expect("all").iter().map(|one| one["memory"]["id"].as_str().expect("an id").to_owned()).collect();

    let request = writer.wants_erased(json!({"query": "zorblat", "reason": "a wish"})).await;
    let shown = reviewer.previews(&request).await;
    assert_eq!((shown["preview"].as_array().map(Vec::len), &shown["touches"]), (Some(200), &json!({"memory": 230, "session_words": 1})));
    let mut listed = reviewer.lists(&format!("{}/items?limit=100", place(&request))).await;
    let last = listed.pop().expect("the run comes after the memories");
    assert_eq!((&last["kind"], &last["id"]), (&json!("session_words"), &run["id"]));
    assert_eq!(listed.len(), 230);
    assert_eq!(listed.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect::<BTreeSet<_>>(), made);
    assert!(listed.iter().all(|one| one["title"].is_string() && one["why"] == "words"), "{listed:?}");

    let path = format!("{}/items", place(&request));
    assert_eq!(reviewer.lists(&format!("{path}?taken=false")).await, Vec::<Value>::new());
    reviewer.get(&format!("{path}?cursor=nonsense")).await.refuses(422, "invalid");
    house.person("support", Role::Reviewer).await.get(&path).await.refuses(404, "not_found");
    // Once it is executed the list has ids, and no words.
    reviewer.lets_go(&request).await;
    let left = reviewer.lists(&path).await;
    assert!(left.len() == 231 && !json!(left).to_string().contains("zorblat"), "{left:?}");
}

#[tokio::test]
async fn a_copy_is_listed_however_long_it_is() {
    let house = House::open().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let long = "The gateway says this at length, again and again, and once more. ".repeat(60);
    let first = writer.remembers_all_of(json!({"content": long, "title": "One of them", "kind": "fact"})).await;
    let second = writer.remembers_all_of(json!({"content": long, "title": "Quite another", "kind": "discovery"})).await;
    assert_ne!(first["id"], second["id"]);
    let request = writer.asks_to_erase(&[&first], "a wish").await;
    assert_eq!((&request["copies_listed"], &request["touches"]), (&json!(1), &json!({"memory": 1})));
    let copies = reviewer.lists(&format!("{}/items?taken=false", place(&request))).await;
    assert_eq!(copies.iter().map(|one| (&one["id"], &one["why"])).collect::<Vec<_>>(), [(&second["id"], &json!("copy"))]);
    let with = writer.wants_erased(json!({"memory_ids": [first["id"]], "include_copies": true, "reason": "a wish"})).await;
    assert_eq!((&with["copies_listed"], &with["touches"]), (&json!(0), &json!({"memory": 2})));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_comes_to_its_end_though_nobody_waits_for_it() {
    let house = House::open().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    for key in [None, Some("execute-once")] {
        let memory = writer.remembers(&format!("to be erased with {key:?}")).await;
        let request = writer.asks_to_erase(&[&memory], "a wish").await;
        reviewer.approves(&request).await.expect(200);
        // Somebody who places a hold is before it, and takes longer than whoever asked has patience.
        let mut other = PgConnection::connect(&house.postgres().owner_url(house.database())).await.expect("connects");
        let held = format!("begin; select lock_holds('{}')", house.workspace("coding").await);
        other.execute(AssertSqlSafe(held)).await.expect("holds");
        let ask = reviewer.ask("POST", &format!("{}/execute", place(&request)));
        let ask = key.iter().fold(ask, |ask, key| ask.header("Idempotency-Key", key));
        assert!(tokio::time::timeout(Duration::from_millis(300), ask.send()).await.is_err(), "it waits");
        writer.reads(&memory).await;
        other.execute("rollback").await.expect("lets go");
        until("it is executed", async || reviewer.previews(&request).await["state"] == "executed").await;
        writer.get(&cairn_tests::at(&memory)).await.refuses(404, "not_found");
        if let Some(key) = key {
            let again = reviewer.ask("POST", &format!("{}/execute", place(&request))).header("Idempotency-Key", key);
            again.send().await.refuses(409, "done_unheard");
        }
        let cursor = BASE64_URL_SAFE_NO_PAD.encode(json!([1, "\0", nobody(), 0]).to_string());
        reviewer.get(&format!("{}/items?cursor={cursor}", place(&request))).await.refuses(422, "invalid");
    }
}
