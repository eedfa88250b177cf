//! The memory tool over HTTP: the strings that models know, and memories like all others behind them.

use cairn_tests::{Actor, House, Role, at};
use serde_json::{Value, json};

/// Uses the tool; what it says, and whether that is an error.
async fn used(agent: &Actor, input: Value) -> (String, bool) {
    let reply = agent.post("memory-tool", input).await.expect(200);
    (reply["content"].as_str().expect("a text").to_owned(), reply["is_error"].as_bool().expect("an answer"))
}

async fn done(agent: &Actor, input: Value) -> String {
    let (said, failed) = used(agent, input.clone()).await;
    assert!(!failed, "{input}: {said}");
    said
}

async fn fails(agent: &Actor, input: Value) -> String {
    let (said, failed) = used(agent, input.clone()).await;
    assert!(failed, "{input}: {said}");
    said
}

#[tokio::test]
async fn every_command_says_what_is_documented() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let root = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";
    assert_eq!(done(&agent, json!({"command": "view", "path": "/memories"})).await, format!("{root}\n0B\t/memories"));
    let notes = "/memories/notes.md";
    let create = json!({"command": "create", "path": notes, "file_text": "# Notes\nuse tabs\n"});
    assert_eq!(done(&agent, create.clone()).await, "File created successfully at: /memories/notes.md");
    assert_eq!(fails(&agent, create).await, "Error: File /memories/notes.md already exists");
    let inside = json!({"command": "create", "path": "/memories/notes.md/inner.md", "file_text": "x"});
    assert_eq!(fails(&agent, inside).await, "Error: Cannot create /memories/notes.md/inner.md: a part of its path is a file");
    done(&agent, json!({"command": "create", "path": "/memories/team/people/ada.md", "file_text": "x".repeat(1536)})).await;
    assert_eq!(
        done(&agent, json!({"command": "view", "path": "/memories"})).await,
        format!("{root}\n1.5K\t/memories\n17B\t/memories/notes.md\n1.5K\t/memories/team/\n1.5K\t/memories/team/people/")
    );
    assert_eq!(
        done(&agent, json!({"command": "view", "path": notes})).await,
        "Here's the content of /memories/notes.md with line numbers:\n     1\t# Notes\n     2\tuse tabs\n     3\t"
    );
    assert!(done(&agent, json!({"command": "view", "path": notes, "view_range": [2, 2]})).await.ends_with("numbers:\n     2\tuse tabs"));
    assert_eq!(
        done(&agent, json!({"command": "str_replace", "path": notes, "old_str": "tabs", "new_str": "spaces"})).await,
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\t# Notes\n     2\tuse spaces\n     3\t"
    );
    assert_eq!(
        fails(&agent, json!({"command": "str_replace", "path": notes, "old_str": "tabs", "new_str": "x"})).await,
        "No replacement was performed, old_str `tabs` did not appear verbatim in /memories/notes.md."
    );
    assert_eq!(
        fails(&agent, json!({"command": "str_replace", "path": notes, "old_str": "s", "new_str": "x"})).await,
        "No replacement was performed. Multiple occurrences of old_str `s` in lines: 1, 2, 2, 2. Please ensure it is unique"
    );
    done(&agent, json!({"command": "str_replace", "path": notes, "old_str": "# Notes\n"})).await;
    assert_eq!(
        done(&agent, json!({"command": "insert", "path": notes, "insert_line": 0, "insert_text": "first\n"})).await,
        "The file /memories/notes.md has been edited."
    );
    assert_eq!(
        fails(&agent, json!({"command": "insert", "path": notes, "insert_line": 9, "insert_text": "x"})).await,
        "Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 2]"
    );
    for (command, missing) in [
        (json!({"command": "view"}), "The path /memories/gone does not exist. Please provide a valid path."),
        (
            json!({"command": "str_replace", "old_str": "x", "new_str": "y"}),
            "Error: The path /memories/gone does not exist. Please provide a valid path.",
        ),
        (json!({"command": "insert", "insert_line": 0, "insert_text": "x"}), "Error: The path /memories/gone does not exist"),
        (json!({"command": "delete"}), "Error: The path /memories/gone does not exist"),
        (
            json!({"command": "rename", "old_path": "/memories/gone", "new_path": "/memories/x"}),
            "Error: The path /memories/gone does not exist",
        ),
    ] {
        let mut input = command.clone();
        input["path"] = json!("/memories/gone");
        assert_eq!(fails(&agent, input).await, missing, "{command}");
    }
    let team = fails(&agent, json!({"command": "insert", "path": "/memories/team", "insert_line": 0, "insert_text": "x"})).await;
    assert_eq!(team, "Error: The path /memories/team does not exist");
    let rename = |from: &str, to: &str| json!({"command": "rename", "old_path": from, "new_path": to});
    assert_eq!(fails(&agent, rename(notes, "/memories/team")).await, "Error: The destination /memories/team already exists");
    fails(&agent, rename("/memories/team", "/memories/team/inner")).await;
    fails(&agent, rename(notes, "/memories/notes.md/inner")).await;
    fails(&agent, rename("/memories", "/memories/x")).await;
    assert_eq!(done(&agent, rename("/memories/team", "/memories/crew")).await, "Successfully renamed /memories/team to /memories/crew");
    fails(&agent, json!({"command": "delete", "path": "/memories"})).await;
    assert_eq!(done(&agent, json!({"command": "delete", "path": "/memories/crew"})).await, "Successfully deleted /memories/crew");
    assert_eq!(
        done(&agent, json!({"command": "view", "path": "/memories"})).await,
        format!("{root}\n17B\t/memories\n17B\t/memories/notes.md")
    );
}

#[tokio::test]
async fn a_large_folder_is_shown_moved_and_deleted_whole() {
    const MANY: usize = 1100;
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let item = |n: usize| json!({"content": format!("stone {n}"), "path": format!("/heap/a-stone-with-a-long-name-{n:04}.md")});
    for items in [(0..MANY / 2).map(item).collect::<Vec<_>>(), (MANY / 2..MANY).map(item).collect()] {
        agent.post("memories/batch", json!({"items": items})).await.expect(200);
    }
    done(&agent, json!({"command": "create", "path": "/memories/zoo/lion.md", "file_text": "x"})).await;
    let shown = done(&agent, json!({"command": "view", "path": "/memories"})).await;
    assert!(shown.contains("\t/memories/heap/\n") && shown.contains("\t/memories/zoo/\n") && !shown.contains("0001.md"), "{shown}");
    done(&agent, json!({"command": "rename", "old_path": "/memories/heap", "new_path": "/memories/pile"})).await;
    assert_eq!(agent.lists("memories?path_prefix=/pile/").await.len(), MANY);
    done(&agent, json!({"command": "delete", "path": "/memories/pile"})).await;
    assert_eq!(agent.lists("memories").await.len(), 1);
    assert_eq!(agent.lists("memories?state=archived").await.len(), MANY);
}

#[tokio::test]
async fn what_is_written_is_a_memory_like_all_others() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let admin = house.admin().await;
    done(&agent, json!({"command": "create", "path": "/memories/deploys.md", "file_text": "Deploys are frozen on fridays"})).await;
    assert_eq!(agent.recalls("when are deploys frozen?").await, ["Deploys are frozen on fridays"]);
    let memory = agent.lists("memories?path_prefix=/deploys").await.remove(0);
    assert_eq!((&memory["path"], &memory["title"]), (&json!("/deploys.md"), &json!("Deploys are frozen on fridays")));
    done(&agent, json!({"command": "str_replace", "path": "/memories/deploys.md", "old_str": "fridays", "new_str": "sundays"})).await;
    assert_eq!(agent.recalls("when are deploys frozen?").await, ["Deploys are frozen on sundays"]);
    assert_eq!(agent.reads(&memory).await["title"], "Deploys are frozen on sundays", "a title that was the text's own follows it");
    // A change that changes nothing is none.
    done(&agent, json!({"command": "str_replace", "path": "/memories/deploys.md", "old_str": "frozen", "new_str": "frozen"})).await;
    let versions = agent.lists(&format!("{}/versions", at(&memory))).await;
    assert_eq!(versions.iter().map(|one| &one["operation"]).collect::<Vec<_>>(), ["revised", "created"]);
    let trail: Vec<Value> = admin.trail_of(memory["id"].as_str().unwrap()).await.iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(trail, ["memory.remembered", "memory.revised"]);

    // Made elsewhere, it is seen here.
    agent.remembers_all_of(json!({"content": "We sign with RS256", "kind": "decision", "path": "/decisions/jwt.md"})).await;
    assert!(done(&agent, json!({"command": "view", "path": "/memories/decisions/jwt.md"})).await.ends_with("     1\tWe sign with RS256"));
    let changed =
        fails(&agent, json!({"command": "str_replace", "path": "/memories/decisions/jwt.md", "old_str": "RS256", "new_str": "HS256"}))
            .await;
    assert!(changed.contains("never changed"), "{changed}");
    done(&agent, json!({"command": "rename", "old_path": "/memories/decisions", "new_path": "/memories/adr"})).await;

    // What is deleted is put away, and can be erased for good.
    done(&agent, json!({"command": "delete", "path": "/memories/deploys.md"})).await;
    assert_eq!(agent.reads(&memory).await["state"], "archived");
    assert!(agent.recalls("when are deploys frozen?").await.iter().all(|text| !text.contains("sundays")));
    let request = agent.asks_to_erase(&[&memory], "because").await;
    reviewer.lets_go(&request).await;
    let again =
        fails(&agent, json!({"command": "create", "path": "/memories/again.md", "file_text": "Deploys are frozen on sundays"})).await;
    assert!(again.contains("erased"), "{again}");
}

#[tokio::test]
async fn an_empty_file_is_a_file_and_its_erasure_bars_no_other() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    done(&agent, json!({"command": "create", "path": "/memories/empty", "file_text": ""})).await;
    assert!(done(&agent, json!({"command": "view", "path": "/memories/empty"})).await.ends_with("numbers:\n     1\t"));
    let memory = agent.lists("memories?path_prefix=/empty").await.remove(0);
    let request = agent.asks_to_erase(&[&memory], "because").await;
    reviewer.lets_go(&request).await;
    done(&agent, json!({"command": "create", "path": "/memories/empty", "file_text": ""})).await;
    done(&agent, json!({"command": "create", "path": "/memories/empty-too", "file_text": ""})).await;
    agent.recalls("anything").await;
}

#[tokio::test]
async fn no_path_leaves_memories() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers("out of reach").await;
    let before = house.census().await;
    for path in [
        "/etc/passwd",
        "/memories/../facts/out-of-reach.md",
        "/memoriesX",
        "/memories/%2e%2e/x",
        "/memories\\x",
        "/memories/a\u{0}",
        "",
        "/",
    ] {
        fails(&agent, json!({"command": "view", "path": path})).await;
        fails(&agent, json!({"command": "create", "path": path, "file_text": "x"})).await;
        fails(&agent, json!({"command": "delete", "path": path})).await;
        fails(&agent, json!({"command": "rename", "old_path": "/memories/facts", "new_path": path})).await;
    }
    for input in [
        json!({}),
        json!({"command": "format"}),
        json!({"command": "view"}),
        json!({"command": 1, "path": "/memories"}),
        json!({"command": "view", "path": "/memories", "view_range": [1, "all"]}),
        json!({"command": "insert", "path": "/memories/x", "insert_line": "one", "insert_text": "x"}),
    ] {
        fails(&agent, input).await;
    }
    let long = "x".repeat(102_401);
    fails(&agent, json!({"command": "create", "path": "/memories/long", "file_text": long})).await;
    fails(&agent, json!({"command": "create", "path": "/memories/nul", "file_text": "a\u{0}b"})).await;
    agent.ask("POST", "memory-tool").bytes("application/json", "{").send().await.refuses(400, "malformed");
    agent.post("memory-tool", json!([])).await.refuses(422, "invalid");
    assert_eq!(house.census().await, before);
}

#[tokio::test]
async fn roles_walls_and_owners_hold() {
    let house = House::open().await;
    let (reader, writer, elsewhere) =
        (house.agent("coding", Role::Reader).await, house.agent("coding", Role::Writer).await, house.agent("support", Role::Admin).await);
    let walled = house.agent_in("coding", "gateway", Role::Writer).await;
    done(&writer, json!({"command": "create", "path": "/memories/shared.md", "file_text": "for all"})).await;
    done(&reader, json!({"command": "view", "path": "/memories/shared.md"})).await;
    reader.post("memory-tool", json!({"command": "delete", "path": "/memories/shared.md"})).await.refuses(403, "forbidden");
    assert!(fails(&elsewhere, json!({"command": "view", "path": "/memories/shared.md"})).await.contains("does not exist"));
    elsewhere.looking_at("coding").post("memory-tool", json!({"command": "view", "path": "/memories"})).await.refuses(404, "not_found");

    writer.remembers_all_of(json!({"content": "the billing handshake", "project": "billing", "path": "/billing/handshake.md"})).await;
    done(&walled, json!({"command": "create", "path": "/memories/gateway/own.md", "file_text": "mine"})).await;
    assert!(!done(&walled, json!({"command": "view", "path": "/memories"})).await.contains("billing"));
    fails(&walled, json!({"command": "view", "path": "/memories/billing/handshake.md"})).await;
    fails(&walled, json!({"command": "create", "path": "/memories/billing", "file_text": "over the wall"})).await;
    walled.post("memory-tool", json!({"command": "delete", "path": "/memories/shared.md"})).await.refuses(403, "forbidden");
    let own = writer.lists("memories?path_prefix=/gateway").await;
    assert_eq!(own[0]["project"], "gateway");

    let ada = house.person("coding", Role::Writer).await;
    ada.remembers_all_of(json!({"content": "my own", "visibility": "private", "path": "/mine.md"})).await;
    done(&ada, json!({"command": "view", "path": "/memories/mine.md"})).await;
    fails(&writer, json!({"command": "view", "path": "/memories/mine.md"})).await;
}

#[tokio::test]
async fn what_does_not_deserve_trust_says_so_and_secrets_stay_out() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let expired = json!({"content": "the port is 8080", "path": "/port.md", "expires_at": "2020-01-01T00:00:00Z"});
    agent.remembers_all_of(expired).await;
    let shown = done(&agent, json!({"command": "view", "path": "/memories/port.md"})).await;
    assert!(shown.contains("[Cairn: this memory is STALE: "), "{shown}");
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    done(&agent, json!({"command": "create", "path": "/memories/token.md", "file_text": format!("the token is {secret}")})).await;
    done(&agent, json!({"command": "insert", "path": "/memories/token.md", "insert_line": 0, "insert_text": format!("again {secret}")}))
        .await;
    assert!(!done(&agent, json!({"command": "view", "path": "/memories/token.md"})).await.contains(secret));
}

/// Many change one text at once: nothing that was acknowledged is lost.
#[tokio::test(flavor = "multi_thread")]
async fn nobodys_edit_is_lost() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    done(&agent, json!({"command": "create", "path": "/memories/list.md", "file_text": "begin\n"})).await;
    let insert = |n: usize| json!({"command": "insert", "path": "/memories/list.md", "insert_line": 1, "insert_text": format!("line {n}")});
    let edits: Vec<_> = (0..20)
        .map(|n| {
            let (agent, input) = (agent.clone(), insert(n));
            tokio::spawn(async move { done(&agent, input).await })
        })
        .collect();
    for edit in edits {
        edit.await.expect("is done");
    }
    let shown = done(&agent, json!({"command": "view", "path": "/memories/list.md"})).await;
    assert!((0..20).all(|n| shown.contains(&format!("\tline {n}\n"))), "{shown}");
    let again = agent.ask("POST", "memory-tool").header("Idempotency-Key", "k").json(&insert(99)).send().await.expect(200);
    let repeated = agent.ask("POST", "memory-tool").header("Idempotency-Key", "k").json(&insert(99)).send().await.expect(200);
    assert_eq!(again, repeated);
    assert_eq!(done(&agent, json!({"command": "view", "path": "/memories/list.md"})).await.matches("line 99").count(), 1);
}

#[tokio::test]
async fn no_answer_that_is_kept_holds_a_secret_that_was_taken_out() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let secret = format!("gh{}_{}", "p", "16C7e42F292c6912E7710c838347Ae178B4a");
    done(&agent, json!({"command": "create", "path": "/memories/t.md", "file_text": "one\nx\nthree\n"})).await;
    let edit = json!({"command": "str_replace", "path": "/memories/t.md", "old_str": "x", "new_str": format!("it is {secret} now")});
    let said = agent.ask("POST", "memory-tool").header("Idempotency-Key", "once").json(&edit).send().await.expect(200);
    let said = said["content"].as_str().expect("a text");
    assert!(!said.contains(&secret), "{said}");
    assert!(said.contains("     1\tone\n     2\tit is [redacted: ") && said.ends_with("     3\tthree\n     4\t"), "{said}");
    let insert = json!({"command": "insert", "path": "/memories/t.md", "insert_line": 0, "insert_text": format!("and {secret}")});
    agent.ask("POST", "memory-tool").header("Idempotency-Key", "twice").json(&insert).send().await.expect(200);
    assert!(!house.dump().await.contains(&secret), "a secret is in the database");
}

#[tokio::test]
async fn what_is_shown_of_an_edit_says_what_does_not_deserve_trust() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let expired = json!({"content": "the port is 8080", "path": "/port.md", "expires_at": "2020-01-01T00:00:00Z"});
    agent.remembers_all_of(expired).await;
    let edit = json!({"command": "str_replace", "path": "/memories/port.md", "old_str": "8080", "new_str": "9090"});
    let shown = done(&agent, edit).await;
    assert!(shown.contains("the port is 9090") && shown.contains("[Cairn: this memory is STALE: "), "{shown}");
}
