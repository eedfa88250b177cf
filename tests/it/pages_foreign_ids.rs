//! One's own workspace in the address and another's id behind it: every page says that there is no such thing, and
//! nothing of the other's changes.

use cairn_server::{
    api::document::Access,
    pages::{PageRoute, table},
};
use cairn_tests::{Browser, House, Person, Reply, Role, at, nobody, until};
use serde_json::{Value, json};
use std::collections::HashMap;

/// What a page of each sort of thing would need to do its work, if the thing were there.
const FORM: [(&str, &str); 14] = [
    ("seen", "1"),
    ("version", "1"),
    ("reason", "a test"),
    ("note", "a test"),
    ("decision", "approve"),
    ("keep", "both"),
    ("confirm", "yes"),
    ("title", "Other words"),
    ("content", "In other words."),
    ("kind", "fact"),
    ("tags", "test"),
    ("path", "/test.md"),
    ("role", "reader"),
    ("mode", "review"),
];

/// Lists in which a change would show.
const LISTS: [&str; 11] =
    ["memories", "sessions", "tasks", "receipts", "proposals", "conflicts", "dreams", "deletion-requests", "holds", "agents", "members"];

fn id(thing: &Value) -> String {
    thing["id"].as_str().unwrap_or_else(|| panic!("no id: {thing}")).to_owned()
}

/// A workspace with one of everything, and the id of each by the word that stands before it in an address.
async fn full(house: &House) -> (Person, HashMap<&'static str, String>) {
    let admin = house.person("theirs", Role::Admin).await;
    admin.put("policies", json!({"policies": {"fact": {"review_threshold": "always"}}})).await.expect(200);
    let agent = house.agent("theirs", Role::Writer).await;
    let tell = async |content: &str| agent.remembers_all_of(json!({"content": content, "kind": "discovery"})).await;
    tell("Service tokens are signed with RS256.").await;
    let memory = tell("Service tokens are signed with HS256.").await;
    agent.remembers("Invoices are sent on Mondays.").await;
    let session = agent.post("sessions", json!({"agent_tool": "test", "task": "their-task"})).await.expect(201);
    let answer = agent.asks(json!({"query": "service tokens"})).await;
    let dream = admin.post("dreams", json!({})).await;
    assert!(dream.status < 300, "{dream:?}");
    until("the dream is over", async || admin.lists("dreams").await.iter().all(|one| one["state"] != "running")).await;
    let request = agent.asks_to_erase(&[&memory], "a test").await;
    let hold = admin.post("holds", json!({"memory_ids": [memory["id"]], "reason": "a test"})).await.expect(201);
    let undone = tell("Written by mistake.").await;
    let rollback = admin.post("rollbacks", json!({"memory_ids": [undone["id"]]})).await;
    assert!(rollback.status < 300, "{rollback:?}");
    let first = async |list: &str| {
        let all = admin.lists(list).await;
        id(all.first().unwrap_or_else(|| panic!("no {list}")))
    };
    let ids = HashMap::from([
        ("memories", id(&memory)),
        ("sessions", id(&session)),
        ("tasks", "their-task".to_owned()),
        ("receipts", answer["receipt_id"].as_str().expect("a receipt").to_owned()),
        ("review", first("proposals").await),
        ("conflicts", first("conflicts").await),
        ("dreams", first("dreams").await),
        ("rollbacks", first("rollbacks").await),
        ("deletion-requests", id(&request)),
        ("holds", id(&hold)),
        ("agents", agent.id.to_string()),
        ("keys", agent.key_id.to_string()),
        ("members", admin.id.to_string()),
    ]);
    (admin, ids)
}

/// The address of a page with these ids in it; none if it names nothing in a workspace.
fn address(page: &PageRoute, ids: &HashMap<&'static str, String>) -> Option<String> {
    let rest = page.path.strip_prefix("/w/{ws}/").filter(|rest| rest.contains('{'))?;
    let mut before = "";
    let parts = rest.split('/').map(|part| {
        let shown = if part.starts_with('{') {
            ids.get(before).unwrap_or_else(|| panic!("{page:?}: say above what stands behind `{before}`")).as_str()
        } else {
            part
        };
        before = part;
        shown
    });
    Some(format!("/w/ours/{}", parts.collect::<Vec<_>>().join("/")))
}

async fn call(browser: &Browser, page: &PageRoute, path: &str) -> Reply {
    if page.method == "GET" { browser.opens(path).await } else { browser.sends(path, &FORM).await }
}

async fn everything(admin: &Person) -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    for list in LISTS {
        all.push(admin.lists(list).await);
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_another_workspace_is_not_found_in_ones_own() {
    let house = House::open().await;
    let (admin, ids) = full(&house).await;
    let (person, own) = (house.person("ours", Role::Admin).await, house.agent("ours", Role::Writer).await);
    let browser = house.browser_of(&person.email).await;
    let before = everything(&admin).await;
    let mut count = 0;
    for page in table() {
        let Some(path) = address(&page, &ids) else { continue };
        let reply = call(&browser, &page, &path).await;
        assert_eq!(reply.status, 404, "{page:?} at {path}: {reply:?}");
        count += 1;
    }
    assert!(count >= 30, "only {count} pages name a thing");
    // Ids that stand in the form, or behind one's own.
    let key = format!("/w/ours/agents/{}/keys/{}/revoke", own.id, ids["keys"]);
    assert_eq!(browser.sends(&key, &[]).await.status, 404);
    for decision in ["approve", "reject"] {
        let many = browser.sends("/w/ours/review/decide", &[("decision", decision), ("id", &ids["review"])]).await;
        // What is not there is not decided, and the list is shown again; that nothing changed is seen below.
        assert!([303, 404].contains(&many.status), "{many:?}");
    }
    for list in ["holds", "deletion-requests"] {
        let named = [("memory_ids", ids["memories"].as_str()), ("session_ids", &ids["sessions"]), ("reason", "a test")];
        let reply = browser.sends(&format!("/w/ours/{list}"), &named).await;
        assert!(reply.status < 500, "{reply:?}");
    }
    for list in ["trail?target=", "receipts?memory_id=", "memories?author="] {
        let page = browser.opens(&format!("/w/ours/{list}{}", ids["memories"])).await.text();
        assert!(!page.contains("Service tokens"), "{list}: {page}");
    }
    assert_eq!(everything(&admin).await, before);
    let held = admin.get(&at(&json!({"id": ids["memories"]}))).await.expect(200);
    assert_eq!(held["state"], "active");
}

#[tokio::test(flavor = "multi_thread")]
async fn running_the_server_is_for_those_who_do() {
    let house = House::open().await;
    let person = house.person("ours", Role::Admin).await;
    let browser = house.browser_of(&person.email).await;
    let before = house.census().await;
    let of_the_instance: Vec<_> = table().into_iter().filter(|page| matches!(page.access, Access::InstanceAdmin)).collect();
    assert!(of_the_instance.len() >= 7, "{of_the_instance:?}");
    for page in of_the_instance {
        let (id, other) = (house.admin().await.id.to_string(), nobody().to_string());
        for id in [&id, &other] {
            let path = page.path.replace("{id}", id);
            let form = [("slug", "fresh"), ("name", "Fresh"), ("email", "fresh@example.org")];
            let reply = if page.method == "GET" { browser.opens(&path).await } else { browser.sends(&path, &form).await };
            assert_eq!(reply.status, 403, "{page:?}: {reply:?}");
        }
    }
    let mut after = house.census().await;
    // That somebody was refused is written down.
    after.insert("audit_entries".to_owned(), before["audit_entries"]);
    assert_eq!(after, before);
}
