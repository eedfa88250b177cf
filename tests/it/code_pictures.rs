//! Pictures of branches: which one counts, and that those nobody needs are not kept.

use crate::code::{LOGIN, file, fresh, picture, service, symbol, syncs};
use cairn_tests::{House, Role, at};
use serde_json::{Value, json};

fn names(heads: &[Value]) -> Vec<(&str, bool)> {
    heads.iter().map(|head| (head["branch"].as_str().expect("a branch"), head["default_branch"].as_bool().expect("said"))).collect()
}

fn begins_on(default: &str, mut picture: Value) -> Value {
    picture["default_branch"] = json!(default);
    picture
}

#[tokio::test]
async fn a_repository_says_which_branch_it_begins_on() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    syncs(&agent, picture("main", "m1", vec![service("()", "one")])).await;
    let on = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let memory = agent.remembers_all_of(json!({"content": "judged where the work is", "anchors": on})).await;
    // Nobody has seen it yet: `main` counts meanwhile.
    syncs(&agent, begins_on("develop", picture("topic", "t1", vec![service("()", "one")]))).await;
    assert_eq!(names(&agent.lists("code/snapshots").await), [("main", true), ("topic", false)]);
    let told = syncs(&agent, begins_on("develop", picture("develop", "d1", vec![service("(new)", "one")]))).await;
    assert_eq!((&told["default_branch"], &told["counts"]["suspect"]), (&json!(true), &json!(1)), "{told}");
    assert_eq!(names(&agent.lists("code/snapshots").await), [("develop", true), ("main", false), ("topic", false)]);
    assert_eq!(
        fresh(&agent, &memory).await["reasons"],
        json!(["authenticate_user is another on develop than the one this was written for (auth/service.py, d1)"])
    );
    // Who does not know changes nothing; the last who does is believed.
    syncs(&agent, picture("main", "m2", vec![service("()", "one")])).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "suspect");
    syncs(&agent, begins_on("main", picture("topic", "t2", vec![service("()", "one")]))).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh");
    agent.post("code/snapshots", begins_on(" ", picture("main", "m3", vec![]))).await.refuses(422, "invalid");
}

#[tokio::test]
async fn a_branch_that_is_gone_is_forgotten_with_what_it_said() {
    let house = House::open().await;
    let (agent, auditor) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Auditor).await);
    let elsewhere = house.agent("support", Role::Writer).await;
    syncs(&agent, picture("main", "m1", vec![service("()", "one")])).await;
    let on = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let memory = agent.remembers_all_of(json!({"content": "on a branch that is merged", "anchors": on})).await;
    syncs(&agent, picture("topic", "t1", vec![service("(new)", "one")])).await;
    syncs(&agent, picture("main", "m2", vec![service("()", "two")])).await;
    let read = agent.get(&at(&memory)).await.expect(200);
    assert_eq!(read["anchors"][0]["branches"][0]["branch"], "topic", "{read}");
    let there = "code/snapshots?repo=gateway&branch=topic";
    elsewhere.delete(there).await.refuses(404, "not_found");
    auditor.delete(there).await.refuses(403, "forbidden");
    house.agent("coding", Role::Reader).await.delete(there).await.refuses(403, "forbidden");
    agent.delete("code/snapshots?repo=gateway").await.refuses(422, "invalid");
    agent.delete(there).await.expect(204);
    agent.delete(there).await.refuses(404, "not_found");
    let read = agent.get(&at(&memory)).await.expect(200);
    assert_eq!(read["anchors"][0].get("branches").and_then(Value::as_array).map_or(0, Vec::len), 0, "{read}");
    assert_eq!(read["freshness"]["state"], "suspect", "what the other branch says stands");
    assert_eq!(house.count("select count(*) from code_files").await, 1);
    assert_eq!(auditor.lists("audit?action=code.branch_forgotten").await.len(), 1);
    // The default branch goes: the one that comes next counts, and after the last none does.
    syncs(&agent, picture("topic", "t2", vec![service("(newer)", "one")])).await;
    agent.delete("code/snapshots?repo=gateway&branch=main").await.expect(204);
    assert_eq!(names(&agent.lists("code/snapshots").await), [("topic", true)]);
    assert_eq!(fresh(&agent, &memory).await["state"], "stale");
    agent.delete(there).await.expect(204);
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh");
    // A limited key forgets its own.
    let billing = house.agent_in("coding", "billing", Role::Writer).await;
    syncs(&agent, picture("main", "m3", vec![service("()", "one")])).await;
    billing.delete("code/snapshots?repo=gateway&branch=main").await.refuses(404, "not_found");
}

#[tokio::test]
async fn what_nobody_syncs_any_more_goes_by_itself() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    syncs(&agent, picture("main", "m1", vec![service("()", "one")])).await;
    syncs(&agent, picture("topic", "t1", vec![service("()", "two")])).await;
    let part = |branch: &str, n: u32| {
        let files = vec![file("a.py", vec![symbol("f", "()", "x")])];
        json!({"repo": "gateway", "branch": branch, "commit": "p1", "files": files, "complete": true, "part": n, "parts": 2})
    };
    syncs(&agent, part("begun", 1)).await;
    syncs(&agent, part("main", 1)).await;
    let later = async |time: &str| {
        let sql = format!("update code_snapshots set at = now() - interval '{time}'; update code_parts set at = now() - interval '{time}'");
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(house.owner()).await.unwrap();
        cairn_server::acts::code::forget_the_old(house.app()).await.unwrap();
    };
    later("23 hours").await;
    assert_eq!((agent.lists("code/snapshots").await.len(), house.count("select count(*) from code_parts").await), (3, 2));
    later("25 hours").await;
    assert_eq!(names(&agent.lists("code/snapshots").await), [("main", true), ("topic", false)], "what never became whole is gone");
    assert_eq!(house.count("select count(*) from code_parts").await, 0);
    agent.post("code/snapshots", part("main", 2)).await.refuses(409, "snapshot_parts_missing");
    later("29 days").await;
    assert_eq!(agent.lists("code/snapshots").await.len(), 2);
    later("31 days").await;
    assert_eq!(names(&agent.lists("code/snapshots").await), [("main", true)], "the default branch stays, however old");
}

#[tokio::test]
async fn a_picture_in_parts_has_an_end() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let part = |commit: &str, n: u32| json!({"repo": "gateway", "branch": "main", "commit": commit, "files": [service("()", "one")], "complete": true, "part": n, "parts": 3});
    syncs(&agent, part("c1", 1)).await;
    let much = "update code_parts set files = convert_to(repeat('x', 256 * 1024 * 1024), 'UTF8')";
    sqlx::raw_sql(much).execute(house.owner()).await.unwrap();
    agent.post("code/snapshots", part("c1", 2)).await.refuses(413, "too_large");
    syncs(&agent, part("c1", 1)).await;
    syncs(&agent, part("c1", 2)).await;
    assert_eq!(syncs(&agent, part("c1", 3)).await["files"], 1, "the part that came again takes the place of the other");
}

#[tokio::test]
async fn a_batch_is_hung_as_each_of_it_would_be() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let other = file("billing/charge.py", vec![symbol("Invoice.open", "()", "x"), symbol("Order.open", "()", "y")]);
    syncs(&agent, picture("main", "m1", vec![service("()", "one"), other])).await;
    let new = file("auth/new.py", vec![symbol("brand_new", "()", "new")]);
    syncs(&agent, picture("topic", "t1", vec![service("()", "one"), new])).await;
    let run = agent.post("sessions", json!({"agent_tool": "codex", "branch": "topic"})).await.expect(201);
    let mut items = vec![
        json!({"content": "`authenticate_user()` is slow"}),
        json!({"content": "charge.py rounds half up"}),
        json!({"content": "`open` is ambiguous"}),
        json!({"content": "said where", "anchors": [{"path": LOGIN, "symbol": "log_out"}]}),
        json!({"content": "only on the other branch", "anchors": [{"path": "auth/new.py", "symbol": "brand_new"}]}),
        json!({"content": "`brand_new` comes", "session_id": run["id"]}),
        json!({"content": "`brand_new` is not there yet"}),
    ];
    items.extend((0..60).map(|n| json!({"content": format!("note {n} on `log_out()`")})));
    let places = json!([
        [[LOGIN, "authenticate_user"]],
        [["billing/charge.py", null]],
        [],
        [[LOGIN, "log_out"]],
        [["auth/new.py", "brand_new"]],
        [["auth/new.py", "brand_new"]],
        []
    ]);
    let made = agent.post("memories/batch", json!({"items": items})).await.expect(200);
    let hung = |memory: &Value| -> Vec<Value> {
        let all = memory["anchors"].as_array().unwrap();
        assert!(all.iter().all(|one| one["state"] == "fresh" && one["repo"] == "gateway"), "{memory}");
        all.iter().map(|one| json!([one["path"], one["symbol"]])).collect()
    };
    let made: Vec<Vec<Value>> = made["data"].as_array().unwrap().iter().map(|one| hung(&one["memory"])).collect();
    assert_eq!(json!(made[..7]), places);
    assert!(made[7..].iter().all(|places| *places == [json!([LOGIN, "log_out"])]), "{made:?}");
}
