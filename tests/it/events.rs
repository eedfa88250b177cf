//! Listening to a workspace: ids and sorts of what changed, for those who may know, while their credential holds.

use cairn_tests::{Actor, House, Reply, Role};
use serde_json::{Value, json};
use std::time::Duration;

/// What somebody hears for a while, in which something is done after they have begun to listen.
async fn heard(listener: &Actor, doing: impl Future<Output = ()>) -> Reply {
    let listening = async { listener.get("events?seconds=5").await };
    let done = async {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        doing.await;
    };
    tokio::join!(listening, done).0
}

fn says(reply: &Reply, kind: &str, thing: &Value) -> bool {
    reply.text().contains(&format!("{{\"kind\":\"{kind}\",\"id\":{}}}", thing["id"]))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changes_is_told_by_id_and_without_a_word_of_it() {
    let house = House::open().await;
    let (reader, writer) = (house.person("coding", Role::Reader).await, house.agent("coding", Role::Writer).await);
    let old = writer.remembers("was there before").await;
    let made = std::sync::Mutex::new((Value::Null, Value::Null, Value::Null));
    let reply = heard(&reader, async {
        let memory = writer.remembers("a sentence nobody hears").await;
        let session = writer.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
        let receipt = writer.asks(json!({"query": "sentence"})).await;
        *made.lock().unwrap() = (memory, session, json!({"id": receipt["receipt_id"]}));
    })
    .await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/event-stream"));
    let (memory, session, receipt) = made.into_inner().unwrap();
    assert!(says(&reply, "memory", &memory) && says(&reply, "session", &session) && says(&reply, "receipt", &receipt), "{reply:?}");
    assert!(!says(&reply, "memory", &old), "{reply:?}");
    assert!(!reply.text().contains("sentence") && !reply.text().contains("codex"), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_hears_of_what_they_may_not_see() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    let walled = house.agent_in("coding", "gateway", Role::Writer).await;
    let stranger = house.agent("elsewhere", Role::Admin).await;
    let (made, conflict) = (std::sync::Mutex::new(Vec::new()), std::sync::Mutex::new(Value::Null));
    let doing = async {
        let private = ada.remembers_all_of(json!({"content": "hers alone", "visibility": "private"})).await;
        let other = ada.remembers_all_of(json!({"content": "of the ledger", "project": "ledger"})).await;
        let own = ada.remembers_all_of(json!({"content": "of the gateway", "project": "gateway"})).await;
        *made.lock().unwrap() = vec![private, other, own];
        ada.remembers("Service tokens are signed with RS256.").await;
        let clashing = json!({"content": "Service tokens are signed with HS256.", "visibility": "private"});
        let clashing = ada.remembers_all_of(clashing).await;
        *conflict.lock().unwrap() = clashing["conflicts"][0].clone();
    };
    let (hers, (admins, (walls, away))) = tokio::join!(heard(&ada, doing), async {
        tokio::join!(heard(&grace, async {}), async { tokio::join!(heard(&walled, async {}), heard(&stranger, async {})) })
    });
    let made = made.into_inner().unwrap();
    let of = |reply: &Reply| made.iter().map(|memory| says(reply, "memory", memory)).collect::<Vec<_>>();
    assert_eq!(of(&hers), [true, true, true], "{hers:?}");
    assert_eq!(of(&admins), [false, true, true], "{admins:?}");
    assert_eq!(of(&walls), [false, false, true], "{walls:?}");
    assert_eq!(of(&away), [false, false, false], "{away:?}");
    let conflict = conflict.into_inner().unwrap();
    for (reply, told) in [(&hers, true), (&admins, false), (&walls, false), (&away, false)] {
        assert_eq!(says(reply, "conflict", &conflict), told, "only who sees both sees that they clash: {reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_loses_the_credential_hears_no_more() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reader).await;
    let ending = async {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        house.admin().await.looking_at("coding").delete(&format!("agents/{}", agent.id)).await.expect(204);
    };
    // Otherwise it would go on for an hour.
    let listening = tokio::time::timeout(Duration::from_mins(1), agent.get("events"));
    let (reply, ()) = tokio::join!(listening, ending);
    assert_eq!(reply.expect("it ends with the agent").status, 200);
    agent.get("events?seconds=1").await.refuses(401, "unauthenticated");
}

#[tokio::test]
async fn a_stream_is_bounded() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reader).await;
    for wrong in ["events?seconds=0", "events?seconds=3601", "events?seconds=x", "events?since=1"] {
        assert_eq!(agent.get(wrong).await.status, 422, "{wrong}");
    }
    let mut many = tokio::task::JoinSet::new();
    for _ in 0..13 {
        let agent = agent.actor.clone();
        many.spawn(async move { agent.get("events?seconds=2").await.status });
    }
    let mut statuses = many.join_all().await;
    statuses.sort_unstable();
    assert_eq!((statuses[11], statuses[12]), (200, 429), "{statuses:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_is_told_however_many_there_are_at_once() {
    let house = House::open().await;
    let (reader, writer) = (house.person("coding", Role::Reader).await, house.agent("coding", Role::Writer).await);
    let made = std::sync::Mutex::new(Vec::new());
    let doing = async {
        let items: Vec<Value> = (0..500).map(|n| json!({"content": format!("line {n} of a long list")})).collect();
        let reply = writer.post("memories/batch", json!({"items": items})).await.expect(200);
        *made.lock().unwrap() = reply["data"].as_array().expect("a list").clone();
    };
    let (reply, ()) = tokio::join!(reader.get("events?seconds=20"), async {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        doing.await;
    });
    let made = made.into_inner().unwrap();
    let id = |one: &Value| one["memory"]["id"].as_str().or(one["id"].as_str()).expect("an id").to_owned();
    let told = |one: &Value| reply.text().matches(&format!("{{\"kind\":\"memory\",\"id\":\"{}\"}}", id(one))).count();
    let counts: Vec<usize> = made.iter().map(told).collect();
    assert_eq!((counts.len(), counts.iter().filter(|count| **count == 1).count()), (500, 500), "each is told once");
}
