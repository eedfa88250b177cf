//! A million of something: refused where it is sent at once, and walked page by page where it is there.

use super::{alone, number};
use cairn_tests::{House, Role};
use serde_json::{Value, json};
use std::collections::HashSet;

#[tokio::test(flavor = "multi_thread")]
async fn a_million_items_at_once_are_refused() {
    let _alone = alone().await;
    let house = House::open().await;
    let (agent, admin) = (house.agent("coding", Role::Writer).await, house.admin().await.looking_at("coding"));
    let million = |item: &str| format!("[{}]", vec![item; 1_000_000].join(","));
    let session = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
    let place = format!("sessions/{}", session["id"].as_str().expect("an id"));
    let id = session["id"].to_string();
    for (actor, path, body) in [
        (&agent.actor, "memories", format!("{{\"content\":\"c\",\"tags\":{}}}", million("\"t\""))),
        (&agent.actor, "memories", format!("{{\"content\":\"c\",\"anchors\":{}}}", million("{}"))),
        (&agent.actor, &format!("{place}/events"), format!("{{\"events\":{}}}", million("{}"))),
        (&agent.actor, &format!("{place}/checkpoints"), format!("{{\"decisions\":{}}}", million("\"d\""))),
        (&agent.actor, "recall", format!("{{\"query\":\"q\",\"tags\":{}}}", million("\"t\""))),
        (&agent.actor, "deletion-requests", format!("{{\"memory_ids\":{}}}", million(&id))),
        (&admin, "rollbacks", format!("{{\"memory_ids\":{}}}", million(&id))),
        (&admin, "holds", format!("{{\"reason\":\"r\",\"memory_ids\":{}}}", million(&id))),
        (&agent.actor, "code/snapshots", format!("{{\"repo\":\"r\",\"branch\":\"main\",\"commit\":\"c\",\"files\":{}}}", million("{}"))),
    ] {
        let size = body.len();
        match actor.ask("POST", path).bytes("application/json", body).try_send().await {
            Ok(reply) => assert!([413, 422].contains(&reply.status), "{path}, {size} bytes: {reply:?}"),
            // Refused before it was all said.
            Err(error) => assert!(size > 10 << 20, "{path}, {size} bytes: {error}"),
        }
    }
    agent.remembers("and it goes on").await;
    println!("a million items in one request: refused at 9 doors");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_is_walked_to_its_end() {
    let _alone = alone().await;
    let house = House::furnished(|given| given.unsealed = true).await;
    let (coding, admin) = (house.workspace("coding").await, house.admin().await.looking_at("coding"));
    let many = number("CAIRN_LIST", 20_000);
    let sql = "insert into audit_entries (workspace_id, id, actor_type, actor_id, action, request_id)
        select $1, gen_random_uuid(), 'system', '00000000-0000-0000-0000-000000000000', 'export.made', 'r' from generate_series(1, $2)";
    sqlx::query(sql).bind(coding).bind(many.cast_signed()).execute(house.owner()).await.expect("entries");
    let there = house.count(&format!("select count(*) from audit_entries where workspace_id = '{coding}'")).await;
    let (mut seen, mut cursor, mut pages) = (HashSet::new(), None::<String>, 0);
    loop {
        let from = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let page = admin.get(&format!("audit?limit=200{from}")).await.expect(200);
        for entry in page["data"].as_array().expect("a list") {
            assert!(seen.insert(entry["id"].to_string()), "{entry} comes twice");
        }
        pages += 1;
        cursor = match &page["next_cursor"] {
            Value::String(next) => Some(next.clone()),
            _ => break,
        };
    }
    assert_eq!(i64::try_from(seen.len()).expect("few"), there);
    println!("a list of {there}: walked in {pages} pages, each once");
}
