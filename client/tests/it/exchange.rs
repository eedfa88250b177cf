//! Files go in by parts, each accounted for, and come out whole or not at all.

use super::{
    fake::{Fake, Mood},
    home::{Home, err, out},
};
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_large_export_is_sent_in_parts_and_what_was_left_is_sent_again() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    let mut file = "{\"type\":\"header\",\"format\":\"cairn\"}\n".to_owned();
    file.extend((0..700).map(|n| format!("{{\"type\":\"version\",\"memory_id\":\"m{n}\",\"version\":1}}\n")));
    fs::write(home.path().join("all.ndjson"), file).expect("a file");
    let ended = home.run(&["import", "all.ndjson", "--project", "gate way"]);
    let told = out(&ended);
    assert!(ended.status.success(), "{told}{}", err(&ended));
    assert!(told.contains("3 taken, 0 updated, 0 known already, 2 not taken"), "{told}");
    assert!(
        told.contains("erased  It may not come back.") && told.contains("3 wait for review") && told.contains("looked like a secret"),
        "{told}"
    );
    let files = server.known.lock().expect("known").files.clone();
    assert_eq!(files.len(), 3, "two parts, the first of them twice");
    assert!(files.iter().all(|(query, bytes)| query == "project=gate%20way" && bytes.starts_with(b"{\"type\":\"header\"")));
    assert_eq!(files[0], files[1]);
    let json: Value = serde_json::from_str(&out(&home.run(&["import", "all.ndjson", "--json", "--dry-run"]))).expect("JSON");
    assert_eq!((&json["taken"], &json["skipped"]), (&json!(2), &json!(2)));
    assert!(server.known.lock().expect("known").files[3].0.contains("dry_run=true"));
}

#[test]
fn a_database_is_read_where_it_lies_and_a_folder_is_packed() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    let place = home.path().join("claude-mem.db");
    // Open, in WAL mode, and not written back: as a running tool has it.
    let tool = rusqlite::Connection::open(&place).expect("a database");
    tool.execute_batch(
        "pragma journal_mode = wal; pragma wal_autocheckpoint = 0;
         create table observations (id integer primary key, memory_session_id text, project text, type text, narrative text, vector blob);
         insert into observations (memory_session_id, project, type, narrative, vector) values ('s', 'p', 'decision', 'We \"sign\"', x'00ff');",
    )
    .expect("rows");
    assert!(home.run(&["import", "claude-mem.db"]).status.success());
    let sent = String::from_utf8(server.known.lock().expect("known").files[0].1.clone()).expect("lines");
    let lines: Vec<Value> = sent.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0], json!({"type": "header", "format": "rows", "of": "claude-mem"}));
    let row = json!({"id": 1, "memory_session_id": "s", "project": "p", "type": "decision", "narrative": "We \"sign\""});
    assert_eq!(lines[1], json!({"type": "row", "table": "observations", "row": row}));

    for (name, text) in [("docs/a.md", "# A"), ("docs/.cursor/rules/b.mdc", "- rule"), ("docs/.git/c.md", "no"), ("docs/d.txt", "no")] {
        fs::create_dir_all(home.path().join(name).parent().expect("a folder")).expect("a folder");
        fs::write(home.path().join(name), text).expect("a file");
    }
    assert!(home.run(&["import", "docs", "--format", "rules"]).status.success());
    let (query, tar) = server.known.lock().expect("known").files.last().cloned().expect("a file");
    assert_eq!(query, "format=rules");
    let mut archive = tar::Archive::new(tar.as_slice());
    let names: Vec<String> =
        archive.entries().expect("entries").map(|entry| entry.expect("a file").path().expect("a name").display().to_string()).collect();
    assert_eq!(names, [".cursor/rules/b.mdc", "a.md"]);
    let nothing = home.run(&["import", "docs/.git/nothing"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(home.run_with(&["import", "-"], b"- a rule for all\n").status.success());
}

#[test]
fn an_export_has_its_name_only_when_it_is_whole() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    assert!(out(&home.run(&["export"])).ends_with("{\"type\":\"end\"}\n"));
    let told = home.run(&["export", "--out", "all.ndjson", "--kind", "decision", "--state", "active"]);
    assert!(told.status.success() && out(&told).contains("all.ndjson"), "{}", err(&told));
    assert!(fs::read_to_string(home.path().join("all.ndjson")).expect("a file").contains("header"));
    let asked = server.known.lock().expect("known").requests.last().cloned().expect("a request").0;
    assert_eq!(asked, "GET /v1/workspaces/coding/export?format=ndjson&kind=decision&state=active");
    fs::write(home.path().join(".cairn.toml"), "project = \"gateway\"\n").expect("settings");
    assert_eq!(out(&home.run(&["export", "--format", "agents", "--budget", "500"])), "# What this team knows\n");
    let asked = server.known.lock().expect("known").requests.last().cloned().expect("a request").0;
    assert_eq!(asked, "GET /v1/workspaces/coding/export/agents.md?project=gateway&token_budget=500");
    server.becomes(Mood::Away);
    assert_eq!(home.run(&["export", "--out", "none.ndjson"]).status.code(), Some(3));
    assert!(!home.path().join("none.ndjson").exists() && !home.path().join("none.ndjson.part").exists());
}
