//! Retention goes on where something is in its way: past what is held, past what nobody but its owner sees, and past a workspace in
//! which it fails.

use cairn_server::acts::deletion::retain;
use cairn_tests::{House, Role, at};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

/// Archived so many days ago.
async fn archived(house: &House, ids: &[&str], days: u32) {
    let ids = ids.join("','");
    let sql = format!(
        "alter table memories disable trigger user;
         update memories set state = 'archived', updated_at = now() - interval '{days} days' where id in ('{ids}');
         alter table memories enable trigger user"
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(house.owner()).await.expect("is archived");
}

fn id(memory: &Value) -> &str {
    memory["id"].as_str().expect("an id")
}

#[tokio::test]
async fn what_is_due_is_found_behind_what_is_held() {
    let house = House::open().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Auditor).await);
    let admin = house.admin().await.looking_at("coding");
    let items: Vec<Value> = (0..1000).map(|n| json!({"content": format!("evidence {n}"), "kind": "episode"})).collect();
    let made = writer.post("memories/batch", json!({"items": items})).await.expect(200);
    let held: Vec<&str> = made["data"].as_array().expect("all").iter().map(|one| id(&one["memory"])).collect();
    let due = writer.remembers_all_of(json!({"content": "younger, and due", "kind": "episode"})).await;
    archived(&house, &held, 50).await;
    archived(&house, &[id(&due)], 40).await;
    auditor.post("holds", json!({"memory_ids": held, "reason": "case"})).await.expect(201);
    admin.patch("/v1/workspaces/coding", json!({"settings": {"retention_days": 30}})).await.expect(200);

    let dry = auditor.get("retention").await.expect(200);
    let rule = dry["rules"].as_array().expect("rules").iter().find(|one| one["rule"]["kind"] == "episode").expect("a rule").clone();
    assert_eq!((&rule["due"], rule["held"].as_array().map(Vec::len)), (&json!([due["id"]]), Some(1000)));
    retain(house.app()).await.expect("looks after it");
    admin.get(&at(&due)).await.refuses(404, "not_found");
    admin.get(&format!("memories/{}", held[0])).await.expect(200);
}

#[tokio::test]
async fn a_private_memory_that_a_hold_keeps_is_not_erased_by_a_rule() {
    let house = House::open().await;
    let (owner, auditor) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Auditor).await);
    let private = |content: &str| json!({"content": content, "visibility": "private", "kind": "fact"});
    let named = owner.remembers_all_of(private("Grace Hopper still owes me a nanosecond")).await;
    let other = owner.remembers_all_of(private("the canteen is closed on fridays")).await;
    archived(&house, &[id(&named), id(&other)], 40).await;
    auditor.post("holds", json!({"subject": "Grace Hopper", "reason": "case"})).await.expect(201);
    house.admin().await.patch("/v1/workspaces/coding", json!({"settings": {"retention_days": 30}})).await.expect(200);
    retain(house.app()).await.expect("looks after it");
    owner.reads(&named).await;
    owner.get(&at(&other)).await.refuses(404, "not_found");
}

#[tokio::test]
async fn a_workspace_in_which_it_fails_keeps_it_from_no_other() {
    let house = House::open().await;
    let mut due = Vec::new();
    for slug in ["coding", "support"] {
        let writer = house.agent(slug, Role::Writer).await;
        let memory = writer.remembers("long archived").await;
        archived(&house, &[id(&memory)], 40).await;
        house.admin().await.patch(&format!("/v1/workspaces/{slug}"), json!({"settings": {"retention_days": 30}})).await.expect(200);
        due.push((house.workspace(slug).await, writer, memory));
    }
    // Whichever comes first cannot be written to.
    due.sort_by_key(|(workspace, ..)| *workspace);
    let broken = due[0].0;
    let sql = format!(
        "create function fails() returns trigger language plpgsql as $$ begin raise 'not here'; end $$;
         create trigger fails before insert on deletion_requests for each row when (new.workspace_id = '{broken}') execute function fails()"
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(house.owner()).await.expect("is broken");
    retain(house.app()).await.expect_err("it is told");
    for ((_, writer, memory), status) in due.iter().zip([200, 404]) {
        assert_eq!(writer.get(&at(memory)).await.status, status);
    }
}
