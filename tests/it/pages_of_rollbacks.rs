//! A bad learning is taken back from the page on which one sees it: shown first, then done, and what was left is said.

use cairn_tests::{Agent, Browser, House, Person, Role};
use serde_json::{Value, json};

async fn bridge() -> (House, Agent, Person, Browser) {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let browser = house.browser_of(&person.email).await;
    (house, agent, person, browser)
}

/// The fields that a form on a page would send, without its token.
fn hidden(page: &str) -> Vec<(String, String)> {
    let form = page.split("<form method=\"post\" action=\"/w/coding/rollbacks\"").nth(1).expect("a form to confirm");
    let form = form.split("</form>").next().unwrap_or_default();
    let fields = form.split("<input type=\"hidden\" name=\"").skip(1).filter_map(|field| {
        let (name, rest) = field.split_once("\" value=\"")?;
        Some((name.to_owned(), rest.split('"').next()?.to_owned()))
    });
    fields.filter(|(name, _)| name != "csrf").collect()
}

async fn confirm(browser: &Browser, page: &str) -> String {
    let fields = hidden(page);
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let done = browser.sends("/w/coding/rollbacks", &fields).await;
    assert!(done.header("location").starts_with("/w/coding/rollbacks/"), "{done:?}");
    browser.follows(&done).await
}

async fn state(person: &Person, memory: &Value) -> Value {
    person.reads(memory).await["state"].clone()
}

#[tokio::test]
async fn a_run_is_rolled_back_from_its_page_and_the_rollback_too() {
    let (_house, agent, person, browser) = bridge().await;
    let session = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let id = session["id"].as_str().unwrap();
    let learned = agent.remembers_all_of(json!({"content": "The moon is made of cheese.", "session_id": id})).await;
    let built_on = agent.remembers_all_of(json!({"content": "Cheese is made of milk.", "session_id": id})).await;
    person.revises(&built_on, json!({"content": "Cheese is made of milk, mostly."})).await;
    let run = browser.opens(&format!("/w/coding/sessions/{id}")).await.text();
    let way = format!("/w/coding/rollbacks/new?session_id={id}");
    assert!(run.contains(&way), "{run}");
    let asked = browser.opens(&way).await.text();
    assert!(asked.contains("The moon is made of cheese.") && asked.contains("somebody changed it since"), "{asked}");
    assert!(asked.find("somebody changed it since") < asked.find("The moon is made of cheese."), "what is left comes first: {asked}");
    assert_eq!(state(&person, &learned).await, "active", "looking does nothing");
    let done = confirm(&browser, &asked).await;
    assert!(done.contains("1 memory is as it was, 1 were left") && done.contains("somebody changed it since"), "{done}");
    assert_eq!((state(&person, &learned).await, state(&person, &built_on).await), (json!("archived"), json!("active")));
    let list = browser.opens("/w/coding/rollbacks").await.text();
    assert!(list.contains("a run") && list.contains("1 undone, 1 left"), "{list}");
    let back =
        done.split("href=\"").find(|part| part.contains("rollback_id=")).and_then(|part| part.split('"').next()).expect("a way back");
    let asked = browser.opens(back).await.text();
    confirm(&browser, &asked).await;
    assert_eq!(state(&person, &learned).await, "active");
}

#[tokio::test]
async fn what_an_agent_wrote_is_rolled_back_and_nobody_elses() {
    let (house, agent, person, browser) = bridge().await;
    let (wrong, right) = (agent.remembers("The moon is made of cheese.").await, person.remembers("The moon is made of rock.").await);
    let form = browser.opens("/w/coding/rollbacks/new").await.text();
    assert!(form.contains(&agent.id.to_string()), "{form}");
    let asked = browser.opens(&format!("/w/coding/rollbacks/new?agent_id={}&hours=1", agent.id)).await.text();
    assert!(asked.contains("made of cheese") && !asked.contains("made of rock"), "{asked}");
    confirm(&browser, &asked).await;
    assert_eq!((state(&person, &wrong).await, state(&person, &right).await), (json!("archived"), json!("active")));
    // Before the time that was shown nothing is touched.
    let later = agent.remembers("The sun is made of butter.").await;
    let none = browser.sends("/w/coding/rollbacks", &[("agent_id", &agent.id.to_string()), ("from", "2100-01-01T00:00:00Z")]).await;
    browser.follows(&none).await;
    assert_eq!(state(&person, &later).await, "active");
    let admin = house.browser_of(&house.person("coding", Role::Admin).await.email).await;
    let page = admin.opens(&format!("/w/coding/agents/{}", agent.id)).await.text();
    assert!(page.contains("action=\"/w/coding/rollbacks/new\""), "{page}");
}

#[tokio::test]
async fn nothing_is_rolled_back_that_is_not_named_or_not_there() {
    let (_house, agent, person, browser) = bridge().await;
    let memory = agent.remembers("The moon is made of rock.").await;
    for fields in [vec![], vec![("from", "2001-01-01T00:00:00Z")]] {
        let sent = browser.sends("/w/coding/rollbacks", &fields).await;
        assert!(browser.follows(&sent).await.contains("must be chosen"));
    }
    let nobody = cairn_tests::nobody().to_string();
    for named in ["session_id", "dream_id", "rollback_id"] {
        assert_eq!(browser.opens(&format!("/w/coding/rollbacks/new?{named}={nobody}")).await.status, 404, "{named}");
        assert_eq!(browser.sends("/w/coding/rollbacks", &[(named, &nobody)]).await.status, 404, "{named}");
    }
    assert_eq!(state(&person, &memory).await, "active");
}
