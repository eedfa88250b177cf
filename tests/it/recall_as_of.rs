//! Asking the workspace as it was: what was known then, in the words of then.

use cairn_tests::{Agent, House, Role, at, items, texts};
use serde_json::{Value, json};

/// The moment at which a memory was last changed.
fn moment(memory: &Value) -> &str {
    memory["updated_at"].as_str().expect("a time")
}

async fn told_at(agent: &Agent, moment: &str) -> Vec<String> {
    let mut told = texts(&agent.asks(json!({"query": "harbour rules", "as_of": moment})).await);
    told.sort();
    told
}

#[tokio::test]
async fn the_workspace_can_be_asked_as_it_was() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reviewer).await;
    let revised = agent.remembers("Harbour rule one: ships wait").await;
    let archived = agent.remembers("Harbour rule two: boats wait").await;
    let kept = agent.remembers("Harbour rule three: rafts wait").await;
    let replaced = agent.remembers_all_of(json!({"content": "Harbour rule four: tugs wait", "kind": "decision"})).await;
    let revision = agent.revises(&revised, json!({"content": "Harbour rule one: ships hurry"})).await;
    let archive = agent.delete(&at(&archived)).await.expect(200);
    agent.post(&format!("{}/supersede", at(&replaced)), json!({"content": "Harbour rule four: tugs hurry"})).await.expect(201);
    let replaced_at = agent.reads(&replaced).await;
    let later = agent.remembers("Harbour rule five: nobody waits").await;

    let (one, two, three, four) =
        ("Harbour rule one: ships wait", "Harbour rule two: boats wait", "Harbour rule three: rafts wait", "Harbour rule four: tugs wait");
    let hurried = "Harbour rule one: ships hurry";
    for (then, mut known) in [
        ("2001-01-01T00:00:00Z", vec![]),
        (moment(&revised), vec![one]),
        (moment(&kept), vec![one, two, three]),
        (moment(&replaced), vec![one, two, three, four]),
        (moment(&revision), vec![hurried, two, three, four]),
        (moment(&archive), vec![hurried, three, four]),
        (moment(&replaced_at), vec![hurried, three, "Harbour rule four: tugs hurry"]),
        (moment(&later), vec![hurried, three, "Harbour rule four: tugs hurry", "Harbour rule five: nobody waits"]),
    ] {
        known.sort_unstable();
        assert_eq!(told_at(&agent, then).await, known, "{then}");
    }
    let now = agent.recalls("harbour rules").await;
    let mut last = told_at(&agent, "2100-01-01T00:00:00Z").await;
    last.sort();
    assert_eq!(last.len(), now.len());
}

#[tokio::test]
async fn an_old_version_is_told_as_that_version() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let first = agent.remembers_all_of(json!({"content": "ships wait", "title": "Harbour", "tags": ["old"]})).await;
    agent.revises(&first, json!({"content": "ships hurry", "title": "Port", "tags": ["new"]})).await;
    let question = json!({"query": "ships", "as_of": moment(&first), "tags": ["old"]});
    let answer = agent.asks(question).await;
    let item = &items(&answer)[0];
    assert_eq!((&item["version"], &item["title"], &item["content"]), (&json!(1), &json!("Harbour"), &json!("ships wait")));
    assert_eq!(item["tags"], json!(["old"]));
    assert!(texts(&agent.asks(json!({"query": "ships", "as_of": moment(&first), "tags": ["new"]})).await).is_empty());
    let receipt = agent.looks_up(&answer).await;
    assert_eq!((&receipt["items"][0]["text"]["content"], &receipt["items"][0]["version"]), (&json!("ships wait"), &json!(1)));
}

#[tokio::test]
async fn freshness_is_that_of_the_time_that_was_asked_about() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers_all_of(json!({"content": "ships wait", "expires_at": "2090-01-01T00:00:00Z"})).await;
    let state = async |moment: &str| {
        let answer = agent.asks(json!({"query": "ships", "as_of": moment})).await;
        items(&answer)[0]["freshness"].clone()
    };
    assert_eq!(state(moment(&memory)).await, json!({"state": "fresh", "reasons": []}));
    assert_eq!(state("2091-01-01T00:00:00Z").await["state"], "stale");
    let answer = agent.asks(json!({"query": "ships"})).await;
    agent.judges(&answer, &memory, "wrong").await.expect(204);
    // Nobody had complained yet.
    assert_eq!(state(moment(&memory)).await, json!({"state": "fresh", "reasons": []}));
}

#[tokio::test]
async fn what_is_private_or_walled_off_now_is_so_in_the_past_too() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    let walled = house.agent_in("coding", "gateway", Role::Reader).await;
    let note = ada.remembers("ships wait for ada").await;
    let plan = ada.remembers("ships wait for everyone").await;
    ada.revises(&note, json!({"visibility": "private"})).await;
    ada.revises(&plan, json!({"project": "billing"})).await;
    let then = json!({"query": "ships", "as_of": moment(&plan)});
    assert_eq!(texts(&ada.asks(then.clone()).await).len(), 2);
    assert_eq!(texts(&grace.asks(then.clone()).await), ["ships wait for everyone"]);
    assert!(texts(&walled.asks(then).await).is_empty());
}

#[tokio::test]
async fn what_was_put_away_and_redacted_is_found_no_more_and_costs_no_question() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reviewer).await;
    let (gone, kept) = (agent.remembers("ships wait").await, agent.remembers("the harbour is closed").await);
    for memory in [&gone, &kept] {
        agent.delete(&at(memory)).await.expect(200);
    }
    let asks = async |query: &str| agent.asks(json!({"query": query, "states": ["archived"]})).await;
    assert_eq!(texts(&asks("").await).len(), 2);
    let store = format!("/v1/memory_stores/memstore_{}", house.workspace("coding").await);
    let last = format!("{store}/memory_versions/memver_{}_2", gone["id"].as_str().expect("an id"));
    agent.ask("POST", &format!("{last}/redact")).send().await.expect(200);
    for query in ["", "what did the agent write?"] {
        let answer = asks(query).await;
        assert_eq!(texts(&answer), ["the harbour is closed"]);
        assert_eq!(agent.looks_up(&answer).await["query"], query, "nothing was erased");
    }
    assert_eq!(texts(&agent.asks(json!({"query": "ships", "as_of": moment(&gone)})).await), ["ships wait"], "that version stands");
}

#[tokio::test]
async fn what_was_redacted_is_not_told_as_what_it_was_before() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reviewer).await;
    let first = agent.remembers("ships wait").await;
    let second = agent.revises(&first, json!({"content": "ships hurry"})).await;
    let third = agent.revises(&first, json!({"content": "ships rest"})).await;
    let store = format!("/v1/memory_stores/memstore_{}", house.workspace("coding").await);
    let version = format!("{store}/memory_versions/memver_{}_2", first["id"].as_str().unwrap());
    agent.ask("POST", &format!("{version}/redact")).send().await.expect(200);
    let told = async |then: &Value| texts(&agent.asks(json!({"query": "ships", "as_of": moment(then)})).await);
    assert_eq!(told(&first).await, ["ships wait"]);
    assert!(told(&second).await.is_empty(), "it did not hold any more");
    assert_eq!(told(&third).await, ["ships rest"]);
}
