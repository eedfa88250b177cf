//! Secrets never reach the disk: on no door, in no table, whatever the workspace's policy.

use cairn_tests::{House, Role};
use serde_json::{Value, json};

/// In parts, so that nobody takes this file for a leak.
fn planted() -> [(String, String); 3] {
    let key = format!("AK{}{}", "IA", "Z7QWMPLK3NV5RT2X");
    let token = format!("gh{}_{}", "p", "q7Zr4Lm9Kx2Vb8Nc5Td1Wf6Hs3Jp0Yg4Ra7E");
    let password = "hunter2-Vx9!kQ7z".to_owned();
    [
        (format!("the bucket's key is {key}"), key),
        (format!("git clone with {token} works"), token),
        (format!("postgres://app:{password}@db.internal:5432/orders"), password),
    ]
}

async fn nowhere(house: &House, secret: &str) {
    let dump = house.dump().await;
    assert!(!dump.contains(secret), "a secret is in the database");
}

#[tokio::test]
async fn a_secret_is_redacted_on_every_door_and_the_trail_says_where() {
    let house = House::open().await;
    let (agent, auditor) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Auditor).await);
    for (n, (text, secret)) in planted().into_iter().enumerate() {
        let memory = agent
            .remembers_all_of(json!({"content": format!("{text} ({n})"), "title": format!("Title {text}"), "tags": [format!("t {secret}")],
            "source": {"type": "message", "ref": "m1", "excerpt": text}}))
            .await;
        assert!(!memory.to_string().contains(&secret) && memory["content"].as_str().unwrap().contains("[redacted: "), "{memory}");
        let revised = agent.revises(&memory, json!({"content": format!("now {text}"), "reason": text.clone()})).await;
        assert!(!revised.to_string().contains(&secret), "{revised}");
        let trail = auditor.trail_of(memory["id"].as_str().unwrap()).await;
        let found: Vec<&Value> = trail.iter().filter(|entry| entry["action"] == "secrets.redacted").collect();
        assert_eq!(found.len(), 2, "{trail:?}");
        assert!(found[0]["details"]["found"].to_string().contains("content"), "{found:?}");

        let session =
            agent.post("sessions", json!({"agent_tool": "codex", "task": format!("t{n}"), "branch": text, "cwd": text})).await.expect(201);
        assert!(!session.to_string().contains(&secret), "{session}");
        agent.post("tasks", json!({"key": format!("k{n}"), "title": text})).await.expect(201);
        agent.asks(json!({"query": text})).await;
        let id = session["id"].as_str().unwrap();
        let events = json!({"events": [
            {"type": "prompt", "at": "2026-05-04T10:00:00Z", "text": text},
            {"type": "tool_use", "at": "2026-05-04T10:00:01Z", "tool": "Write", "input": {"file": "x.env", "nested": [{"content": text}], "password": [secret.clone()], text.clone(): 1}},
            {"type": "command", "at": "2026-05-04T10:00:02Z", "command": format!("echo '{text}'"), "output": text, "exit_code": 0},
        ]});
        agent.post(&format!("sessions/{id}/events"), events).await.expect(200);
        let written = agent.post(&format!("sessions/{id}/checkpoints"),
            json!({"decisions": [format!("We keep {text}")], "progress": [{"item": text, "status": "completed", "note": text}], "discoveries": [format!("Found {text}")], "next_step": text})).await.expect(201);
        assert!(!written.to_string().contains(&secret), "{written}");
        agent.post(&format!("sessions/{id}/end"), json!({"summary": text})).await.expect(200);
        nowhere(&house, &secret).await;
    }
}

#[tokio::test]
async fn a_workspace_may_refuse_instead() {
    let house = House::open().await;
    let (agent, admin) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    admin.patch("/v1/workspaces/coding", json!({"settings": {"secret_policy": "reject"}})).await.expect(200);
    for (text, secret) in planted() {
        let reply = agent.post("memories", json!({"content": text})).await;
        reply.refuses(422, "invalid");
        assert_eq!(reply.body["errors"][0]["field"], "content");
        assert!(!reply.text().contains(&secret), "{reply:?}");
        let session = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
        let log = format!("sessions/{}/events", session["id"].as_str().unwrap());
        let reply = agent.post(&log, json!({"events": [{"type": "note", "at": "2026-05-04T10:00:00Z", "text": text}]})).await;
        reply.refuses(422, "invalid");
        assert_eq!(reply.body["errors"][0]["field"], "events[0].text");
        assert_eq!(agent.lists(&log).await.len(), 0);
        nowhere(&house, &secret).await;
    }
    assert!(admin.lists("audit?action=secrets.refused").await.len() >= 6);
    agent.remembers("The password is hashed with Argon2id and the token budget is 2000.").await;
}

#[tokio::test]
async fn what_a_secret_stood_under_is_nobodys_words_in_the_trail() {
    let house = House::open().await;
    let (agent, admin) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    let [(_, _), (_, token), (_, password)] = planted();
    let (words, hidden) = ("Grace Hopper password", format!("{token} password"));
    let session = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let log = format!("sessions/{}/events", session["id"].as_str().unwrap());
    let events = json!({"events": [{"type": "tool_use", "at": "2026-05-04T10:00:00Z", "input": {words: password, hidden.clone(): [{"password": password}]}}]});
    for policy in ["redact", "reject"] {
        admin.patch("/v1/workspaces/coding", json!({"settings": {"secret_policy": policy}})).await.expect(200);
        let sent = agent.post(&log, events.clone()).await;
        let kept = agent.post("/v1/memory_stores", json!({"name": policy, "metadata": {words: password}})).await;
        assert_eq!((sent.status, kept.status), if policy == "redact" { (200, 200) } else { (422, 400) }, "{sent:?} {kept:?}");
        for reply in [sent, kept] {
            assert!(!reply.text().contains(&token) && !reply.text().contains(&password), "{reply:?}");
        }
    }
    let trail = json!(admin.lists("audit").await).to_string();
    assert!(trail.contains(r#""field":"events[0].input""#) && trail.contains(r#""field":"metadata""#), "{trail}");
    assert!(!trail.contains("Grace") && !trail.contains("[redacted"), "{trail}");
    let entries = house.dump().await;
    let entries: Vec<&str> = entries.lines().filter(|row| row.starts_with("audit_")).collect();
    assert!(entries.iter().any(|row| row.contains("secrets.redacted")) && !entries.iter().any(|row| row.contains("Grace")));
    nowhere(&house, &token).await;
    nowhere(&house, &password).await;
}

#[tokio::test]
async fn no_reason_of_a_deletion_or_a_hold_keeps_a_secret() {
    let house = House::open().await;
    let (agent, auditor) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Auditor).await);
    let person = house.person("coding", Role::Writer).await;
    let browser = house.browser_of(&person.email).await;
    for (n, (text, secret)) in planted().into_iter().enumerate() {
        let memory = agent.remembers(&format!("something to be let go of ({n})")).await;
        let asked = agent.asks_to_erase(&[&memory], &text).await;
        let held = auditor.post("holds", json!({"memory_ids": [memory["id"]], "reason": text})).await.expect(201);
        let read = auditor.get(&format!("holds/{}", held["id"].as_str().unwrap())).await.expect(200);
        auditor.post("holds", json!({"subject": text, "reason": "case"})).await.refuses(422, "invalid");
        for said in [&asked, &held, &read] {
            assert!(!said.to_string().contains(&secret) && said["reason"].as_str().unwrap().contains("[redacted: "), "{said}");
        }
        for (target, told) in [(&asked, "deletion.asked"), (&held, "hold.placed")] {
            let trail = auditor.trail_of(target["id"].as_str().unwrap()).await;
            assert!([told, "secrets.redacted"].iter().all(|action| trail.iter().any(|entry| entry["action"] == *action)), "{trail:?}");
        }
        let mine = person.remembers(&format!("something of one's own ({n})")).await;
        browser.sends(&format!("/w/coding/memories/{}/ask-deletion", mine["id"].as_str().unwrap()), &[("reason", &text)]).await;
        nowhere(&house, &secret).await;
    }
    house.admin().await.patch("/v1/workspaces/coding", json!({"settings": {"secret_policy": "reject"}})).await.expect(200);
    let memory = agent.remembers("something that stays").await;
    for (text, _) in planted() {
        let asked = json!({"memory_ids": [memory["id"]], "reason": text});
        assert_eq!(agent.post("deletion-requests", asked.clone()).await.refuses(422, "invalid").wrong_fields(), ["reason"]);
        assert_eq!(auditor.post("holds", asked).await.refuses(422, "invalid").wrong_fields(), ["reason"]);
    }
}

#[tokio::test]
async fn no_workspace_and_no_agent_is_called_by_a_secret() {
    let house = House::open().await;
    house.workspace("coding").await;
    let admin = house.admin().await.looking_at("coding");
    for (n, (text, secret)) in planted().into_iter().enumerate() {
        for (field, said) in [("name", json!({"name": text})), ("purpose", json!({"purpose": text}))] {
            assert_eq!(admin.patch("/v1/workspaces/coding", said.clone()).await.refuses(422, "invalid").wrong_fields(), [field]);
            let mut new = json!({"slug": format!("new-{n}"), "name": "New", "purpose": "tests"});
            new[field] = said[field].clone();
            assert_eq!(admin.post("/v1/workspaces", new).await.refuses(422, "invalid").wrong_fields(), [field]);
        }
        // A password shows only by what it stands in, and that is no name.
        if n < 2 {
            let named = admin.post("agents", json!({"name": secret, "role": "writer"})).await;
            assert_eq!(named.refuses(422, "invalid").wrong_fields(), ["name"]);
        }
        nowhere(&house, &secret).await;
    }
}

#[tokio::test]
async fn what_was_answered_is_answered_so_under_a_stricter_rule() {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    admin.put("policies", json!({"policies": {"fact": {"review_threshold": "always"}}})).await.expect(200);
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let [(text, _), ..] = planted();
    let store = format!("/v1/memory_stores/memstore_{}/memories", house.workspace("coding").await);
    let mut asked = vec![(&*agent, store, json!({"path": "/kept.md", "content": text}))];
    for way in ["approve", "reject", "edit", "decide"] {
        let waiting = agent.remembers(&format!("Something to {way}.")).await;
        let queue = person.lists("proposals").await;
        let proposal = &queue.iter().find(|one| one["memory_id"] == waiting["id"]).expect("it waits")["id"];
        asked.push(match way {
            "decide" => (&*person, "proposals/decide".to_owned(), json!({"approve": [proposal], "note": text})),
            "edit" => (&*person, format!("proposals/{}/edit", proposal.as_str().unwrap()), json!({"content": text})),
            _ => (&*person, format!("proposals/{}/{way}", proposal.as_str().unwrap()), json!({"note": text})),
        });
    }
    let mut first = Vec::new();
    for (who, path, body) in &asked {
        first.push(who.ask("POST", path).header("Idempotency-Key", path).json(body).send().await);
    }
    admin.patch("/v1/workspaces/coding", json!({"settings": {"secret_policy": "reject"}})).await.expect(200);
    for ((who, path, body), first) in asked.iter().zip(&first) {
        assert_eq!(first.status, 200, "{path}: {first:?}");
        let again = who.ask("POST", path).header("Idempotency-Key", path).json(body).send().await;
        assert_eq!((again.status, &again.bytes), (200, &first.bytes), "{path}");
    }
}
