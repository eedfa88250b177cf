//! `/mcp` lets in agents only, each into its own workspace: not theirs looks like not there, through every tool.

use cairn_tests::{House, NEWEST, Role, nobody};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[tokio::test]
async fn only_an_agent_with_a_key_or_token_is_let_in() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    let anonymous = house.stranger().message("tools/list", json!({})).send().await;
    assert_eq!(anonymous.refuses(401, "unauthenticated").header("www-authenticate"), "Bearer");
    assert_eq!(agent.showing("cairn_x_y").message("tools/list", json!({})).send().await.status, 401);
    person.message("tools/list", json!({})).send().await.refuses(403, "agent_key_required");
    for path in
        ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"]
    {
        assert_eq!(house.stranger().get(path).await.status, 404, "no client is sent into a flow that cannot succeed: {path}");
    }
    let token = agent.post("/v1/auth/token", json!({"role": "reader"})).await.expect(200);
    let narrower = agent.showing(token["access_token"].as_str().unwrap());
    assert!(!narrower.tools().await.contains(&"remember".to_owned()) && agent.tools().await.contains(&"remember".to_owned()));
    let by_header = agent.showing_nothing().message("tools/list", json!({})).header("x-api-key", &agent.key).send().await;
    assert_eq!(by_header.status, 200);
}

#[tokio::test]
async fn a_page_of_another_site_is_not_let_in_and_any_name_of_the_server_is() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for origin in ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1"] {
        agent.message("tools/list", json!({})).header("origin", origin).send().await.refuses(403, "foreign_origin");
        house.stranger().message("tools/list", json!({})).header("origin", origin).send().await.refuses(403, "foreign_origin");
    }
    assert_eq!(agent.message("tools/list", json!({})).header("origin", &house.url).send().await.status, 200);
    assert_eq!(agent.message("tools/list", json!({})).header("host", "cairn.example.org").send().await.status, 200);
}

#[tokio::test]
async fn who_may_not_is_told_so_and_the_trail_has_it() {
    let house = House::open().await;
    let (reader, writer) = (house.agent("coding", Role::Reader).await, house.agent("coding", Role::Writer).await);
    let admin = house.admin().await;
    let refusals = async || admin.lists("audit?action=access.refused").await.len();
    let before = refusals().await;
    reader.uses("remember", json!({"content": "not mine to say"})).await.fails("forbidden");
    let verdict = json!({"memory_id": nobody()});
    writer.uses("verify_memory", verdict).await.fails("forbidden");
    assert_eq!(refusals().await, before + 2);
    assert_eq!(reader.lists("memories").await, Vec::<Value>::new());
}

/// Every tool and every resource, with an id of another workspace and with one of nobody: the same answer.
#[tokio::test]
async fn a_foreign_memory_and_no_memory_are_told_alike() {
    let house = House::open().await;
    let (coding, support) = (house.agent("coding", Role::Admin).await, house.agent("support", Role::Admin).await);
    let secret = coding.remembers_all_of(json!({"content": "fridays are frozen", "anchors": [{"path": "freeze.py"}]})).await;
    coding.uses("start_task", json!({"key": "freeze", "title": "Freeze fridays"})).await.done();
    let session = coding.uses("checkpoint", json!({"task": "freeze", "next_step": "thaw"})).await.done()["session_id"].clone();
    let (id, nobodys) = (secret["id"].clone(), json!(nobody()));
    let told = coding.uses("recall", json!({"query": "what is frozen?"})).await.done()["receipt_id"].clone();
    let ours = support.remembers("mondays are busy").await["id"].clone();
    support.uses("start_task", json!({"key": "our-own", "title": "Our own"})).await.done();
    let calls = |id: &Value, session: &Value, receipt: &Value, task: &str| {
        [
            ("get_memory", json!({"memory_ids": [id]})),
            ("remember", json!({"content": "newer", "supersedes": id})),
            ("remember", json!({"content": "newer", "session_id": session})),
            ("report_stale", json!({"memory_id": id})),
            ("verify_memory", json!({"memory_id": id})),
            ("forget", json!({"memory_ids": [id], "reason": "a test"})),
            ("checkpoint", json!({"session_id": session, "next_step": "thaw"})),
            ("resume_task", json!({"key": task})),
            ("resume_task", json!({"key": "our-own", "session_id": session})),
            ("report_stale", json!({"memory_id": ours, "receipt_id": receipt})),
            ("complete_task", json!({"key": task})),
            ("context", json!({"task": task})),
        ]
    };
    let mut tried = BTreeSet::from(["recall", "related_code", "start_task"]);
    for ((tool, theirs), (_, nobodys)) in
        calls(&id, &session, &told, "freeze").into_iter().zip(calls(&nobodys, &nobodys, &nobodys, "no-such-task"))
    {
        let (theirs, nobodys) = (support.uses(tool, theirs).await, support.uses(tool, nobodys).await);
        assert!(!theirs.code.is_empty(), "{tool}: {theirs:?}");
        assert_eq!((&theirs.code, &theirs.text), (&nobodys.code, &nobodys.text), "{tool}");
        tried.insert(tool);
    }
    let shown = support.tools().await;
    assert_eq!(tried, shown.iter().map(String::as_str).collect(), "a tool that was added later is tried here too");

    for session in [&session, &nobodys] {
        let found = support.uses("recall", json!({"query": "what is frozen?", "session_id": session})).await.done();
        let ids: Vec<&Value> = found["items"].as_array().unwrap().iter().map(|item| &item["memory_id"]).collect();
        assert!(!ids.contains(&&id), "{found}");
    }
    let brief = async |task: &str| {
        let sent = json!({"name": "session_start", "arguments": {"task": task}});
        support.mistakes("prompts/get", sent).await.body["error"].clone()
    };
    assert_eq!(brief("freeze").await, brief("no-such-task").await);
    assert_eq!(support.uses("related_code", json!({"path": "freeze.py"})).await.done()["memories"]["items"], json!([]));
    support.uses("start_task", json!({"key": "freeze", "title": "Our own"})).await.done();
    assert_eq!(support.says("resources/list", json!({})).await["resources"].as_array().unwrap().len(), 1, "their own");
    let read = async |id: &Value| {
        let uri = format!("cairn://memory/{}", id.as_str().unwrap());
        let reply = support.mistakes("resources/read", json!({"uri": uri})).await;
        (reply.status, reply.body["error"]["code"].clone(), reply.body["error"]["message"].clone())
    };
    assert_eq!(read(&id).await, read(&nobodys).await);
    let whole = coding.uses("get_memory", json!({"memory_ids": [id]})).await.done();
    assert_eq!(whole["memories"][0]["version"], 1, "nothing was changed by those who may not even know");
}

#[tokio::test]
async fn a_key_that_is_walled_in_a_project_stays_in_it() {
    let house = House::open().await;
    let (anyone, walled) = (house.agent("coding", Role::Admin).await, house.agent_in("coding", "gateway", Role::Admin).await);
    let elsewhere = anyone.remembers_all_of(json!({"content": "the billing secret handshake", "project": "billing"})).await;
    let own = walled.uses("remember", json!({"content": "the gateway's secret handshake"})).await.done();
    let found = walled.uses("recall", json!({"query": "secret handshake"})).await.done();
    let ids: Vec<&Value> = found["items"].as_array().unwrap().iter().map(|item| &item["memory_id"]).collect();
    assert_eq!(ids, [&own["memory_id"]]);
    walled.uses("get_memory", json!({"memory_ids": [elsewhere["id"]]})).await.fails("not_found");
    walled.uses("remember", json!({"content": "over the wall", "project": "billing"})).await.fails("forbidden");
    assert_eq!(walled.says("resources/list", json!({})).await["resources"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_private_is_told_to_its_owners_agents_alone() {
    let house = House::open().await;
    let owner = house.person("coding", Role::Writer).await;
    let own = house.agent_like("coding", json!({"role": "admin", "owner": owner.id})).await;
    let others = house.agent("coding", Role::Admin).await;
    let secret = json!({"content": "the umbrella stands behind the door", "visibility": "private", "anchors": [{"path": "door.py"}]});
    let secret = own.remembers_all_of(secret).await;
    let uri = format!("cairn://memory/{}", secret["id"].as_str().unwrap());
    assert_eq!(own.uses("recall", json!({"query": "umbrella"})).await.done()["items"][0]["memory_id"], secret["id"]);
    assert_eq!(own.says("resources/list", json!({})).await["resources"][0]["uri"], uri);

    assert_eq!(others.uses("recall", json!({"query": "umbrella"})).await.done()["items"], json!([]));
    assert_eq!(others.uses("related_code", json!({"path": "door.py"})).await.done()["memories"]["items"], json!([]));
    assert!(!others.uses("context", json!({})).await.text.contains("umbrella"));
    others.uses("get_memory", json!({"memory_ids": [secret["id"]]})).await.fails("not_found");
    others.uses("verify_memory", json!({"memory_id": secret["id"]})).await.fails("not_found");
    others.uses("report_stale", json!({"memory_id": secret["id"]})).await.fails("not_found");
    assert_eq!(others.says("resources/list", json!({})).await["resources"], json!([]));
    others.mistakes("resources/read", json!({"uri": uri})).await;
}

#[tokio::test]
async fn a_revoked_key_stops_at_once() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    assert!(!agent.tools().await.is_empty());
    let key = format!("agents/{}/keys/{}", agent.id, agent.key_id);
    assert_eq!(house.admin().await.delete(&key).await.status / 100, 2);
    assert_eq!(agent.message("tools/list", json!({})).header("mcp-protocol-version", NEWEST).send().await.status, 401);
}
