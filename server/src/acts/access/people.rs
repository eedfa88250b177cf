//! People of the instance: made, listed and removed by those who run it.

use super::invitation;
use crate::{
    App,
    audit::{Audit, Trail},
    auth::{InstanceAdmin, links::LinkToken, passwords},
    model::{
        Email, PersonId,
        access::{Password, Person},
        page::{Limit, Page},
    },
    problem::Problem,
    store,
};

pub struct NewPerson {
    pub email: Email,
    pub name: String,
    /// Without one, the person chooses it through a one-time link.
    pub password: Option<Password>,
    pub instance_admin: bool,
}

/// Make a person; without a password, with a link to choose one.
pub async fn create_person(app: &App, by: &InstanceAdmin, new: NewPerson) -> Result<(Person, Option<String>), Problem> {
    let hash = match &new.password {
        Some(password) => Some(passwords::hash(password).await?),
        None => None,
    };
    let mut tx = app.db().instance(&by.actor(), &by.request).await?;
    store::people::take_turns(&mut tx).await?;
    let person = store::people::insert(&mut tx, &new.email, &new.name, hash.as_deref(), new.instance_admin).await?;
    let mut trail = vec![Audit::person("person.created", person.id)];
    let mut shown = None;
    if hash.is_none() {
        let token = LinkToken::make();
        store::links::insert_for(&mut tx, &token.hash(), person.id).await?;
        trail.push(Audit::person("person.link_made", person.id));
        shown = Some(invitation(app, &token));
    }
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok((person, shown))
}

pub async fn list_people(app: &App, by: &InstanceAdmin, limit: Limit, cursor: Option<&str>) -> Result<Page<Person>, Problem> {
    store::people::list(&mut app.db().instance_read(&by.actor()).await?, limit, cursor).await
}

/// A new link for somebody who lost the first, forgot their password, or must be kept out at once: until it is
/// used, they cannot sign in by password, and where they were signed in, they no longer are. The door of single sign-on
/// is shut by the provider alone.
pub async fn make_link(app: &App, by: &InstanceAdmin, id: PersonId) -> Result<(Person, String), Problem> {
    let token = LinkToken::make();
    let mut tx = app.db().instance(&by.actor(), &by.request).await?;
    store::people::take_turns(&mut tx).await?;
    let person = store::people::find(&mut tx, id).await?;
    store::people::set_password(&mut tx, id, None).await?;
    store::logins::end_all(&mut tx, id, None).await?;
    store::links::insert_for(&mut tx, &token.hash(), id).await?;
    tx.commit(Audit::person("person.link_made", id)).await?;
    Ok((person, invitation(app, &token)))
}

/// Remove a person: out of every workspace, signed out everywhere, and the keys of their agents with them. What they wrote
/// stays, by nobody in particular: their name, their address and where they signed in are forgotten.
pub async fn delete_person(app: &App, by: &InstanceAdmin, id: PersonId) -> Result<(), Problem> {
    let mut tx = app.db().instance(&by.actor(), &by.request).await?;
    store::people::take_turns(&mut tx).await?;
    let person = store::people::find(&mut tx, id).await?;
    if person.instance_admin && store::people::count_instance_admins(&mut tx).await? < 2 {
        return Err(Problem::conflict("last_admin", "This is the only instance admin. Make another one first."));
    }
    for workspace in store::people::workspaces(&mut tx, id).await? {
        let mut inside = tx.step_into(workspace).await?;
        let trail = super::members::leave(&mut inside, id).await?;
        tx = inside.step_back(trail).await?;
    }
    store::logins::forget(&mut tx, id).await?;
    store::links::void(&mut tx, id).await?;
    store::identities::forget(&mut tx, id).await?;
    store::people::remove(&mut tx, id).await?;
    tx.commit(Audit::person("person.deleted", id)).await
}
