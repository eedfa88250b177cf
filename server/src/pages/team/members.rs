//! Members: let in, given another role, taken out.

use super::{
    super::{asked::Asked, forms::Posted, viewer::Viewer},
    Nothing, role,
};
use crate::{
    acts,
    model::{Email, PersonId, access::Member, page::Limit, text},
    problem::Problem,
    store::Governing,
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    team::{self as page, Invited, Members},
};
use serde::Deserialize;

pub async fn index(viewer: Viewer<Governing>, asked: Asked) -> Result<Response, Problem> {
    list(&viewer, asked, None).await
}

async fn list(viewer: &Viewer<Governing>, mut asked: Asked, invited: Option<Invited>) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let list = async |cursor: Option<String>| acts::access::list_members(app, scope, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let me = scope.actor().id;
    let view = Members {
        members: found.data.iter().map(|one| member(one, one.person.0 == me)).collect(),
        invited,
        sso: app.config().oidc.is_some(),
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Wanted {
    email: Option<String>,
    name: Option<String>,
    role: Option<String>,
}

/// Let somebody in. The link of whoever is new stands in this answer and nowhere else.
pub async fn create(viewer: Viewer<Governing>, Posted(form): Posted<Wanted>) -> Result<Response, Problem> {
    let joined = async {
        let email = Email::parse(form.email.as_deref().unwrap_or_default())?;
        let name = form.name.as_deref().map(|name| text::line("name", name, 200)).transpose()?;
        acts::access::add_member(&viewer.app, &viewer.scope, &email, name.as_deref(), role(form.role.as_deref())?).await
    };
    let back = viewer.place("members");
    let joined = match joined.await {
        Ok(joined) => joined,
        Err(problem) => return viewer.after(Err(problem), &back),
    };
    if let Some(link) = joined.invitation {
        let invited = Invited { name: joined.member.name, email: joined.member.email, link };
        return list(&viewer, Asked::default(), Some(invited)).await;
    }
    let said = format!("{} is a member now, and signs in as before.", joined.member.name);
    viewer.after(Ok((back.clone(), Flash::good(said))), &back)
}

#[derive(Deserialize)]
pub struct Another {
    role: Option<String>,
}

pub async fn change_role(
    viewer: Viewer<Governing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Another>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let back = viewer.place("members");
    let changed = async { acts::access::change_role(&viewer.app, &viewer.scope, id, role(form.role.as_deref())?).await };
    let done = changed.await.map(|member| (back.clone(), Flash::good(format!("{} is {} now.", member.name, member.role.word()))));
    viewer.after(done, &back)
}

pub async fn remove(viewer: Viewer<Governing>, Path((_, id)): Path<(String, String)>, _: Posted<Nothing>) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let done = acts::access::remove_member(&viewer.app, &viewer.scope, id).await;
    let to = if id.0 == viewer.scope.actor().id { "/workspaces".to_owned() } else { viewer.place("members") };
    viewer.after(done.map(|()| (to, Flash::good("Removed from this workspace."))), &viewer.place("members"))
}

fn member(member: &Member, you: bool) -> page::Member {
    page::Member {
        id: member.person.to_string(),
        name: member.name.clone(),
        email: member.email.clone(),
        role: member.role.word().to_owned(),
        since: member.since,
        you,
        by_group: member.by_group,
    }
}

fn parse(id: &str) -> Result<PersonId, Problem> {
    id.parse().map_err(|_| Problem::NotFound)
}
