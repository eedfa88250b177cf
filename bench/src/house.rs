//! A server on a durable Postgres of its own, with workspaces and their agents' keys.

use crate::{Failure, client::Client};
use cairn_server::{
    App,
    config::Given,
    serve::{self, Running},
    store::cluster::ThrowAway,
};
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

pub struct House {
    pub postgres: ThrowAway,
    pub address: SocketAddr,
    /// Of a writer in `WORKSPACE`.
    pub key: String,
    given: Given,
    running: Running,
    started: Instant,
    admin: Client,
    signed_in: Instant,
    _data: tempfile::TempDir,
}

pub const WORKSPACE: &str = "bench";

const EMAIL: &str = "bench@example.org";
const PASSWORD: &str = "a password for one run";
/// A token lives longer than this.
const SIGN_IN_AGAIN: Duration = Duration::from_mins(4);

impl House {
    pub async fn open() -> Result<Self, Failure> {
        Self::with(Given::default()).await
    }

    /// Settings beyond those that every measurement shares.
    pub async fn with(settings: Given) -> Result<Self, Failure> {
        Self::on(tokio::task::spawn_blocking(|| ThrowAway::start(true)).await??, settings).await
    }

    pub async fn on(postgres: ThrowAway, settings: Given) -> Result<Self, Failure> {
        let data = tempfile::tempdir()?;
        let given = Given {
            listen: Some("127.0.0.1:0".to_owned()),
            data_dir: Some(data.path().to_owned()),
            admin_email: Some(EMAIL.to_owned()),
            admin_password: Some(PASSWORD.to_owned()),
            rate_limit: Some("off".to_owned()),
            ..settings
        };
        let started = Instant::now();
        let running = start(&given, &postgres).await?;
        let address = running.address;
        let admin = sign_in(address, EMAIL).await?;
        let mut house =
            Self { postgres, address, key: String::new(), given, running, started, admin, signed_in: Instant::now(), _data: data };
        house.key = house.workspace(WORKSPACE).await?;
        Ok(house)
    }

    /// A new workspace, and the key of an agent who writes in it.
    pub async fn workspace(&mut self, slug: &str) -> Result<String, Failure> {
        if self.signed_in.elapsed() > SIGN_IN_AGAIN {
            self.admin = sign_in(self.address, EMAIL).await?;
            self.signed_in = Instant::now();
        }
        self.admin.make("/v1/workspaces", json!({"slug": slug, "name": slug, "purpose": "to measure"})).await?;
        self.agent(slug, "writer", "writer").await
    }

    /// A new agent in a workspace, and its key.
    pub async fn agent(&mut self, slug: &str, name: &str, role: &str) -> Result<String, Failure> {
        let agents = format!("/v1/workspaces/{slug}/agents");
        let agent = self.admin.make(&agents, json!({"name": name, "role": role})).await?;
        let id = text(&agent["id"]).ok_or("an agent has an id")?;
        let key = self.admin.make(&format!("{agents}/{id}/keys"), json!({})).await?;
        text(&key["key"]).ok_or_else(|| "a key is shown".into())
    }

    /// The key of somebody in a workspace who may review.
    pub async fn reviewer(&mut self, slug: &str) -> Result<String, Failure> {
        self.agent(slug, "reviewer", "reviewer").await
    }

    /// A person with an account and no workspace yet.
    pub async fn account(&mut self, email: &str) -> Result<(), Failure> {
        self.admin.make("/v1/users", json!({"email": email, "name": email, "password": PASSWORD})).await?;
        Ok(())
    }

    pub async fn joins(&mut self, slug: &str, email: &str, role: &str) -> Result<(), Failure> {
        self.admin.make(&format!("/v1/workspaces/{slug}/members"), json!({"email": email, "role": role})).await?;
        Ok(())
    }

    pub async fn sign_in(&self, email: &str) -> Result<Client, Failure> {
        sign_in(self.address, email).await
    }

    /// Change a workspace's settings.
    pub async fn settle(&mut self, slug: &str, settings: Value) -> Result<(), Failure> {
        let (status, answer) =
            self.admin.call(hyper::Method::PATCH, &format!("/v1/workspaces/{slug}"), json!({"settings": settings}).to_string()).await?;
        match status {
            200 => Ok(()),
            _ => Err(format!("the settings were answered {status}: {}", String::from_utf8_lossy(&answer)).into()),
        }
    }

    /// The server from within.
    pub fn app(&self) -> &App {
        &self.running.app
    }

    /// The first admin, who may audit the workspaces.
    pub async fn admin(&mut self) -> Result<&mut Client, Failure> {
        self.admin = sign_in(self.address, EMAIL).await?;
        Ok(&mut self.admin)
    }

    /// Holds everything that was written against the rest, to the end.
    pub async fn sweep(&mut self) -> Result<(), Failure> {
        let admin = self.admin().await?;
        while admin.make(&format!("/v1/workspaces/{WORKSPACE}/conflicts/sweep"), json!({})).await?["more"] == true {}
        Ok(())
    }

    pub async fn client(&self, key: &str) -> Result<Client, Failure> {
        Client::connect(self.address, Some(key.to_owned())).await
    }

    /// The same database, and a server that knows nothing of it yet.
    pub async fn restart(self) -> Result<Self, Failure> {
        let Self { postgres, key, given, running, _data: data, .. } = self;
        running.stop().await?;
        let started = Instant::now();
        let running = start(&given, &postgres).await?;
        let address = running.address;
        let admin = sign_in(address, EMAIL).await?;
        Ok(Self { postgres, address, key, given, running, started, admin, signed_in: Instant::now(), _data: data })
    }

    /// When the server was started.
    pub fn since(&self) -> Instant {
        self.started
    }

    pub async fn close(self) -> Result<(), Failure> {
        self.leave().await.map(drop)
    }

    /// Stops the server; its database stays, and nobody else is in it.
    pub async fn leave(self) -> Result<ThrowAway, Failure> {
        self.running.stop().await?;
        Ok(self.postgres)
    }
}

async fn start(given: &Given, postgres: &ThrowAway) -> Result<Running, Failure> {
    serve::start(given.clone().check()?, &postgres.login_url("postgres"), &postgres.owner_url("postgres")).await
}

async fn sign_in(address: SocketAddr, email: &str) -> Result<Client, Failure> {
    let mut anyone = Client::connect(address, None).await?;
    let login = anyone.make("/v1/auth/login", json!({"email": email, "password": PASSWORD})).await?;
    Client::connect(address, text(&login["access_token"])).await
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
