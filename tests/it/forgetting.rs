//! Asked by session, by person or by words: the list is made at once, shown, and is what is erased.

use cairn_tests::{Agent, House, Person, Role, at};
use serde_json::{Value, json};

struct Cast {
    house: House,
    writer: Agent,
    reviewer: Person,
}

async fn cast() -> Cast {
    let house = House::open().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    Cast { house, writer, reviewer }
}

/// The sorts of things on a list, each with why it is there.
fn sorts(shown: &Value, list: &str) -> Vec<String> {
    let mut all: Vec<String> = shown[list]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| format!("{} {}", item["kind"].as_str().expect("is there"), item["why"].as_str().expect("is there")))
        .collect();
    all.sort();
    all.dedup();
    all
}

#[tokio::test]
async fn a_person_is_forgotten_by_every_name_they_go_by() {
    let Cast { house, writer, reviewer } = cast().await;
    let ada = house.person("coding", Role::Writer).await;
    sqlx::query("update people set name = 'Ada Quist' where id = $1").bind(ada.id).execute(house.owner()).await.expect("is there");
    let own = ada.remembers("the tea is in the kitchen").await;
    let private = ada.remembers_all_of(json!({"content": "my own note", "visibility": "private"})).await;
    let by_name = writer.remembers("ada  quist asked about the invoice").await;
    let by_mail = writer.remembers(&format!("write to {}.", ada.email)).await;
    let by_id = writer.remembers_all_of(json!({"content": "prefers mornings", "subject": ada.id})).await;
    let stays = writer.remembers("Adam Quistorp asked about the invoice").await;
    ada.recalls("where is the tea?").await;
    writer.recalls("what did Ada Quist ask?").await;
    let run = writer.post("sessions", json!({"agent_tool": "codex", "cwd": "/home/ada quist", "task": "t"})).await.expect(201);
    let place = format!("sessions/{}", run["id"].as_str().expect("is there"));
    let events = json!({"events": [
        {"id": "1", "type": "prompt", "at": "2026-05-04T10:00:00Z", "text": "what did Ada Quist say?"},
        {"id": "2", "type": "prompt", "at": "2026-05-04T10:01:00Z", "text": "and what did the others say?"},
        {"id": "3", "type": "tool_use", "at": "2026-05-04T10:02:00Z", "tool": "write", "input": {"lines": ["Ada\nQuist"]}},
    ]});
    writer.post(&format!("{place}/events"), events).await.expect(200);
    let body = json!({"progress": [{"item": "call Ada Quist", "status": "pending"}, {"item": "file the invoice", "status": "pending"}], "next_step": "wait"});
    writer.post(&format!("{place}/checkpoints"), body).await.expect(201);

    let request = writer.wants_erased(json!({"subject": "ada quist", "reason": "she asked"})).await;
    let shown = reviewer.previews(&request).await;
    assert_eq!(
        sorts(&shown, "preview"),
        [
            "checkpoint words",
            "event words",
            "memory words",
            "memory wrote",
            "receipt words",
            "receipt wrote",
            "session_words words",
            "task_item words"
        ],
        "{shown:#}"
    );
    assert_eq!(shown["touches"]["memory"], 5, "{shown:#}");
    let hidden =
        shown["preview"].as_array().expect("is there").iter().find(|item| item["id"] == private["id"]).expect("her private one is listed");
    assert_eq!(hidden["title"], Value::Null, "and not shown");
    reviewer.lets_go(&request).await;

    let dump = house.dump().await.to_lowercase();
    for gone in
        ["ada quist asked", "ada  quist", "the tea is", "where is the tea", "my own note", "prefers mornings", "ada\\nquist", "call ada"]
    {
        let left: Vec<_> = dump.lines().filter(|line| line.contains(gone)).collect();
        assert!(left.is_empty(), "{gone}: {left:#?}");
    }
    for memory in [&own, &by_name, &by_mail, &by_id, &private] {
        ada.get(&at(memory)).await.refuses(404, "not_found");
    }
    writer.reads(&stays).await;
    // Of a log only what speaks of her is gone, and its place stays.
    let log = writer.lists(&format!("{place}/events")).await;
    let texts: Vec<&Value> = log.iter().map(|event| &event["text"]).collect();
    assert_eq!(texts, [&Value::Null, &json!("and what did the others say?"), &Value::Null]);
    let task = writer.get("tasks/t").await.expect(200);
    assert_eq!(
        task["items"].as_array().expect("is there").iter().map(|item| item["item"].clone()).collect::<Vec<_>>(),
        ["file the invoice"]
    );
}

#[tokio::test]
async fn a_name_that_several_have_is_no_name() {
    let Cast { house, writer, .. } = cast().await;
    for _ in 0..2 {
        let twin = house.person("coding", Role::Reader).await;
        sqlx::query("update people set name = 'Kim Park' where id = $1").bind(twin.id).execute(house.owner()).await.expect("is there");
    }
    writer.remembers("Kim Park called").await;
    let refused = writer.post("deletion-requests", json!({"subject": "Kim Park", "reason": "x"})).await;
    assert_eq!(refused.refuses(422, "invalid").wrong_fields(), ["subject"]);
}

#[tokio::test]
async fn words_find_whatever_has_all_of_them() {
    let Cast { house: _house, writer, reviewer } = cast().await;
    let both = writer.remembers("the blue falcon lands at nine").await;
    let one = writer.remembers("the falconer wears blue").await;
    writer.recalls("when does the BLUE falcon land?").await;
    let request = writer.wants_erased(json!({"query": "falcon blue", "reason": "x"})).await;
    assert_eq!(request["touches"], json!({"memory": 1, "receipt": 1}));
    // What comes later is not on the list, and is spoken of.
    let later = writer.remembers("another falcon, also blue").await;
    reviewer.approves(&request).await.expect(200);
    let done = reviewer.executes(&request).await.expect(200);
    assert_eq!((&done["matched_since"], &done["query"], &done["reason"]), (&json!(1), &Value::Null, &Value::Null));
    writer.get(&at(&both)).await.refuses(404, "not_found");
    writer.reads(&one).await;
    writer.reads(&later).await;
}

#[tokio::test]
async fn a_session_goes_with_what_was_made_from_it_alone() {
    let Cast { house, writer, reviewer } = cast().await;
    let run = async |name: &str| {
        let run = writer
            .post("sessions", json!({"agent_tool": "codex", "project": "p", "external_id": name, "task": "shared"}))
            .await
            .expect(201);
        let place = format!("sessions/{}", run["id"].as_str().expect("is there"));
        let text = format!("{name}word came up in the meeting of today");
        let events = json!({"events": [
            {"id": "1", "type": "prompt", "at": "2026-05-04T10:00:00Z", "text": text},
            {"id": "2", "type": "file_edit", "at": "2026-05-04T10:01:00Z", "path": format!("src/{name}a.rs")},
            {"id": "3", "type": "file_edit", "at": "2026-05-04T10:02:00Z", "path": format!("src/{name}b.rs")},
        ]});
        writer.post(&format!("{place}/events"), events).await.expect(200);
        let body = json!({"decisions": [format!("Use {name}word for everything in here")],
            "progress": [{"item": format!("finish {name}word before friday comes"), "status": "pending"}], "next_step": format!("go on with {name}word")});
        writer.post(&format!("{place}/checkpoints"), body).await.expect(201);
        let own = writer.remembers_all_of(json!({"content": format!("independent {name}word note"), "session_id": run["id"]})).await;
        writer.asks(json!({"query": format!("{name}word?"), "session_id": run["id"]})).await;
        writer.post(&format!("{place}/end"), json!({"summary": format!("{name}word was the subject of all this")})).await.expect(200);
        (run, own)
    };
    let ((_, _), (second, own)) = (run("first").await, run("second").await);
    let request = writer.wants_erased(json!({"session_ids": [second["id"]], "reason": "x"})).await;
    let shown = reviewer.previews(&request).await;
    let copies: Vec<&Value> = shown["copies"].as_array().expect("is there").iter().map(|copy| &copy["id"]).collect();
    assert!(copies.contains(&&own["id"]), "{shown:#}");
    reviewer.lets_go(&request).await;
    let left: Vec<String> =
        house.dump().await.lines().filter(|line| line.contains("secondword") || line.contains("seconda.rs")).map(str::to_owned).collect();
    assert!(left.iter().all(|line| line.contains("independent")), "{left:#?}");
    writer.get(&format!("sessions/{}", second["id"].as_str().expect("is there"))).await.refuses(404, "not_found");
    let task = writer.get("tasks/shared").await.expect(200);
    assert_eq!((&task["next_step"], task["items"].as_array().expect("is there").len()), (&json!("go on with firstword"), 1));
    // The other run is whole.
    assert!(house.dump().await.contains("firstword came up in the meeting") && house.dump().await.contains("firsta.rs"));

    // The same log does not come back, in another run or under other names; another does.
    let again = writer.post("sessions", json!({"agent_tool": "codex", "task": "shared"})).await.expect(201);
    let place = format!("sessions/{}", again["id"].as_str().expect("is there"));
    let event = |id: &str, text: &str| json!({"id": id, "type": "prompt", "at": "2026-05-04T10:00:00Z", "text": text});
    let events = json!({"events": [event("9", "fine"), event("10", "secondword came up in the meeting of today")]});
    let refused = writer.post(&format!("{place}/events"), events).await;
    assert_eq!(refused.refuses(409, "content_erased").body["deletion_request_id"], request["id"]);
    assert_eq!(refused.body["index"], 1);
    let doors = [
        writer
            .post(
                &format!("{place}/checkpoints"),
                json!({"progress": [{"item": "finish secondword before friday comes", "status": "pending"}]}),
            )
            .await,
        writer.post(&format!("{place}/checkpoints"), json!({"discoveries": ["Use secondword for everything in here"]})).await,
        writer.post(&format!("{place}/end"), json!({"summary": "secondword was the subject of all this"})).await,
        writer.post("tasks", json!({"key": "new", "title": "finish secondword before friday comes"})).await,
    ];
    for refused in doors {
        assert_eq!(refused.refuses(409, "content_erased").body["deletion_request_id"], request["id"]);
    }
    writer.post(&format!("{place}/events"), json!({"events": [event("9", "fine")]})).await.expect(200);
}

#[tokio::test]
async fn runs_that_are_erased_one_by_one_take_what_they_alone_showed() {
    // Whichever goes first: the run that it was first seen in, or the one that saw it again.
    for turned in [false, true] {
        let Cast { house, writer, reviewer } = cast().await;
        let mut runs = Vec::new();
        for n in 1..=2 {
            let run = writer.post("sessions", json!({"agent_tool": "codex", "project": "gateway"})).await.expect(201);
            let place = format!("sessions/{}", run["id"].as_str().expect("is there"));
            writer.post(&format!("{place}/events"), super::capture::log(n)).await.expect(200);
            writer.post(&format!("{place}/end"), json!({})).await.expect(200);
            runs.push(run);
        }
        let shown = writer.lists("proposals").await;
        assert!(!shown.is_empty() && shown.iter().all(|one| one["evidence"].as_array().is_some_and(|runs| runs.len() == 2)), "{shown:?}");
        if turned {
            runs.reverse();
        }
        reviewer.lets_go(&writer.wants_erased(json!({"session_ids": [runs[0]["id"]], "reason": "x"})).await).await;
        assert_eq!(writer.lists("proposals").await.len(), shown.len(), "the other run still shows it");
        reviewer.lets_go(&writer.wants_erased(json!({"session_ids": [runs[1]["id"]], "reason": "x"})).await).await;
        let left: Vec<String> = house.dump().await.lines().filter(|line| line.contains("system clock")).map(str::to_owned).collect();
        assert!(left.is_empty() && writer.lists("proposals").await.is_empty(), "turned: {turned}, {left:#?}");
    }
}

#[tokio::test]
async fn copies_are_listed_and_go_when_they_are_asked_for() {
    let Cast { house, writer, reviewer } = cast().await;
    let memory = writer.remembers_all_of(json!({"content": "her number is 0123 456", "title": "How to reach the customer"})).await;
    let copy = writer.remembers("note: HER number  is 0123 456, call her").await;
    writer.recalls("is it true that her number is 0123 456?").await;
    let listed = writer.asks_to_erase(&[&memory], "x").await;
    let shown = reviewer.previews(&listed).await;
    assert_eq!(
        (sorts(&shown, "copies"), sorts(&shown, "preview")),
        (vec!["memory copy".into(), "receipt copy".into()], vec!["memory named".into()])
    );
    let all = writer.wants_erased(json!({"memory_ids": [memory["id"]], "include_copies": true, "reason": "x"})).await;
    assert_eq!(all["touches"], json!({"memory": 2, "receipt": 1}));
    reviewer.lets_go(&all).await;
    writer.get(&at(&copy)).await.refuses(404, "not_found");
    assert!(!house.dump().await.to_lowercase().contains("0123 456"));
}

#[tokio::test]
async fn who_is_alone_may_after_a_day() {
    let house = House::open().await;
    let admin = house.admin().await.looking_at("coding");
    house.workspace("coding").await;
    let memory = admin.remembers("to be erased").await;
    let request = admin.asks_to_erase(&[&memory], "a wish").await;
    assert!(admin.approves(&request).await.refuses(403, "four_eyes").text().contains("from"));
    sqlx::query("update deletion_requests set asked_at = asked_at - interval '25 hours'").execute(house.owner()).await.expect("is there");
    // A second person who may approve takes the right away again.
    let second = house.person("coding", Role::Reviewer).await;
    admin.approves(&request).await.refuses(403, "four_eyes");
    admin.delete(&format!("members/{}", second.id)).await;
    house.person("coding", Role::Writer).await;
    let approved = admin.approves(&request).await.expect(200);
    assert_eq!((&approved["state"], &approved["lone_approver"]), (&json!("approved"), &json!(true)));
    assert_eq!(admin.executes(&request).await.expect(200)["lone_approver"], true);
}

#[tokio::test]
async fn a_limited_key_does_not_search_the_whole_workspace() {
    let Cast { house, writer, .. } = cast().await;
    writer.remembers("the blue falcon").await;
    let limited = house.agent_in("coding", "gateway", Role::Writer).await;
    limited.post("deletion-requests", json!({"query": "falcon", "reason": "x"})).await.refuses(403, "forbidden");
    limited.post("deletion-requests", json!({"subject": "somebody", "reason": "x"})).await.refuses(403, "forbidden");
}
