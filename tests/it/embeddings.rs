//! A model of the operator's choice: its vectors are made in the background and kept, and recall does without it while it is away.

use cairn_server::config::Given;
use cairn_tests::{Actor, Agent, Embedder, House, Mood, Program, Role, SYNONYMS, at, nobody, until};
use serde_json::{Value, json};
use sqlx::{Connection, Executor, PgConnection};

const KEY: &str = "sk-canary-of-a-key";

fn with<'a>(embedder: &'a Embedder, model: &'a str) -> impl FnOnce(&mut Given) + use<'a> {
    move |given| {
        given.embeddings = Some(embedder.url.clone());
        given.embeddings_model = Some(model.to_owned());
        given.embeddings_key = Some(KEY.to_owned());
    }
}

/// Another server on the same database, after it or beside it.
async fn again(house: &House, change: impl FnOnce(&mut Given)) -> House {
    let master_key = house.folder().join("master.key");
    let furnish = |given: &mut Given| {
        given.master_key_file = Some(master_key);
        change(given);
    };
    House::on_database(house.postgres().clone(), house.database().to_owned(), furnish).await.expect("opens")
}

/// Memories that only somebody who knows the invented words can tell apart.
async fn remembers_all(agent: &Actor) -> Vec<Value> {
    let mut memories = Vec::new();
    for [word, _] in SYNONYMS {
        memories.push(agent.remembers(&format!("about the {word}")).await);
    }
    memories
}

async fn asks(agent: &Actor, query: &str) -> Value {
    agent.post("recall", json!({"query": query})).await.expect(200)
}

/// Whether each is found first by the word that means the same.
async fn knows_the_meaning(agent: &Actor, memories: &[Value]) -> bool {
    for ([_, synonym], memory) in SYNONYMS.iter().zip(memories) {
        let told = asks(agent, synonym).await;
        if told.get("notes").is_some() || told["items"][0]["memory_id"] != memory["id"] {
            return false;
        }
    }
    true
}

async fn vectors(house: &House, model: &str) -> i64 {
    house.count(&format!("select count(*) from memory_vectors where model = '{model}' and vectors <> ''")).await
}

/// A house in which the first model's vectors serve.
async fn settled() -> (House, Embedder, Agent, Vec<Value>) {
    let embedder = Embedder::open().await;
    let house = House::furnished(with(&embedder, "first")).await;
    let agent = house.agent("coding", Role::Writer).await;
    let memories = remembers_all(&agent).await;
    until("the meaning is known", async || knows_the_meaning(&agent, &memories).await).await;
    (house, embedder, agent, memories)
}

#[tokio::test]
async fn meaning_is_what_the_chosen_model_says() {
    let (house, embedder, agent, memories) = settled().await;
    assert_eq!(vectors(&house, "first").await, 6);
    assert!(embedder.keys().iter().all(|key| key == &format!("Bearer {KEY}")) && !embedder.keys().is_empty());
    // Verified, labelled, archived: the text is the same, and so are its vectors.
    agent.patch(&at(&memories[0]), json!({"tags": ["seen"]})).await.expect(200);
    agent.delete(&at(&memories[1])).await.expect(200);
    assert_eq!(asks(&agent, "quimmel").await["items"][0]["memory_id"], memories[0]["id"]);
    // Another text has other vectors.
    agent.revises(&memories[2], json!({"content": "about the zorblat and nothing else", "title": "changed"})).await;
    agent.revises(&memories[3], json!({"content": "about the tarvish now", "title": "changed"})).await;
    until("the new text is known", async || asks(&agent, "gloamer").await["items"][0]["memory_id"] == memories[3]["id"]).await;
    for text in ["about the zorblat", "about the fendrick", "about the plinket", "about the tarvish now"] {
        let expected = if text == "about the zorblat" { 2 } else { 1 };
        assert_eq!(embedder.times_sent("first", text), expected, "{text}");
    }
    assert_eq!(house.count("select count(*) from memory_vectors").await, 6);
}

#[tokio::test]
async fn a_memory_that_was_just_written_is_found_by_its_words() {
    let (_house, embedder, agent, _) = settled().await;
    // Only questions are answered from now on.
    let written = agent.remembers("indigestible unbeknownst").await;
    let told = asks(&agent, "unbeknownst").await;
    assert_eq!((&told["items"][0]["memory_id"], told.get("notes")), (&written["id"], None));
    // A text that the model refuses holds up no other one.
    let next = agent.remembers("about zorblat and fendrick").await;
    until("the next has its vectors", async || asks(&agent, "mossop quimmel").await["items"][0]["memory_id"] == next["id"]).await;
    assert!(embedder.times_sent("first", "a text that no model refuses") > 0);
}

#[tokio::test]
async fn vectors_outlive_the_server() {
    let (mut house, embedder, agent, memories) = settled().await;
    house.shut().await;
    let house = again(&house, with(&embedder, "first")).await;
    let agent = agent.living_at(&house.url);
    assert!(knows_the_meaning(&agent, &memories).await, "the index did not take what was kept");
    let new = agent.remembers("about the zorblat of the fendrick").await;
    until("the new one is known", async || asks(&agent, "quimmel mossop").await["items"][0]["memory_id"] == new["id"]).await;
    for [word, _] in SYNONYMS.iter().skip(2) {
        assert_eq!(embedder.times_sent("first", &format!("about the {word}")), 1, "{word}");
    }
}

macro_rules! recall_goes_on_and_says_so {
    ($($when:ident: $mood:expr,)*) => { $(
        #[tokio::test]
        async fn $when() {
            goes_on_and_says_so($mood).await;
        }
    )* };
}
recall_goes_on_and_says_so! {
    when_it_answers_with_an_error: Mood::Says(500),
    when_it_refuses_the_key: Mood::Says(401),
    when_it_does_not_answer: Mood::Silent,
    when_it_answers_with_a_page: Mood::NotJson,
    when_it_answers_with_too_little: Mood::TooFew,
    when_it_answers_with_what_is_no_number: Mood::NotANumber,
    when_it_answers_with_other_lengths: Mood::OtherLength,
}

async fn goes_on_and_says_so(mood: Mood) {
    let (_house, embedder, agent, memories) = settled().await;
    embedder.is("first", mood);
    let told = asks(&agent, "about the zorblat").await;
    let note = told["notes"][0].as_str().unwrap_or_else(|| panic!("{told}"));
    assert!(note.starts_with("Found by words only: the embeddings endpoint") && !note.contains("your key"), "{note}");
    assert_eq!(told["items"][0]["memory_id"], memories[0]["id"]);
    let written = agent.remembers("written while it was away, about tarvish and fendrick").await;
    assert_eq!(asks(&agent, "written").await["items"][0]["memory_id"], written["id"]);
    embedder.is("first", Mood::Fine);
    until("what was written has its vectors", async || {
        let told = asks(&agent, "gloamer mossop").await;
        told.get("notes").is_none() && told["items"][0]["memory_id"] == written["id"]
    })
    .await;
}

#[tokio::test]
async fn nobody_waits_for_an_endpoint_that_is_away() {
    let (_house, embedder, agent, _) = settled().await;
    embedder.is("first", Mood::Silent);
    asks(&agent, "zorblat").await;
    let before = embedder.requests();
    for _ in 0..20 {
        assert!(asks(&agent, "zorblat").await.get("notes").is_some());
    }
    // One in a while looks whether it is back.
    assert!(embedder.requests() < before + 10, "{} requests", embedder.requests() - before);
}

#[tokio::test]
async fn the_model_before_serves_until_the_next_is_complete() {
    let (mut house, embedder, agent, memories) = settled().await;
    house.shut().await;
    embedder.is("second", Mood::Says(503));
    let house = again(&house, with(&embedder, "second")).await;
    let agent = agent.living_at(&house.url);
    assert!(knows_the_meaning(&agent, &memories).await, "the first model does not serve any more");
    until("the second is tried", async || embedder.times_sent("second", "about the zorblat") > 0).await;
    assert_eq!((vectors(&house, "first").await, vectors(&house, "second").await), (6, 0));
    // An endpoint that no longer has the first model leaves the words.
    embedder.is("first", Mood::Says(404));
    let told = asks(&agent, "about the zorblat").await;
    assert!(told["notes"][0].as_str().is_some_and(|note| note.contains("first") && note.contains("second")), "{told}");
    assert_eq!(told["items"][0]["memory_id"], memories[0]["id"]);
    embedder.is("second", Mood::Fine);
    until("the second serves", async || knows_the_meaning(&agent, &memories).await).await;
    assert!(embedder.times_sent("second", SYNONYMS[0][1]) > 0);
    until("the first is gone", async || house.count("select count(*) from embedding_generations").await == 1).await;
    assert_eq!((vectors(&house, "first").await, vectors(&house, "second").await), (0, 6));
}

#[tokio::test]
async fn the_builtin_model_serves_until_the_first_is_complete() {
    let embedder = Embedder::open().await;
    embedder.is("first", Mood::Says(503));
    let house = House::furnished(with(&embedder, "first")).await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers("The automobile stands in the garage.").await;
    let told = asks(&agent, "where is the car").await;
    assert!(told["items"][0]["why"]["semantic"].as_f64().unwrap() > 0.0 && told.get("notes").is_none(), "{told}");
    embedder.is("first", Mood::Fine);
    let memories = remembers_all(&agent).await;
    until("the first serves", async || knows_the_meaning(&agent, &memories).await).await;
}

#[tokio::test]
async fn one_of_two_servers_makes_the_vectors_and_both_have_them() {
    let embedder = Embedder::open().await;
    let house = House::furnished(with(&embedder, "first")).await;
    let other = again(&house, with(&embedder, "first")).await;
    let here = house.agent("coding", Role::Writer).await;
    let there = here.living_at(&other.url);
    let memories = remembers_all(&there).await;
    for actor in [&*here, &there] {
        until("the meaning is known", async || knows_the_meaning(actor, &memories).await).await;
    }
    for [word, _] in SYNONYMS {
        assert_eq!(embedder.times_sent("first", &format!("about the {word}")), 1, "{word}");
    }
}

#[tokio::test]
async fn words_only_is_a_choice_and_no_news() {
    let house = House::furnished(|given| given.embeddings = Some("off".to_owned())).await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("The automobile stands in the garage.").await;
    let told = asks(&agent, "the garage").await;
    assert_eq!((&told["items"][0]["memory_id"], told.get("notes")), (&memory["id"], None));
    assert!(told["items"][0]["why"]["semantic"].as_f64().is_none_or(|part| part == 0.0), "{told}");
}

#[tokio::test]
async fn erasing_leaves_no_vector() {
    let (house, embedder, agent, memories) = settled().await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    let of = |memory: &Value| format!("select count(*) from memory_vectors where memory_id = {}", memory["id"]).replace('"', "'");
    let request = agent.asks_to_erase(&[&memories[0]], "a wish").await;
    reviewer.approves(&request).await.expect(200);
    assert_eq!(reviewer.executes(&request).await.expect(200)["counts"]["memory_vectors"], 1);
    assert_eq!(house.count(&of(&memories[0])).await, 0);
    // Nor one that was being made meanwhile.
    embedder.is("first", Mood::Silent);
    let doomed = agent.remembers("about a doomed zorblat").await;
    until("it is sent", async || embedder.times_sent("first", "doomed") > 0).await;
    let request = agent.asks_to_erase(&[&doomed], "a wish").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);
    let id = doomed["id"].as_str().unwrap();
    let late = format!(
        "insert into memory_vectors (workspace_id, memory_id, model, text_mark, dimensions, vectors) select workspace_id, '{id}', model, text_mark, dimensions, vectors from memory_vectors limit 1"
    );
    let refused = house.owner().execute(sqlx::AssertSqlSafe(late)).await.unwrap_err();
    assert_eq!(refused.as_database_error().and_then(sqlx::error::DatabaseError::constraint), Some("memory_vectors_memory"));
}

#[tokio::test]
async fn vectors_are_behind_the_wall() {
    let (house, _embedder, agent, _) = settled().await;
    let coding = house.workspace("coding").await;
    let owner = house.person("coding", Role::Writer).await;
    owner.remembers_all_of(json!({"content": "a private zorblat", "visibility": "private"})).await;
    agent.remembers_all_of(json!({"content": "a walled zorblat", "project": "elsewhere"})).await;
    until("all have vectors", async || vectors(&house, "first").await == 8).await;
    let count = "select count(*) from memory_vectors";
    for (mut conn, seen) in [
        (house.as_app().await, 0),
        (house.standing_in(nobody(), None, None).await, 0),
        (house.standing_in(coding, None, None).await, 7),
        (house.standing_in(coding, Some(owner.id), None).await, 8),
        (house.standing_in(coding, None, Some("here")).await, 6),
    ] {
        assert_eq!(sqlx::query_scalar::<_, i64>(count).fetch_one(&mut conn).await.unwrap(), seen);
    }
    for (workspace, seen) in [(nobody(), 0), (coding, 8)] {
        let mut conn = PgConnection::connect(&house.postgres().login_url(house.database())).await.unwrap();
        conn.execute(sqlx::AssertSqlSafe(format!("begin; select enter_index('{workspace}')"))).await.unwrap();
        assert_eq!(sqlx::query_scalar::<_, i64>(count).fetch_one(&mut conn).await.unwrap(), seen);
        let elsewhere = format!("insert into embedding_generations (workspace_id, model) values ('{}', 'x')", nobody());
        let refused = conn.execute(sqlx::AssertSqlSafe(elsewhere)).await.unwrap_err();
        assert_eq!(refused.as_database_error().and_then(sqlx::error::DatabaseError::code).as_deref(), Some("42501"));
    }
}

#[tokio::test]
async fn neither_the_key_nor_a_text_is_in_the_log() {
    let embedder = Embedder::open().await;
    let mut house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    house.shut().await;
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    let settings = [
        ("CAIRN_DATABASE_URL", app.as_str()),
        ("CAIRN_MIGRATION_DATABASE_URL", &owner),
        ("CAIRN_EMBEDDINGS", &embedder.url),
        ("CAIRN_EMBEDDINGS_MODEL", "first"),
        ("CAIRN_EMBEDDINGS_KEY", KEY),
        ("CAIRN_LOG", "trace,sqlx=warn"),
    ];
    let program = Program::serve(Program::free_port(), house.folder(), &settings).await;
    let agent = agent.living_at(&program.url);
    let memories = remembers_all(&agent).await;
    until("the meaning is known", async || knows_the_meaning(&agent, &memories).await).await;
    embedder.is("first", Mood::Says(401));
    assert!(asks(&agent, "zorblat").await.get("notes").is_some());
    program.stop().await;
    let log = std::fs::read_to_string(house.folder().join("server.log")).unwrap();
    assert!(log.contains("CAIRN_EMBEDDINGS_KEY") && log.contains("vectors are complete"), "nothing is said of it");
    for hidden in ["canary", "your key", "zorblat"] {
        let shown: Vec<_> = log.lines().filter(|line| line.contains(hidden)).collect();
        assert!(shown.is_empty(), "{shown:#?}");
    }
}
