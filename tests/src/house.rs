//! A server on a database of its own, and how people and agents come to live in it.

use crate::{Actor, Agent, Ended, Person, Postgres, Program, Reply};
use cairn_server::{
    App,
    config::Given,
    model::Role,
    serve::{self, Running},
};
use reqwest::Client;
use serde_json::{Value, json};
use sqlx::{PgPool, postgres::PgPoolOptions};
use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};
use tempfile::TempDir;
use tokio::sync::{Mutex, OnceCell};
use uuid::Uuid;

/// Everybody's.
pub const PASSWORD: &str = "stones upon stones upon stones";
const ADMIN: &str = "root@example.org";

pub const ROLES: [Role; 5] = [Role::Reader, Role::Writer, Role::Reviewer, Role::Auditor, Role::Admin];

/// Its database goes with it, so it is held on to for as long as anyone speaks to it.
pub struct House {
    pub url: String,
    stranger: Actor,
    running: Option<Running>,
    app: App,
    postgres: Arc<Postgres>,
    database: String,
    folder: TempDir,
    owner: PgPool,
    admin: OnceCell<Person>,
    workspaces: Mutex<HashMap<String, Uuid>>,
    count: AtomicU32,
}

impl House {
    pub async fn open() -> Self {
        Self::furnished(|_| {}).await
    }

    /// With settings of its own.
    pub async fn furnished(change: impl FnOnce(&mut Given)) -> Self {
        Self::on(Postgres::shared().await, change).await
    }

    pub async fn on(postgres: Arc<Postgres>, change: impl FnOnce(&mut Given)) -> Self {
        let database = postgres.database().await;
        Self::on_database(postgres, database, change).await.expect("the house opens")
    }

    /// For tests in which it may refuse to open.
    pub async fn on_database(postgres: Arc<Postgres>, database: String, change: impl FnOnce(&mut Given)) -> Result<Self, String> {
        say_what_breaks();
        let folder = TempDir::new().expect("a folder");
        let mut given = furniture(folder.path());
        change(&mut given);
        let config = given.check().expect("a configuration");
        let running = serve::start(config, &postgres.login_url(&database), &postgres.owner_url(&database))
            .await
            .map_err(|error| error.to_string())?;
        let owner = PgPoolOptions::new().max_connections(3).connect_lazy(&postgres.owner_url(&database)).expect("a URL");
        Ok(Self {
            stranger: Actor::stranger_at(&running.app.config().public_url()),
            url: running.app.config().public_url(),
            app: running.app.clone(),
            running: Some(running),
            postgres,
            database,
            folder,
            owner,
            admin: OnceCell::new(),
            workspaces: Mutex::default(),
            count: AtomicU32::new(0),
        })
    }

    /// Closes it as an operator would.
    pub async fn close(mut self) {
        self.shut().await;
    }

    /// Stops serving; the database, and whoever lives in it, stay.
    pub async fn shut(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await.expect("stops");
        }
    }

    /// Somebody who shows nothing.
    pub fn stranger(&self) -> Actor {
        self.stranger.clone()
    }

    /// The first admin, who runs the instance and makes every workspace.
    pub async fn admin(&self) -> &Person {
        self.admin.get_or_init(|| self.sign_in(ADMIN, "coding")).await
    }

    /// The id of a workspace, which is made on first mention.
    pub async fn workspace(&self, slug: &str) -> Uuid {
        let admin = self.admin().await;
        let mut known = self.workspaces.lock().await;
        if let Some(id) = known.get(slug) {
            return *id;
        }
        let made =
            admin.post("/v1/workspaces", json!({"slug": slug, "name": format!("The {slug} team"), "purpose": "tests"})).await.expect(201);
        let id = id_of(&made);
        known.insert(slug.to_owned(), id);
        id
    }

    /// A new agent with a key.
    pub async fn agent(&self, workspace: &str, role: Role) -> Agent {
        self.agent_like(workspace, json!({"role": role})).await
    }

    /// A new agent that is walled in a project.
    pub async fn agent_in(&self, workspace: &str, project: &str, role: Role) -> Agent {
        self.agent_like(workspace, json!({"role": role, "project": project})).await
    }

    pub async fn agent_like(&self, workspace: &str, mut like: Value) -> Agent {
        self.workspace(workspace).await;
        let name = format!("agent-{}", self.next());
        like["name"] = json!(name);
        let admin = self.admin().await.looking_at(workspace);
        let id = id_of(&admin.post("agents", like).await.expect(201));
        self.key_of(workspace, id, &name).await
    }

    /// Another key for an agent that is there.
    pub async fn key_of(&self, workspace: &str, agent: Uuid, name: &str) -> Agent {
        let admin = self.admin().await.looking_at(workspace);
        let made = admin.post(&format!("agents/{agent}/keys"), json!({})).await.expect(201);
        let key = made["key"].as_str().expect("a key").to_owned();
        let actor = Actor { id: agent, name: name.to_owned(), ..self.stranger() }.looking_at(workspace).showing(&key);
        Agent { actor, key, key_id: id_of(&made) }
    }

    /// A new person, signed in.
    pub async fn person(&self, workspace: &str, role: Role) -> Person {
        let email = self.account().await;
        self.joins(&email, workspace, role).await;
        self.sign_in(&email, workspace).await
    }

    /// Somebody with an account and no workspace.
    pub async fn account(&self) -> String {
        let email = format!("person-{}@example.org", self.next());
        let new = json!({"email": email, "name": email, "password": PASSWORD});
        self.admin().await.post("/v1/users", new).await.expect(201);
        email
    }

    pub async fn joins(&self, email: &str, workspace: &str, role: Role) {
        self.workspace(workspace).await;
        let reply = self.admin().await.looking_at(workspace).post("members", json!({"email": email, "role": role})).await;
        assert!(reply.status == 201 || reply.status == 200, "{reply:?}");
    }

    pub async fn sign_in(&self, email: &str, workspace: &str) -> Person {
        let tokens = self.tries_to_sign_in(email, PASSWORD).await.expect(200);
        let text = |name: &str| tokens[name].as_str().unwrap_or_else(|| panic!("no {name}: {tokens}")).to_owned();
        let actor = self.stranger().looking_at(workspace).showing(text("access_token"));
        let me = actor.get("/v1/me").await.expect(200);
        let id = id_of(&me["actor"]);
        let actor = Actor { id, name: email.to_owned(), ..actor };
        Person { actor, email: email.to_owned(), password: PASSWORD.to_owned(), refresh_token: text("refresh_token") }
    }

    pub async fn tries_to_sign_in(&self, email: &str, password: &str) -> Reply {
        self.stranger().post("/v1/auth/login", json!({"email": email, "password": password})).await
    }

    /// The server from within, for what cannot be had over HTTP, such as a token that has run out.
    pub fn app(&self) -> &App {
        &self.app
    }

    pub fn owner(&self) -> &PgPool {
        &self.owner
    }

    pub fn postgres(&self) -> &Arc<Postgres> {
        &self.postgres
    }

    pub fn database(&self) -> &str {
        &self.database
    }

    /// A command of the real program on the same database and data dir, beside the server.
    pub async fn runs(&self, arguments: &[&str]) -> Ended {
        let (app, owner) = (self.postgres.login_url(&self.database), self.postgres.owner_url(&self.database));
        let settings = [
            ("CAIRN_DATABASE_URL", app.as_str()),
            ("CAIRN_MIGRATION_DATABASE_URL", &owner),
            ("CAIRN_PUBLIC_URL", &self.url),
            ("CAIRN_ADMIN_EMAIL", ADMIN),
            ("CAIRN_ADMIN_PASSWORD", PASSWORD),
        ];
        Program::run(self.folder(), arguments, &settings).await
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn next(&self) -> u32 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.postgres.leave(&self.database);
    }
}

fn furniture(folder: &Path) -> Given {
    Given {
        listen: Some("127.0.0.1:0".to_owned()),
        data_dir: Some(folder.to_owned()),
        admin_email: Some(ADMIN.to_owned()),
        admin_password: Some(PASSWORD.to_owned()),
        rate_limit: Some("off".to_owned()),
        database_connections: Some("6".to_owned()),
        ..Given::default()
    }
}

/// What the server logs is shown with a test that fails; `RUST_LOG` asks for more.
fn say_what_breaks() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "error".into());
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_test_writer().try_init();
}

/// Talks to this machine only, whatever proxy the environment names.
pub(crate) fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().build().expect("a client")
}

pub(crate) fn id_of(made: &Value) -> Uuid {
    made["id"].as_str().and_then(|id| id.parse().ok()).unwrap_or_else(|| panic!("no id: {made}"))
}
