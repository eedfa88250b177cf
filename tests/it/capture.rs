//! What is learned in passing: a run's log becomes an episode and a few proposals, which do not pile up.

use cairn_tests::{Actor, House, Role};
use serde_json::{Value, json};

/// A run in which a test fails, is mended and passes, and a person corrects the agent.
pub fn log(run: usize) -> Value {
    let at = |n: usize| format!("2026-05-04T10:{n:02}:00Z");
    json!({"events": [
        {"id": format!("{run}-1"), "type": "prompt", "at": at(1), "text": "Fix the flaky login test"},
        {"id": format!("{run}-2"), "type": "file_read", "at": at(2), "path": "src/login.rs"},
        {"id": format!("{run}-3"), "type": "file_read", "at": at(3), "path": "src/session.rs"},
        {"id": format!("{run}-4"), "type": "command", "at": at(4), "command": "cargo test login", "exit_code": 101, "output": "thread 'login' panicked at src/login.rs:40: clock went backwards"},
        {"id": format!("{run}-5"), "type": "file_edit", "at": at(5), "path": "src/login.rs"},
        {"id": format!("{run}-6"), "type": "file_edit", "at": at(6), "path": "src/session.rs"},
        {"id": format!("{run}-7"), "type": "command", "at": at(7), "command": "cargo test login", "exit_code": 0, "output": "test result: ok. 12 passed"},
        {"id": format!("{run}-8"), "type": "prompt", "at": at(8), "text": "No, use the injected clock. Never call the system clock in tests."},
    ]})
}

async fn runs(agent: &Actor, run: usize) -> Value {
    let session =
        agent.post("sessions", json!({"agent_tool": "codex", "project": "gateway", "external_id": format!("run-{run}")})).await.expect(201);
    let at = format!("sessions/{}", session["id"].as_str().expect("a text"));
    agent.post(&format!("{at}/events"), log(run)).await.expect(200);
    agent.post(&format!("{at}/end"), json!({})).await.expect(200)
}

#[tokio::test]
async fn a_run_leaves_an_episode_and_proposals_with_evidence() {
    let house = House::open().await;
    let (agent, auditor) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Auditor).await);
    let ended = runs(&agent, 1).await;
    let episode = &ended["episode"];
    assert_eq!(
        (&episode["kind"], &episode["state"], &episode["session_id"]),
        (&json!("episode"), &json!("active"), &ended["session"]["id"])
    );
    let told = episode["content"].as_str().unwrap();
    assert!(told.contains("flaky login test") && told.contains("src/login.rs") && told.contains("cargo test"), "{told}");
    let proposals = ended["proposals"].as_array().unwrap();
    assert!((1..=8).contains(&proposals.len()), "{proposals:?}");
    for proposal in proposals {
        assert_eq!((&proposal["state"], &proposal["origin"]), (&json!("open"), &json!("capture")));
        let events = proposal["evidence"][0]["events"].as_array().unwrap();
        assert!(!events.is_empty() && events.iter().all(|id| id.as_str().unwrap().starts_with("1-")), "{proposal}");
        let memory = agent.get(&format!("memories/{}", proposal["memory_id"].as_str().unwrap())).await.expect(200);
        assert_eq!((&memory["state"], &memory["project"]), (&json!("proposed"), &json!("gateway")));
    }
    let waiting = agent.lists("proposals").await;
    let corrected = waiting.iter().find(|one| one["memory"]["content"].as_str().unwrap().contains("system clock"));
    assert!(corrected.is_some_and(|one| matches!(one["memory"]["kind"].as_str(), Some("preference" | "procedure"))), "{waiting:?}");
    assert!(auditor.trail_of(ended["session"]["id"].as_str().unwrap()).await.iter().any(|entry| entry["action"] == "session.distilled"));
}

#[tokio::test]
async fn the_same_finding_speaks_for_the_one_that_is_there() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    runs(&agent, 1).await;
    let before = agent.lists("proposals").await;
    let rejected = before[0]["id"].as_str().unwrap();
    person.post(&format!("proposals/{rejected}/reject"), json!({})).await.expect(200);
    runs(&agent, 2).await;
    runs(&agent, 3).await;
    let after = agent.lists("proposals").await;
    assert_eq!(after.len(), before.len() - 1, "nothing piles up, and what was rejected does not come back");
    for proposal in &after {
        assert_eq!(proposal["evidence"].as_array().unwrap().len(), 3, "{proposal}");
        let first = before.iter().find(|one| one["id"] == proposal["id"]).unwrap();
        assert!(proposal["confidence"].as_f64() >= first["confidence"].as_f64());
    }
}

#[tokio::test]
async fn what_is_sure_enough_is_known_by_itself_only_where_that_is_wanted() {
    let house = House::open().await;
    let (agent, admin) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    admin.patch("/v1/workspaces/coding", json!({"settings": {"capture_policy": "auto", "review_threshold": 0.05}})).await.expect(200);
    let ended = runs(&agent, 1).await;
    for proposal in ended["proposals"].as_array().unwrap() {
        assert_eq!(proposal["state"], "approved", "{proposal}");
        let memory = agent.get(&format!("memories/{}", proposal["memory_id"].as_str().unwrap())).await.expect(200);
        assert_eq!(memory["state"], "active");
    }
    admin.patch("/v1/workspaces/coding", json!({"settings": {"capture_policy": "off"}})).await.expect(200);
    let ended = runs(&agent, 2).await;
    assert_eq!((&ended["episode"], &ended["proposals"]), (&json!(null), &json!([])));
}

#[tokio::test]
async fn a_run_that_falls_silent_is_distilled_and_after_a_day_over() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let session = agent.post("sessions", json!({"agent_tool": "codex", "external_id": "r"})).await.expect(201);
    let at = format!("sessions/{}", session["id"].as_str().unwrap());
    agent.post(&format!("{at}/events"), log(1)).await.expect(200);
    let quiet_for = async |time: &str| {
        let sql = format!(
            "update sessions set started_at = now() - interval '{time}'; update session_events set received_at = now() - interval '{time}'"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(house.owner()).await.unwrap();
        cairn_server::acts::sessions::close_quiet_ones(house.app()).await.unwrap();
    };
    quiet_for("5 minutes").await;
    assert_eq!(agent.get(&at).await.expect(200)["episode_id"], json!(null));
    quiet_for("40 minutes").await;
    let idle = agent.get(&at).await.expect(200);
    assert_eq!(idle["state"], "running");
    let episode = idle["episode_id"].as_str().expect("it was distilled").to_owned();
    let more = json!({"events": [{"type": "file_edit", "at": "2026-05-04T11:00:00Z", "path": "src/later.rs"}]});
    agent.post(&format!("{at}/events"), more).await.expect(200);
    quiet_for("25 hours").await;
    let over = agent.get(&at).await.expect(200);
    assert_eq!((&over["state"], &over["episode_id"]), (&json!("abandoned"), &json!(episode)), "one episode, told to its end");
    assert!(agent.get(&format!("memories/{episode}")).await.expect(200)["content"].as_str().unwrap().contains("src/later.rs"));
}

#[tokio::test]
async fn a_run_ends_even_if_what_it_taught_may_not_be_kept() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    runs(&agent, 1).await;
    let captured: Vec<Value> = agent.lists("memories?state=proposed").await;
    let episode: Vec<Value> = agent.lists("memories?kind=episode").await;
    let doomed: Vec<&Value> = captured.iter().chain(&episode).collect();
    let request = agent.asks_to_erase(&doomed, "because").await;
    person.approves(&request).await.expect(200);
    person.executes(&request).await.expect(200);
    assert_eq!(agent.lists("proposals").await.len(), 0, "what spoke for it is gone with it");
    let ended = runs(&agent, 2).await;
    assert_eq!(ended["session"]["state"], "ended");
    assert_eq!(agent.lists("memories?state=proposed").await.len(), 0, "and it does not come back");
}

#[tokio::test]
async fn what_hangs_on_a_file_that_goes_together_with_the_one_at_hand_weighs_more() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for (content, path) in [("Retry twice when the clock jumps", "src/session.rs"), ("Retry twice when the cache jumps", "src/far_away.rs")]
    {
        agent.remembers_all_of(json!({"content": content, "project": "gateway", "anchors": [{"path": path}]})).await;
    }
    let asked = json!({"query": "retry twice jumps", "project": "gateway", "anchors": [{"path": "src/login.rs"}]});
    let code = |answer: &Value, text: &str| {
        let items = answer["items"].as_array().expect("items");
        let item = items.iter().find(|item| item["content"].as_str().is_some_and(|content| content.contains(text))).expect("it is found");
        item["why"]["code"].as_f64().expect("a figure")
    };
    let cold = agent.asks(asked.clone()).await;
    let before = code(&cold, "clock");
    runs(&agent, 1).await;
    let warm = agent.asks(asked).await;
    assert!(code(&warm, "clock") > before && code(&warm, "clock") > code(&warm, "cache"), "{warm}");
}

/// A run that looks for the same thing as the others, once, and finds it where they did.
async fn looks(agent: &Actor, run: usize, found_in: &str) -> (String, Value) {
    let session = agent.post("sessions", json!({"agent_tool": "codex", "project": "gateway"})).await.expect(201);
    let at = format!("sessions/{}", session["id"].as_str().expect("a text"));
    let events = json!({"events": [
        {"id": format!("{run}-1"), "type": "prompt", "at": "2026-05-04T10:00:00Z", "text": format!("Task number {run}")},
        {"id": format!("{run}-2"), "type": "search", "at": "2026-05-04T10:01:00Z", "text": "fn parse_canary_config"},
        {"id": format!("{run}-3"), "type": "file_read", "at": "2026-05-04T10:02:00Z", "path": found_in},
        {"id": format!("{run}-4"), "type": "file_edit", "at": "2026-05-04T10:03:00Z", "path": format!("src/part_{run}.rs")},
    ]});
    agent.post(&format!("{at}/events"), events).await.expect(200);
    let ended = agent.post(&format!("{at}/end"), json!({})).await.expect(200);
    (session["id"].as_str().expect("a text").to_owned(), ended)
}

fn pointers(proposals: &[Value]) -> Vec<&Value> {
    proposals.iter().filter(|one| one["memory"]["content"].as_str().is_some_and(|text| text.contains("parse_canary_config"))).collect()
}

#[tokio::test]
async fn what_three_runs_looked_for_is_proposed_once() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    looks(&agent, 1, "src/config.rs").await;
    looks(&agent, 2, "src/config.rs").await;
    looks(&agent, 3, "src/elsewhere.rs").await;
    let waiting = agent.lists("proposals").await;
    assert!(pointers(&waiting).is_empty(), "two runs and another answer are no habit: {waiting:?}");
    looks(&agent, 4, "src/config.rs").await;
    let waiting = agent.lists("proposals").await;
    let [pointer] = pointers(&waiting)[..] else { panic!("one, and not {waiting:?}") };
    assert_eq!(pointer["memory"]["kind"], "discovery");
    assert!(pointer["memory"]["content"].as_str().unwrap().contains("src/config.rs"), "{pointer}");
    assert_eq!(pointer["evidence"].as_array().unwrap().len(), 3, "each run speaks for it: {pointer}");
    looks(&agent, 5, "src/config.rs").await;
    let waiting = agent.lists("proposals").await;
    let [again] = pointers(&waiting)[..] else { panic!("one, and not {waiting:?}") };
    assert_eq!((&again["id"], again["evidence"].as_array().unwrap().len()), (&pointer["id"], 4));
    person.post(&format!("proposals/{}/reject", pointer["id"].as_str().unwrap()), json!({})).await.expect(200);
    looks(&agent, 6, "src/config.rs").await;
    assert!(pointers(&agent.lists("proposals").await).is_empty(), "what was rejected does not come back");
}

#[tokio::test]
async fn what_a_run_looked_for_goes_with_the_run() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let (first, _) = looks(&agent, 1, "src/config.rs").await;
    looks(&agent, 2, "src/config.rs").await;
    let request = agent.wants_erased(json!({"session_ids": [first], "reason": "because"})).await;
    person.approves(&request).await.expect(200);
    person.executes(&request).await.expect(200);
    let left: Vec<uuid::Uuid> = sqlx::query_scalar("select session_id from run_looks").fetch_all(house.owner()).await.unwrap();
    assert!(!left.is_empty() && left.iter().all(|run| run.to_string() != first), "{left:?}");
    let request = agent.wants_erased(json!({"query": "parse_canary_config", "reason": "because"})).await;
    person.approves(&request).await.expect(200);
    person.executes(&request).await.expect(200);
    let left: i64 = sqlx::query_scalar("select count(*) from run_looks where key like '%canary%'").fetch_one(house.owner()).await.unwrap();
    assert_eq!(left, 0, "an event that was emptied takes what was learned from it");
}

#[tokio::test]
async fn files_go_together_as_often_as_runs_that_are_left_say() {
    // In any order, and at once; also what was counted before it was kept which run did.
    for (order, known) in [(&[&[0][..], &[1]][..], true), (&[&[1], &[0]], true), (&[&[0, 1]], true), (&[&[1], &[0]], false)] {
        let house = House::open().await;
        let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
        let ended = [runs(&agent, 1).await, runs(&agent, 2).await];
        let pairs =
            async || -> Vec<(i32, f32)> { sqlx::query_as("select runs, weight from code_pairs").fetch_all(house.owner()).await.unwrap() };
        if !known {
            of_an_older_server(&house, &[&ended[0], &ended[1]]).await;
        }
        let [(2, both)] = pairs().await[..] else { panic!("two runs saw one pair, and not {:?}", pairs().await) };
        for gone in order {
            let ids: Vec<&Value> = gone.iter().map(|run| &ended[*run]["session"]["id"]).collect();
            person.lets_go(&agent.wants_erased(json!({"session_ids": ids, "reason": "because"})).await).await;
            if order.len() == 2 && gone == &order[0] {
                let [(1, one)] = pairs().await[..] else { panic!("one run is left, and not {:?}", pairs().await) };
                assert!((one - both / 2.0).abs() < 0.01, "{one} of {both}");
            }
        }
        let related = agent.get("code/related?path=src/login.rs").await.expect(200);
        assert_eq!((pairs().await, &related["files"]), (Vec::new(), &json!([])), "{order:?}, {known}");
    }
}

/// As if a server had ended these runs that did not keep what each counted.
async fn of_an_older_server(house: &House, ended: &[&Value]) {
    for one in ended {
        let id: uuid::Uuid = one["session"]["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
        sqlx::query("delete from code_pair_runs where session_id = $1").bind(id).execute(house.owner()).await.expect("known");
        sqlx::query("update sessions set pairs_known = false where id = $1").bind(id).execute(house.owner()).await.expect("known");
    }
}

/// A run that names the files of the others, and touches none.
async fn names_them(agent: &Actor, run: usize) -> Value {
    let session = agent.post("sessions", json!({"agent_tool": "codex", "project": "gateway"})).await.expect(201);
    let at = format!("sessions/{}", session["id"].as_str().expect("a text"));
    let input = json!({"review": "src/login.rs and src/session.rs"});
    let events =
        json!({"events": [{"id": format!("{run}-1"), "type": "tool_use", "at": "2026-05-04T10:00:00Z", "tool": "ask", "input": input}]});
    agent.post(&format!("{at}/events"), events).await.expect(200);
    agent.post(&format!("{at}/end"), json!({})).await.expect(200)
}

#[tokio::test]
async fn a_run_takes_back_no_more_than_runs_like_it_gave() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let pairs = async || -> Vec<i32> { sqlx::query_scalar("select runs from code_pairs").fetch_all(house.owner()).await.unwrap() };
    let erase = async |ended: &[&Value]| {
        let ids: Vec<&Value> = ended.iter().map(|one| &one["session"]["id"]).collect();
        person.lets_go(&agent.wants_erased(json!({"session_ids": ids, "reason": "because"})).await).await;
    };
    let (old, other, newer) = (runs(&agent, 1).await, names_them(&agent, 2).await, names_them(&agent, 3).await);
    of_an_older_server(&house, &[&old, &other]).await;
    let known = runs(&agent, 4).await;
    assert_eq!(pairs().await, [2]);
    erase(&[&newer]).await;
    assert_eq!(pairs().await, [2], "it is known that it counted none");
    erase(&[&old, &other]).await;
    assert_eq!(pairs().await, [1], "which of them counted it nobody knows, but that another did");
    erase(&[&known]).await;
    assert_eq!(pairs().await, [0; 0]);
}

#[tokio::test]
async fn a_long_run_of_an_older_server_goes_in_time() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let old = runs(&agent, 1).await;
    of_an_older_server(&house, &[&old]).await;
    let id = &old["session"]["id"];
    sqlx::query(
        "insert into session_events (workspace_id, session_id, seq, id, project, type, at, received_at, input)
         select workspace_id, id, 100 + n, 'more-' || n, project, 'tool_use', now(), now(), jsonb_build_object('said', repeat('words ', 100), 'n', n)
         from sessions, generate_series(1, 1000) n where id = $1::uuid",
    )
    .bind(id.as_str())
    .execute(house.owner())
    .await
    .unwrap();
    sqlx::query(
        "insert into code_pairs (workspace_id, project, a, b, weight, runs, last_at)
         select p.workspace_id, p.project, 'lib/' || x || '.rs', 'lib/' || y || '.rs', 1, 1, p.last_at
         from code_pairs p, generate_series(1, 170) x, generate_series(171, 340) y",
    )
    .execute(house.owner())
    .await
    .unwrap();
    let request = agent.wants_erased(json!({"session_ids": [id], "reason": "because"})).await;
    person.approves(&request).await.expect(200);
    // Looked for pair by pair, it came to no end before the request's.
    person.executes(&request).await.expect(200);
    let left: Vec<i64> =
        sqlx::query_scalar("select count(*) from code_pairs group by a like 'lib/%'").fetch_all(house.owner()).await.unwrap();
    assert_eq!(left, [170 * 170], "only what its log names");
}

#[tokio::test]
async fn a_run_ends_though_what_it_taught_is_known_to_another_alone() {
    let house = House::open().await;
    let (ada, bob) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    let hers = house.agent_like("coding", json!({"role": "writer", "owner": ada.id})).await;
    let his = house.agent_like("coding", json!({"role": "writer", "owner": bob.id})).await;
    runs(&hers, 1).await;
    let proposed = ada.lists("memories?state=proposed").await;
    assert!(!proposed.is_empty());
    for memory in &proposed {
        ada.revises(memory, json!({"visibility": "private"})).await;
    }
    let ended = runs(&his, 2).await;
    assert_eq!((&ended["session"]["state"], &ended["proposals"]), (&json!("ended"), &json!([])));
    assert_eq!(bob.lists("memories?state=proposed").await.len(), 0, "nobody finds out by it");
}
