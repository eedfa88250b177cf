//! One throw-away Postgres for all houses of a test run, and a migrated database in it that each is a copy of.

use cairn_server::store::{cluster::ThrowAway, connect};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};
use tokio::sync::OnceCell;

const TEMPLATE: &str = "house_template";

pub struct Postgres {
    cluster: ThrowAway,
    count: AtomicU32,
    /// Databases of houses that are closed, to be dropped when the next one opens.
    left: Mutex<Vec<String>>,
}

impl Postgres {
    /// The one that all houses share.
    pub async fn shared() -> Arc<Self> {
        static SHARED: OnceCell<Arc<Postgres>> = OnceCell::const_new();
        SHARED.get_or_init(|| Self::own(false)).await.clone()
    }

    /// One for a test that does something to it. Not `durable` means that it may not be pulled the plug.
    pub async fn own(durable: bool) -> Arc<Self> {
        let cluster = tokio::task::spawn_blocking(move || ThrowAway::start(durable)).await.expect("not cancelled").expect("a Postgres");
        Self::furnished(cluster).await
    }

    async fn furnished(cluster: ThrowAway) -> Arc<Self> {
        let postgres = Self { cluster, count: AtomicU32::new(0), left: Mutex::default() };
        postgres.run(&format!("create database {TEMPLATE}")).await;
        connect::migrate(&postgres.owner_url(TEMPLATE), &postgres.login_url(TEMPLATE)).await.expect("migrates");
        Arc::new(postgres)
    }

    /// A new database, migrated.
    pub async fn database(&self) -> String {
        let left: Vec<String> = std::mem::take(&mut *self.left.lock().expect("not poisoned"));
        for name in left {
            self.run(&format!("drop database if exists {name} with (force)")).await;
        }
        let name = format!("house_{}", self.count.fetch_add(1, Ordering::Relaxed));
        self.run(&format!("create database {name} template {TEMPLATE}")).await;
        name
    }

    /// What a house leaves behind.
    pub(crate) fn leave(&self, database: &str) {
        if let Ok(mut left) = self.left.lock() {
            left.push(database.to_owned());
        }
    }

    pub fn owner_url(&self, database: &str) -> String {
        self.cluster.owner_url(database)
    }

    pub fn login_url(&self, database: &str) -> String {
        self.cluster.login_url(database)
    }

    /// One on a disk of the test's own, with settings of its own.
    pub async fn on_disk(parent: &Path, settings: &str) -> Arc<Self> {
        let (parent, settings) = (parent.to_owned(), settings.to_owned());
        let cluster =
            tokio::task::spawn_blocking(move || ThrowAway::start_in(&parent, &settings)).await.expect("not cancelled").expect("a Postgres");
        Self::furnished(cluster).await
    }

    /// Another that follows this one, and without which this one acknowledges nothing.
    pub async fn replica(self: &Arc<Self>) -> Arc<Self> {
        let this = self.clone();
        let cluster = tokio::task::spawn_blocking(move || this.cluster.replica()).await.expect("not cancelled").expect("a replica");
        let synchronous = "select count(*) from pg_stat_replication where sync_state = 'sync'";
        self.run("alter system set synchronous_standby_names = '*'").await;
        self.run("select pg_reload_conf()").await;
        crate::until("the replica keeps up", async || self.number(synchronous).await == 1).await;
        Arc::new(Self { cluster, count: AtomicU32::new(0), left: Mutex::default() })
    }

    /// From a replica to a primary, that waits for no other.
    pub async fn promote(self: &Arc<Self>) {
        self.run("alter system set synchronous_standby_names = ''").await;
        self.pg_ctl(&["promote", "-w"]).await;
        self.run("select pg_reload_conf()").await;
    }

    /// Stops all its processes where they stand, or lets them go on.
    pub fn signal(&self, signal: Signal) {
        let file = self.cluster.data_dir().join("postmaster.pid");
        let text = std::fs::read_to_string(file).expect("it runs");
        let postmaster: i32 = text.lines().next().and_then(|pid| pid.parse().ok()).expect("a pid");
        for pid in children_of(postmaster).into_iter().chain([postmaster]) {
            let _ = kill(Pid::from_raw(pid), signal);
        }
    }

    /// The socket that it listens on.
    pub fn socket(&self) -> PathBuf {
        self.cluster.folder().join(".s.PGSQL.5432")
    }

    pub async fn number(&self, sql: &str) -> i64 {
        let mut conn = PgConnection::connect(&self.owner_url("postgres")).await.expect("the owner gets in");
        let number = sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(&mut conn).await.expect(sql);
        conn.close().await.expect("closes");
        number
    }

    /// Pulls the plug.
    pub async fn crash(self: &Arc<Self>) {
        self.pg_ctl(&["stop", "-m", "immediate"]).await;
    }

    pub async fn start(self: &Arc<Self>) {
        self.pg_ctl(&["start", "-w"]).await;
    }

    async fn pg_ctl(self: &Arc<Self>, arguments: &'static [&'static str]) {
        let this = self.clone();
        tokio::task::spawn_blocking(move || this.cluster.pg_ctl(arguments)).await.expect("not cancelled").expect("pg_ctl does it");
    }

    /// One statement, as the superuser.
    pub async fn run(&self, sql: &str) {
        let mut conn = PgConnection::connect(&self.owner_url("postgres")).await.expect("the owner gets in");
        conn.execute(AssertSqlSafe(sql.to_owned())).await.expect(sql);
        conn.close().await.expect("closes");
    }
}

fn children_of(parent: i32) -> Vec<i32> {
    let processes = std::fs::read_dir("/proc").expect("processes").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_child = |pid: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = stat.rsplit_once(')').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        after_name.split_whitespace().nth(1).and_then(|ppid| ppid.parse().ok()) == Some(parent)
    };
    processes.filter(is_child).collect()
}
