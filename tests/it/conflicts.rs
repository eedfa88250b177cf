//! Memories that cannot both hold are noticed, and a person says which does.

use cairn_tests::{Actor, House, Role, at};
use serde_json::{Value, json};

const OLD: &str = "Service tokens are signed with RS256.";
const NEW: &str = "Service tokens are signed with HS256.";

fn id(of: &Value) -> &str {
    of["id"].as_str().unwrap_or_else(|| panic!("no id: {of}"))
}

/// Two facts that contradict each other, and the conflict.
async fn clash(agent: &Actor) -> (Value, Value, String) {
    let old = agent.remembers(OLD).await;
    let new = agent.remembers(NEW).await;
    let conflict = new["conflicts"][0]["id"].as_str().unwrap_or_else(|| panic!("no conflict: {new}")).to_owned();
    (old, new, conflict)
}

/// Of the two, what the one who asks is told without a doubt.
async fn undoubted(actor: &Actor) -> Vec<String> {
    cairn_tests::texts(&actor.asks(json!({"query": "how are service tokens signed?", "freshness": "fresh"})).await)
}

async fn resolves(person: &Actor, conflict: &str, keep: &str) -> Value {
    person.post(&format!("conflicts/{conflict}/resolve"), json!({"keep": keep, "note": "we looked"})).await.expect(200)
}

#[tokio::test]
async fn what_contradicts_lands_and_says_so() {
    let house = House::open().await;
    let (agent, auditor) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Auditor).await);
    let (old, new, conflict) = clash(&agent).await;
    assert_eq!(new["state"], "active");
    let told = &new["conflicts"][0];
    assert_eq!((&told["memory_id"], &told["title"]), (&old["id"], &old["title"]));
    assert!(told["score"].as_f64().unwrap() > 0.5 && !told["reason"].as_str().unwrap().is_empty(), "{told}");
    for (memory, other) in [(&old, &new), (&new, &old)] {
        assert_eq!(agent.reads(memory).await["conflicts"][0]["memory_id"], other["id"]);
    }
    assert_eq!(agent.reads(&new).await, new, "it is read as it was answered");
    let listed = agent.lists("conflicts").await;
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["id"], &listed[0]["state"], &listed[0]["origin"]), (&json!(conflict), &json!("open"), &json!("write")));
    assert_eq!((&listed[0]["memories"][0]["content"], &listed[0]["memories"][1]["content"]), (&json!(OLD), &json!(NEW)));
    assert_eq!(listed[0]["reason"], told["reason"]);
    assert_eq!(agent.get(&format!("conflicts/{conflict}")).await.expect(200), listed[0]);
    let trail = auditor.trail_of(&conflict).await;
    assert_eq!((trail.len(), &trail[0]["action"]), (1, &json!("conflict.found")));
    assert_eq!(trail[0]["details"], json!({"memories": [old["id"], new["id"]]}));
    let unrelated = agent.remembers("The cafeteria opens at noon.").await;
    assert_eq!(unrelated.get("conflicts"), None);
}

#[tokio::test]
async fn every_door_notices() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers(OLD).await;
    let batch = json!({"items": [{"content": NEW}, {"content": "The cafeteria opens at noon."}]});
    let batch = agent.post("memories/batch", batch).await.expect(200);
    assert_eq!(batch["data"][0]["memory"]["conflicts"].as_array().map(Vec::len), Some(1), "{batch}");
    let once =
        agent.ask("POST", "memories").header("Idempotency-Key", "k").json(&json!({"content": "Service tokens are signed with ES512."}));
    let once = once.send().await.expect(201);
    assert_eq!(once["conflicts"].as_array().map(Vec::len), Some(2), "{once}");
    let before = agent.lists("conflicts").await.len();
    let harmless = agent.remembers("The office is in Graz.").await;
    let changed = agent.revises(&harmless, json!({"content": "Service tokens are signed with PS384.", "title": "Signing"})).await;
    assert!(changed["conflicts"].as_array().is_some_and(|all| !all.is_empty()), "{changed}");
    assert!(agent.lists("conflicts").await.len() > before);
    let run = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let noted = json!({"discoveries": ["Service tokens are signed with EdDSA."]});
    agent.post(&format!("sessions/{}/checkpoints", id(&run)), noted).await.expect(201);
    let all = agent.lists("conflicts").await;
    assert!(all.iter().any(|one| one["memories"][1]["content"] == "Service tokens are signed with EdDSA."), "{all:?}");
}

#[tokio::test]
async fn a_decision_is_refused_by_decisions_and_noticed_by_the_rest() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let fact = agent.remembers(OLD).await;
    let decision = agent.remembers_all_of(json!({"content": NEW, "kind": "decision"})).await;
    assert_eq!(decision["conflicts"][0]["memory_id"], fact["id"], "{decision}");
    let against = json!({"content": "Service tokens are signed with EdDSA.", "kind": "decision"});
    agent.post("memories", against).await.refuses(409, "decision_conflict");
}

#[tokio::test]
async fn only_a_decision_is_kept_in_the_place_of_a_decision() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let decision = agent.remembers_all_of(json!({"content": OLD, "kind": "decision"})).await;
    let fact = agent.remembers(NEW).await;
    let conflict = fact["conflicts"][0]["id"].as_str().unwrap();
    let refused = person.post(&format!("conflicts/{conflict}/resolve"), json!({"keep": fact["id"]})).await;
    assert_eq!(refused.refuses(422, "invalid").wrong_fields(), ["keep"]);
    assert_eq!(agent.reads(&decision).await["state"], "active");
    resolves(&person, conflict, id(&decision)).await;
    assert_eq!(agent.reads(&fact).await["superseded_by"], decision["id"]);
}

#[tokio::test]
async fn keeping_one_supersedes_the_other() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let (old, new, conflict) = clash(&agent).await;
    agent.post(&format!("conflicts/{conflict}/resolve"), json!({"keep": "both"})).await.refuses(403, "forbidden");
    let stranger = agent.remembers("The cafeteria opens at noon.").await;
    let wrong = person.post(&format!("conflicts/{conflict}/resolve"), json!({"keep": id(&stranger)})).await;
    assert_eq!(wrong.wrong_fields(), ["keep"], "{wrong:?}");
    let resolved = resolves(&person, &conflict, id(&new)).await;
    assert_eq!((&resolved["state"], &resolved["resolution"], &resolved["kept"]), (&json!("resolved"), &json!("one"), &new["id"]));
    assert_eq!((&resolved["note"], &resolved["resolved_by"]["id"]), (&json!("we looked"), &json!(person.id)));
    let gone = agent.reads(&old).await;
    assert_eq!((&gone["state"], &gone["superseded_by"]), (&json!("superseded"), &new["id"]));
    assert_eq!(agent.reads(&new).await.get("conflicts"), None);
    assert!(agent.lists("conflicts").await.is_empty());
    assert_eq!(agent.lists("conflicts?state=resolved").await.len(), 1);
    person.post(&format!("conflicts/{conflict}/resolve"), json!({"keep": "both"})).await.refuses(409, "wrong_state");
    let auditor = house.person("coding", Role::Auditor).await;
    let trail = auditor.trail_of(&conflict).await;
    assert_eq!(trail.last().unwrap()["details"], json!({"resolution": "one", "kept": new["id"]}));
    assert_eq!(auditor.trail_of(id(&old)).await.last().unwrap()["action"], "memory.superseded");
}

#[tokio::test]
async fn keeping_both_is_remembered_until_a_text_changes() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let (old, new, conflict) = clash(&agent).await;
    resolves(&person, &conflict, "both").await;
    assert_eq!((&agent.reads(&old).await["state"], &agent.reads(&new).await["state"]), (&json!("active"), &json!("active")));
    agent.revises(&new, json!({"tags": ["auth"]})).await;
    person.post(&format!("{}/verify", at(&old)), json!({})).await.expect(200);
    let swept = person.post("conflicts/sweep", json!({"anew": true})).await.expect(200);
    assert_eq!((&swept["looked_at"], &swept["found"], &swept["more"]), (&json!(2), &json!(0), &json!(false)));
    assert!(agent.lists("conflicts").await.is_empty());
    agent.revises(&new, json!({"content": "Service tokens are signed with ES512."})).await;
    assert_eq!(agent.lists("conflicts").await.iter().map(id).collect::<Vec<_>>(), [conflict], "the same pair, open again");
}

#[tokio::test]
async fn keeping_neither_archives_both() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let (old, new, conflict) = clash(&agent).await;
    let resolved = resolves(&person, &conflict, "neither").await;
    assert_eq!(resolved["resolution"], "neither");
    for memory in [&old, &new] {
        assert_eq!(agent.reads(memory).await["state"], "archived");
    }
}

#[tokio::test]
async fn what_is_put_away_or_rewritten_clashes_with_nothing() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let (old, new, conflict) = clash(&agent).await;
    agent.delete(&at(&old)).await.expect(200);
    assert!(agent.lists("conflicts").await.is_empty());
    assert_eq!(agent.reads(&new).await.get("conflicts"), None);
    agent.ask("POST", &format!("{}/restore", at(&old))).send().await.expect(200);
    assert_eq!(agent.lists("conflicts").await.len(), 1);
    agent.revises(&new, json!({"content": "The cafeteria opens at noon.", "title": "Cafeteria"})).await;
    assert!(agent.lists("conflicts").await.is_empty());
    assert_eq!(agent.get(&format!("conflicts/{conflict}")).await.expect(200)["resolution"], "revised");
}

#[tokio::test]
async fn a_sweep_finds_what_came_in_bulk() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let many: Vec<Value> = (0..30).map(|n| json!({"content": format!("Shelf {n} holds the folders of customer number {n}.")})).collect();
    let items: Vec<Value> = [json!({"content": OLD}), json!({"content": NEW})].into_iter().chain(many).collect();
    agent.post("memories/batch", json!({ "items": items })).await.expect(200);
    agent.post("conflicts/sweep", json!({})).await.refuses(403, "forbidden");
    // The house may have looked already: it follows by itself.
    person.post("conflicts/sweep", json!({})).await.expect(200);
    let clashes = |all: Vec<Value>| all.into_iter().filter(|one| one["memories"][0]["content"] == OLD).count();
    assert_eq!(clashes(agent.lists("conflicts").await), 1);
    let before = agent.lists("conflicts").await.len();
    let again = person.post("conflicts/sweep", json!({})).await.expect(200);
    assert_eq!((&again["found"], agent.lists("conflicts").await.len()), (&json!(0), before), "a pair is found once");
}

#[tokio::test]
async fn the_house_follows_a_flood_by_itself() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let items: Vec<Value> = (0..20)
        .map(|n| json!({"content": format!("Room {n} has a window.")}))
        .chain([json!({"content": OLD}), json!({"content": NEW})])
        .collect();
    agent.post("memories/batch", json!({ "items": items })).await.expect(200);
    cairn_server::acts::conflicts::catch_up(house.app()).await.unwrap();
    let found = agent.lists("conflicts").await;
    assert!(found.iter().any(|one| one["origin"] == "sweep" && one["memories"][1]["content"] == NEW), "{found:?}");
}

#[tokio::test]
async fn walls_hold_for_conflicts() {
    let house = House::open().await;
    let (agent, elsewhere) = (house.agent("coding", Role::Writer).await, house.agent("support", Role::Writer).await);
    let inside = |content: &str| json!({"content": content, "project": "gateway"});
    agent.remembers_all_of(inside(OLD)).await;
    let new = agent.remembers_all_of(inside(NEW)).await;
    let conflict = format!("conflicts/{}", new["conflicts"][0]["id"].as_str().unwrap());
    let (walled, other) =
        (house.agent_in("coding", "gateway", Role::Reviewer).await, house.agent_in("coding", "billing", Role::Reviewer).await);
    walled.get(&conflict).await.expect(200);
    for outside in [&other.actor, &elsewhere.actor] {
        outside.get(&conflict).await.refuses(404, "not_found");
        assert!(outside.lists("conflicts").await.is_empty());
    }
    other.post(&format!("{conflict}/resolve"), json!({"keep": "both"})).await.refuses(404, "not_found");
    walled.post("conflicts/sweep", json!({})).await.refuses(403, "forbidden");
    assert_eq!(agent.lists("conflicts?project=gateway").await.len(), 1);
    assert!(agent.lists("conflicts?project=billing").await.is_empty());
    assert_eq!(agent.lists(&format!("conflicts?memory_id={}", id(&new))).await.len(), 1);
    // What belongs to all is not a walled key's to decide.
    agent.remembers("Backups are kept for 30 days.").await;
    let wide = agent.remembers("Backups are kept for 90 days.").await;
    let wide = wide["conflicts"][0]["id"].as_str().unwrap_or_else(|| panic!("no conflict: {wide}"));
    for keep in ["both", "neither"] {
        walled.post(&format!("conflicts/{wide}/resolve"), json!({ "keep": keep })).await.refuses(403, "forbidden");
    }
}

#[tokio::test]
async fn only_who_sees_both_sees_that_they_clash() {
    let house = House::open().await;
    let (owner, other) = (house.person("coding", Role::Reviewer).await, house.person("coding", Role::Reviewer).await);
    let shared = other.remembers(OLD).await;
    let private = owner.remembers_all_of(json!({"content": NEW, "visibility": "private"})).await;
    let conflict = format!("conflicts/{}", private["conflicts"][0]["id"].as_str().unwrap());
    owner.get(&conflict).await.expect(200);
    other.get(&conflict).await.refuses(404, "not_found");
    assert!(other.lists("conflicts").await.is_empty());
    let resolve = format!("{conflict}/resolve");
    let hidden = owner.post(&resolve, json!({"keep": private["id"]})).await;
    assert_eq!(hidden.wrong_fields(), ["keep"], "nothing that others do not see takes the place of what they see: {hidden:?}");
    assert_eq!(other.reads(&shared).await["state"], "active");
    let (theirs, mine) = (other.remembers("Service tokens are signed with EdDSA.").await, owner.lists("conflicts").await.len());
    assert!(theirs["conflicts"].as_array().is_none_or(|all| all.iter().all(|one| one["memory_id"] != private["id"])), "{theirs}");
    assert!(mine >= 1);
}

#[tokio::test]
async fn what_is_erased_takes_its_conflicts_along() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let (old, _, conflict) = clash(&agent).await;
    let request = agent.asks_to_erase(&[&old], "because").await;
    person.approves(&request).await.expect(200);
    person.executes(&request).await.expect(200);
    agent.get(&format!("conflicts/{conflict}")).await.refuses(404, "not_found");
    assert_eq!(house.count("select count(*) from conflicts").await, 0);
}

#[tokio::test]
async fn what_was_decided_against_and_comes_back_clashes_again() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let (old, new, conflict) = clash(&agent).await;
    resolves(&person, &conflict, id(&new)).await;
    assert_eq!(agent.lists("conflicts?state=open").await.len(), 0);
    let undone = json!({"memory_ids": [old["id"]], "agent_id": person.id});
    person.post("rollbacks", undone).await.expect(201);
    assert_eq!(agent.reads(&old).await["state"], "active");
    let open = agent.lists("conflicts?state=open").await;
    assert_eq!((open.len(), &open[0]["id"]), (1, &json!(conflict)), "both are active, and both cannot hold");
    assert_eq!(agent.reads(&old).await["conflicts"][0]["memory_id"], new["id"]);
    // Decided anew it is settled, and so it is for two that were put away and restored.
    resolves(&person, &conflict, "neither").await;
    for memory in [&old, &new] {
        assert_eq!(agent.lists("conflicts?state=open").await.len(), 0);
        person.post(&format!("{}/restore", at(memory)), json!({})).await.expect(200);
    }
    assert_eq!(agent.lists("conflicts?state=open").await.len(), 1);
    resolves(&person, &conflict, "both").await;
    assert_eq!(agent.lists("conflicts?state=open").await.len(), 0);
}

#[tokio::test]
async fn what_may_contradict_is_no_reason_to_doubt_on_any_surface() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let here = agent.remembers_all_of(json!({"content": OLD, "project": "gateway"})).await;
    let everywhere = agent.remembers(NEW).await;
    assert_eq!(agent.lists("conflicts").await.len(), 1, "it is noticed, and waits to be decided: {everywhere}");
    for memory in [&here, &everywhere] {
        assert_eq!(agent.reads(memory).await["freshness"], json!({"state": "fresh", "reasons": []}));
    }
    assert_eq!(agent.lists("memories?freshness=fresh").await.len(), 2);
    assert_eq!(agent.lists("memories?freshness=suspect").await.len(), 0);
    assert_eq!(agent.lists("memories/needs-review").await.len(), 0);
}

#[tokio::test]
async fn the_trail_calls_a_contradiction_by_its_memories_and_leads_to_none_that_is_gone() {
    let house = House::open().await;
    let (agent, admin) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    let browser = house.browser_of(&admin.email).await;
    let (old, _, conflict) = clash(&agent).await;
    let link = format!("/w/coding/conflicts/{conflict}\"");
    let trail = browser.opens("/w/coding/trail").await.text();
    assert!(trail.contains(&link) && trail.contains(&format!("“{}” and “", old["title"].as_str().expect("a title"))), "{trail}");
    admin.lets_go(&agent.asks_to_erase(&[&old], "She asked.").await).await;
    let trail = browser.opens("/w/coding/trail").await.text();
    assert!(trail.contains(&conflict) && !trail.contains(&link), "{trail}");
}

#[tokio::test]
async fn who_asks_hears_of_a_contradiction_while_both_stand() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let (old, new, _) = clash(&agent).await;
    let fresh = async || undoubted(&agent).await;
    assert_eq!(fresh().await, [""; 0]);
    agent.delete(&at(&new)).await.expect(200);
    assert_eq!(fresh().await, [OLD], "nothing that stands contradicts it");
    // Read anew while the other is away.
    agent.revises(&old, json!({"tags": ["signing"]})).await;
    assert_eq!(fresh().await, [OLD]);
    agent.ask("POST", &format!("{}/restore", at(&new))).send().await.expect(200);
    assert_eq!(fresh().await, [""; 0]);
}

#[tokio::test]
async fn whose_private_memory_is_contradicted_hears_of_it_whoever_brings_the_other_back() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    let shared = grace.remembers(OLD).await;
    let hers = ada.remembers_all_of(json!({"content": NEW, "visibility": "private"})).await;
    assert_eq!(hers["conflicts"][0]["memory_id"], shared["id"], "{hers}");
    let fresh = async || undoubted(&ada).await;
    assert_eq!(fresh().await, [OLD], "what is hers alone speaks against nobody else's");
    grace.delete(&at(&shared)).await.expect(200);
    assert_eq!(fresh().await, [NEW]);
    // Read anew while the other is away.
    ada.revises(&hers, json!({"tags": ["signing"]})).await;
    assert_eq!(fresh().await, [NEW]);
    grace.ask("POST", &format!("{}/restore", at(&shared))).send().await.expect(200);
    assert_eq!(fresh().await, [OLD]);
    // Behind Grace's own wall it is nobody's business but hers.
    grace.patch(&at(&shared), json!({"visibility": "private"})).await.expect(200);
    assert_eq!(fresh().await, [NEW]);
}

#[tokio::test]
async fn what_was_contradicted_is_fresh_when_the_other_is_erased() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let (_, new, _) = clash(&agent).await;
    assert_eq!(undoubted(&agent).await, [""; 0]);
    reviewer.lets_go(&agent.asks_to_erase(&[&new], "She asked.").await).await;
    assert_eq!(undoubted(&agent).await, [OLD]);
}
