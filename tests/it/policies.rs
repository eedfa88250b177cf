//! What waits and what grows old is a matter of its kind, as far as the workspace says so.

use cairn_tests::{House, Role, at, items};
use serde_json::{Value, json};

fn policies(of: Value) -> Value {
    json!({ "policies": of })
}

#[tokio::test]
async fn settings_that_were_read_may_be_sent_back() {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    admin.put("policies", policies(json!({"fact": {"review_threshold": "always"}}))).await.expect(200);
    let read = admin.get("/v1/workspaces/coding").await.expect(200);
    assert_eq!(read["settings"]["policies"]["fact"]["review_threshold"], "always", "{read}");
    let again = admin.patch("/v1/workspaces/coding", json!({"settings": read["settings"]})).await.expect(200);
    assert_eq!(again["settings"], read["settings"]);
    // They are changed elsewhere, and nobody is left to believe otherwise.
    let refused = admin.patch("/v1/workspaces/coding", json!({"settings": {"policies": {}}})).await;
    assert_eq!(refused.refuses(422, "invalid").wrong_fields(), ["settings.policies"]);
}

#[tokio::test]
async fn a_kind_follows_the_settings_until_something_is_set_for_it() {
    let house = House::open().await;
    let (admin, reader, auditor) =
        (house.person("coding", Role::Admin).await, house.agent("coding", Role::Reader).await, house.person("coding", Role::Auditor).await);
    let usual = reader.get("policies").await.expect(200);
    assert_eq!(usual["policies"], json!({}));
    let as_usual = json!({"review_threshold": 0.7, "review_age_days": 90, "retention_days": null, "dream_mode": "review"});
    assert_eq!(usual["effective"]["fact"], as_usual);
    let set = policies(
        json!({"fact": {"review_threshold": "always", "review_age_days": null}, "decision": {"dream_mode": "off"}, "pattern": {}}),
    );
    let now = admin.put("policies", set).await.expect(200);
    assert_eq!(
        now["policies"],
        json!({"fact": {"review_threshold": "always", "review_age_days": null}, "decision": {"dream_mode": "off"}})
    );
    let fact = json!({"review_threshold": "always", "review_age_days": null, "retention_days": null, "dream_mode": "review"});
    assert_eq!(now["effective"]["fact"], fact);
    assert_eq!(reader.get("policies").await.expect(200), now);
    admin.patch("/v1/workspaces/coding", json!({"settings": {"retention_days": 30, "dream_mode": "auto"}})).await.expect(200);
    let later = reader.get("policies").await.expect(200);
    assert_eq!(later["effective"]["decision"]["retention_days"], 30);
    assert_eq!((&later["effective"]["decision"]["dream_mode"], &later["effective"]["fact"]["dream_mode"]), (&json!("off"), &json!("auto")));
    let entries = auditor.lists("audit?action=policy.changed").await;
    assert_eq!(entries.len(), 1);
    let mut kinds: Vec<&str> = entries[0]["details"]["kinds"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["decision", "fact"]);
    // The same again changes nothing, and an empty one clears.
    admin.put("policies", policies(now["policies"].clone())).await.expect(200);
    assert_eq!(auditor.lists("audit?action=policy.changed").await.len(), 1);
    assert_eq!(admin.put("policies", policies(json!({}))).await.expect(200)["policies"], json!({}));
}

#[tokio::test]
async fn only_who_governs_the_whole_workspace_sets_them() {
    let house = House::open().await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    reviewer.put("policies", policies(json!({}))).await.refuses(403, "forbidden");
    let walled = house.agent_in("coding", "gateway", Role::Admin).await;
    walled.put("policies", policies(json!({}))).await.refuses(403, "forbidden");
}

#[tokio::test]
async fn what_cannot_be_a_policy_is_refused_by_name() {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    for (field, wrong) in [
        ("policies.fact.review_threshold", json!({"fact": {"review_threshold": "sometimes"}})),
        ("policies.fact.review_threshold", json!({"fact": {"review_threshold": 1.5}})),
        ("policies.fact.review_age_days", json!({"fact": {"review_age_days": 0}})),
        ("policies.fact.retention_days", json!({"fact": {"retention_days": 40_000}})),
        ("policies.fact.dream_mode", json!({"fact": {"dream_mode": "nightmare"}})),
        ("policies.fact.mood", json!({"fact": {"mood": "good"}})),
    ] {
        let reply = admin.put("policies", policies(wrong.clone())).await;
        reply.refuses(422, "invalid");
        assert_eq!(reply.wrong_fields(), [field], "{wrong}");
    }
    admin.put("policies", policies(json!({"rumour": {}}))).await.refuses(422, "invalid");
}

#[tokio::test]
async fn what_agents_write_waits_as_its_kind_says_and_a_persons_word_never() {
    let house = House::open().await;
    let (admin, agent) = (house.person("coding", Role::Admin).await, house.agent("coding", Role::Writer).await);
    let wanted =
        json!({"fact": {"review_threshold": "always"}, "pattern": {"review_threshold": 0.6}, "discovery": {"review_threshold": "never"}});
    admin.put("policies", policies(wanted)).await.expect(200);
    let state = async |memory: Value| agent.remembers_all_of(memory).await["state"].clone();
    assert_eq!(state(json!({"content": "one", "confidence": 1})).await, "proposed");
    assert_eq!(state(json!({"content": "two", "kind": "pattern", "confidence": 0.5})).await, "proposed");
    assert_eq!(state(json!({"content": "three", "kind": "pattern", "confidence": 0.6})).await, "active");
    assert_eq!(state(json!({"content": "four", "kind": "pattern"})).await, "active");
    assert_eq!(state(json!({"content": "five", "kind": "discovery", "confidence": 0})).await, "active");
    assert_eq!(state(json!({"content": "six", "kind": "procedure", "confidence": 0})).await, "active", "nothing is set for it");
    assert_eq!(admin.remembers_all_of(json!({"content": "seven", "confidence": 0.1})).await["state"], "active");
    let together = json!({"items": [{"content": "eight"}, {"content": "nine", "kind": "procedure"}]});
    let batch = agent.post("memories/batch", together).await.expect(200);
    assert_eq!((&batch["data"][0]["memory"]["state"], &batch["data"][1]["memory"]["state"]), (&json!("proposed"), &json!("active")));
    let waiting = agent.lists("proposals").await;
    assert_eq!(waiting.len(), 3);
    assert!(waiting.iter().all(|one| one["origin"] == "policy" && one["reason"].as_str().is_some_and(|reason| reason.contains("wait"))));
    // What waits is not told, and the same text sent again is the one that waits.
    assert!(agent.recalls("one").await.iter().all(|text| text != "one"));
    let again = agent.post("memories", json!({"content": "one"})).await;
    assert_eq!((again.status, &again.body["state"]), (200, &json!("proposed")));
    assert_eq!(agent.lists("proposals").await.len(), 3);
}

#[tokio::test]
async fn what_is_captured_waits_as_its_kind_says() {
    let house = House::open().await;
    let (admin, agent) = (house.person("coding", Role::Admin).await, house.agent("coding", Role::Writer).await);
    let never: Value = ["procedure", "pattern", "discovery", "preference", "fact"]
        .into_iter()
        .map(|kind| (kind.to_owned(), json!({"review_threshold": "never"})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    admin.put("policies", policies(never)).await.expect(200);
    let run = agent.post("sessions", json!({"agent_tool": "codex", "project": "gateway"})).await.expect(201);
    let run = format!("sessions/{}", run["id"].as_str().unwrap());
    agent.post(&format!("{run}/events"), super::capture::log(1)).await.expect(200);
    let ended = agent.post(&format!("{run}/end"), json!({})).await.expect(200);
    let proposals = ended["proposals"].as_array().unwrap();
    assert!(!proposals.is_empty() && proposals.iter().all(|one| one["state"] == "approved"), "{proposals:?}");
}

#[tokio::test]
async fn a_kind_has_its_own_age() {
    let house = House::open().await;
    let (admin, agent) = (house.person("coding", Role::Admin).await, house.agent("coding", Role::Writer).await);
    let young = agent.remembers_all_of(json!({"content": "the gateway retries thrice", "kind": "discovery"})).await;
    let old = agent.remembers_all_of(json!({"content": "the gateway speaks HTTP", "kind": "fact"})).await;
    let long_ago = "begin; set local session_replication_role = replica; update memory_versions set at = at - interval '40 days';
        update memories set updated_at = updated_at - interval '40 days', changed_xid = pg_current_xact_id(); commit";
    sqlx::raw_sql(long_ago).execute(house.owner()).await.unwrap();
    let freshness = async |memory: &Value| agent.reads(memory).await["freshness"]["state"].clone();
    let told = async |memory: &Value| {
        let answer = agent.asks(json!({"query": "gateway"})).await;
        items(&answer).iter().find(|item| item["memory_id"] == memory["id"]).expect("it is told")["freshness"]["state"].clone()
    };
    assert_eq!((freshness(&young).await, told(&young).await), (json!("fresh"), json!("fresh")));
    admin.put("policies", policies(json!({"discovery": {"review_age_days": 30}, "fact": {"review_age_days": null}}))).await.expect(200);
    assert_eq!((freshness(&young).await, told(&young).await), (json!("suspect"), json!("suspect")), "{}", agent.reads(&young).await);
    assert_eq!((freshness(&old).await, told(&old).await), (json!("fresh"), json!("fresh")));
    let ids = |listed: Vec<Value>| listed.into_iter().map(|memory| memory["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(agent.lists("memories?freshness=suspect").await), [young["id"].clone()]);
    assert_eq!(ids(agent.lists("memories?freshness=fresh").await), [old["id"].clone()]);
    admin.post(&format!("{}/verify", at(&young)), json!({})).await.expect(200);
    assert_eq!((freshness(&young).await, told(&young).await), (json!("fresh"), json!("fresh")));
}
