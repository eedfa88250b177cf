//! The instance: how it is doing, its workspaces and its people.

use super::{
    super::{asked::Asked, forms::Posted},
    Keeper, Nothing, once,
};
use crate::{
    acts::{self, access::NewPerson, instance::Loaded},
    auth::Caller,
    config::Embeddings,
    jobs::{Job, Went},
    model::{
        Email, PersonId, Settings, Slug,
        page::Limit,
        text,
        workspaces::{NewWorkspace, Seen},
    },
    problem::Problem,
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    hall::{self as page, Health, Index, Instance, Invited, People, Place, Workspaces},
};
use serde::Deserialize;
use std::{collections::HashMap, time::Duration};

const WORKSPACES: &str = "/instance/workspaces";
const PEOPLE: &str = "/instance/people";

pub async fn show(Keeper { guest, admin }: Keeper) -> Result<Response, Problem> {
    let (app, config) = (&guest.app, guest.app.config());
    let health = acts::instance::health(app, &admin).await;
    let (loaded, taken, most) = acts::instance::indexes(app, &admin);
    let names = names(&guest).await?;
    let (database_version, migrations) = health.about.unwrap_or_default();
    let view = Instance {
        health: Health {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            public_url: config.public_url(),
            database_ms: health.database.map(|took| took.as_secs_f64() * 1000.0),
            database_version,
            migrations,
            connections: health.connections,
            uptime: span(health.uptime),
            embeddings: match &config.embeddings {
                Embeddings::Builtin => "the built-in model".to_owned(),
                Embeddings::Off => "off: words only".to_owned(),
                Embeddings::Outside(there) => format!("{} elsewhere", there.model),
            },
            single_sign_on: config.oidc.as_ref().map(|oidc| oidc.issuer().to_owned()),
        },
        jobs: acts::instance::jobs(app, &admin).into_iter().map(job).collect(),
        indexes: loaded.iter().map(|one| index(one, &names)).collect(),
        cache: (taken, most),
        hall: guest.hall(None),
    };
    Ok(guest.sees(view.html()))
}

async fn names(guest: &super::Guest) -> Result<HashMap<crate::model::WorkspaceId, String>, Problem> {
    let all =
        acts::access::list_workspaces(&guest.app, &Caller::Person(guest.person.found.clone()), Limit::parse(Some(200))?, None).await?;
    Ok(all.data.into_iter().map(|seen| (seen.workspace.id, seen.workspace.name)).collect())
}

fn index(one: &Loaded, names: &HashMap<crate::model::WorkspaceId, String>) -> Index {
    let workspace = names.get(&one.workspace).cloned().unwrap_or_else(|| one.workspace.to_string());
    Index { workspace, memories: one.memories, bytes: one.bytes }
}

fn job((job, went): (Job, Option<Went>)) -> page::Job {
    let (name, does) = match job {
        Job::Sealing => ("Sealing", "adds new entries of the trails to their signed trees; one server at a time"),
        Job::Dreams => ("Dreams", "begins the daily curation runs where they are due; one server at a time"),
        Job::Retention => ("Retention", "erases what has been archived for as long as the rules say; one server at a time"),
        Job::Journal => ("Journal of erasures", "keeps beside the database what was erased, for restored backups"),
        Job::Contradictions => ("Contradictions", "holds what was written in a flood against the rest"),
        Job::QuietSessions => ("Quiet sessions", "ends runs that have fallen silent; one server at a time"),
        Job::OldPictures => ("Old pictures", "forgets branches that nobody has synced for a month; one server at a time"),
        Job::Embeddings => ("Vectors", "makes vectors with the outside model, if there is one; one server at a time"),
    };
    page::Job {
        name: name.to_owned(),
        does: does.to_owned(),
        last_at: went.map(|went| went.at),
        took_ms: went.map_or(0, |went| u64::try_from(went.took.as_millis()).unwrap_or(u64::MAX)),
        failures: went.map_or(0, |went| went.failures),
        failed: went.is_some_and(|went| !went.well),
    }
}

fn span(time: Duration) -> String {
    let minutes = time.as_secs() / 60;
    match (minutes / 1440, minutes / 60, minutes) {
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, _) => format!("{hours} h"),
        (1, ..) => "a day".to_owned(),
        (days, ..) => format!("{days} days"),
    }
}

pub async fn workspaces(Keeper { guest, .. }: Keeper, mut asked: Asked) -> Result<Response, Problem> {
    let by = Caller::Person(guest.person.found.clone());
    let list = async |cursor: Option<String>| acts::access::list_workspaces(&guest.app, &by, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let view = Workspaces {
        places: found.data.iter().map(place).collect(),
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        hall: guest.hall(asked.complaint()),
    };
    Ok(guest.sees(view.html()))
}

fn place(seen: &Seen) -> Place {
    Place {
        slug: seen.workspace.slug.clone(),
        name: seen.workspace.name.clone(),
        purpose: seen.workspace.purpose.clone(),
        created_at: seen.workspace.created_at,
        role: seen.role.map(|role| role.word().to_owned()),
    }
}

#[derive(Deserialize)]
pub struct Wanted {
    slug: Option<String>,
    name: Option<String>,
    purpose: Option<String>,
}

pub async fn create_workspace(Keeper { guest, admin }: Keeper, Posted(form): Posted<Wanted>) -> Result<Response, Problem> {
    let made = async {
        let new = NewWorkspace {
            slug: Slug::parse(form.slug.as_deref().unwrap_or_default())?,
            name: text::line("name", form.name.as_deref().unwrap_or_default(), 200)?,
            purpose: text::prose("purpose", form.purpose.as_deref().unwrap_or_default(), 2000)?,
            settings: Settings::default(),
        };
        acts::access::create_workspace(&guest.app, &admin, &new).await
    };
    let said = |seen: Seen| (WORKSPACES, Flash::good(format!("{} is there, and you are its first admin.", seen.workspace.name)));
    guest.after(made.await.map(said), WORKSPACES)
}

pub async fn people(keeper: Keeper, asked: Asked) -> Result<Response, Problem> {
    listed(&keeper, asked, None).await
}

async fn listed(Keeper { guest, admin }: &Keeper, mut asked: Asked, invited: Option<Invited>) -> Result<Response, Problem> {
    let list = async |cursor: Option<String>| acts::access::list_people(&guest.app, admin, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let view = People {
        people: found
            .data
            .iter()
            .map(|person| page::Person {
                id: person.id.to_string(),
                name: person.name.clone(),
                email: person.email.clone(),
                instance_admin: person.instance_admin,
                created_at: person.created_at,
                you: person.id == admin.person.id,
            })
            .collect(),
        invited,
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        hall: guest.hall(asked.complaint()),
    };
    Ok(guest.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Newcomer {
    email: Option<String>,
    name: Option<String>,
    instance_admin: Option<String>,
}

/// The link stands in this answer and nowhere else.
pub async fn create_person(keeper: Keeper, Posted(form): Posted<Newcomer>) -> Result<Response, Problem> {
    let made = async {
        let email = Email::parse(form.email.as_deref().unwrap_or_default())?;
        let name = text::line("name", form.name.as_deref().unwrap_or_default(), 200)?;
        let new = NewPerson { email, name, password: None, instance_admin: form.instance_admin.is_some() };
        acts::access::create_person(&keeper.guest.app, &keeper.admin, new).await
    };
    match made.await {
        Ok((person, link)) => {
            let invited = link.map(|link| Invited { name: person.name, link });
            Ok(once(listed(&keeper, Asked::default(), invited).await?))
        }
        Err(problem) => keeper.guest.after(Err(problem), PEOPLE),
    }
}

pub async fn make_link(keeper: Keeper, Path(id): Path<String>, _: Posted<Nothing>) -> Result<Response, Problem> {
    match acts::access::make_link(&keeper.guest.app, &keeper.admin, parse(&id)?).await {
        Ok((person, link)) => Ok(once(listed(&keeper, Asked::default(), Some(Invited { name: person.name, link })).await?)),
        Err(problem) => keeper.guest.after(Err(problem), PEOPLE),
    }
}

pub async fn delete_person(Keeper { guest, admin }: Keeper, Path(id): Path<String>, _: Posted<Nothing>) -> Result<Response, Problem> {
    let done = acts::access::delete_person(&guest.app, &admin, parse(&id)?).await;
    guest.after(done.map(|()| (PEOPLE, Flash::good("Deleted: out of every workspace, and signed out everywhere."))), PEOPLE)
}

fn parse(id: &str) -> Result<PersonId, Problem> {
    id.parse().map_err(|_| Problem::NotFound)
}
