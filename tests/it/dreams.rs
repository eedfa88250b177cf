//! Dreams: what says the same is merged, what nobody needs is put away, what clashes is flagged; by a person's word or by
//! policy, with a report, and undone as one.

use cairn_tests::{Actor, House, Person, Role, until};
use serde_json::{Map, Value, json};
use sqlx::{Executor, PgConnection};
use std::collections::{BTreeMap, BTreeSet};

const TEXT: &str =
    "The gateway retries idempotent requests three times with jitter because the upstream drops idle connections after 30 seconds";

/// A dream from its beginning to its end.
pub(super) async fn dreams(who: &Actor, asked: Value) -> Value {
    let begun = who.post("dreams", asked).await.expect(201);
    assert_eq!(begun["state"], "running");
    ended(who, &begun).await
}

async fn ended(who: &Actor, dream: &Value) -> Value {
    let path = format!("dreams/{}", text(&dream["id"]));
    let mut seen = Value::Null;
    until("the dream is over", async || {
        seen = who.get(&path).await.expect(200);
        seen["state"] != "running"
    })
    .await;
    seen
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

async fn did(who: &Actor, dream: &Value) -> Vec<Value> {
    who.lists(&format!("dreams/{}/actions?limit=200", text(&dream["id"]))).await
}

pub(super) fn count(dream: &Value, deed: &str, outcome: &str) -> u64 {
    dream["report"]["actions"][deed][outcome].as_u64().unwrap_or_default()
}

/// Everything that must be as before, by id.
pub(super) async fn picture(who: &Actor) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for state in ["active", "proposed", "superseded", "archived"] {
        for memory in who.lists(&format!("memories?state={state}&limit=200")).await {
            let kept = [
                "title",
                "content",
                "kind",
                "tags",
                "project",
                "path",
                "state",
                "confidence",
                "anchors",
                "freshness",
                "superseded_by",
                "supersedes",
            ];
            let part: Map<String, Value> = kept.iter().map(|field| ((*field).to_owned(), memory[*field].clone())).collect();
            all.insert(text(&memory["id"]).to_owned(), Value::Object(part));
        }
    }
    all
}

/// Behind the house's back: some memories were written long ago.
pub(super) async fn age(house: &House, memories: &[&Value], days: i32) {
    let ids: Vec<uuid::Uuid> = memories.iter().map(|memory| text(&memory["id"]).parse().expect("an id")).collect();
    let mut conn = house.owner().acquire().await.expect("a connection");
    let conn: &mut PgConnection = &mut conn;
    conn.execute("set session_replication_role = replica").await.expect("as a replica");
    for (table, id, columns) in [("memories", "id", ["created_at", "updated_at"]), ("memory_versions", "memory_id", ["at", "valid_from"])] {
        let sql = format!(
            "update {table} set {0} = {0} - make_interval(days => $1), {1} = {1} - make_interval(days => $1) where {id} = any($2)",
            columns[0], columns[1]
        );
        sqlx::query(sqlx::AssertSqlSafe(sql)).bind(days).bind(&ids).execute(&mut *conn).await.expect("older");
    }
    conn.execute("set session_replication_role = origin").await.expect("as before");
}

/// A house whose workspace keeps everything fresh, and a person who may review.
pub(super) async fn house() -> (House, Person) {
    let house = House::open().await;
    let person = house.person("coding", Role::Reviewer).await;
    let settings = json!({"settings": {"default_stale_after_days": null}});
    house.admin().await.patch("/v1/workspaces/coding", settings).await.expect(200);
    (house, person)
}

/// Some of everything: what the dream should find, and what it should leave.
pub(super) struct Lived {
    duplicates: Vec<[Value; 2]>,
    discoveries: Vec<Value>,
    forgotten: Value,
    episodes: Vec<Value>,
    stale: Value,
    clashing: [Value; 2],
    rest: Vec<Value>,
}

pub(super) async fn live(house: &House, writer: &Actor) -> Lived {
    let one = json!({"content": TEXT, "kind": "fact", "path": "/a.md", "tags": ["gateway"], "anchors": [{"path": "src/a.rs"}]});
    let same = json!({"content": format!("**{}**", TEXT.to_lowercase()), "kind": "fact", "path": "/b.md", "tags": ["retries"], "anchors": [{"path": "src/b.rs"}]});
    let decided = "We keep invoices as PDF files in the object store so that auditors can read them without our software.";
    let duplicates = vec![
        [writer.remembers_all_of(one).await, writer.remembers_all_of(same).await],
        [
            writer.remembers_all_of(json!({"content": decided, "kind": "decision", "path": "/d1.md"})).await,
            writer.remembers_all_of(json!({"content": format!("Note that {decided}"), "kind": "decision", "path": "/d2.md"})).await,
        ],
    ];
    let found = "The nightly import fails when the customer file has a byte order mark at its beginning.";
    let mut discoveries = Vec::new();
    for (n, said) in [found.to_owned(), found.replace("the customer", "our customer"), format!("Note: {found}")].into_iter().enumerate() {
        let finder = house.agent("coding", Role::Writer).await;
        discoveries.push(finder.remembers_all_of(json!({"content": said, "kind": "discovery", "path": format!("/found{n}.md")})).await);
    }
    let forgotten = writer.remembers_all_of(json!({"content": "Lunch menus arrive by fax.", "kind": "discovery", "confidence": 0.3})).await;
    let mut episodes = Vec::new();
    for n in 0..4 {
        let content = format!("Goal: repair report {n}\n\n## Edited\n- src/report.rs\n\n## Decisions\n- Report {n} is weekly\n");
        episodes.push(
            writer
                .remembers_all_of(json!({"content": content, "kind": "episode", "project": "api", "title": format!("Repair report {n}")}))
                .await,
        );
    }
    let stale = writer
        .remembers_all_of(json!({"content": "The licence of the map tiles was renewed.", "expires_at": "2020-01-01T00:00:00Z"}))
        .await;
    let clashing = [
        writer.remembers("The session timeout of the admin console is 30 minutes.").await,
        writer.remembers("The session timeout of the admin console is 60 minutes.").await,
    ];
    let mut rest = Vec::new();
    for n in 0..40 {
        let words = ["amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "hazel"];
        let said = format!("Machine {} number {n} stands in the {} hall of building {}", words[n % 8], words[n / 8], n * 7);
        rest.push(writer.remembers(&said).await);
    }
    let old: Vec<&Value> = episodes.iter().chain([&forgotten]).collect();
    age(house, &old, 150).await;
    Lived { duplicates, discoveries, forgotten, episodes, stale, clashing, rest }
}

#[tokio::test]
async fn in_auto_mode_a_dream_tidies_up_and_a_rollback_undoes_it_to_the_byte() {
    let (house, person) = house().await;
    let writer = house.agent("coding", Role::Writer).await;
    let lived = live(&house, &writer).await;
    let before = picture(&person).await;
    let dream = dreams(&person, json!({"mode": "auto"})).await;
    assert_eq!((dream["state"].as_str(), dream["mode"].as_str()), (Some("done"), Some("auto")), "{dream}");

    let stays = person.reads(&lived.duplicates[0][0]).await;
    let gone = person.reads(&lived.duplicates[0][1]).await;
    assert_eq!((stays["state"].as_str(), gone["state"].as_str()), (Some("active"), Some("superseded")));
    assert_eq!(gone["superseded_by"], stays["id"]);
    assert_eq!(stays["tags"], json!(["gateway", "retries"]));
    assert_eq!(stays["anchors"].as_array().map(Vec::len), Some(2));
    assert_eq!(stays["content"], TEXT);

    let decision = person.reads(&lived.duplicates[1][1]).await;
    assert_eq!((decision["state"].as_str(), &decision["superseded_by"]), (Some("superseded"), &lived.duplicates[1][0]["id"]));

    let pattern = person.lists("memories?kind=pattern").await;
    assert_eq!(pattern.len(), 1, "{pattern:?}");
    for found in &lived.discoveries {
        assert_eq!(person.reads(found).await["superseded_by"], pattern[0]["id"]);
    }
    assert_eq!(person.reads(&lived.forgotten).await["state"], "archived");

    let digests = person.lists("memories?kind=episode").await;
    assert_eq!(digests.len(), 1, "{digests:?}");
    assert!(text(&digests[0]["content"]).contains("Report 2 is weekly"), "{}", digests[0]);
    for episode in &lived.episodes {
        assert_eq!(person.reads(episode).await["state"], "superseded");
    }

    let done = did(&person, &dream).await;
    let about = |deed: &str| done.iter().filter(|one| one["deed"] == deed).collect::<Vec<_>>();
    assert_eq!(about("verify").iter().map(|one| &one["memory"]["id"]).collect::<Vec<_>>(), [&lived.stale["id"]]);
    let clash = person.lists("conflicts").await;
    let pair: BTreeSet<&str> = lived.clashing.iter().map(|one| text(&one["id"])).collect();
    assert!(clash.iter().any(|one| pair.iter().all(|id| one.to_string().contains(id))), "{clash:?}");
    assert_eq!(about("merge").len(), 2, "{done:?}");
    assert!(done.iter().all(|one| one["memory"]["title"].is_string()), "{done:?}");

    let now = picture(&person).await;
    for left in &lived.rest {
        assert_eq!(now[text(&left["id"])], before[text(&left["id"])]);
    }

    // One thing that it made, and then all of it.
    person.post("rollbacks", json!({"memory_ids": [pattern[0]["id"]]})).await.expect(201);
    for found in &lived.discoveries {
        assert_eq!(person.reads(found).await["state"], "active");
    }
    person.post("rollbacks", json!({"dream_id": dream["id"]})).await.expect(201);
    let after = picture(&person).await;
    for (id, was) in &before {
        assert_eq!(&after[id], was, "{id}");
    }
    let new: Vec<_> = after.iter().filter(|(id, _)| !before.contains_key(*id)).collect();
    assert!(new.iter().all(|(_, memory)| memory["state"] == "archived"), "{new:?}");
    assert_eq!(person.get(&format!("dreams/{}", text(&dream["id"]))).await.expect(200)["state"], "rolled_back");
}

#[tokio::test]
async fn a_second_dream_finds_nothing_new() {
    let (house, person) = house().await;
    let writer = house.agent("coding", Role::Writer).await;
    live(&house, &writer).await;
    dreams(&person, json!({"mode": "auto"})).await;
    let before = picture(&person).await;
    let again = dreams(&person, json!({"mode": "auto"})).await;
    let changing: Vec<Value> = did(&person, &again).await.into_iter().filter(|one| one["deed"] != "verify").collect();
    assert_eq!(changing, Vec::<Value>::new());
    assert_eq!(picture(&person).await, before);
}

#[tokio::test]
async fn in_review_mode_nothing_changes_before_a_person_says_so_and_what_was_rejected_does_not_come_back() {
    let (house, person) = house().await;
    let writer = house.agent("coding", Role::Writer).await;
    let lived = live(&house, &writer).await;
    let before = picture(&person).await;
    let dream = dreams(&person, json!({"mode": "review"})).await;
    assert_eq!(count(&dream, "merge", "proposed"), 2, "{dream}");
    let known = picture(&person).await;
    for (id, was) in &before {
        assert_eq!(&known[id], was);
    }
    let open = person.lists("proposals?origin=dream&state=open").await;
    let about = |id: &Value| open.iter().find(|one| one["change"].to_string().contains(text(id))).unwrap_or_else(|| panic!("{open:?}"));
    let approved = about(&lived.duplicates[0][1]["id"]);
    person.post(&format!("proposals/{}/approve", text(&approved["id"])), json!({})).await.expect(200);
    assert_eq!(person.reads(&lived.duplicates[0][1]).await["superseded_by"], lived.duplicates[0][0]["id"]);
    for rejected in open.iter().filter(|one| one["id"] != approved["id"]) {
        person.post(&format!("proposals/{}/reject", text(&rejected["id"])), json!({})).await.expect(200);
    }
    for mode in ["review", "auto"] {
        let again = dreams(&person, json!({"mode": mode})).await;
        let acted: Vec<Value> =
            did(&person, &again).await.into_iter().filter(|one| one["deed"] != "verify" && one["deed"] != "flag").collect();
        assert_eq!(acted, Vec::<Value>::new(), "{mode}");
    }
    assert_eq!(person.reads(&lived.forgotten).await["state"], "active");
}

#[tokio::test]
async fn a_dry_run_says_what_it_would_do_and_does_nothing() {
    let (house, person) = house().await;
    let writer = house.agent("coding", Role::Writer).await;
    live(&house, &writer).await;
    let before = picture(&person).await;
    let dream = dreams(&person, json!({"mode": "auto", "dry_run": true})).await;
    assert_eq!(count(&dream, "merge", "would_apply"), 2, "{dream}");
    assert_eq!(picture(&person).await, before);
    assert_eq!(person.lists("proposals").await, Vec::<Value>::new());
}

#[tokio::test]
async fn what_is_below_the_threshold_waits_and_a_kind_that_is_off_is_left_alone() {
    let (house, person) = house().await;
    let writer = house.agent("coding", Role::Writer).await;
    let lived = live(&house, &writer).await;
    let admin = house.admin().await.looking_at("coding");
    let policies = json!({"fact": {"review_threshold": "always"}, "episode": {"dream_mode": "off"}, "decision": {"dream_mode": "review"}});
    admin.put("policies", json!({"policies": policies})).await.expect(200);
    let dream = dreams(&person, json!({"mode": "auto"})).await;
    assert_eq!(count(&dream, "merge", "proposed"), 2, "{dream}");
    assert_eq!(count(&dream, "condense", "applied") + count(&dream, "condense", "proposed"), 0, "{dream}");
    assert_eq!(count(&dream, "decay", "applied"), 1, "{dream}");
    assert_eq!(person.reads(&lived.duplicates[0][1]).await["state"], "active");
}

#[tokio::test]
async fn one_dream_at_a_time_and_one_that_was_cut_off_is_told_as_failed() {
    let (house, person) = house().await;
    let workspace = house.workspace("coding").await;
    let mut other = house.as_login().await;
    sqlx::query("select pg_advisory_lock(hashtextextended('cairn dream ' || $1, 0))")
        .bind(workspace.to_string())
        .execute(&mut other)
        .await
        .expect("the turn");
    person.post("dreams", json!({})).await.refuses(409, "dream_running");
    drop(other);
    house
        .owner()
        .execute("insert into dreams (workspace_id, id, mode, dry_run, state, stage, started_at, actor_type, actor_id, tally, audit_id) select workspace_id, gen_random_uuid(), 'auto', false, 'running', 'writing', now(), 'system', gen_random_uuid(), '{}', id from audit_entries where workspace_id <> '00000000-0000-0000-0000-000000000000' limit 1")
        .await
        .expect("a dream that was cut off");
    let mut begun = None;
    until("the turn is free", async || {
        let reply = person.post("dreams", json!({"dry_run": true})).await;
        begun = (reply.status == 201).then_some(reply.body);
        begun.is_some()
    })
    .await;
    ended(&person, &begun.expect("begun")).await;
    let states: Vec<Value> = person.lists("dreams").await.into_iter().map(|dream| dream["state"].clone()).collect();
    assert_eq!(states.iter().filter(|state| *state == "failed").count(), 1, "{states:?}");
    assert_eq!(states.iter().filter(|state| *state == "running").count(), 0, "{states:?}");
}

#[tokio::test]
async fn what_somebody_changed_meanwhile_is_left_and_the_report_says_so() {
    let (house, person) = house().await;
    let writer = house.agent("coding", Role::Writer).await;
    let one = writer.remembers_all_of(json!({"content": TEXT, "path": "/a.md"})).await;
    let other = writer.remembers_all_of(json!({"content": TEXT.to_lowercase(), "path": "/b.md"})).await;
    // The dream has thought when it asks for the row; by then there is another version.
    let mut tx = house.owner().begin().await.expect("a transaction");
    sqlx::query("set local session_replication_role = replica").execute(&mut *tx).await.expect("as a replica");
    let id: uuid::Uuid = text(&other["id"]).parse().expect("an id");
    sqlx::query("update memories set version = 2 where id = $1").bind(id).execute(&mut *tx).await.expect("changed");
    let columns: Vec<String> =
        sqlx::query_scalar("select column_name::text from information_schema.columns where table_name = 'memory_versions'")
            .fetch_all(&mut *tx)
            .await
            .expect("columns");
    let read: Vec<&str> = columns.iter().map(|name| if name == "version" { "2" } else { name.as_str() }).collect();
    let copy = format!(
        "insert into memory_versions ({}) select {} from memory_versions where memory_id = $1",
        columns.join(", "),
        read.join(", ")
    );
    sqlx::query(sqlx::AssertSqlSafe(copy)).bind(id).execute(&mut *tx).await.expect("a version");
    let begun = person.post("dreams", json!({"mode": "auto"})).await.expect(201);
    let waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%order by id for no key update%'";
    until("the dream waits for the row", async || house.count(waiting).await > 0).await;
    tx.commit().await.expect("committed");
    let dream = ended(&person, &begun).await;
    assert_eq!((dream["state"].as_str(), count(&dream, "merge", "changed")), (Some("done"), 1), "{dream}");
    assert_eq!(
        (person.reads(&one).await["state"].as_str(), person.reads(&other).await["state"].as_str()),
        (Some("active"), Some("active"))
    );
}

#[tokio::test]
async fn a_limited_key_dreams_of_its_project_and_nobody_dreams_of_what_is_private() {
    let (house, person) = house().await;
    for project in ["api", "web"] {
        for (path, said) in [("a", TEXT.to_owned()), ("b", TEXT.to_lowercase())] {
            person.remembers_all_of(json!({"content": said, "project": project, "path": format!("/{project}/{path}.md")})).await;
        }
    }
    for (path, said) in [("/p1.md", TEXT.to_owned()), ("/p2.md", TEXT.to_lowercase())] {
        person.remembers_all_of(json!({"content": said, "visibility": "private", "path": path})).await;
    }
    let limited = house.agent_in("coding", "api", Role::Reviewer).await;
    limited.post("dreams", json!({"project": "web"})).await.refuses(403, "forbidden");
    let dream = dreams(&limited, json!({"mode": "auto"})).await;
    assert_eq!((dream["project"].as_str(), count(&dream, "merge", "applied")), (Some("api"), 1), "{dream}");
    let web = house.agent_in("coding", "web", Role::Reviewer).await;
    assert_eq!(web.get(&format!("dreams/{}", text(&dream["id"]))).await.status, 404);
    let all = dreams(&person, json!({"mode": "auto"})).await;
    assert_eq!((all["report"]["looked_at"].as_u64(), count(&all, "merge", "applied")), (Some(3), 1), "{all}");
}

#[tokio::test]
async fn the_trail_tells_of_the_dream_and_of_each_memory_it_changed() {
    let (house, person) = house().await;
    let auditor = house.person("coding", Role::Auditor).await;
    let writer = house.agent("coding", Role::Writer).await;
    writer.remembers_all_of(json!({"content": TEXT, "path": "/a.md"})).await;
    let other = writer.remembers_all_of(json!({"content": TEXT.to_lowercase(), "path": "/b.md"})).await;
    let dream = dreams(&person, json!({"mode": "auto"})).await;
    let told: Vec<Value> = auditor.trail_of(text(&dream["id"])).await.into_iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(told, ["dream.started", "dream.ended"]);
    let last = auditor.trail_of(text(&other["id"])).await.pop().expect("an entry");
    assert_eq!((last["action"].as_str(), &last["session_id"]), (Some("memory.superseded"), &dream["id"]));
    assert_eq!(last["actor"]["id"], person.id.to_string());
}
