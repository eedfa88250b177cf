//! What a question may be narrowed by; and what counts beside the words: freshness, state, the code at hand.

use cairn_tests::{Agent, House, Role, at, items, texts};
use serde_json::{Value, json};

/// Several memories that fit the same question.
async fn library() -> (House, Agent, Agent) {
    let house = House::open().await;
    let (ada, bob) = (house.agent("coding", Role::Reviewer).await, house.agent("coding", Role::Reviewer).await);
    for memory in [
        json!({"content": "Tokens are signed with EdDSA", "kind": "decision", "tags": ["auth", "crypto"], "path": "/auth/signing.md"}),
        json!({"content": "Tokens last for fifteen minutes", "kind": "fact", "tags": ["auth"], "path": "/auth/lifetime.md"}),
        json!({"content": "Rotate the tokens by hand with `rotate-keys`", "kind": "procedure", "tags": ["ops"], "path": "/ops/rotation.md"}),
        json!({"content": "Somebody lost tokens in the spring", "kind": "episode", "path": "/authors/spring.md"}),
    ] {
        ada.remembers_all_of(memory).await;
    }
    bob.remembers_all_of(json!({"content": "Tokens of guests are opaque", "path": "/guests.md", "project": "lobby"})).await;
    (house, ada, bob)
}

/// The texts that a narrowed question brings, in order of the alphabet.
async fn told(agent: &Agent, narrowed: Value) -> Vec<String> {
    let mut question = narrowed;
    question["query"] = json!("tokens");
    let mut told = texts(&agent.asks(question).await);
    told.sort();
    told
}

const SIGNED: &str = "Tokens are signed with EdDSA";
const LAST: &str = "Tokens last for fifteen minutes";
const ROTATE: &str = "Rotate the tokens by hand with `rotate-keys`";
const LOST: &str = "Somebody lost tokens in the spring";
const GUESTS: &str = "Tokens of guests are opaque";

#[tokio::test]
async fn a_filter_lets_through_what_fits_and_nothing_else() {
    let (_house, ada, bob) = library().await;
    for (filter, expected) in [
        (json!({}), vec![ROTATE, LOST, SIGNED, LAST, GUESTS]),
        (json!({"kinds": ["decision"]}), vec![SIGNED]),
        (json!({"kinds": ["procedure", "episode"]}), vec![ROTATE, LOST]),
        (json!({"kinds": ["pattern"]}), vec![]),
        (json!({"tags": ["auth"]}), vec![SIGNED, LAST]),
        (json!({"tags": ["auth", "crypto"]}), vec![SIGNED]),
        (json!({"tags": ["auth", "ops"]}), vec![]),
        (json!({"tags": ["nobody uses this"]}), vec![]),
        (json!({"path_prefix": "/auth/"}), vec![SIGNED, LAST]),
        (json!({"path_prefix": "/auth"}), vec![LOST, SIGNED, LAST]),
        (json!({"path_prefix": "/ops/rotation.md"}), vec![ROTATE]),
        (json!({"path_prefix": "/"}), vec![ROTATE, LOST, SIGNED, LAST, GUESTS]),
        (json!({"path_prefix": "/nowhere"}), vec![]),
        (json!({"author": ada.id}), vec![ROTATE, LOST, SIGNED, LAST]),
        (json!({"author": bob.id}), vec![GUESTS]),
        (json!({"author": cairn_tests::nobody()}), vec![]),
        (json!({"project": "lobby"}), vec![ROTATE, LOST, SIGNED, LAST, GUESTS]),
        (json!({"project": "attic"}), vec![ROTATE, LOST, SIGNED, LAST]),
        (json!({"kinds": ["decision", "fact"], "tags": ["auth"], "path_prefix": "/auth/l", "author": ada.id}), vec![LAST]),
        (json!({"kinds": [], "tags": [], "states": [], "freshness": []}), vec![ROTATE, LOST, SIGNED, LAST, GUESTS]),
        (json!({"limit": 1, "kinds": ["decision"]}), vec![SIGNED]),
    ] {
        assert_eq!(told(&bob, filter.clone()).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn without_words_the_most_binding_come_first() {
    let (_house, ada, _bob) = library().await;
    let all = ada.asks(json!({"query": ""})).await;
    assert_eq!((items(&all).len(), &items(&all)[0]["content"]), (5, &json!(SIGNED)), "{all}");
    assert_eq!(texts(&ada.asks(json!({"query": "", "kinds": ["episode"]})).await), [LOST]);
}

#[tokio::test]
async fn what_is_not_active_is_left_out_unless_it_is_asked_for() {
    let (house, ada, bob) = library().await;
    let list = ada.lists("memories").await;
    let named = |text: &str| list.iter().find(|memory| memory["content"] == text).unwrap();
    let id = named(LOST)["id"].as_str().unwrap();
    let propose = format!(
        "begin; set local session_replication_role = replica; update memories set state = 'proposed', changed_xid = pg_current_xact_id() where id = '{id}';
         update memory_versions set state = 'proposed' where memory_id = '{id}'; commit"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(propose)).execute(house.owner()).await.unwrap();
    ada.delete(&at(named(LAST))).await.expect(200);
    let newer =
        ada.post(&format!("{}/supersede", at(named(SIGNED))), json!({"content": "Tokens are signed with ML-DSA"})).await.expect(201);
    assert_eq!(told(&bob, json!({})).await, [ROTATE, "Tokens are signed with ML-DSA", GUESTS]);
    for (states, expected) in [
        (json!(["archived"]), vec![LAST]),
        (json!(["superseded"]), vec![SIGNED]),
        (json!(["proposed"]), vec![LOST]),
        (json!(["proposed", "archived", "superseded"]), vec![LOST, SIGNED, LAST]),
    ] {
        assert_eq!(told(&bob, json!({ "states": states })).await, expected, "{states}");
    }
    let old = bob.asks(json!({"query": "tokens", "states": ["superseded"]})).await;
    let freshness = &items(&old)[0]["freshness"];
    assert_eq!((&freshness["state"], &items(&old)[0]["state"]), (&json!("stale"), &json!("superseded")));
    assert!(freshness["reasons"][0].as_str().unwrap().contains(newer["id"].as_str().unwrap()), "{freshness}");
}

/// The same words three times: as they are, past their review date, and expired.
async fn one_rule_thrice() -> (House, Agent, [Value; 3]) {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let rule = async |path: &str, kind: &str, until: &str| {
        let mut memory = json!({"content": "The gateway listens on port 8080", "path": format!("/{path}/port.md"), "kind": kind});
        if !until.is_empty() {
            memory[until] = json!("2020-01-01T00:00:00Z");
        }
        agent.remembers_all_of(memory).await
    };
    // Those that no longer hold are newer and weigh more by their kind: neither helps them.
    let rules = [rule("a", "fact", "").await, rule("b", "decision", "stale_after").await, rule("c", "decision", "expires_at").await];
    (house, agent, rules)
}

#[tokio::test]
async fn what_is_stale_does_not_outrank_what_is_fresh_and_says_the_same() {
    let (_house, agent, [fresh, suspect, stale]) = one_rule_thrice().await;
    for query in ["which port does the gateway listen on?", "gateway port", "8080", ""] {
        let answer = agent.asks(json!({ "query": query })).await;
        let best = &items(&answer)[0];
        assert_eq!((&best["memory_id"], &best["folded"]), (&fresh["id"], &json!([suspect["id"], stale["id"]])), "{query}: {answer}");
    }
}

#[tokio::test]
async fn what_does_not_hold_is_marked_with_a_reason() {
    let (_house, agent, _rules) = one_rule_thrice().await;
    for (filter, states, reasons) in [
        (json!({}), ["fresh", "suspect", "stale"].as_slice(), json!([])),
        (json!({"include_stale": false}), &["fresh", "suspect"], json!([])),
        (json!({"freshness": ["stale"]}), &["stale"], json!(["expired on 2020-01-01"])),
        (json!({"freshness": "stale"}), &["stale"], json!(["expired on 2020-01-01"])),
        (json!({"freshness": ["suspect"]}), &["suspect"], json!(["past its review date, 2020-01-01"])),
        (json!({"freshness": ["suspect", "fresh"]}), &["fresh", "suspect"], json!([])),
        (json!({"freshness": ["stale"], "include_stale": false}), &[], json!(null)),
    ] {
        let mut question = filter.clone();
        question["query"] = json!("gateway port");
        let answer = agent.asks(question).await;
        let first = items(&answer).first().unwrap_or(&Value::Null);
        let told = items(&answer).len() + first["folded"].as_array().map_or(0, Vec::len);
        assert_eq!((told, &first["freshness"]["reasons"]), (states.len(), &reasons), "{filter}: {answer}");
        assert_eq!(first["freshness"]["state"].as_str(), states.first().copied(), "{filter}");
    }
}

#[tokio::test]
async fn a_workspace_that_trusts_for_another_while_is_heard_at_once() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers("The gateway listens on port 8080").await;
    let state = async || items(&agent.asks(json!({"query": "gateway"})).await)[0]["freshness"]["state"].clone();
    assert_eq!(state().await, "fresh");
    let long_ago = "begin; set local session_replication_role = replica; update memory_versions set at = at - interval '40 days';
        update memories set updated_at = updated_at - interval '40 days', changed_xid = pg_current_xact_id(); commit";
    sqlx::raw_sql(long_ago).execute(house.owner()).await.unwrap();
    assert_eq!(state().await, "fresh");
    let admin = house.admin().await;
    admin.patch("/v1/workspaces/coding", json!({"settings": {"default_stale_after_days": 30}})).await.expect(200);
    assert_eq!(state().await, "suspect");
    admin.patch("/v1/workspaces/coding", json!({"settings": {"default_stale_after_days": 50}})).await.expect(200);
    assert_eq!(state().await, "fresh");
}

#[tokio::test]
async fn what_hangs_on_the_code_at_hand_counts_more() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for (content, anchor) in [
        ("Retries are capped at three in the gateway", json!([{"repo": "gateway", "path": "src/retry.rs", "symbol": "retry"}])),
        ("Retries are capped at five in billing", json!([{"repo": "billing", "path": "lib/charge.rs", "symbol": "charge"}])),
        ("Retries are capped at nine in the mailer", json!([])),
    ] {
        agent.remembers_all_of(json!({"content": content, "anchors": anchor})).await;
    }
    let standing = async |query: &str, anchors: Value, of: &str| {
        let answer = agent.asks(json!({"query": query, "anchors": anchors})).await;
        let place = items(&answer).iter().position(|item| item["content"].as_str().unwrap().contains(of)).unwrap();
        let item = &items(&answer)[place];
        (place, item["score"].as_f64().unwrap(), item["why"]["code"].as_f64().unwrap())
    };
    for (anchors, of, code) in [
        (json!([{"path": "lib/charge.rs"}]), "billing", 0.8),
        (json!([{"repo": "gateway", "path": "src/retry.rs", "symbol": "retry"}]), "gateway", 1.0),
        (json!([{"path": "lib/refund.rs"}]), "billing", 0.3),
    ] {
        let without = standing("how many retries?", json!([]), of).await;
        let with = standing("how many retries?", anchors.clone(), of).await;
        assert!(with.0 <= without.0 && with.1 > without.1 + 0.02, "{anchors}: {without:?} {with:?}");
        assert!((with.2 - code).abs() < 0.01 && without.2 == 0.0, "{anchors}: {without:?} {with:?}");
    }
    // Without words the code alone decides; and another repository's file of the same name is another file.
    assert_eq!(standing("", json!([{"path": "lib/charge.rs"}]), "billing").await.0, 0);
    assert!(standing("how many retries?", json!([{"repo": "gateway", "path": "lib/charge.rs"}]), "billing").await.2 < 0.01);
}
