//! What is said over MCP belongs to the task, the project and the run that it names, and to no other.

use cairn_tests::{Actor, House, Role};
use serde_json::{Value, json};

/// A memory's or a session's id, as it stands in a path.
fn id(of: &Value) -> &str {
    of.as_str().unwrap_or_else(|| panic!("no id: {of}"))
}

async fn checkpoints(agent: &Actor, sent: Value) -> Value {
    agent.uses("checkpoint", sent).await.done()
}

/// Uses a tool as a part of a session.
async fn in_session(agent: &Actor, session: &Value, tool: &str, arguments: Value) -> Value {
    let asked = agent.message("tools/call", json!({"name": tool, "arguments": arguments})).header("X-Cairn-Session", id(session));
    let reply = asked.send().await.expect(200);
    assert!(reply["result"]["structuredContent"].is_object(), "{reply}");
    reply["result"]["structuredContent"].clone()
}

async fn memory(agent: &Actor, kept: &Value) -> Value {
    agent.get(&format!("memories/{}", id(&kept["decisions"][0]["memory_id"]))).await.expect(200)
}

#[tokio::test]
async fn two_projects_tasks_of_one_key_stay_apart() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let said = |project: &str, decision: &str, next: &str| json!({"task": "launch", "project": project, "decisions": [{"content": decision}], "next_step": next});
    let web = checkpoints(&agent, said("web", "The banner is blue.", "paint it")).await;
    let shop = checkpoints(&agent, said("shop", "Parcels leave at noon.", "pack them")).await;
    assert_ne!(web["session_id"], shop["session_id"]);
    assert_eq!((&memory(&agent, &web).await["project"], &memory(&agent, &shop).await["project"]), (&json!("web"), &json!("shop")));
    for (project, next) in [("web", "paint it"), ("shop", "pack them")] {
        let task = agent.get(&format!("tasks/launch?project={project}")).await.expect(200);
        assert_eq!((&task["project"], &task["next_step"]), (&json!(project), &json!(next)));
        let resumed = agent.uses("resume_task", json!({"key": "launch", "project": project})).await.done();
        assert_eq!(resumed["next_step"], next);
    }
    assert_eq!(checkpoints(&agent, said("web", "The banner is wide.", "hang it")).await["session_id"], web["session_id"], "the same again");
    let done = agent.uses("complete_task", json!({"key": "launch", "project": "shop"})).await.done();
    assert_eq!(
        (&done["state"], &agent.get("tasks/launch?project=web").await.expect(200)["state"]),
        (&json!("completed"), &json!("active"))
    );
}

#[tokio::test]
async fn a_project_is_the_same_with_blanks_around_its_name() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let said = |next: &str| json!({"task": "launch", "project": " web ", "next_step": next});
    let (one, two) = (checkpoints(&agent, said("paint it")).await, checkpoints(&agent, said("hang it")).await);
    assert_eq!(one["session_id"], two["session_id"]);
    checkpoints(&agent, json!({"task": "launch", "project": " web ", "session_id": one["session_id"], "next_step": "light it"})).await;
    let resumed = agent.uses("resume_task", json!({"key": "launch", "project": " web "})).await.done();
    assert_eq!(resumed["next_step"], "light it");
    let done = agent.uses("complete_task", json!({"key": "launch", "project": " web "})).await.done();
    assert_eq!(done["state"], "completed");
    let tasks: Vec<Value> = agent.lists("tasks").await.into_iter().map(|task| task["project"].clone()).collect();
    assert_eq!(tasks, ["web"]);
}

#[tokio::test]
async fn who_names_a_project_never_changes_another_projects_task() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for (key, project) in [("launch", json!("web")), ("everyones", Value::Null)] {
        agent.post("tasks", json!({"key": key, "title": "Launch it", "project": project})).await.expect(201);
    }
    let run = agent.post("sessions", json!({"agent_tool": "codex", "project": "shop"})).await.expect(201)["id"].clone();
    for verb in ["pause", "abandon", "complete"] {
        agent.post(&format!("tasks/launch/{verb}?project=shop"), json!({})).await.refuses(404, "not_found");
    }
    agent.post("tasks/launch/resume?project=shop", json!({"session_id": run})).await.refuses(404, "not_found");
    for tool in ["resume_task", "complete_task"] {
        agent.uses(tool, json!({"key": "launch", "project": "shop"})).await.fails("not_found");
    }
    assert_eq!(agent.get("tasks/launch").await.expect(200)["state"], "open");
    // A task of no project is everybody's, and who names none means the one that there is.
    agent.uses("resume_task", json!({"key": "everyones", "project": "shop"})).await.done();
    agent.post("tasks/everyones/complete?project=shop", json!({})).await.expect(200);
    assert_eq!(agent.uses("complete_task", json!({"key": "launch"})).await.done()["state"], "completed");
}

#[tokio::test]
async fn a_task_and_a_project_of_one_name_are_two_things() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let project = checkpoints(&agent, json!({"project": "billing", "next_step": "count the money"})).await;
    let task = checkpoints(&agent, json!({"task": "billing", "next_step": "write the invoice"})).await;
    assert_ne!(project["session_id"], task["session_id"]);
    assert_eq!(agent.get("tasks/billing").await.expect(200)["next_step"], "write the invoice");
    assert_eq!(agent.get(&format!("sessions/{}", id(&project["session_id"]))).await.expect(200)["task"], Value::Null);
}

#[tokio::test]
async fn a_task_that_is_begun_is_active_as_it_is_said_to_be() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    checkpoints(&agent, json!({"project": "rotation", "next_step": "look around"})).await;
    let begun = agent.uses("start_task", json!({"key": "rotation", "title": "Rotate the keys", "project": "rotation"})).await.done();
    let task = agent.get("tasks/rotation").await.expect(200);
    assert_eq!((&begun["state"], &task["state"]), (&json!("active"), &json!("active")));
    let session = agent.get(&format!("sessions/{}", id(&begun["session_id"]))).await.expect(200);
    assert_eq!((&session["task"], &session["project"]), (&json!("rotation"), &json!("rotation")));
}

#[tokio::test]
async fn a_session_and_a_task_that_disagree_are_refused() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let one = checkpoints(&agent, json!({"task": "one", "project": "web", "next_step": "go on"})).await["session_id"].clone();
    for other in [json!({"task": "two"}), json!({"project": "shop"}), json!({"task": "two", "project": "web"})] {
        let mut sent = json!({"session_id": one, "next_step": "get lost"});
        sent.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        assert!(agent.uses("checkpoint", sent).await.fails("invalid").contains("leave it out"), "{other}");
    }
    assert_eq!(agent.get("tasks/one").await.expect(200)["next_step"], "go on");
    agent.get("tasks/two").await.refuses(404, "not_found");
    checkpoints(&agent, json!({"session_id": one, "task": "one", "project": "web", "next_step": "go further"})).await;

    // A run that works on nothing yet takes up what is named.
    let free = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201)["id"].clone();
    checkpoints(&agent, json!({"session_id": free, "task": "three", "next_step": "begin"})).await;
    assert_eq!(agent.get("tasks/three").await.expect(200)["next_step"], "begin");
    assert_eq!(agent.get(&format!("sessions/{}", id(&free))).await.expect(200)["task"], "three");
}

#[tokio::test]
async fn a_run_that_turned_to_other_work_turns_back_when_that_is_named() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let first = checkpoints(&agent, json!({"task": "first", "next_step": "a"})).await["session_id"].clone();
    agent.uses("start_task", json!({"key": "second", "title": "Another"})).await.done();
    agent.uses("resume_task", json!({"key": "second", "session_id": first})).await.done();
    checkpoints(&agent, json!({"task": "first", "progress": [{"item": "sweep", "status": "completed"}]})).await;
    agent.uses("complete_task", json!({"key": "first"})).await.done();
    checkpoints(&agent, json!({"task": "first", "discoveries": ["Brooms wear out."]})).await;
    let items = async |task: &str| agent.get(&format!("tasks/{task}")).await.expect(200)["items"].as_array().map_or(0, Vec::len);
    assert_eq!((items("first").await, items("second").await), (1, 0));
}

#[tokio::test]
async fn tools_and_hooks_are_one_run() {
    let house = House::open().await;
    let (agent, other) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Writer).await);
    let hooks = agent.post("sessions", json!({"agent_tool": "claude-code", "project": "web"})).await.expect(201)["id"].clone();
    let made = in_session(&agent, &hooks, "remember", json!({"content": "The lighthouse is white"})).await;
    assert_eq!(agent.get(&format!("memories/{}", id(&made["memory_id"]))).await.expect(200)["session_id"], hooks);
    for (tool, sent) in [
        ("recall", json!({"query": "lighthouse"})),
        ("get_memory", json!({"memory_ids": [made["memory_id"]]})),
        ("context", json!({})),
        ("related_code", json!({"path": "a.rs"})),
    ] {
        let told = in_session(&agent, &hooks, tool, sent).await;
        let receipt = told.pointer("/memories/receipt_id").or(told.get("receipt_id")).unwrap();
        assert_eq!(agent.get(&format!("receipts/{}", id(receipt))).await.expect(200)["session_id"], hooks, "{tool}");
    }
    let kept = in_session(&agent, &hooks, "checkpoint", json!({"task": "paint", "next_step": "buy paint"})).await;
    assert_eq!(kept["session_id"], hooks);
    let elsewhere = in_session(&agent, &hooks, "checkpoint", json!({"project": "shop", "next_step": "sell paint"})).await;
    assert_ne!(elsewhere["session_id"], hooks, "another project's work is another run's");

    let call = json!({"name": "remember", "arguments": {"content": "The lighthouse is red"}});
    for not_theirs in [id(&hooks), &cairn_tests::nobody().to_string()] {
        let reply = other.message("tools/call", call.clone()).header("X-Cairn-Session", not_theirs).send().await;
        assert_eq!(reply.refuses(422, "invalid").wrong_fields(), ["X-Cairn-Session"]);
    }
    agent.post(&format!("sessions/{}/end", id(&hooks)), json!({})).await.expect(200);
    let after = in_session(&agent, &hooks, "checkpoint", json!({"task": "paint", "next_step": "paint"})).await;
    assert_ne!(after["session_id"], hooks, "what is over is not gone on with");
}
