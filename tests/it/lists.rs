//! Lists: filters that narrow, and pages that show everything exactly once.

use cairn_tests::{House, Role};
use serde_json::{Value, json};
use std::collections::HashSet;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

#[tokio::test]
async fn filters_narrow() {
    let house = House::open().await;
    let (one, other) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await);
    let session = one.post("sessions", json!({"agent_tool": "codex", "project": "p"})).await.expect(201)["id"].as_str().unwrap().to_owned();
    let shelf = one.post("/v1/memory_stores", json!({"name": "Shelf"})).await.expect(200)["id"].as_str().unwrap().to_owned();
    let fact = one
        .remembers_all_of(
            json!({"content": "Alpha has WORDS", "path": "/x/fact.md", "tags": ["red", "blue"], "project": "p", "session_id": session}),
        )
        .await;
    let pattern = other
        .remembers_all_of(
            json!({"content": "beta", "kind": "pattern", "path": "/x/pattern.md", "anchors": [{"repo": "r", "path": "src/a.rs"}]}),
        )
        .await;
    let away = other.remembers_all_of(json!({"content": "gamma", "path": "/y/away.md"})).await;
    other.delete(&format!("memories/{}", away["id"].as_str().unwrap())).await.expect(200);
    let before = pattern["updated_at"].as_str().unwrap();

    for (filter, expected) in [
        (String::new(), vec![&fact, &pattern]),
        ("kind=pattern".into(), vec![&pattern]),
        ("tag=red".into(), vec![&fact]),
        ("tag=re".into(), vec![]),
        ("project=p".into(), vec![&fact]),
        ("state=archived".into(), vec![&away]),
        ("state=active".into(), vec![&fact, &pattern]),
        ("freshness=fresh".into(), vec![&fact, &pattern]),
        ("freshness=stale".into(), vec![]),
        ("path_prefix=/x/".into(), vec![&fact, &pattern]),
        ("path_prefix=/x/f".into(), vec![&fact]),
        ("path_prefix=/X".into(), vec![]),
        (format!("author={}", other.id), vec![&pattern]),
        (format!("session_id={session}"), vec![&fact]),
        (format!("store={shelf}"), vec![]),
        (format!("store={}", fact["store_id"].as_str().unwrap()), vec![&fact, &pattern]),
        ("anchor_path=src/a.rs".into(), vec![&pattern]),
        (format!("updated_after={before}"), vec![]),
        ("updated_after=2020-01-01T00:00:00Z".into(), vec![&fact, &pattern]),
        ("q=words".into(), vec![&fact]),
        ("q=%25".into(), vec![]),
        ("q=/x/pattern".into(), vec![&pattern]),
        (format!("kind=fact&author={}", one.id), vec![&fact]),
        (format!("kind=pattern&author={}", one.id), vec![]),
    ] {
        let listed: HashSet<_> = one.lists(&format!("memories?{filter}")).await.iter().map(|memory| memory["id"].to_string()).collect();
        assert_eq!(listed, expected.iter().map(|memory| memory["id"].to_string()).collect(), "{filter}");
    }
}

#[tokio::test]
async fn a_folder_is_found_however_its_name_is_composed() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let made = agent.remembers_all_of(json!({"content": "Au lait.", "path": "/cafe\u{301}/one.md"})).await;
    assert_eq!(made["path"], "/caf\u{e9}/one.md");
    for prefix in ["/caf%C3%A9/", "/cafe%CC%81/"] {
        assert_eq!(agent.lists(&format!("memories?path_prefix={prefix}")).await.len(), 1, "{prefix}");
    }
    for prefix in ["/caf\u{e9}/", "/cafe\u{301}/"] {
        let answer = agent.asks(json!({"query": "lait", "path_prefix": prefix})).await;
        assert_eq!(cairn_tests::items(&answer).len(), 1, "{prefix}: {answer}");
    }
}

#[tokio::test]
async fn pages_visit_everything_exactly_once() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Admin).await;
    let items: Vec<_> = (0..53).map(|n| json!({"content": format!("item {n}"), "tags": ["t"]})).collect();
    agent.post("memories/batch", json!({ "items": items })).await.expect(200);
    for list in [
        "memories?limit=7",
        "memories?limit=1&path_prefix=/facts/item-1",
        "memories?limit=53",
        "memories?tag=t&limit=52",
        "memories",
        "audit?limit=7",
    ] {
        let seen = agent.lists(list).await;
        let ids: HashSet<_> = seen.iter().map(|one| one["id"].to_string()).collect();
        assert_eq!(ids.len(), seen.len(), "{list} shows something twice");
        assert!(list.contains("item-1") || seen.len() >= 53, "{list} shows {}", seen.len());
    }
    let moment = |memory: &Value| OffsetDateTime::parse(memory["updated_at"].as_str().unwrap(), &Rfc3339).unwrap();
    let moments: Vec<_> = agent.lists("memories?limit=7").await.iter().map(moment).collect();
    assert!(moments.is_sorted_by(|a, b| a >= b), "newest first");
}

#[tokio::test]
async fn what_is_written_meanwhile_does_not_disturb_the_pages() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let mut expected = HashSet::new();
    for n in 0..10 {
        expected.insert(agent.remembers(&format!("old {n}")).await["id"].to_string());
    }
    let first = agent.get("memories?limit=4").await;
    agent.remembers("new").await;
    let cursor = first.body["next_cursor"].as_str().unwrap();
    let second = agent.get(&format!("memories?limit=4&cursor={cursor}")).await;
    let cursor = second.body["next_cursor"].as_str().unwrap();
    let third = agent.get(&format!("memories?limit=4&cursor={cursor}")).await;
    assert!(third.body["next_cursor"].is_null());
    let seen: Vec<_> = [first, second, third].iter().flat_map(|page| page.data().to_vec()).map(|one| one["id"].to_string()).collect();
    assert_eq!(seen.len(), 10);
    assert_eq!(seen.into_iter().collect::<HashSet<_>>(), expected);
}
