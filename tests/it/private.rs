//! Private memories are seen by the person they belong to and by the agents that person owns, and by nobody else,
//! whatever their role: by the row policy.

use cairn_tests::{House, Role, at, until};
use serde_json::json;

#[tokio::test]
async fn a_private_memory_is_there_for_its_person_and_their_agents_only() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    let hers = house.agent_like("coding", json!({"role": "writer", "owner": ada.id})).await;
    let nobodys = house.agent("coding", Role::Admin).await;
    let secret = ada
        .remembers_all_of(
            json!({"content": "ada dislikes mondays", "visibility": "private", "tags": ["mood"], "anchors": [{"path": "a.rs"}]}),
        )
        .await;

    assert_eq!(ada.reads(&secret).await["content"], "ada dislikes mondays");
    assert_eq!(hers.reads(&secret).await["visibility"], "private");
    for other in [&*grace, &*nobodys, &**house.admin().await] {
        other.get(&at(&secret)).await.refuses(404, "not_found");
        other.get(&format!("{}/versions", at(&secret))).await.refuses(404, "not_found");
        other.patch(&at(&secret), json!({"content": "mine now"})).await.refuses(404, "not_found");
        for list in ["memories", "memories?tag=mood", "memories?anchor_path=a.rs", "memories?q=mondays"] {
            assert_eq!(other.lists(list).await.len(), 0, "{list}");
        }
    }
}

#[tokio::test]
async fn the_row_policy_itself_hides_it() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    ada.remembers_all_of(json!({"content": "hers", "visibility": "private", "tags": ["t"], "anchors": [{"path": "a"}]})).await;
    let coding = house.workspace("coding").await;
    for (who, rows) in [(Some(ada.id), 1_i64), (Some(grace.id), 0), (None, 0)] {
        for table in ["memories", "memory_versions", "memory_states", "memory_tags", "anchors"] {
            let sql = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
            let seen: i64 = sqlx::query_scalar(sql).fetch_one(&mut house.standing_in(coding, who, None).await).await.unwrap();
            assert_eq!(seen, rows, "{table} as {who:?}");
        }
    }
}

#[tokio::test]
async fn two_people_may_keep_the_same_private_thing() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    let note = json!({"content": "the same words", "visibility": "private"});
    let (hers, other) = (ada.remembers_all_of(note.clone()).await, grace.remembers_all_of(note.clone()).await);
    assert_ne!(hers["id"], other["id"]);
    let known = ada.post("memories", note).await;
    assert_eq!((known.status, &known.body["id"]), (200, &hers["id"]));
    let placed = json!({"content": "at a place", "visibility": "private", "path": "/notes/today.md"});
    ada.remembers_all_of(placed.clone()).await;
    grace.remembers_all_of(placed).await;
}

#[tokio::test]
async fn an_agent_without_a_person_has_nothing_private() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let refused = agent.post("memories", json!({"content": "whose?", "visibility": "private"})).await;
    assert_eq!(refused.refuses(422, "invalid").wrong_fields(), ["visibility"]);
}

#[tokio::test]
async fn what_becomes_private_is_gone_for_the_others_with_its_past() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    let note = ada.remembers("open at first").await;
    grace.reads(&note).await;
    ada.revises(&note, json!({"visibility": "private", "content": "closed later"})).await;
    grace.get(&at(&note)).await.refuses(404, "not_found");
    grace.get(&format!("{}/versions/1", at(&note))).await.refuses(404, "not_found");
    assert_eq!(ada.lists(&format!("{}/versions", at(&note))).await.len(), 2);
}

#[tokio::test]
async fn nobody_takes_from_the_others_what_somebody_else_wrote() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    let hers = house.agent_like("coding", json!({"role": "writer", "owner": ada.id})).await;
    let private = json!({"visibility": "private"});
    let (note, by_her_agent) = (ada.remembers("everybody reads this").await, hers.remembers("and what her agent wrote").await);
    for memory in [&note, &by_her_agent] {
        grace.patch(&at(memory), private.clone()).await.refuses(403, "forbidden");
        let instead = json!({"content": "only for me", "visibility": "private"});
        let refused = grace.post(&format!("{}/supersede", at(memory)), instead).await;
        assert_eq!(refused.refuses(422, "invalid").wrong_fields(), ["visibility"]);
        assert_eq!(grace.reads(memory).await["version"], 1);
    }
    // She and her agents are one author.
    ada.revises(&by_her_agent, private.clone()).await;
    hers.revises(&note, private.clone()).await;
    grace.get(&at(&note)).await.refuses(404, "not_found");
    let decided = ada.remembers_all_of(json!({"content": "We ship on Tuesdays.", "kind": "decision"})).await;
    ada.patch(&at(&decided), private).await.refuses(409, "decision_immutable");
    grace.reads(&decided).await;
}

#[tokio::test]
async fn what_becomes_everybodys_lies_above_and_below_nobody_elses() {
    let house = House::open().await;
    let (ada, bob) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    let mine = ada.remembers_all_of(json!({"content": "mine", "visibility": "private", "path": "/notes"})).await;
    bob.remembers_all_of(json!({"content": "his", "path": "/notes/x.md"})).await;
    ada.patch(&at(&mine), json!({"visibility": "workspace"})).await.refuses(409, "path_conflict");
    bob.get(&at(&mine)).await.refuses(404, "not_found");
    ada.revises(&mine, json!({"visibility": "workspace", "path": "/mine.md"})).await;
    bob.reads(&mine).await;
    // Nor where only what is private shows that there is a folder.
    let below = json!({"content": "below", "visibility": "private", "path": "/plans/a.md"});
    let below = ada.remembers_all_of(below).await;
    ada.remembers_all_of(json!({"content": "beside", "visibility": "private", "path": "/plans/b.md"})).await;
    bob.remembers_all_of(json!({"content": "no folder", "path": "/plans"})).await;
    ada.patch(&at(&below), json!({"visibility": "workspace"})).await.refuses(409, "path_conflict");
}

#[tokio::test]
async fn nothing_of_ones_own_lies_below_another_of_it_though_others_lie_there_too() {
    let house = House::open().await;
    let (ada, bob) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Writer).await);
    ada.remembers_all_of(json!({"content": "mine", "visibility": "private", "path": "/notes"})).await;
    bob.remembers_all_of(json!({"content": "his", "path": "/notes/x.md"})).await;
    let below = json!({"content": "below", "visibility": "private", "path": "/notes/y.md"});
    ada.post("memories", below.clone()).await.refuses(409, "path_conflict");
    bob.remembers_all_of(below).await;
}

#[tokio::test]
async fn who_keeps_things_to_themselves_makes_nobody_wait() {
    let house = House::open().await;
    let ada = house.person("coding", Role::Writer).await;
    let private = |path: &str| json!({"content": format!("at {path}"), "visibility": "private", "path": path});
    ada.remembers_all_of(private("/me/notes/a.md")).await;
    let mut writing = house.owner().begin().await.unwrap();
    sqlx::query("select set_config('cairn.person', $1, true)").bind(ada.id.to_string()).execute(&mut *writing).await.unwrap();
    sqlx::query(
        "insert into memories select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'path', '/me/notes/b.md'))).*
         from memories m where path = '/me/notes/a.md'",
    )
    .execute(&mut *writing)
    .await
    .unwrap();
    let held = "select count(*) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and pid = pg_backend_pid()";
    let alone: i64 = sqlx::query_scalar(held).fetch_one(&mut *writing).await.unwrap();
    assert_eq!(alone, 0, "the folder was there");
    ada.remembers_all_of(private("/me/notes/c.md")).await;
    ada.remembers_all_of(private("/me/d.md")).await;
    writing.rollback().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_makes_folders_waits_for_the_one_above_and_holds_none_below() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers_all_of(json!({"content": "there", "path": "/there.md"})).await;
    let mut holding = house.owner().begin().await.unwrap();
    let list = "select pg_advisory_xact_lock(hashtextextended(store_id::text, 2)) from memories";
    sqlx::query(list).execute(&mut *holding).await.unwrap();
    let writer = agent.clone();
    let made = tokio::spawn(async move { writer.post("memories", json!({"content": "deep", "path": "/new/deep/x.md"})).await });
    let on_list_of = async |folder: &str, granted: bool| {
        let sql = format!(
            "select count(*) from pg_locks l, memories m
             where l.locktype = 'advisory' and l.mode = 'ExclusiveLock' and l.granted = {granted} and l.pid <> pg_backend_pid()
               and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(m.store_id::text || '{folder}', 2)"
        );
        house.count(&sql).await
    };
    until("it waits for the list of the root", async || on_list_of("", false).await == 1).await;
    assert_eq!(on_list_of("/new", true).await, 0, "and lets others to the lists below it meanwhile");
    holding.rollback().await.unwrap();
    made.await.unwrap().expect(201);
}

#[tokio::test]
async fn what_took_the_place_of_what_others_read_is_not_hidden_later() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Reviewer).await, house.person("coding", Role::Writer).await);
    let private = json!({"visibility": "private"});
    let old = grace.remembers("The canteen opens at noon.").await;
    let new = ada.remembers_all_of(json!({"content": "The canteen opens at one.", "supersedes": old["id"]})).await;
    ada.patch(&at(&new), private.clone()).await.refuses(409, "stands_for_others");

    let first = grace.remembers("Service tokens are signed with RS256.").await;
    let second = ada.remembers("Service tokens are signed with HS256.").await;
    let conflict = format!("conflicts/{}/resolve", second["conflicts"][0]["id"].as_str().unwrap());
    ada.post(&conflict, json!({"keep": second["id"]})).await.expect(200);
    ada.patch(&at(&second), private.clone()).await.refuses(409, "stands_for_others");
    for (memory, by) in [(&old, &new), (&first, &second)] {
        assert_eq!(grace.reads(memory).await["superseded_by"], by["id"]);
        assert_eq!(grace.reads(by).await["visibility"], "workspace");
    }
    // Nobody reads what was erased.
    let last = ada.remembers_all_of(json!({"content": "The canteen opens at two.", "supersedes": new["id"]})).await;
    let (asks, approves) = (house.person("coding", Role::Admin).await, house.person("coding", Role::Admin).await);
    let request = asks.asks_to_erase(&[&old, &new], "asked for").await;
    approves.approves(&request).await;
    approves.executes(&request).await.expect(200);
    ada.patch(&at(&last), private.clone()).await.expect(200);
    // What only she had read before is hers to hide again.
    let note = ada.remembers_all_of(json!({"content": "hers at first", "visibility": "private"})).await;
    let shown = json!({"content": "open later", "visibility": "workspace", "supersedes": note["id"]});
    let shown = ada.remembers_all_of(shown).await;
    ada.revises(&shown, private).await;
}
