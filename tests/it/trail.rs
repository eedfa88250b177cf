//! The trail: every write leaves exactly one entry per thing written, and no word of what was written.

use cairn_tests::{Actor, House, Role, at};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::Row;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// One request with an id of its own, and the entries that it left.
async fn entries_of(auditor: &Actor, request: &str) -> Vec<Value> {
    auditor.lists("audit").await.into_iter().filter(|entry| entry["request_id"] == request).collect()
}

#[tokio::test]
async fn every_write_leaves_one_entry() {
    let house = House::open().await;
    let (writer, auditor) = (house.agent("coding", Role::Reviewer).await, house.agent("coding", Role::Auditor).await);
    let memory = writer.remembers("first").await;
    let place = at(&memory);
    for (n, (method, end, body, action)) in [
        ("PATCH", "", json!({"content": "second"}), "memory.revised"),
        ("POST", "/verify", json!({}), "memory.verified"),
        ("DELETE", "", json!({}), "memory.archived"),
        ("POST", "/restore", json!({}), "memory.restored"),
        ("POST", "/revert", json!({"version": 1}), "memory.reverted"),
    ]
    .into_iter()
    .enumerate()
    {
        let request = format!("write-{n}");
        let reply = writer.ask(method, &format!("{place}{end}")).header("X-Request-Id", &request).json(&body).send().await;
        assert_eq!(reply.header("x-request-id"), request);
        let version = reply.expect(200)["version"].clone();
        let entries = entries_of(&auditor, &request).await;
        assert_eq!(entries.len(), 1, "{entries:?}");
        let entry = &entries[0];
        assert_eq!(entry["actor"], json!({"type": "agent", "id": writer.id, "name": writer.name}));
        assert_eq!((&entry["action"], &entry["role"], &entry["version"]), (&json!(action), &json!("reviewer"), &version));
        assert_eq!(entry["target"], json!({"type": "memory", "id": memory["id"]}));
        assert!(entry["digest"].as_str().is_some_and(|digest| digest.len() == 64), "{entry}");
    }
    assert_eq!(auditor.trail_of(memory["id"].as_str().unwrap()).await.len(), 6);
}

#[tokio::test]
async fn a_write_of_many_leaves_an_entry_for_each() {
    let house = House::open().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Auditor).await);
    let known = writer.remembers("known").await;
    let batch = json!({"items": [{"content": "one"}, {"content": "two"}, {"content": "known"}]});
    writer.ask("POST", "memories/batch").header("X-Request-Id", "batch").json(&batch).send().await.expect(200);
    assert_eq!(entries_of(&auditor, "batch").await.len(), 2);
    writer
        .ask("POST", &format!("{}/supersede", at(&known)))
        .header("X-Request-Id", "supersede")
        .json(&json!({"content": "newer"}))
        .send()
        .await
        .expect(201);
    let mut actions: Vec<_> =
        entries_of(&auditor, "supersede").await.iter().map(|entry| entry["action"].as_str().unwrap().to_owned()).collect();
    actions.sort();
    assert_eq!(actions, ["memory.remembered", "memory.superseded"]);
    // What wrote nothing leaves nothing.
    writer.ask("POST", "memories").header("X-Request-Id", "again").json(&json!({"content": "newer"})).send().await.expect(200);
    writer.ask("POST", "memories").header("X-Request-Id", "wrong").json(&json!({"content": ""})).send().await.refuses(422, "invalid");
    assert_eq!(entries_of(&auditor, "again").await.len() + entries_of(&auditor, "wrong").await.len(), 0);
}

/// What a digest is of: the version as JSON without spaces, its members in this order.
fn stated(version: &Value) -> String {
    let members = "memory_id version operation store_id path title content kind tags project anchors source confidence state visibility owner_id subject \
        valid_from stale_after expires_at supersedes superseded_by verified_at verified_by reason at actor_id session_id";
    let moment = |text: &str| OffsetDateTime::parse(text, &Rfc3339).ok().and_then(|at| at.format(&Rfc3339).ok());
    object(members, version, |name, value| match (name, value) {
        ("valid_from" | "stale_after" | "expires_at" | "verified_at" | "at", Value::String(text)) => json!(moment(text)).to_string(),
        ("source", Value::Object(_)) => object("type ref excerpt", value, |_, value| value.to_string()),
        ("anchors", Value::Array(all)) => {
            let all = all.iter().map(|one| object("repo path symbol fingerprint state", one, |_, value| value.to_string()));
            format!("[{}]", all.collect::<Vec<_>>().join(","))
        }
        _ => value.to_string(),
    })
}

fn object(names: &str, value: &Value, shown: impl Fn(&str, &Value) -> String) -> String {
    let members = names.split_whitespace().map(|name| format!("\"{name}\":{}", shown(name, &value[name])));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

#[tokio::test]
async fn a_digest_can_be_made_again_from_the_version_and_its_salt() {
    let house = House::open().await;
    let writer = house.agent("coding", Role::Reviewer).await;
    let full = json!({"content": "text", "tags": ["b", "a"], "source": {"type": "url", "ref": "r"}, "subject": "s", "project": "p", "confidence": 0.25,
        "anchors": [{"path": "a.rs", "symbol": "f"}], "valid_from": "2026-01-02T03:04:05.123456789+05:30", "stale_after": "2099-01-01T00:00:00-08:00"});
    let first = writer.remembers_all_of(full).await;
    writer.revises(&first, json!({"content": "other", "reason": "because", "expires_at": "2099-12-31T23:59:59.999999999+01:00"})).await;
    writer.post(&format!("{}/verify", at(&first)), json!({"note": "still so"})).await.expect(200);
    writer.post(&format!("{}/supersede", at(&first)), json!({"content": "third"})).await.expect(201);
    let rows = sqlx::query("select to_jsonb(v) as said, v.salt, e.digest from memory_versions v join audit_entries e on e.workspace_id = v.workspace_id and e.id = v.audit_id")
        .fetch_all(house.owner())
        .await
        .unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        let said: Value = row.get("said");
        let mut hasher = Sha256::new();
        hasher.update(row.get::<Vec<u8>, _>("salt"));
        hasher.update(stated(&said));
        assert_eq!(hasher.finalize().to_vec(), row.get::<Vec<u8>, _>("digest"), "{}", stated(&said));
    }
}

#[tokio::test]
async fn refusals_are_written_down() {
    let house = House::open().await;
    let (reader, auditor) = (house.agent("coding", Role::Reader).await, house.person("coding", Role::Auditor).await);
    reader.ask("POST", "memories").header("X-Request-Id", "refused").json(&json!({"content": "no"})).send().await.refuses(403, "forbidden");
    let entries = entries_of(&auditor, "refused").await;
    assert_eq!(entries.len(), 1);
    assert_eq!(
        (&entries[0]["action"], &entries[0]["actor"]["id"], &entries[0]["role"]),
        (&json!("access.refused"), &json!(reader.id), &json!("reader"))
    );
    assert_eq!(entries[0]["details"], json!({"method": "POST", "route": "/v1/workspaces/{ws}/memories"}));
    // In the instance too.
    let new = json!({"email": "x@example.org", "name": "x"});
    auditor.ask("POST", "/v1/users").header("X-Request-Id", "refused-outside").json(&new).send().await.refuses(403, "forbidden");
    let admin = house.admin().await;
    let refusals = admin.lists(&format!("/v1/audit?action=access.refused&actor={}", auditor.id)).await;
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert_eq!(refusals[0]["request_id"], "refused-outside");
}

#[tokio::test]
async fn sign_ins_keys_members_and_settings_are_written_down() {
    let house = House::open().await;
    let admin = house.admin().await;
    let agent = house.agent("coding", Role::Writer).await;
    let person = house.person("coding", Role::Writer).await;
    house.tries_to_sign_in(&person.email, "not the password").await.refuses(401, "unauthenticated");
    admin.put(&format!("members/{}", person.id), json!({"role": "reader"})).await.expect(200);
    admin.patch("/v1/workspaces/coding", json!({"purpose": "another"})).await.expect(200);
    assert_eq!(admin.delete(&format!("agents/{}/keys/{}", agent.id, agent.key_id)).await.status / 100, 2);
    assert_eq!(admin.delete(&format!("agents/{}", agent.id)).await.status / 100, 2);
    assert_eq!(admin.delete(&format!("members/{}", person.id)).await.status / 100, 2);

    let actions = |entries: Vec<Value>| entries.iter().map(|entry| entry["action"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let here = actions(admin.lists("audit").await);
    for action in [
        "workspace.created",
        "agent.created",
        "key.created",
        "key.revoked",
        "agent.deleted",
        "member.added",
        "member.role_changed",
        "member.removed",
    ] {
        assert!(here.iter().any(|one| one == action), "no {action} in {here:?}");
    }
    assert!(here.iter().any(|one| one.starts_with("workspace.") && one != "workspace.created"), "no change of the settings in {here:?}");
    let of_the_house = actions(admin.lists("/v1/audit").await);
    for action in ["person.created", "person.signed_in", "person.sign_in_failed", "workspace.created"] {
        assert!(of_the_house.iter().any(|one| one == action), "no {action} in {of_the_house:?}");
    }
}

#[tokio::test]
async fn filters_narrow_the_trail() {
    let house = House::open().await;
    let (one, other, auditor) =
        (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await, house.agent("coding", Role::Auditor).await);
    let memory = one.remembers("one").await;
    other.revises(&memory, json!({"content": "two"})).await;
    house.is_sealed().await;
    let entries = auditor.trail_of(memory["id"].as_str().unwrap()).await;
    let (first, second) = (&entries[0], &entries[1]);
    let (target, then) = (memory["id"].as_str().unwrap(), second["at"].as_str().unwrap());
    for (filter, expected) in [
        (format!("actor={}", one.id), vec![first]),
        (format!("target={target}&action=memory.revised"), vec![second]),
        (format!("target={target}&from={then}"), vec![second]),
        (format!("target={target}&to={then}"), vec![first]),
        ("action=memory".to_owned(), vec![]),
        (format!("actor={}&action=memory.remembered", other.id), vec![]),
    ] {
        assert_eq!(auditor.lists(&format!("audit?{filter}&limit=1")).await, expected.into_iter().cloned().collect::<Vec<_>>(), "{filter}");
    }
}

#[tokio::test]
async fn no_word_of_anyone_stands_in_the_trail() {
    let house = House::open().await;
    let writer = house.agent("coding", Role::Reviewer).await;
    let canary = json!({"content": "canary content", "title": "canary title", "path": "/canary/path.md", "tags": ["canary tag"], "project": "canary project", "subject": "canary subject",
        "source": {"type": "url", "ref": "canary ref", "excerpt": "canary excerpt"}, "anchors": [{"path": "canary/anchor.rs"}]});
    let memory = writer.remembers_all_of(canary).await;
    writer.revises(&memory, json!({"content": "canary again", "reason": "canary reason"})).await;
    writer.post(&format!("{}/verify", at(&memory)), json!({"note": "canary note"})).await.expect(200);
    writer.asks_to_erase(&[&memory], "canary wish").await;
    writer.get("/v1/workspaces/coding/agents?canary=1").await.refuses(403, "forbidden");
    let raw: Vec<String> = sqlx::query_scalar("select to_jsonb(e)::text from audit_entries e").fetch_all(house.owner()).await.unwrap();
    assert!(raw.len() >= 5);
    let told: Vec<_> = raw.iter().filter(|entry| entry.contains("canary")).collect();
    assert!(told.is_empty(), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_writes_at_once_each_has_its_own_entry() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Admin).await;
    let token = agent.post("/v1/auth/token", json!({"role": "writer"})).await.expect(200)["access_token"].as_str().unwrap().to_owned();
    let narrowed = agent.showing(token);
    let mut running = tokio::task::JoinSet::new();
    for n in 0..32 {
        let (role, actor) = if n % 2 == 0 { ("admin", (*agent).clone()) } else { ("writer", narrowed.clone()) };
        running.spawn(async move {
            let request = format!("{role}-{n}");
            let reply =
                actor.ask("POST", "memories").header("X-Request-Id", &request).json(&json!({"content": format!("text {n}")})).send().await;
            (role, request, reply.expect(201)["id"].clone())
        });
    }
    let (written, entries) = (running.join_all().await, agent.lists("audit?action=memory.remembered").await);
    for (role, request, memory) in written {
        let of_it: Vec<_> = entries.iter().filter(|entry| entry["request_id"] == request).collect();
        assert_eq!(of_it.len(), 1, "{request}");
        assert_eq!((&of_it[0]["target"]["id"], &of_it[0]["role"]), (&memory, &json!(role)), "{request}");
    }
}

#[tokio::test]
async fn what_few_entries_fit_is_found_page_by_page() {
    let house = House::open().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Auditor).await);
    let memory = writer.remembers("a long time ago").await;
    // Since then more has happened than one look goes through.
    let later = "insert into audit_entries (workspace_id, id, actor_type, actor_id, action, request_id)
        select workspace_id, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint + 1000), 12, '0') || '7000' || 'a000' || lpad(to_hex(n), 12, '0'))::uuid,
               actor_type, actor_id, 'memory.recalled', 'later'
        from audit_entries e, generate_series(1, 20001) n where e.target_id = $1";
    sqlx::query(later).bind(memory["id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap()).execute(house.owner()).await.unwrap();
    let about = format!("audit?target={}", memory["id"].as_str().unwrap());
    let first = auditor.get(&about).await;
    assert_eq!((first.status, first.data().len(), first.body["next_cursor"].is_string()), (200, 0, true), "{first:?}");
    assert_eq!(auditor.lists(&about).await.len(), 1);
}
