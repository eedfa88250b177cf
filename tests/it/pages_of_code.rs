//! The code page: opened folder by folder, counted for whoever looks, judged on the branch that is asked for.

use cairn_tests::{Agent, Browser, House, Role};
use serde_json::{Value, json};

fn hash(word: &str) -> String {
    let sum = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{sum:016x}")
}

fn file(path: &str, signature: &str) -> Value {
    let symbol = |name: &str, line: u32| json!({"name": name, "kind": "function", "signature_hash": hash(signature), "body_hash": hash("body"), "start_line": line, "end_line": line + 5});
    json!({"path": path, "sha256": hash(&format!("{path}{signature}")), "symbols": [symbol("open", 10), symbol("Door.close", 30)]})
}

async fn syncs(agent: &Agent, branch: &str, commit: &str, files: &[Value]) {
    let picture = json!({"repo": "gateway", "branch": branch, "commit": commit, "files": files, "complete": true});
    agent.post("code/snapshots", picture).await.expect(200);
}

async fn hangs(agent: &Agent, title: &str, path: &str, symbol: Option<&str>) -> Value {
    agent
        .remembers_all_of(json!({"title": title, "content": title, "anchors": [{"repo": "gateway", "path": path, "symbol": symbol}]}))
        .await
}

async fn opens(browser: &Browser, query: &str) -> String {
    let reply = browser.opens(&format!("/w/coding/code{query}")).await;
    assert_eq!(reply.status, 200, "{query}: {reply:?}");
    reply.text()
}

/// The entries of a tree, as the page names them, each with what is said of its memories.
fn entries(page: &str) -> Vec<(String, String)> {
    let rows = page.split("<li data-row class=\"").skip(1).filter(|row| row.starts_with("file") || row.starts_with("folder"));
    let between =
        |row: &str, from: &str, to: &str| row.split(from).nth(1).and_then(|rest| rest.split(to).next()).unwrap_or_default().to_owned();
    rows.map(|row| {
        let row = row.split("</li>").next().unwrap_or_default();
        (between(row, "<bdi>", "</bdi>"), between(row, "<span class=\"unseen\"> (", ")"))
    })
    .collect()
}

fn names(page: &str) -> Vec<String> {
    entries(page).into_iter().map(|(name, _)| name).collect()
}

fn place(page: &str, word: &str) -> usize {
    page.find(word).unwrap_or_else(|| panic!("no “{word}” in {page}"))
}

#[tokio::test]
async fn a_tree_is_opened_folder_by_folder_with_what_hangs_there() {
    let house = House::open().await;
    let (agent, reader) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reader).await);
    let browser = house.browser_of(&reader.email).await;
    assert!(opens(&browser, "").await.contains("cairn sync"), "an empty page says what to do");
    // Names that sort around the slash: none may swallow another.
    let paths = ["README.md", "src-old/a.rs", "src.rs", "src/a.rs", "src/deep/er/b.rs", "src/z.rs", "src0/a.rs", "ünder/grund.rs"];
    let tree: Vec<Value> = paths.iter().map(|path| file(path, "()")).collect();
    syncs(&agent, "main", "c1", &tree).await;
    hangs(&agent, "on a function", "src/a.rs", Some("open")).await;
    hangs(&agent, "on a deep one", "src/deep/er/b.rs", None).await;
    hangs(&agent, "on what will go", "src/z.rs", Some("open")).await;
    let owner = house.person("coding", Role::Writer).await;
    owner
        .post("memories", json!({"content": "mine alone", "visibility": "private", "anchors": [{"repo": "gateway", "path": "src/a.rs"}]}))
        .await
        .expect(201);
    assert_eq!(names(&opens(&browser, "").await), ["src-old/", "src/", "src0/", "ünder/", "README.md", "src.rs"]);
    let top = entries(&opens(&browser, "").await);
    assert_eq!(top.iter().find(|(name, _)| name == "src/").map(|(_, said)| said.as_str()), Some("3 fresh"), "{top:?}");
    assert_eq!(top.iter().filter(|(_, said)| !said.is_empty()).count(), 1, "{top:?}");
    let below = entries(&opens(&browser, "?repo=gateway&path=src%2F").await);
    let of = |name: &str| below.iter().find(|(one, _)| one == name).map(|(_, said)| said.clone());
    assert_eq!((of("deep/"), of("a.rs"), of("z.rs")), (Some("1 fresh".into()), Some("1 fresh".into()), Some("1 fresh".into())));
    let own = house.browser_of(&owner.email).await;
    let own = entries(&opens(&own, "?repo=gateway&path=src%2F").await);
    assert!(own.contains(&("a.rs".into(), "2 fresh".into())), "their own private one counts for themselves: {own:?}");
    // A file that went is still told of where something hangs on it.
    let left: Vec<Value> = tree.into_iter().filter(|file| file["path"] != "src/z.rs").collect();
    syncs(&agent, "main", "c2", &left).await;
    let page = opens(&browser, "?repo=gateway&path=src%2F").await;
    assert!(entries(&page).contains(&("z.rs".into(), "1 stale".into())) && page.contains("not in this snapshot"), "{page}");
    assert!(page.contains("open went with its file in c2 (src/z.rs)"), "the reason stands beside the tree: {page}");
    // Another workspace's people see nothing of it; what no picture has is said.
    let stranger = house.person("elsewhere", Role::Admin).await;
    let stranger = house.browser_of(&stranger.email).await;
    assert_eq!(stranger.opens("/w/coding/code?repo=gateway").await.status, 404);
    let unknown = opens(&browser, "?repo=nobody&branch=none").await;
    assert!(unknown.contains("Not all of this address was understood") && !names(&unknown).is_empty());
}

#[tokio::test]
async fn a_large_folder_comes_in_pages_that_miss_nothing() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let browser = house.browser_of(&house.person("coding", Role::Reader).await.email).await;
    let paths: Vec<String> = (0..450).map(|n| if n % 3 == 0 { format!("many/{n:03}/x.rs") } else { format!("many/{n:03}.rs") }).collect();
    syncs(&agent, "main", "c1", &paths.iter().map(|path| file(path, "()")).collect::<Vec<_>>()).await;
    hangs(&agent, "far down", "many/441/x.rs", None).await;
    let (mut query, mut seen, mut pages) = ("?repo=gateway&path=many%2F".to_owned(), Vec::new(), 0);
    loop {
        let page = opens(&browser, &query).await;
        pages += 1;
        seen.extend(entries(&page));
        let Some(next) = page.split("rel=\"next\" href=\"/w/coding/code").nth(1) else { break };
        query = next.split('"').next().unwrap_or_default().replace("&#38;", "&").replace("&amp;", "&");
    }
    assert_eq!((pages, seen.len()), (3, 450));
    assert!(seen.contains(&("441/".into(), "1 fresh".into())));
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 450);
}

#[tokio::test]
async fn a_place_shows_what_hangs_on_it_and_what_goes_with_it_on_each_branch() {
    let house = House::open().await;
    let (agent, reader) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reader).await);
    let browser = house.browser_of(&reader.email).await;
    let tree = |signature: &str| [file("src/door.rs", signature), file("src/lock.rs", "()"), file("src/key.rs", "()")];
    syncs(&agent, "main", "c1", &tree("()")).await;
    hangs(&agent, "about the file", "src/door.rs", None).await;
    hangs(&agent, "about closing", "src/door.rs", Some("Door.close")).await;
    let both = json!([{"repo": "gateway", "path": "src/door.rs", "symbol": "Door.close"}, {"repo": "gateway", "path": "src/key.rs", "symbol": "open"}]);
    agent.remembers_all_of(json!({"title": "about both", "content": "about both", "anchors": both})).await;
    syncs(&agent, "feature/door", "f1", &tree("(key)")).await;
    for paths in [["src/door.rs", "src/lock.rs"], ["src/door.rs", "src/key.rs"], ["src/door.rs", "src/lock.rs"]] {
        let session = agent.post("sessions", json!({"agent_tool": "test"})).await.expect(201);
        let session = format!("sessions/{}", session["id"].as_str().expect("an id"));
        let edits: Vec<Value> = paths.iter().map(|path| json!({"type": "file_edit", "at": "2026-07-28T10:00:00Z", "path": path})).collect();
        agent.post(&format!("{session}/events"), json!({"events": edits})).await.expect(200);
        agent.post(&format!("{session}/end"), json!({})).await.expect(200);
    }
    let told = house.census().await["receipts"];
    let page = opens(&browser, "?repo=gateway&path=src%2Fdoor.rs&symbol=Door.close").await;
    assert!(place(&page, "about closing") < place(&page, "about the file"), "what is on the symbol comes first");
    assert!(page.contains("lines 30–35") && page.contains("the default branch") && page.contains(">c1<"), "{page}");
    let (lock, key) = (place(&page, ">lock.rs<"), place(&page, ">key.rs<"));
    assert!(lock < key && page.contains("stroke-width=\"5.0\""), "the closest first, by the thickest rope: {page}");
    assert!(page.contains("Named with it in the same memory") && page.contains("path=src%2Fkey.rs&#38;symbol=open"), "{page}");
    assert!(!page.contains("fresh-stale"), "main is as it was: {page}");
    let branch = opens(&browser, "?repo=gateway&branch=feature%2Fdoor&path=src%2Fdoor.rs&symbol=Door.close").await;
    assert!(branch.contains("Door.close changed its signature in f1 (src/door.rs on feature/door)"), "{branch}");
    assert!(branch.contains(">f1<") && branch.contains("fresh-stale"));
    assert!(opens(&browser, "?repo=gateway&path=src%2Fnone.rs").await.contains("does not have this file"));
    assert_eq!(house.census().await["receipts"], told, "looking is not being told");
}

#[tokio::test]
async fn what_needs_review_is_verified_where_it_is_listed() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let browser = house.browser_of(&reviewer.email).await;
    syncs(&agent, "main", "c1", &[file("src/door.rs", "()")]).await;
    let often = hangs(&agent, "doors are opened from inside", "src/door.rs", Some("open")).await;
    hangs(&agent, "a cabin has one window", "src/door.rs", Some("Door.close")).await;
    let list = "/w/coding/code/review";
    assert!(browser.opens(list).await.text().contains("Nothing needs review"));
    syncs(&agent, "main", "c2", &[file("src/door.rs", "(key)")]).await;
    assert!(!agent.recalls("are doors opened from inside?").await.is_empty());
    let page = browser.opens(list).await.text();
    assert!(page.contains("2 in doubt") && page.contains("open changed its signature in c2 (src/door.rs)"), "{page}");
    for (order, first, then) in [
        ("told", "doors are opened", "a cabin has"),
        ("use", "doors are opened", "a cabin has"),
        ("age", "doors are opened", "a cabin has"),
    ] {
        let page = browser.opens(&format!("{list}?order={order}")).await.text();
        assert!(place(&page, first) < place(&page, then), "by {order}: {page}");
    }
    assert!(browser.opens(&format!("{list}?repo=elsewhere")).await.text().contains("Nothing needs review"));
    let id = often["id"].as_str().expect("an id");
    let done = browser.sends(&format!("/w/coding/memories/{id}/verify"), &[("next", list)]).await;
    assert_eq!((done.status, done.header("location")), (303, list));
    let page = browser.opens(list).await.text();
    assert!(page.contains("1 in doubt") && !page.contains("doors are opened from inside"), "{page}");
    let done = browser.sends(&format!("/w/coding/memories/{id}/verify"), &[("next", "//evil.example")]).await;
    assert_eq!(done.header("location"), format!("/w/coding/memories/{id}"), "nobody is sent elsewhere");
    let reader = house.browser_of(&house.person("coding", Role::Reader).await.email).await;
    assert!(!reader.opens(list).await.text().contains(">Verify<"));
}
