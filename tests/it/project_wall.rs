//! A key that is limited to a project is walled in it: it reads that project's and the workspace's memories, writes
//! only its own, and other projects' are not there.

use cairn_tests::{Agent, Ask, House, Role, at};
use serde_json::{Value, json};

struct Two {
    house: House,
    free: Agent,
    walled: Agent,
    everyones: Value,
    own: Value,
    other: Value,
}

async fn two_projects() -> Two {
    let house = House::open().await;
    let free = house.agent("coding", Role::Admin).await;
    let walled = house.agent_in("coding", "gateway", Role::Reviewer).await;
    let made = async |content: &str, project: Option<&str>| {
        free.remembers_all_of(
            json!({"content": content, "project": project, "tags": ["t"], "anchors": [{"path": "x"}], "path": format!("/{content}.md")}),
        )
        .await
    };
    let (everyones, own, other) = (made("everyones", None).await, made("own", Some("gateway")).await, made("other", Some("billing")).await);
    Two { house, free, walled, everyones, own, other }
}

#[tokio::test]
async fn it_reads_its_project_and_what_belongs_to_all() {
    let two = two_projects().await;
    two.walled.reads(&two.own).await;
    two.walled.reads(&two.everyones).await;
    for list in ["memories", "memories?tag=t", "memories?anchor_path=x", "memories?path_prefix=/"] {
        let mut seen: Vec<_> = two.walled.lists(list).await.iter().map(|memory| memory["content"].as_str().unwrap().to_owned()).collect();
        seen.sort();
        assert_eq!(seen, ["everyones", "own"], "{list}");
    }
    assert_eq!(two.walled.lists("memories?project=billing").await.len(), 0);
    assert_eq!(two.walled.lists("memories?q=other").await.len(), 0);
}

#[tokio::test]
async fn other_projects_are_not_there() {
    let two = two_projects().await;
    let (other, nothing) = (at(&two.other), format!("memories/{}", cairn_tests::nobody()));
    for (method, end, body) in [
        ("GET", "", None),
        ("GET", "/versions", None),
        ("GET", "/versions/1", None),
        ("GET", "/diff?from=1&to=1", None),
        ("PATCH", "", Some(json!({"tags": []}))),
        ("DELETE", "", None),
        ("POST", "/restore", None),
        ("POST", "/revert", Some(json!({"version": 1}))),
        ("POST", "/verify", Some(json!({}))),
        ("POST", "/supersede", Some(json!({"content": "mine"}))),
    ] {
        let ask = |place: &str| {
            let ask = two.walled.ask(method, &format!("{place}{end}"));
            body.iter().fold(ask, Ask::json).send()
        };
        let (hidden, missing) = (ask(&other).await, ask(&nothing).await);
        hidden.refuses(404, "not_found");
        assert_eq!(hidden.but_for_the_request(), missing.but_for_the_request(), "{method} …{end}");
    }
    assert_eq!(two.free.reads(&two.other).await["version"], 1);
}

#[tokio::test]
async fn it_writes_only_its_own() {
    let two = two_projects().await;
    assert_eq!(two.walled.remembers("said without a project").await["project"], "gateway");
    two.walled.revises(&two.own, json!({"tags": ["changed"]})).await;
    for elsewhere in ["billing", "Gateway"] {
        two.walled.post("memories", json!({"content": "not here", "project": elsewhere})).await.refuses(403, "forbidden");
        two.walled.patch(&at(&two.own), json!({"project": elsewhere})).await.refuses(403, "forbidden");
    }
    two.walled.patch(&at(&two.own), json!({"project": null})).await.refuses(403, "forbidden");
    two.walled.patch(&at(&two.everyones), json!({"tags": []})).await.refuses(403, "forbidden");
    two.walled.delete(&at(&two.everyones)).await.refuses(403, "forbidden");
    two.walled.post(&format!("{}/supersede", at(&two.everyones)), json!({"content": "better"})).await.refuses(403, "forbidden");
    two.walled.post("memories", json!({"content": "better", "supersedes": two.everyones["id"]})).await.refuses(403, "forbidden");
    assert_eq!(two.free.reads(&two.everyones).await["version"], 1);
    let batch = json!({"items": [{"content": "fine"}, {"content": "not here", "project": "billing"}]});
    two.walled.post("memories/batch", batch).await.refuses(403, "forbidden");
    assert_eq!(two.walled.lists("memories?q=fine").await.len(), 0);
}

#[tokio::test]
async fn nobody_learns_there_what_another_project_knows() {
    let two = two_projects().await;
    let admin = two.house.person("coding", Role::Admin).await;
    admin.patch("", json!({"settings": {"propose": {"rule": "never"}}})).await;
    let known = two.free.remembers_all_of(json!({"content": "Refunds are paid on Mondays.", "project": "billing"})).await;
    let (guessed, wrong) = ("Refunds are paid on Mondays.", "Refunds are paid on Tuesdays.");
    let asked = async |place: &str, body: &dyn Fn(&str) -> Value| {
        let (hit, miss) = (two.walled.post(place, body(guessed)).await, two.walled.post(place, body(wrong)).await);
        hit.refuses(403, "forbidden");
        assert_eq!(hit.but_for_the_request(), miss.but_for_the_request(), "{place}");
    };
    asked("memories", &|text| json!({"content": text, "project": "billing"})).await;
    asked("memories", &|text| json!({"content": text, "project": "billing", "path": "/guess.md"})).await;
    asked("memories/batch", &|text| json!({"items": [{"content": text, "project": "billing"}]})).await;
    let told = async |text: &str| {
        let file = format!("---\npath: /guess.md\nproject: billing\n---\n{text}\n");
        two.walled.ask("POST", "import?format=markdown").bytes("text/markdown", file).send().await
    };
    let (hit, miss) = (told(guessed).await, told(wrong).await);
    assert!(!hit.text().contains(known["id"].as_str().expect("an id")), "{hit:?}");
    let reasons = async |reply: cairn_tests::Reply| reply.expect(200)["reasons"].clone();
    assert_eq!(reasons(hit).await, reasons(miss).await);
}

#[tokio::test]
async fn a_path_that_is_taken_behind_the_wall_says_only_that() {
    let two = two_projects().await;
    let clash = two.walled.post("memories", json!({"content": "guess", "path": "/other.md"})).await;
    clash.refuses(409, "path_conflict");
    let id = two.other["id"].as_str().unwrap();
    assert!(!clash.text().contains(id) && !clash.text().contains("billing"), "{clash:?}");
}

#[tokio::test]
async fn no_path_is_an_ancestor_of_one_behind_the_wall() {
    let two = two_projects().await;
    two.walled.post("memories", json!({"content": "below", "path": "/other.md/below.md"})).await.refuses(409, "path_conflict");
    two.free.remembers_all_of(json!({"content": "deep", "project": "billing", "path": "/deep/down.md"})).await;
    two.walled.post("memories", json!({"content": "above", "path": "/deep"})).await.refuses(409, "path_conflict");
}

#[tokio::test]
async fn a_path_that_nobody_asked_for_is_in_nobodys_way() {
    let two = two_projects().await;
    let billing = two.house.agent_in("coding", "billing", Role::Writer).await;
    let text = json!({"content": "Deploys are frozen on Fridays."});
    let (theirs, ours) = (billing.post("memories", text.clone()).await.expect(201), two.walled.post("memories", text).await.expect(201));
    assert_ne!(theirs["path"], ours["path"]);
    // Nor is an end that tells the same in both.
    for agent in [&billing, &two.walled] {
        let run = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
        let said = json!({"events": [{"type": "prompt", "at": "2026-01-02T03:04:05Z", "text": "Mend the build."}]});
        let run = format!("sessions/{}", run["id"].as_str().unwrap());
        agent.post(&format!("{run}/events"), said).await.expect(200);
        agent.post(&format!("{run}/end"), json!({})).await.expect(200);
    }
}

#[tokio::test]
async fn who_is_walled_in_and_says_it_again_is_told_what_is_there() {
    let two = two_projects().await;
    let text = json!({"content": "The gateway has two replicas."});
    let first = two.walled.post("memories", text.clone()).await.expect(201);
    assert_eq!(two.walled.post("memories", text.clone()).await.expect(200)["id"], first["id"]);
    let batch = two.walled.post("memories/batch", json!({"items": [text, {"content": "Another."}]})).await.expect(200);
    assert_eq!((&batch["data"][0]["status"], &batch["data"][1]["status"]), (&json!(200), &json!(201)));
    // What belongs to everybody is another memory.
    two.free.remembers_all_of(json!({"content": "Known to all."})).await;
    assert_eq!(two.walled.post("memories", json!({"content": "Known to all."})).await.expect(201)["project"], "gateway");
}

#[tokio::test]
async fn the_row_policy_itself_keeps_projects_apart() {
    let two = two_projects().await;
    let coding = two.house.workspace("coding").await;
    for (table, rows) in [("memories", 2_i64), ("memory_versions", 2), ("memory_states", 2), ("memory_tags", 2), ("anchors", 2)] {
        let sql = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        let seen: i64 = sqlx::query_scalar(sql).fetch_one(&mut two.house.standing_in(coding, None, Some("gateway")).await).await.unwrap();
        assert_eq!(seen, rows, "{table}");
    }
    let move_out = "update memories set project = 'billing', audit_id = gen_random_uuid() where project = 'gateway'";
    let refused = sqlx::query(move_out).execute(&mut two.house.standing_in(coding, None, Some("gateway")).await).await.unwrap_err();
    assert_eq!(refused.as_database_error().unwrap().code().unwrap(), "42501");
}

#[tokio::test]
async fn a_token_can_be_walled_in_further_and_never_out() {
    let two = two_projects().await;
    let narrowed = two.free.post("/v1/auth/token", json!({"project": "billing", "role": "reader"})).await.expect(200);
    let narrowed = two.free.showing(narrowed["access_token"].as_str().unwrap());
    narrowed.reads(&two.other).await;
    narrowed.get(&at(&two.own)).await.refuses(404, "not_found");
    narrowed.post("memories", json!({"content": "a reader writes"})).await.refuses(403, "forbidden");
    two.walled.post("/v1/auth/token", json!({"project": "billing"})).await.refuses(403, "wider_than_key");
}

#[tokio::test]
async fn a_task_behind_the_wall_is_not_there_not_even_by_its_key() {
    let two = two_projects().await;
    two.free.post("tasks", json!({"key": "rotate", "title": "Theirs", "project": "billing"})).await.expect(201);
    two.free.post("tasks", json!({"key": "everyones", "title": "Nobody's in particular"})).await.expect(201);
    two.walled.get("tasks/rotate").await.refuses(404, "not_found");
    // A key that is taken there is as free as one that nobody has.
    for (key, status) in [("rotate", 201), ("everyones", 201), ("unheard-of", 201), ("rotate", 409)] {
        let made = two.walled.post("tasks", json!({"key": key, "title": "Ours"})).await;
        assert_eq!(made.status, status, "{key}: {made:?}");
    }
    for task in ["rotate", "begun-by-a-run"] {
        two.walled.post("sessions", json!({"agent_tool": "codex", "task": task})).await.expect(201);
    }
    let ours = two.walled.get("tasks/rotate").await.expect(200);
    assert_eq!((&ours["title"], &ours["project"], &ours["state"]), (&json!("Ours"), &json!("gateway"), &json!("active")));
    // Who sees both gets the older, or whose it is meant to be, and can change either.
    for (place, title, state) in [
        ("tasks/rotate", "Theirs", "open"),
        ("tasks/rotate?project=gateway", "Ours", "active"),
        ("tasks/rotate?project=billing", "Theirs", "open"),
    ] {
        let seen = two.free.get(place).await.expect(200);
        assert_eq!((&seen["title"], &seen["state"]), (&json!(title), &json!(state)), "{place}");
    }
    two.free.post("tasks/rotate/pause?project=gateway", json!({})).await.expect(200);
    assert_eq!(two.walled.get("tasks/rotate").await.expect(200)["state"], "paused");
    assert_eq!(two.free.get("tasks/rotate").await.expect(200)["state"], "open");
    two.free.post("tasks", json!({"key": "rotate", "title": "Again", "project": "gateway"})).await.refuses(409, "task_exists");
}

#[tokio::test]
async fn what_others_ask_to_be_erased_is_not_there() {
    let two = two_projects().await;
    let theirs = two.free.asks_to_erase(&[&two.other], "about a customer").await;
    let own = two.walled.asks_to_erase(&[&two.own], "our own").await;
    let listed: Vec<Value> = two.walled.lists("deletion-requests").await.into_iter().map(|request| request["id"].clone()).collect();
    assert_eq!(listed, [own["id"].clone()]);
    assert_eq!(two.walled.previews(&own).await["preview"][0]["id"], two.own["id"]);
    let requests = |id: &str, end: &str| format!("deletion-requests/{id}{end}");
    for end in ["", "/certificate"] {
        let hidden = two.walled.get(&requests(theirs["id"].as_str().unwrap(), end)).await;
        let missing = two.walled.get(&requests(&cairn_tests::nobody().to_string(), end)).await;
        hidden.refuses(404, "not_found");
        assert_eq!(hidden.but_for_the_request(), missing.but_for_the_request(), "…{end}");
    }
    assert_eq!(two.free.lists("deletion-requests").await.len(), 2);
    // By the row policy: whoever stands there without having asked sees none of it.
    let coding = two.house.workspace("coding").await;
    for (wall, rows) in [(None, 2_i64), (Some("gateway"), 0)] {
        for table in ["deletion_requests", "deletion_request_items"] {
            let sql = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
            let seen: i64 = sqlx::query_scalar(sql).fetch_one(&mut two.house.standing_in(coding, None, wall).await).await.unwrap();
            assert_eq!(seen, rows, "{table} behind {wall:?}");
        }
    }
}

#[tokio::test]
async fn a_token_behind_a_wall_does_not_read_what_its_key_asked_to_be_erased_outside() {
    let two = two_projects().await;
    let token = two.free.post("/v1/auth/token", json!({"project": "gateway"})).await.expect(200);
    let walled = two.free.showing(token["access_token"].as_str().unwrap());
    let theirs = two.free.asks_to_erase(&[&two.other], "about a customer of billing").await;
    let own = walled.asks_to_erase(&[&two.own], "our own").await;
    assert_eq!(walled.lists("deletion-requests").await.len(), 1);
    walled.get(&format!("deletion-requests/{}", theirs["id"].as_str().unwrap())).await.refuses(404, "not_found");
    assert_eq!(walled.previews(&own).await["preview"][0]["id"], two.own["id"]);
    assert_eq!(two.free.lists("deletion-requests").await.len(), 2);
}

#[tokio::test]
async fn who_is_walled_in_asks_for_nobodys_place_behind_the_wall() {
    let two = two_projects().await;
    let admin = two.house.person("coding", Role::Admin).await;
    admin.put("policies", json!({"policies": {"fact": {"review_threshold": "always"}}})).await.expect(200);
    let writer = two.house.agent_in("coding", "gateway", Role::Writer).await;
    let wants = async |old: &Value| writer.post("memories", json!({"content": "better", "supersedes": old})).await;
    assert_eq!(wants(&two.other["id"]).await.refuses(422, "invalid").wrong_fields(), ["supersedes"]);
    assert_eq!(wants(&json!(cairn_tests::nobody())).await.refuses(422, "invalid").wrong_fields(), ["supersedes"]);
    wants(&two.everyones["id"]).await.refuses(403, "forbidden");
    let waiting = wants(&two.own["id"]).await.expect(201);
    assert_eq!((&waiting["state"], &waiting["supersedes"]), (&json!("proposed"), &two.own["id"]));
}

#[tokio::test]
async fn the_trail_and_the_holds_are_the_whole_workspaces() {
    let two = two_projects().await;
    let hold = two.free.post("holds", json!({"memory_ids": [two.other["id"]], "reason": "a case"})).await.expect(201);
    two.house.is_sealed().await;
    for role in [Role::Auditor, Role::Admin] {
        let walled = two.house.agent_in("coding", "gateway", role).await;
        let one = format!("holds/{}", hold["id"].as_str().unwrap());
        for place in [
            "audit",
            "audit/export?format=jsonl",
            "audit/checkpoint",
            "audit/proof/0",
            "audit/consistency?from=1",
            "holds",
            &one,
            "retention",
        ] {
            walled.get(place).await.refuses(403, "forbidden");
        }
    }
    two.free.get("audit/proof/0").await.expect(200);
}
