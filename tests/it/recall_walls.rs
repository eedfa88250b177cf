//! Walls hold for recall and its receipts: between workspaces, around what is private, and around projects.

use cairn_tests::{Agent, House, Role, items, receipt_at, texts};
use serde_json::{Value, json};

#[tokio::test]
async fn an_agent_of_another_workspace_recalls_nothing() {
    let house = House::open().await;
    let (coding, support) = (house.agent("coding", Role::Writer).await, house.agent("support", Role::Admin).await);
    let secret = coding.remembers_all_of(json!({"content": "Fridays are frozen", "tags": ["t"], "anchors": [{"path": "x"}]})).await;
    let told = coding.asks(json!({"query": "when are deploys frozen?"})).await;
    assert_eq!(texts(&told), ["Fridays are frozen"]);
    for question in [
        json!({"query": "when are deploys frozen?"}),
        json!({"query": "", "limit": 100, "states": ["active", "archived"]}),
        json!({"query": "Fridays are frozen", "tags": ["t"], "anchors": [{"path": "x"}], "author": coding.id}),
        json!({"query": "frozen", "as_of": "2100-01-01T00:00:00Z"}),
    ] {
        let answer = support.asks(question).await;
        assert_eq!((items(&answer).len(), &answer["omitted"]), (0, &json!(0)), "{answer}");
    }
    support.looking_at("coding").post("recall", json!({"query": "frozen"})).await.refuses(404, "not_found");
    support.get(&receipt_at(&told)).await.refuses(404, "not_found");
    support.judges(&told, &secret, "wrong").await.refuses(404, "not_found");
    assert!(support.lists("receipts").await.iter().all(|receipt| receipt["actor"]["id"] == json!(support.id)));
    assert_eq!(support.lists(&format!("receipts?memory_id={}", secret["id"].as_str().unwrap())).await.len(), 0);
}

#[tokio::test]
async fn what_is_private_is_recalled_by_its_person_and_their_agents_only() {
    let house = House::open().await;
    let (ada, grace) = (house.person("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    let hers = house.agent_like("coding", json!({"role": "writer", "owner": ada.id})).await;
    let nobodys = house.agent("coding", Role::Admin).await;
    let secret = ada.remembers_all_of(json!({"content": "ada dislikes mondays", "visibility": "private", "tags": ["mood"]})).await;
    ada.remembers("the team meets on mondays").await;
    let told = ada.asks(json!({"query": "ada mondays"})).await;
    for own in [&*ada, &*hers] {
        assert_eq!(own.recalls("ada dislikes mondays").await[0], "ada dislikes mondays");
    }
    for other in [&*grace, &*nobodys, &**house.admin().await] {
        for question in [
            json!({"query": "ada dislikes mondays"}),
            json!({"query": "", "author": ada.id}),
            json!({"query": "", "as_of": "2100-01-01T00:00:00Z"}),
        ] {
            let answer = other.asks(question).await;
            assert_eq!((texts(&answer), &answer["omitted"]), (vec!["the team meets on mondays".to_owned()], &json!(0)), "{}", other.name);
        }
        assert!(texts(&other.asks(json!({"query": "", "tags": ["mood"]})).await).is_empty());
        // Who reads her receipt sees that she was told something, and not what.
        let receipt = other.looks_up(&told).await;
        assert!(!receipt.to_string().contains("dislikes"), "{receipt}");
        other.judges(&told, &secret, "wrong").await.refuses(404, "not_found");
    }
    // What becomes private is gone for the others with the next question, and what is opened is there.
    ada.revises(&secret, json!({"visibility": "workspace"})).await;
    assert_eq!(grace.recalls("ada dislikes mondays").await[0], "ada dislikes mondays");
    ada.revises(&secret, json!({"visibility": "private"})).await;
    assert_eq!(grace.recalls("ada dislikes mondays").await, ["the team meets on mondays"]);
}

struct Two {
    house: House,
    free: Agent,
    walled: Agent,
    everyones: Value,
}

async fn two_projects() -> Two {
    let house = House::open().await;
    let free = house.agent("coding", Role::Admin).await;
    let walled = house.agent_in("coding", "gateway", Role::Reviewer).await;
    let said = async |content: &str, project: Option<&str>| {
        free.remembers_all_of(json!({"content": content, "project": project, "tags": ["t"], "anchors": [{"path": "x"}]})).await
    };
    let everyones = said("harbour rule of everyone", None).await;
    said("harbour rule of the gateway", Some("gateway")).await;
    said("harbour rule of billing", Some("billing")).await;
    Two { house, free, walled, everyones }
}

fn sorted(answer: &Value) -> Vec<String> {
    let mut told = texts(answer);
    told.sort();
    told
}

const EVERYONES: &str = "harbour rule of everyone";
const GATEWAYS: &str = "harbour rule of the gateway";
const BILLINGS: &str = "harbour rule of billing";

#[tokio::test]
async fn a_walled_key_recalls_its_project_and_what_belongs_to_all() {
    let two = two_projects().await;
    for question in [
        json!({"query": "harbour rule of billing"}),
        json!({"query": "", "limit": 100}),
        json!({"query": "billing", "tags": ["t"], "anchors": [{"path": "x"}]}),
        json!({"query": "harbour", "as_of": "2100-01-01T00:00:00Z"}),
        json!({"query": "harbour", "project": "gateway"}),
    ] {
        let answer = two.walled.asks(question.clone()).await;
        assert_eq!((sorted(&answer), &answer["omitted"]), (vec![EVERYONES.to_owned(), GATEWAYS.to_owned()], &json!(0)), "{question}");
    }
    assert_eq!(sorted(&two.walled.asks(json!({"query": "harbour", "project": "billing"})).await), [EVERYONES]);
    let narrowed = two.free.post("/v1/auth/token", json!({"project": "billing", "role": "reader"})).await.expect(200);
    let narrowed = two.free.showing(narrowed["access_token"].as_str().unwrap());
    assert_eq!(sorted(&narrowed.asks(json!({"query": "harbour"})).await), [BILLINGS, EVERYONES]);
}

#[tokio::test]
async fn a_project_filter_also_brings_what_belongs_to_all() {
    let two = two_projects().await;
    assert_eq!(sorted(&two.free.asks(json!({"query": "harbour", "project": "billing"})).await), [BILLINGS, EVERYONES]);
    assert_eq!(sorted(&two.free.asks(json!({"query": "harbour", "project": "attic"})).await), [EVERYONES]);
    assert_eq!(sorted(&two.free.asks(json!({"query": "harbour"})).await), [BILLINGS, EVERYONES, GATEWAYS]);
}

#[tokio::test]
async fn receipts_of_other_projects_are_not_there_for_a_walled_key() {
    let two = two_projects().await;
    let neighbour = two.house.agent_in("coding", "billing", Role::Writer).await;
    let (own, next_door, free) = (
        two.walled.asks(json!({"query": "harbour of the gateway"})).await,
        neighbour.asks(json!({"query": "harbour of billing"})).await,
        two.free.asks(json!({"query": "harbour"})).await,
    );
    let seen: Vec<Value> = two.walled.lists("receipts").await.iter().map(|receipt| receipt["id"].clone()).collect();
    assert_eq!(seen, [own["receipt_id"].clone()]);
    let everyones = format!("receipts?memory_id={}", two.everyones["id"].as_str().unwrap());
    assert_eq!(two.walled.lists(&everyones).await.len(), 1);
    assert_eq!(two.free.lists(&everyones).await.len(), 3);
    for hidden in [&next_door, &free] {
        let missing = two.walled.get(&format!("receipts/{}", cairn_tests::nobody())).await;
        let there = two.walled.get(&receipt_at(hidden)).await;
        there.refuses(404, "not_found");
        assert_eq!(there.but_for_the_request(), missing.but_for_the_request());
        two.walled.judges(hidden, &two.everyones, "used").await.refuses(404, "not_found");
    }
}

#[tokio::test]
async fn a_walled_key_may_judge_what_it_was_told() {
    let two = two_projects().await;
    let answer = two.walled.asks(json!({"query": "harbour"})).await;
    for item in items(&answer) {
        two.walled.judges(&answer, item, "wrong").await.expect(204);
    }
    assert_eq!(two.free.reads(&two.everyones).await["freshness"]["state"], "suspect");
    // It changed nothing of it; and what was moved away since is not there.
    assert_eq!(two.free.reads(&two.everyones).await["version"], 1);
    let own = items(&answer).iter().find(|item| item["project"] == "gateway").unwrap();
    two.free.patch(&format!("memories/{}", own["memory_id"].as_str().unwrap()), json!({"project": "billing"})).await.expect(200);
    two.walled.judges(&answer, own, "stale").await.refuses(404, "not_found");
}

#[tokio::test]
async fn the_role_of_the_index_reads_one_workspace_and_writes_nothing() {
    let two = two_projects().await;
    let other = two.house.agent("support", Role::Writer).await;
    other.remembers("next door").await;
    let coding = two.house.workspace("coding").await;
    let entered = async || {
        let mut conn = two.house.as_login().await;
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("begin; select enter_index('{coding}')"))).execute(&mut conn).await.unwrap();
        conn
    };
    let seen: i64 = sqlx::query_scalar("select count(*) from memories").fetch_one(&mut entered().await).await.unwrap();
    assert_eq!(seen, 3);
    for refused in [
        "update memories set kind = 'pattern'",
        "delete from memory_versions",
        "insert into receipts select * from receipts",
        "select * from receipts",
        "select * from agent_keys",
        "select email from people",
        "select * from audit_entries",
    ] {
        let error = sqlx::raw_sql(refused).execute(&mut entered().await).await.unwrap_err();
        assert_eq!(error.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap(), "42501", "{refused}");
    }
}
