//! What people write and correct on pages, and pages that stay light and honest however much there is to show.

use cairn_tests::{Agent, Browser, House, Person, Role, at};
use serde_json::{Value, json};

async fn desk() -> (House, Agent, Person, Browser) {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let browser = house.browser_of(&person.email).await;
    (house, agent, person, browser)
}

fn page_of(memory: &Value) -> String {
    format!("/w/coding/memories/{}", memory["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn what_somebody_writes_by_hand_is_recalled_under_their_name() {
    let (_house, agent, person, browser) = desk().await;
    assert!(browser.opens("/w/coding/memories/new").await.text().contains("Remember it"));
    let written =
        [("content", "Deploys are frozen on Fridays."), ("kind", "procedure"), ("tags", "deploy, friday"), ("project", "gateway")];
    let sent = browser.sends("/w/coding/memories", &written).await;
    assert!(browser.follows(&sent).await.contains("Remembered."));
    let memory = person.lists("memories").await.remove(0);
    assert_eq!(
        (&memory["kind"], &memory["tags"], &memory["project"]),
        (&json!("procedure"), &json!(["deploy", "friday"]), &json!("gateway"))
    );
    assert_eq!((&memory["created_by"]["id"], &memory["source"]["type"]), (&json!(person.id), &json!("human")));
    assert_eq!(agent.recalls("when are deploys frozen?").await.len(), 1);
    let again = browser.sends("/w/coding/memories", &written).await;
    assert!(browser.follows(&again).await.contains("known already"));
    let secret = browser.sends("/w/coding/memories", &[("content", "The db is opened with password=Sommer2026 today.")]).await;
    let page = browser.follows(&secret).await;
    assert!(page.contains("A secret that stood in it was taken out.") && !page.contains("Sommer2026"), "{page}");
    let private = browser.sends("/w/coding/memories", &[("content", "I like tea."), ("private", "yes")]).await;
    browser.follows(&private).await;
    assert!(!agent.recalls("who likes tea?").await.iter().any(|text| text.contains("tea")), "what is private is not told to others");
}

#[tokio::test]
async fn what_is_refused_is_said_beside_what_was_typed() {
    let (_house, _, person, browser) = desk().await;
    let long = "a".repeat(301);
    let refused = browser.sends("/w/coding/memories", &[("content", "Kept <in> the form."), ("title", &long)]).await;
    assert!(refused.status == 200 && refused.text().contains("Kept &#60;in&#62; the form."), "{refused:?}");
    assert!(refused.text().contains("at most 300 characters"), "{refused:?}");
    let empty = browser.sends("/w/coding/memories", &[("title", "Nothing to say")]).await;
    assert!(empty.text().contains("must not be empty") && empty.text().contains("Nothing to say"), "{empty:?}");
    assert!(person.lists("memories").await.is_empty());
    // As large as a memory may be, and every byte of it written as three.
    let whole = "ü".repeat(50 * 1024);
    let sent = browser.sends("/w/coding/memories", &[("content", &whole), ("title", "Long")]).await;
    assert!(browser.follows(&sent).await.contains("Remembered."));
}

#[tokio::test]
async fn a_memory_is_corrected_and_the_correction_taken_back() {
    let (_house, agent, person, browser) = desk().await;
    let memory = agent.remembers_all_of(json!({"content": "Tests need Postgres 14.", "tags": ["tests"], "project": "gateway"})).await;
    let page = page_of(&memory);
    assert!(browser.opens(&page).await.text().contains("Edit…"));
    let form = browser.opens(&format!("{page}/edit")).await.text();
    assert!(form.contains("Tests need Postgres 14.") && form.contains("value=\"gateway\""), "{form}");
    let title = memory["title"].as_str().unwrap();
    let same = [
        ("content", "Tests need Postgres 14."),
        ("title", title),
        ("kind", "fact"),
        ("tags", "tests"),
        ("project", "gateway"),
        ("seen", "1"),
    ];
    let saved = browser.sends(&format!("{page}/edit"), &same).await;
    assert!(browser.follows(&saved).await.contains("Nothing was changed") && person.reads(&memory).await["version"] == 1);
    let words = [("content", "Tests need Postgres 15."), ("title", title), ("kind", "fact"), ("reason", "14 is too old"), ("seen", "1")];
    let saved = browser.sends(&format!("{page}/edit"), &words).await;
    let shown = browser.follows(&saved).await;
    assert!(shown.contains("Saved: this is version 2.") && shown.contains("14 is too old"), "{shown}");
    let now = person.reads(&memory).await;
    assert_eq!((&now["content"], &now["tags"], &now["project"]), (&json!("Tests need Postgres 15."), &json!([]), &json!(null)));
    assert_eq!(now["updated_by"]["id"], json!(person.id));
    let undone = browser.sends(&format!("{page}/revert"), &[("seen", "2"), ("version", "1")]).await;
    browser.follows(&undone).await;
    assert_eq!(person.reads(&memory).await["content"], "Tests need Postgres 14.");
}

#[tokio::test]
async fn nobody_writes_over_what_they_have_not_read() {
    let (_house, agent, person, browser) = desk().await;
    let memory = agent.remembers("Tests need Postgres 14.").await;
    let edit = format!("{}/edit", page_of(&memory));
    agent.revises(&memory, json!({"content": "Tests need Postgres 16."})).await;
    let late = browser.sends(&edit, &[("content", "Tests need Postgres 15."), ("title", "Tests"), ("seen", "1")]).await;
    let form = late.text();
    assert!(late.status == 200 && form.contains("somebody changed it while you wrote") && form.contains("from=1&#38;to=2"), "{form}");
    assert!(form.contains("Tests need Postgres 15.") && form.contains("name=\"seen\" value=\"2\""), "it can be sent again: {form}");
    assert_eq!(person.reads(&memory).await["content"], "Tests need Postgres 16.");
    let saved = browser.sends(&edit, &[("content", "Tests need Postgres 15."), ("title", "Tests"), ("seen", "2")]).await;
    browser.follows(&saved).await;
    assert_eq!(person.reads(&memory).await["content"], "Tests need Postgres 15.");
}

#[tokio::test]
async fn a_decision_is_superseded_and_never_edited() {
    let (_house, agent, person, browser) = desk().await;
    let decision = json!({"content": "Service tokens are signed with RS256.", "kind": "decision", "project": "gateway"});
    let old = agent.remembers_all_of(decision).await;
    let page = page_of(&old);
    let shown = browser.opens(&page).await.text();
    assert!(shown.contains("Supersede…") && !shown.contains("Edit…"), "{shown}");
    let edited = browser.sends(&format!("{page}/edit"), &[("content", "Another word."), ("title", "x"), ("seen", "1")]).await;
    assert!(edited.status == 200 && edited.text().contains("never changed"), "{edited:?}");
    // Another decision that contradicts it is shown the way, and may wait.
    let other = [("content", "Service tokens are signed with HS256."), ("kind", "decision"), ("project", "gateway")];
    let refused = browser.sends("/w/coding/memories", &other).await.text();
    assert!(refused.contains("contradicts the decision") && refused.contains(&format!("{page}/supersede")), "{refused}");
    let waits = browser.sends("/w/coding/memories", &[&other[..], &[("propose", "yes")]].concat()).await;
    assert!(browser.follows(&waits).await.contains("waits for review"));
    let new = [("content", "Service tokens are signed with EdDSA."), ("title", "EdDSA"), ("project", "gateway")];
    let done = browser.sends(&format!("{page}/supersede"), &new).await;
    let shown = browser.follows(&done).await;
    assert!(shown.contains("This holds from now on.") && shown.contains(old["title"].as_str().unwrap()), "{shown}");
    assert_eq!(person.reads(&old).await["state"], "superseded");
    let late = browser.sends(&format!("{page}/supersede"), &new).await;
    assert!(late.status == 200 && late.text().contains("only an active one can be superseded"), "{late:?}");
}

#[tokio::test]
async fn who_only_reads_is_offered_no_pen() {
    let (house, agent, _, _) = desk().await;
    let memory = agent.remembers("Tests need Postgres 14.").await;
    let reader = house.browser_of(&house.person("coding", Role::Reader).await.email).await;
    for page in [page_of(&memory), "/w/coding/memories".to_owned(), "/w/coding/search?q=nothing+like+it".to_owned()] {
        let text = reader.opens(&page).await.text();
        assert!(!text.contains("Edit…") && !text.contains("memories/new"), "{page}: {text}");
    }
}

#[tokio::test]
async fn the_slider_goes_before_the_day_in_the_address() {
    let (_house, agent, _, browser) = desk().await;
    agent.remembers("Deploys are frozen on Fridays.").await;
    let found = async |query: &str| browser.opens(&format!("/w/coding/search?q=deploys&{query}")).await.text();
    for then in
        ["ago=1", "as_of=2020-01-01", "as_of=2020-01-01&ago=730&stood=730", "as_of=2020-01-01&ago=0", "as_of=2100-01-01&stood=0&ago=2"]
    {
        let page = found(then).await;
        assert!(page.contains("Nothing known"), "{then}: {page}");
    }
    for now in ["ago=0", "as_of=2020-01-01&stood=730&ago=0", "as_of=2100-01-01"] {
        let page = found(now).await;
        assert!(page.contains("frozen on Fridays"), "{now}: {page}");
    }
    assert!(!found("as_of=2020-01-01&stood=730&ago=3").await.contains("name=\"as_of\""), "what was slid past is no longer asked for");
}

#[tokio::test]
async fn looking_at_the_dashboard_does_not_count_as_recall() {
    let (_house, agent, _, browser) = desk().await;
    agent.remembers("Deploys are frozen on Fridays.").await;
    for _ in 0..3 {
        browser.opens("/w/coding/search?q=deploys").await;
    }
    let shortened = browser.opens("/w/coding").await;
    assert_eq!((shortened.status, shortened.header("location")), (303, "/w/coding/overview"));
    let before = browser.opens("/w/coding/overview").await.text();
    assert!(!before.contains("told 3 ×") && !before.contains("3 recalls"), "{before}");
    agent.recalls("when are deploys frozen?").await;
    let after = browser.opens("/w/coding/overview").await.text();
    assert!(after.contains("1 recalls told"), "{after}");
    let kept = browser.opens("/w/coding/receipts").await.text();
    assert_eq!(kept.matches("dashboard").count(), 3, "each leaves its receipt all the same: {kept}");
}

#[tokio::test]
async fn what_waits_is_where_the_first_page_says() {
    let (house, _, asker, browser) = desk().await;
    let other = house.person("coding", Role::Reviewer).await;
    let (one, two) = (asker.remembers("Tea is green.").await, asker.remembers("Coffee is black.").await);
    let request = asker.asks_to_erase(&[&one], "a wish").await;
    let approved = asker.asks_to_erase(&[&two], "another wish").await;
    other.approves(&approved).await.expect(200);
    let page = browser.opens("/w/coding/overview").await.text();
    assert!(page.contains("deletion request is pending") && page.contains("approved deletion is to be executed"), "{page}");
    for (state, wish) in [("pending", &request), ("approved", &approved)] {
        let list = browser.opens(&format!("/w/coding/deletion-requests?state={state}")).await.text();
        assert!(list.contains(wish["id"].as_str().unwrap()), "{state}: {list}");
    }
    // Who asked may think better of it.
    let page = format!("/w/coding/deletion-requests/{}", request["id"].as_str().unwrap());
    let shown = browser.opens(&page).await.text();
    assert!(shown.contains("You may still reject it") && shown.contains(">Reject<") && !shown.contains(">Approve<"), "{shown}");
    let rejected = browser.sends(&format!("{page}/reject"), &[]).await;
    assert!(browser.follows(&rejected).await.contains("rejected"));
}

#[tokio::test]
async fn a_page_of_long_texts_shows_their_beginnings_and_the_way_to_the_rest() {
    let (_house, agent, _, browser) = desk().await;
    let session = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let id = session["id"].as_str().unwrap();
    let long = format!("{}the very end", "words and words ".repeat(1000));
    let events: Vec<Value> = (0..3)
        .map(|n| json!({"id": n.to_string(), "type": "message", "at": session["started_at"], "text": format!("{n} {long}")}))
        .collect();
    agent.post(&format!("sessions/{id}/events"), json!({"events": events})).await.expect(200);
    let replay = browser.opens(&format!("/w/coding/sessions/{id}")).await.text();
    assert!(!replay.contains("the very end") && replay.len() < 40_000, "{}", replay.len());
    let way =
        replay.split("href=\"").find(|part| part.contains("whole=")).and_then(|part| part.split('#').next()).expect("a way to the rest");
    let whole = browser.opens(way).await.text();
    assert_eq!(whole.matches("the very end").count(), 1, "one of them is shown whole");

    let memory = agent.remembers(&long).await;
    agent.asks(json!({"query": "words", "detail": "full"})).await;
    let receipt = agent.lists("receipts").await.remove(0);
    let page = format!("/w/coding/receipts/{}", receipt["id"].as_str().unwrap());
    assert!(!browser.opens(&page).await.text().contains("the very end"));
    let whole = browser.opens(&format!("{page}?whole={}", memory["id"].as_str().unwrap())).await.text();
    assert!(whole.contains("the very end"));
}

#[tokio::test]
async fn every_list_goes_on() {
    let (_house, agent, _, browser) = desk().await;
    for n in 0..23 {
        agent.post("tasks", json!({"key": format!("task-{n}"), "title": format!("Task number {n}.")})).await.expect(201);
    }
    let board = browser.opens("/w/coding/tasks").await.text();
    assert!(!board.contains("Task number 0.") && board.contains("tasks?state=open"), "{board}");
    let all = browser.opens("/w/coding/tasks?state=open").await.text();
    assert!(all.contains("Task number 0.") && all.contains("Task number 22."), "{all}");
    let memory = agent.remembers("version 1").await;
    for n in 2..=103 {
        agent.patch(&at(&memory), json!({"content": format!("version {n}")})).await.expect(200);
    }
    let page = browser.opens(&page_of(&memory)).await.text();
    assert!(!page.contains(">v3<"), "{page}");
    let older = page.split("href=\"").find(|part| part.contains("cursor=")).and_then(|part| part.split('#').next()).expect("a next page");
    assert!(browser.opens(older).await.text().contains(">v1<"));
}

#[tokio::test]
async fn what_nobody_touched_in_the_form_stays_as_it_is() {
    let (_house, agent, person, browser) = desk().await;
    let sent = json!({"content": "One line\r\nand another.\r\n", "title": "Lines", "tags": ["a, b", "c"]});
    let memory = agent.remembers_all_of(sent.clone()).await;
    let edit = format!("{}/edit", page_of(&memory));
    // A browser ends every line of a form in its own way.
    let same = [("content", "One line\r\nand another.\r\n"), ("title", "Lines"), ("kind", "fact"), ("tags", "a, b, c"), ("seen", "1")];
    let saved = browser.sends(&edit, &same).await;
    assert!(browser.follows(&saved).await.contains("Nothing was changed"));
    let called = [("title", "Two lines"), ("content", same[0].1), ("kind", "fact"), ("tags", "a, b, c"), ("seen", "1")];
    let saved = browser.sends(&edit, &called).await;
    assert!(browser.follows(&saved).await.contains("Saved: this is version 2."));
    let now = person.reads(&memory).await;
    assert_eq!((&now["title"], &now["tags"], &now["content"]), (&json!("Two lines"), &sent["tags"], &sent["content"]));
    let decision = json!({"content": "We deploy on Mondays.", "kind": "decision", "tags": ["a, b", "c"]});
    let old = agent.remembers_all_of(decision.clone()).await;
    let words = [("content", "We deploy on Tuesdays."), ("title", "Tuesdays"), ("tags", "a, b, c")];
    let saved = browser.sends(&format!("{}/supersede", page_of(&old)), &words).await;
    browser.follows(&saved).await;
    let new = person.lists("memories?kind=decision").await.remove(0);
    assert_eq!((&new["title"], &new["tags"]), (&json!("Tuesdays"), &decision["tags"]));
}

#[tokio::test]
async fn a_question_that_is_too_long_for_the_page_is_said_to_be() {
    let (_house, agent, _, browser) = desk().await;
    agent.remembers("Deploys are frozen on Fridays.").await;
    let long = format!("frozen {}", "a".repeat(2000));
    let page = browser.opens(&format!("/w/coding/search?q={}", long.replace(' ', "+"))).await.text();
    assert!(page.contains("“q” is left out") && page.contains("2,000"), "{page}");
    let receipt = async |query: &str| {
        let answer = agent.asks(json!({"query": query})).await;
        browser.opens(&format!("/w/coding/receipts/{}", answer["receipt_id"].as_str().expect("an id"))).await.text()
    };
    assert!(receipt("what is frozen?").await.contains("Ask the same today"));
    let page = receipt(&long).await;
    assert!(page.contains("The recall") && !page.contains("Ask the same today"), "a link that leads to nothing: {page}");
}

#[tokio::test]
async fn what_lies_between_two_pages_of_a_log_is_on_one_of_them() {
    let (_house, agent, _, browser) = desk().await;
    let session = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let id = session["id"].as_str().unwrap();
    let sends = async |from: usize, to: usize, at: &Value| {
        let events: Vec<Value> =
            (from..to).map(|n| json!({"id": n.to_string(), "type": "message", "at": at, "text": format!("event {n}")})).collect();
        agent.post(&format!("sessions/{id}/events"), json!({"events": events})).await.expect(200);
    };
    sends(0, 100, &session["started_at"]).await;
    let body = json!({"progress": [{"item": "between the pages", "status": "completed"}]});
    agent.post(&format!("sessions/{id}/checkpoints"), body).await.expect(201);
    let asked = json!({"query": "asked between the pages", "session_id": id});
    agent.asks(asked).await;
    let later = cairn_server::model::clock::now() + time::Duration::seconds(1);
    sends(100, 110, &json!(later.format(&time::format_description::well_known::Rfc3339).unwrap())).await;
    let first = browser.opens(&format!("/w/coding/sessions/{id}")).await.text();
    let next = first.split("href=\"").find(|part| part.contains("cursor=")).and_then(|part| part.split('"').next()).expect("a next page");
    let second = browser.opens(&next.replace("&amp;", "&").replace("&#38;", "&")).await.text();
    assert!(first.contains("event 99") && second.contains("event 100"), "{second}");
    for told in ["asked between the pages", ">between the pages"] {
        let shown = (first.contains(told), second.contains(told));
        assert!(shown.0 != shown.1, "{told} is on one page, and on one alone: {shown:?}");
    }
}
