//! What went out and comes in unchanged is as it was, whatever a memory is called and however little it says.

use crate::export::{files, packed};
use cairn_tests::{Actor, House, Person, Role, at};
use serde_json::{Value, json};

async fn imports(actor: &Actor, query: &str, file: impl Into<Vec<u8>>) -> Value {
    actor.ask("POST", &format!("import{query}")).bytes("application/octet-stream", file).send().await.expect(200)
}

/// A workspace, and another one of the same person.
async fn two_places() -> (House, Person, Actor) {
    let house = House::open().await;
    let here = house.person("coding", Role::Admin).await;
    house.joins(&here.email, "copy", Role::Admin).await;
    let there = here.looking_at("copy");
    (house, here, there)
}

/// Every memory leaves as a file, is nothing new where it comes from, and comes whole to another place.
async fn travels(here: &Actor, there: &Actor, many: usize) {
    let files = files(&here.get("export?format=markdown").await.bytes);
    assert_eq!(files.len(), many, "{files:?}");
    let back = imports(here, "", packed(&files)).await;
    assert_eq!((&back["taken"], &back["updated"], &back["reasons"]), (&json!(0), &json!(0), &json!({"known": many})), "{back}");
    let away = imports(there, "", packed(&files)).await;
    assert_eq!((&away["taken"], &away["skipped"]), (&json!(many), &json!(0)), "{away}");
    for memory in here.lists("memories").await {
        let copy = by_path(there, memory["path"].as_str().expect("a path")).await;
        for said in ["content", "title", "kind", "tags", "state"] {
            assert_eq!(copy[said], memory[said], "{said}: {copy} {memory}");
        }
    }
}

async fn by_path(actor: &Actor, path: &str) -> Value {
    let all = actor.lists("memories").await;
    let found = all.iter().find(|memory| memory["path"] == path).unwrap_or_else(|| panic!("no {path}: {all:?}"));
    actor.reads(found).await
}

async fn empty_file(actor: &Actor, name: &str) -> Value {
    let create = json!({"command": "create", "path": format!("/memories/{name}"), "file_text": ""});
    let made = actor.post("memory-tool", create).await.expect(200);
    assert_eq!(made["is_error"], json!(false), "{made}");
    by_path(actor, &format!("/{name}")).await
}

#[tokio::test]
async fn a_memory_that_was_ever_empty_comes_whole() {
    let (_house, here, there) = two_places().await;
    let notes = empty_file(&here, "notes").await;
    here.revises(&notes, json!({"content": "Deploys are frozen.\n"})).await;
    empty_file(&here, "still").await;
    let report = imports(&there, "", here.get("export").await.text()).await;
    assert_eq!((&report["taken"], &report["skipped"]), (&json!(2), &json!(0)), "{report}");
    let copy = by_path(&there, "/notes").await;
    let versions = there.lists(&format!("{}/versions", at(&copy))).await;
    let texts: Vec<&Value> = versions.iter().rev().map(|version| &version["content"]).collect();
    assert_eq!(texts, [&json!(""), &json!("Deploys are frozen.\n")]);
    assert_eq!(by_path(&there, "/still").await["content"], "");
}

#[tokio::test]
async fn a_file_of_an_empty_memory_comes_back_and_goes_elsewhere() {
    let (_house, here, there) = two_places().await;
    empty_file(&here, "still").await;
    travels(&here, &there, 1).await;
    // Somebody else's file still has to say something.
    let nothing = imports(&there, "?name=empty.md", "---\ntitle: Nothing\n---\n\n").await;
    assert_eq!(nothing["reasons"], json!({"nothing_said": 1}), "{nothing}");
}

#[tokio::test]
async fn tags_with_commas_and_quotes_stay_whole_in_files() {
    let (_house, here, there) = two_places().await;
    let tags = json!(["auth", "a, b", "say \"no, thanks\"", "it's", "back\\slash, too", "[x], y"]);
    here.remembers_all_of(json!({"content": "Tags are words of people.", "path": "/tags.md", "tags": tags})).await;
    travels(&here, &there, 1).await;
    // A list as a person writes it.
    for (said, read) in [
        ("[one, two words, it's, 'quoted, whole']", json!(["it's", "one", "quoted, whole", "two words"])),
        ("[\"one, whole\", two]", json!(["one, whole", "two"])),
        ("['tis, \"open]", json!(["\"open", "'tis"])),
        ("['it''s, one', two,]", json!(["it's, one", "two"])),
        ("one, two", json!(["one", "two"])),
    ] {
        let file = format!("---\ntitle: By hand\ntags: {said}\n---\n\nA list of {said}.\n");
        let report = imports(&there, "", file).await;
        let id = report["items"][0]["memory_id"].as_str().unwrap_or_else(|| panic!("{report}"));
        assert_eq!(there.get(&format!("memories/{id}")).await.expect(200)["tags"], read, "{said}");
    }
}

#[tokio::test]
async fn lists_within_lists_are_read_to_no_depth() {
    let (_house, here, _) = two_places().await;
    let deep = "[".repeat(400_000) + &"]".repeat(400_000);
    let report = imports(&here, "", format!("---\ntitle: Deep\ntags: {deep}\n---\n\nIt goes down.\n")).await;
    assert_eq!(report["items"].as_array().map(Vec::len), Some(1), "{report}");
}

#[tokio::test]
async fn what_is_called_like_a_file_of_rules_comes_back_as_one_memory() {
    let (_house, here, there) = two_places().await;
    for (path, text) in
        [("/CLAUDE.md", RULES), ("/docs/AGENTS.md", "- Be kind.\n- Be brief.\n"), ("/.cursor/rules/style.mdc", "- Small functions.\n")]
    {
        here.remembers_all_of(json!({"content": text, "path": path})).await;
    }
    travels(&here, &there, 3).await;
    // A file of rules with front matter of its own is one still.
    let report = imports(&there, "?name=x.mdc", "---\nid: style\nglobs: a.rs, b.rs\n---\n\n- Never block.\n- Never panic.\n").await;
    assert_eq!((&report["format"], &report["taken"]), (&json!("rules"), &json!(2)), "{report}");
}

const RULES: &str = "# Gateway\n\n- Run the tests with `make test`.\n- Never use `unwrap` outside of tests.\n";
const BLOCK: &str =
    "<!-- cairn:begin -->\n## Memory: Cairn\n\nThis project has a memory.\n\n- **At the start** read the brief.\n<!-- cairn:end -->\n";

#[tokio::test]
async fn what_we_wrote_into_a_file_of_rules_is_nobodys_knowledge() {
    let (_house, here, there) = two_places().await;
    let after = "\n- Prefer small functions.\n";
    let report = imports(&here, "?name=CLAUDE.md", format!("{RULES}\n{BLOCK}{after}")).await;
    assert_eq!((&report["taken"], &report["reasons"]), (&json!(3), &json!({"generated": 1})), "{report}");
    let items = report["items"].as_array().expect("a list");
    let skipped = items.iter().find(|item| item["reason"] == "generated").expect("is there");
    assert_eq!(skipped["place"], "CLAUDE.md, line 6");
    let last = here.lists("memories?q=small").await.remove(0);
    assert_eq!(last["source"]["ref"], "CLAUDE.md:14");
    assert!(!here.lists("memories").await.iter().any(|one| one["content"].as_str().is_some_and(|text| text.contains("brief"))));
    // A mark that is not closed hides nothing.
    let open = imports(&there, "?name=AGENTS.md", format!("<!-- cairn:begin -->\n\n{RULES}")).await;
    assert_eq!(open["taken"], json!(2), "{open}");
}
