//! What an operator relies on: health, figures, a complete API document, HTTPS, limits, and a calm end.

use cairn_tests::{Document, House, Postgres, Role, at, until};
use serde_json::{Value, json};

#[tokio::test]
async fn it_says_whether_it_lives_and_what_it_does() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers("something to count").await;
    agent.get("/v1/nowhere").await.refuses(404, "not_found");
    let anyone = house.stranger();
    assert_eq!(anyone.get("/healthz").await.expect(200), json!({"status": "ok"}));
    assert_eq!(anyone.get("/readyz").await.expect(200), json!({"status": "ready"}));
    let figures = anyone.get("/metrics").await;
    assert!(figures.header("content-type").starts_with("text/plain"));
    let text = figures.text();
    for family in
        ["cairn_requests_total", "cairn_request_seconds_bucket", "cairn_request_seconds_count", "cairn_pool_connections", "cairn_pool_idle"]
    {
        assert!(text.lines().any(|line| line.starts_with(family)), "no {family} in {text}");
    }
    assert!(text.contains(r#"route="/v1/workspaces/{ws}/memories""#) && text.contains(r#"status="201""#), "{text}");
    // A label for every id would grow without bound.
    assert!(!text.contains("nowhere"), "{text}");
}

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let house = House::open().await;
    let anyone = house.stranger();
    let sent = |id: &'static str| anyone.ask("GET", "/v1/me").header("X-Request-Id", id).send();
    assert_eq!(sent("abc-123").await.header("x-request-id"), "abc-123");
    for strange in ["", "has space", "a/b", "x\u{e4}", "0123456789012345678901234567890123456789012345678901234567890123456789"] {
        let id = sent(strange).await.header("x-request-id").to_owned();
        assert!(id != strange && id.len() == 36, "{id}");
    }
    assert_eq!(anyone.get("/healthz").await.header("x-request-id").len(), 36);
}

#[tokio::test]
async fn the_api_document_is_complete() {
    let house = House::open().await;
    let document = Document::read(&house.stranger()).await;
    for operation in document.operations() {
        let (name, said) = (operation.name(), &operation.said);
        for member in ["summary", "operationId"] {
            assert!(said[member].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {member}");
        }
        assert_eq!(said["security"].as_array().is_some_and(|all| !all.is_empty()), operation.access() != "anyone", "{name}: security");
        let responses = said["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2')), "{name} never succeeds");
        for (status, response) in responses {
            assert!(response["description"].as_str().is_some_and(|text| !text.is_empty()), "{name}: {status} is not described");
        }
        if operation.access() != "anyone" {
            assert!(responses.contains_key("401") && responses.contains_key("403"), "{name} does not say that it may refuse");
        }
        if operation.path.contains('{') {
            assert!(responses.contains_key("404"), "{name} does not say that it may find nothing");
        }
        if operation.body.is_some() {
            let wrong: &[&str] = if operation.is_of_the_key() { &["400", "413"] } else { &["400", "413", "415", "422"] };
            for status in wrong {
                assert!(responses.contains_key(*status), "{name} does not say when it answers {status}");
            }
        }
        for parameter in said["parameters"].as_array().into_iter().flatten() {
            assert!(
                parameter["description"].as_str().is_some_and(|text| !text.is_empty()),
                "{name}: {} is not described",
                parameter["name"]
            );
        }
    }
    for (name, schema) in document.schemas() {
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            assert!(is_described(&document, property), "{name}.{field} is not described");
        }
    }
    assert!(document.0["components"]["securitySchemes"].as_object().unwrap().len() >= 2);
    let ids: Vec<_> = document.operations().iter().map(|one| one.said["operationId"].to_string()).collect();
    assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), ids.len(), "operation ids are not unique");
}

fn is_described(document: &Document, property: &Value) -> bool {
    let words = |schema: &Value| schema["description"].as_str().is_some_and(|text| !text.is_empty());
    let referred = |schema: &Value| schema["$ref"].as_str().and_then(|place| document.0.pointer(&place[1..])).is_some_and(words);
    let parts = ["allOf", "oneOf"].iter().filter_map(|way| property[*way].as_array()).flatten();
    words(property) || referred(property) || parts.into_iter().any(|part| words(part) || referred(part))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_finishes_what_is_running() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("first").await;
    let owner = house.owner().clone();
    let mut holding = owner.begin().await.unwrap();
    sqlx::query("select 1 from memories for update").execute(&mut *holding).await.unwrap();
    let change = tokio::spawn({
        let (agent, place) = (agent.clone(), at(&memory));
        async move { agent.patch(&place, json!({"content": "second"})).await }
    });
    let waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    until("the change waits", async || sqlx::query_scalar::<_, i64>(waiting).fetch_one(&owner).await.unwrap() == 1).await;
    let stranger = house.stranger();
    let closing = tokio::spawn(house.close());
    until("nobody new is let in", async || stranger.ask("GET", "/healthz").header("Connection", "close").try_send().await.is_err()).await;
    assert!(!closing.is_finished());
    holding.rollback().await.unwrap();
    assert_eq!(change.await.unwrap().expect(200)["version"], 2);
    closing.await.unwrap();
}

#[tokio::test]
async fn https_needs_no_proxy() {
    let folder = tempfile::TempDir::new().unwrap();
    let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let house = House::furnished(|given| (given.tls_cert, given.tls_key) = (Some(cert), Some(key))).await;
    assert!(house.url.starts_with("https://127.0.0.1:"), "{}", house.url);
    let trusted = reqwest::Certificate::from_pem(made.cert.pem().as_bytes()).unwrap();
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([trusted]).build().unwrap();
    let reply = client.get(format!("{}/healthz", house.url)).send().await.unwrap();
    assert_eq!(reply.status(), 200);
    // Whoever does not know the certificate does not get that far, and plain HTTP gets nothing.
    assert!(house.stranger().ask("GET", "/healthz").try_send().await.is_err());
    let plain = house.url.replace("https", "http");
    assert!(client.get(format!("{plain}/healthz")).send().await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn when_postgres_is_away_it_says_so_and_recovers() {
    let house = House::on(Postgres::own(false).await, |_| {}).await;
    let agent = house.agent("coding", Role::Writer).await;
    let person = house.person("coding", Role::Writer).await;
    house.postgres().crash().await;
    for reply in [
        agent.get("memories").await,
        agent.post("memories", json!({"content": "into the void"})).await,
        person.get("memories").await,
        person.get("/v1/me").await,
        agent.get("/readyz").await,
        house.tries_to_sign_in(&person.email, &person.password).await,
    ] {
        assert!(!reply.refuses(503, "unavailable").header("retry-after").is_empty(), "{reply:?}");
    }
    agent.get("/healthz").await.expect(200);
    house.postgres().start().await;
    until("it answers again", async || agent.get("/readyz").await.status == 200).await;
    agent.remembers("here again").await;
    person.get("/v1/me").await.expect(200);
    let figures = agent.get("/metrics").await.text();
    assert!(figures.contains("cairn_postgres_errors_total"), "{figures}");
}

#[tokio::test]
async fn a_key_that_asks_too_often_is_told_to_wait() {
    let house = House::furnished(|given| given.rate_limit = Some("40/min".to_owned())).await;
    let (eager, calm) = (house.agent("coding", Role::Reader).await, house.agent("coding", Role::Reader).await);
    let mut told = None;
    for _ in 0..60 {
        let reply = eager.get("memories").await;
        if reply.status == 429 {
            told = Some(reply);
            break;
        }
    }
    let told = told.expect("sixty at once are more than forty a minute");
    let wait: u64 = told.refuses(429, "too_many_requests").header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait));
    calm.get("memories").await.expect(200);
}

#[tokio::test]
async fn a_wrong_setting_is_named() {
    for (change, name) in [
        ((|given| given.listen = Some("nowhere".to_owned())) as fn(&mut cairn_server::config::Given), "CAIRN_LISTEN"),
        (|given| given.rate_limit = Some("often".to_owned()), "CAIRN_RATE_LIMIT"),
        (|given| given.rate_limit = Some("1000000001/s".to_owned()), "CAIRN_RATE_LIMIT"),
        (|given| given.database_url = Some("mysql://x".to_owned()), "CAIRN_DATABASE_URL"),
        (|given| given.log_format = Some("xml".to_owned()), "CAIRN_LOG_FORMAT"),
        (
            |given| (given.admin_email, given.admin_password) = (Some("nobody".to_owned()), Some("long enough for anyone".to_owned())),
            "CAIRN_ADMIN_EMAIL",
        ),
        (|given| (given.admin_email, given.admin_password) = (Some("a@b".to_owned()), Some("short".to_owned())), "CAIRN_ADMIN_PASSWORD"),
    ] {
        let mut given = cairn_server::config::Given { data_dir: Some("/tmp".into()), ..Default::default() };
        change(&mut given);
        let why = given.check().map(drop).expect_err(name).to_string();
        assert!(why.contains(name), "{why}");
    }
}

#[tokio::test]
async fn the_document_has_the_words_that_the_server_takes() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let document = agent.get("/openapi.json").await.expect(200);
    let kinds = document["components"]["schemas"]["Kind"]["enum"].as_array().expect("kinds").clone();
    assert_eq!(kinds.len(), 7, "{kinds:?}");
    for kind in kinds {
        let memory = agent.remembers_all_of(json!({"content": format!("of the kind {kind}"), "kind": kind})).await;
        assert_eq!(memory["kind"], kind);
    }
}

#[tokio::test]
async fn the_document_promises_headers_where_they_are_heard() {
    let house = House::open().await;
    let document = Document::read(&house.stranger()).await;
    let mut guarded = Vec::new();
    for operation in document.operations() {
        let (name, said) = (operation.name(), &operation.said);
        let takes = |header: &str| {
            said["parameters"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == header && one["in"] == "header"))
        };
        let answers = |status: &str| said["responses"].get(status).is_some();
        assert_eq!(takes("If-Match"), answers("412"), "{name}: If-Match");
        if takes("If-Match") {
            guarded.push(said["operationId"].as_str().unwrap().to_owned());
        }
        // Who signs in has no name under which an answer could be kept, and who reads needs none.
        if matches!(operation.access(), "anyone" | "reading") {
            assert!(!takes("Idempotency-Key"), "{name} keeps no answers");
        }
        if takes("Idempotency-Key") && !operation.path.starts_with("/v1/memory_stores") {
            assert!(answers("410"), "{name} does not say that what it wrote may be erased");
        }
    }
    guarded.sort();
    assert_eq!(guarded, ["archive_memory", "restore_memory", "revert_memory", "revise_memory", "verify_memory"]);
}

#[tokio::test]
async fn nobody_uses_up_what_a_key_may_ask_without_its_secret() {
    let house = House::furnished(|given| given.rate_limit = Some("40/min".to_owned())).await;
    let agent = house.agent("coding", Role::Reader).await;
    let (id, _) = agent.key.rsplit_once('_').unwrap();
    let guesser = agent.showing(format!("{id}_a-guess"));
    guesser.get("memories").await.refuses(401, "unauthenticated");
    let mut told = guesser.get("memories").await;
    for _ in 0..200 {
        if told.status == 429 {
            break;
        }
        told = guesser.get("memories").await;
    }
    told.refuses(429, "too_many_requests");
    agent.get("memories").await.expect(200);
}
