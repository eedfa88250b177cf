//! `Idempotency-Key`: a request that is sent again is answered as before, and done once.

use cairn_tests::{Actor, House, Reply, Role, at};
use serde_json::{Value, json};

async fn with_key(actor: &Actor, key: &str, method: &str, path: &str, body: &Value) -> Reply {
    actor.ask(method, path).header("Idempotency-Key", key).json(body).send().await
}

#[tokio::test]
async fn the_same_request_gets_the_same_answer() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let body = json!({"content": "once", "path": "/once.md"});
    let first = with_key(&agent, "a", "POST", "memories", &body).await;
    assert_eq!(first.status, 201);
    agent.revises(&first.body, json!({"content": "changed since"})).await;
    let again = with_key(&agent, "a", "POST", "memories", &body).await;
    assert_eq!((again.status, &again.bytes), (201, &first.bytes));
    for header in ["etag", "content-type"] {
        assert_eq!(again.header(header), first.header(header), "{header}");
    }
    assert_ne!(again.header("x-request-id"), first.header("x-request-id"));
    let patch = json!({"tags": ["x"]});
    let patched = with_key(&agent, "b", "PATCH", &at(&first.body), &patch).await;
    assert_eq!(with_key(&agent, "b", "PATCH", &at(&first.body), &patch).await.bytes, patched.bytes);
    assert_eq!(agent.reads(&first.body).await["version"], 3);
}

#[tokio::test]
async fn an_answer_that_wrote_nothing_is_kept_too() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("known").await;
    let known = with_key(&agent, "a", "POST", "memories", &json!({"content": "known"})).await;
    assert_eq!(known.status, 200);
    agent.delete(&at(&memory)).await.expect(200);
    let again = with_key(&agent, "a", "POST", "memories", &json!({"content": "known"})).await;
    assert_eq!((again.status, &again.bytes), (200, &known.bytes));
    with_key(&agent, "a", "POST", "memories", &json!({"content": "other"})).await.refuses(409, "idempotency_conflict");
}

#[tokio::test]
async fn the_same_key_for_another_request_is_a_conflict() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = with_key(&agent, "a", "POST", "memories", &json!({"content": "one"})).await.expect(201);
    with_key(&agent, "a", "POST", "memories", &json!({"content": "two"})).await.refuses(409, "idempotency_conflict");
    with_key(&agent, "a", "POST", "memories", &json!({"content": "one", "tags": []})).await.refuses(409, "idempotency_conflict");
    with_key(&agent, "a", "PATCH", &at(&memory), &json!({"content": "one"})).await.refuses(409, "idempotency_conflict");
    assert_eq!(agent.lists("memories").await.len(), 1);
    // Another's key is another key.
    let other = house.agent("coding", Role::Writer).await;
    with_key(&other, "a", "POST", "memories", &json!({"content": "two"})).await.expect(201);
}

#[tokio::test]
async fn what_was_refused_may_be_tried_again() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let taken = agent.remembers_all_of(json!({"content": "there", "path": "/p"})).await;
    let body = json!({"content": "wants in", "path": "/p"});
    with_key(&agent, "a", "POST", "memories", &body).await.refuses(409, "path_conflict");
    agent.delete(&at(&taken)).await.expect(200);
    with_key(&agent, "a", "POST", "memories", &body).await.expect(201);
    with_key(&agent, "b", "POST", "memories", &json!({"content": ""})).await.refuses(422, "invalid");
    with_key(&agent, "b", "POST", "memories", &json!({"content": "better"})).await.expect(201);
}

#[tokio::test]
async fn a_secret_is_shown_once() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let admin = house.admin().await;
    let keys = format!("agents/{}/keys", agent.id);
    let made = with_key(admin, "a", "POST", &keys, &json!({})).await;
    assert_eq!((made.status, made.header("cache-control")), (201, "no-store"));
    let again = with_key(admin, "a", "POST", &keys, &json!({})).await;
    again.refuses(409, "already_issued");
    assert!(!house.dump().await.contains(made.body["key"].as_str().unwrap().rsplit('_').next().unwrap()));
    assert_eq!(admin.lists(&keys).await.len(), 2);
    let token = with_key(&agent, "t", "POST", "/v1/auth/token", &json!({"ttl_seconds": 60})).await;
    assert_eq!(token.status, 200, "{token:?}");
    with_key(&agent, "t", "POST", "/v1/auth/token", &json!({"ttl_seconds": 60})).await.refuses(409, "already_issued");
}

#[tokio::test]
async fn a_workspace_is_made_once() {
    let house = House::open().await;
    let admin = house.admin().await;
    let body = json!({"slug": "twice", "name": "Twice", "purpose": "a test"});
    let first = with_key(admin, "a", "POST", "/v1/workspaces", &body).await;
    assert_eq!(first.status, 201, "{first:?}");
    let again = with_key(admin, "a", "POST", "/v1/workspaces", &body).await;
    assert_eq!((again.status, &again.bytes), (201, &first.bytes));
    admin.post("/v1/workspaces", body).await.refuses(409, "slug_taken");
}

#[tokio::test]
async fn an_answer_goes_with_the_memory_it_spoke_of() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let body = json!({"items": [{"content": "to be erased"}, {"content": "to be kept"}]});
    let first = with_key(&agent, "a", "POST", "memories/batch", &body).await.expect(200);
    let request = agent.asks_to_erase(&[&first["data"][0]["memory"]], "a wish").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);
    with_key(&agent, "a", "POST", "memories/batch", &body).await.refuses(410, "gone");
}

#[tokio::test]
async fn a_key_is_a_word() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for wrong in ["", "with space", &"x".repeat(256), "\u{e4}"] {
        let refused = with_key(&agent, wrong, "POST", "memories", &json!({"content": "x"})).await;
        assert_eq!(refused.refuses(422, "invalid").wrong_fields(), ["Idempotency-Key"], "{wrong}");
    }
    with_key(&agent, &"x".repeat(255), "POST", "memories", &json!({"content": "x"})).await.expect(201);
}

#[tokio::test]
async fn the_query_is_a_part_of_the_request() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let import = async |project: &str| {
        let ask = agent.ask("POST", &format!("import?project={project}")).header("Idempotency-Key", "a");
        ask.bytes("application/octet-stream", "# Gateway\n\n- Never use `unwrap` outside of tests.\n").send().await
    };
    let first = import("gateway").await.expect(200);
    assert_eq!(import("gateway").await.expect(200), first);
    import("billing").await.refuses(409, "idempotency_conflict");
}

#[tokio::test]
async fn a_change_and_its_answer_take_one_connection() {
    let house = House::furnished(|given| given.database_connections = Some("2".to_owned())).await;
    let agent = house.agent("coding", Role::Writer).await;
    let mut memories = Vec::new();
    for n in 0..8 {
        memories.push(agent.remembers(&format!("note number {n}")).await);
    }
    let mut changes = tokio::task::JoinSet::new();
    for (n, memory) in memories.into_iter().enumerate() {
        let agent = agent.clone();
        changes.spawn(async move { with_key(&agent, &format!("k{n}"), "PATCH", &at(&memory), &json!({"tags": ["all"]})).await.status });
    }
    assert_eq!(changes.join_all().await, [200; 8]);
}

#[tokio::test]
async fn an_answer_that_is_kept_says_what_the_change_contradicts() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let known = agent.remembers("Service tokens are signed with RS256.").await;
    let changed = agent.remembers("Service tokens are short.").await;
    let body = json!({"content": "Service tokens are signed with HS256."});
    let first = with_key(&agent, "a", "PATCH", &at(&changed), &body).await;
    assert_eq!(first.body["conflicts"][0]["memory_id"], known["id"], "{first:?}");
    assert_eq!(with_key(&agent, "a", "PATCH", &at(&changed), &body).await.bytes, first.bytes);
}

#[tokio::test]
async fn decisions_come_back_through_few_connections() {
    let house = House::furnished(|given| given.database_connections = Some("2".to_owned())).await;
    let agent = house.agent("coding", Role::Writer).await;
    let mut decisions = Vec::new();
    for city in ["Lisbon", "Oslo", "Turin", "Graz", "Cork", "Lyon", "Bergen", "Porto"] {
        let decision =
            agent.remembers_all_of(json!({"content": format!("The office in {city} is closed in August."), "kind": "decision"})).await;
        agent.delete(&at(&decision)).await.expect(200);
        decisions.push(decision);
    }
    let mut coming = tokio::task::JoinSet::new();
    for decision in decisions {
        let agent = agent.clone();
        coming.spawn(async move { agent.ask("POST", &format!("{}/restore", at(&decision))).send().await.status });
    }
    assert_eq!(coming.join_all().await, [200; 8]);
}

#[tokio::test]
async fn who_is_walled_in_is_not_given_what_was_answered_outside() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let token = agent.post("/v1/auth/token", json!({"project": "gateway"})).await.expect(200);
    let walled = agent.showing(token["access_token"].as_str().unwrap());
    let body = json!({"content": "The vault opens at nine."});
    with_key(&agent, "a", "POST", "memories", &body).await.expect(201);
    with_key(&walled, "a", "POST", "memories", &body).await.refuses(409, "idempotency_conflict");
    let own = with_key(&walled, "b", "POST", "memories", &body).await;
    assert_eq!(own.body["project"], "gateway");
    assert_eq!(with_key(&walled, "b", "POST", "memories", &body).await.bytes, own.bytes);
}

#[tokio::test]
async fn a_password_that_was_changed_is_said_to_be_changed_again() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    let body = json!({"current_password": person.password, "new_password": "four entirely different words"});
    let first = with_key(&person, "a", "PUT", "/v1/me/password", &body).await;
    assert!(first.status < 300, "{first:?}");
    let again = with_key(&person, "a", "PUT", "/v1/me/password", &body).await;
    assert_eq!((again.status, &again.bytes), (first.status, &first.bytes));
}
