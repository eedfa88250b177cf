//! A decision that contradicts an active one is caught before it lands, on every door.

use cairn_tests::{Actor, House, Reply, Role, at};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const OLD: &str = "Service tokens are signed with RS256.";
const NEW: &str = "Service tokens are signed with HS256.";

#[tokio::test]
async fn a_contradicting_decision_is_refused_until_it_says_how_to_go_on() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let old = agent.remembers_all_of(json!({"content": OLD, "kind": "decision", "project": "gateway"})).await;
    let new = json!({"content": NEW, "kind": "decision", "project": "gateway"});
    let reply = agent.post("memories", new.clone()).await;
    reply.refuses(409, "decision_conflict");
    assert_eq!(reply.body["decision"]["memory_id"], old["id"]);
    assert!(reply.body["decision"]["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{reply:?}");
    assert_eq!(agent.lists("memories?kind=decision").await.len(), 1, "nothing was written");
    agent.post("memories/batch", json!({"items": [{"content": "Lunch is at noon"}, new]})).await.refuses(409, "decision_conflict");
    assert_eq!(agent.lists("memories").await.len(), 1, "all or nothing");

    let session = agent.post("sessions", json!({"agent_tool": "codex", "project": "gateway"})).await.expect(201);
    let checkpoints = format!("sessions/{}/checkpoints", session["id"].as_str().unwrap());
    agent.post(&checkpoints, json!({"text": format!("DECIDED: {NEW}\nDONE: all of it")})).await.refuses(409, "decision_conflict");
    agent.post(&checkpoints, json!({"decisions": [NEW]})).await.refuses(409, "decision_conflict");

    let newer = agent.remembers_all_of(json!({"content": NEW, "kind": "decision", "project": "gateway", "supersedes": old["id"]})).await;
    let old = agent.reads(&old).await;
    assert_eq!((&old["state"], &old["superseded_by"], &newer["supersedes"]), (&json!("superseded"), &newer["id"], &old["id"]));
    // The other way round it is a contradiction again; a checkpoint may say what it supersedes.
    agent.post(&checkpoints, json!({"decisions": [OLD]})).await.refuses(409, "decision_conflict");
    agent
        .post(&checkpoints, json!({"decisions": [{"content": "Service tokens are signed with RS512.", "supersedes": newer["id"]}]}))
        .await
        .expect(201);
    assert_eq!(agent.reads(&newer).await["state"], "superseded");
}

#[tokio::test]
async fn it_may_wait_for_a_person_instead() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    agent.remembers_all_of(json!({"content": OLD, "kind": "decision"})).await;
    let waiting = agent.remembers_all_of(json!({"content": NEW, "kind": "decision", "on_conflict": "propose"})).await;
    assert_eq!(waiting["state"], "proposed");
    assert!(!agent.recalls("how are service tokens signed?").await.contains(&NEW.to_owned()), "what waits is not known");
    let proposals = person.lists("proposals").await;
    assert_eq!((proposals.len(), &proposals[0]["memory_id"], &proposals[0]["origin"]), (1, &waiting["id"], &json!("conflict")));
    let id = proposals[0]["id"].as_str().unwrap();
    agent.post(&format!("proposals/{id}/approve"), json!({})).await.refuses(403, "forbidden");
    person.post(&format!("proposals/{id}/approve"), json!({})).await.expect(200);
    person.post(&format!("proposals/{id}/reject"), json!({})).await.refuses(409, "wrong_state");
    assert_eq!(agent.get(&at(&waiting)).await.expect(200)["state"], "active");
    assert!(agent.recalls("how are service tokens signed?").await.contains(&NEW.to_owned()));
}

#[tokio::test]
async fn decisions_that_go_together_all_land() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for decision in [
        OLD,
        "Orders are kept in Postgres.",
        "The session cache is kept in Redis.",
        "Never edit generated files by hand.",
        "Generated files are checked in.",
        "Refresh tokens live for 30 days.",
        "Access tokens live for 15 minutes.",
        "We deploy on Tuesdays and Thursdays.",
        "The billing service is written in Go.",
        "The gateway is written in Rust.",
    ] {
        agent.remembers_all_of(json!({"content": decision, "kind": "decision"})).await;
    }
}

#[tokio::test]
async fn what_waits_takes_nobodys_place_and_no_way_leads_around_the_review() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let old = agent.remembers_all_of(json!({"content": OLD, "kind": "decision"})).await;
    let other = agent.remembers_all_of(json!({"content": "Orders are kept in Postgres.", "kind": "decision"})).await;
    let waiting =
        agent.remembers_all_of(json!({"content": NEW, "kind": "decision", "on_conflict": "propose", "supersedes": other["id"]})).await;
    assert_eq!((&waiting["state"], &agent.reads(&other).await["state"]), (&json!("proposed"), &json!("active")));
    // Put away and brought back, it waits as before.
    agent.delete(&at(&waiting)).await.expect(200);
    assert_eq!(agent.post(&format!("{}/restore", at(&waiting)), json!({})).await.expect(200)["state"], "proposed");
    assert_eq!(agent.post(&format!("{}/revert", at(&waiting)), json!({"version": 1})).await.expect(200)["state"], "proposed");
    let id = person.lists("proposals").await[0]["id"].as_str().expect("an id").to_owned();
    person.post(&format!("proposals/{id}/approve"), json!({})).await.expect(200);
    assert_eq!(agent.reads(&waiting).await["state"], "active");
    for loser in [&old, &other] {
        assert_eq!(agent.reads(loser).await["superseded_by"], waiting["id"], "whoever approves it decides for it");
    }

    let again =
        agent.remembers_all_of(json!({"content": OLD.replace("RS256", "ES256"), "kind": "decision", "on_conflict": "propose"})).await;
    assert_eq!(again["supersedes"], json!(null));
    let id = person.lists("proposals").await[0]["id"].as_str().expect("an id").to_owned();
    person.post(&format!("proposals/{id}/reject"), json!({})).await.expect(200);
    agent.post(&format!("{}/restore", at(&again)), json!({})).await.refuses(409, "wrong_state");
}

#[tokio::test]
async fn what_one_person_sees_takes_the_place_of_nothing_that_others_follow() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let old = agent.remembers_all_of(json!({"content": OLD, "kind": "decision"})).await;
    let hidden = json!({"content": NEW, "kind": "decision", "on_conflict": "propose", "visibility": "private"});
    let waiting = person.remembers_all_of(hidden).await;
    assert_eq!(waiting["state"], "proposed");
    let id = person.lists("proposals").await[0]["id"].as_str().expect("an id").to_owned();
    person.post(&format!("proposals/{id}/approve"), json!({})).await.refuses(409, "decision_conflict");
    let words = json!({"content": NEW.replace("HS256", "ES256")});
    person.post(&format!("proposals/{id}/edit"), words).await.refuses(409, "decision_conflict");
    assert_eq!(agent.reads(&old).await["state"], "active", "they follow it still");
    person.post(&format!("proposals/{id}/reject"), json!({})).await.expect(200);
}

#[tokio::test]
async fn what_waits_does_not_name_what_not_everybody_sees() {
    let house = House::open().await;
    let (ada, reviewer) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let hers = house.agent_like("coding", json!({"role": "writer", "owner": ada.id})).await;
    let old = ada.remembers_all_of(json!({"content": OLD, "kind": "decision", "visibility": "private"})).await;
    hers.remembers_all_of(json!({"content": NEW, "kind": "decision", "on_conflict": "propose"})).await;
    let waiting = reviewer.lists("proposals").await.remove(0);
    assert!(!waiting.to_string().contains(old["id"].as_str().unwrap()), "{waiting}");
    assert!(waiting["reason"].as_str().unwrap().contains("not everybody sees"), "{waiting}");
}

#[tokio::test]
async fn a_contradiction_that_is_approved_says_whose_place_it_took() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let old = agent.remembers_all_of(json!({"content": OLD, "kind": "decision", "title": "How tokens are signed"})).await;
    let waiting = agent.remembers_all_of(json!({"content": NEW, "kind": "decision", "on_conflict": "propose"})).await;
    let browser = house.browser_of(&person.email).await;
    let id = person.lists("proposals").await[0]["id"].as_str().expect("an id").to_owned();
    let page = browser.opens(&format!("/w/coding/review/{id}")).await.text();
    assert!(page.contains("another decision</a>") && page.contains("it takes the place of what it contradicts"), "{page}");
    let decided = browser.sends(&format!("/w/coding/review/{id}/decide"), &[("decision", "approve")]).await;
    assert!(browser.follows(&decided).await.contains("in place of “How tokens are signed”"));
    let (new, gone) = (agent.reads(&waiting).await, agent.reads(&old).await);
    assert_eq!((&new["supersedes"], &gone["superseded_by"]), (&old["id"], &waiting["id"]));
}

#[tokio::test]
async fn nothing_becomes_a_contradicting_decision_later() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let old = agent.remembers_all_of(json!({"content": OLD, "kind": "decision"})).await;
    let fact = agent.remembers_all_of(json!({"content": NEW, "kind": "fact"})).await;
    agent.patch(&at(&fact), json!({"kind": "decision"})).await.refuses(409, "decision_conflict");
    agent.delete(&at(&old)).await.expect(200);
    agent.patch(&at(&fact), json!({"kind": "decision"})).await.expect(200);
    agent.post(&format!("{}/restore", at(&old)), json!({})).await.refuses(409, "decision_conflict");
    let both = json!({"items": [{"content": "Logs are kept for 30 days.", "kind": "decision"}, {"content": "Logs are kept for 90 days.", "kind": "decision"}]});
    agent.post("memories/batch", both).await.refuses(409, "decision_conflict");
}

/// So many rivals for one thing, each through another door.
async fn rivals(agent: &Actor, reviewer: &Actor, project: &str) -> Vec<Reply> {
    let says = |days: usize| format!("Logs are kept for {days} days.");
    let decision = |days: usize| json!({"content": says(days), "kind": "decision", "project": project});
    // One was decided before and put away, one waits for a person by policy, one is a fact that would be a decision.
    let old = agent.remembers_all_of(decision(10)).await;
    agent.delete(&at(&old)).await.expect(200);
    let first = agent.remembers_all_of(decision(20)).await;
    let waiting = json!({"content": says(30), "kind": "decision", "project": project, "on_conflict": "propose"});
    let waiting = agent.remembers_all_of(waiting).await;
    agent.delete(&at(&first)).await.expect(200);
    let proposal =
        reviewer.lists("proposals?state=open").await.into_iter().find(|one| one["memory_id"] == waiting["id"]).expect("it waits");
    let fact = agent.remembers_all_of(json!({"content": says(40), "project": project})).await;
    let session = agent.post("sessions", json!({"agent_tool": "codex", "project": project})).await.expect(201);
    let checkpoint = json!({"decisions": [says(50)]});
    let asks = vec![
        agent.ask("POST", "memories").json(&decision(70)),
        agent.ask("POST", "memories").header("Idempotency-Key", project).json(&decision(80)),
        agent.ask("POST", "memories/batch").json(&json!({"items": [decision(90)]})),
        agent.ask("POST", &format!("{}/restore", at(&old))),
        agent.ask("PATCH", &at(&fact)).json(&json!({"kind": "decision"})),
        agent.ask("POST", &format!("sessions/{}/checkpoints", id(&session))).json(&checkpoint),
        reviewer.ask("POST", &format!("proposals/{}/approve", id(&proposal))).json(&json!({})),
    ];
    let mut running = JoinSet::new();
    for ask in asks {
        running.spawn(ask.send());
    }
    running.join_all().await
}

fn id(of: &Value) -> &str {
    of["id"].as_str().expect("an id")
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_contradict_each_other_at_the_same_moment_one_stands() {
    let house = House::furnished(|given| given.database_connections = Some("20".to_owned())).await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    for project in ["billing", "search", "gateway", "mailer"] {
        let replies = rivals(&agent, &reviewer, project).await;
        // Whoever approved the one that waited decided against the rest; else it is the first that came.
        let standing = agent.lists(&format!("memories?kind=decision&state=active&project={project}")).await;
        assert_eq!(standing.len(), 1, "{standing:#?}\n{replies:#?}");
        for reply in replies.iter().filter(|reply| reply.status >= 300) {
            // Whoever lost to another at the same row is told to try again, and then of the decision that stands.
            let code = reply.body["code"].as_str().unwrap_or_default();
            assert!(reply.status == 409 && ["decision_conflict", "lost_race"].contains(&code), "{reply:?}");
        }
    }
}

#[tokio::test]
async fn only_a_decision_takes_a_decisions_place() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let decided = agent.remembers_all_of(json!({"content": OLD, "kind": "decision", "subject": "tokens", "tags": ["auth"]})).await;
    let instead = format!("{}/supersede", at(&decided));
    let fact = json!({"content": NEW, "kind": "fact"});
    let named = json!({"content": NEW, "kind": "fact", "supersedes": decided["id"]});
    assert_eq!(agent.post(&instead, fact).await.refuses(422, "invalid").wrong_fields(), ["kind"]);
    assert_eq!(agent.post("memories", named.clone()).await.refuses(422, "invalid").wrong_fields(), ["kind"]);
    let batch = json!({"items": [{"content": "Lunch is at noon."}, named]});
    assert_eq!(agent.post("memories/batch", batch).await.refuses(422, "invalid").wrong_fields(), ["items[1].kind"]);
    assert_eq!(agent.reads(&decided).await["state"], "active");
    let newer = agent.post(&instead, json!({"content": NEW})).await.expect(201);
    assert_eq!((&newer["kind"], &newer["subject"], &newer["tags"]), (&json!("decision"), &json!("tokens"), &json!(["auth"])));
    let about = agent.post(&format!("{}/supersede", at(&newer)), json!({"content": OLD, "subject": "keys"})).await.expect(201);
    assert_eq!(about["subject"], "keys");
}
