//! People, members, agents and their keys: who comes in, with what rights, and that they are out at once when told to go.

use cairn_tests::{House, ROLES, Role, at, nobody};
use serde_json::json;

#[tokio::test]
async fn a_key_opens_in_both_headers_and_only_whole() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let nobody_yet = agent.showing_nothing();
    assert_eq!(nobody_yet.ask("GET", "memories").header("X-Api-Key", &agent.key).send().await.status, 200);
    let me = agent.get("/v1/me").await.expect(200);
    assert_eq!((&me["actor"]["id"], &me["workspaces"][0]["role"]), (&json!(agent.id), &json!("writer")));
    let other = house.agent("coding", Role::Admin).await;
    let secret = |key: &str| key.rsplit('_').next().unwrap().to_owned();
    let id = |key: &str| key.split('_').nth(1).unwrap().to_owned();
    for wrong in [
        agent.key[..agent.key.len() - 1].to_owned(),
        format!("{}x", agent.key),
        format!("cairn_{}_{}", id(&other.key), secret(&agent.key)),
        format!("cairn_{}_{}", nobody().simple(), secret(&agent.key)),
        "cairn_".to_owned(),
    ] {
        nobody_yet.showing(wrong).get("memories").await.refuses(401, "unauthenticated");
    }
}

#[tokio::test]
async fn a_revoked_key_stops_at_once_and_its_tokens_with_it() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let second = house.key_of("coding", agent.id, &agent.name).await;
    let token = agent.ask("POST", "/v1/auth/token").send().await.expect(200)["access_token"].as_str().unwrap().to_owned();
    agent.showing(&token).get("memories").await.expect(200);
    let admin = house.admin().await;
    assert_eq!(admin.delete(&format!("agents/{}/keys/{}", agent.id, agent.key_id)).await.status, 204);
    agent.get("memories").await.refuses(401, "unauthenticated");
    agent.showing(&token).get("memories").await.refuses(401, "unauthenticated");
    second.get("memories").await.expect(200);
    let keys = admin.lists(&format!("agents/{}/keys", agent.id)).await;
    assert!(keys.iter().all(|key| key.get("key").is_none() && !key["last_used_at"].is_null()), "{keys:?}");
    assert_eq!(admin.delete(&format!("agents/{}", agent.id)).await.status, 204);
    second.get("memories").await.refuses(401, "unauthenticated");
    admin.delete(&format!("agents/{}", agent.id)).await.refuses(404, "not_found");
}

#[tokio::test]
async fn a_key_runs_out() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let admin = house.admin().await;
    let keys = format!("agents/{}/keys", agent.id);
    assert_eq!(
        admin.post(&keys, json!({"expires_at": "2020-01-01T00:00:00Z"})).await.refuses(422, "invalid").wrong_fields(),
        ["expires_at"]
    );
    let made = admin.post(&keys, json!({"expires_at": "2099-01-01T00:00:00Z"})).await.expect(201);
    let holder = agent.showing(made["key"].as_str().unwrap());
    holder.get("memories").await.expect(200);
    sqlx::query("update agent_keys set expires_at = now() - interval '1 second' where id = $1")
        .bind(made["id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap())
        .execute(house.owner())
        .await
        .unwrap();
    holder.get("memories").await.refuses(401, "unauthenticated");
}

#[tokio::test]
async fn a_token_is_never_wider_than_its_key() {
    let house = House::open().await;
    for key in ROLES {
        let agent = house.agent("coding", key).await;
        for asked in ROLES {
            let reply = agent.post("/v1/auth/token", json!({"role": asked, "ttl_seconds": 60})).await;
            if asked.within(key) {
                let me = agent.showing(reply.expect(200)["access_token"].as_str().unwrap()).get("/v1/me").await.expect(200);
                assert_eq!(me["workspaces"][0]["role"], asked.word());
            } else {
                reply.refuses(403, "wider_than_key");
            }
        }
    }
    let agent = house.agent("coding", Role::Writer).await;
    for wrong in [json!({"ttl_seconds": 3601}), json!({"ttl_seconds": 0}), json!({"ttl_seconds": -5})] {
        assert_eq!(agent.post("/v1/auth/token", wrong).await.refuses(422, "invalid").wrong_fields(), ["ttl_seconds"]);
    }
    for seconds in [1, 2, 3600] {
        let token = agent.post("/v1/auth/token", json!({"ttl_seconds": seconds})).await.expect(200);
        assert_eq!(token["expires_in"], seconds, "an hour is the most, and a moment enough");
    }
    // A token makes no further tokens, nor does a person.
    let token = agent.post("/v1/auth/token", json!({"role": "reader"})).await.expect(200)["access_token"].as_str().unwrap().to_owned();
    agent.showing(&token).post("/v1/auth/token", json!({})).await.refuses(403, "agent_key_required");
    house.admin().await.post("/v1/auth/token", json!({})).await.refuses(403, "agent_key_required");
    // What the agent may is asked anew each time: a narrower agent narrows its tokens.
    sqlx::query("update agents set role = 'auditor' where id = $1").bind(agent.id).execute(house.owner()).await.unwrap();
    let wide = agent.showing(&token);
    wide.get("memories").await.expect(200);
    wide.post("memories", json!({"content": "no"})).await.refuses(403, "forbidden");
}

#[tokio::test]
async fn a_workspace_keeps_an_admin() {
    let house = House::open().await;
    house.workspace("coding").await;
    let admin = house.admin().await;
    let own = format!("members/{}", admin.id);
    admin.put(&own, json!({"role": "reader"})).await.refuses(409, "last_admin");
    admin.delete(&own).await.refuses(409, "last_admin");
    admin.delete(&format!("/v1/users/{}", admin.id)).await.refuses(409, "last_admin");
    // An agent is nobody who could let people in.
    house.agent("coding", Role::Admin).await;
    admin.delete(&own).await.refuses(409, "last_admin");
    let other = house.person("coding", Role::Admin).await;
    admin.put(&own, json!({"role": "reader"})).await.expect(200);
    admin.get("members").await.refuses(403, "forbidden");
    other.put(&format!("members/{}", other.id), json!({"role": "writer"})).await.refuses(409, "last_admin");
}

#[tokio::test]
async fn who_leaves_is_out_at_once_with_their_agents() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    let theirs = house.agent_like("coding", json!({"role": "writer", "owner": person.id})).await;
    let memory = person.remembers("stays when I go").await;
    let admin = house.admin().await;
    assert_eq!(admin.delete(&format!("members/{}", person.id)).await.status, 204);
    person.get("memories").await.refuses(404, "not_found");
    theirs.get("memories").await.refuses(401, "unauthenticated");
    assert_eq!(admin.reads(&memory).await["created_by"]["id"], json!(person.id));
    person.get("/v1/me").await.expect(200);
    house.joins(&person.email, "coding", Role::Reader).await;
    person.reads(&memory).await;
    assert_eq!(admin.delete(&format!("/v1/users/{}", person.id)).await.status, 204);
    person.get("/v1/me").await.refuses(401, "unauthenticated");
    house.tries_to_sign_in(&person.email, &person.password).await.refuses(401, "unauthenticated");
    // What they wrote stays; who they were, and where they signed in, does not.
    let by = &admin.reads(&memory).await["created_by"];
    assert_eq!((&by["id"], &by["name"]), (&json!(person.id), &json!("removed person")));
    assert!(!house.dump().await.contains(&person.email), "{} is still known", person.email);
    assert_eq!(house.count(&format!("select count(*) from logins where person_id = '{}'", person.id)).await, 0);
}

#[tokio::test]
async fn a_changed_role_counts_from_the_next_request() {
    let house = House::open().await;
    let person = house.person("coding", Role::Reader).await;
    let admin = house.admin().await;
    person.post("memories", json!({"content": "too early"})).await.refuses(403, "forbidden");
    admin.put(&format!("members/{}", person.id), json!({"role": "writer"})).await.expect(200);
    let memory = person.remembers("now I may").await;
    admin.put(&format!("members/{}", person.id), json!({"role": "auditor"})).await.expect(200);
    person.delete(&at(&memory)).await.refuses(403, "forbidden");
    person.get("audit").await.expect(200);
}

#[tokio::test]
async fn what_ended_is_not_there() {
    let house = House::open().await;
    let agent = house.agent("ending", Role::Writer).await;
    let memory = agent.remembers("in an ending workspace").await;
    let admin = house.admin().await.looking_at("ending");
    assert_eq!(admin.delete("/v1/workspaces/ending").await.status, 204);
    agent.get(&at(&memory)).await.refuses(401, "unauthenticated");
    admin.get(&at(&memory)).await.refuses(404, "not_found");
    admin.delete("/v1/workspaces/ending").await.refuses(404, "not_found");
    // The slug is free again, and nothing of the old one comes with it.
    admin.post("/v1/workspaces", json!({"slug": "ending", "name": "Again", "purpose": ""})).await.expect(201);
    assert_eq!(admin.lists("memories").await.len(), 0);
}

#[tokio::test]
async fn names_and_addresses_are_checked() {
    let house = House::open().await;
    house.workspace("coding").await;
    let admin = house.admin().await;
    for (path, body, field) in [
        ("/v1/workspaces", json!({"slug": "No Spaces", "name": "x", "purpose": ""}), "slug"),
        ("/v1/workspaces", json!({"slug": "-x", "name": "x", "purpose": ""}), "slug"),
        ("/v1/workspaces", json!({"slug": nobody(), "name": "x", "purpose": ""}), "slug"),
        ("/v1/workspaces", json!({"slug": "fine", "name": "", "purpose": ""}), "name"),
        ("/v1/users", json!({"email": "nobody", "name": "x"}), "email"),
        ("/v1/users", json!({"email": "a@b", "name": "x", "password": "short"}), "password"),
        ("/v1/users", json!({"email": "a@b", "name": "x", "colour": "red"}), "colour"),
        ("members", json!({"email": "a@b", "role": "king"}), "role"),
        ("agents", json!({"name": "x", "role": "writer", "owner": nobody()}), "owner"),
        ("agents", json!({"name": "", "role": "writer"}), "name"),
        ("agents", json!({"role": "writer"}), "name"),
    ] {
        assert_eq!(admin.post(path, body.clone()).await.refuses(422, "invalid").wrong_fields(), [field], "{path} {body}");
    }
    let agent = json!({"name": "twice", "role": "reader"});
    admin.post("agents", agent.clone()).await.expect(201);
    admin.post("agents", agent).await.refuses(409, "name_taken");
    admin.post("/v1/users", json!({"email": "ROOT@example.org", "name": "again"})).await.refuses(409, "email_taken");
    admin.patch("/v1/workspaces/coding", json!({"settings": {"review_threshold": 2}})).await.refuses(422, "invalid");
}

/// The key is made at the moment at which its agent's owner is taken out: whoever comes second sees the other.
#[tokio::test(flavor = "multi_thread")]
async fn no_key_outlives_the_membership_of_its_agents_owner() {
    let house = House::open().await;
    let owner = house.person("coding", Role::Writer).await;
    let agent = house.agent_like("coding", json!({"role": "writer", "owner": owner.id})).await;
    let admin = house.admin().await.looking_at("coding");
    // Nobody writes a key for a moment, so that both are under way at once.
    let mut held = house.owner().begin().await.expect("a transaction");
    sqlx::query("lock table agent_keys in exclusive mode").execute(&mut *held).await.expect("held");
    let making = {
        let (admin, path) = (admin.clone(), format!("agents/{}/keys", agent.id));
        tokio::spawn(async move { admin.post(&path, json!({})).await })
    };
    let blocked = "select count(*) from pg_locks where not granted";
    cairn_tests::until("the key waits", async || house.count(blocked).await >= 1).await;
    let leaving = {
        let (admin, path) = (admin.clone(), format!("members/{}", owner.id));
        tokio::spawn(async move { admin.delete(&path).await })
    };
    cairn_tests::until("the leave waits", async || house.count(blocked).await >= 2).await;
    held.rollback().await.expect("let go");
    let made = making.await.expect("is answered");
    assert_eq!(leaving.await.expect("is answered").status, 204);
    let live = "select count(*) from agent_keys k join agents a on a.workspace_id = k.workspace_id and a.id = k.agent_id where a.owner_id is not null and k.revoked_at is null";
    assert_eq!(house.count(live).await, 0, "a key is alive whose owner is gone: {made:?}");
}
