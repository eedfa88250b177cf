//! Nothing acknowledged is lost: the server and Postgres are killed under sixteen writers, again and again, and
//! afterwards every answer of 2xx is there with its version and its entry, and nothing half-done is.

use cairn_tests::{Actor, House, Postgres, Program, Role, at};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::task::JoinSet;
use uuid::Uuid;

/// A version that somebody was told is kept.
struct Acknowledged {
    memory: Uuid,
    version: i32,
    content: String,
}

/// Sixteen who write as fast as they are answered, and go on when they are not.
struct Writers {
    running: JoinSet<Vec<Acknowledged>>,
    stop: Arc<AtomicBool>,
    count: Arc<AtomicUsize>,
}

impl Writers {
    fn start(actor: &Actor) -> Self {
        let (stop, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut running = JoinSet::new();
        for writer in 0..16 {
            running.spawn(write_on(actor.clone(), writer, stop.clone(), count.clone()));
        }
        Self { running, stop, count }
    }

    /// Returns when they have got through so many more times.
    async fn get_through(&self, times: usize) {
        let from = self.count.load(Ordering::Relaxed);
        for _ in 0..6000 {
            if self.count.load(Ordering::Relaxed) >= from + times {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the writers do not get through");
    }

    async fn finish(self) -> Vec<Acknowledged> {
        self.stop.store(true, Ordering::Relaxed);
        self.running.join_all().await.into_iter().flatten().collect()
    }
}

/// New memories, and a change of every second one.
async fn write_on(actor: Actor, writer: usize, stop: Arc<AtomicBool>, count: Arc<AtomicUsize>) -> Vec<Acknowledged> {
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    for turn in 0_usize.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let content = format!("writer {writer} turn {turn}");
        let last = acknowledged.last().filter(|_| turn % 3 == 2).map(|last| at(&json!({"id": last.memory})));
        let ask = match &last {
            Some(place) => actor.ask("PATCH", place),
            None => actor.ask("POST", "memories"),
        };
        match ask.json(&json!({ "content": content })).try_send().await {
            Ok(reply) if reply.status < 300 => {
                let memory = reply.body["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
                let version = reply.body["version"].as_i64().and_then(|version| version.try_into().ok()).expect("a version");
                acknowledged.push(Acknowledged { memory, version, content });
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok(reply) => assert!(reply.status == 503, "{reply:?}"),
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
    acknowledged
}

/// A house on a Postgres that may be pulled the plug, whose server is the real program.
async fn program_in_a_house() -> (House, Actor, Program, u16) {
    let mut house = House::on(Postgres::own(true).await, |_| {}).await;
    let agent = house.agent("coding", Role::Writer).await;
    house.shut().await;
    let port = Program::free_port();
    let program = serve(&house, port).await;
    let actor = agent.living_at(&program.url);
    (house, actor, program, port)
}

async fn serve(house: &House, port: u16) -> Program {
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    Program::serve(port, house.folder(), &[("CAIRN_DATABASE_URL", &app), ("CAIRN_MIGRATION_DATABASE_URL", &owner)]).await
}

async fn everything_adds_up(house: &House, acknowledged: &[Acknowledged]) {
    assert!(acknowledged.len() > 100, "only {} writes were acknowledged", acknowledged.len());
    let (memories, (versions, contents)): (Vec<Uuid>, (Vec<i32>, Vec<String>)) =
        acknowledged.iter().map(|one| (one.memory, (one.version, one.content.clone()))).unzip();
    let kept: i64 = sqlx::query_scalar(
        "select count(*)
         from unnest($1::uuid[], $2::int[], $3::text[]) a (memory_id, version, content)
         join memory_versions v on v.memory_id = a.memory_id and v.version = a.version and v.content = a.content
         join memories m on m.workspace_id = v.workspace_id and m.id = v.memory_id and m.version >= v.version
         join audit_entries e on e.workspace_id = v.workspace_id and e.id = v.audit_id and e.target_id = v.memory_id and e.version = v.version and e.digest = v.digest",
    )
    .bind(memories)
    .bind(versions)
    .bind(contents)
    .fetch_one(house.owner())
    .await
    .expect("a count");
    assert_eq!(kept, i64::try_from(acknowledged.len()).expect("a few"), "something acknowledged is lost");
    let halves = "select count(*)
         from memory_versions v
         full join (select * from audit_entries where action like 'memory.%') e
             on e.workspace_id = v.workspace_id and e.id = v.audit_id and e.target_id = v.memory_id and e.version = v.version
         where v.memory_id is null or e.id is null";
    assert_eq!(house.count(halves).await, 0, "versions without entries, or entries without versions");
    let gaps = "select count(*) from memories m
         where m.version <> (select count(*) from memory_versions v where v.workspace_id = m.workspace_id and v.memory_id = m.id)
            or m.audit_id <> (select v.audit_id from memory_versions v where v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version)";
    assert_eq!(house.count(gaps).await, 0, "memories whose versions do not add up");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_may_be_killed_at_any_moment() {
    let (house, actor, mut program, port) = program_in_a_house().await;
    let writers = Writers::start(&actor);
    for round in 0..4 {
        writers.get_through(60 + 25 * round).await;
        program.kill().await;
        program = serve(&house, port).await;
    }
    writers.get_through(50).await;
    let acknowledged = writers.finish().await;
    everything_adds_up(&house, &acknowledged).await;
    program.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_may_be_killed_at_any_moment() {
    let (house, actor, program, _) = program_in_a_house().await;
    let writers = Writers::start(&actor);
    for round in 0..4 {
        writers.get_through(60 + 25 * round).await;
        house.postgres().crash().await;
        house.postgres().start().await;
    }
    // The same server, which nobody restarted.
    writers.get_through(50).await;
    let acknowledged = writers.finish().await;
    everything_adds_up(&house, &acknowledged).await;
    program.kill().await;
}
