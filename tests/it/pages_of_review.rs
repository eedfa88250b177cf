//! What is decided on a page can be taken back there: approved, rejected, many at once, or which of two holds.

use cairn_tests::{Agent, Browser, House, Person, Role, at};
use serde_json::{Value, json};

/// Somebody who writes facts, all of which wait, and somebody who decides, at a browser.
async fn waiting_room() -> (House, Agent, Person, Browser) {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    admin.put("policies", json!({"policies": {"fact": {"review_threshold": "always"}}})).await.expect(200);
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let browser = house.browser_of(&person.email).await;
    (house, agent, person, browser)
}

async fn waiting(person: &Person) -> Vec<String> {
    person.lists("proposals").await.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
}

async fn state(person: &Person, memory: &Value) -> Value {
    person.reads(memory).await["state"].clone()
}

/// What the button in the message would send.
fn review_in(page: &str) -> String {
    let id = page.split("name=\"review\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    id.unwrap_or_else(|| panic!("nothing to undo: {page}")).to_owned()
}

#[tokio::test]
async fn approved_and_taken_back_waits_again() {
    let (_house, agent, person, browser) = waiting_room().await;
    let memory = agent.remembers("Invoices are sent on Mondays.").await;
    let id = waiting(&person).await.remove(0);
    let page = browser.opens(&format!("/w/coding/review/{id}")).await;
    assert!(page.status == 200 && page.text().contains("Invoices are sent on Mondays."), "{page:?}");
    let done = browser.sends(&format!("/w/coding/review/{id}/decide"), &[("decision", "approve"), ("note", "so it is")]).await;
    let page = browser.follows(&done).await;
    assert!(page.contains("Approved"), "{page}");
    assert_eq!(state(&person, &memory).await, "active");
    assert!(waiting(&person).await.is_empty());
    let undone = browser.sends("/w/coding/review/undo", &[("review", &review_in(&page))]).await;
    assert!(browser.follows(&undone).await.contains("Taken back"));
    assert_eq!(state(&person, &memory).await, "proposed");
    assert_eq!(waiting(&person).await, [id]);
    assert!(agent.recalls("When are invoices sent?").await.is_empty());
    // Once.
    let again = browser.sends("/w/coding/review/undo", &[("review", &review_in(&page))]).await;
    assert!(browser.follows(&again).await.contains("nothing left to take back"));
}

#[tokio::test]
async fn the_longest_text_fits_into_the_form() {
    let (_house, agent, person, browser) = waiting_room().await;
    let memory = agent.remembers("Short.").await;
    let id = waiting(&person).await.remove(0);
    let edit = format!("/w/coding/review/{id}/edit");
    // A form writes each of its bytes as three.
    let longest = "ü".repeat(51_200);
    let sent = |content| [("title", "Long"), ("kind", "fact"), ("content", content)];
    let done = browser.sends(&edit, &sent(&longest)).await;
    assert!(browser.follows(&done).await.contains("Approved in your words."));
    assert_eq!(person.reads(&memory).await["content"], longest);
    assert_eq!(browser.sends(&edit, &sent(&"ü".repeat(200_000))).await.status, 413);
}

#[tokio::test]
async fn many_are_decided_and_taken_back_at_once() {
    let (_house, agent, person, browser) = waiting_room().await;
    let mut memories = Vec::new();
    for text in ["Invoices are blue.", "The cafeteria opens at noon.", "Backups run at three."] {
        memories.push(agent.remembers(text).await);
    }
    let ids = waiting(&person).await;
    let none = browser.sends("/w/coding/review/decide", &[("decision", "reject")]).await;
    assert!(browser.follows(&none).await.contains("tick those that you mean"));
    let ticked: Vec<(&str, &str)> = ids.iter().take(2).map(|id| ("id", id.as_str())).chain([("decision", "reject")]).collect();
    let done = browser.sends("/w/coding/review/decide", &ticked).await;
    let page = browser.follows(&done).await;
    assert!(page.contains("Rejected 2 proposals"), "{page}");
    assert_eq!(waiting(&person).await.len(), 1);
    let undone = browser.sends("/w/coding/review/undo", &[("review", &review_in(&page))]).await;
    assert!(browser.follows(&undone).await.contains("Taken back"));
    assert_eq!(waiting(&person).await.len(), 3);
    for memory in &memories {
        assert_eq!(state(&person, memory).await, "proposed");
    }
}

#[tokio::test]
async fn nobody_takes_back_what_another_decided() {
    let (house, agent, person, browser) = waiting_room().await;
    let memory = agent.remembers("Invoices are sent on Mondays.").await;
    let id = waiting(&person).await.remove(0);
    let done = browser.sends(&format!("/w/coding/review/{id}/decide"), &[("decision", "approve")]).await;
    let review = review_in(&browser.follows(&done).await);
    let other = house.person("coding", Role::Reviewer).await;
    let other = house.browser_of(&other.email).await;
    let refused = other.sends("/w/coding/review/undo", &[("review", &review)]).await;
    assert!(other.follows(&refused).await.contains("nothing left to take back"));
    assert_eq!(state(&person, &memory).await, "active");
}

#[tokio::test]
async fn which_of_two_holds_is_decided_and_taken_back() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let browser = house.browser_of(&person.email).await;
    let older = agent.remembers("Service tokens are signed with RS256.").await;
    let newer = agent.remembers("Service tokens are signed with HS256.").await;
    let open = person.lists("conflicts").await;
    assert_eq!(open.len(), 1, "{open:?}");
    let page = browser.opens("/w/coding/conflicts").await;
    assert!(page.text().contains("RS256") && page.text().contains("HS256"), "{page:?}");
    let keep = newer["id"].as_str().unwrap();
    let id = open[0]["id"].as_str().unwrap();
    let done = browser.sends(&format!("/w/coding/conflicts/{id}/resolve"), &[("keep", keep), ("note", "it moved")]).await;
    let page = browser.follows(&done).await;
    assert_eq!(state(&person, &older).await, "superseded");
    let undone = browser.sends("/w/coding/review/undo", &[("review", &review_in(&page))]).await;
    assert!(browser.follows(&undone).await.contains("Taken back"));
    assert_eq!((state(&person, &older).await, state(&person, &newer).await), (json!("active"), json!("active")));
    assert_eq!(person.lists("conflicts").await.len(), 1);
    let both = browser.sends(&format!("/w/coding/conflicts/{id}/resolve"), &[("keep", "both")]).await;
    let page = browser.follows(&both).await;
    assert!(person.lists("conflicts").await.is_empty());
    browser.sends("/w/coding/review/undo", &[("review", &review_in(&page))]).await;
    assert_eq!(person.lists("conflicts").await.len(), 1);
}

#[tokio::test]
async fn other_words_that_are_refused_are_still_in_the_form() {
    let (_house, agent, person, browser) = waiting_room().await;
    let memory = agent.remembers("Invoices are sent on Mondays.").await;
    let page = format!("/w/coding/review/{}", waiting(&person).await.remove(0));
    let long = "a".repeat(301);
    let typed = [
        ("title", long.as_str()),
        ("kind", "procedure"),
        ("content", "\nSent on <Tuesdays>."),
        ("tags", "money, letters"),
        ("reason", "it moved"),
        ("back", "/w/coding/dreams"),
    ];
    let refused = browser.sends(&format!("{page}/edit"), &typed).await;
    let text = refused.text();
    assert!(refused.status == 200 && text.contains("at most 300 characters"), "{refused:?}");
    assert!(text.contains("required>\n\nSent on &#60;Tuesdays&#62;.</textarea>"), "{text}");
    assert!(text.contains(&long) && text.contains("value=\"money, letters\"") && text.contains("value=\"it moved\""), "{text}");
    assert!(text.contains("<details class=\"more-ways\" open>") && text.contains("value=\"procedure\" selected"), "{text}");
    assert!(text.contains(&format!("value=\"{page}\"")), "{text}");
    assert_eq!(state(&person, &memory).await, "proposed");
    let page = browser.opens(&page).await.text();
    assert!(page.contains("<details class=\"more-ways\">"), "{page}");
}

#[tokio::test]
async fn other_words_leave_alone_what_they_do_not_touch() {
    let (_house, agent, person, browser) = waiting_room().await;
    let sent = json!({"content": "Invoices are sent\r\non Mondays.", "title": "Invoices", "tags": ["a, b", "c"]});
    let memory = agent.remembers_all_of(sent.clone()).await;
    let edit = format!("/w/coding/review/{}/edit", waiting(&person).await.remove(0));
    let typed = [("title", "Invoices go out"), ("kind", "fact"), ("content", "Invoices are sent\r\non Mondays."), ("tags", "a, b, c")];
    let done = browser.sends(&edit, &typed).await;
    assert!(browser.follows(&done).await.contains("Approved in your words."));
    let now = person.reads(&memory).await;
    assert_eq!((&now["title"], &now["tags"], &now["content"]), (&json!("Invoices go out"), &sent["tags"], &sent["content"]));
}

#[tokio::test]
async fn what_is_stale_says_so_where_somebody_chooses() {
    let (house, agent, person, browser) = waiting_room().await;
    let soon = cairn_server::model::clock::now() + time::Duration::seconds(4);
    let soon = soon.format(&time::format_description::well_known::Rfc3339).unwrap();
    let expiring = json!({"content": "Service tokens are signed with RS256.", "kind": "procedure", "expires_at": soon});
    agent.remembers_all_of(expiring).await;
    agent.remembers_all_of(json!({"content": "Service tokens are signed with HS256.", "kind": "procedure"})).await;
    agent.remembers("Service tokens are signed with HS256 and rotated on Mondays.").await;
    assert_eq!(person.lists("conflicts").await.len(), 1);
    let waiting = waiting(&person).await.remove(0);
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    let conflict = browser.opens("/w/coding/conflicts").await.text();
    assert_eq!(conflict.matches("fresh-stale").count(), 1, "one of the two is stale: {conflict}");
    let review = browser.opens(&format!("/w/coding/review/{waiting}")).await.text();
    let beside = review.split("What is known already").nth(1).expect("what is known");
    assert!(beside.contains("RS256") && beside.contains("fresh-stale"), "{beside}");
    drop(house);
}

#[tokio::test]
async fn what_was_put_away_and_rejected_can_be_taken_back() {
    let (_house, agent, person, browser) = waiting_room().await;
    let memory = agent.remembers("Invoices are sent on Mondays.").await;
    let id = waiting(&person).await.remove(0);
    agent.delete(&at(&memory)).await.expect(200);
    let done = browser.sends(&format!("/w/coding/review/{id}/decide"), &[("decision", "reject")]).await;
    let page = browser.follows(&done).await;
    assert!(waiting(&person).await.is_empty());
    let undone = browser.sends("/w/coding/review/undo", &[("review", &review_in(&page))]).await;
    assert!(browser.follows(&undone).await.contains("Taken back"));
    assert_eq!((state(&person, &memory).await, waiting(&person).await), (json!("archived"), vec![id]));
    agent.ask("POST", &format!("{}/restore", at(&memory))).send().await.expect(200);
    assert_eq!(state(&person, &memory).await, "proposed");
}
