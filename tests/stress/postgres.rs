//! Postgres stands still, is slow, has no connection left, or no disk: requests are refused with 503, and all is well afterwards.

use super::{alone, everything_holds, leave_out, number, serve};
use cairn_tests::{Actor, Forwarder, House, Postgres, Program, Role, Writers, everything_adds_up, until};
use nix::sys::signal::Signal;
use serde_json::json;
use sqlx::{Connection, PgConnection};
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

async fn home(postgres: std::sync::Arc<Postgres>) -> (House, Actor) {
    let mut house = House::on(postgres, |_| {}).await;
    let agent = house.agent("coding", Role::Writer).await;
    house.shut().await;
    (house, agent.actor.clone())
}

async fn writes(actor: &Actor, content: &str) -> u16 {
    actor.post("memories", json!({ "content": content })).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_may_stand_still() {
    let _alone = alone().await;
    let (house, agent) = home(Postgres::shared().await).await;
    let server = serve(&house, &[]).await;
    let agent = agent.living_at(&server.url);
    let writers = Writers::start(&agent);
    writers.get_through(100).await;
    house.postgres().signal(Signal::SIGSTOP);
    let before = writers.refused();
    let mut live = 0;
    // Whoever waits is told so in the end; and the server itself answers all the while.
    for _ in 0..80 {
        live += u32::from(agent.get("/healthz").await.status == 200);
        if writers.refused() > before {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let told = writers.refused();
    house.postgres().signal(Signal::SIGCONT);
    assert!(told > before && live > 0, "nobody was answered while Postgres stood still");
    writers.get_through(100).await;
    let refusals = writers.refused();
    let acknowledged = writers.finish().await;
    everything_adds_up(house.owner(), &acknowledged).await;
    everything_holds(&house).await;
    println!("paused: {} writes acknowledged and none lost, {refusals} answered 503", acknowledged.len());
    server.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_may_be_slow() {
    let _alone = alone().await;
    let (house, agent) = home(Postgres::shared().await).await;
    let forwarder = Forwarder::to(&house.postgres().socket()).await;
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    let settings = [("CAIRN_DATABASE_URL", &*forwarder.url(&app)), ("CAIRN_MIGRATION_DATABASE_URL", &*forwarder.url(&owner))];
    let server = Program::serve(Program::free_port(), house.folder(), &settings).await;
    let agent = agent.living_at(&server.url);
    assert_eq!(writes(&agent, "marmalade is for breakfast").await, 201);
    forwarder.slow_down(Duration::from_millis(100));
    let writers = Writers::start(&agent);
    writers.get_through(usize::try_from(number("CAIRN_SLOW_WRITES", 120)).expect("few")).await;
    let told = agent.recalls("marmalade").await;
    assert!(told.contains(&"marmalade is for breakfast".to_owned()), "{told:?}");
    forwarder.slow_down(Duration::ZERO);
    let refusals = writers.refused();
    let acknowledged = writers.finish().await;
    everything_adds_up(house.owner(), &acknowledged).await;
    println!("slow: {} writes acknowledged at 100 ms a trip, {refusals} answered 503", acknowledged.len());
    server.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_may_have_no_connection_left() {
    let _alone = alone().await;
    let (house, agent) = home(Postgres::shared().await).await;
    let server = serve(&house, &[]).await;
    let agent = agent.living_at(&server.url);
    assert_eq!(writes(&agent, "there are connections").await, 201);
    // None is given, and those that are there are taken away.
    house.postgres().run("alter role cairn_login connection limit 0").await;
    house.postgres().run("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'cairn_login'").await;
    let mut refused = 0;
    until("they are told", async || {
        let status = writes(&agent, &format!("there are none {refused}")).await;
        assert!(status == 503 || status == 201, "{status}");
        refused += usize::from(status == 503);
        refused >= 5
    })
    .await;
    assert_eq!(agent.get("/healthz").await.status, 200, "the server lives");
    assert_eq!(agent.get("/readyz").await.status, 503, "and says that it is not ready");
    house.postgres().run("alter role cairn_login connection limit -1").await;
    until("there are some again", async || writes(&agent, "there are some again").await < 300).await;
    everything_holds(&house).await;
    println!("out of connections: {refused} answered 503, then served again");
    server.kill().await;
}

/// A small disk, gone again with the test.
struct Disk(PathBuf);

impl Disk {
    /// Only root may mount one.
    fn mount(megabytes: u32) -> Option<Self> {
        let folder = std::env::temp_dir().join(format!("cairn-disk-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let size = format!("size={megabytes}m,mode=0755");
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "cairn-stress"]).arg(&folder).output();
        done.is_ok_and(|done| done.status.success()).then_some(Self(folder))
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_may_have_no_disk_left() {
    let _alone = alone().await;
    let Some(disk) = Disk::mount(260) else {
        return leave_out("out of disk", "only root may mount a small disk (run it as root)");
    };
    let small = "max_wal_size = 48MB\nmin_wal_size = 32MB";
    let (house, agent) = home(Postgres::on_disk(disk.path(), small).await).await;
    let server = serve(&house, &[]).await;
    let agent = agent.living_at(&server.url);
    let known = agent.remembers("known before the disk was full").await;
    let ballast = disk.path().join("ballast");
    fill(&ballast);
    let (mut kept, mut refused) = (Vec::new(), 0);
    for n in 0..2000 {
        let reply = agent.post("memories", json!({"content": format!("{n} {}", noise())})).await;
        match reply.status {
            201 => kept.push(reply.body["id"].clone()),
            503 => refused += 1,
            other => panic!("{other}: {reply:?}"),
        }
        if refused >= 5 {
            break;
        }
    }
    assert!(refused >= 5, "the disk did not fill up after {} writes", kept.len());
    assert_eq!(agent.get("/healthz").await.status, 200, "the server lives");
    std::fs::remove_file(&ballast).expect("room");
    // Without room for its log Postgres stops; an operator makes room, and starts it.
    if PgConnection::connect(&house.postgres().owner_url("postgres")).await.is_err() {
        house.postgres().start().await;
    }
    until("it is taken again", async || writes(&agent, "there is room again").await < 300).await;
    assert_eq!(agent.reads(&known).await["content"], "known before the disk was full");
    for id in &kept {
        assert_eq!(agent.get(&format!("memories/{}", id.as_str().expect("an id"))).await.status, 200, "{id} was acknowledged");
    }
    everything_holds(&house).await;
    println!("out of disk: {} writes acknowledged on a full disk and none lost, {refused} answered 503, then served again", kept.len());
    server.kill().await;
    house.postgres().crash().await;
}

/// Writes until there is no room.
fn fill(file: &Path) {
    let mut file = std::fs::File::create(file).expect("a file");
    let piece = vec![7; 64 * 1024];
    while file.write_all(&piece).is_ok() {}
}

/// What no disk makes smaller.
fn noise() -> String {
    let words: Vec<String> = (0..2000).map(|_| format!("{:08x}", rand::random::<u32>())).collect();
    words.concat()
}
