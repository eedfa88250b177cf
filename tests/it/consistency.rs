//! `cairn-server check`: a house that was lived in holds, and whatever is broken behind the server's back is named.

use cairn_server::{acts::consistency::look_through, journal};
use cairn_tests::{Agent, House, Person, Role, at};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use std::collections::BTreeSet;

/// A house in which everything that the check looks at has happened.
async fn lived_in() -> House {
    let house = House::open().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    remember(&writer, &reviewer).await;
    run(&writer).await;
    erase(&writer, &reviewer).await;
    let support = house.agent("support", Role::Writer).await;
    support.remembers("what the support desk knows").await;
    house.is_sealed().await;
    house
}

async fn remember(writer: &Agent, reviewer: &Person) {
    let whole = json!({"content": "we deploy on mondays", "path": "/deploy/days.md", "tags": ["deploy"], "anchors": [{"path": "a.rs", "symbol": "deploy"}]});
    let memory = writer.remembers_all_of(whole).await;
    writer.revises(&memory, json!({"content": "we deploy on tuesdays"})).await;
    let decision = writer.remembers_all_of(json!({"content": "We release from main.", "kind": "decision"})).await;
    writer.post(&format!("{}/supersede", at(&decision)), json!({"content": "We release from a branch."})).await.expect(201);
    reviewer.ask("POST", &format!("{}/verify", at(&memory))).send().await.expect(200);
    let answer = writer.asks(json!({"query": "when do we deploy?"})).await;
    writer.judges(&answer, &memory, "helpful").await.expect(204);
    let always = json!({"policies": {"preference": {"review_threshold": "always"}}});
    reviewer.put("policies", always).await.expect(200);
    writer.remembers_all_of(json!({"content": "Tabs are preferred.", "kind": "preference"})).await;
    assert_eq!(reviewer.lists("proposals").await.len(), 1);
    let kept = writer.remembers("evidence of the case").await;
    reviewer.post("holds", json!({"memory_ids": [kept["id"]], "reason": "case 118"})).await.expect(201);
}

async fn run(writer: &Agent) {
    let run = writer.post("sessions", json!({"agent_tool": "codex", "task": "migration"})).await.expect(201);
    let place = format!("sessions/{}", run["id"].as_str().expect("an id"));
    let event =
        |n: u32| json!({"id": n.to_string(), "type": "file_edit", "at": format!("2026-05-04T10:0{n}:00Z"), "path": format!("src/{n}.rs")});
    writer.post(&format!("{place}/events"), json!({"events": [event(1), event(2), event(3)]})).await.expect(200);
    let checkpoint = json!({"decisions": ["The schema is frozen for the migration."], "progress": [{"item": "move the users", "status": "pending"}], "next_step": "move"});
    writer.post(&format!("{place}/checkpoints"), checkpoint).await.expect(201);
    let learned = json!({"content": "learned in the run"});
    let id = run["id"].as_str().expect("an id");
    writer.ask("POST", "memories").header("X-Cairn-Session", id).json(&learned).send().await.expect(201);
    writer.post(&format!("{place}/end"), json!({"summary": "the users are half moved"})).await.expect(200);
    let later = writer.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let again = later["id"].as_str().expect("an id");
    let wrong = json!({"content": "learned wrongly in a run"});
    writer.ask("POST", "memories").header("X-Cairn-Session", again).json(&wrong).send().await.expect(201);
}

async fn erase(writer: &Agent, reviewer: &Person) {
    let undone = writer.get("sessions?state=running").await.expect(200);
    reviewer.post("rollbacks", json!({"session_id": undone["data"][0]["id"]})).await.expect(201);
    let secret = writer.remembers_all_of(json!({"content": "the erased secret", "tags": ["secret"]})).await;
    writer.asks(json!({"query": "what is the erased secret?"})).await;
    reviewer.lets_go(&writer.asks_to_erase(&[&secret], "a wish").await).await;
    let run = writer.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let event = json!({"events": [{"id": "1", "type": "prompt", "at": "2026-05-04T10:00:00Z", "text": "what was said in the erased run"}]});
    writer.post(&format!("sessions/{}/events", run["id"].as_str().expect("an id")), event).await.expect(200);
    reviewer.lets_go(&writer.wants_erased(json!({"session_ids": [run["id"]], "reason": "another wish"})).await).await;
}

const CODING: &str = "(select id from workspaces where slug = 'coding')";
const SUPPORT: &str = "(select id from workspaces where slug = 'support')";
const SECRET: &str = "(select target_id from audit_entries where action = 'memory.erased')";

/// Each way to break a promise as the owner of the database, triggers and keys put aside, and the promise.
fn ways() -> Vec<(&'static str, String)> {
    let days = "(select id from memories where path = '/deploy/days.md')";
    let decision = |state: &str| format!("(select id from memories where kind = 'decision' and state = '{state}' limit 1)");
    let (old, new) = (
        decision("superseded"),
        "(select v.superseded_by from memories m join memory_versions v on v.memory_id = m.id and v.version = m.version where m.state = 'superseded')",
    );
    let copied = "workspace_id, id, version, store_id, path, kind, project, state, visibility, owner_id, content_sha256, created_at, created_by_type, created_by, updated_at, updated_by, audit_id";
    vec![
        ("versions_have_entries", format!("update memory_versions set audit_id = gen_random_uuid() where memory_id = {days} and version = 1")),
        ("versions_have_entries", format!("delete from audit_entries where target_id = {days} and version = 2")),
        ("entries_have_versions", format!("delete from memory_versions where memory_id = {days} and version = 1")),
        ("entries_have_versions", format!("delete from memory_versions where memory_id = {days}; delete from memories where id = {days}; delete from memory_tags; delete from anchors")),
        ("versions_have_authors", format!("update memory_versions set actor_id = gen_random_uuid() where memory_id = {days} and version = 1")),
        ("versions_have_authors", format!("update memory_versions set actor_id = (select id from agents where workspace_id = {SUPPORT}) where memory_id = {days} and version = 1")),
        ("rows_have_entries", "update sessions set audit_id = gen_random_uuid()".to_owned()),
        ("rows_have_entries", "update deletion_requests set audit_id = gen_random_uuid()".to_owned()),
        ("digests_fit", format!("update memory_versions set content = 'we never deploy' where memory_id = {days} and version = 1")),
        ("digests_fit", format!("update memory_versions set reason = 'forged' where memory_id = {days} and version = 1")),
        ("trails_hold", "update audit_entries set actor_id = gen_random_uuid() where action = 'memory.verified'".to_owned()),
        ("trails_hold", format!("delete from audit_leaves where workspace_id = {CODING} and index = 3")),
        ("trails_hold", format!("delete from audit_checkpoints where workspace_id = {CODING}")),
        ("versions_without_gaps", format!("update memory_versions set version = version + 1 where memory_id = {days} and version > 2; update memories set version = version + 1 where id = {days}")),
        ("versions_without_gaps", format!("update memory_versions set at = at + interval '1 year' where memory_id = {days} and version = 1")),
        ("current_versions", format!("update memories set version = 1 where id = {days}")),
        ("current_versions", format!("update memories set state = 'archived' where id = {days}")),
        ("current_versions", format!("update memories set path = '/elsewhere.md' where id = {days}")),
        ("current_versions", format!("update memories set content_sha256 = sha256('') where id = {days}")),
        ("versions_have_memories", format!("delete from memories where id = {days}")),
        ("tags_and_anchors", format!("delete from memory_tags where memory_id = {days}")),
        ("tags_and_anchors", format!("update anchors set path = 'b.rs' where memory_id = {days}")),
        ("paths_apart", format!("insert into memories ({copied}) select workspace_id, gen_random_uuid(), 1, store_id, '/deploy', kind, project, state, visibility, owner_id, sha256('x'), created_at, created_by_type, created_by, updated_at, updated_by, audit_id from memories where id = {days}")),
        ("superseded_by_something", format!("update memory_versions set superseded_by = null where memory_id = {old}")),
        ("superseded_by_something", format!("update memory_versions set superseded_by = gen_random_uuid() where memory_id = {old}")),
        ("chains_end", format!("update memory_versions set superseded_by = {old} where memory_id = {new}")),
        ("decisions_unchanged", format!("update memory_versions set operation = 'revised', content_sha256 = sha256('other') where memory_id = {old} and version = 2")),
        ("decisions_unchanged", format!("update memory_versions set operation = 'imported', content_sha256 = sha256('other') where memory_id = {old} and version = 2")),
        ("stores_are_there", format!("update memories set store_id = gen_random_uuid() where id = {days}")),
        ("erased_memories_are_gone", format!("insert into memory_tags values ({CODING}, 'secret', {SECRET})")),
        ("erased_memories_are_gone", format!("update memory_versions set memory_id = {SECRET} where memory_id = {days}")),
        ("erased_runs_are_gone", "update session_events set session_id = (select target_id from audit_entries where action = 'session.erased')".to_owned()),
        ("erased_words_are_gone", "update deletion_requests set reason = 'a wish'".to_owned()),
        ("erased_words_are_gone", format!("update receipts r set query = 'the secret?' from receipt_items i where i.receipt_id = r.id and i.memory_id = {SECRET}")),
        ("erasures_were_decided", "update deletion_requests set decided_by = asked_for".to_owned()),
        ("erasures_were_decided", "delete from audit_entries where action = 'deletion.executed'".to_owned()),
        ("tombstones_have_requests", "delete from deletion_requests".to_owned()),
        ("tombstones_hold", "delete from erasures".to_owned()),
        ("erased_texts_stay_away", format!("update erasures set erased_at = erased_at - interval '1 day'; update memory_versions set content = 'the erased secret' where memory_id = {days} and version = 2")),
        ("erased_texts_stay_away", "update erasures set erased_at = erased_at - interval '1 day'; update session_events set text = 'what was said in the erased run' where seq = 2".to_owned()),
        ("certificates_verify", "update deletion_requests set certificate = replace(certificate, 'erasure v1', 'erasure v2')".to_owned()),
        ("certificates_verify", "update deletion_requests set certificate = null".to_owned()),
        ("holds_hold", format!("update hold_items set target_id = {SECRET}; update holds set placed_at = placed_at - interval '1 day'")),
        ("runs_end_once", "update sessions set ended_at = null where state = 'ended'".to_owned()),
        ("runs_end_once", "delete from session_events where seq = 2".to_owned()),
        ("runs_have_their_tasks", "delete from tasks".to_owned()),
        ("runs_have_their_tasks", "update checkpoints set decisions = array[gen_random_uuid()]".to_owned()),
        ("proposals_are_decided_once", "update proposals set decided_at = now()".to_owned()),
        ("proposals_are_decided_once", "delete from proposals".to_owned()),
        ("receipts_point_at_versions", "update receipts set items = jsonb_set(items, '{0,version}', '77') where items <> '[]'".to_owned()),
        ("receipts_point_at_versions", "delete from receipts".to_owned()),
        ("rollbacks_add_versions", "update rollback_items set version = 99".to_owned()),
        ("walls_stand", "alter table memories disable row level security".to_owned()),
        ("walls_stand", "create table notes (id uuid primary key, workspace_id uuid)".to_owned()),
        ("keys_stay_inside", "create unique index aside on sessions (id); alter table tasks add constraint across foreign key (episode_id) references sessions (id) not valid".to_owned()),
        ("roles_are_bound", "grant update on audit_entries to cairn_app".to_owned()),
        ("workspaces_apart", format!("update memory_versions set session_id = (select id from sessions limit 1) where workspace_id = {SUPPORT}")),
        ("workspaces_apart", format!("update memory_tags set workspace_id = {SUPPORT}")),
        ("rows_have_workspaces", format!("update agents set workspace_id = gen_random_uuid() where workspace_id = {SUPPORT}")),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_broken_behind_our_back_is_named() {
    let house = lived_in().await;
    let (keyring, journal) = (house.app().keyring(), journal::read_beside(house.folder()).expect("a journal").entries);
    assert_eq!(journal.len(), 2);
    let mut owner = PgConnection::connect(&house.postgres().owner_url(house.database())).await.expect("the owner gets in");
    let (mut named, mut all) = (BTreeSet::new(), BTreeSet::new());
    for (promise, sql) in ways() {
        // As the command looks: at one moment, whatever is sealed meanwhile.
        let mut tx = owner.begin_with("begin isolation level repeatable read").await.expect("begins");
        let report = look_through(&mut tx, Some(keyring), &journal).await.expect("a look");
        assert!(report.holds, "untouched it holds: {report:#?}");
        all.extend(report.checks.iter().map(|check| check.name));
        tx.execute(AssertSqlSafe(format!("set local session_replication_role = replica; {sql}")))
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        let report = look_through(&mut tx, Some(keyring), &journal).await.expect("a look");
        let found: Vec<&str> = report.checks.iter().filter(|check| check.found > 0).map(|check| check.name).collect();
        assert!(found.contains(&promise), "{sql} breaks {promise}, and {found:?} were found");
        let check = report.checks.iter().find(|check| check.name == promise).expect("is there");
        assert!(!check.examples.is_empty() && !report.holds, "{check:?}");
        named.insert(promise);
        tx.rollback().await.expect("as it was");
    }
    assert_eq!(named, all, "every check has found something");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_says_so_and_its_exit_code_too() {
    let house = lived_in().await;
    let fine = house.runs(&["check"]).await.fine();
    assert!(fine.contains("checks hold.") && fine.contains("versions_have_entries") && !fine.contains("BROKEN"), "{fine}");
    let told: Value = serde_json::from_str(&house.runs(&["check", "--json"]).await.fine()).expect("JSON");
    assert_eq!(told["holds"], true);
    let looked_at = |name: &str| {
        let check = told["checks"].as_array().expect("a list").iter().find(|check| check["name"] == name).expect("is there").clone();
        check["looked_at"].as_i64().expect("a number")
    };
    assert_eq!(looked_at("versions_have_entries"), house.count("select count(*) from memory_versions").await);
    assert!(looked_at("trails_hold") > 20 && looked_at("erased_texts_stay_away") > 5 && looked_at("tombstones_hold") == 2);

    house.owner().execute("update tasks set audit_id = audit_id; alter table memory_versions disable trigger all; update memory_versions set content = content || '!' where version = 2").await.expect("is broken");
    let broken = house.runs(&["check"]).await;
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.out.contains("BROKEN  digests_fit") && broken.out.contains("version 2 of memory"), "{broken:?}");
    assert!(!broken.out.contains("tuesdays"), "no text of anybody's: {broken:?}");
    // What the house does by itself meanwhile, it does once.
    let mut differs = None;
    for _ in 0..3 {
        let before = house.census().await;
        let told: Value = serde_json::from_str(&house.runs(&["check", "--json"]).await.out).expect("JSON");
        assert_eq!(told["holds"], false);
        let after = house.census().await;
        differs = (before != after).then_some((before, after));
        if differs.is_none() {
            break;
        }
    }
    assert_eq!(differs, None, "looking changes nothing");

    // Whoever is bound by the row policies would see nothing, and find nothing wrong.
    let blind = house.postgres().login_url(house.database());
    let told = cairn_tests::Program::run(house.folder(), &["check"], &[("CAIRN_DATABASE_URL", &blind)]).await;
    assert_eq!(told.code, Some(2), "{told:?}");
    assert!(told.err.contains("BYPASSRLS"), "{told:?}");
}
