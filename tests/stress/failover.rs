//! The primary dies under the load of two servers, and its replica takes over.

use super::{alone, number};
use cairn_tests::{Actor, Forwarder, House, Postgres, Program, Role, Writers, everything_adds_up, texts, until};
use serde_json::json;
use sqlx::PgPool;
use tempfile::TempDir;

async fn server(house: &House, folder: &std::path::Path, forwarder: &Forwarder) -> Program {
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    let key = house.folder().join("master.key");
    let settings = [
        ("CAIRN_DATABASE_URL", forwarder.url(&app)),
        ("CAIRN_MIGRATION_DATABASE_URL", forwarder.url(&owner)),
        ("CAIRN_MASTER_KEY_FILE", key.to_str().expect("a path").to_owned()),
        ("CAIRN_DATABASE_CONNECTIONS", "8".to_owned()),
    ];
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Program::serve(Program::free_port(), folder, &settings).await
}

/// Says it again until it is taken; refused is 503 and nothing else.
async fn remembers(actor: &Actor, content: &str) {
    until("it is taken again", async || match actor.ask("POST", "memories").json(&json!({ "content": content })).try_send().await {
        Ok(reply) if reply.status < 300 => true,
        Ok(reply) => {
            assert_eq!(reply.status, 503, "{reply:?}");
            false
        }
        Err(error) => panic!("the server itself is there: {error}"),
    })
    .await;
}

async fn recalls(actor: &Actor, word: &str) -> Vec<String> {
    let mut told = Vec::new();
    until("recall answers", async || {
        let reply = actor.post("recall", json!({ "query": word })).await;
        assert!(reply.status == 200 || reply.status == 503, "{reply:?}");
        told = if reply.status == 200 { texts(&reply.body) } else { Vec::new() };
        reply.status == 200
    })
    .await;
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn a_primary_may_die_when_a_replica_takes_over() {
    let _alone = alone().await;
    let mut primary = Postgres::own(true).await;
    let mut house = House::on(primary.clone(), |_| {}).await;
    let agent = house.agent("coding", Role::Writer).await;
    house.shut().await;
    let forwarder = Forwarder::to(&primary.socket()).await;
    let folders = [TempDir::new().expect("a folder"), TempDir::new().expect("a folder")];
    let one = server(&house, folders[0].path(), &forwarder).await;
    let other = server(&house, folders[1].path(), &forwarder).await;
    let (here, there) = (agent.living_at(&one.url), agent.living_at(&other.url));
    let rounds = number("CAIRN_FAILOVERS", 1);
    let (mut writes, mut refusals) = (0, 0);
    for round in 0..rounds {
        let replica = primary.replica().await;
        remembers(&here, &format!("marmalade{round} was known before")).await;
        for actor in [&here, &there] {
            assert!(recalls(actor, &format!("marmalade{round}")).await.contains(&format!("marmalade{round} was known before")));
        }
        let load = Writers::at(&[&here, &there], 8);
        load.get_through(300).await;
        primary.crash().await;
        // Nobody answers, and nobody is told that something is kept.
        let before = load.refused();
        until("they are refused", async || load.refused() > before + 16).await;
        replica.promote().await;
        forwarder.lead_to(&replica.socket());
        load.get_through(300).await;
        refusals += load.refused();
        let acknowledged = load.finish().await;
        writes += acknowledged.len();
        let owner = PgPool::connect(&replica.owner_url(house.database())).await.expect("the owner gets in");
        everything_adds_up(&owner, &acknowledged).await;
        owner.close().await;

        // Both indexes know what was known before, and what was written through either since.
        for (n, (writer, reader)) in [(&here, &there), (&there, &here), (&here, &here)].into_iter().enumerate() {
            let word = format!("honey{round}x{n}");
            remembers(writer, &format!("{word} came after")).await;
            assert_eq!(recalls(reader, &word).await.first(), Some(&format!("{word} came after")));
        }
        for actor in [&here, &there] {
            assert!(recalls(actor, &format!("marmalade{round}")).await.contains(&format!("marmalade{round} was known before")));
            for lately in acknowledged.iter().rev().take(20) {
                let told = actor.post("recall", json!({"query": lately.content, "limit": 100})).await.expect(200);
                let current = actor.get(&format!("memories/{}", lately.memory)).await.expect(200)["content"].clone();
                assert!(texts(&told).iter().any(|text| current == *text), "{current} is not found by its own words");
            }
        }
        primary = replica;
    }
    println!("failover: {rounds} times, {writes} writes acknowledged and none lost, {refusals} answered 503 meanwhile");
    let told = check(&house, &primary, folders[0].path()).await;
    assert!(told.contains("checks hold."), "{told}");
    one.kill().await;
    other.kill().await;
}

async fn check(house: &House, primary: &Postgres, folder: &std::path::Path) -> String {
    let (owner, key) = (primary.owner_url(house.database()), house.folder().join("master.key"));
    let settings = [("CAIRN_DATABASE_URL", owner.as_str()), ("CAIRN_MASTER_KEY_FILE", key.to_str().expect("a path"))];
    Program::run(folder, &["check"], &settings).await.fine()
}
