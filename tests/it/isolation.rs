//! Not yours looks like not there: over every surface, with the same status and the same body.

use cairn_tests::{Actor, Ask, Document, House, Role, at, nobody};
use serde_json::json;

#[tokio::test]
async fn an_agent_of_another_workspace_sees_nothing() {
    let house = House::open().await;
    let (coding, support) = (house.agent("coding", Role::Admin).await, house.agent("support", Role::Admin).await);
    let secret = coding.remembers_all_of(json!({"content": "fridays are frozen", "path": "/freeze.md", "tags": ["t"]})).await;
    let request = coding.asks_to_erase(&[&secret], "a test").await;
    let agent = coding.id;

    let things = [
        at(&secret),
        format!("{}/versions", at(&secret)),
        format!("{}/versions/1", at(&secret)),
        format!("{}/diff?from=1&to=1", at(&secret)),
        format!("{}?as_of=2100-01-01T00:00:00Z", at(&secret)),
        format!("deletion-requests/{}", request["id"].as_str().unwrap()),
        format!("agents/{agent}/keys"),
    ];
    for thing in things {
        assert_eq!(coding.get(&thing).await.status, 200, "{thing}");
        support.get(&thing).await.refuses(404, "not_found");
        support.looking_at("coding").get(&thing).await.refuses(404, "not_found");
    }
    for list in
        ["memories", "memories?state=active", "memories?tag=t", "memories?q=frozen", "memories?path_prefix=/freeze", "deletion-requests"]
    {
        assert_eq!(support.lists(list).await, Vec::<serde_json::Value>::new(), "{list}");
    }
    let agents = support.lists("agents").await;
    assert!(agents.iter().all(|agent| agent["id"] == json!(support.id)), "{agents:?}");
    let trail = support.lists("audit").await;
    assert!(!trail.is_empty() && !format!("{trail:?}").contains(&coding.id.to_string()), "{trail:?}");
}

#[tokio::test]
async fn what_others_wrote_does_not_stand_in_ones_way() {
    let house = House::open().await;
    let (coding, support) = (house.agent("coding", Role::Writer).await, house.agent("support", Role::Writer).await);
    let same = json!({"content": "the same words", "path": "/same.md"});
    let (one, other) = (coding.remembers_all_of(same.clone()).await, support.remembers_all_of(same).await);
    assert_ne!(one["id"], other["id"]);
    let refused = support.post("memories", json!({"content": "newer", "supersedes": one["id"]})).await;
    let invented = support.post("memories", json!({"content": "newer", "supersedes": nobody()})).await;
    assert_eq!(refused.refuses(422, "invalid").but_for_the_request(), invented.but_for_the_request());
    let key = |agent: &Actor| {
        agent.ask("POST", "memories").header("Idempotency-Key", "the-same-key").json(&json!({"content": agent.name})).send()
    };
    assert_eq!((key(&coding).await.status, key(&support).await.status), (201, 201));
}

#[tokio::test]
async fn a_foreign_thing_and_no_thing_are_told_alike() {
    let house = House::open().await;
    let (coding, support) = (house.agent("coding", Role::Admin).await, house.agent("support", Role::Admin).await);
    let foreign = coding.remembers("theirs").await;
    let id = foreign["id"].as_str().unwrap();
    let mut compared = 0;
    for operation in Document::read(&coding).await.operations().into_iter().filter(|one| one.path.contains("/memories/{id}")) {
        let call = async |id: &str| {
            let address = operation.address("support").replacen(&operation.address("support").split('/').nth(5).unwrap()[..36], id, 1);
            let ask = support.ask(&operation.method, &address);
            operation.body.iter().fold(ask, Ask::json).send().await
        };
        let (theirs, nobodys) = (call(id).await, call(&nobody().to_string()).await);
        theirs.refuses(404, "not_found");
        assert_eq!(theirs.but_for_the_request(), nobodys.but_for_the_request(), "{}", operation.name());
        compared += 1;
    }
    assert!(compared >= 9, "only {compared} operations on a memory");
}

#[tokio::test]
async fn a_workspace_has_a_slug_and_an_id() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let id = house.workspace("coding").await;
    let memory = agent.looking_at(id).remembers("under its id").await;
    assert_eq!(agent.reads(&memory).await, agent.looking_at(id).reads(&memory).await);
    agent.looking_at(id.to_string().to_uppercase()).get("memories").await.expect(200);
    agent.looking_at("CODING").get("memories").await.refuses(404, "not_found");
    agent.looking_at(nobody()).get("memories").await.refuses(404, "not_found");
}

#[tokio::test]
async fn a_person_in_two_workspaces_sees_each_through_its_own_door() {
    let house = House::open().await;
    let (coding, support) = (house.agent("coding", Role::Writer).await, house.agent("support", Role::Writer).await);
    let person = house.person("coding", Role::Writer).await;
    house.joins(&person.email, "support", Role::Reader).await;
    let (code, case) = (coding.remembers("a compiler flag").await, support.remembers("a customer case").await);

    person.reads(&code).await;
    person.get(&at(&case)).await.refuses(404, "not_found");
    let in_support = person.looking_at("support");
    in_support.reads(&case).await;
    in_support.get(&at(&code)).await.refuses(404, "not_found");
    // Two roles, one person: what the one allows, the other does not.
    person.remembers("as a writer").await;
    in_support.post("memories", json!({"content": "as a reader"})).await.refuses(403, "forbidden");
    let me = person.get("/v1/me").await.expect(200);
    let workspaces = me["workspaces"].as_array().unwrap();
    let roles: Vec<_> = workspaces.iter().map(|one| (one["slug"].as_str().unwrap(), one["role"].as_str().unwrap())).collect();
    assert!(roles.len() == 2 && roles.contains(&("coding", "writer")) && roles.contains(&("support", "reader")), "{roles:?}");
}

#[tokio::test]
async fn an_instance_admin_who_is_no_member_sees_no_memories() {
    let house = House::open().await;
    let memory = house.agent("coding", Role::Writer).await.remembers("none of the operator's business").await;
    let admin = house.admin().await;
    let other = house.person("coding", Role::Admin).await;
    admin.reads(&memory).await;
    assert_eq!(other.delete(&format!("members/{}", admin.id)).await.status / 100, 2);
    admin.get(&at(&memory)).await.refuses(404, "not_found");
    admin.get("memories").await.refuses(404, "not_found");
    admin.get("audit").await.refuses(404, "not_found");
    admin.get("/v1/users").await.expect(200);
}
