//! One's own account: the password, and where one is signed in.

use super::{
    super::{asked::Asked, flash, forms::Posted, with_cookie},
    Guest, Nothing,
};
use crate::{
    acts,
    auth::{PersonCaller, Visitor, cookies},
    model::{
        LoginId,
        access::{Login, Password},
        page::Limit,
    },
    problem::Problem,
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    hall::{self as page, Account},
};
use serde::Deserialize;
use time::Duration;

const HERE: &str = "/account";

pub async fn show(guest: Guest, mut asked: Asked) -> Result<Response, Problem> {
    let by = caller(&guest);
    let list = async |cursor: Option<String>| acts::access::list_logins(&guest.app, &by, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let this = guest.person.found.login;
    let view = Account {
        has_password: acts::access::has_password(&guest.app, &by).await?,
        password_min: Password::SHORTEST,
        logins: found.data.iter().map(|one| login(one, one.id == this)).collect(),
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        hall: guest.hall(asked.complaint()),
    };
    Ok(guest.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Passwords {
    current: Option<String>,
    password: Option<String>,
}

pub async fn change_password(guest: Guest, visitor: Visitor, Posted(form): Posted<Passwords>) -> Result<Response, Problem> {
    let changed = async {
        let new = Password::parse(form.password.as_deref().unwrap_or_default())?;
        let current = form.current.as_deref().unwrap_or_default();
        acts::access::change_password(&guest.app, &caller(&guest), current, &new, &visitor).await
    };
    let said = Flash::good("Your password is changed, and all your other sign-ins have ended.");
    guest.after(changed.await.map(|()| (HERE, said)), HERE)
}

pub async fn end_login(guest: Guest, Path(id): Path<String>, _: Posted<Nothing>) -> Result<Response, Problem> {
    let id: LoginId = id.parse().map_err(|_| Problem::NotFound)?;
    acts::access::end_login(&guest.app, &caller(&guest), id).await?;
    if id == guest.person.found.login {
        return Ok(signed_out(&guest, "You are signed out."));
    }
    guest.after(Ok((HERE, Flash::good("That sign-in has ended."))), HERE)
}

pub async fn sign_out_everywhere(guest: Guest, _: Posted<Nothing>) -> Result<Response, Problem> {
    acts::access::sign_out_everywhere(&guest.app, &caller(&guest)).await?;
    Ok(signed_out(&guest, "You are signed out everywhere."))
}

fn signed_out(guest: &Guest, said: &str) -> Response {
    let mut cookie = cookies::cookie(cookies::NAME, String::new(), guest.app.is_https());
    cookie.set_max_age(Duration::ZERO);
    with_cookie(flash::then(&guest.app, "/sign-in", &Flash::good(said)), &cookie)
}

fn caller(guest: &Guest) -> PersonCaller {
    PersonCaller { found: guest.person.found.clone(), request: guest.person.request.clone() }
}

fn login(login: &Login, this_one: bool) -> page::Login {
    page::Login {
        id: login.id.to_string(),
        user_agent: login.user_agent.clone(),
        address: login.address.clone(),
        created_at: login.created_at,
        last_used_at: login.last_used_at,
        expires_at: login.expires_at,
        this_one,
    }
}
