//! One throw-away Postgres for all houses of a test run, and a migrated database in it that each is a copy of.

use cairn_server::store::{cluster::ThrowAway, connect};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
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
