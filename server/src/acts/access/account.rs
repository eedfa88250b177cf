//! One's own account: who one is, one's password, and where one is signed in.

use super::{
    sign_in::{count, fits, slow_down, subjects},
    without_key,
};
use crate::{
    App,
    audit::Audit,
    auth::{Caller, PersonCaller, Visitor, passwords},
    model::{
        Actor, Email, LoginId,
        access::{Login, Password, Person},
        page::{Limit, Page},
        workspaces::Seen,
    },
    problem::Problem,
    store,
};

/// Who calls, and where they may go.
pub struct Me {
    pub actor: Actor,
    /// Agents have no account.
    pub person: Option<Person>,
    pub workspaces: Vec<Seen>,
}

pub async fn me(app: &App, caller: &Caller) -> Result<Me, Problem> {
    let (person, workspaces) = match caller {
        Caller::Person(found) => {
            let theirs = app.db().workspaces_of(found.person.id).await?;
            let seen = theirs.into_iter().map(|(workspace, role)| Seen { workspace, role: Some(role), project: None }).collect();
            (Some(found.person.clone()), seen)
        }
        Caller::Agent { standing, .. } => (None, vec![Seen::of(standing)]),
    };
    Ok(Me { actor: caller.actor(), person, workspaces })
}

/// Choose another password; all other sign-ins end.
pub async fn change_password(app: &App, by: &PersonCaller, current: &str, new: &Password, visitor: &Visitor) -> Result<(), Problem> {
    let person = &by.found.person;
    let actor = Actor::person(person.id, person.name.clone());
    // Whoever did not hear that it is done asks with a password that is theirs no longer.
    drop(app.db().instance(&actor, &by.request).await?);
    let subjects = subjects(app, &Email::parse(&person.email)?, visitor);
    slow_down(app.db().wait_before_sign_in(&subjects).await?)?;
    let known = app.db().find_person(&Email::parse(&person.email)?).await?;
    if !fits(current, known.and_then(|known| known.password_hash).as_deref()).await? {
        let mut tx = app.db().instance(&actor, &without_key(&by.request)).await?;
        count(&mut tx, &subjects).await?;
        tx.commit(Audit::sign_in_failed(Some(person.id))).await?;
        return Err(Problem::invalid("current_password", "is not your password"));
    }
    let hash = passwords::hash(new).await?;
    let mut tx = app.db().instance(&actor, &by.request).await?;
    slow_down(store::failures::wait_in_line(&mut tx, &subjects).await?)?;
    store::failures::forgive(&mut tx, &subjects.account).await?;
    store::people::set_password(&mut tx, person.id, Some(&hash)).await?;
    store::logins::end_all(&mut tx, person.id, Some(by.found.login)).await?;
    store::links::void(&mut tx, person.id).await?;
    tx.commit(Audit::person("person.password_changed", person.id)).await
}

/// Where one is signed in, newest first.
pub async fn list_logins(app: &App, by: &PersonCaller, limit: Limit, cursor: Option<&str>) -> Result<Page<Login>, Problem> {
    let person = &by.found.person;
    let mut tx = app.db().instance_read(&Actor::person(person.id, person.name.clone())).await?;
    store::logins::list(&mut tx, person.id, limit, cursor).await
}

/// Whoever only ever came by single sign-on has none.
pub async fn has_password(app: &App, by: &PersonCaller) -> Result<bool, Problem> {
    let known = app.db().find_person(&Email::parse(&by.found.person.email)?).await?;
    Ok(known.is_some_and(|known| known.password_hash.is_some()))
}

/// End all of one's own sign-ins, the one that asks too.
pub async fn sign_out_everywhere(app: &App, by: &PersonCaller) -> Result<(), Problem> {
    let person = &by.found.person;
    let mut tx = app.db().instance(&Actor::person(person.id, person.name.clone()), &by.request).await?;
    store::logins::end_all(&mut tx, person.id, None).await?;
    tx.commit(Audit::person("person.signed_out_everywhere", person.id)).await
}

/// End one of one's own sign-ins; another's is not there.
pub async fn end_login(app: &App, by: &PersonCaller, login: LoginId) -> Result<(), Problem> {
    let person = &by.found.person;
    let mut tx = app.db().instance(&Actor::person(person.id, person.name.clone()), &by.request).await?;
    if !store::logins::end(&mut tx, person.id, login).await? {
        return Err(Problem::NotFound);
    }
    tx.commit(Audit::signed_out(person.id, login)).await
}
