//! Pages on which a workspace and an instance are run: what is shown once is shown once, and what destroys is confirmed.

use cairn_tests::{Browser, House, Person, Role, at};
use serde_json::{Value, json};

async fn office() -> (House, Person, Browser) {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    let browser = house.browser_of(&admin.email).await;
    (house, admin, browser)
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let found = text.split(start).nth(1).and_then(|rest| rest.split(end).next());
    found.unwrap_or_else(|| panic!("{start} is not in {text}"))
}

#[tokio::test]
async fn a_key_is_shown_once_works_and_stops() {
    let (house, admin, browser) = office().await;
    let made = browser.sends("/w/coding/agents", &[("name", "builder"), ("role", "writer")]).await;
    let agent = made.header("location").to_owned();
    assert!(browser.follows(&made).await.contains("No key yet"));
    let shown = browser.sends(&format!("{agent}/keys"), &[("days", "30")]).await;
    assert_eq!((shown.status, shown.header("cache-control")), (200, "no-store"));
    let key = between(&shown.text(), "id=\"new-key\" tabindex=\"0\"><code>", "</code>").to_owned();
    assert!(key.starts_with("cairn_"), "{key}");
    let page = browser.opens(&agent).await.text();
    assert!(!page.contains(&key) && page.contains("holds"), "it is shown once");
    let loaded_again = browser.opens(&format!("{agent}/keys")).await;
    assert_eq!((loaded_again.status, loaded_again.header("location")), (303, agent.as_str()));
    let call = async |key: &str| {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        http.get(format!("{}/v1/me", house.url)).bearer_auth(key).send().await.unwrap().status()
    };
    assert_eq!(call(&key).await, 200);
    let revoke = format!("{agent}/keys/{}", between(&page, "/keys/", "\""));
    let revoked = browser.sends(&revoke, &[]).await;
    assert!(browser.follows(&revoked).await.contains("Revoked"));
    assert_eq!(call(&key).await, 401);
    let gone = browser.sends(&format!("{agent}/delete"), &[]).await;
    assert!(!browser.follows(&gone).await.contains("builder</bdi></a>"));
    assert!(admin.lists("agents").await.iter().all(|one| one["name"] != "builder"));
}

#[tokio::test]
async fn somebody_new_gets_a_link_and_roles_change() {
    let (house, admin, browser) = office().await;
    let shown = browser.sends("/w/coding/members", &[("email", "new@example.org"), ("name", "Nora New"), ("role", "reader")]).await;
    let link = between(&shown.text(), "id=\"link\" tabindex=\"0\"><code>", "</code>").to_owned();
    assert!(link.starts_with(&house.url) && link.contains("/invitations/"), "{link}");
    assert!(!browser.opens("/w/coding/members").await.text().contains("/invitations/"));
    let nora = admin.lists("members").await.into_iter().find(|one| one["email"] == "new@example.org").expect("she is in");
    let id = nora["user_id"].as_str().or(nora["id"].as_str()).expect("an id").to_owned();
    let changed = browser.sends(&format!("/w/coding/members/{id}/role"), &[("role", "reviewer")]).await;
    assert!(browser.follows(&changed).await.contains("Nora New is reviewer now."));
    let removed = browser.sends(&format!("/w/coding/members/{id}/remove"), &[]).await;
    assert!(browser.follows(&removed).await.contains("Removed"));
}

#[tokio::test]
async fn settings_are_saved_and_a_workspace_ends_only_by_its_name() {
    let (_house, admin, browser) = office().await;
    let all = [
        ("name", "Coding"),
        ("purpose", "What we know"),
        ("review_threshold", "0.4"),
        ("capture_policy", "auto"),
        ("secret_policy", "reject"),
        ("dream_mode", "off"),
    ];
    let saved = browser.sends("/w/coding/settings", &all).await;
    assert!(browser.follows(&saved).await.contains("Saved."));
    let settings = admin.get("/v1/workspaces/coding").await.expect(200)["settings"].clone();
    assert_eq!((&settings["secret_policy"], &settings["dream_mode"]), (&json!("reject"), &json!("off")));
    assert_eq!(settings["default_stale_after_days"], json!(null), "an empty field is never");
    let wrong = browser.sends("/w/coding/settings/policies", &[("fact.review_threshold", "sometimes")]).await;
    assert!(browser.follows(&wrong).await.contains("always, never or a number"));
    let saved = browser.sends("/w/coding/settings/policies", &[("fact.review_threshold", "always")]).await;
    assert!(browser.follows(&saved).await.contains("Saved."));
    let kept = browser.sends("/w/coding/settings/end", &[("slug", "another")]).await;
    assert!(browser.follows(&kept).await.contains("Nothing was done"));
    let ended = browser.sends("/w/coding/settings/end", &[("slug", "coding")]).await;
    assert_eq!(ended.header("location"), "/workspaces");
    assert_eq!(browser.opens("/w/coding/settings").await.status, 404);
}

#[tokio::test]
async fn retention_is_tried_before_it_is_saved() {
    let (_house, admin, browser) = office().await;
    let memory = admin.remembers("Old news.").await;
    admin.ask("DELETE", &at(&memory)).send().await.expect(200);
    let tried = browser.opens("/w/coding/retention?try=yes&days=30&kind.fact=never").await;
    assert!(tried.text().contains("nothing is saved yet") && tried.text().contains("Save these rules"), "{tried:?}");
    assert_eq!(admin.get("/v1/workspaces/coding").await.expect(200)["settings"]["retention_days"], json!(null));
    let saved = browser.sends("/w/coding/retention", &[("days", "30"), ("kind.fact", "never")]).await;
    assert!(browser.follows(&saved).await.contains("Saved."));
    let settings = admin.get("/v1/workspaces/coding").await.expect(200)["settings"].clone();
    assert_eq!((&settings["retention_days"], &settings["policies"]["fact"]["retention_days"]), (&json!(30), &json!(null)));
    let misheard = browser.opens("/w/coding/retention?try=yes&days=soon").await;
    assert!(misheard.text().contains("must be a number") && !misheard.text().contains("Save these rules"));
}

#[tokio::test]
async fn a_hold_is_placed_and_lifted_and_deletion_is_asked_for() {
    let (house, admin, browser) = office().await;
    let memory = admin.remembers("Customer 4711 likes tea.").await;
    let id = memory["id"].as_str().unwrap();
    let unclear = browser.sends("/w/coding/holds", &[("memory_ids", "that one"), ("reason", "Case 118")]).await;
    assert!(unclear.status == 200 && unclear.text().contains("is not an id") && unclear.text().contains("Case 118"), "{unclear:?}");
    let placed = browser.sends("/w/coding/holds", &[("memory_ids", id), ("reason", "Case 118")]).await;
    let page = browser.follows(&placed).await;
    assert!(page.contains("Case 118") && page.contains("1 memory"), "{page}");
    let asked = browser.sends("/w/coding/deletion-requests", &[("memory_ids", id), ("reason", "She asked.")]).await;
    let request = browser.follows(&asked).await;
    assert!(request.contains("Customer 4711 likes tea.") && request.contains("blocked"), "{request}");
    let nothing = browser.sends("/w/coding/deletion-requests", &[("reason", "She asked.")]).await;
    assert!(nothing.status == 200 && nothing.text().contains("Name what has to go"), "{nothing:?}");
    let lift = format!("/w/coding/holds/{}", between(&page, "/w/coding/holds/", "\""));
    let lifted = browser.sends(&lift, &[]).await;
    assert!(browser.follows(&lifted).await.contains("Nothing is on hold"));
    drop(house);
}

#[tokio::test]
async fn whoever_approves_turns_over_the_pages_of_a_long_list() {
    let (house, admin, browser) = office().await;
    let items: Vec<Value> = (0..210).map(|n| json!({"content": format!("zorblat note {n}"), "kind": "episode"})).collect();
    admin.post("memories/batch", json!({"items": items})).await.expect(200);
    let request = admin.wants_erased(json!({"query": "zorblat", "reason": "a wish"})).await;
    let place = format!("/w/coding/deletion-requests/{}", request["id"].as_str().expect("an id"));
    let shown = browser.opens(&place).await.text();
    assert!(shown.contains(&format!("{place}/items")) && shown.contains("10 more"), "{shown}");
    let (mut path, mut read) = (format!("{place}/items"), 0);
    loop {
        let page = browser.opens(&path).await.text();
        read += page.matches("zorblat note").count();
        if !page.contains("rel=\"next\"") {
            break;
        }
        path = format!("{place}/items{}", between(&page, &format!("rel=\"next\" href=\"{place}/items"), "\"").replace("&amp;", "&"));
    }
    assert_eq!(read, 210);
    assert_eq!(browser.opens(&format!("{place}/items?show=copies")).await.status, 200);
    drop(house);
}

#[tokio::test]
async fn the_trail_is_verified_on_its_page() {
    let (house, admin, browser) = office().await;
    admin.remembers("Fridays are frozen.").await;
    for _ in 0..50 {
        let verified = browser.sends("/w/coding/trail/verify", &[]).await;
        let page = browser.follows(&verified).await;
        assert!(!page.contains("does not hold"), "{page}");
        if page.contains("sealed entries are what they were") && !page.contains("All 0 sealed") {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    drop(house);
    panic!("the trail was never sealed and verified");
}

#[tokio::test]
async fn one_signs_out_everywhere() {
    let (house, admin, browser) = office().await;
    let other = house.browser_of(&admin.email).await;
    let page = other.opens("/account").await;
    assert!(page.status == 200 && page.text().contains("this one"), "{page:?}");
    let out = browser.sends("/account/sign-out-everywhere", &[]).await;
    assert_eq!(out.header("location"), "/sign-in");
    for one in [&browser, &other] {
        assert!(one.opens("/account").await.header("location").starts_with("/sign-in"));
    }
}

#[tokio::test]
async fn the_instance_is_for_those_who_run_it() {
    let (house, _, browser) = office().await;
    for page in ["/instance", "/instance/workspaces", "/instance/people"] {
        assert_eq!(browser.opens(page).await.status, 403, "{page}");
    }
    let keeper = house.browser_of(&house.admin().await.email).await;
    let page = keeper.opens("/instance").await;
    assert!(page.text().contains("Sealing") && page.text().contains("answers in"), "{page:?}");
    let made = keeper.sends("/instance/workspaces", &[("slug", "fresh"), ("name", "Fresh"), ("purpose", "New things")]).await;
    assert!(keeper.follows(&made).await.contains("New things"));
    let taken = keeper.sends("/instance/workspaces", &[("slug", "fresh"), ("name", "Fresh")]).await;
    assert!(keeper.follows(&taken).await.contains("class=\"banner bad\""));
    let shown = keeper.sends("/instance/people", &[("email", "two@example.org"), ("name", "Two")]).await;
    assert!(shown.text().contains("/invitations/"));
    assert!(!keeper.opens("/instance/people").await.text().contains("/invitations/"));
}

#[tokio::test]
async fn everybody_of_a_large_team_can_be_picked() {
    let (house, admin, browser) = office().await;
    sqlx::query(
        "with crowd as (
             insert into people (id, email, name)
             select gen_random_uuid(), 'crowd-' || n || '@example.org', 'Crowd ' || n
             from generate_series(1, 260) n
             returning id)
         insert into members (workspace_id, person_id, role)
         select w.id, c.id, 'reader'
         from crowd c, workspaces w
         where w.slug = 'coding'",
    )
    .execute(house.owner())
    .await
    .expect("a crowd");
    // Whoever came first has the first id, and these have ids of any time.
    sqlx::query("update members set role = 'reviewer' where person_id = (select max(person_id::text)::uuid from members)")
        .execute(house.owner())
        .await
        .expect("somebody decides");
    let last: String = sqlx::query_scalar("select max(person_id::text) from members").fetch_one(house.owner()).await.expect("an id");
    let review = browser.opens("/w/coding/review").await.text();
    assert!(review.contains(&format!("value=\"{last}\"")), "who may decide is to be found: {review}");
    assert_eq!(review.matches(", reader</option>").count(), 0);
    let agents = browser.opens("/w/coding/agents").await.text();
    let picker = between(&agents, "<select name=\"owner\">", "</select>");
    assert_eq!(picker.matches("<option").count(), 1 + admin.lists("members").await.len(), "{picker}");
}
