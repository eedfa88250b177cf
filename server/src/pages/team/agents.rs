//! Agents: the list, one with its keys, and the forms on them.

use super::{
    super::{actors::shown, asked::Asked, forms::Posted, viewer::Viewer},
    Nothing, role,
};
use crate::{
    acts::{
        self,
        access::{AgentInUse, KeysOf},
    },
    model::{
        AgentId, KeyId, PersonId, Power, Project,
        agents::{AgentKey, NewAgent},
        clock,
        page::{Limit, Page},
        text,
    },
    problem::Problem,
    store::Governing,
};
use axum::{
    extract::Path,
    response::{IntoResponse, Redirect, Response},
};
use cairn_web::{
    Choice, Flash,
    team::{self as page, AgentPage, Agents, Key, NewKey},
};
use serde::Deserialize;
use time::Duration;

pub async fn index(viewer: Viewer<Governing>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let list = async |cursor: Option<String>| acts::access::agents_in_use(app, scope, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let members = acts::access::those_who_may(app, scope, Power::Reading).await?;
    let view = Agents {
        agents: found.data.iter().map(agent).collect(),
        people: members.into_iter().map(|one| Choice::new(one.person.to_string(), one.name)).collect(),
        projects: acts::memories::labels(app, scope).await?.projects,
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Made {
    name: Option<String>,
    role: Option<String>,
    project: Option<String>,
    owner: Option<String>,
}

pub async fn create(viewer: Viewer<Governing>, Posted(form): Posted<Made>) -> Result<Response, Problem> {
    let made = async {
        let owner: Option<Result<PersonId, Problem>> =
            form.owner.as_deref().map(|id| id.parse().map_err(|_| Problem::invalid("owner", "must be a member of this workspace")));
        let new = NewAgent {
            name: text::line("name", form.name.as_deref().unwrap_or_default(), 200)?,
            role: role(form.role.as_deref())?,
            project: form.project.as_deref().map(Project::parse).transpose()?,
            owner: owner.transpose()?,
        };
        acts::access::create_agent(&viewer.app, &viewer.scope, &new).await
    };
    let done = made.await.map(|agent| {
        (viewer.place(format_args!("agents/{}", agent.id)), Flash::good(format!("{} is there. Give it a key to come in.", agent.name)))
    });
    viewer.after(done, &viewer.place("agents"))
}

pub async fn show(viewer: Viewer<Governing>, Path((_, id)): Path<(String, String)>, asked: Asked) -> Result<Response, Problem> {
    one(&viewer, parse(&id)?, asked, None).await
}

async fn one(viewer: &Viewer<Governing>, id: AgentId, mut asked: Asked, new_key: Option<NewKey>) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let found = acts::access::agent_in_use(app, scope, id).await?;
    let list = async |cursor: Option<String>| acts::access::list_keys(app, scope, id, Limit::DEFAULT, cursor.as_deref()).await;
    let keys: Page<AgentKey> = asked.page(list).await?;
    let view = AgentPage {
        agent: agent(&found),
        keys: keys.data.iter().map(key).collect(),
        new_key,
        continued: asked.is_continued(),
        next_cursor: keys.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Expiry {
    days: Option<String>,
}

/// Make a key, and show it this once: it stands in this answer and nowhere else.
pub async fn create_key(
    viewer: Viewer<Governing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Expiry>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let made = async {
        let days = form.days.as_deref().map(|days| days.parse::<i64>().ok().filter(|days| (1..=3650).contains(days)));
        let days = match days {
            Some(None) => return Err(Problem::invalid("days", "must be between 1 and 3,650")),
            Some(Some(days)) => Some(clock::now() + Duration::days(days)),
            None => None,
        };
        acts::access::create_key(&viewer.app, &viewer.scope, id, days).await
    };
    match made.await {
        Ok((key, secret)) => {
            let shown = NewKey { text: secret.text(), expires_at: key.expires_at };
            one(&viewer, id, Asked::default(), Some(shown)).await
        }
        Err(problem) => viewer.after(Err(problem), &viewer.place(format_args!("agents/{id}"))),
    }
}

/// Where a new key was shown, loaded again: it is not shown twice.
pub async fn keys(viewer: Viewer<Governing>, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    let id: AgentId = parse(&id)?;
    acts::access::agent_in_use(&viewer.app, &viewer.scope, id).await?;
    Ok(Redirect::to(&viewer.place(format_args!("agents/{id}"))).into_response())
}

pub async fn revoke_key(
    viewer: Viewer<Governing>,
    Path((_, id, key)): Path<(String, String, String)>,
    _: Posted<Nothing>,
) -> Result<Response, Problem> {
    let (id, key): (AgentId, KeyId) = (parse(&id)?, key.parse().map_err(|_| Problem::NotFound)?);
    let page = viewer.place(format_args!("agents/{id}"));
    let done = acts::access::revoke_key(&viewer.app, &viewer.scope, id, key).await;
    viewer.after(done.map(|()| (page.clone(), Flash::good("Revoked: it opens nothing any more."))), &page)
}

pub async fn delete(viewer: Viewer<Governing>, Path((_, id)): Path<(String, String)>, _: Posted<Nothing>) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let done = acts::access::delete_agent(&viewer.app, &viewer.scope, id).await;
    let list = viewer.place("agents");
    viewer.after(done.map(|()| (list.clone(), Flash::good("Taken away, and its keys with it."))), &list)
}

fn agent(one: &AgentInUse) -> page::Agent {
    let AgentInUse { agent, keys: KeysOf { holding, last_used_at } } = one;
    page::Agent {
        id: agent.id.to_string(),
        name: agent.name.clone(),
        role: agent.role.word().to_owned(),
        project: agent.project.clone(),
        owner: agent.owner.as_ref().map(shown),
        made_by: shown(&agent.made_by),
        created_at: agent.created_at,
        keys: holding.unsigned_abs(),
        last_used_at: *last_used_at,
    }
}

fn key(key: &AgentKey) -> Key {
    Key {
        id: key.id.to_string(),
        created_at: key.created_at,
        expires_at: key.expires_at,
        revoked_at: key.revoked_at,
        last_used_at: key.last_used_at,
    }
}

fn parse(id: &str) -> Result<AgentId, Problem> {
    id.parse().map_err(|_| Problem::NotFound)
}
