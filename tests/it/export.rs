//! Export: everything the caller may see and nothing else, such that it can be checked, read by people, and taken in again.

use crate::code::{LOGIN, file, fresh, picture, service, symbol, syncs};
use cairn_tests::{Actor, House, Role, at};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, io::Read};

async fn exported(actor: &Actor, query: &str) -> Vec<Value> {
    let reply = actor.get(&format!("export{query}")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/x-ndjson"), "{reply:?}");
    let lines: Vec<Value> = reply.text().lines().map(|line| serde_json::from_str(line).expect("is there")).collect();
    assert_eq!((&lines[0]["type"], &lines[0]["format_version"]), (&json!("header"), &json!(1)));
    let (last, versions) = (lines.last().expect("is there"), versions(&lines).len());
    assert_eq!((&last["type"], &last["versions"]), (&json!("end"), &json!(versions)));
    lines
}

fn versions(lines: &[Value]) -> Vec<Value> {
    lines.iter().filter(|line| line["type"] == "version").cloned().collect()
}

async fn imports(actor: &Actor, query: &str, file: impl Into<Vec<u8>>) -> Value {
    actor.ask("POST", &format!("import{query}")).bytes("application/octet-stream", file).send().await.expect(200)
}

/// What must be equal on both sides: of each memory, by its last path and title, every version.
fn told(lines: &[Value]) -> BTreeMap<String, Vec<Value>> {
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in versions(lines) {
        let parts = [
            "version",
            "path",
            "title",
            "content",
            "kind",
            "tags",
            "project",
            "state",
            "confidence",
            "visibility",
            "subject",
            "valid_from",
            "stale_after",
            "expires_at",
            "reason",
        ];
        let said = parts.iter().map(|part| (*part, line[*part].clone())).collect::<BTreeMap<_, _>>();
        all.entry(line["memory_id"].as_str().expect("is there").to_owned()).or_default().push(json!(said));
    }
    all.into_values().map(|versions| (format!("{} {}", versions.last().expect("is there")["path"], versions.len()), versions)).collect()
}

/// A workspace with some history.
async fn lived_in(actor: &Actor) {
    let old = actor.remembers_all_of(json!({"content": "Tokens are signed with HS256.", "kind": "decision", "title": "Sign with HS256", "path": "/decisions/sign.md"})).await;
    actor
        .post(&format!("{}/supersede", at(&old)), json!({"content": "Tokens are signed with RS256.", "title": "Sign with RS256"}))
        .await
        .expect(201);
    let revised = actor
        .remembers_all_of(json!({"content": "first", "tags": ["a", "b"], "project": "gateway", "anchors": [{"repo": "api", "path": "a.py", "symbol": "f"}],
            "source": {"type": "commit", "ref": "3f2a1c"}, "confidence": 0.35, "subject": "ada", "stale_after": "2031-01-01T00:00:00Z", "path": "/notes/x.md"}))
        .await;
    actor.revises(&revised, json!({"content": "second\n", "reason": "it was wrong"})).await;
    actor.revises(&revised, json!({"path": "/notes/y.md", "kind": "discovery"})).await;
    // Its first place was given to another, and that was put away.
    let other = actor.remembers_all_of(json!({"content": "in the same place", "path": "/notes/x.md"})).await;
    actor.delete(&at(&other)).await.expect(200);
    actor.remembers_all_of(json!({"content": "in that place again", "path": "/notes/x.md"})).await;
    let restored = actor.remembers("put away and taken out").await;
    actor.delete(&at(&restored)).await.expect(200);
    actor.ask("POST", &format!("{}/restore", at(&restored))).send().await.expect(200);
    actor.remembers_all_of(json!({"content": "twice", "path": "/twice/a.md"})).await;
    actor.remembers_all_of(json!({"content": "twice", "path": "/twice/b.md"})).await;
    actor.remembers_all_of(json!({"content": "mine", "visibility": "private", "path": "/mine.md"})).await;
}

fn in_lines(lines: &[Value]) -> String {
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

#[tokio::test]
async fn an_export_taken_in_elsewhere_says_the_same() {
    let house = House::open().await;
    let here = house.person("coding", Role::Admin).await;
    lived_in(&here).await;
    house.workspace("copy").await;
    house.joins(&here.email, "copy", Role::Admin).await;
    let there = here.looking_at("copy");
    let lines = exported(&here, "").await;
    let file = in_lines(&lines);

    let planned = imports(&there, "?dry_run=true", file.clone()).await;
    assert_eq!(versions(&exported(&there, "").await).len(), 0, "a dry run writes nothing");
    let report = imports(&there, "", file.clone()).await;
    assert_eq!(
        (&report["taken"], &report["skipped"], &report["format"]),
        (&json!(told(&lines).len()), &json!(0), &json!("ndjson")),
        "{report}"
    );
    assert_eq!(planned["taken"], report["taken"]);
    let copied = exported(&there, "").await;
    assert_eq!(told(&lines), told(&copied));
    // The chain of decisions is readable both ways.
    let of = |content: &str| versions(&copied).into_iter().rfind(|line| line["content"] == content).expect("is there");
    let (old, new) = (of("Tokens are signed with HS256."), of("Tokens are signed with RS256."));
    assert_eq!((&old["superseded_by"], &new["supersedes"]), (&new["memory_id"], &old["memory_id"]));
    // It is told as heard: written here by who imported it, made there by whom it says.
    assert_eq!((&old["operation"], &old["by"]["name"]), (&json!("imported"), &json!(here.email)));
    assert_eq!((&old["imported"]["operation"], &old["imported"]["by"]), (&json!("superseded"), &json!(here.email)));
    let origins = there.get(&format!("memories/{}/origins", old["memory_id"].as_str().expect("is there"))).await;
    assert_eq!(
        origins.data().iter().map(|one| one["operation"].as_str().expect("is there")).collect::<Vec<_>>(),
        ["created", "superseded"]
    );

    let again = imports(&there, "", file.clone()).await;
    assert_eq!((&again["taken"], &again["updated"], &again["reasons"]["known"]), (&json!(0), &json!(0), &report["taken"]), "{again}");
    let home = imports(&here, "", file).await;
    assert_eq!((&home["taken"], &home["reasons"]["known"]), (&json!(0), &report["taken"]), "its own export is nothing new: {home}");
    // And on from there, to a third.
    house.joins(&here.email, "third", Role::Admin).await;
    let third = here.looking_at("third");
    imports(&third, "", in_lines(&copied)).await;
    assert_eq!(told(&lines), told(&exported(&third, "").await));
}

#[tokio::test]
async fn what_was_written_there_since_follows_unless_it_was_changed_here() {
    let house = House::open().await;
    let (here, there) = (house.person("coding", Role::Admin).await, house.person("copy", Role::Admin).await);
    let (one, two) = (here.remembers("one").await, here.remembers("two").await);
    let file = async || here.get("export").await.text();
    imports(&there, "", file().await).await;
    for memory in [&one, &two] {
        here.revises(memory, json!({"content": format!("{} anew", memory["content"].as_str().expect("is there"))})).await;
    }
    let copy = there.lists("memories?q=two").await.remove(0);
    there.revises(&copy, json!({"content": "two, changed here"})).await;
    let report = imports(&there, "", file().await).await;
    assert_eq!((&report["updated"], &report["reasons"]["changed_here"]), (&json!(1), &json!(1)), "{report}");
    let texts: Vec<Value> = there.lists("memories").await.into_iter().map(|memory| memory["content"].clone()).collect();
    assert!(texts.contains(&json!("one anew")) && texts.contains(&json!("two, changed here")), "{texts:?}");
}

#[tokio::test]
async fn only_what_the_caller_may_see_leaves_and_the_trail_says_so() {
    let house = House::open().await;
    let (ada, bob) = (house.person("coding", Role::Admin).await, house.person("coding", Role::Auditor).await);
    let walled = house.agent_in("coding", "gateway", Role::Auditor).await;
    ada.remembers_all_of(json!({"content": "adas own", "visibility": "private"})).await;
    ada.remembers_all_of(json!({"content": "for gateway", "project": "gateway", "kind": "pattern"})).await;
    ada.remembers_all_of(json!({"content": "for billing", "project": "billing"})).await;
    ada.remembers("for all").await;
    let elsewhere = house.person("elsewhere", Role::Admin).await;
    elsewhere.remembers("another house").await;
    let seen = async |actor: &Actor, query: &str| {
        let mut texts: Vec<String> =
            versions(&exported(actor, query).await).iter().map(|line| line["content"].as_str().expect("is there").to_owned()).collect();
        texts.sort();
        texts
    };
    assert_eq!(seen(&ada, "").await, ["adas own", "for all", "for billing", "for gateway"]);
    assert_eq!(seen(&bob, "").await, ["for all", "for billing", "for gateway"]);
    assert_eq!(seen(&walled, "").await, ["for all", "for gateway"]);
    assert_eq!(seen(&bob, "?project=gateway").await, ["for gateway"]);
    assert_eq!(seen(&bob, "?kind=pattern&state=active").await, ["for gateway"]);
    for role in [Role::Reader, Role::Writer, Role::Reviewer] {
        house.agent("coding", role).await.get("export").await.refuses(403, "forbidden");
    }
    bob.get("export?format=zip").await.refuses(422, "invalid");
    let trail = bob.lists("audit?action=memories.exported").await;
    assert_eq!(trail.len(), 5);
    assert_eq!(trail[0]["details"], json!({"format": "ndjson"}));
}

#[tokio::test]
async fn a_digest_in_an_export_can_be_computed_again() {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    let memory = admin.remembers_all_of(json!({"content": "grün \"und\" blau", "tags": ["b", "a"], "confidence": 0.9})).await;
    let line = versions(&exported(&admin, "").await).remove(0);
    let (by, nobody) = (line["by"]["id"].clone(), Value::Null);
    let member = |name: &str| match name {
        "actor_id" => by.clone(),
        "verified_by" => nobody.clone(),
        name => line[name].clone(),
    };
    let members = "memory_id version operation store_id path title content kind tags project anchors source confidence state visibility owner_id subject valid_from stale_after expires_at supersedes superseded_by verified_at verified_by reason at actor_id session_id";
    let stated: Vec<String> = members.split(' ').map(|name| format!("\"{name}\":{}", member(name))).collect();
    let salt = line["salt"].as_str().expect("is there");
    let salt: Vec<u8> = (0..salt.len()).step_by(2).map(|n| u8::from_str_radix(&salt[n..n + 2], 16).expect("is there")).collect();
    let digest = Sha256::new().chain_update(salt).chain_update(format!("{{{}}}", stated.join(","))).finalize();
    let digest = cairn_server::model::text::hex(&digest);
    assert_eq!(line["digest"], digest);
    assert_eq!(admin.trail_of(memory["id"].as_str().expect("is there")).await[0]["digest"], digest);
}

pub fn files(tar: &[u8]) -> BTreeMap<String, String> {
    let mut archive = tar::Archive::new(tar);
    let entries = archive.entries().expect("is there").map(|entry| {
        let mut entry = entry.expect("is there");
        let mut text = String::new();
        entry.read_to_string(&mut text).expect("is there");
        (entry.path().expect("is there").to_string_lossy().into_owned(), text)
    });
    entries.collect()
}

pub fn packed(files: &BTreeMap<String, String>) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append_data(&mut header, name, text.as_bytes()).expect("is there");
    }
    tar.into_inner().expect("is there")
}

#[tokio::test]
async fn files_can_be_edited_and_taken_in_again() {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    lived_in(&admin).await;
    let reply = admin.get("export?format=markdown").await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/x-tar"), "{reply:?}");
    assert_eq!(reply.bytes, admin.get("export?format=markdown").await.bytes, "the same to the byte");
    let mut files = files(&reply.bytes);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert!(
        names.contains(&"notes/y.md") && names.contains(&"private/mine.md") && names.contains(&"decisions/sign-with-rs256.md"),
        "{names:?}"
    );
    let file = &files["notes/y.md"];
    assert!(file.starts_with("---\nid: ") && file.contains("\nkind: discovery\n") && file.ends_with("---\n\nsecond\n\n"), "{file}");
    let untouched = imports(&admin, "", packed(&files)).await;
    assert_eq!(
        (&untouched["taken"], &untouched["updated"], &untouched["reasons"]),
        (&json!(0), &json!(0), &json!({"known": files.len()})),
        "{untouched}"
    );

    let edit = |files: &mut BTreeMap<String, String>, name: &str, from: &str, to: &str| {
        let edited = files[name].replace(from, to);
        assert_ne!(edited, files[name]);
        files.insert(name.to_owned(), edited);
    };
    edit(&mut files, "notes/y.md", "second\n", "second, as reviewed\n");
    edit(&mut files, "decisions/sign-with-rs256.md", "RS256.", "ES256.");
    edit(&mut files, "twice/a.md", "twice", "once");
    edit(&mut files, "twice/a.md", "version: 1", "version: 7");
    files.insert(
        "notes/new.md".to_owned(),
        "---\ntitle: New\nkind: pattern\ntags: [one, two]\n---\n\nAdded in a pull request.\n".to_owned(),
    );
    files.insert("notes/wrong.md".to_owned(), "---\nid: x\nkind: rumour\n---\n\nNo such kind.\n".to_owned());
    let report = imports(&admin, "", packed(&files)).await;
    let of = |place: &str| report["items"].as_array().expect("is there").iter().find(|item| item["place"] == place).expect("is there");
    assert_eq!(of("notes/y.md")["status"], "updated", "{report}");
    assert_eq!(of("decisions/sign-with-rs256.md")["reason"], "decision_immutable");
    assert_eq!(of("twice/a.md")["reason"], "changed_here");
    assert_eq!(of("notes/wrong.md")["reason"], "unreadable");
    assert_eq!(of("notes/new.md")["status"], "taken");
    let new = admin.get(&format!("memories/{}", of("notes/new.md")["memory_id"].as_str().expect("is there"))).await.expect(200);
    assert_eq!((&new["path"], &new["tags"], &new["kind"]), (&json!("/notes/new.md"), &json!(["one", "two"]), &json!("pattern")));
    let changed = admin.get(&format!("memories/{}", of("notes/y.md")["memory_id"].as_str().expect("is there"))).await.expect(200);
    assert_eq!(
        (&changed["content"], &changed["version"], &changed["source"]["ref"]),
        (&json!("second, as reviewed\n"), &json!(4), &json!("3f2a1c"))
    );
    let again = imports(&admin, "", packed(&files)).await;
    assert_eq!((&again["taken"], &again["updated"]), (&json!(0), &json!(0)), "{again}");
}

#[tokio::test]
async fn rules_for_agents_are_written_for_whoever_reads() {
    let house = House::open().await;
    let (reader, admin) = (house.agent("coding", Role::Reader).await, house.person("coding", Role::Admin).await);
    assert!(reader.get("export/agents.md").await.text().contains("no decision"));
    let kept = admin.remembers_all_of(json!({"content": "Tokens are signed with RS256.", "kind": "decision", "project": "gateway"})).await;
    admin.remembers_all_of(json!({"content": "Run `make test` before a push.", "kind": "procedure"})).await;
    admin.remembers_all_of(json!({"content": "Old habit.", "kind": "pattern", "expires_at": "2020-01-01T00:00:00Z"})).await;
    admin.remembers_all_of(json!({"content": "Of another project.", "kind": "pattern", "project": "billing"})).await;
    admin.remembers_all_of(json!({"content": "My own way.", "kind": "pattern", "visibility": "private"})).await;
    let reply = reader.get("export/agents.md?project=gateway").await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/markdown; charset=utf-8"));
    let file = reply.text();
    assert!(
        file.contains(&format!("- Tokens are signed with RS256. <!-- cairn:{}@1 -->", kept["id"].as_str().expect("is there"))),
        "{file}"
    );
    assert!(file.contains("## Procedures") && file.contains("1 stale"), "{file}");
    for absent in ["Old habit", "another project", "My own way"] {
        assert!(!file.contains(absent), "{file}");
    }
    let report = imports(&admin, "?name=AGENTS.md", file).await;
    assert_eq!((&report["taken"], &report["reasons"]["generated"]), (&json!(0), &json!(2)), "{report}");
    reader.get("export/agents.md?token_budget=1").await.refuses(422, "invalid");
}

#[tokio::test]
async fn what_was_erased_leaves_in_no_export_and_comes_back_in_none() {
    let house = House::open().await;
    let (writer, reviewer) = (house.person("coding", Role::Admin).await, house.person("coding", Role::Reviewer).await);
    let memory = writer.remembers_all_of(json!({"content": "canary-7731 sings", "path": "/canary-7731.md", "kind": "pattern"})).await;
    let revised = writer.remembers("harmless").await;
    writer.revises(&revised, json!({"content": "canary-7731 sings twice"})).await;
    let (lines, tar) = (writer.get("export").await.text(), writer.get("export?format=markdown").await.bytes);
    let request = writer.asks_to_erase(&[&memory, &revised], "it must go").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);
    for place in ["export", "export?format=markdown", "export/agents.md"] {
        assert!(!writer.get(place).await.text().contains("canary-7731"), "{place}");
    }
    for file in [lines.clone().into_bytes(), tar, b"- canary-7731 sings\n".to_vec()] {
        let report = imports(&writer, "", file).await;
        assert_eq!((&report["taken"], &report["updated"]), (&json!(0), &json!(0)), "{report}");
        let item = &report["items"][0];
        assert_eq!((&item["reason"], &item["deletion_request_id"]), (&json!("erased"), &request["id"]), "{report}");
    }
    assert!(!house.dump().await.contains("canary-7731"));
    // In another workspace it was never erased, there it may be kept; erased there, nothing of where it came from stays.
    house.joins(&writer.email, "copy", Role::Admin).await;
    let there = writer.looking_at("copy");
    let report = imports(&there, "", lines).await;
    assert_eq!(report["taken"], 2, "{report}");
}

#[tokio::test]
async fn an_empty_file_that_was_erased_comes_back_in_no_export() {
    let house = House::open().await;
    let (writer, reviewer) = (house.person("coding", Role::Admin).await, house.person("coding", Role::Reviewer).await);
    let create = json!({"command": "create", "path": "/memories/empty", "file_text": ""});
    assert_eq!(writer.post("memory-tool", create).await.expect(200)["is_error"], false);
    let memory = writer.lists("memories?path_prefix=/empty").await.remove(0);
    let lines = writer.get("export").await.text();
    let request = writer.asks_to_erase(&[&memory], "it must go").await;
    reviewer.lets_go(&request).await;
    let report = imports(&writer, "", lines).await;
    let item = &report["items"][0];
    assert_eq!(
        (&report["taken"], &item["reason"], &item["deletion_request_id"]),
        (&json!(0), &json!("erased"), &request["id"]),
        "{report}"
    );
}

#[tokio::test]
async fn a_large_workspace_streams_in_order() {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    for part in 0..3 {
        let items: Vec<Value> =
            (0..90).map(|n| json!({"content": format!("memory {part} {n}"), "path": format!("/many/{part}/{n:03}.md")})).collect();
        admin.post("memories/batch", json!({"items": items})).await.expect(200);
    }
    let lines = exported(&admin, "").await;
    assert_eq!((versions(&lines).len(), &lines.last().expect("is there")["memories"]), (270, &json!(270)));
    let files = files(&admin.get("export?format=markdown").await.bytes);
    assert_eq!(files.len(), 270);
}

#[tokio::test]
async fn a_file_with_another_tag_says_nothing_of_the_code() {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    syncs(&admin, picture("main", "aaa111", vec![service("(name)", "compare")])).await;
    let memory = admin
        .remembers_all_of(json!({"content": "Logging in is constant in time", "path": "/notes/login.md",
            "anchors": [{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]}))
        .await;
    syncs(&admin, picture("main", "bbb222", vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")])])).await;
    let doubted = fresh(&admin, &memory).await;
    assert_eq!(doubted["state"], "stale");
    let mut files = files(&admin.get("export?format=markdown").await.bytes);
    let tagged = files["notes/login.md"].replace("kind: fact", "kind: fact\ntags: [login]");
    files.insert("notes/login.md".to_owned(), tagged);
    let report = imports(&admin, "", packed(&files)).await;
    assert_eq!(report["updated"], 1, "{report}");
    let read = admin.reads(&memory).await;
    assert_eq!((&read["tags"], &read["freshness"]), (&json!(["login"]), &doubted));
    assert_eq!(read["anchors"][0]["fingerprint"], memory["anchors"][0]["fingerprint"]);
}

#[tokio::test]
async fn what_a_picture_first_saw_of_a_place_goes_with_it_through_a_file() {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    let memory = admin
        .remembers_all_of(json!({"content": "Logging in is constant in time", "path": "/notes/login.md",
            "anchors": [{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]}))
        .await;
    // Nobody had seen the code when it was written.
    syncs(&admin, picture("main", "aaa111", vec![service("(name)", "compare")])).await;
    syncs(&admin, picture("main", "bbb222", vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")])])).await;
    let doubted = fresh(&admin, &memory).await;
    assert_eq!(doubted["state"], "stale");
    let mut files = files(&admin.get("export?format=markdown").await.bytes);
    let was = files["notes/login.md"].clone();
    let more = format!("anchors:\n  - {}\n", json!({"repo": "gateway", "path": LOGIN, "symbol": "log_out"}));
    let hung = was.replace("anchors:\n", &more);
    assert_ne!(hung, was);
    files.insert("notes/login.md".to_owned(), hung);
    let report = imports(&admin, "", packed(&files)).await;
    assert_eq!(report["updated"], 1, "{report}");
    let read = admin.reads(&memory).await;
    assert_eq!((read["anchors"].as_array().map(Vec::len), &read["freshness"]["state"]), (Some(2), &doubted["state"]), "{read}");
}
