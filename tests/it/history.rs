//! Versions: every change is a new one, none is lost, and any can be seen again.

use cairn_tests::{House, Role, at};
use serde_json::{Value, json};

fn numbers(versions: &[Value]) -> Vec<i64> {
    versions.iter().map(|version| version["version"].as_i64().expect("a number")).collect()
}

#[tokio::test]
async fn every_change_is_a_new_version() {
    let house = House::open().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let memory = writer.remembers("first").await;
    writer.revises(&memory, json!({"content": "second", "reason": "it changed"})).await;
    reviewer.post(&format!("{}/verify", at(&memory)), json!({"note": "I looked"})).await.expect(200);
    writer.delete(&at(&memory)).await.expect(200);
    writer.ask("POST", &format!("{}/restore", at(&memory))).send().await.expect(200);
    writer.post(&format!("{}/revert", at(&memory)), json!({"version": 1})).await.expect(200);

    let versions = writer.lists(&format!("{}/versions?limit=2", at(&memory))).await;
    assert_eq!(numbers(&versions), [6, 5, 4, 3, 2, 1]);
    let operations: Vec<_> = versions.iter().rev().map(|version| version["operation"].as_str().unwrap()).collect();
    assert_eq!(
        operations,
        ["created", "revised", "archived", "restored", "reverted"].iter().fold(Vec::new(), |mut all, one| {
            all.push(*one);
            if *one == "revised" {
                all.push("verified");
            }
            all
        })
    );
    assert_eq!(versions[4]["reason"], "it changed");
    assert_eq!(versions[3]["updated_by"]["id"], json!(reviewer.id));
    let one = writer.get(&format!("{}/versions/2", at(&memory))).await.expect(200);
    assert_eq!(one, versions[4]);
    let now = writer.reads(&memory).await;
    assert_eq!((&now["content"], &now["version"], &now["state"]), (&json!("first"), &json!(6), &json!("active")));
    for missing in ["0", "7", "-1", "99999999999", "x"] {
        writer.get(&format!("{}/versions/{missing}", at(&memory))).await.refuses(404, "not_found");
    }
}

#[tokio::test]
async fn a_patch_changes_what_it_names_and_null_clears() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent
        .remembers_all_of(json!({"content": "text", "tags": ["a"], "project": "p", "subject": "s", "stale_after": "2099-01-01T00:00:00Z", "source": {"type": "human"}, "anchors": [{"path": "x"}]}))
        .await;
    let changed = agent.revises(&memory, json!({"title": "Another", "confidence": 0.25, "path": "/else/where.md"})).await;
    for same in ["content", "tags", "project", "subject", "stale_after", "source", "anchors", "created_at", "created_by", "kind"] {
        assert_eq!(changed[same], memory[same], "{same}");
    }
    assert_eq!((&changed["title"], &changed["path"], &changed["confidence"]), (&json!("Another"), &json!("/else/where.md"), &json!(0.25)));
    let cleared = agent
        .revises(&memory, json!({"project": null, "subject": null, "stale_after": null, "source": null, "tags": [], "anchors": []}))
        .await;
    for gone in ["project", "subject", "stale_after", "source"] {
        assert!(cleared[gone].is_null(), "{gone}");
    }
    assert_eq!((&cleared["tags"], &cleared["anchors"]), (&json!([]), &json!([])));
    assert_eq!(agent.lists("memories?tag=a").await.len(), 0);
    assert_eq!(agent.lists("memories?anchor_path=x").await.len(), 0);
}

#[tokio::test]
async fn if_match_holds_on_every_change() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("first").await;
    let ask = |method: &str, end: &str, seen: &str, body: Value| {
        agent.ask(method, &format!("{}{end}", at(&memory))).header("If-Match", seen).json(&body).send()
    };
    for stale in ["\"2\"", "\"0\"", "W/\"9\"", "\"x\"", "nonsense"] {
        ask("PATCH", "", stale, json!({"content": "second"})).await.refuses(412, "precondition_failed");
        ask("DELETE", "", stale, json!({})).await.refuses(412, "precondition_failed");
        ask("POST", "/revert", stale, json!({"version": 1})).await.refuses(412, "precondition_failed");
    }
    assert_eq!(agent.reads(&memory).await["version"], 1);
    let done = ask("PATCH", "", "\"1\"", json!({"content": "second"})).await;
    assert_eq!((done.status, done.header("etag")), (200, "\"2\""));
    ask("PATCH", "", "*", json!({"content": "third"})).await.expect(200);
    ask("POST", "/revert", "\"3\"", json!({"version": 1})).await.expect(200);
    ask("DELETE", "", "\"4\"", json!({})).await.expect(200);
}

#[tokio::test]
async fn as_of_shows_what_was_true_then() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let first = agent.remembers("first").await;
    let second = agent.revises(&first, json!({"content": "second"})).await;
    let gone = agent.delete(&at(&first)).await.expect(200);
    let then = async |moment: &str| agent.get(&format!("{}?as_of={}", at(&first), moment.replace('+', "%2B"))).await;
    for version in [&first, &second, &gone] {
        let seen = then(version["updated_at"].as_str().unwrap()).await.expect(200);
        assert_eq!((&seen["version"], &seen["content"], &seen["state"]), (&version["version"], &version["content"], &version["state"]));
    }
    then("2000-01-01T00:00:00Z").await.refuses(404, "not_found");
    assert_eq!(then("2100-01-01T00:00:00+02:00").await.expect(200)["version"], 3);
}

#[tokio::test]
async fn a_diff_says_what_changed() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("one\ntwo\nthree").await;
    agent.revises(&memory, json!({"content": "one\n2\nthree", "tags": ["t"]})).await;
    let diff = agent.get(&format!("{}/diff?from=1&to=2", at(&memory))).await.expect(200);
    assert_eq!((&diff["from"], &diff["to"], &diff["changed"]), (&json!(1), &json!(2), &json!(["tags"])));
    let lines: Vec<_> = diff["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| format!("{} {}", line["op"].as_str().unwrap(), line["text"].as_str().unwrap()))
        .collect();
    assert_eq!(lines, ["equal one", "delete two", "insert 2", "equal three"]);
    agent.get(&format!("{}/diff?from=1&to=3", at(&memory))).await.refuses(404, "not_found");
    assert_eq!(agent.get(&format!("{}/diff?from=1", at(&memory))).await.refuses(422, "invalid").wrong_fields(), ["to"]);
}

#[tokio::test]
async fn archived_is_put_away_and_comes_back() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("for later").await;
    assert_eq!(agent.delete(&at(&memory)).await.expect(200)["state"], "archived");
    assert_eq!(agent.lists("memories").await.len(), 0);
    assert_eq!(agent.lists("memories?state=archived").await.len(), 1);
    assert_eq!(agent.delete(&at(&memory)).await.expect(200)["version"], 2);
    agent.patch(&at(&memory), json!({"content": "changed"})).await.refuses(409, "not_active");
    let restore = format!("{}/restore", at(&memory));
    assert_eq!(agent.ask("POST", &restore).send().await.expect(200)["state"], "active");
    agent.ask("POST", &restore).send().await.refuses(409, "not_archived");
    assert_eq!(agent.lists("memories").await.len(), 1);
}

#[tokio::test]
async fn time_makes_a_memory_doubtful_and_a_look_makes_it_fresh() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reviewer).await;
    let past = "2020-05-06T00:00:00Z";
    let doubtful = agent.remembers_all_of(json!({"content": "look again", "stale_after": past})).await;
    let over = agent.remembers_all_of(json!({"content": "over", "expires_at": past})).await;
    assert_eq!(doubtful["freshness"], json!({"state": "suspect", "reasons": ["past its review date, 2020-05-06"]}));
    assert_eq!(over["freshness"], json!({"state": "stale", "reasons": ["expired on 2020-05-06"]}));
    let fresh = agent.remembers("fresh").await;
    for (state, memory) in [("suspect", &doubtful), ("stale", &over), ("fresh", &fresh)] {
        let listed = agent.lists(&format!("memories?freshness={state}")).await;
        assert_eq!(listed.iter().map(|one| &one["id"]).collect::<Vec<_>>(), [&memory["id"]], "{state}");
        assert_eq!(agent.reads(memory).await["freshness"]["state"], state, "being read changes nothing");
    }
    let verified = agent.ask("POST", &format!("{}/verify", at(&doubtful))).send().await.expect(200);
    assert_eq!((&verified["freshness"]["state"], &verified["verified_by"]["id"]), (&json!("fresh"), &json!(agent.id)));
    // What has run out is not made true by a look.
    let looked = agent.ask("POST", &format!("{}/verify", at(&over))).send().await.expect(200);
    assert_eq!(looked["freshness"]["state"], "stale");
}
