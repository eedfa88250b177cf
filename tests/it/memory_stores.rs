//! The Memory Stores API by hand: its memories are the same memories, with every rule that holds for them. The official SDKs walk
//! it in `tests/clients`.

use cairn_tests::{Actor, Agent, House, Role, at};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

fn sha(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn id(made: &Value) -> &str {
    made["id"].as_str().unwrap_or_else(|| panic!("no id: {made}"))
}

/// The same id without its word, as our own paths have it.
fn bare(made: &Value) -> Value {
    json!({"id": id(made).split_once('_').expect("a word").1})
}

async fn makes_store(agent: &Actor, name: &str) -> String {
    let store = agent.post("/v1/memory_stores", json!({"name": name})).await.expect(200);
    format!("/v1/memory_stores/{}", id(&store))
}

async fn puts(agent: &Actor, store: &str, path: &str, content: &str) -> Value {
    agent.post(&format!("{store}/memories?view=full"), json!({"path": path, "content": content})).await.expect(200)
}

fn of(store: &str, memory: &Value) -> String {
    format!("{store}/memories/{}", id(memory))
}

#[tokio::test]
async fn a_memory_is_one_row_however_it_came() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let store = makes_store(&agent, "freezes").await;
    let memory = puts(&agent, &store, "/deploys.md", "Deploys are frozen on fridays").await;
    assert_eq!((&memory["content_sha256"], &memory["content_size_bytes"]), (&json!(sha("Deploys are frozen on fridays")), &json!(29)));
    assert_eq!(agent.recalls("when are deploys frozen?").await, ["Deploys are frozen on fridays"]);
    let ours = agent.reads(&bare(&memory)).await;
    assert_eq!(json!(format!("memstore_{}", ours["store_id"].as_str().unwrap())), memory["memory_store_id"]);
    assert_eq!(agent.lists("memories").await.len(), 1);
    // A path is unique in its store, and another store's is another.
    agent.remembers_all_of(json!({"content": "In main, something else", "path": "/deploys.md"})).await;
    let main = format!("/v1/memory_stores/memstore_{}", house.workspace("coding").await);
    let listed = agent.get(&format!("{main}/memories?view=full")).await.expect(200);
    assert_eq!(listed["data"][0]["content"], "In main, something else");
    let stores = agent.get("/v1/memory_stores").await.expect(200);
    assert_eq!(stores["data"].as_array().unwrap().iter().map(|one| &one["name"]).collect::<Vec<_>>(), ["freezes", "main"]);

    // Revised elsewhere, it is so here; undone and erased, too.
    agent.revises(&bare(&memory), json!({"content": "Deploys are frozen on sundays"})).await;
    assert_eq!(agent.get(&of(&store, &memory)).await.expect(200)["content"], "Deploys are frozen on sundays");
    reviewer.post("rollbacks", json!({"memory_ids": [bare(&memory)["id"]], "from": ours["updated_at"]})).await;
    let request = agent.asks_to_erase(&[&bare(&memory)], "because").await;
    reviewer.lets_go(&request).await;
    agent.get(&of(&store, &memory)).await.denies(404, "not_found_error", "not_found");
    let versions = agent.get(&format!("{store}/memory_versions")).await.expect(200);
    assert_eq!(versions["data"], json!([]));
    let again = agent.post(&format!("{store}/memories"), json!({"path": "/again", "content": "Deploys are frozen on sundays"})).await;
    again.denies(409, "invalid_request_error", "content_erased");
}

#[tokio::test]
async fn changes_under_a_condition_and_paths_that_are_taken() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let store = makes_store(&agent, "notes").await;
    let memory = puts(&agent, &store, "/a/b.md", "one").await;
    let change =
        |content: &str, seen: &str| json!({"content": content, "precondition": {"type": "content_sha256", "content_sha256": sha(seen)}});
    let place = of(&store, &memory);
    agent.post(&place, change("two", "other")).await.denies(409, "memory_precondition_failed_error", "memory_precondition_failed");
    assert_eq!(agent.patch(&place, change("two", "one")).await.expect(200)["content"], json!(null));
    // So already: no version, whatever was expected.
    let same = agent.post(&place, change("two", "other")).await.expect(200);
    assert_eq!(same["memory_version_id"], format!("{}_2", id(&memory).replace("mem_", "memver_")));
    for path in ["/a/b.md", "/a", "/a/b.md/c"] {
        let reply = agent.post(&format!("{store}/memories"), json!({"path": path, "content": "x"})).await;
        let error = &reply.denies(409, "memory_path_conflict_error", "path_conflict").body["error"];
        assert_eq!((&error["conflicting_memory_id"], &error["conflicting_path"]), (&memory["id"], &json!("/a/b.md")), "{path}");
        assert_eq!(reply.header("x-should-retry"), "false");
    }
    let other = puts(&agent, &store, "/c.md", "").await;
    let moved = agent.post(&of(&store, &other), json!({"path": "/a/b.md"})).await;
    assert_eq!(moved.denies(409, "memory_path_conflict_error", "path_conflict").body["error"]["conflicting_memory_id"], memory["id"]);
    assert_eq!(agent.post(&of(&store, &other), json!({"path": "/d.md"})).await.expect(200)["path"], "/d.md");
    let gone = |seen: &str| format!("{place}?expected_content_sha256={}", sha(seen));
    agent.delete(&gone("one")).await.denies(409, "memory_precondition_failed_error", "memory_precondition_failed");
    assert_eq!(agent.delete(&gone("two")).await.expect(200), json!({"id": memory["id"], "type": "memory_deleted"}));
    agent.delete(&place).await.denies(404, "not_found_error", "not_found");

    let versions = agent.get(&format!("{store}/memory_versions?memory_id={}&view=full", id(&memory))).await.expect(200);
    let told: Vec<_> = versions["data"].as_array().unwrap().iter().map(|one| (&one["operation"], &one["content"], &one["path"])).collect();
    let path = json!("/a/b.md");
    let expected = [(json!("deleted"), json!(null)), (json!("modified"), json!("two")), (json!("created"), json!("one"))];
    assert_eq!(told, expected.iter().map(|(operation, content)| (operation, content, &path)).collect::<Vec<_>>());
    assert_eq!(versions["data"][0]["created_by"], json!({"type": "api_actor", "api_key_id": format!("apikey_{}", agent.id)}));
    // Under our own paths it comes back.
    agent.post(&format!("{}/restore", at(&bare(&memory))), json!({})).await.expect(200);
    assert_eq!(agent.get(&place).await.expect(200)["content"], "two");
}

#[tokio::test]
async fn lists_roll_up_and_page() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let store = makes_store(&agent, "tree").await;
    for path in ["/a.md", "/a/x/1", "/a/x/2", "/a/y", "/ab/z", "/b"] {
        puts(&agent, &store, path, path).await;
    }
    let list = async |query: &str| {
        let (mut all, mut page) = (Vec::new(), String::new());
        loop {
            let answer = agent.get(&format!("{store}/memories?limit=2{query}{page}")).await.expect(200);
            all.extend(answer["data"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap().to_owned()));
            match answer["next_page"].as_str() {
                Some(next) => page = format!("&page={next}"),
                None => return all,
            }
        }
    };
    assert_eq!(list("").await, ["/a.md", "/a/x/1", "/a/x/2", "/a/y", "/ab/z", "/b"]);
    assert_eq!(list("&depth=1").await, ["/a.md", "/a/", "/ab/", "/b"]);
    assert_eq!(list("&depth=1&path_prefix=/a/").await, ["/a/x/", "/a/y"]);
    assert_eq!(list("&depth=2").await, ["/a.md", "/a/x/", "/a/y", "/ab/z", "/b"]);
    assert_eq!(list("&path_prefix=/a/").await, ["/a/x/1", "/a/x/2", "/a/y"]);
    for (query, field) in [
        ("path_prefix=/a", "path_prefix"),
        ("depth=-1", "depth"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("page=x", "page"),
        ("view=x", "view"),
        ("colour=red", "colour"),
    ] {
        let reply = agent.get(&format!("{store}/memories?{query}")).await;
        assert_eq!(reply.denies(400, "invalid_request_error", "invalid").body["error"]["errors"][0]["field"], field, "{query}");
    }
    for path in ["a", "/", "/a//b", "/a/../b", "/cafe\u{301}", "/a\u{202e}", "/a\nb"] {
        agent.post(&format!("{store}/memories"), json!({"path": path, "content": "x"})).await.denies(
            400,
            "invalid_request_error",
            "invalid",
        );
    }
}

#[tokio::test]
async fn an_archived_store_takes_nothing_through_any_door() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Reviewer).await);
    let store = makes_store(&agent, "closing").await;
    let (kept, doomed) = (puts(&agent, &store, "/kept.md", "kept").await, puts(&agent, &store, "/doomed.md", "doomed").await);
    let away = puts(&agent, &store, "/away.md", "away").await;
    agent.delete(&of(&store, &away)).await.expect(200);
    let archived = agent.ask("POST", &format!("{store}/archive")).send().await.expect(200);
    assert!(archived["archived_at"].is_string());
    assert_eq!(agent.ask("POST", &format!("{store}/archive")).send().await.expect(200), archived);
    let refused = [
        agent.post(&format!("{store}/memories"), json!({"path": "/new.md", "content": "x"})).await,
        agent.post(&of(&store, &kept), json!({"content": "changed"})).await,
        agent.post(&of(&store, &kept), json!({"path": "/moved.md"})).await,
        agent.post(&store, json!({"name": "another"})).await,
    ];
    for reply in &refused {
        reply.denies(409, "invalid_request_error", "store_archived");
    }
    agent.patch(&at(&bare(&kept)), json!({"content": "changed"})).await.refuses(409, "store_archived");
    agent.post(&format!("{}/restore", at(&bare(&away))), json!({})).await.refuses(409, "store_archived");
    let rolled = reviewer.post("rollbacks", json!({"memory_ids": [bare(&away)["id"]], "agent_id": agent.id})).await.expect(201);
    assert_eq!(agent.reads(&bare(&away)).await["state"], "archived", "{rolled}");
    assert_eq!(agent.get(&of(&store, &kept)).await.expect(200)["content"], "kept");
    agent.delete(&of(&store, &doomed)).await.expect(200);
    let shown = async |query: &str| agent.get(&format!("/v1/memory_stores{query}")).await.expect(200)["data"].as_array().unwrap().len();
    assert_eq!((shown("").await, shown("?include_archived=true").await), (1, 2));
}

#[tokio::test]
async fn deleting_a_store_puts_away_what_is_in_it_and_a_reviewer_brings_it_back() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    let (reviewer, admin) = (house.person("coding", Role::Reviewer).await, house.admin().await);
    let hers = house.agent_like("coding", json!({"role": "writer", "owner": ada.id})).await;
    let made =
        agent.post("/v1/memory_stores", json!({"name": "doomed", "description": "of ada", "metadata": {"user": "ada"}})).await.expect(200);
    let store = format!("/v1/memory_stores/{}", id(&made));
    let (shared, private) =
        (puts(&agent, &store, "/shared.md", "for all to see").await, puts(&hers, &store, "/mine.md", "for me alone").await);
    ada.revises(&bare(&private), json!({"visibility": "private"})).await;
    let (before, away) =
        (puts(&agent, &store, "/before.md", "gone before").await, json!({"type": "memory_store_deleted", "id": made["id"]}));
    agent.delete(&of(&store, &before)).await.expect(200);
    assert_eq!(agent.delete(&store).await.expect(200), away);
    for gone in [store.clone(), format!("{store}/memories"), of(&store, &shared), format!("{store}/memory_versions")] {
        agent.get(&gone).await.denies(404, "not_found_error", "not_found");
    }
    agent.delete(&store).await.denies(404, "not_found_error", "not_found");
    agent.post(&format!("{store}/memories"), json!({"path": "/x", "content": "x"})).await.denies(404, "not_found_error", "not_found");
    assert_eq!(agent.recalls("what is there for all to see?").await, [""; 0]);
    assert_eq!(
        (&agent.reads(&bare(&shared)).await["state"], &ada.reads(&bare(&private)).await["state"]),
        (&json!("archived"), &json!("archived"))
    );
    agent.post(&format!("{}/restore", at(&bare(&shared))), json!({})).await.refuses(409, "store_archived");
    let actions: Vec<Value> = admin.trail_of(&id(&made)["memstore_".len()..]).await.iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["store.created", "store.deleted"]);

    let own = format!("stores/{}/restore", id(&made));
    agent.post(&own, json!({})).await.refuses(403, "forbidden");
    assert_eq!(reviewer.post(&own, json!({})).await.expect(200)["restored"], 2);
    reviewer.post(&own, json!({})).await.refuses(409, "not_deleted");
    let back = agent.get(&store).await.expect(200);
    assert_eq!((&back["name"], &back["description"], &back["metadata"]), (&json!("doomed"), &json!(""), &json!({})));
    assert_eq!(agent.get(&of(&store, &shared)).await.expect(200)["content"], "for all to see");
    assert_eq!(hers.get(&of(&store, &private)).await.expect(200)["content"], "for me alone");
    agent.get(&of(&store, &private)).await.denies(404, "not_found_error", "not_found");
    agent.get(&of(&store, &before)).await.denies(404, "not_found_error", "not_found");

    let main = format!("/v1/memory_stores/memstore_{}", house.workspace("coding").await);
    agent.delete(&main).await.denies(409, "invalid_request_error", "default_store");
    agent.ask("POST", &format!("{main}/archive")).send().await.denies(409, "invalid_request_error", "default_store");
    agent.post(&main, json!({"name": "other"})).await.denies(409, "invalid_request_error", "default_store");
    agent.post(&main, json!({"description": "what we know"})).await.expect(200);
}

#[tokio::test]
async fn redaction_empties_what_is_not_known_now_and_obeys_holds() {
    let house = House::open().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Reviewer).await);
    let (auditor, admin) = (house.person("coding", Role::Auditor).await, house.admin().await);
    let store = makes_store(&writer, "slips").await;
    let memory = puts(&writer, &store, "/secret-path.md", "the slip zanzibar").await;
    let version = |n: i32| format!("{store}/memory_versions/{}_{n}", id(&memory).replace("mem_", "memver_"));
    let redact = async |agent: &Agent, n| agent.ask("POST", &format!("{}/redact", version(n))).send().await;
    redact(&reviewer, 1).await.denies(409, "invalid_request_error", "current_version");
    let answer = writer.asks(json!({"query": "zanzibar"})).await;
    let renamed = json!({"content": "said otherwise", "path": "/plain.md"});
    writer.ask("POST", &of(&store, &memory)).header("Idempotency-Key", "k").json(&renamed).send().await.expect(200);
    redact(&writer, 1).await.denies(403, "permission_error", "forbidden");
    let hold = auditor.post("holds", json!({"memory_ids": [bare(&memory)["id"]], "reason": "a case"})).await.expect(201);
    redact(&reviewer, 1).await.denies(409, "invalid_request_error", "held");
    auditor.delete(&format!("holds/{}", id(&hold))).await;
    let emptied = redact(&reviewer, 1).await.expect(200);
    for member in ["content", "path", "content_size_bytes", "content_sha256"] {
        assert_eq!(emptied[member], json!(null), "{member}");
    }
    assert_eq!(emptied["redacted_by"], json!({"type": "api_actor", "api_key_id": format!("apikey_{}", reviewer.id)}));
    assert_eq!(emptied["created_by"], json!({"type": "api_actor", "api_key_id": format!("apikey_{}", writer.id)}));
    assert_eq!(redact(&reviewer, 1).await.expect(200), emptied, "once is enough");
    assert_eq!(writer.get(&version(1)).await.expect(200), emptied);
    for table in ["memory_versions", "memories", "idempotency_keys"] {
        let left = house
            .count(&format!(
                "select count(*) from {table} t where to_jsonb(t)::text like '%zanzibar%' or to_jsonb(t)::text like '%secret-path%'"
            ))
            .await;
        assert_eq!(left, 0, "{table}");
    }
    assert_eq!(writer.get(&of(&store, &memory)).await.expect(200)["content"], "said otherwise");
    writer.looks_up(&answer).await;
    writer.post(&format!("{}/revert", at(&bare(&memory))), json!({"version": 1})).await.refuses(409, "version_redacted");
    let actions: Vec<Value> = admin.trail_of(&id(&memory)["mem_".len()..]).await.iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["memory.remembered", "memory.revised", "memory.redacted"]);

    // Of what is gone, the last one too; and then it does not come back.
    writer.delete(&of(&store, &memory)).await.expect(200);
    for n in [2, 3] {
        redact(&reviewer, n).await.expect(200);
    }
    writer.post(&format!("{}/restore", at(&bare(&memory))), json!({})).await.refuses(409, "version_redacted");
    assert_eq!(house.count("select count(*) from memories t where to_jsonb(t)::text like '%plain%'").await, 0);
    writer.recalls("said otherwise").await;
    redact(&reviewer, 4).await.denies(404, "not_found_error", "not_found");
}

#[tokio::test]
async fn the_rules_of_memories_hold_here_too() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let main = format!("/v1/memory_stores/memstore_{}", house.workspace("coding").await);
    agent.remembers_all_of(json!({"content": "We sign with RS256", "kind": "decision", "path": "/jwt.md"})).await;
    let decision = agent.get(&format!("{main}/memories")).await.expect(200)["data"][0].clone();
    agent.post(&of(&main, &decision), json!({"content": "We sign with HS256"})).await.denies(
        409,
        "invalid_request_error",
        "decision_immutable",
    );
    agent.post(&of(&main, &decision), json!({"path": "/adr/jwt.md"})).await.expect(200);

    let store = makes_store(&agent, "rules").await;
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let kept = puts(&agent, &store, "/token.md", &format!("token {secret}")).await;
    assert!(!kept["content"].as_str().unwrap().contains(secret) && kept["content_sha256"] == sha(kept["content"].as_str().unwrap()));
    let described = json!({"name": "x", "description": format!("token {secret}"), "metadata": {"password": "hunter2-is-not-good"}});
    assert!(!agent.post("/v1/memory_stores", described).await.text().contains(secret));
    agent.post("/v1/memory_stores", json!({"name": secret})).await.denies(400, "invalid_request_error", "invalid");

    // The same request is answered once.
    let once = async |content: &str| {
        let new = json!({"path": "/once.md", "content": content});
        agent.ask("POST", &format!("{store}/memories")).header("Idempotency-Key", "once").json(&new).send().await
    };
    assert_eq!(once("x").await.expect(200), once("x").await.expect(200));
    once("y").await.denies(409, "invalid_request_error", "idempotency_conflict");

    // A session's writes say so, and are undone with it.
    let run = agent.post("sessions", json!({"agent_tool": "sdk"})).await.expect(201);
    let new = json!({"path": "/run.md", "content": "in a run"});
    let made = agent.ask("POST", &format!("{store}/memories")).header("X-Cairn-Session", id(&run)).json(&new).send().await.expect(200);
    let versions = agent.get(&format!("{store}/memory_versions?session_id=sesn_{}", id(&run))).await.expect(200);
    assert_eq!(versions["data"][0]["created_by"], json!({"type": "session_actor", "session_id": format!("sesn_{}", id(&run))}));
    let reviewer = house.agent("coding", Role::Reviewer).await;
    reviewer.post("rollbacks", json!({"session_id": run["id"]})).await.expect(201);
    agent.get(&of(&store, &made)).await.denies(404, "not_found_error", "not_found");

    house.admin().await.looking_at("coding").patch("/v1/workspaces/coding", json!({"settings": {"quota_memories": 1}})).await;
    let full = agent.post(&format!("{store}/memories"), json!({"path": "/more.md", "content": "more"})).await;
    full.denies(409, "invalid_request_error", "quota_exceeded");
}

#[tokio::test]
async fn walls_and_projects_hold() {
    let house = House::open().await;
    let (anyone, gateway, billing) = (
        house.agent("coding", Role::Writer).await,
        house.agent_in("coding", "gateway", Role::Writer).await,
        house.agent_in("coding", "billing", Role::Writer).await,
    );
    let (shared, own) = (makes_store(&anyone, "shared").await, makes_store(&gateway, "of the gateway").await);
    let memory = puts(&gateway, &own, "/own.md", "the gateway's own").await;
    billing.get(&own).await.denies(404, "not_found_error", "not_found");
    assert_eq!(billing.get("/v1/memory_stores").await.expect(200)["data"].as_array().unwrap().len(), 2);
    let theirs = puts(&gateway, &shared, "/theirs.md", "the gateway's in a shared store").await;
    billing.get(&of(&shared, &theirs)).await.denies(404, "not_found_error", "not_found");
    let taken = billing.post(&format!("{shared}/memories"), json!({"path": "/theirs.md", "content": "x"})).await;
    assert_eq!(taken.denies(409, "memory_path_conflict_error", "path_conflict").body["error"]["conflicting_memory_id"], json!(null));
    for reply in [gateway.delete(&shared).await, gateway.post(&shared, json!({"name": "mine now"})).await] {
        reply.denies(403, "permission_error", "forbidden");
    }
    puts(&anyone, &own, "/everybodys.md", "written by an unlimited key").await;
    gateway.delete(&own).await.denies(403, "permission_error", "forbidden");
    assert_eq!(gateway.get(&of(&own, &memory)).await.expect(200)["content"], "the gateway's own");
    anyone.delete(&own).await.expect(200);

    let meant = |workspace: &str| anyone.ask("GET", "/v1/memory_stores").header("anthropic-workspace-id", workspace).send();
    assert_eq!(meant("coding").await.status, 200);
    meant("support").await.denies(404, "not_found_error", "not_found");
}

#[tokio::test]
async fn what_is_behind_a_wall_today_shows_nothing_of_its_past() {
    let house = House::open().await;
    let (ada, bert) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    let hers = house.agent_like("coding", json!({"role": "writer", "owner": ada.id})).await;
    let (his, gateway) = (
        house.agent_like("coding", json!({"role": "writer", "owner": bert.id})).await,
        house.agent_in("coding", "gateway", Role::Writer).await,
    );
    let store = makes_store(&hers, "shared").await;
    let mut made = Vec::new();
    for (path, change) in [("/mine.md", json!({"visibility": "private"})), ("/billing.md", json!({"project": "billing"}))] {
        let memory = puts(&hers, &store, path, "said to everybody at first").await;
        ada.revises(&bare(&memory), change).await;
        made.push(memory);
    }
    let versions = async |reader: &Agent, memory: &Value| {
        let listed = reader.get(&format!("{store}/memory_versions?memory_id={}&view=full", id(memory))).await.expect(200);
        listed["data"].as_array().unwrap().clone()
    };
    for (reader, memory, seen) in [
        (&hers, &made[0], 2),
        (&his, &made[0], 0),
        (&gateway, &made[0], 0),
        (&hers, &made[1], 2),
        (&his, &made[1], 2),
        (&gateway, &made[1], 0),
    ] {
        assert_eq!(versions(reader, memory).await.len(), seen, "{memory}");
    }
    let first = id(&versions(&hers, &made[0]).await[1]).to_owned();
    hers.get(&format!("{store}/memory_versions/{first}")).await.expect(200);
    his.get(&format!("{store}/memory_versions/{first}")).await.denies(404, "not_found_error", "not_found");
}

#[tokio::test]
async fn whoever_is_walled_in_brings_back_only_their_own() {
    let house = House::open().await;
    let (anyone, gateway) = (house.agent("coding", Role::Writer).await, house.agent_in("coding", "gateway", Role::Reviewer).await);
    for (name, mixed) in [("mixed", true), ("own", false)] {
        let store = makes_store(&gateway, name).await;
        let own = puts(&gateway, &store, "/own.md", &format!("the gateway's {name}")).await;
        if mixed {
            puts(&anyone, &store, "/everybodys.md", "written by an unlimited key").await;
        }
        anyone.delete(&store).await.expect(200);
        let restored = gateway.post(&format!("stores/{}/restore", &store["/v1/memory_stores/".len()..]), json!({})).await;
        if mixed {
            restored.refuses(403, "forbidden");
            assert_eq!(anyone.reads(&bare(&own)).await["state"], "archived", "nothing of it came back");
        } else {
            assert_eq!(restored.expect(200)["restored"], 1);
        }
    }
}

#[tokio::test]
async fn what_was_rejected_does_not_come_back_with_its_store() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    person.put("policies", json!({"policies": {"fact": {"review_threshold": "always"}}})).await.expect(200);
    let store = makes_store(&agent, "doomed").await;
    let waiting = puts(&agent, &store, "/waits.md", "something that waits").await;
    let proposal = person.lists("proposals").await[0]["id"].as_str().unwrap().to_owned();
    agent.delete(&store).await.expect(200);
    person.post(&format!("proposals/{proposal}/reject"), json!({})).await.expect(200);
    let restored = person.post(&format!("stores/{}/restore", &store["/v1/memory_stores/".len()..]), json!({})).await.expect(200);
    assert_eq!((&restored["restored"], &person.reads(&bare(&waiting)).await["state"]), (&json!(0), &json!("archived")));
}

#[tokio::test]
async fn every_failure_is_told_in_that_apis_words() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let stores = "/v1/memory_stores";
    for lost in ["/v1/memory_stores/", "/v1/memory_stores/memstore_x", "/v1/memory_stores/a/b/c/d", "/v1/memory_stores/%00"] {
        agent.get(lost).await.denies(404, "not_found_error", "not_found");
    }
    agent.ask("PUT", stores).send().await.denies(405, "invalid_request_error", "method_not_allowed");
    agent.showing("cairn_x_y").get(stores).await.denies(401, "authentication_error", "unauthenticated");
    agent.ask("POST", stores).bytes("application/json", "{").send().await.denies(400, "invalid_request_error", "malformed");
    agent.ask("POST", stores).bytes("text/plain", "{}").send().await.denies(400, "invalid_request_error", "unsupported_media_type");
    agent.ask("POST", stores).bytes("application/json", vec![b' '; 11 * 1024 * 1024]).send().await.denies(
        413,
        "invalid_request_error",
        "too_large",
    );
    for wrong in [
        json!({}),
        json!({"name": ""}),
        json!({"name": "a\u{0}"}),
        json!({"name": "x".repeat(256)}),
        json!({"name": "x", "description": "x".repeat(1025)}),
        json!({"name": "x", "metadata": {"": "x"}}),
        json!({"name": "x", "metadata": {"k": "x".repeat(513)}}),
        json!({"name": "x", "metadata": {"k": 1}}),
        json!({"name": "x", "more": 1}),
    ] {
        agent.post(stores, wrong).await.denies(400, "invalid_request_error", "invalid");
    }
    let many: serde_json::Map<_, _> = (0..17).map(|n| (n.to_string(), json!("x"))).collect();
    agent.post(stores, json!({"name": "x", "metadata": many})).await.denies(400, "invalid_request_error", "invalid");
    let made = agent.post(stores, json!({"name": "x", "metadata": {"a": "1", "b": "2"}})).await.expect(200);
    let changed =
        agent.patch(&format!("{stores}/{}", id(&made)), json!({"metadata": {"a": null, "c": "3"}, "name": null})).await.expect(200);
    assert_eq!((&changed["metadata"], &changed["name"]), (&json!({"b": "2", "c": "3"}), &json!("x")));
}
