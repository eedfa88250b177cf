//! Erasure: asked by one, approved and executed by another person, and then really gone.

use cairn_tests::{Agent, House, Person, Role, at};
use serde_json::{Value, json};

struct Cast {
    house: House,
    writer: Agent,
    asker: Person,
    reviewer: Person,
}

async fn cast() -> Cast {
    let house = House::open().await;
    let (writer, asker, reviewer) = (
        house.agent("coding", Role::Writer).await,
        house.person("coding", Role::Reviewer).await,
        house.person("coding", Role::Reviewer).await,
    );
    Cast { house, writer, asker, reviewer }
}

#[tokio::test]
async fn who_asks_does_not_approve() {
    let Cast { house: _house, asker, reviewer, .. } = cast().await;
    let memory = asker.remembers("to be erased").await;
    let request = asker.asks_to_erase(&[&memory], "a wish").await;
    assert_eq!((&request["state"], &request["requested_by"]["id"]), (&json!("pending"), &json!(asker.id)));
    asker.approves(&request).await.refuses(403, "four_eyes");
    assert_eq!(reviewer.approves(&request).await.expect(200)["state"], "approved");
    asker.executes(&request).await.refuses(403, "four_eyes");
    asker.reads(&memory).await;
    assert_eq!(reviewer.executes(&request).await.expect(200)["state"], "executed");
}

#[tokio::test]
async fn an_agents_request_counts_as_its_makers() {
    let Cast { house, writer, reviewer, .. } = cast().await;
    let memory = writer.remembers("to be erased").await;
    let request = writer.asks_to_erase(&[&memory], "a wish").await;
    // The admin made the agent, so it is as if the admin had asked.
    let admin = house.admin().await;
    admin.approves(&request).await.refuses(403, "four_eyes");
    reviewer.approves(&request).await.expect(200);
    admin.executes(&request).await.refuses(403, "four_eyes");
    // An agent that an agent made is still the person's.
    let governor = house.agent("coding", Role::Admin).await;
    let made = governor.post("agents", json!({"name": "grandchild", "role": "writer"})).await;
    if made.status == 201 {
        let grandchild = house.key_of("coding", made.body["id"].as_str().unwrap().parse().unwrap(), "grandchild").await;
        let second = grandchild.remembers("another").await;
        let request = grandchild.asks_to_erase(&[&second], "a wish").await;
        admin.approves(&request).await.refuses(403, "four_eyes");
    }
}

#[tokio::test]
async fn only_people_decide() {
    let Cast { house, writer, reviewer, .. } = cast().await;
    let robot = house.agent("coding", Role::Admin).await;
    let memory = writer.remembers("to be erased").await;
    let request = writer.asks_to_erase(&[&memory], "a wish").await;
    robot.approves(&request).await.refuses(403, "person_required");
    robot.rejects(&request).await.refuses(403, "person_required");
    reviewer.approves(&request).await.expect(200);
    robot.executes(&request).await.refuses(403, "person_required");
    writer.approves(&request).await.refuses(403, "forbidden");
    writer.reads(&memory).await;
}

#[tokio::test]
async fn a_request_goes_one_way() {
    let Cast { house: _house, writer, reviewer, .. } = cast().await;
    let memory = writer.remembers("to be kept").await;
    let rejected = writer.asks_to_erase(&[&memory], "a wish").await;
    reviewer.executes(&rejected).await.refuses(409, "wrong_state");
    assert_eq!(reviewer.rejects(&rejected).await.expect(200)["state"], "rejected");
    for again in [reviewer.approves(&rejected).await, reviewer.rejects(&rejected).await, reviewer.executes(&rejected).await] {
        again.refuses(409, "wrong_state");
    }
    writer.reads(&memory).await;
    let done = writer.asks_to_erase(&[&memory], "a wish").await;
    reviewer.approves(&done).await.expect(200);
    reviewer.approves(&done).await.refuses(409, "wrong_state");
    reviewer.executes(&done).await.expect(200);
    for again in [reviewer.approves(&done).await, reviewer.rejects(&done).await, reviewer.executes(&done).await] {
        again.refuses(409, "wrong_state");
    }
    let states: Vec<Value> = reviewer.lists("deletion-requests").await.iter().map(|one| one["state"].clone()).collect();
    assert_eq!(states, [json!("executed"), json!("rejected")]);
    assert_eq!(reviewer.lists("deletion-requests?state=rejected").await.len(), 1);
}

#[tokio::test]
async fn a_request_says_what_it_touches() {
    let Cast { house: _house, writer, reviewer, .. } = cast().await;
    let memory = writer.remembers_all_of(json!({"content": "one", "title": "The title"})).await;
    writer.revises(&memory, json!({"content": "two"})).await;
    let request = writer.asks_to_erase(&[&memory], "the customer asked").await;
    let shown = reviewer.get(&format!("deletion-requests/{}", request["id"].as_str().unwrap())).await.expect(200);
    let item = json!({"kind": "memory", "id": memory["id"], "memory_id": memory["id"], "why": "named", "path": memory["path"], "title": "The title", "versions": 2});
    assert_eq!((&shown["preview"], &shown["touches"]), (&json!([item]), &json!({"memory": 1})));
    assert_eq!((&shown["copies"], &shown["holds"]), (&json!([]), &json!([])));
    assert_eq!(shown["reason"], "the customer asked");
    for wrong in [
        json!({"memory_ids": [], "reason": "x"}),
        json!({"memory_ids": [cairn_tests::nobody()], "reason": "x"}),
        json!({"memory_ids": [memory["id"]], "reason": " "}),
        json!({"reason": "x"}),
        json!({"session_ids": [cairn_tests::nobody()], "reason": "x"}),
        json!({"subject": "nobodyhere@example.org", "reason": "x"}),
        json!({"subject": "x", "reason": "x"}),
        json!({"query": "nosuchword", "reason": "x"}),
        json!({"query": " ", "reason": "x"}),
    ] {
        writer.post("deletion-requests", wrong).await.refuses(422, "invalid");
    }
}

#[tokio::test]
async fn erased_means_erased() {
    let Cast { house, writer, reviewer, .. } = cast().await;
    let canary = json!({"content": "canaryone content", "title": "canarytwo title", "path": "/canarythree/path.md", "tags": ["canaryfour"], "subject": "canaryfive",
        "source": {"type": "url", "ref": "canarysix", "excerpt": "canaryseven"}, "anchors": [{"repo": "canaryeight", "path": "canarynine.rs", "symbol": "canaryten"}], "project": "kept"});
    let made = writer.ask("POST", "memories").header("Idempotency-Key", "key").json(&canary).send().await.expect(201);
    let place = at(&made);
    writer.revises(&made, json!({"content": "canaryeleven content", "reason": "canarytwelve", "path": "/canarythirteen.md"})).await;
    writer.patch(&place, json!({"tags": ["canaryfourteen"]})).await.expect(200);
    let key = |name: &'static str, body: Value| writer.ask("PATCH", &place).header("Idempotency-Key", name).json(&body).send();
    key("second", json!({"content": "canaryfifteen"})).await.expect(200);
    writer.recalls("canaryfifteen, canarythirteen or canaryfourteen?").await;
    assert!(house.dump().await.contains("canary"));

    let request = writer.asks_to_erase(&[&made], "canarysixteen wants to be forgotten").await;
    reviewer.approves(&request).await.expect(200);
    let executed = reviewer.executes(&request).await.expect(200);
    assert_eq!((&executed["state"], &executed["reason"]), (&json!("executed"), &Value::Null));
    assert_eq!((&executed["counts"]["memories"], &executed["counts"]["memory_versions"]), (&json!(1), &json!(4)));

    let dump = house.dump().await;
    let left: Vec<_> = dump.lines().filter(|line| line.contains("canary")).collect();
    assert!(left.is_empty(), "{left:#?}");
    for end in ["", "/versions", "/versions/1", "/diff?from=1&to=2", "?as_of=2100-01-01T00:00:00Z"] {
        writer.get(&format!("{place}{end}")).await.refuses(404, "not_found");
    }
    for list in
        ["memories", "memories?state=archived", "memories?tag=canaryfour", "memories?q=canary", "memories?anchor_path=canarynine.rs"]
    {
        assert_eq!(writer.lists(list).await.len(), 0, "{list}");
    }
    writer.ask("POST", "memories").header("Idempotency-Key", "key").json(&canary).send().await.refuses(410, "gone");
    key("second", json!({"content": "canaryfifteen"})).await.refuses(410, "gone");
    let shown = reviewer.get(&format!("deletion-requests/{}", request["id"].as_str().unwrap())).await;
    assert!(!shown.text().contains("canary"), "{shown:?}");
}

#[tokio::test]
async fn what_was_erased_does_not_come_back() {
    let Cast { house, writer, reviewer, .. } = cast().await;
    let memory = writer.remembers("her number is 0123").await;
    writer.revises(&memory, json!({"content": "her number is 4567"})).await;
    let request = writer.asks_to_erase(&[&memory], "she asked").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);

    let other = writer.remembers("something else").await;
    let before = house.census().await;
    for text in ["her number is 0123", "her number is 4567", "  her number is 0123\n"] {
        let doors = [
            writer.post("memories", json!({"content": text})).await,
            writer.post("memories", json!({"content": text, "path": "/elsewhere.md", "kind": "pattern", "project": "p"})).await,
            writer.post("memories/batch", json!({"items": [{"content": "fine"}, {"content": text}]})).await,
            writer.patch(&at(&other), json!({"content": text})).await,
            writer.post(&format!("{}/supersede", at(&other)), json!({"content": text})).await,
        ];
        for refused in doors {
            assert_eq!(refused.refuses(409, "content_erased").body["deletion_request_id"], request["id"]);
            assert!(!refused.text().contains("number"), "{refused:?}");
        }
    }
    assert_eq!(house.census().await, before);
    // Elsewhere it is not known, and not barred.
    house.agent("support", Role::Writer).await.remembers("her number is 0123").await;
}

#[tokio::test]
async fn the_erasure_itself_stands_in_the_trail() {
    let Cast { house, writer, reviewer, .. } = cast().await;
    let memory = writer.remembers("to be erased").await;
    let id = memory["id"].as_str().unwrap();
    let request = writer.asks_to_erase(&[&memory], "a wish").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);
    let admin = house.admin().await;
    let actions = async |target: &str| {
        admin.trail_of(target).await.iter().map(|entry| entry["action"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(actions(id).await, ["memory.remembered", "memory.erased"]);
    assert_eq!(actions(request["id"].as_str().unwrap()).await, ["deletion.asked", "deletion.approved", "deletion.executed"]);
}

#[tokio::test]
async fn a_change_that_waits_for_an_erasure_finds_nothing() {
    let Cast { house, writer, reviewer, .. } = cast().await;
    let memory = writer.remembers("to be erased").await;
    let request = writer.asks_to_erase(&[&memory], "a wish").await;
    reviewer.approves(&request).await.expect(200);
    let mut racing = tokio::task::JoinSet::new();
    for n in 0..8 {
        let (writer, place) = (writer.clone(), at(&memory));
        racing.spawn(async move { writer.patch(&place, json!({"content": format!("canary {n}")})).await });
    }
    reviewer.executes(&request).await.expect(200);
    for reply in racing.join_all().await {
        assert!(matches!(reply.status, 200 | 404), "{reply:?}");
    }
    writer.get(&at(&memory)).await.refuses(404, "not_found");
    assert!(!house.dump().await.contains("canary"));
}
