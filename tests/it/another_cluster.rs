//! A database that is moved into another cluster, by whatever tool: the numbers of its transactions mean nothing there, and
//! neither a server that starts on it nor one that is running is misled by them.

use cairn_server::store::cluster::Binaries;
use cairn_tests::{House, Postgres, Program, Role, until};
use serde_json::json;
use std::{
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
};
use tempfile::TempDir;
use tokio::process::Command;

/// The folder in which a cluster's socket lies.
fn folder_of(url: &str) -> PathBuf {
    let (_, after) = url.split_once("host=").expect("a socket");
    PathBuf::from(after.split('&').next().expect("a folder"))
}

/// An address behind which now one cluster answers, now another.
struct Address(TempDir);

impl Address {
    fn of(postgres: &Postgres) -> Self {
        let address = Self(TempDir::new().expect("a folder"));
        std::fs::set_permissions(address.0.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("is opened");
        address.leads_to(postgres);
        address
    }

    fn leads_to(&self, postgres: &Postgres) {
        let socket = self.0.path().join(".s.PGSQL.5432");
        let _ = std::fs::remove_file(&socket);
        symlink(folder_of(&postgres.owner_url("postgres")).join(".s.PGSQL.5432"), socket).expect("a link");
    }

    fn url(&self, there: &str) -> String {
        let folder = folder_of(there);
        there.replace(folder.to_str().expect("a text"), self.0.path().to_str().expect("a text"))
    }
}

/// As an operator would by hand: a dump of one, into an empty database of the other.
async fn moves(from: &House, to: &Postgres) {
    let (copy, binaries) = (TempDir::new().expect("a folder"), Binaries::find().expect("Postgres"));
    let file = copy.path().join("copy");
    run(&binaries.path("pg_dump"), &["--format=custom", "--no-owner", "--file"], &file, &from.postgres().owner_url(from.database())).await;
    to.run(&format!("create database {}", from.database())).await;
    let there = format!("--dbname={}", to.owner_url(from.database()));
    run(&binaries.path("pg_restore"), &["--no-owner", "--exit-on-error", &there], &file, "").await;
}

async fn run(program: &Path, arguments: &[&str], file: &Path, url: &str) {
    let mut command = Command::new(program);
    command.args(arguments).arg(file).stdin(Stdio::null());
    if !url.is_empty() {
        command.arg(url);
    }
    let done = command.output().await.expect("runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// So many transactions that the other cluster is far behind.
async fn lives_on(house: &House) {
    let sql = "do $$ begin for n in 1..20000 loop perform pg_current_xact_id(); commit; end loop; end $$";
    sqlx::raw_sql(sql).execute(house.owner()).await.expect("numbers");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_runs_sees_what_is_written_in_the_other() {
    let house = House::on(Postgres::own(false).await, |_| {}).await;
    let other: Arc<Postgres> = Postgres::own(false).await;
    lives_on(&house).await;
    let agent = house.agent("coding", Role::Writer).await;
    let address = Address::of(house.postgres());
    let (app, owner) =
        (address.url(&house.postgres().login_url(house.database())), address.url(&house.postgres().owner_url(house.database())));
    let settings = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", &owner)];
    let program = Program::serve(Program::free_port(), house.folder(), &settings).await;
    let agent = agent.living_at(&program.url);
    agent.remembers("marmalade is for breakfast").await;
    assert_eq!(agent.recalls("marmalade").await, ["marmalade is for breakfast"]);

    moves(&house, &other).await;
    address.leads_to(&other);
    let everybody = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cairn'";
    sqlx::query(everybody).execute(house.owner()).await.expect("they are gone");
    let mut written = false;
    until("the other one is written to", async || {
        written = written || agent.post("memories", json!({"content": "honey is for supper"})).await.status < 300;
        written
    })
    .await;
    let mut told = Vec::new();
    until("somebody answers", async || {
        let reply = agent.post("recall", json!({"query": "honey or marmalade?"})).await;
        told = if reply.status == 200 { cairn_tests::texts(&reply.body) } else { Vec::new() };
        reply.status == 200
    })
    .await;
    told.sort();
    assert_eq!(told, ["honey is for supper", "marmalade is for breakfast"]);
    program.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_forgets_the_numbers_of_the_other() {
    let mut house = House::on(Postgres::own(false).await, |_| {}).await;
    let other = Postgres::own(false).await;
    lives_on(&house).await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers("marmalade is for breakfast").await;
    let old = agent.remembers("jam is for breakfast").await;
    let new = agent.remembers_all_of(json!({"content": "jam is for tea", "supersedes": old["id"]})).await;
    let (asks, lets_go) = (house.person("coding", Role::Admin).await, house.person("coding", Role::Admin).await);
    lets_go.lets_go(&asks.asks_to_erase(&[&old], "a wish").await).await;
    house.is_sealed().await;
    house.shut().await;
    moves(&house, &other).await;
    let key = house.folder().join("master.key");
    let moved = House::on_database(other, house.database().to_owned(), |given| given.master_key_file = Some(key)).await.expect("it opens");
    let ahead = "select count(*) from memories where changed_xid >= pg_snapshot_xmax(pg_current_snapshot())";
    assert_eq!(moved.count(ahead).await, 0, "these would be read anew with every recall");
    let agent = agent.living_at(&moved.url);
    agent.remembers("honey is for supper").await;
    assert_eq!(agent.recalls("honey, jam or marmalade?").await.len(), 3);
    // What was erased there was erased before anything that is asked here.
    let again = agent.ask("PATCH", &cairn_tests::at(&new)).header("Idempotency-Key", "k").json(&json!({"tags": ["tea"]}));
    assert_eq!(again.send().await.expect(200)["supersedes"], old["id"]);
    moved.is_sealed().await;
    assert_eq!(moved.count("select count(*) from home").await, 1);
}
