//! That something is still true is said of words: of other words nobody has said it.

use cairn_tests::{House, Role, at, items};
use serde_json::{Value, json};

fn verified(memory: &Value) -> (Value, Value) {
    (memory["verified_at"].clone(), memory["verified_by"]["id"].clone())
}

#[tokio::test]
async fn other_words_are_not_verified() {
    let house = House::open().await;
    let (writer, ada) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    for change in [json!({"content": "Deploys are frozen on Mondays."}), json!({"title": "Mondays"}), json!({"kind": "pattern"})] {
        let memory = writer.remembers(&format!("Deploys are frozen on Fridays, says {change}.")).await;
        let place = at(&memory);
        let first = verified(&ada.post(&format!("{place}/verify"), json!({})).await.expect(200));
        assert_eq!(first.1, json!(ada.id));
        assert_eq!(verified(&writer.revises(&memory, json!({"tags": ["deploys"]})).await), first, "filed elsewhere, it says the same");
        assert_eq!(verified(&writer.revises(&memory, change.clone()).await), (Value::Null, Value::Null), "{change}");
        let again = ada.post(&format!("{place}/revert"), json!({"version": 2})).await.expect(200);
        assert_eq!(verified(&again), first, "these words were verified");
        writer.revises(&memory, change.clone()).await;
        ada.post(&format!("{place}/verify"), json!({})).await.expect(200);
        let back = ada.post(&format!("{place}/revert"), json!({"version": 1})).await.expect(200);
        assert_eq!(verified(&back), (Value::Null, Value::Null), "what was verified since was said otherwise: {change}");
    }
}

#[tokio::test]
async fn what_was_overdue_was_the_old_text() {
    let house = House::open().await;
    let (writer, ada) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let overdue = json!({"content": "The certificate runs out in spring.", "stale_after": "2020-04-01T00:00:00Z"});
    let memory = writer.remembers_all_of(overdue).await;
    assert_eq!(memory["freshness"]["state"], "suspect");
    let retitled = writer.revises(&memory, json!({"title": "The certificate"})).await;
    assert_eq!(retitled["freshness"]["state"], "suspect", "another title is no other text");
    let rewritten = writer.revises(&memory, json!({"content": "The certificate runs out in autumn."})).await;
    assert_eq!((&rewritten["freshness"]["state"], &rewritten["stale_after"]), (&json!("fresh"), &Value::Null));
    let said = json!({"content": "The certificate runs out in winter.", "stale_after": "2020-12-01T00:00:00Z"});
    assert_eq!(writer.revises(&memory, said).await["freshness"]["state"], "suspect", "who says when is heard");
    ada.post(&format!("{}/verify", at(&memory)), json!({})).await.expect(200);
    let retitled = writer.revises(&memory, json!({"title": "Our certificate"})).await;
    assert_eq!(retitled["freshness"]["state"], "fresh", "it was looked at since");
}

#[tokio::test]
async fn only_a_persons_word_makes_it_rank_as_verified() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("coding", Role::Reviewer).await, house.person("coding", Role::Reviewer).await);
    let memory = agent.remembers("The staging database listens on port 5433.").await;
    let counts =
        async || items(&agent.asks(json!({"query": "staging database port", "explain": true})).await)[0]["why"]["verification"].clone();
    agent.post(&format!("{}/verify", at(&memory)), json!({})).await.expect(200);
    assert_eq!(counts().await, 0.0);
    ada.post(&format!("{}/verify", at(&memory)), json!({})).await.expect(200);
    assert_eq!(counts().await, 1.0);
}
