//! A server on a durable Postgres of its own, with one workspace and one agent's key.

use crate::{Failure, client::Client};
use cairn_server::{
    config::Given,
    serve::{self, Running},
    store::cluster::ThrowAway,
};
use serde_json::json;
use std::net::SocketAddr;

pub struct House {
    pub postgres: ThrowAway,
    pub address: SocketAddr,
    pub key: String,
    running: Running,
    _data: tempfile::TempDir,
}

pub const WORKSPACE: &str = "bench";

impl House {
    pub async fn open() -> Result<Self, Failure> {
        let postgres = tokio::task::spawn_blocking(|| ThrowAway::start(true)).await??;
        let data = tempfile::tempdir()?;
        let (email, password) = ("bench@example.org", "a password for one run");
        let config = Given {
            listen: Some("127.0.0.1:0".to_owned()),
            data_dir: Some(data.path().to_owned()),
            admin_email: Some(email.to_owned()),
            admin_password: Some(password.to_owned()),
            rate_limit: Some("off".to_owned()),
            ..Given::default()
        }
        .check()?;
        let running = serve::start(config, &postgres.login_url("postgres"), &postgres.owner_url("postgres")).await?;
        let address = running.address;
        let mut anyone = Client::connect(address, None).await?;
        let login = anyone.make("/v1/auth/login", json!({"email": email, "password": password})).await?;
        let mut admin = Client::connect(address, text(&login["access_token"])).await?;
        admin.make("/v1/workspaces", json!({"slug": WORKSPACE, "name": "Bench", "purpose": "to measure"})).await?;
        let agents = format!("/v1/workspaces/{WORKSPACE}/agents");
        let agent = admin.make(&agents, json!({"name": "writer", "role": "writer"})).await?;
        let id = text(&agent["id"]).ok_or("an agent has an id")?;
        let key = admin.make(&format!("{agents}/{id}/keys"), json!({})).await?;
        Ok(Self { postgres, address, key: text(&key["key"]).ok_or("a key is shown")?, running, _data: data })
    }

    pub async fn close(self) -> Result<(), Failure> {
        self.running.stop().await
    }
}

fn text(value: &serde_json::Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
