//! Signing in and out. Guessing is slowed down per account and per network, and an unknown address takes as long
//! and hears the same as a wrong password.

use super::{tokens::use_up, without_key};
use crate::{
    App,
    audit::Audit,
    auth::{Visitor, passwords, refresh},
    model::{Actor, Email, clock},
    problem::Problem,
    store::{self, Instance, Request, Tx, access::FoundLogin, failures::Subjects},
};

/// Longer than any password that can be chosen; hashing more would only cost.
const LONGEST: usize = 1024;

/// Sign a person in who knows their password.
pub async fn sign_in(app: &App, email: &str, password: &str, visitor: &Visitor, request: &Request) -> Result<FoundLogin, Problem> {
    let email = Email::parse(email)?;
    let subjects = subjects(app, &email, visitor);
    slow_down(app.db().wait_before_sign_in(&subjects).await?)?;
    let known = app.db().find_person(&email).await?;
    let hash = known.as_ref().and_then(|known| known.password_hash.as_deref());
    let fits = fits(password, hash).await?;
    let (person, request) = (known.map(|known| known.person), without_key(request));
    let Some(person) = person.clone().filter(|_| fits) else {
        let mut tx = app.db().instance(&Actor::system(), &request).await?;
        count(&mut tx, &subjects).await?;
        tx.commit(Audit::sign_in_failed(person.map(|person| person.id))).await?;
        return Err(Problem::Unauthenticated("The e-mail address or the password is wrong.".into()));
    };
    let mut tx = app.db().instance(&Actor::person(person.id, person.name.clone()), &request).await?;
    // Others may have guessed at the same time: a right guess among too many does not count.
    slow_down(store::failures::wait_in_line(&mut tx, &subjects).await?)?;
    store::failures::forgive(&mut tx, &subjects.account).await?;
    let (now, address) = (clock::now(), visitor.address());
    let login = store::logins::insert(&mut tx, person.id, &visitor.user_agent, &address, now).await?;
    tx.commit(Audit::signed_in(person.id, login)).await?;
    Ok(FoundLogin { login, person, last_used_at: now })
}

/// End the sign-in that the caller came with.
pub async fn sign_out(app: &App, found: &FoundLogin, request: &Request) -> Result<(), Problem> {
    sign_out_with(app, found, None, request).await
}

/// The same, and the one that a refresh token speaks of, if it is another of theirs.
pub async fn sign_out_with(app: &App, found: &FoundLogin, token: Option<&str>, request: &Request) -> Result<(), Problem> {
    let person = &found.person;
    let mut tx = app.db().instance(&Actor::person(person.id, person.name.clone()), request).await?;
    let named = token.and_then(|token| refresh::read(app.keyring(), token)).map(|(login, _)| login).filter(|login| *login != found.login);
    let mut trail = Vec::new();
    for login in [Some(found.login), named].into_iter().flatten() {
        if store::logins::end(&mut tx, person.id, login).await? {
            trail.push(Audit::signed_out(person.id, login));
        }
    }
    // Somebody else may have ended it in this very moment.
    if trail.is_empty() { Ok(()) } else { tx.commit(trail.into_iter().collect::<crate::audit::Trail>()).await }
}

/// End the sign-in that an unused refresh token speaks of: whoever has it could go on with it.
pub async fn sign_out_by(app: &App, token: &str, request: &Request) -> Result<(), Problem> {
    let (login, renewed) = use_up(app, token, request).await?;
    sign_out(app, &FoundLogin { login, person: renewed.person, last_used_at: clock::now() }, &without_key(request)).await
}

/// Whom a failure is counted against. Keyed, so that the table tells nobody's address.
pub(super) fn subjects(app: &App, email: &Email, visitor: &Visitor) -> Subjects {
    let keyed = |kind: &str, what: &str| app.keyring().sign("sign-in", format!("{kind} {what}").as_bytes());
    Subjects { account: keyed("account", email.as_str()), network: keyed("network", &visitor.network()) }
}

pub(super) async fn fits(typed: &str, hash: Option<&str>) -> Result<bool, Problem> {
    let typed = if typed.len() > LONGEST { "" } else { typed };
    passwords::fits(typed, hash).await
}

/// Counts a failure, unless so many were counted meanwhile that this one was not even looked at.
pub(super) async fn count(tx: &mut Tx<Instance>, subjects: &Subjects) -> Result<(), Problem> {
    slow_down(store::failures::wait_in_line(tx, subjects).await?)?;
    store::failures::count(tx, subjects).await
}

pub(super) fn slow_down(wait: Option<u64>) -> Result<(), Problem> {
    match wait {
        None => Ok(()),
        Some(retry_after) => Err(Problem::TooMany {
            retry_after,
            detail: format!("Too many wrong passwords. Wait {retry_after} seconds before the next attempt.").into(),
        }),
    }
}
