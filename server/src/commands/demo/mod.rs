//! Two demo workspaces with a believable history, told through the real API: every line of it went through the
//! same doors, checks and trail as anyone's. Running it again changes nothing.

mod caller;
mod code;
mod runs;
mod story;

use super::Failure;
use crate::{
    App,
    config::{Config, Secret},
    model::{Email, text::hex},
    stack,
};
use caller::Api;
use rand::RngExt;
use serde_json::{Value, json};
use std::{fs, io::Write, os::unix::fs::OpenOptionsExt, path::PathBuf};

const EMAIL: &str = "ada@harbor.example";

/// Chooses who signs in to the demo: the admin that the operator named, or one with a password made for this data dir.
pub fn with_admin(mut config: Config) -> Result<Config, Failure> {
    if config.admin.is_none() {
        let email = Email::parse(EMAIL).map_err(crate::serve::told)?;
        config.admin = Some((email, Secret(password(&config)?)));
    }
    Ok(config)
}

/// Fills what is missing.
pub async fn fill(app: &App) -> Result<(), Failure> {
    let (email, password) = app.config().admin.as_ref().ok_or("the demo needs an admin to speak as")?;
    let router = stack::router(app.clone());
    let admin = Api::sign_in(&router, email.as_str(), &password.0).await.map_err(|failure| {
        format!("the demo speaks as {}, who cannot sign in here: {failure}\nSet CAIRN_ADMIN_EMAIL and CAIRN_ADMIN_PASSWORD to an instance admin's.", email.as_str())
    })?;
    let there = admin.get("/v1/workspaces").await?;
    for workspace in story::WORKSPACES {
        let known = there["data"].as_array().is_some_and(|all| all.iter().any(|one| one["slug"] == workspace.slug));
        if !known {
            tell(&admin, workspace, &password.0).await?;
            tracing::info!(workspace = workspace.slug, "filled a demo workspace");
        }
    }
    Ok(())
}

/// What a newcomer needs to know, in a few lines.
pub fn how_to_sign_in(app: &App) -> Result<String, Failure> {
    let (email, password) = app.config().admin.as_ref().ok_or("the demo needs an admin to speak as")?;
    let mut others: Vec<_> = story::WORKSPACES
        .iter()
        .flat_map(|workspace| workspace.people)
        .map(|person| format!("{} ({})", person.email, person.role))
        .collect();
    others.dedup();
    others.sort();
    others.dedup();
    let mine = app.config().data_dir.join(FILE);
    let shown =
        if mine.exists() { format!("{} (kept in {})", password.0, mine.display()) } else { "as in CAIRN_ADMIN_PASSWORD".to_owned() };
    Ok(format!(
        "\n  Cairn is ready:  {}\n  sign in as       {}\n  password         {shown}\n  also, with the same password: {}\n  API document     {}/docs\n",
        app.config().public_url(),
        email.as_str(),
        others.join(", "),
        app.config().public_url(),
    ))
}

const FILE: &str = "demo-password";

/// Made once per data dir, readable by its owner only: a password that everybody knows would be a hole.
fn password(config: &Config) -> Result<String, Failure> {
    let file: PathBuf = config.data_dir.join(FILE);
    if let Ok(kept) = fs::read_to_string(&file) {
        return Ok(kept.trim().to_owned());
    }
    crate::store::cluster::make_data_dir(&config.data_dir)?;
    let random: [u8; 12] = rand::rng().random();
    let made = hex(&random);
    let mut kept = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
    writeln!(kept, "{made}")?;
    Ok(made)
}

async fn tell(admin: &Api<'_>, workspace: &story::Workspace, password: &str) -> Result<(), Failure> {
    let base = format!("/v1/workspaces/{}", workspace.slug);
    admin.post("/v1/workspaces", json!({"slug": workspace.slug, "name": workspace.name, "purpose": workspace.purpose})).await?;
    let mut people = Vec::new();
    for person in workspace.people {
        let joined =
            admin.post(&format!("{base}/members"), json!({"email": person.email, "name": person.name, "role": person.role})).await?;
        if let Some(token) = joined["invitation"].as_str().and_then(|link| link.rsplit('/').next()) {
            admin.post(&format!("/v1/auth/links/{token}"), json!({"password": password})).await?;
        }
        people.push(admin.sign_in_again(person.email, password).await?);
    }
    let mut agents = Vec::new();
    for agent in workspace.agents {
        let made = admin.post(&format!("{base}/agents"), json!({"name": agent.name, "role": "writer", "project": agent.project})).await?;
        let key = admin.post(&format!("{base}/agents/{}/keys", text(&made["id"])), json!({})).await?;
        agents.push(admin.with_key(text(&key["key"])));
    }
    let mut made: Vec<Value> = Vec::new();
    for step in workspace.steps {
        let by = match step.by {
            story::By::Agent(n) => &agents[n],
            story::By::Person(n) => &people[n],
            story::By::Admin => admin,
        };
        let path =
            step.on.map_or_else(|| format!("{base}/memories"), |on| format!("{base}/memories/{}{}", text(&made[on]["id"]), step.verb));
        let mut body: Value = serde_json::from_str(step.body)?;
        if step.verb == "deletion" {
            let id = text(&made[step.on.unwrap_or_default()]["id"]);
            body["memory_ids"] = json!([id]);
            by.post(&format!("{base}/deletion-requests"), body).await?;
            continue;
        }
        match step.method {
            "PATCH" => drop(by.patch(&path, body).await?),
            "DELETE" => drop(by.delete(&path).await?),
            _ if step.on.is_some() && step.verb != "/supersede" => drop(by.post(&path, body).await?),
            _ => made.push(by.post(&path, body).await?),
        }
    }
    runs::tell(workspace.slug, &runs::Cast { base, admin, people: &people, agents: &agents, made: &made }).await
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
