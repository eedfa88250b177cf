//! Linked to code: a snapshot says which memories still hold, and every surface tells it.

use cairn_tests::{Actor, House, Reply, Role, at, items};
use serde_json::{Value, json};

/// A hash for a word.
fn hash(word: &str) -> String {
    let sum = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{sum:016x}")
}

pub(crate) fn symbol(name: &str, signature: &str, body: &str) -> Value {
    json!({"name": name, "kind": "function", "signature_hash": hash(signature), "body_hash": hash(body), "start_line": 10, "end_line": 30})
}

pub(crate) fn file(path: &str, symbols: Vec<Value>) -> Value {
    json!({"path": path, "sha256": hash(&format!("{path}{symbols:?}")), "symbols": symbols})
}

/// A complete picture of a repository.
pub(crate) fn picture(branch: &str, commit: &str, files: Vec<Value>) -> Value {
    json!({"repo": "gateway", "branch": branch, "commit": commit, "files": files, "complete": true})
}

pub(crate) async fn syncs(actor: &Actor, picture: Value) -> Value {
    actor.post("code/snapshots", picture).await.expect(200)
}

pub(crate) const LOGIN: &str = "auth/service.py";

pub(crate) fn service(signature: &str, body: &str) -> Value {
    file(LOGIN, vec![symbol("authenticate_user", signature, body), symbol("log_out", "out()", "bye")])
}

pub(crate) async fn fresh(actor: &Actor, memory: &Value) -> Value {
    actor.get(&at(memory)).await.expect(200)["freshness"].clone()
}

pub(crate) fn of<'a>(answer: &'a Value, memory: &Value) -> (usize, &'a Value) {
    let all = answer["items"].as_array().expect("items");
    let place = all.iter().position(|item| item["memory_id"] == memory["id"]).unwrap_or_else(|| panic!("not told: {answer}"));
    (place, &all[place])
}

const STALE: &str = "authenticate_user changed its signature in 3f2a1c (auth/service.py)";

#[tokio::test]
async fn a_refactored_function_makes_its_memory_stale_until_somebody_verifies_it() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    syncs(&agent, picture("main", "aaa111", vec![service("(name, password)", "compare")])).await;
    let anchored = agent
        .remembers_all_of(json!({"content": "Logging in takes name and password and is constant in time",
            "anchors": [{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]}))
        .await;
    assert_eq!(anchored["anchors"][0]["state"], "fresh");
    assert!(anchored["anchors"][0]["fingerprint"].as_str().is_some_and(|text| text.contains(&hash("compare"))), "{anchored}");
    let plain = agent.remembers("People who come in give their name and their password at the door").await;
    let ask = json!({"query": "who gives name and password when logging in?"});
    let before = agent.asks(ask.clone()).await;
    assert_eq!(of(&before, &anchored).1["freshness"], json!({"state": "fresh", "reasons": []}));

    let told = syncs(&agent, picture("main", "3f2a1c", vec![service("(credentials)", "compare")])).await;
    assert_eq!((&told["counts"]["stale"], &told["stale"][0]["memory_id"]), (&json!(1), &anchored["id"]), "{told}");
    assert_eq!((&told["stale"][0]["verdict"], &told["stale"][0]["reason"]), (&json!("signature_changed"), &json!(STALE)));

    // On every surface: marked, with the reason, and below one that is fresh.
    let after = agent.asks(ask.clone()).await;
    let (stale, item) = of(&after, &anchored);
    assert_eq!(item["freshness"], json!({"state": "stale", "reasons": [STALE]}));
    assert!(stale > of(&after, &plain).0, "{after}");
    assert_eq!(fresh(&agent, &anchored).await, json!({"state": "stale", "reasons": [STALE]}));
    assert_eq!(agent.lists("memories?freshness=stale").await.len(), 1);
    assert_eq!(agent.lists("memories?freshness=fresh").await.len(), 1);
    assert_eq!(agent.asks(json!({"query": "logging in", "freshness": ["stale"]})).await["items"].as_array().map(Vec::len), Some(1));
    assert!(
        items(&agent.asks(json!({"query": "logging in", "include_stale": false})).await)
            .iter()
            .all(|item| item["memory_id"] != anchored["id"])
    );
    let read = agent.get(&at(&anchored)).await.expect(200);
    assert_eq!((&read["anchors"][0]["state"], &read["anchors"][0]["reason"]), (&json!("stale"), &json!(STALE)));

    // Still true, says a person.
    let verified = reviewer.post(&format!("{}/verify", at(&anchored)), json!({})).await.expect(200);
    assert_eq!(verified["freshness"], json!({"state": "fresh", "reasons": []}));
    assert_eq!(fresh(&agent, &anchored).await["state"], "fresh");
    assert_eq!(of(&agent.asks(ask.clone()).await, &anchored).1["freshness"]["state"], "fresh");
    // It is true for the new signature now: going back is a change.
    let back = syncs(&agent, picture("main", "ccc333", vec![service("(name, password)", "compare")])).await;
    assert_eq!(back["counts"]["stale"], 1, "{back}");
}

#[tokio::test]
async fn code_that_is_as_it_was_makes_a_memory_fresh_again() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    syncs(&agent, picture("main", "c1", vec![service("()", "one"), file("b.py", vec![symbol("other", "()", "x")])])).await;
    let memory = agent
        .remembers_all_of(json!({"content": "two anchors", "anchors": [{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}, {"path": "b.py"}]}))
        .await;
    // A change of the body, told as the difference to what is known; of the other anchor it says nothing.
    let change = |commit: &str, base: &str, files: Value| json!({"repo": "gateway", "branch": "main", "commit": commit, "base": base, "files": files});
    let told = syncs(&agent, change("c2", "c1", json!([service("()", "two")]))).await;
    assert_eq!((&told["counts"], &told["changed"]), (&json!({"stale": 0, "suspect": 1, "moved": 0, "fresh": 0}), &json!(1)), "{told}");
    let read = agent.get(&at(&memory)).await.expect(200);
    assert_eq!(read["freshness"], json!({"state": "suspect", "reasons": ["authenticate_user changed its body in c2 (auth/service.py)"]}));
    assert_eq!((&read["anchors"][0]["state"], &read["anchors"][1]["state"]), (&json!("suspect"), &json!("fresh")));
    // Told again: nothing new.
    let again = syncs(&agent, change("c3", "c2", json!([service("()", "two")]))).await;
    assert_eq!((&again["counts"]["suspect"], &again["changed"]), (&json!(0), &json!(0)));
    // A new tag is no new look at the code, and being recalled is none either.
    agent.revises(&memory, json!({"tags": ["seen"]})).await;
    agent.asks(json!({"query": "two anchors"})).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "suspect");
    let back = syncs(&agent, change("c4", "c3", json!([service("()", "one")]))).await;
    assert_eq!((&back["counts"]["fresh"], &back["fresh"][0]["memory_id"]), (&json!(1), &memory["id"]));
    assert_eq!(fresh(&agent, &memory).await, json!({"state": "fresh", "reasons": []}));
    // Gone, and there again.
    syncs(&agent, json!({"repo": "gateway", "branch": "main", "commit": "c5", "base": "c4", "removed": [LOGIN]})).await;
    assert_eq!(
        fresh(&agent, &memory).await,
        json!({"state": "stale", "reasons": ["authenticate_user went with its file in c5 (auth/service.py)"]})
    );
    syncs(&agent, change("c6", "c5", json!([service("()", "one")]))).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh");
    // Written anew, it is true for the code as it is.
    syncs(&agent, change("c7", "c6", json!([service("(other)", "one")]))).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "stale");
    agent.revises(&memory, json!({"content": "two anchors, looked at again"})).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh");
}

#[tokio::test]
async fn an_anchor_goes_where_its_code_goes() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    syncs(&agent, picture("main", "c1", vec![service("()", "one")])).await;
    let anchors = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let memory = agent.remembers_all_of(json!({"content": "it follows", "anchors": anchors})).await;
    let moved =
        vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")]), file("auth/users.py", vec![symbol("authenticate_user", "()", "one")])];
    let told = syncs(&agent, picture("main", "c2", moved)).await;
    assert_eq!((&told["counts"]["moved"], &told["moved"][0]["path"]), (&json!(1), &json!("auth/users.py")), "{told}");
    let read = agent.get(&at(&memory)).await.expect(200);
    assert_eq!((&read["freshness"]["state"], &read["anchors"][0]["path"]), (&json!("fresh"), &json!("auth/users.py")));
    assert_eq!(read["anchors"][0]["moved_from"]["path"], LOGIN);
    // It is found where it is, and no longer where it was.
    assert_eq!(agent.lists("memories?anchor_path=auth/users.py").await.len(), 1);
    assert_eq!(agent.lists(&format!("memories?anchor_path={LOGIN}")).await.len(), 0);
    let related = agent.get("code/related?path=auth/users.py&symbol=authenticate_user").await.expect(200);
    assert_eq!(related["memories"]["items"][0]["memory_id"], memory["id"], "{related}");
    assert_eq!(
        related["symbols"],
        json!([{"name": "authenticate_user", "kind": "function", "start_line": 10, "end_line": 30, "memories": 1}])
    );
    // Renamed there, and then changed.
    let told = syncs(&agent, picture("main", "c3", vec![file("auth/users.py", vec![symbol("sign_in", "()", "one")])])).await;
    assert_eq!((&told["counts"]["moved"], &told["moved"][0]["verdict"]), (&json!(1), &json!("renamed")), "{told}");
    syncs(&agent, picture("main", "c4", vec![file("auth/users.py", vec![symbol("sign_in", "()", "two")])])).await;
    assert_eq!(fresh(&agent, &memory).await["reasons"], json!(["sign_in changed its body in c4 (auth/users.py)"]));
    // All as it was, and so is the anchor.
    syncs(&agent, picture("main", "c5", vec![service("()", "one")])).await;
    let read = agent.get(&at(&memory)).await.expect(200);
    assert_eq!((&read["freshness"]["state"], &read["anchors"][0]["path"]), (&json!("fresh"), &json!(LOGIN)));
    assert_eq!(agent.lists(&format!("memories?anchor_path={LOGIN}")).await.len(), 1);
}

#[tokio::test]
async fn branches_do_not_disturb_each_other() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    syncs(&agent, picture("main", "c1", vec![service("()", "one")])).await;
    let anchors = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let memory = agent.remembers_all_of(json!({"content": "on two branches", "anchors": anchors})).await;
    let told = syncs(&agent, picture("feature/login", "f1", vec![service("(new)", "one")])).await;
    assert_eq!((&told["default_branch"], &told["counts"]["stale"]), (&json!(false), &json!(1)), "{told}");
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh");
    let on = async |branch: Option<&str>| agent.asks(json!({"query": "on two branches", "branch": branch})).await;
    let main = on(None).await;
    assert_eq!((&main["items"][0]["freshness"]["state"], main.get("branch")), (&json!("fresh"), None));
    let feature = on(Some("feature/login")).await;
    assert_eq!(
        feature["items"][0]["freshness"],
        json!({"state": "stale", "reasons": ["authenticate_user changed its signature in f1 (auth/service.py on feature/login)"]})
    );
    assert_eq!(feature["branch"], "feature/login");
    let over_mcp = agent.uses("recall", json!({"query": "on two branches", "branch": "feature/login"})).await;
    assert_eq!(
        (&over_mcp.answer["items"][0]["freshness"]["state"], &over_mcp.answer["branch"]),
        (&json!("stale"), &json!("feature/login")),
        "{}",
        over_mcp.text
    );
    let on_main = agent.uses("recall", json!({"query": "on two branches"})).await;
    assert_eq!(
        (&on_main.answer["items"][0]["freshness"]["state"], on_main.answer.get("branch")),
        (&json!("fresh"), None),
        "{}",
        on_main.text
    );
    let related = agent.uses("related_code", json!({"path": LOGIN, "branch": "feature/login"})).await;
    assert_eq!(related.answer["memories"]["items"][0]["freshness"]["state"], "stale", "{}", related.text);
    let nowhere = on(Some("nobody/knows")).await;
    assert_eq!((&nowhere["items"][0]["freshness"]["state"], nowhere.get("branch")), (&json!("fresh"), None));
    assert_eq!(nowhere["notes"].as_array().map(Vec::len), Some(1), "{nowhere}");
    let read = agent.get(&at(&memory)).await.expect(200);
    assert_eq!(read["anchors"][0]["branches"][0]["branch"], "feature/login");
    // Filters are told the branch, too.
    let stale = |branch: Option<&str>| json!({"query": "on two branches", "branch": branch, "freshness": ["stale"]});
    assert_eq!(items(&agent.asks(stale(Some("feature/login"))).await).len(), 1);
    assert_eq!(items(&agent.asks(stale(None)).await).len(), 0);
    // The other way round.
    syncs(&agent, picture("main", "c2", vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")])])).await;
    syncs(&agent, picture("feature/login", "f2", vec![service("()", "one")])).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "stale");
    assert_eq!(on(Some("feature/login")).await["items"][0]["freshness"]["state"], "fresh");
    // What a run on a branch finds out is true for that branch; main does not have it yet, and nobody calls it removed.
    let run = agent.post("sessions", json!({"agent_tool": "codex", "branch": "feature/login"})).await.expect(201);
    let new = file("auth/new.py", vec![symbol("brand_new", "()", "new")]);
    syncs(&agent, picture("feature/login", "f3", vec![service("()", "one"), new.clone()])).await;
    let found = agent
        .remembers_all_of(json!({"content": "only there", "session_id": run["id"], "anchors": [{"repo": "gateway", "path": "auth/new.py", "symbol": "brand_new"}]}))
        .await;
    assert_eq!(found["anchors"][0]["state"], "fresh", "{found}");
    syncs(&agent, picture("main", "c3", vec![service("()", "one")])).await;
    assert_eq!(fresh(&agent, &found).await["state"], "fresh");
    let heads = agent.lists("code/snapshots?repo=gateway").await;
    let heads: Vec<_> =
        heads.iter().map(|head| (head["branch"].as_str(), head["commit"].as_str(), head["default_branch"].as_bool())).collect();
    assert_eq!(heads, [(Some("main"), Some("c3"), Some(true)), (Some("feature/login"), Some("f3"), Some(false))]);
}

#[tokio::test]
async fn what_no_snapshot_has_is_unresolved_until_one_does() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let early = agent
        .remembers_all_of(
            json!({"content": "written before anything was synced", "anchors": [{"path": LOGIN, "symbol": "authenticate_user"}]}),
        )
        .await;
    let typo = agent.remembers_all_of(json!({"content": "nobody has this", "anchors": [{"repo": "gateway", "path": "no/such.py"}]})).await;
    let explicit = json!([{"repo": "gateway", "path": LOGIN, "symbol": "log_out"}]);
    let explicit = agent.remembers_all_of(json!({"content": "before, and with its repository", "anchors": explicit})).await;
    assert_eq!(early["anchors"][0]["state"], "unresolved");
    syncs(&agent, picture("main", "c1", vec![service("()", "one")])).await;
    let read = agent.get(&at(&early)).await.expect(200);
    assert_eq!(
        (&read["anchors"][0]["state"], &read["anchors"][0]["repo"], &read["freshness"]["state"]),
        (&json!("fresh"), &json!("gateway"), &json!("fresh"))
    );
    assert_eq!(agent.get(&at(&typo)).await.expect(200)["anchors"][0]["state"], "unresolved");
    syncs(&agent, picture("main", "c2", vec![service("()", "two")])).await;
    assert_eq!(fresh(&agent, &early).await["state"], "suspect");
    assert_eq!(fresh(&agent, &typo).await["state"], "fresh");
    // The code is gone and a person says that it holds all the same: then it no longer waits for that code.
    syncs(&agent, picture("main", "c3", vec![])).await;
    for memory in [&early, &explicit] {
        assert_eq!(fresh(&agent, memory).await["state"], "stale");
        let verified = reviewer.post(&format!("{}/verify", at(memory)), json!({})).await.expect(200);
        assert_eq!((&verified["freshness"]["state"], &verified["anchors"][0]["state"]), (&json!("fresh"), &json!("unresolved")));
        assert_eq!(fresh(&agent, memory).await["state"], "fresh");
    }
}

#[tokio::test]
async fn a_text_is_hung_on_the_code_it_names() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let service = file(LOGIN, vec![symbol("authenticate_user", "()", "one")]);
    syncs(
        &agent,
        picture(
            "main",
            "c1",
            vec![service, file("billing/charge.py", vec![symbol("Invoice.open", "()", "x"), symbol("Order.open", "()", "y")])],
        ),
    )
    .await;
    for (content, places) in [
        ("`authenticate_user()` must not log the password", json!([[LOGIN, "authenticate_user"]])),
        ("it fails at /srv/app/auth/service.py:12 now and then", json!([[LOGIN, "authenticate_user"]])),
        ("charge.py rounds half up", json!([["billing/charge.py", null]])),
        ("`open` is ambiguous, `true` is a word", json!([])),
    ] {
        let made = agent.remembers_all_of(json!({"content": content})).await;
        let named: Vec<Value> = made["anchors"].as_array().unwrap().iter().map(|one| json!([one["path"], one["symbol"]])).collect();
        assert_eq!(json!(named), places, "{content}");
        assert!(made["anchors"].as_array().unwrap().iter().all(|one| one["state"] == "fresh" && one["repo"] == "gateway"), "{made}");
    }
    // Who says that there are none is believed.
    let none = agent.remembers_all_of(json!({"content": "`authenticate_user` again, in other words", "anchors": []})).await;
    assert_eq!(none["anchors"], json!([]));
    let run = agent.remembers_all_of(json!({"content": "changed `authenticate_user` today", "kind": "episode"})).await;
    assert_eq!(run["anchors"], json!([]));
}

#[tokio::test]
async fn a_large_picture_comes_in_parts_and_a_difference_to_the_unknown_does_not() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let part = |n: u32, files: Vec<Value>| json!({"repo": "gateway", "branch": "main", "commit": "c1", "files": files, "complete": true, "part": n, "parts": 3});
    syncs(&agent, picture("main", "c0", vec![service("()", "one"), file("gone.py", vec![])])).await;
    let anchors = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let memory = agent.remembers_all_of(json!({"content": "it moves from the first part to the last", "anchors": anchors})).await;
    let first = syncs(&agent, part(1, vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")])])).await;
    assert_eq!((&first["waiting"], &first["counts"]["stale"]), (&json!(true), &json!(0)));
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh");
    agent.post("code/snapshots", part(3, vec![])).await.refuses(409, "snapshot_parts_missing");
    syncs(&agent, part(1, vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")])])).await;
    syncs(&agent, part(2, vec![file("a.py", vec![])])).await;
    let last = syncs(&agent, part(3, vec![file("b.py", vec![symbol("authenticate_user", "()", "one")])])).await;
    assert_eq!(
        (&last["waiting"], &last["counts"]["moved"], &last["files"], &last["removed"]),
        (&json!(false), &json!(1), &json!(3), &json!(1)),
        "{last}"
    );
    let refused = |base: &str, branch: &str| json!({"repo": "gateway", "branch": branch, "commit": "c2", "base": base, "files": []});
    let known = agent.post("code/snapshots", refused("c0", "main")).await;
    assert_eq!(known.body["commit"], "c1", "{known:?}");
    known.refuses(409, "snapshot_base_unknown");
    let unknown = agent.post("code/snapshots", refused("c0", "other")).await;
    assert_eq!(unknown.body["commit"], Value::Null);
    unknown.refuses(409, "snapshot_base_unknown");
    syncs(&agent, refused("c1", "main")).await;
}

#[tokio::test]
async fn every_replica_knows_with_the_next_question() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    syncs(&agent, picture("main", "c1", vec![service("()", "one")])).await;
    let anchors = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    agent.remembers_all_of(json!({"content": "told by both", "anchors": anchors})).await;
    let key = house.folder().join("master.key");
    let other = House::on_database(house.postgres().clone(), house.database().to_owned(), |given| given.master_key_file = Some(key)).await;
    let other = other.expect("a second server opens");
    let there = agent.living_at(&other.url);
    for (commit, body, state) in [("c2", "two", "suspect"), ("c3", "one", "fresh"), ("c4", "three", "suspect")] {
        assert_eq!(items(&there.asks(json!({"query": "told by both"})).await).len(), 1);
        syncs(&agent, picture("main", commit, vec![service("()", body)])).await;
        for who in [&there, &agent.actor] {
            assert_eq!(items(&who.asks(json!({"query": "told by both"})).await)[0]["freshness"]["state"], state, "{commit}");
        }
    }
}

#[tokio::test]
async fn a_limited_key_neither_sees_nor_judges_beyond_its_wall() {
    let house = House::open().await;
    let free = house.agent("coding", Role::Writer).await;
    let (billing, search) =
        (house.agent_in("coding", "billing", Role::Writer).await, house.agent_in("coding", "search", Role::Writer).await);
    let owner = house.person("coding", Role::Writer).await;
    syncs(&free, picture("main", "c1", vec![service("()", "one")])).await;
    let anchors = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let memory = async |project: Option<&str>| {
        free.remembers_all_of(json!({"content": format!("of {project:?}"), "project": project, "anchors": anchors})).await
    };
    let (of_billing, of_search, of_all) = (memory(Some("billing")).await, memory(Some("search")).await, memory(None).await);
    let private = owner.remembers_all_of(json!({"content": "hers alone", "visibility": "private", "anchors": anchors})).await;
    // A limited key's picture is its project's: it makes nothing of other projects' memories, nor of everybody's.
    let told = syncs(&billing, picture("main", "b1", vec![service("(theirs)", "one")])).await;
    assert_eq!((&told["counts"]["stale"], &told["stale"][0]["memory_id"]), (&json!(1), &of_billing["id"]), "{told}");
    for memory in [&of_search, &of_all] {
        assert_eq!(fresh(&free, memory).await["state"], "fresh");
    }
    let told = syncs(&billing, picture("main", "b2", vec![service("()", "theirs")])).await;
    assert_eq!(told["counts"]["suspect"], 1, "{told}");
    assert_eq!(told["suspect"][0]["memory_id"], of_billing["id"]);
    // Everybody's picture judges the rest, private memories too, and tells of those that the key may see.
    let told = syncs(&free, picture("main", "c2", vec![service("(all)", "one")])).await;
    let listed: Vec<_> = told["stale"].as_array().unwrap().iter().map(|one| one["memory_id"].clone()).collect();
    assert!(listed.contains(&of_search["id"]) && listed.contains(&of_all["id"]) && listed.len() == 2, "{told}");
    assert_eq!(fresh(&owner, &private).await["state"], "stale");
    assert_eq!(fresh(&free, &of_billing).await["reasons"], json!(["authenticate_user changed its body in b2 (auth/service.py)"]));
    // What there is of code behind a wall is not there.
    assert_eq!(billing.lists("code/snapshots").await.len(), 1);
    assert_eq!(search.lists("code/snapshots").await.len(), 0);
    let related = search.get(&format!("code/related?path={LOGIN}")).await.expect(200);
    let seen: Vec<_> = related["memories"]["items"].as_array().unwrap().iter().map(|one| one["memory_id"].clone()).collect();
    assert!(seen.contains(&of_search["id"]) && !seen.contains(&of_billing["id"]) && !seen.contains(&private["id"]), "{related}");
    assert_eq!(related["symbols"][0]["memories"], 2, "its own and everybody's: {related}");
    // Nor is it in another workspace.
    let support = house.agent("support", Role::Writer).await;
    assert_eq!(support.lists("code/snapshots").await.len(), 0);
    let related = support.get(&format!("code/related?path={LOGIN}")).await.expect(200);
    assert_eq!((&related["memories"]["items"], &related["symbols"]), (&json!([]), &json!([])));
    syncs(&support, picture("main", "s1", vec![])).await;
    assert_eq!(fresh(&free, &of_all).await["state"], "stale");
}

#[tokio::test]
async fn readers_do_not_sync() {
    let house = House::open().await;
    let (reader, auditor) = (house.agent("coding", Role::Reader).await, house.person("coding", Role::Auditor).await);
    for who in [&reader.actor, &auditor.actor] {
        who.post("code/snapshots", picture("main", "c1", vec![])).await.refuses(403, "forbidden");
        who.get("code/snapshots").await.expect(200);
    }
    let writer = house.agent("coding", Role::Writer).await;
    let made = syncs(&writer, picture("main", "c1", vec![service("()", "one")])).await;
    let entries = auditor.lists("audit?action=code.synced").await;
    assert_eq!((entries.len(), &entries[0]["target"]["id"]), (1, &made["id"]));
    assert_eq!(entries[0]["details"], json!({"files": 1, "removed": 0, "anchors": 0}));
}

#[tokio::test]
async fn fingerprints_of_any_make_are_held_against_each_other() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let seen = |commit: &str, digest: &str, signature: &str, body: &str| {
        let mut seen = picture("main", commit, vec![service("()", "one")]);
        seen["files"][0]["sha256"] = json!(digest);
        seen["files"][0]["symbols"][0]["signature_hash"] = json!(signature);
        seen["files"][0]["symbols"][0]["body_hash"] = json!(body);
        seen
    };
    syncs(&agent, seen("c1", "a1", "sig-1", "md5:B@1")).await;
    let anchors = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let memory = agent.remembers_all_of(json!({"content": "Logging in takes a name", "anchors": anchors})).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh");
    syncs(&agent, seen("c2", "a2", "sig-1", "md5:B@1")).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh", "only the file around it changed");
    syncs(&agent, seen("c3", "a3", "sig-2", "md5:B@1")).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "stale");
    syncs(&agent, seen("c4", &"A".repeat(128), "sig-1", "md5:B@1")).await;
    assert_eq!(fresh(&agent, &memory).await["state"], "fresh", "it is as it was");
}

#[tokio::test]
async fn what_cannot_be_a_picture_is_refused() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let with = |field: &str, value: Value| {
        let mut picture = picture("main", "c1", vec![service("()", "one")]);
        *picture.pointer_mut(field).unwrap_or_else(|| panic!("{field}")) = value;
        picture
    };
    for (field, values) in [
        (
            "/repo",
            vec![json!(""), json!(" x"), json!("a\u{0}b"), json!("../x"), json!("a//b"), json!("x".repeat(201)), json!("a\nb"), json!(1)],
        ),
        ("/branch", vec![json!(""), json!("a\u{200b}b"), json!("x".repeat(251))]),
        ("/commit", vec![json!(""), json!("a b"), json!("x".repeat(101)), json!(null)]),
        ("/files/0/path", vec![json!(""), json!("/etc/passwd"), json!("a/../b"), json!("a//b"), json!("x".repeat(1025)), json!("a\tb")]),
        ("/files/0/sha256", vec![json!(""), json!("a b"), json!("a\n"), json!("a".repeat(129)), json!(1)]),
        ("/files/0/symbols/0/name", vec![json!(""), json!("a\u{0}"), json!("x".repeat(501)), json!("a\nb")]),
        ("/files/0/symbols/0/kind", vec![json!(""), json!("x".repeat(51))]),
        ("/files/0/symbols/0/signature_hash", vec![json!(" x"), json!("a\u{200b}")]),
        ("/files/0/symbols/0/body_hash", vec![json!(""), json!(12)]),
        ("/files/0/symbols/0/start_line", vec![json!(-1), json!(31), json!(4_294_967_296_u64)]),
        ("/files/0/symbols/0", vec![json!({"name": "x"}), json!(null)]),
        ("/files", vec![json!({}), json!([service("()", "a"), service("()", "b")])]),
        ("/complete", vec![json!("yes")]),
    ] {
        for value in values {
            agent.post("code/snapshots", with(field, value.clone())).await.refuses(422, "invalid");
        }
    }
    for (name, value) in [
        ("part", json!(1)),
        ("parts", json!(2)),
        ("source", json!("def f(): pass")),
        ("removed", json!([LOGIN])),
        ("removed", json!(["/x"])),
        ("base", json!("a b")),
    ] {
        let mut picture = picture("main", "c1", vec![service("()", "one")]);
        picture[name] = value;
        agent.post("code/snapshots", picture).await.refuses(422, "invalid");
    }
    for (part, parts) in [(0, 2), (3, 2), (1, 1001)] {
        let mut picture = picture("main", "c1", vec![]);
        (picture["part"], picture["parts"]) = (json!(part), json!(parts));
        agent.post("code/snapshots", picture).await.refuses(422, "invalid");
    }
    let shingled: Vec<u32> = (0..65).collect();
    let mut many = picture("main", "c1", vec![service("()", "one")]);
    many["files"][0]["symbols"][0]["shingles"] = json!(shingled);
    agent.post("code/snapshots", many).await.refuses(422, "invalid");
    let long = "x".repeat(11 * 1024 * 1024);
    let reply: Reply = agent.post("code/snapshots", json!({"repo": long})).await;
    reply.refuses(413, "too_large");
    agent.get("code/related").await.refuses(422, "invalid");
    agent.get("code/related?path=").await.refuses(422, "invalid");
    agent.get("memories/needs-review?order=nonsense").await.refuses(422, "invalid");
    agent.get("memories/needs-review?cursor=nonsense").await.refuses(422, "invalid");
    assert_eq!(agent.lists("code/snapshots").await.len(), 0, "nothing of all that was taken in");
}

#[tokio::test]
async fn what_needs_review_is_listed_by_age_use_and_what_it_was_told_in_doubt() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let tree = |body: &str| {
        picture("main", body, vec![file("a.py", vec![symbol("alpha", "()", body)]), file("b.py", vec![symbol("beta", "()", body)])])
    };
    syncs(&agent, tree("one")).await;
    let on = async |name: &str, path: &str, text: &str| {
        agent.remembers_all_of(json!({"content": text, "anchors": [{"repo": "gateway", "path": path, "symbol": name}]})).await
    };
    let (alpha, beta) = (on("alpha", "a.py", "dates are parsed leniently").await, on("beta", "b.py", "customers get one mail a day").await);
    let fine = agent.remembers("pears are fine").await;
    assert_eq!(agent.lists("memories/needs-review").await.len(), 0);
    for _ in 0..3 {
        agent.asks(json!({"query": "how are dates parsed?", "limit": 1})).await;
    }
    syncs(&agent, tree("two")).await;
    agent.asks(json!({"query": "how many mails do customers get a day?", "limit": 1})).await;
    let listed = async |order: &str| -> Vec<Value> { agent.lists(&format!("memories/needs-review?order={order}")).await };
    let first = |all: &[Value]| (all.len(), all[0]["memory"]["id"].clone());
    let told = listed("told").await;
    assert_eq!(first(&told), (2, beta["id"].clone()), "{told:?}");
    assert_eq!((&told[0]["told"], &told[0]["told_while_doubted"]), (&json!(1), &json!(1)));
    assert_eq!(first(&listed("use").await), (2, alpha["id"].clone()));
    assert_eq!(first(&listed("age").await), (2, alpha["id"].clone()));
    assert_eq!(told[0]["memory"]["freshness"]["state"], "suspect");
    // A person's word, and it is off the list; one that is reported comes onto it.
    reviewer.post(&format!("{}/verify", at(&alpha)), json!({})).await.expect(200);
    let answer = agent.asks(json!({"query": "pears are fine", "limit": 1})).await;
    agent.judges(&answer, &items(&answer)[0], "wrong").await.expect(204);
    let left: Vec<Value> = listed("told").await.iter().map(|one| one["memory"]["id"].clone()).collect();
    assert!(left.len() == 2 && left.contains(&beta["id"]) && left.contains(&fine["id"]), "{left:?}");
    let page = agent.get("memories/needs-review?limit=1").await.expect(200);
    let next = agent.get(&format!("memories/needs-review?limit=1&cursor={}", page["next_cursor"].as_str().unwrap())).await.expect(200);
    assert_ne!(page["data"][0]["memory"]["id"], next["data"][0]["memory"]["id"]);
    assert_eq!((next["data"].as_array().map(Vec::len), &next["next_cursor"]), (Some(1), &Value::Null));
}

#[tokio::test]
async fn what_was_told_counts_the_same_when_its_days_have_been_counted_up() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let since = cairn_server::model::clock::now().replace_time(time::macros::time!(12:34:56)) - time::Duration::days(40);
    let stale_after = since.format(&time::format_description::well_known::Rfc3339).unwrap();
    let pears = agent.remembers_all_of(json!({"content": "pears are picked by hand", "stale_after": stale_after})).await;
    let plums = agent.remembers_all_of(json!({"content": "plums are shaken from the tree", "stale_after": stale_after})).await;
    agent.asks(json!({"query": "how are pears picked?", "limit": 1})).await;
    // Every seven hours for four months; in every third receipt the plums were folded into the pears.
    sqlx::query(
        "with told as (
             select m.n, id_at(m.at) as id, m.at, r.workspace_id, r.items, to_jsonb(r) as whole
             from receipts r, (select n, now() - interval '7 hours' * n as at from generate_series(1, 410) n) m
         ), written as (
             insert into receipts select (jsonb_populate_record(null::receipts, whole || jsonb_build_object('id', id, 'at', at, 'items',
                 case when n % 3 = 0 then jsonb_set(items, '{0,folded}', jsonb_build_array($2::text)) else items end))).* from told
         )
         insert into receipt_items (workspace_id, memory_id, receipt_id)
         select workspace_id, $1, id from told union all select workspace_id, $2::uuid, id from told where n % 3 = 0",
    )
    .bind(pears["id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap())
    .bind(plums["id"].as_str().unwrap())
    .execute(house.owner())
    .await
    .unwrap();
    let listed = async || -> Vec<(Value, Value, Value)> {
        let all = agent.lists("memories/needs-review").await;
        all.iter().map(|one| (one["memory"]["id"].clone(), one["told"].clone(), one["told_while_doubted"].clone())).collect()
    };
    let before = listed().await;
    let doubted = house.count(&format!("select count(*) from receipts where at >= '{stale_after}'")).await;
    assert_eq!(before[0], (pears["id"].clone(), json!(411), json!(doubted)));
    assert_eq!((&before[1].0, &before[1].1), (&plums["id"], &json!(136)));
    let counts_up = async || cairn_server::acts::activity::count_up(house.app()).await.expect("counted");
    counts_up().await;
    assert!(house.count("select count(*) from tellings").await > 200, "it was counted by the day");
    assert_eq!(listed().await, before);
    // A day counts once, and what was counted while the clock was wrong is counted anew.
    counts_up().await;
    sqlx::query("update tellings_counted set before = before + 300").execute(house.owner()).await.unwrap();
    sqlx::query("update tellings set times = times + 1").execute(house.owner()).await.unwrap();
    counts_up().await;
    assert_eq!(listed().await, before);
}

#[tokio::test]
async fn two_that_contradict_each_other_are_doubted_until_somebody_decides() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let one = agent.remembers_all_of(json!({"content": "Service tokens are signed with RS256.", "kind": "discovery"})).await;
    assert_eq!(items(&agent.asks(json!({"query": "how are service tokens signed?"})).await)[0]["freshness"]["state"], "fresh");
    let other = agent.remembers_all_of(json!({"content": "Service tokens are signed with HS256.", "kind": "discovery"})).await;
    assert!(other["conflicts"].is_array(), "{other}");
    let reasons = |of: &Value| json!([format!("contradicts {}, and nobody has decided which holds", of["id"].as_str().unwrap())]);
    assert_eq!(fresh(&agent, &one).await, json!({"state": "suspect", "reasons": reasons(&other)}));
    let told = agent.asks(json!({"query": "how are service tokens signed?"})).await;
    assert_eq!(of(&told, &one).1["freshness"], json!({"state": "suspect", "reasons": reasons(&other)}));
    assert_eq!(agent.lists("memories?freshness=suspect").await.len(), 2);
    let conflict = reviewer.lists("conflicts").await[0]["id"].as_str().unwrap().to_owned();
    reviewer.post(&format!("conflicts/{conflict}/resolve"), json!({"keep": "both", "note": "two services"})).await.expect(200);
    assert_eq!(fresh(&agent, &one).await["state"], "fresh");
    assert_eq!(of(&agent.asks(json!({"query": "how are service tokens signed?"})).await, &one).1["freshness"]["state"], "fresh");
    assert_eq!(agent.lists("memories?freshness=suspect").await.len(), 0);
}

#[tokio::test]
async fn what_is_erased_takes_what_was_said_of_its_code_along() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    syncs(&agent, picture("main", "c1", vec![service("()", "one")])).await;
    let anchors = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let memory = agent.remembers_all_of(json!({"content": "to be erased", "anchors": anchors})).await;
    syncs(&agent, picture("main", "c2", vec![service("()", "two")])).await;
    assert_eq!(house.count("select count(*) from code_verdicts").await, 1);
    let request = agent.asks_to_erase(&[&memory], "because").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);
    assert_eq!(house.count("select count(*) from code_verdicts").await + house.count("select count(*) from anchors").await, 0);
    let told = syncs(&agent, picture("main", "c3", vec![service("()", "one")])).await;
    assert_eq!(told["counts"]["fresh"], 0);
    assert_eq!(agent.get(&at(&memory)).await.status, 404);
}
