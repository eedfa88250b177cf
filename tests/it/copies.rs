//! A copy brings back everything, keys included; what was erased stays erased; and what was tampered with is noticed.

use cairn_tests::{Agent, DataDir, Ended, House, Person, Postgres, Program, Role, at};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

/// What somebody would miss.
struct Lived {
    agent: Agent,
    reviewer: Person,
    memory: Value,
    versions: Vec<Value>,
    trail: Vec<Value>,
    receipt: Value,
}

/// A house with a history in it, and a text that was erased.
async fn lived_in() -> (House, Lived) {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    let first = agent.remembers_all_of(json!({"content": "we deploy on mondays", "tags": ["deploy"], "anchors": [{"path": "a.rs"}]})).await;
    let memory = agent.revises(&first, json!({"content": "we deploy on tuesdays", "reason": "mondays are busy"})).await;
    let answer = agent.asks(json!({"query": "when do we deploy?"})).await;
    agent.judges(&answer, &memory, "helpful").await.expect(204);
    let receipt = agent.looks_up(&answer).await;
    let secret = agent.remembers("the erased secret").await;
    let request = agent.asks_to_erase(&[&secret], "a wish").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);
    let versions = agent.lists(&format!("{}/versions", at(&memory))).await;
    house.is_sealed().await;
    let trail = reviewer.lists("audit").await;
    (house, Lived { agent, reviewer, memory, versions, trail, receipt })
}

impl Lived {
    /// Old keys and tokens open the restored house, and everything is in it.
    async fn is_all_there(&self, url: &str) {
        let (agent, reviewer) = (self.agent.living_at(url), self.reviewer.living_at(url));
        assert_eq!(agent.reads(&self.memory).await, self.memory);
        assert_eq!(agent.lists(&format!("{}/versions", at(&self.memory))).await, self.versions);
        assert_eq!(reviewer.lists("audit").await, self.trail);
        assert_eq!(agent.lists("memories?tag=deploy").await.len(), 1);
        assert_eq!(agent.looks_up(&json!({"receipt_id": self.receipt["id"]})).await, self.receipt);
        assert_eq!(agent.recalls("when do we deploy?").await[0], "we deploy on tuesdays");
        agent.post("memories", json!({"content": "the erased secret"})).await.refuses(409, "content_erased");
        let refreshed = agent.showing_nothing().post("/v1/auth/refresh", json!({"refresh_token": self.reviewer.refresh_token})).await;
        assert_eq!(refreshed.status, 200, "{refreshed:?}");
    }
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).expect("is there").permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_brings_back_everything_but_what_was_erased() {
    let (mut house, lived) = lived_in().await;
    let folder = DataDir::new();
    let copy = folder.path().join("copy.tar");
    let copy_path = copy.to_str().unwrap();
    let said = house.runs(&["backup", copy_path]).await.fine();
    assert!(said.contains("master key"), "{said}");
    assert_eq!(mode(&copy), 0o600);
    house.shut().await;

    // From a Postgres of the operator's into a private one, at the same address, for which the tokens were made.
    let home = DataDir::new();
    let said = Program::run(home.path(), &["restore", copy_path], &[]).await.fine();
    assert!(said.contains("1 workspaces, 1 memories in 2 versions") && said.contains("Every version has its entry"), "{said}");
    assert_eq!(mode(&home.path().join("master.key")), 0o600);
    let port = house.url.rsplit(':').next().unwrap().parse().unwrap();
    let server = Program::serve(port, home.path(), &[]).await;
    lived.is_all_there(&server.url).await;
    // Transactions are counted anew there, and the index notices changes all the same.
    let agent = lived.agent.living_at(&server.url);
    agent.remembers("and life goes on").await;
    assert!(agent.recalls("life").await.contains(&"and life goes on".to_owned()));
    agent.delete(&at(&lived.memory)).await.expect(200);
    assert_eq!(agent.recalls("when do we deploy?").await, ["and life goes on"]);

    // A copy of the private one, beside the server that runs on it.
    let second = folder.path().join("second.tar");
    let said = Program::run(home.path(), &["backup", second.to_str().unwrap()], &[]).await.fine();
    assert!(said.contains("second.tar"), "{said}");
    server.stop().await;
    let again = Program::run(home.path(), &["restore", second.to_str().unwrap()], &[]).await.fails();
    assert!(again.contains("not empty"), "{again}");
    let next_home = DataDir::new();
    let said = Program::run(next_home.path(), &["restore", second.to_str().unwrap()], &[]).await.fine();
    assert!(said.contains("2 memories in 4 versions") && said.contains("Every version has its entry"), "{said}");
    assert_eq!(left_over(next_home.path()), Vec::<String>::new());
}

/// Folders that a copy was unpacked in.
fn left_over(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("copy-")).collect()
}

/// How it goes to restore into a new database of the operator's.
async fn restored(postgres: &Postgres, name: &str, copy: &str) -> Ended {
    postgres.run(&format!("create database {name}")).await;
    let (home, app, owner) = (DataDir::new(), postgres.login_url(name), postgres.owner_url(name));
    let ended =
        Program::run(home.path(), &["restore", copy], &[("CAIRN_DATABASE_URL", &app), ("CAIRN_MIGRATION_DATABASE_URL", &owner)]).await;
    postgres.run(&format!("drop database {name} with (force)")).await;
    ended
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_erased_after_a_copy_is_erased_again() {
    let (mut house, lived) = lived_in().await;
    let Lived { agent, reviewer, .. } = &lived;
    let doomed = agent.remembers("the canary in the copy").await;
    let private = reviewer.remembers_all_of(json!({"content": "the private canary", "visibility": "private"})).await;
    let run = agent.post("sessions", json!({"agent_tool": "codex", "cwd": "/canary"})).await.expect(201);
    let place = format!("sessions/{}", run["id"].as_str().unwrap());
    let event = json!({"id": "1", "type": "prompt", "at": "2026-05-04T10:00:00Z", "text": "the canary in the log, which is long enough"});
    agent.post(&format!("{place}/events"), json!({"events": [event]})).await.expect(200);
    let other = house.person("coding", Role::Reviewer).await;
    let asked_before = reviewer.wants_erased(json!({"memory_ids": [private["id"]], "reason": "the canary reason"})).await;
    let folder = DataDir::new();
    let copy = folder.path().join("copy.tar");
    house.runs(&["backup", copy.to_str().unwrap()]).await.fine();

    // After the copy: one version more, and all of it erased.
    agent.revises(&doomed, json!({"content": "the later canary"})).await;
    let request = agent.wants_erased(json!({"memory_ids": [doomed["id"]], "session_ids": [run["id"]], "reason": "a canary wish"})).await;
    reviewer.lets_go(&request).await;
    other.lets_go(&asked_before).await;
    let certificate = format!("deletion-requests/{}/certificate", request["id"].as_str().unwrap());
    let signed = reviewer.get(&certificate).await.expect(200);
    house.shut().await;
    let journal = house.folder().join("erasures.jsonl");
    let kept = fs::read_to_string(&journal).unwrap();
    assert_eq!((kept.lines().count(), mode(&journal)), (3, 0o600));
    assert!(!kept.contains("canary"), "{kept}");

    let home = DataDir::new();
    let arguments = ["restore", copy.to_str().unwrap(), "--erasures", journal.to_str().unwrap()];
    let said = Program::run(home.path(), &arguments, &[]).await.fine();
    assert!(said.contains("2 of 3 erasures") && said.contains("Every version has its entry"), "{said}");
    let port = house.url.rsplit(':').next().unwrap().parse().unwrap();
    let server = Program::serve(port, home.path(), &[]).await;
    let (agent, reviewer) = (agent.living_at(&server.url), reviewer.living_at(&server.url));
    for gone in [at(&doomed), place] {
        agent.get(&gone).await.refuses(404, "not_found");
    }
    reviewer.get(&at(&private)).await.refuses(404, "not_found");
    for text in ["the canary in the copy", "the later canary", "the private canary", "the erased secret"] {
        agent.post("memories", json!({"content": text})).await.refuses(409, "content_erased");
    }
    assert_eq!(reviewer.get(&certificate).await.expect(200), signed);
    let all = reviewer.lists("deletion-requests").await;
    assert!(all.len() == 3 && all.iter().all(|one| one["state"] == "executed" && one["reason"].is_null()), "{all:?}");
    assert_eq!(reviewer.trail_of(request["id"].as_str().unwrap()).await.last().unwrap()["action"], "deletion.executed_again");
    // What it says goes on in the new journal.
    cairn_tests::until("the journal is brought up to date", async || {
        fs::read_to_string(home.path().join("erasures.jsonl")).is_ok_and(|text| text.lines().count() == 3)
    })
    .await;
    // Where nobody names one, the journal that lies in the data dir is read.
    let beside = DataDir::new();
    fs::copy(&journal, beside.path().join("erasures.jsonl")).unwrap();
    let said = Program::run(beside.path(), &["restore", copy.to_str().unwrap()], &[]).await.fine();
    assert!(said.contains("2 of 3 erasures"), "{said}");
    // The wrong file is noticed before anything is restored.
    let rubbish = folder.path().join("rubbish");
    fs::write(&rubbish, "not\na journal\n").unwrap();
    let arguments = ["restore", copy.to_str().unwrap(), "--erasures", rubbish.to_str().unwrap()];
    let told = Program::run(DataDir::new().path(), &arguments, &[]).await.fails();
    assert!(told.contains("none of its 2 lines"), "{told}");
    let told = Program::run(DataDir::new().path(), &["restore", copy.to_str().unwrap(), "--erasures", "/no/such/file"], &[]).await.fails();
    assert!(told.contains("/no/such/file"), "{told}");
}

/// A server that was filled from a copy, after which a journal was read; and what was said meanwhile.
async fn restored_with(house: &House, copy: &Path) -> (Program, DataDir, String) {
    let (home, journal) = (DataDir::new(), house.folder().join("erasures.jsonl"));
    let arguments = ["restore", copy.to_str().expect("a path"), "--erasures", journal.to_str().expect("a path")];
    let said = Program::run(home.path(), &arguments, &[]).await.fine();
    let server = Program::serve(house.url.rsplit(':').next().expect("a port").parse().expect("a port"), home.path(), &[]).await;
    (server, home, said)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_erased_again_may_take_its_time() {
    let (mut house, Lived { agent, reviewer, .. }) = lived_in().await;
    let doomed = agent.remembers("the canary in the copy").await;
    // A statement has twenty seconds, and an erasure more than that, here and where it is done again.
    sqlx::raw_sql(
        "create function takes_long() returns trigger language plpgsql as $$ begin
             if current_setting('statement_timeout')::interval < '1 min' then raise exception 'too little time to erase'; end if;
             return old;
         end $$;
         create trigger takes_long before delete on memories for each row execute function takes_long()",
    )
    .execute(house.owner())
    .await
    .expect("a slow table");
    let folder = DataDir::new();
    let copy = folder.path().join("copy.tar");
    house.runs(&["backup", copy.to_str().unwrap()]).await.fine();
    reviewer.lets_go(&agent.asks_to_erase(&[&doomed], "a wish").await).await;
    house.shut().await;
    let (server, _home, said) = restored_with(&house, &copy).await;
    assert!(said.contains("1 of 2 erasures"), "{said}");
    agent.living_at(&server.url).get(&at(&doomed)).await.refuses(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_a_copy_has_open_are_rejected_again_when_their_words_are_erased() {
    let (mut house, Lived { agent, reviewer, memory, .. }) = lived_in().await;
    let other = house.person("coding", Role::Reviewer).await;
    let kept = agent.remembers("lunch is at noon").await;
    reviewer.post("holds", json!({"memory_ids": [kept["id"]], "reason": "case 118"})).await.expect(201);
    let mut open = Vec::new();
    for (memory, state) in [(&memory, "pending"), (&kept, "blocked")] {
        open.push(agent.asks_to_erase(&[memory], "the canary wants it").await);
        assert_eq!(open.last().unwrap()["state"], state);
    }
    let folder = DataDir::new();
    let copy = folder.path().join("copy.tar");
    house.runs(&["backup", copy.to_str().unwrap()]).await.fine();
    for request in &open {
        other.rejects(request).await.expect(200);
    }
    let request = agent.wants_erased(json!({"query": "canary", "reason": "a wish"})).await;
    assert_eq!(request["touches"], json!({"deletion_request": 2}));
    reviewer.lets_go(&request).await;
    house.shut().await;

    let (server, _home, said) = restored_with(&house, &copy).await;
    assert!(said.contains("1 of 2 erasures"), "{said}");
    let reviewer = reviewer.living_at(&server.url);
    for request in &open {
        let shown = reviewer.previews(request).await;
        assert_eq!((&shown["state"], &shown["reason"]), (&json!("rejected"), &Value::Null), "{shown}");
        reviewer.approves(request).await.refuses(409, "wrong_state");
        assert_eq!(reviewer.trail_of(request["id"].as_str().unwrap()).await.last().unwrap()["action"], "deletion.rejected");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_what_was_tampered_with_is_not_believed() {
    for (n, (tampering, told)) in [
        ("select 1", "Every version has its entry, and every digest fits."),
        ("update memory_versions set content = 'we never deploy' where version = 1", "1 versions do not fit"),
        ("update memory_versions set actor_id = workspace_id where version = 1", "1 versions do not fit"),
        ("update memory_versions set digest = sha256('') where version = 1", "1 versions do not fit"),
        ("delete from audit_entries where id in (select audit_id from memory_versions where version = 1)", "changed by hand"),
        ("delete from memory_versions where version = 1", "1 entries have lost their version"),
    ]
    .into_iter()
    .enumerate()
    {
        let house = House::open().await;
        let agent = house.agent("coding", Role::Writer).await;
        let memory = agent.remembers("we deploy on mondays").await;
        agent.revises(&memory, json!({"content": "we deploy on tuesdays"})).await;
        // As somebody would who owns the database: past every trigger and key.
        let mut owner = PgConnection::connect(&house.postgres().owner_url(house.database())).await.unwrap();
        owner.execute(AssertSqlSafe(format!("set session_replication_role = replica; {tampering}"))).await.unwrap();
        let copy = house.folder().join("copy.tar");
        house.runs(&["backup", copy.to_str().unwrap()]).await.fine();
        let ended = restored(house.postgres(), &format!("tampered_{n}"), copy.to_str().unwrap()).await;
        assert!(ended.out.contains(told) || ended.err.contains(told), "{tampering}: {ended:?}");
        assert_eq!(ended.code == Some(0), n == 0, "{tampering}: {ended:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_never_overwrites() {
    let (house, _) = lived_in().await;
    let folder = DataDir::new();
    let copy = folder.path().join("copy.tar");
    let path = copy.to_str().unwrap();
    fs::write(&copy, "precious").unwrap();
    assert!(house.runs(&["backup", path]).await.fails().contains("copy.tar"));
    assert_eq!(fs::read_to_string(&copy).unwrap(), "precious");
    let nowhere = folder.path().join("no/such/folder.tar");
    assert!(house.runs(&["backup", nowhere.to_str().unwrap()]).await.fails().contains("folder.tar"));

    let told = house.runs(&["restore", path]).await.fails();
    assert!(told.contains("not a backup of Cairn's"), "{told}");
    fs::remove_file(&copy).unwrap();
    house.runs(&["backup", path]).await.fine();
    let before = house.census().await;
    let told = house.runs(&["restore", path]).await.fails();
    assert!(told.contains("not empty"), "{told}");
    assert_eq!(house.census().await, before);

    // Another key belongs to another house, and stays; a key is not left where nothing was restored.
    let other = DataDir::new();
    fs::write(other.path().join("master.key"), "ab".repeat(32)).unwrap();
    let postgres = house.postgres();
    postgres.run("create database other_house").await;
    let (app, owner) = (postgres.login_url("other_house"), postgres.owner_url("other_house"));
    let settings = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", &owner)];
    let told = Program::run(other.path(), &["restore", path], &settings).await.fails();
    assert!(told.contains("another master key"), "{told}");
    assert_eq!(fs::read_to_string(other.path().join("master.key")).unwrap(), "ab".repeat(32));
    postgres.run("drop database other_house").await;
    let (app, owner, empty) = (postgres.login_url(house.database()), postgres.owner_url(house.database()), DataDir::new());
    let settings = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", &owner)];
    let told = Program::run(empty.path(), &["restore", path], &settings).await.fails();
    assert!(told.contains("not empty") && !empty.path().join("master.key").exists(), "{told}");
}
