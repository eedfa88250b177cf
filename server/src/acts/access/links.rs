//! One-time links: looking at what one is for, and using it up.

use super::without_key;
use crate::{
    App,
    audit::{Audit, Trail},
    auth::{Visitor, links::LinkToken, passwords},
    model::{
        Actor, Email,
        access::{Password, Person},
        clock,
    },
    problem::Problem,
    store::{self, Instance, Request, Tx, access::FoundLogin, links::Purpose},
};

/// What somebody who has a link says.
pub struct Redemption {
    pub password: Password,
    /// Needed to set the house up; otherwise only what one wants to be called.
    pub name: Option<String>,
    /// Needed to set the house up, and only there.
    pub email: Option<Email>,
}

/// What a link is for. One that was used, has run out or never was is not there.
pub async fn open_link(app: &App, token: &str) -> Result<Purpose, Problem> {
    let purpose = app.db().find_link(&LinkToken::shown(token).hash()).await?.ok_or(Problem::NotFound)?;
    match purpose {
        Purpose::SetUp if app.db().has_people().await? => Err(Problem::NotFound),
        purpose => Ok(purpose),
    }
}

/// Use a link up: the first admin is made, or a password chosen, and whoever did it is signed in.
pub async fn redeem_link(app: &App, token: &str, said: Redemption, visitor: &Visitor, request: &Request) -> Result<FoundLogin, Problem> {
    let (purpose, request) = (open_link(app, token).await?, without_key(request));
    let hash = LinkToken::shown(token).hash();
    match purpose {
        Purpose::SetUp => set_up(app, &hash, said, visitor, &request).await,
        Purpose::Password(person) => choose_password(app, &hash, person, said, visitor, &request).await,
    }
}

async fn set_up(app: &App, hash: &[u8; 32], said: Redemption, visitor: &Visitor, request: &Request) -> Result<FoundLogin, Problem> {
    let email = said.email.ok_or_else(|| Problem::invalid("email", "is needed to create the first admin"))?;
    let name = said.name.unwrap_or_else(|| email.name().to_owned());
    let password = passwords::hash(&said.password).await?;
    let mut tx = app.db().instance(&Actor::system(), request).await?;
    store::people::take_turns(&mut tx).await?;
    if store::people::any(&mut tx).await? {
        return Err(Problem::NotFound);
    }
    store::links::redeem(&mut tx, hash).await?;
    let person = store::people::insert(&mut tx, &email, &name, Some(&password), true).await?;
    let created = Audit::person("person.created", person.id);
    enter(tx, person, created, visitor).await
}

async fn choose_password(
    app: &App,
    hash: &[u8; 32],
    person: Person,
    said: Redemption,
    visitor: &Visitor,
    request: &Request,
) -> Result<FoundLogin, Problem> {
    if said.email.is_some() {
        return Err(Problem::invalid("email", "is settled already: this link is for one person"));
    }
    let password = passwords::hash(&said.password).await?;
    let mut tx = app.db().instance(&Actor::person(person.id, person.name), request).await?;
    store::people::take_turns(&mut tx).await?;
    store::links::redeem(&mut tx, hash).await?;
    let mut person = store::people::find(&mut tx, person.id).await?;
    if let Some(name) = said.name {
        store::people::rename(&mut tx, person.id, &name).await?;
        person.name = name;
    }
    store::people::set_password(&mut tx, person.id, Some(&password)).await?;
    store::logins::end_all(&mut tx, person.id, None).await?;
    let subjects = super::sign_in::subjects(app, &Email::parse(&person.email)?, visitor);
    store::failures::forgive(&mut tx, &subjects.account).await?;
    let chosen = Audit::person("person.password_changed", person.id);
    enter(tx, person, chosen, visitor).await
}

async fn enter(mut tx: Tx<Instance>, person: Person, done: Audit, visitor: &Visitor) -> Result<FoundLogin, Problem> {
    let now = clock::now();
    let login = store::logins::insert(&mut tx, person.id, &visitor.user_agent, &visitor.address(), now).await?;
    tx.commit([done, Audit::signed_in(person.id, login)].into_iter().collect::<Trail>()).await?;
    Ok(FoundLogin { login, person, last_used_at: now })
}
