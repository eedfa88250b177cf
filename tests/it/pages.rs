//! Every page, opened by everyone: the same walls as over REST, and forms that only our own pages can send.

use cairn_server::pages::{PageRoute, table};
use cairn_tests::{Browser, House, ROLES, Reply, Role};
use serde_json::json;

/// Names nothing, and is the same in every address, so that answers can be compared to the letter.
const NOBODY: &str = "01900000-0000-7000-8000-000000000000";

fn address(page: &PageRoute, workspace: &str) -> String {
    let mut path = page.path.replace("{ws}", workspace);
    while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
        path.replace_range(start..=end, NOBODY);
    }
    path
}

async fn call(browser: &Browser, page: &PageRoute, workspace: &str) -> Reply {
    let path = address(page, workspace);
    match page.method {
        "GET" => browser.opens(&path).await,
        _ => {
            browser
                .sends(
                    &path,
                    &[("version", "1"), ("reason", "a test"), ("theme", "dark"), ("password", "short"), ("email", "x@example.org")],
                )
                .await
        }
    }
}

/// A page without what differs from request to request.
fn alike(reply: &Reply, workspace: &str) -> String {
    reply.text().replace(reply.header("x-request-id"), "").replace(workspace, "")
}

fn leads_to_the_entrance(reply: &Reply) -> bool {
    reply.status == 303 && reply.header("location").starts_with("/sign-in")
}

fn is_in_a_workspace(page: &PageRoute) -> bool {
    page.path.contains("{ws}")
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_signed_in_is_sent_to_the_entrance() {
    let house = House::open().await;
    house.workspace("coding").await;
    let browser = house.browser();
    for page in table().iter().filter(|page| page.access.word() != "anyone") {
        let reply = call(&browser, page, "coding").await;
        assert!(leads_to_the_entrance(&reply), "{page:?}: {reply:?}");
    }
    // Keys and tokens are for programs.
    let (agent, person) = (house.agent("coding", Role::Admin).await, house.person("coding", Role::Admin).await);
    for credential in [agent.credential.clone(), person.credential.clone()] {
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let reply = client.get(format!("{}/w/coding/memories", house.url)).bearer_auth(credential.unwrap()).send().await.unwrap();
        assert_eq!(reply.status(), 303);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_workspace_pages_open_to_whom_the_role_table_says() {
    let house = House::open().await;
    let outsider = house.person("elsewhere", Role::Admin).await;
    let outsider = house.browser_of(&outsider.email).await;
    house.workspace("coding").await;
    let mut count = 0;
    for page in table().iter().filter(|page| is_in_a_workspace(page)) {
        let (foreign, missing) = (call(&outsider, page, "coding").await, call(&outsider, page, "absent").await);
        assert_eq!((foreign.status, missing.status), (404, 404), "{page:?}: {foreign:?}");
        assert_eq!(alike(&foreign, "coding"), alike(&missing, "absent"), "{page:?}");
    }
    for role in ROLES {
        let person = house.person("coding", role).await;
        let browser = house.browser_of(&person.email).await;
        for page in table().iter().filter(|page| is_in_a_workspace(page)) {
            let reply = call(&browser, page, "coding").await;
            let allowed = page.access.roles().contains(&role);
            assert!(reply.status < 500 && !leads_to_the_entrance(&reply), "{page:?} as {}: {reply:?}", role.word());
            assert_eq!(reply.status == 403, !allowed, "{page:?} as {}: {reply:?}", role.word());
            count += 1;
        }
    }
    assert!(count >= 50, "only {count} pages were opened");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_is_not_ours_does_nothing() {
    let house = House::open().await;
    let person = house.person("coding", Role::Admin).await;
    let (browser, other) = (house.browser_of(&person.email).await, house.browser_of(&person.email).await);
    let before = house.census().await;
    for page in table().iter().filter(|page| page.method == "POST") {
        let path = address(page, "coding");
        for forged in ["", "x", &other.csrf] {
            let reply = browser.sends_only(&path, &[("csrf", forged)]).await;
            assert_eq!(reply.status, 403, "{page:?} with {forged}: {reply:?}");
        }
    }
    assert!(!leads_to_the_entrance(&browser.opens("/workspaces").await));
    let mut after = house.census().await;
    // Refusals are written down; nothing else is.
    after.insert("audit_entries".to_owned(), before["audit_entries"]);
    assert_eq!(after, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_wears_the_same_armour() {
    let house = House::open().await;
    let person = house.person("coding", Role::Admin).await;
    let browser = house.browser_of(&person.email).await;
    for page in table().iter().filter(|page| page.method == "GET") {
        let reply = call(&browser, page, "coding").await;
        let policy = reply.header("content-security-policy");
        let scripts = policy.split(';').find(|part| part.trim().starts_with("script-src")).unwrap_or(policy);
        assert!(policy.contains("default-src") && !policy.contains("http") && !scripts.contains("unsafe"), "{page:?}: {policy}");
        // The vendored viewer of the API document brings its styles along.
        assert!(page.path == "/docs" || !policy.contains("unsafe"), "{page:?}: {policy}");
        assert_eq!((reply.header("x-frame-options"), reply.header("x-content-type-options")), ("DENY", "nosniff"), "{page:?}");
        assert!(!reply.header("x-request-id").is_empty(), "{page:?}");
        assert!(reply.status < 500, "{page:?}: {reply:?}");
        for outside in ["src=\"http", "href=\"http", "src=\"//", "href=\"//", "<script>", " style=\"", " onclick="] {
            assert!(!reply.text().contains(outside), "{page:?} has {outside}");
        }
    }
    let cookies: Vec<_> =
        house.browser().opens("/sign-in").await.headers.get_all("set-cookie").iter().map(|one| one.to_str().unwrap().to_owned()).collect();
    assert!(!cookies.is_empty() && cookies.iter().all(|one| one.contains("HttpOnly") && one.contains("SameSite=Lax")), "{cookies:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_sign_in_ran_out_over_a_form_comes_back_to_a_page_that_is_there() {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    let (out, within) = (house.browser(), house.browser_of(&admin.email).await);
    let next = async |path: &str| {
        let reply = out.sends(path, &[]).await;
        let next = reply.header("location").split("next=").nth(1).map(|next| next.replace("%2F", "/"));
        next.unwrap_or_else(|| panic!("{path}: {reply:?}"))
    };
    for (form, page) in [
        (format!("members/{NOBODY}/role"), "members"),
        (format!("holds/{NOBODY}/release"), "holds"),
        (format!("agents/{NOBODY}/keys/{NOBODY}/revoke"), &*format!("agents/{NOBODY}/keys")),
        (format!("memories/{NOBODY}/edit"), &*format!("memories/{NOBODY}/edit")),
        (format!("memories/{NOBODY}/verify"), &*format!("memories/{NOBODY}")),
        ("review/decide".to_owned(), "review"),
        ("conflicts/sweep".to_owned(), "conflicts"),
    ] {
        assert_eq!(next(&format!("/w/coding/{form}")).await, format!("/w/coding/{page}"));
    }
    assert_eq!(next("/account/password").await, "/account");
    for page in table().iter().filter(|page| page.method == "POST" && is_in_a_workspace(page) && !page.path.contains("{id}")) {
        let back = next(&address(page, "coding")).await;
        let opened = within.opens(&back).await;
        assert!(matches!(opened.status, 200 | 303) || back.contains(NOBODY), "{page:?}: {back}: {opened:?}");
    }
}

#[tokio::test]
async fn of_two_tasks_of_one_key_the_one_that_was_chosen_is_shown_and_changed() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    for project in ["gateway", "ledger"] {
        let agent = house.agent_in("coding", project, Role::Writer).await;
        let session = agent.post("sessions", json!({"agent_tool": format!("tool-of-{project}"), "task": "same"})).await.expect(201);
        let path = format!("sessions/{}/checkpoints", session["id"].as_str().unwrap());
        agent.post(&path, json!({"next_step": format!("step of {project}")})).await.expect(201);
    }
    let browser = house.browser_of(&person.email).await;
    let board = browser.opens("/w/coding/tasks").await.text();
    for project in ["gateway", "ledger"] {
        let way = format!("/w/coding/tasks/same?project={project}");
        assert!(board.contains(&format!("href=\"{way}\"")), "{board}");
        let page = browser.opens(&way).await.text();
        let (own, others) = if project == "gateway" { ("gateway", "ledger") } else { ("ledger", "gateway") };
        assert!(page.contains(&format!("step of {own}")) && !page.contains(&format!("step of {others}")), "{page}");
        assert!(page.contains(&format!("tool-of-{own}")) && !page.contains(&format!("tool-of-{others}")), "{page}");
        assert!(page.contains(&format!("/w/coding/tasks/same/pause?project={project}")), "{page}");
    }
    let states = async || {
        let of = async |project: &str| person.get(&format!("tasks/same?project={project}")).await.expect(200)["state"].clone();
        [of("gateway").await, of("ledger").await]
    };
    let paused = browser.sends("/w/coding/tasks/same/pause?project=ledger", &[]).await;
    assert!(paused.header("location").contains("tasks/same?project=ledger"), "{paused:?}");
    assert_eq!(states().await, ["active", "paused"]);
    browser.sends("/w/coding/tasks/same/complete?project=ledger", &[]).await;
    assert_eq!(states().await, ["active", "completed"]);
    browser.sends("/w/coding/tasks/same/abandon?project=gateway", &[]).await;
    assert_eq!(states().await, ["abandoned", "completed"]);
}

#[tokio::test]
async fn a_task_of_a_key_that_cannot_be_is_simply_not_there() {
    let house = House::open().await;
    let person = house.person("coding", Role::Writer).await;
    let browser = house.browser_of(&person.email).await;
    for task in ["a%00b", "a?project=x%00y"] {
        let (key, query) = task.split_once('?').unwrap_or((task, ""));
        assert_eq!(browser.opens(&format!("/w/coding/tasks/{task}")).await.status, 404, "{task}");
        for act in ["pause", "complete", "abandon"] {
            assert_eq!(browser.sends(&format!("/w/coding/tasks/{key}/{act}?{query}"), &[]).await.status, 404, "{act} {task}");
        }
    }
}
