//! A run on a branch is told what holds on that branch, without asking for it.

use crate::code::{LOGIN, file, fresh, of, picture, service, symbol, syncs};
use cairn_tests::{Agent, House, Role};
use serde_json::{Value, json};

/// Code that has another signature on a branch, a decision on it, and a run on that branch.
async fn on_two_branches(agent: &Agent) -> (Value, Value) {
    syncs(agent, picture("main", "c1", vec![service("()", "one")])).await;
    let anchors = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let decided = json!({"content": "Logging in takes nothing but a name", "kind": "decision", "anchors": anchors});
    let memory = agent.remembers_all_of(decided).await;
    syncs(agent, picture("feature/login", "f1", vec![service("(new)", "one")])).await;
    let run = json!({"agent_tool": "codex", "branch": "feature/login", "task": "login"});
    (memory, agent.post("sessions", run).await.expect(201))
}

const THERE: &str = "authenticate_user changed its signature in f1 (auth/service.py on feature/login)";

#[tokio::test]
async fn a_run_is_told_what_holds_on_its_branch() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let (memory, run) = on_two_branches(&agent).await;
    let ask = |with: Value| {
        let mut asked = json!({"query": "what does logging in take?"});
        asked.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
        asked
    };
    let told = agent.asks(ask(json!({"session_id": run["id"]}))).await;
    assert_eq!(of(&told, &memory).1["freshness"], json!({"state": "stale", "reasons": [THERE]}), "{told}");
    assert_eq!(told["branch"], "feature/login");
    assert_eq!(agent.looks_up(&told).await["items"][0]["freshness"], "stale", "the receipt says what was told");
    let without = agent.asks(ask(json!({"session_id": run["id"], "include_stale": false}))).await;
    assert!(without["items"].as_array().unwrap().iter().all(|item| item["memory_id"] != memory["id"]), "{without}");
    let over_mcp = agent.uses("recall", ask(json!({"session_id": run["id"]}))).await;
    assert_eq!(over_mcp.answer["items"][0]["freshness"]["state"], "stale", "{}", over_mcp.text);
    // Who says a branch is asked no run, and a run on the default branch, or on one nobody has seen, is told what holds there.
    let on_main = agent.asks(ask(json!({"session_id": run["id"], "branch": "main"}))).await;
    assert_eq!(of(&on_main, &memory).1["freshness"]["state"], "fresh", "{on_main}");
    for branch in ["main", "nobody/knows"] {
        let other = agent.post("sessions", json!({"agent_tool": "codex", "branch": branch})).await.expect(201);
        let told = agent.asks(ask(json!({"session_id": other["id"]}))).await;
        assert_eq!((&of(&told, &memory).1["freshness"]["state"], told.get("branch")), (&json!("fresh"), None), "{told}");
        assert_eq!(told.get("notes").and_then(Value::as_array).map_or(0, Vec::len), 0, "{told}");
    }
}

#[tokio::test]
async fn a_brief_judges_on_the_branch_that_is_worked_on() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let (memory, run) = on_two_branches(&agent).await;
    let brief = async |with: Value| agent.post("context", with).await.expect(200)["markdown"].as_str().unwrap().to_owned();
    assert!(brief(json!({"branch": "feature/login"})).await.contains(&format!("[stale: {THERE}]")));
    for with in [json!({}), json!({"branch": "main"}), json!({"branch": "nobody/knows"})] {
        assert!(!brief(with).await.contains("stale"));
    }
    let over_mcp = agent.uses("context", json!({"branch": "feature/login"})).await;
    assert!(over_mcp.text.contains(THERE), "{}", over_mcp.text);
    // A task that is taken up on the branch.
    let checkpoint = json!({"discoveries": ["`authenticate_user` of auth/service.py is slow"], "next_step": "measure"});
    agent.post(&format!("sessions/{}/checkpoints", run["id"].as_str().unwrap()), checkpoint).await.expect(201);
    let later = file(LOGIN, vec![symbol("authenticate_user", "(newer)", "one")]);
    syncs(&agent, picture("feature/login", "f2", vec![later])).await;
    let resumes = async |branch: &str| {
        let next = agent.post("sessions", json!({"agent_tool": "codex", "branch": branch})).await.expect(201);
        agent.post("tasks/login/resume", json!({"session_id": next["id"]})).await.expect(200)
    };
    let there = resumes("feature/login").await;
    assert_eq!(there["state"]["stale"][0]["freshness"]["state"], "stale", "{there}");
    assert_eq!(there["state"]["discoveries"][0]["freshness"], there["state"]["stale"][0]["freshness"], "one word on it: {there}");
    assert!(there["markdown"].as_str().unwrap().contains("(auth/service.py on feature/login)"), "{there}");
    let next = agent.post("sessions", json!({"agent_tool": "codex", "branch": "feature/login"})).await.expect(201);
    let over_mcp = agent.uses("resume_task", json!({"key": "login", "session_id": next["id"]})).await.done();
    assert_eq!(over_mcp["discoveries"][0]["freshness"]["state"], "stale", "{over_mcp}");
    assert_eq!(over_mcp["stale"], json!([over_mcp["discoveries"][0]["memory_id"]]));
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh", "and on the default branch nothing happened");
}
