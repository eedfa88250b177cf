//! The first admin of a fresh instance: from the settings, or through a link in the log.

use crate::{
    App,
    audit::Audit,
    auth::{links::LinkToken, passwords},
    model::{Actor, access::Password},
    problem::Problem,
    store::{self, Request},
};

/// Make the first admin, or a link to become it, while there is nobody yet. Replicas take turns.
pub async fn make_first_admin(app: &App) -> Result<(), Problem> {
    if app.db().has_people().await? {
        return Ok(());
    }
    let hash = match &app.config().admin {
        Some((_, password)) => Some(passwords::hash(&Password::parse(&password.0)?).await?),
        None => None,
    };
    let mut tx = app.db().instance(&Actor::system(), &Request::of_the_house("first-admin")).await?;
    store::people::take_turns(&mut tx).await?;
    if store::people::any(&mut tx).await? {
        return Ok(());
    }
    if let Some((email, _)) = &app.config().admin {
        let person = store::people::insert(&mut tx, email, email.name(), hash.as_deref(), true).await?;
        tx.commit(Audit::person("person.created", person.id)).await?;
        tracing::info!("made the first admin, {}; the password can be changed after signing in", email.as_str());
        return Ok(());
    }
    let token = LinkToken::make();
    store::links::insert_set_up(&mut tx, &token.hash()).await?;
    tx.commit(Audit::set_up_link_made()).await?;
    let url = app.config().public_url();
    tracing::warn!("no user yet: open {url}/set-up?token={} to create the first admin (valid until used or the next start)", token.text());
    Ok(())
}
