//! What was learned can be taken back: by session, agent, time or list, and only as far as nobody built on it.

use crate::code::{LOGIN, file, fresh, picture, service, symbol, syncs};
use cairn_tests::{Actor, House, Reply, Role, at};
use serde_json::{Value, json};

/// Somebody at work in a session: every write names it.
pub struct At<'a> {
    actor: &'a Actor,
    pub session: String,
}

impl<'a> At<'a> {
    pub async fn work(actor: &'a Actor) -> Self {
        let session = actor.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
        Self { actor, session: session["id"].as_str().expect("an id").to_owned() }
    }

    pub async fn sends(&self, method: &str, path: &str, body: Value) -> Reply {
        self.actor.ask(method, path).header("X-Cairn-Session", &self.session).json(&body).send().await
    }

    pub async fn remembers(&self, memory: Value) -> Value {
        self.sends("POST", "memories", memory).await.expect(201)
    }

    pub async fn revises(&self, memory: &Value, changes: Value) {
        self.sends("PATCH", &at(memory), changes).await.expect(200);
    }

    pub async fn supersedes(&self, memory: &Value, content: &str) -> Value {
        self.sends("POST", &format!("{}/supersede", at(memory)), json!({"content": content})).await.expect(201)
    }
}

pub async fn rolls_back(actor: &Actor, selector: Value) -> Value {
    let mut dry = selector.clone();
    dry["dry_run"] = json!(true);
    let would = actor.post("rollbacks", dry).await.expect(200);
    let did = actor.post("rollbacks", selector).await.expect(201);
    for group in ["restored", "unwound", "archived", "left"] {
        assert_eq!(but_for_names(&would[group]), but_for_names(&did[group]), "a dry run says what is done");
    }
    did
}

/// Titles and paths are those of the moment.
fn but_for_names(items: &Value) -> Value {
    let bare =
        |item: &Value| json!([item["memory_id"], item["outcome"], item["version"], item["back_to"], item["reason"], item["other_id"]]);
    items.as_array().expect("a list").iter().map(bare).collect()
}

/// The members of a group, with the reason where there is one.
pub fn group(answer: &Value, name: &str) -> Vec<(Value, Value)> {
    let group = answer[name].as_array().unwrap_or_else(|| panic!("no {name}: {answer}"));
    group.iter().map(|item| (item["memory_id"].clone(), item["reason"].clone())).collect()
}

/// Everything that a memory says but for what a new version changes by being one.
pub fn said(memory: &Value) -> Value {
    let mut memory = memory.clone();
    for member in ["version", "updated_at", "updated_by"] {
        memory.as_object_mut().expect("a memory").remove(member);
    }
    memory
}

#[tokio::test]
async fn a_session_is_undone_to_the_last_field() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let full = json!({"content": "ships wait", "title": "Harbour", "kind": "procedure", "tags": ["a", "b"], "path": "/harbour/ships.md",
        "project": "port", "anchors": [{"path": "src/ships.rs", "symbol": "wait"}], "confidence": 0.3, "subject": "captain",
        "source": {"type": "file", "ref": "log.txt", "excerpt": "they wait"}, "stale_after": "2090-01-01T00:00:00Z", "expires_at": "2091-01-01T00:00:00Z"});
    let changed = agent.remembers_all_of(full).await;
    let verified = reviewer.post(&format!("{}/verify", at(&changed)), json!({})).await.expect(200);
    let archived = agent.remembers("rafts wait").await;
    let untouched = agent.remembers("tugs wait").await;
    let run = At::work(&agent).await;
    run.revises(
        &changed,
        json!({"content": "ships hurry", "title": "Port", "kind": "fact", "tags": ["c"], "path": "/port.md", "project": null,
        "anchors": [], "confidence": 1.0, "subject": null, "source": null, "stale_after": null, "expires_at": null, "visibility": "workspace"}),
    )
    .await;
    run.sends("DELETE", &at(&archived), json!({})).await.expect(200);
    let made = run.remembers(json!({"content": "canoes wait", "tags": ["new"]})).await;

    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!(done["counts"], json!({"restored": 2, "unwound": 0, "archived": 1, "left": 0, "withdrawn": 0}));
    assert_eq!(said(&reviewer.reads(&changed).await), said(&verified));
    assert_eq!(said(&reviewer.reads(&archived).await), said(&archived));
    assert_eq!(reviewer.reads(&untouched).await, untouched);
    assert_eq!(reviewer.reads(&made).await["state"], "archived");
    assert_eq!(reviewer.lists("memories?tag=b&anchor_path=src/ships.rs").await.len(), 1, "it is filed as before");
    assert!(!agent.recalls("which boats wait?").await.contains(&"canoes wait".to_owned()));
    assert!(agent.recalls("which boats wait?").await.contains(&"rafts wait".to_owned()));
    // Versions are added, never taken.
    let versions = reviewer.lists(&format!("{}/versions", at(&changed))).await;
    assert_eq!((versions.len(), &versions[0]["operation"], &versions[0]["run_id"]), (4, &json!("reverted"), &done["id"]));
    // Said again, there is nothing left to do.
    assert_eq!(rolls_back(&reviewer, json!({"session_id": run.session})).await["counts"]["restored"], 0);
}

#[tokio::test]
async fn a_rollback_can_be_rolled_back_and_that_too() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let memory = agent.remembers_all_of(json!({"content": "ships wait", "tags": ["old"]})).await;
    let run = At::work(&agent).await;
    run.revises(&memory, json!({"content": "ships hurry", "tags": ["new"]})).await;
    let made = run.remembers(json!({"content": "rafts hurry"})).await;
    let hurried = agent.reads(&memory).await;

    let first = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    let second = rolls_back(&reviewer, json!({"rollback_id": first["id"]})).await;
    assert_eq!(said(&agent.reads(&memory).await), said(&hurried));
    assert_eq!(said(&agent.reads(&made).await), said(&made), "what was put away is back");
    rolls_back(&reviewer, json!({"rollback_id": second["id"]})).await;
    assert_eq!(said(&agent.reads(&memory).await), said(&memory));
    assert_eq!(agent.reads(&made).await["state"], "archived");
    // The session is undone already; taken back once more, it can be undone once more.
    assert_eq!(rolls_back(&reviewer, json!({"session_id": run.session})).await["counts"]["restored"], 0);
    rolls_back(&reviewer, json!({"rollback_id": first["id"], "memory_ids": [memory["id"]]})).await;
    assert_eq!(agent.reads(&memory).await["content"], "ships wait", "it was taken back before");
}

#[tokio::test]
async fn what_somebody_built_on_is_left_and_said() {
    let house = House::open().await;
    let (agent, other) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await);
    let reviewer = house.person("coding", Role::Reviewer).await;
    let (mine, theirs) = (agent.remembers("ships wait").await, agent.remembers("rafts wait").await);
    let run = At::work(&agent).await;
    run.revises(&mine, json!({"content": "ships hurry"})).await;
    run.revises(&theirs, json!({"content": "rafts hurry"})).await;
    let made = run.remembers(json!({"content": "tugs hurry"})).await;
    other.revises(&theirs, json!({"tags": ["reviewed"]})).await;
    other.revises(&made, json!({"tags": ["reviewed"]})).await;
    let before = (other.reads(&theirs).await, other.reads(&made).await);

    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!(group(&done, "restored"), [(mine["id"].clone(), Value::Null)]);
    let left = done["left"].as_array().expect("a list");
    assert_eq!(left.len(), 2);
    for item in left {
        assert_eq!((&item["reason"], &item["changed_by"]["id"]), (&json!("changed_since"), &json!(other.id)));
        assert!(item["changed_at"].is_string() && item["version"].is_i64(), "{item}");
    }
    assert_eq!((other.reads(&theirs).await, other.reads(&made).await), before);
    let kept = reviewer.get(&format!("rollbacks/{}", done["id"].as_str().unwrap())).await.expect(200);
    assert_eq!((&kept["left"], &kept["restored"], &kept["counts"]), (&done["left"], &done["restored"], &done["counts"]));
}

#[tokio::test]
async fn a_decision_does_not_come_back_against_one_that_was_made_since() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    let old = agent.remembers_all_of(json!({"content": "Service tokens are signed with RS256.", "kind": "decision"})).await;
    let run = At::work(&agent).await;
    run.sends("DELETE", &at(&old), json!({})).await.expect(200);
    let new = agent.remembers_all_of(json!({"content": "Service tokens are signed with HS256.", "kind": "decision"})).await;
    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!(group(&done, "left"), [(old["id"].clone(), json!("decision_conflict"))]);
    assert_eq!(done["left"][0]["other_id"], new["id"]);
}

#[tokio::test]
async fn paths_that_others_took_are_theirs_and_those_that_make_way_are_free() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    let place = async |path: &str| agent.remembers_all_of(json!({"content": path, "path": path})).await;
    let (moved, above, gone) = (place("/a.md").await, place("/notes").await, place("/c.md").await);
    let (left, right) = (place("/left.md").await, place("/right.md").await);
    let run = At::work(&agent).await;
    run.revises(&moved, json!({"path": "/b.md"})).await;
    run.revises(&above, json!({"path": "/elsewhere.md"})).await;
    run.sends("DELETE", &at(&gone), json!({})).await.expect(200);
    // These two swap places.
    for (memory, path) in [(&left, "/between.md"), (&right, "/left.md"), (&left, "/right.md")] {
        run.revises(memory, json!({"path": path})).await;
    }
    let (taker, below) = (place("/a.md").await, place("/notes/monday.md").await);

    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!(group(&done, "left"), [(moved["id"].clone(), json!("path_taken")), (above["id"].clone(), json!("path_taken"))]);
    assert_eq!((&done["left"][0]["other_id"], &done["left"][1]["other_id"]), (&taker["id"], &below["id"]));
    for (memory, path) in [(&gone, "/c.md"), (&left, "/left.md"), (&right, "/right.md"), (&moved, "/b.md")] {
        assert_eq!(agent.reads(memory).await["path"], path);
    }
}

#[tokio::test]
async fn agents_times_and_lists_select_too_and_together_they_narrow() {
    let house = House::open().await;
    let (one, two) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await);
    let reviewer = house.person("coding", Role::Reviewer).await;
    let early = one.remembers("early ships").await;
    let late = one.remembers("late ships").await;
    let theirs = two.remembers("their ships").await;
    let would = async |mut selector: Value| {
        selector["dry_run"] = json!(true);
        let answer = reviewer.post("rollbacks", selector).await.expect(200);
        assert_eq!((&answer["id"], &answer["dry_run"]), (&Value::Null, &json!(true)));
        group(&answer, "archived").into_iter().map(|(id, _)| id).collect::<Vec<_>>()
    };
    assert_eq!(would(json!({"agent_id": one.id})).await, [&early["id"], &late["id"]].map(Clone::clone));
    assert_eq!(would(json!({"from": late["created_at"]})).await, [&late["id"], &theirs["id"]].map(Clone::clone));
    assert_eq!(would(json!({"from": late["created_at"], "agent_id": one.id})).await, [late["id"].clone()]);
    assert_eq!(would(json!({"to": late["created_at"]})).await, [early["id"].clone()]);
    assert_eq!(would(json!({"memory_ids": [early["id"], theirs["id"]], "agent_id": two.id})).await, [theirs["id"].clone()]);
    assert!(would(json!({"session_id": cairn_tests::nobody()})).await.is_empty());
    for (wrong, field) in [
        (json!({}), "session_id"),
        (json!({"dry_run": true}), "session_id"),
        (json!({"session_id": cairn_tests::nobody(), "rollback_id": cairn_tests::nobody()}), "session_id"),
        (json!({"memory_ids": []}), "memory_ids"),
        (json!({"from": late["created_at"], "to": early["created_at"]}), "to"),
    ] {
        assert_eq!(reviewer.post("rollbacks", wrong).await.refuses(422, "invalid").wrong_fields(), [field]);
    }
    one.post("rollbacks", json!({"agent_id": one.id})).await.refuses(403, "forbidden");
}

#[tokio::test]
async fn what_was_erased_or_does_not_fit_any_more_stays_away() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let (reviewer, other) = (house.person("coding", Role::Reviewer).await, house.person("coding", Role::Reviewer).await);
    let changed = agent.remembers("ships wait at dawn").await;
    let (first, second) = (agent.remembers("rafts wait").await, agent.remembers("tugs wait").await);
    let run = At::work(&agent).await;
    run.revises(&changed, json!({"content": "ships hurry"})).await;
    for memory in [&first, &second] {
        run.sends("DELETE", &at(memory), json!({})).await.expect(200);
    }
    let copy = agent.remembers("ships wait at dawn").await;
    let request = agent.asks_to_erase(&[&copy], "a person asked").await;
    reviewer.approves(&request).await.expect(200);
    other.executes(&request).await.expect(200);
    house.admin().await.patch("/v1/workspaces/coding", json!({"settings": {"quota_memories": 2}})).await.expect(200);

    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!(group(&done, "left"), [(changed["id"].clone(), json!("content_erased")), (second["id"].clone(), json!("quota_exceeded"))]);
    assert_eq!(group(&done, "restored"), [(first["id"].clone(), Value::Null)]);
    assert_eq!(agent.reads(&changed).await["content"], "ships hurry");
}

#[tokio::test]
async fn nobody_undoes_what_they_may_not_change_or_see() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Reviewer).await, house.person("coding", Role::Reviewer).await);
    let walled = house.agent_in("coding", "gateway", Role::Reviewer).await;
    let run = At::work(&ada).await;
    let secret = run.remembers(json!({"content": "ada's ships", "visibility": "private"})).await;
    let wide = run.remembers(json!({"content": "everyone's ships"})).await;
    let theirs = run.remembers(json!({"content": "the gateway's ships", "project": "gateway"})).await;
    let elsewhere = run.remembers(json!({"content": "billing's ships", "project": "billing"})).await;

    let done = rolls_back(&walled, json!({"session_id": run.session})).await;
    assert_eq!(
        (group(&done, "archived"), group(&done, "left")),
        (vec![(theirs["id"].clone(), Value::Null)], vec![(wide["id"].clone(), json!("outside_project"))])
    );
    let done = rolls_back(&grace, json!({"session_id": run.session})).await;
    assert_eq!(group(&done, "archived"), [(wide["id"].clone(), Value::Null), (elsewhere["id"].clone(), Value::Null)]);
    assert_eq!(ada.reads(&secret).await["state"], "active", "nobody else can tell that it is there");
    let own = rolls_back(&ada, json!({"session_id": run.session})).await;
    assert_eq!(group(&own, "archived"), [(secret["id"].clone(), Value::Null)]);
    let of = |rollback: &Value| format!("rollbacks/{}", rollback["id"].as_str().unwrap());
    assert_eq!(ada.get(&of(&own)).await.expect(200)["archived"][0]["title"], "ada's ships");
    assert_eq!(grace.get(&of(&own)).await.expect(200)["archived"], json!([]));
    let named = rolls_back(&ada, json!({"memory_ids": [secret["id"], wide["id"]]})).await;
    for (reader, archived, ids) in [(&ada, 1, json!([secret["id"], wide["id"]])), (&grace, 0, json!([wide["id"]]))] {
        let seen = reader.get(&of(&own)).await.expect(200);
        assert_eq!((&seen["counts"]["archived"], &seen["counts"]["left"]), (&json!(archived), &json!(0)), "{seen}");
        let listed = reader.lists("rollbacks").await;
        assert_eq!(listed[1]["counts"], seen["counts"], "{listed:?}");
        assert_eq!(listed[0]["selector"]["memory_ids"], ids, "{listed:?}");
        assert_eq!(reader.get(&of(&named)).await.expect(200)["selector"]["memory_ids"], ids);
    }
    assert_eq!((walled.lists("rollbacks").await.len(), grace.lists("rollbacks").await.len()), (1, 4));
    walled.get(&of(&own)).await.refuses(404, "not_found");
}

#[tokio::test]
async fn every_version_that_a_rollback_writes_has_its_entry() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let memory = agent.remembers("ships wait").await;
    let run = At::work(&agent).await;
    run.revises(&memory, json!({"content": "ships hurry"})).await;
    let made = run.remembers(json!({"content": "rafts hurry"})).await;
    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    let admin = house.admin().await.looking_at("coding");
    for (memory, action, version) in [(&memory, "memory.reverted", 3), (&made, "memory.archived", 2)] {
        let last = admin.trail_of(memory["id"].as_str().unwrap()).await.pop().expect("an entry");
        assert_eq!((&last["action"], &last["version"], &last["details"]["rollback"]), (&json!(action), &json!(version), &done["id"]));
        assert!(last["digest"].is_string());
    }
    let entries = admin.trail_of(done["id"].as_str().unwrap()).await;
    assert_eq!(entries.len(), 1);
    assert_eq!((&entries[0]["action"], &entries[0]["details"]["restored"]), (&json!("rollback.executed"), &json!(1)));
    let key = reviewer.ask("POST", "rollbacks").header("Idempotency-Key", "once").json(&json!({"session_id": run.session})).send().await;
    let again = reviewer.ask("POST", "rollbacks").header("Idempotency-Key", "once").json(&json!({"session_id": run.session})).send().await;
    assert_eq!(key.expect(201)["id"], again.expect(201)["id"]);
}

#[tokio::test]
async fn thousands_are_undone_at_once() {
    const MANY: usize = 3000;
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let run = At::work(&agent).await;
    for chunk in 0..MANY / 1000 {
        let items: Vec<Value> =
            (0..1000).map(|n| json!({"content": format!("ship {chunk} {n}"), "session_id": run.session, "tags": ["fleet"]})).collect();
        agent.post("memories/batch", json!({"items": items})).await.expect(200);
    }
    let started = std::time::Instant::now();
    let done = reviewer.post("rollbacks", json!({"session_id": run.session})).await.expect(201);
    println!("{MANY} memories rolled back in {:?}", started.elapsed());
    assert_eq!((&done["counts"]["archived"], done["archived"].as_array().map(Vec::len)), (&json!(MANY), Some(1000)));
    let all = reviewer.lists(&format!("rollbacks/{}/memories?outcome=archived&limit=200", done["id"].as_str().unwrap())).await;
    assert_eq!(all.len(), MANY);
    assert!(agent.lists("memories").await.is_empty());
    let back = reviewer.post("rollbacks", json!({"rollback_id": done["id"]})).await.expect(201);
    assert_eq!(back["counts"]["restored"], MANY);
    assert_eq!(agent.lists("memories?tag=fleet&limit=200").await.len(), MANY);
}

#[tokio::test]
async fn a_decision_comes_back_beside_those_it_stood_with_before() {
    let house = House::open().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    // Somebody's that has nothing to do with it, and is open all the while.
    let mut held = house.owner().begin().await.expect("a transaction");
    sqlx::query("select pg_current_xact_id()").execute(&mut *held).await.expect("a number");
    // Of many that are sent together not all are held against each other.
    let others = (0..30).map(|n| format!("zorb{n} quux{n} plugh{n}"));
    let two = ["Service tokens are signed with RS256.", "Service tokens are signed with HS256."].map(str::to_owned);
    let items: Vec<Value> = others.chain(two).map(|content| json!({"content": content, "kind": "decision"})).collect();
    let made = writer.post("memories/batch", json!({"items": items})).await.expect(200);
    let first = made["data"][30]["memory"].clone();
    let at_work = At::work(&writer).await;
    let instead = at_work.supersedes(&first, "Sessions are kept in Redis.").await;
    rolls_back(&reviewer, json!({"session_id": at_work.session})).await;
    assert_eq!(writer.reads(&first).await["state"], "active");
    assert_eq!(writer.reads(&instead).await["state"], "archived");

    // Not beside one that was made meanwhile.
    let second = writer.remembers_all_of(json!({"content": "Alerts go to PagerDuty.", "kind": "decision"})).await;
    let at_work = At::work(&writer).await;
    at_work.supersedes(&second, "The canteen opens at noon.").await;
    writer.remembers_all_of(json!({"content": "Alerts go to Opsgenie.", "kind": "decision"})).await;
    let left = rolls_back(&reviewer, json!({"session_id": at_work.session})).await;
    assert_eq!(left["left"][0]["reason"], "decision_conflict", "{left}");
}

#[tokio::test]
async fn what_the_code_says_of_a_place_is_said_of_a_memory_that_goes_back_to_it() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let on = |symbol: &str| json!([{"repo": "gateway", "path": LOGIN, "symbol": symbol}]);
    syncs(&agent, picture("main", "aaa111", vec![service("(name)", "compare")])).await;
    let memory = agent.remembers_all_of(json!({"content": "It is constant in time", "anchors": on("authenticate_user")})).await;
    let run = At::work(&agent).await;
    run.revises(&memory, json!({"anchors": on("log_out")})).await;
    syncs(&agent, picture("main", "bbb222", vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")])])).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh");
    rolls_back(&reviewer, json!({"session_id": run.session})).await;
    let back = agent.reads(&memory).await;
    assert_eq!((&back["anchors"][0]["symbol"], &back["freshness"]["state"]), (&json!("authenticate_user"), &json!("stale")));
}

#[tokio::test]
async fn what_a_picture_first_saw_of_a_place_is_known_to_a_memory_that_goes_back_to_it() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let on = |symbols: &[&str]| json!(symbols.iter().map(|it| json!({"repo": "gateway", "path": LOGIN, "symbol": it})).collect::<Vec<_>>());
    let memory = agent.remembers_all_of(json!({"content": "It is constant in time", "anchors": on(&["authenticate_user"])})).await;
    syncs(&agent, picture("main", "aaa111", vec![service("(name)", "compare")])).await;
    let run = At::work(&agent).await;
    run.revises(&memory, json!({"anchors": on(&["authenticate_user", "log_out"])})).await;
    syncs(&agent, picture("main", "bbb222", vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")])])).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "stale");
    rolls_back(&reviewer, json!({"session_id": run.session})).await;
    let back = agent.reads(&memory).await;
    assert_eq!((back["anchors"].as_array().map(Vec::len), &back["freshness"]["state"]), (Some(1), &json!("stale")), "{back}");
}

#[tokio::test]
async fn what_was_hidden_before_is_left_where_another_has_its_path_by_now() {
    let house = House::open().await;
    let (ada, bob) = (house.person("coding", Role::Reviewer).await, house.person("coding", Role::Writer).await);
    let note = ada.remembers_all_of(json!({"content": "mine at first", "path": "/notes/today.md"})).await;
    let run = At::work(&ada).await;
    run.revises(&note, json!({"visibility": "private"})).await;
    let taker = bob.remembers_all_of(json!({"content": "his", "path": "/notes/today.md"})).await;
    let done = rolls_back(&ada, json!({"session_id": run.session})).await;
    assert_eq!(group(&done, "left"), [(note["id"].clone(), json!("path_taken"))]);
    assert_eq!(done["left"][0]["other_id"], taker["id"]);
}

#[tokio::test]
async fn what_was_in_the_way_is_named_to_those_who_see_it() {
    let house = House::open().await;
    let (ada, bob) = (house.person("coding", Role::Reviewer).await, house.person("coding", Role::Reviewer).await);
    let note = ada.remembers_all_of(json!({"content": "on the way", "path": "/notes"})).await;
    let run = At::work(&ada).await;
    run.revises(&note, json!({"path": "/elsewhere"})).await;
    let mine = ada.remembers_all_of(json!({"content": "mine", "path": "/notes/mine.md", "visibility": "private"})).await;
    let done = rolls_back(&ada, json!({"session_id": run.session})).await;
    let kept = format!("rollbacks/{}/memories?outcome=left", done["id"].as_str().unwrap());
    for (who, named) in [(&ada, mine["id"].clone()), (&bob, Value::Null)] {
        let left = who.lists(&kept).await;
        assert_eq!((&left[0]["reason"], &left[0]["other_id"]), (&json!("path_taken"), &named));
    }
}

#[tokio::test]
async fn no_rollback_hides_what_others_follow() {
    let house = House::open().await;
    let (ada, bob) = (house.person("coding", Role::Reviewer).await, house.person("coding", Role::Writer).await);
    let mine = |content: &str, kind: &str| json!({"content": content, "kind": kind, "visibility": "private"});
    let decided = ada.remembers_all_of(mine("We ship on Tuesdays.", "decision")).await;
    let noted = ada.remembers_all_of(mine("Boats are red.", "fact")).await;
    let kept = ada.remembers_all_of(mine("The session timeout of the admin console is 60 minutes.", "fact")).await;
    let run = At::work(&ada).await;
    for memory in [&decided, &noted, &kept] {
        run.revises(memory, json!({"visibility": "workspace"})).await;
    }
    let aside = bob.remembers("The session timeout of the admin console is 30 minutes.").await;
    let conflict = format!("conflicts/{}/resolve", aside["conflicts"][0]["id"].as_str().expect("they contradict"));
    ada.post(&conflict, json!({"keep": kept["id"]})).await.expect(200);

    let done = rolls_back(&ada, json!({"session_id": run.session})).await;
    let needed = |memory: &Value| (memory["id"].clone(), json!("still_needed"));
    assert_eq!(group(&done, "left"), [needed(&decided), needed(&kept)]);
    assert_eq!(done["left"][1]["other_id"], aside["id"]);
    assert_eq!(group(&done, "restored"), [(noted["id"].clone(), Value::Null)]);
    bob.reads(&decided).await;
    bob.get(&at(&noted)).await.refuses(404, "not_found");
}
