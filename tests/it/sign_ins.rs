//! Signing in: tokens that rotate, passwords that cannot be guessed, links that work once, and tokens that are ours.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use cairn_server::model::{AgentId, KeyId};
use cairn_tests::{Actor, House, PASSWORD, Role};
use serde_json::{Value, json};

fn text<'a>(body: &'a Value, name: &str) -> &'a str {
    body[name].as_str().unwrap_or_else(|| panic!("no {name}: {body}"))
}

#[tokio::test]
async fn a_right_password_opens_and_every_wrong_one_sounds_alike() {
    let house = House::open().await;
    let email = house.account().await;
    let tokens = house.tries_to_sign_in(&email.to_uppercase(), PASSWORD).await;
    assert_eq!(tokens.header("cache-control"), "no-store");
    let tokens = tokens.expect(200);
    assert_eq!(tokens["token_type"], "Bearer");
    assert!(tokens["expires_in"].as_i64().unwrap() > 0);
    let me = house.stranger().showing(text(&tokens, "access_token")).get("/v1/me").await.expect(200);
    assert_eq!((&me["email"], &me["actor"]["type"]), (&json!(email), &json!("person")));
    let (wrong, unknown) =
        (house.tries_to_sign_in(&email, "not the password").await, house.tries_to_sign_in("nobody@example.org", PASSWORD).await);
    assert_eq!(wrong.refuses(401, "unauthenticated").but_for_the_request(), unknown.but_for_the_request());
}

#[tokio::test]
async fn a_refresh_token_works_once_and_its_reuse_ends_everything() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    let other = house.sign_in(&person.email, "coding").await;
    let refresh = async |token: &str| house.stranger().post("/v1/auth/refresh", json!({"refresh_token": token})).await;
    let second = refresh(&person.refresh_token).await.expect(200);
    let third = refresh(text(&second, "refresh_token")).await.expect(200);
    let latest = person.showing(text(&third, "access_token"));
    latest.get("memories").await.expect(200);
    // Somebody has a copy of the first.
    refresh(&person.refresh_token).await.refuses(401, "unauthenticated");
    refresh(text(&third, "refresh_token")).await.refuses(401, "unauthenticated");
    latest.get("memories").await.refuses(401, "unauthenticated");
    person.get("memories").await.refuses(401, "unauthenticated");
    // Another sign-in of the same person is another family.
    other.get("memories").await.expect(200);
    for forged in ["", "x", "0197a6a83f0c7d70a2c10d3b1c9be7aa.0.AAAA", &format!("{}x", other.refresh_token)] {
        refresh(forged).await.refuses(401, "unauthenticated");
    }
    refresh(&other.refresh_token).await.expect(200);
    let told = house.admin().await.lists("/v1/audit?action=person.refresh_token_reused").await;
    assert_eq!(told.len(), 1, "{told:?}");
}

#[tokio::test]
async fn signing_out_ends_the_sign_in_at_once() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    let other = house.sign_in(&person.email, "coding").await;
    assert_eq!(person.ask("POST", "/v1/auth/logout").send().await.status, 204);
    person.get("/v1/me").await.refuses(401, "unauthenticated");
    house.stranger().post("/v1/auth/refresh", json!({"refresh_token": person.refresh_token})).await.refuses(401, "unauthenticated");
    other.get("/v1/me").await.expect(200);
}

#[tokio::test]
async fn a_refresh_token_alone_ends_its_sign_in() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    let other = house.sign_in(&person.email, "coding").await;
    let stranger = house.stranger();
    let signs_out = async |who: &Actor, token: &str| who.post("/v1/auth/logout", json!({"refresh_token": token})).await;
    assert_eq!(signs_out(&stranger, &person.refresh_token).await.status, 204);
    person.get("/v1/me").await.refuses(401, "unauthenticated");
    stranger.post("/v1/auth/refresh", json!({"refresh_token": person.refresh_token})).await.refuses(401, "unauthenticated");
    let told = house.admin().await.lists("/v1/audit?action=person.signed_out").await;
    assert_eq!((told.len(), &told[0]["target"]["id"]), (1, &json!(person.id)), "{told:?}");
    for nothing in [person.refresh_token.as_str(), "x", &format!("{}x", other.refresh_token)] {
        signs_out(&stranger, nothing).await.refuses(401, "unauthenticated");
    }
    stranger.post("/v1/auth/logout", json!({})).await.refuses(401, "unauthenticated");
    other.get("/v1/me").await.expect(200);
    // What the request was made with has run out; the token beside it has not.
    assert_eq!(signs_out(&person, &other.refresh_token).await.status, 204);
    other.get("/v1/me").await.refuses(401, "unauthenticated");
    // An agent has no sign-in, and ends none by another's.
    let agent = house.agent("coding", Role::Admin).await;
    let third = house.sign_in(&person.email, "coding").await;
    signs_out(&agent, &third.refresh_token).await.refuses(403, "person_required");
    third.get("/v1/me").await.expect(200);
}

#[tokio::test]
async fn one_sees_and_ends_ones_own_sign_ins() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    let other = house.sign_in(&person.email, "coding").await;
    let stranger = house.person("coding", Role::Admin).await;
    let logins = person.lists("/v1/me/logins").await;
    assert_eq!(logins.len(), 2, "{logins:?}");
    let theirs = logins.iter().find(|login| login["current"] == false).unwrap();
    let place = format!("/v1/me/logins/{}", text(theirs, "id"));
    stranger.delete(&place).await.refuses(404, "not_found");
    assert_eq!(person.delete(&place).await.status, 204);
    other.get("/v1/me").await.refuses(401, "unauthenticated");
    person.delete(&place).await.refuses(404, "not_found");
    assert_eq!(person.lists("/v1/me/logins").await.len(), 1);
}

#[tokio::test]
async fn a_new_password_ends_the_other_sign_ins() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    let other = house.sign_in(&person.email, "coding").await;
    let change = |current: &str, new: &str| person.put("/v1/me/password", json!({"current_password": current, "new_password": new}));
    assert_eq!(change("not mine at all", "another long password").await.refuses(422, "invalid").wrong_fields(), ["current_password"]);
    assert_eq!(change(PASSWORD, "short").await.refuses(422, "invalid").wrong_fields(), ["new_password"]);
    assert_eq!(change(PASSWORD, "another long password").await.status, 204);
    person.get("/v1/me").await.expect(200);
    other.get("/v1/me").await.refuses(401, "unauthenticated");
    house.tries_to_sign_in(&person.email, PASSWORD).await.refuses(401, "unauthenticated");
    house.tries_to_sign_in(&person.email, "another long password").await.expect(200);
}

#[tokio::test]
async fn guessing_is_slowed_down() {
    let house = House::open().await;
    let email = house.account().await;
    for _ in 0..5 {
        house.tries_to_sign_in(&email, "a wrong password").await.refuses(401, "unauthenticated");
    }
    // The right one has to wait as well, or it could be told from the wrong ones.
    for password in ["a wrong password", PASSWORD] {
        let told = house.tries_to_sign_in(&email, password).await;
        let wait: u64 = told.refuses(429, "too_many_requests").header("retry-after").parse().unwrap();
        assert!(wait >= 1);
    }
    let failures = house.admin().await;
    assert_eq!(failures.get("/v1/me").await.status, 200, "who is in stays in");
}

#[tokio::test]
async fn a_flood_of_guesses_is_counted_one_by_one() {
    let house = House::open().await;
    let email = house.account().await;
    let mut flood = tokio::task::JoinSet::new();
    for n in 0..24 {
        let (stranger, email) = (house.stranger(), email.clone());
        flood.spawn(async move {
            stranger.post("/v1/auth/login", json!({"email": email, "password": format!("guess number {n}")})).await.status
        });
    }
    let answers = flood.join_all().await;
    assert!(answers.iter().filter(|status| **status == 401).count() <= 6, "{answers:?}");
    assert!(answers.iter().all(|status| matches!(status, 401 | 429)), "{answers:?}");
}

#[tokio::test]
async fn an_invitation_works_once() {
    let house = House::open().await;
    house.workspace("coding").await;
    let admin = house.admin().await;
    let invited = admin.post("members", json!({"email": "new@example.org", "role": "writer"})).await.expect(201);
    let link = text(&invited, "invitation");
    assert!(link.starts_with(&house.url), "{link}");
    let token = link.rsplit('/').next().unwrap();
    let redeem = async |password: &str| {
        house.stranger().post(&format!("/v1/auth/links/{token}"), json!({"password": password, "name": "Newcomer"})).await
    };
    redeem("short").await.refuses(422, "invalid");
    let tokens = redeem(PASSWORD).await.expect(200);
    house.stranger().showing(text(&tokens, "access_token")).remembers("my first memory").await;
    redeem("yet another password").await.refuses(404, "not_found");
    house.tries_to_sign_in("new@example.org", PASSWORD).await.expect(200);
    house.stranger().post("/v1/auth/links/x", json!({"password": PASSWORD})).await.refuses(404, "not_found");
    assert!(!house.dump().await.contains(token), "the link lies in the database");
    // Somebody who is there gets no link: it would open all their workspaces to whoever invites them.
    let known = house.account().await;
    let joined = admin.post("members", json!({"email": known, "role": "reader"})).await.expect(201);
    assert!(joined.get("invitation").is_none_or(Value::is_null), "{joined}");
}

#[tokio::test]
async fn signing_keys_change_without_ending_tokens() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let token = async || text(&agent.ask("POST", "/v1/auth/token").send().await.expect(200), "access_token").to_owned();
    let keys = async || house.stranger().get("/.well-known/jwks.json").await.expect(200)["keys"].as_array().unwrap().clone();
    let (old, before) = (token().await, keys().await);
    house.app().tokens().rotate(house.app().db(), 0.0).await.unwrap();
    let (new, after) = (token().await, keys().await);
    assert_eq!(after.len(), before.len() + 1);
    assert_ne!(kid(&old), kid(&new));
    for token in [&old, &new] {
        agent.showing(token.as_str()).get("memories").await.expect(200);
        assert!(after.iter().any(|key| key["kid"] == kid(token).as_str() && key["alg"] == "EdDSA" && key.get("d").is_none()), "{after:?}");
    }
}

fn kid(token: &str) -> String {
    part(token, 0)["kid"].as_str().expect("a kid").to_owned()
}

fn part(token: &str, n: usize) -> Value {
    let part = token.split('.').nth(n).and_then(|part| BASE64_URL_SAFE_NO_PAD.decode(part).ok());
    serde_json::from_slice(&part.expect("three parts")).expect("JSON")
}

#[tokio::test]
async fn tokens_that_are_not_ours_do_not_hold() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reader).await;
    let good = text(&agent.ask("POST", "/v1/auth/token").send().await.expect(200), "access_token").to_owned();
    agent.showing(&good).get("memories").await.expect(200);
    let [header, claims, signature] = good.split('.').collect::<Vec<_>>()[..] else { panic!("{good}") };
    let encode = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let mut promoted = part(&good, 1);
    promoted["role"] = json!("admin");
    let none = |alg: &str| encode(&json!({"alg": alg, "typ": "JWT", "kid": kid(&good)}));
    // The public key taken for a shared secret: the oldest trick there is.
    let public = house.stranger().get("/.well-known/jwks.json").await.body["keys"][0]["x"].as_str().unwrap().to_owned();
    let confused = jsonwebtoken::Header { kid: Some(kid(&good)), ..jsonwebtoken::Header::new(jsonwebtoken::Algorithm::HS256) };
    let confused = jsonwebtoken::encode(
        &confused,
        &promoted,
        &jsonwebtoken::EncodingKey::from_secret(&BASE64_URL_SAFE_NO_PAD.decode(public).unwrap()),
    )
    .unwrap();
    let elsewhere = House::open().await;
    let foreign = elsewhere.agent("coding", Role::Admin).await.ask("POST", "/v1/auth/token").send().await.expect(200);
    let expired = house.app().tokens().for_agent(AgentId(agent.id), -1, KeyId(agent.key_id), Role::Reader, None).unwrap();
    let wider = house.app().tokens().for_agent(AgentId(agent.id), 60, KeyId(agent.key_id), Role::Admin, None).unwrap();
    for (what, token) in [
        ("promoted", format!("{header}.{}.{signature}", encode(&promoted))),
        ("alg none", format!("{}.{claims}.", none("none"))),
        ("alg None", format!("{}.{claims}.{signature}", none("None"))),
        ("unsigned", format!("{header}.{claims}.")),
        ("another kid", format!("{}.{claims}.{signature}", encode(&json!({"alg": "EdDSA", "kid": cairn_tests::nobody()})))),
        ("no kid", format!("{}.{claims}.{signature}", encode(&json!({"alg": "EdDSA"})))),
        ("confused", confused),
        ("foreign", text(&foreign, "access_token").to_owned()),
        ("expired", expired),
        ("wider than its key", wider),
        ("cut", good[..good.len() - 4].to_owned()),
        ("nonsense", "a.b.c".to_owned()),
    ] {
        agent.showing(token).get("memories").await.refuses(401, "unauthenticated");
        println!("{what} does not hold");
    }
}

#[tokio::test]
async fn sign_ins_that_ended_long_ago_are_forgotten() {
    let house = House::open().await;
    let person = house.person("coding", Role::Reader).await;
    for _ in 0..3 {
        house.sign_in(&person.email, "coding").await;
    }
    let mut logins: Vec<String> =
        person.lists("/v1/me/logins").await.iter().map(|login| login["id"].as_str().expect("an id").to_owned()).collect();
    logins.sort();
    for (login, change) in logins.iter().zip([
        "last_used_at = now()",
        "ended_at = now() - interval '91 days'",
        "ended_at = now() - interval '89 days'",
        "expires_at = now() - interval '91 days'",
    ]) {
        let sql = sqlx::AssertSqlSafe(format!("update logins set {change} where id = '{login}'"));
        sqlx::query(sql).execute(house.owner()).await.unwrap();
    }
    cairn_server::store::logins::forget_the_past(house.app().db()).await.unwrap();
    let sql = sqlx::AssertSqlSafe(format!("select id::text from logins where person_id = '{}' order by id", person.id));
    let kept: Vec<String> = sqlx::query_scalar(sql).fetch_all(house.owner()).await.unwrap();
    assert_eq!(kept, [logins[0].clone(), logins[2].clone()]);
    person.get("/v1/me").await.expect(200);
}
