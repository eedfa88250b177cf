//! Remembering, reading, revising: what one memory promises.

use cairn_tests::{House, Role, at};
use serde_json::json;

#[tokio::test]
async fn what_is_remembered_can_be_read() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let sent = json!({
        "content": "Service tokens are signed with RS256.\nThe gateway cannot verify EdDSA.", "kind": "decision", "path": "/decisions/use-rs256.md",
        "title": "Use RS256", "tags": ["tokens", "auth", "auth"], "project": "gateway", "anchors": [{"repo": "gateway", "path": "auth/service.py", "symbol": "authenticate_user"}],
        "source": {"type": "commit", "ref": "3f2a1c", "excerpt": "RS256 it is"}, "confidence": 0.9, "subject": "customer-7",
        "valid_from": "2026-01-02T03:04:05Z", "stale_after": "2099-01-01T00:00:00Z", "expires_at": "2100-01-01T00:00:00Z",
    });
    let reply = agent.post("memories", sent.clone()).await;
    assert_eq!(reply.header("etag"), "\"1\"");
    let made = reply.expect(201);
    for field in ["content", "kind", "path", "title", "project", "source", "subject", "valid_from", "stale_after", "expires_at"] {
        assert_eq!(made[field], sent[field], "{field}");
    }
    assert_eq!(made["tags"], json!(["auth", "tokens"]));
    assert_eq!(made["anchors"][0]["symbol"], "authenticate_user");
    assert_eq!((&made["version"], &made["state"], &made["visibility"]), (&json!(1), &json!("active"), &json!("workspace")));
    assert_eq!(made["created_by"], json!({"type": "agent", "id": agent.id, "name": agent.name}));
    assert_eq!(made["freshness"], json!({"state": "fresh", "reasons": []}));
    for field in ["superseded_by", "supersedes", "verified_at", "verified_by", "session_id"] {
        assert!(made[field].is_null(), "{field}");
    }
    assert_eq!(agent.reads(&made).await, made);
    assert_eq!(agent.lists("memories").await, [made]);
}

#[tokio::test]
async fn only_the_text_is_needed() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    let made = person.remembers("## Deploys are frozen on Fridays\n\nSince the incident.").await;
    assert_eq!(made["kind"], "fact");
    assert_eq!(made["title"], "Deploys are frozen on Fridays");
    assert_eq!(made["path"], "/facts/deploys-are-frozen-on-fridays.md");
    assert_eq!(made["created_by"]["type"], "person");
    let same_title = person.remembers("Deploys are frozen on Fridays!").await;
    assert_ne!(same_title["path"], made["path"]);
}

#[tokio::test]
async fn the_same_text_again_is_the_same_memory() {
    let house = House::open().await;
    let (one, other) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await);
    let first = one.remembers("said twice").await;
    let again = other.post("memories", json!({"content": "said twice"})).await;
    assert_eq!((again.status, again.header("etag")), (200, "\"1\""));
    assert_eq!(again.body, first);
    // Another kind, project or letter is another memory; a path asks for one of its own.
    for other_one in [
        json!({"content": "said twice", "kind": "pattern"}),
        json!({"content": "said twice", "project": "p"}),
        json!({"content": "Said twice"}),
        json!({"content": "said twice", "path": "/mine.md"}),
    ] {
        assert_ne!(one.remembers_all_of(other_one).await["id"], first["id"]);
    }
    // What was put away is not there to be found again.
    one.delete(&at(&first)).await.expect(200);
    let third = one.post("memories", json!({"content": "said twice"})).await;
    assert_ne!(third.body["id"], first["id"]);
}

#[tokio::test]
async fn a_path_has_one_owner_and_no_heirs() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let taken = agent.remembers_all_of(json!({"content": "first", "path": "/a/b"})).await;
    for path in ["/a/b", "/a", "/a/b/c", "/a/b/c/d"] {
        agent.post("memories", json!({"content": "second", "path": path})).await.refuses(409, "path_conflict");
    }
    let beside = agent.remembers_all_of(json!({"content": "second", "path": "/a/bc"})).await;
    for path in ["/a/b", "/a/b/c", "/a"] {
        agent.patch(&at(&beside), json!({"path": path})).await.refuses(409, "path_conflict");
    }
    agent.revises(&beside, json!({"path": "/a/b0"})).await;
    // What is put away gives its path free, and does not get it back from who took it.
    agent.delete(&at(&taken)).await.expect(200);
    agent.remembers_all_of(json!({"content": "third", "path": "/a/b/c"})).await;
    agent.ask("POST", &format!("{}/restore", at(&taken))).send().await.refuses(409, "path_conflict");
    assert_eq!(agent.reads(&taken).await["state"], "archived");
}

#[tokio::test]
async fn a_batch_is_remembered_whole_or_not_at_all() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let known = agent.remembers("known").await;
    let batch = json!({"items": [{"content": "one"}, {"content": "known"}, {"content": "two", "path": "/two.md"}, {"content": "one"}]});
    let done = agent.post("memories/batch", batch).await.expect(200);
    let statuses: Vec<_> = done["data"].as_array().unwrap().iter().map(|item| item["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [201, 200, 201, 200]);
    assert_eq!(done["data"][1]["memory"]["id"], known["id"]);
    assert_eq!(done["data"][3]["memory"]["id"], done["data"][0]["memory"]["id"]);
    assert_eq!(done["data"][2]["memory"]["path"], "/two.md");

    let before = agent.lists("memories").await.len();
    let wrong = agent.post("memories/batch", json!({"items": [{"content": "three"}, {"content": ""}]})).await;
    assert_eq!(wrong.refuses(422, "invalid").wrong_fields(), ["items[1].content"]);
    let unreadable = agent.post("memories/batch", json!({"items": [{"content": "three"}, {"content": 3}]})).await;
    assert_eq!(unreadable.refuses(422, "invalid").wrong_fields(), ["items[1].content"]);
    let taken = agent.post("memories/batch", json!({"items": [{"content": "three"}, {"content": "four", "path": "/two.md"}]})).await;
    assert_eq!(taken.refuses(409, "path_conflict").body["index"], 1);
    let twice =
        agent.post("memories/batch", json!({"items": [{"content": "five", "path": "/five"}, {"content": "six", "path": "/five"}]})).await;
    twice.refuses(409, "path_conflict");
    assert_eq!(agent.lists("memories").await.len(), before);
}

#[tokio::test]
async fn a_decision_is_never_changed_through_any_door() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let decision = agent.remembers_all_of(json!({"content": "RS256", "kind": "decision", "title": "Tokens"})).await;
    for change in
        [json!({"content": "EdDSA"}), json!({"title": "Keys"}), json!({"kind": "fact"}), json!({"content": "EdDSA", "tags": ["x"]})]
    {
        agent.patch(&at(&decision), change).await.refuses(409, "decision_immutable");
    }
    let tagged = agent.revises(&decision, json!({"tags": ["auth"], "content": "RS256"})).await;
    assert_eq!((&tagged["version"], &tagged["content"]), (&json!(2), &json!("RS256")));
    // A text that became a decision does not become another one by going back.
    let grown = agent.remembers("a first thought").await;
    agent.revises(&grown, json!({"content": "a settled thought", "kind": "decision"})).await;
    agent.post(&format!("{}/revert", at(&grown)), json!({"version": 1})).await.refuses(409, "decision_immutable");
    assert_eq!(agent.reads(&grown).await["content"], "a settled thought");
    let back = agent.post(&format!("{}/revert", at(&decision)), json!({"version": 1})).await.expect(200);
    assert_eq!((&back["tags"], &back["version"]), (&json!([]), &json!(3)));
}

#[tokio::test]
async fn superseding_links_both_ways() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let old = agent
        .remembers_all_of(
            json!({"content": "RS256", "kind": "decision", "tags": ["auth"], "project": "gateway", "path": "/decisions/tokens.md"}),
        )
        .await;
    let new = agent.post(&format!("{}/supersede", at(&old)), json!({"content": "EdDSA", "path": "/decisions/tokens.md"})).await.expect(201);
    for inherited in ["kind", "tags", "project", "visibility", "path"] {
        assert_eq!(new[inherited], old[inherited], "{inherited}");
    }
    assert_eq!(new["supersedes"], old["id"]);
    let put_aside = agent.reads(&old).await;
    assert_eq!((&put_aside["state"], &put_aside["superseded_by"]), (&json!("superseded"), &new["id"]));
    assert_eq!(put_aside["freshness"]["state"], "stale");
    agent.post(&format!("{}/supersede", at(&old)), json!({"content": "third"})).await.refuses(409, "not_active");
    let third = agent.remembers_all_of(json!({"content": "PASETO", "kind": "decision", "supersedes": new["id"]})).await;
    assert_eq!(agent.reads(&new).await["superseded_by"], third["id"]);
}

#[tokio::test]
async fn what_takes_anothers_place_may_say_what_a_third_says() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let (tabs, spaces) = (agent.remembers("Use tabs.").await, agent.remembers("Use spaces.").await);
    let new = agent.post(&format!("{}/supersede", at(&tabs)), json!({"content": "Use spaces."})).await.expect(201);
    assert!(new["id"] != spaces["id"] && new["supersedes"] == tabs["id"], "{new}");
    let both = json!({"items": [{"content": "Use both."}, {"content": "Use both.", "supersedes": new["id"]}]});
    let both = agent.post("memories/batch", both).await.expect(200);
    assert_eq!((&both["data"][1]["status"], &both["data"][1]["memory"]["supersedes"]), (&json!(201), &new["id"]));
    // Whoever has been put aside still lets the last one be known again.
    assert_eq!(agent.post("memories", json!({"content": "Use spaces."})).await.expect(200)["id"], spaces["id"]);
}

#[tokio::test]
async fn a_memory_where_a_folder_would_be_keeps_nobody_from_writing() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers_all_of(json!({"content": "a file", "path": "/facts"})).await;
    for text in ["Deploys are frozen on Fridays.", "The build takes four minutes."] {
        let made = agent.remembers(text).await;
        assert!(!made["path"].as_str().unwrap().starts_with("/facts/"), "{made}");
    }
    agent.post("memories", json!({"content": "below", "path": "/facts/below.md"})).await.refuses(409, "path_conflict");
}

#[tokio::test]
async fn the_quota_counts_what_the_writer_does_not_see() {
    let house = House::open().await;
    let (admin, ada) = (house.agent("coding", Role::Admin).await, house.person("coding", Role::Writer).await);
    admin.patch("/v1/workspaces/coding", json!({"settings": {"quota_memories": 2}})).await.expect(200);
    ada.post("memories", json!({"content": "hers", "visibility": "private"})).await.expect(201);
    house.agent_in("coding", "billing", Role::Writer).await.remembers("theirs").await;
    let gateway = house.agent_in("coding", "gateway", Role::Writer).await;
    gateway.post("memories", json!({"content": "one too many"})).await.refuses(409, "quota_exceeded");
}

#[tokio::test]
async fn the_quota_is_kept() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let admin = house.admin().await;
    let settings = admin.get("/v1/workspaces/coding").await.expect(200)["settings"].clone();
    let mut tight = settings.clone();
    tight["quota_memories"] = json!(2);
    admin.patch("/v1/workspaces/coding", json!({"settings": tight})).await.expect(200);
    let first = agent.remembers("one").await;
    agent.post("memories/batch", json!({"items": [{"content": "two"}, {"content": "three"}]})).await.refuses(409, "quota_exceeded");
    agent.remembers("two").await;
    agent.post("memories", json!({"content": "three"})).await.refuses(409, "quota_exceeded");
    assert_eq!(agent.post("memories", json!({"content": "one"})).await.status, 200);
    agent.delete(&at(&first)).await.expect(200);
    agent.remembers("three").await;
    // Coming back counts too.
    agent.ask("POST", &format!("{}/restore", at(&first))).send().await.refuses(409, "quota_exceeded");
}
