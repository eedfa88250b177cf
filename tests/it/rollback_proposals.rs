//! What waits for somebody goes where its memory goes when that is taken back, and nothing else is decided by it.

use crate::{
    proposals::dreamt,
    rollback::{At, group, rolls_back},
};
use cairn_tests::{House, Role, at};
use serde_json::{Value, json};

#[tokio::test]
async fn proposals_go_where_their_memories_go() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    agent.remembers_all_of(json!({"content": "Service tokens are signed with RS256.", "kind": "decision"})).await;
    let run = At::work(&agent).await;
    let waiting =
        run.remembers(json!({"content": "Service tokens are signed with HS256.", "kind": "decision", "on_conflict": "propose"})).await;
    assert_eq!(waiting["state"], "proposed");
    let id = reviewer.lists("proposals").await[0]["id"].as_str().expect("an id").to_owned();
    let states = async || {
        let proposal = reviewer.get(&format!("proposals/{id}")).await.expect(200);
        (proposal["state"].as_str().expect("a word").to_owned(), agent.reads(&waiting).await["state"].as_str().expect("a word").to_owned())
    };
    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!((states().await, &done["counts"]["withdrawn"]), (("rejected".to_owned(), "archived".to_owned()), &json!(1)));
    rolls_back(&reviewer, json!({"rollback_id": done["id"]})).await;
    assert_eq!(states().await, ("open".to_owned(), "proposed".to_owned()));
    let review = At::work(&reviewer).await;
    review.sends("POST", &format!("proposals/{id}/approve"), json!({})).await.expect(200);
    assert_eq!(states().await, ("approved".to_owned(), "active".to_owned()));
    rolls_back(&reviewer, json!({"session_id": review.session})).await;
    assert_eq!(states().await, ("open".to_owned(), "proposed".to_owned()));
    assert_eq!(agent.lists("memories?kind=decision&state=active").await.len(), 1, "what it had superseded is back");
    // Approved and superseded at once, and that taken back twice.
    let review = At::work(&reviewer).await;
    review.sends("POST", &format!("proposals/{id}/approve"), json!({})).await.expect(200);
    review.supersedes(&waiting, "Service tokens are signed with EdDSA.").await;
    let done = rolls_back(&reviewer, json!({"session_id": review.session})).await;
    assert_eq!(states().await, ("open".to_owned(), "proposed".to_owned()));
    rolls_back(&reviewer, json!({"rollback_id": done["id"]})).await;
    assert_eq!(states().await, ("approved".to_owned(), "superseded".to_owned()));
}

#[tokio::test]
async fn what_was_edited_and_approved_waits_again_and_can_be_decided() {
    let house = House::open().await;
    let always = json!({"policies": {"decision": {"review_threshold": "always"}}});
    house.person("coding", Role::Admin).await.put("policies", always).await.expect(200);
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let old = reviewer.remembers_all_of(json!({"content": "Service tokens are signed with RS256.", "kind": "decision"})).await;
    let waiting = agent.remembers_all_of(json!({"content": "Service tokens live for an hour.", "kind": "decision"})).await;
    let proposal = format!("proposals/{}", reviewer.lists("proposals").await[0]["id"].as_str().expect("an id"));
    let edits = async |by: &At<'_>, content: &str| {
        let edited = by.sends("POST", &format!("{proposal}/edit"), json!({"content": content})).await.expect(200);
        edited["memory"].clone()
    };
    let stands = async |memories: &[&Value]| {
        let one = reviewer.get(&proposal).await.expect(200);
        let mut all = vec![one["state"].clone(), one["memory_id"].clone()];
        for memory in memories {
            all.push(reviewer.reads(memory).await["state"].clone());
        }
        all
    };
    let waits = |state: &str| vec![json!("open"), waiting["id"].clone(), json!("proposed"), json!("active"), json!(state)];

    let review = At::work(&reviewer).await;
    let became = edits(&review, "Service tokens are signed with HS256.").await;
    let approved = vec![json!("approved"), became["id"].clone(), json!("superseded"), json!("superseded"), json!("active")];
    assert_eq!(stands(&[&waiting, &old, &became]).await, approved);
    let done = rolls_back(&reviewer, json!({"session_id": review.session})).await;
    assert_eq!(stands(&[&waiting, &old, &became]).await, waits("archived"));
    let back = rolls_back(&reviewer, json!({"rollback_id": done["id"]})).await;
    assert_eq!(stands(&[&waiting, &old, &became]).await, approved, "taken back, it is decided as it was");
    rolls_back(&reviewer, json!({"rollback_id": back["id"]})).await;
    assert_eq!(stands(&[&waiting, &old, &became]).await, waits("archived"));
    // Edited once more, and only what came of it is undone.
    let once_more = edits(&review, "Service tokens are signed with EdDSA.").await;
    rolls_back(&reviewer, json!({"memory_ids": [once_more["id"]]})).await;
    assert_eq!(stands(&[&waiting, &old, &once_more]).await, waits("archived"));
    // Nor does it wait while what came of it stands.
    let third = edits(&review, "Service tokens are signed with ES512.").await;
    let other = house.person("coding", Role::Reviewer).await;
    other.revises(&third, json!({"tags": ["auth"]})).await;
    let approved = vec![json!("approved"), third["id"].clone(), json!("superseded"), json!("superseded"), json!("active")];
    let mine = json!({"agent_id": reviewer.id, "from": third["created_at"]});
    for selector in [mine.clone(), json!({"agent_id": reviewer.id, "from": third["created_at"], "memory_ids": [waiting["id"]]})] {
        let left = rolls_back(&reviewer, selector).await;
        assert!(group(&left, "left").contains(&(waiting["id"].clone(), json!("place_taken"))), "{left}");
        assert_eq!(stands(&[&waiting, &old, &third]).await, approved);
    }
    other.ask("DELETE", &at(&third)).send().await.expect(200);
    rolls_back(&reviewer, mine).await;
    assert_eq!(stands(&[&waiting, &old, &third]).await, waits("archived"));
    reviewer.post(&format!("{proposal}/approve"), json!({})).await.expect(200);
    assert_eq!(stands(&[&waiting]).await, [json!("approved"), waiting["id"].clone(), json!("active")]);
}

#[tokio::test]
async fn what_is_proposed_about_a_memory_is_decided_by_people_alone() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let (noted, other) = (agent.remembers("Invoices go out on Mondays.").await, agent.remembers("On Mondays invoices go out.").await);
    let run = At::work(&agent).await;
    run.revises(&noted, json!({"tags": ["billing"]})).await;
    let made = run.remembers(json!({"content": "The lift hums."})).await;
    let archive = |memory: &Value| json!({"type": "archive", "memories": [memory["id"]]});
    let merge = dreamt(&house, &noted, json!({"type": "merge", "keep": noted["id"], "away": [other["id"]]})).await;
    let unwanted = dreamt(&house, &noted, archive(&noted)).await;
    reviewer.post(&format!("{unwanted}/reject"), json!({"note": "we need it"})).await.expect(200);
    let about_made = dreamt(&house, &made, archive(&made)).await;
    let decided = async || {
        let mut all = Vec::new();
        for path in [&merge, &unwanted, &about_made] {
            let proposal = reviewer.get(path).await.expect(200);
            all.push(json!([proposal["state"], proposal["note"], proposal["decided_at"], proposal["decided_by"]]));
        }
        all
    };
    let before = decided().await;

    let done = rolls_back(&reviewer, json!({"session_id": run.session})).await;
    assert_eq!(decided().await, before);
    assert_eq!(done["counts"], json!({"restored": 1, "unwound": 0, "archived": 1, "left": 0, "withdrawn": 0}));
    rolls_back(&reviewer, json!({"rollback_id": done["id"]})).await;
    assert_eq!(decided().await, before);
    reviewer.post(&format!("{merge}/approve"), json!({})).await.expect(200);
    assert_eq!(agent.reads(&other).await["superseded_by"], noted["id"], "it is done once somebody says so");
}
