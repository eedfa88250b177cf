//! Signing in through the organisation's own door: the person is found or made, and is in a workspace what their groups say.

use super::{members, without_key};
use crate::{
    App,
    audit::{Audit, Trail},
    auth::{Visitor, oidc::Arrival},
    model::{Actor, PersonId, Role, access::Person, clock},
    problem::Problem,
    store::{self, Instance, Request, Tx, Write, access::FoundLogin},
};

/// What a provider's groups open: the roles that somebody has by them, and every workspace that any of them opens.
pub struct Opened<'a> {
    pub granted: Vec<(&'a str, Role)>,
    pub mapped: Vec<String>,
}

/// Sign in whom the provider vouches for. The house writes it down: nobody else was there.
pub async fn sign_in_from_outside(
    app: &App,
    issuer: &str,
    who: &Arrival,
    opened: &Opened<'_>,
    visitor: &Visitor,
    request: &Request,
) -> Result<FoundLogin, Problem> {
    let mut tx = app.db().instance(&Actor::system(), &without_key(request)).await?;
    store::people::take_turns(&mut tx).await?;
    let (person, mut trail) = recognise(&mut tx, issuer, who).await?;
    for (workspace, slug) in store::identities::workspaces(&mut tx, &opened.mapped, person.id).await? {
        let role = opened.granted.iter().find(|(named, _)| *named == slug).map(|(_, role)| *role);
        let mut inside = tx.step_into(workspace).await?;
        let followed = follow(&mut inside, person.id, role).await?;
        tx = inside.step_back(followed).await?;
    }
    let now = clock::now();
    let login = store::logins::insert(&mut tx, person.id, &visitor.user_agent, &visitor.address(), now).await?;
    trail.push(Audit::signed_in_from_outside(person.id, login));
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(FoundLogin { login, person, last_used_at: now })
}

/// Write down that somebody came back with something that does not hold.
pub async fn refused_from_outside(app: &App, request: &Request) -> Result<(), Problem> {
    let tx = app.db().instance(&Actor::system(), &without_key(request)).await?;
    tx.commit(Audit::sign_in_failed(None)).await
}

/// By the provider's own id; at first by an address that the provider says is theirs; else somebody new.
async fn recognise(tx: &mut Tx<Instance>, issuer: &str, who: &Arrival) -> Result<(Person, Vec<Audit>), Problem> {
    if let Some(person) = store::identities::find(tx, issuer, &who.subject).await? {
        return Ok((person, Vec::new()));
    }
    let Some(email) = &who.verified_email else {
        return Err(Problem::Forbidden(
            "email_unverified",
            "The provider does not say that your e-mail address is yours (`email` with `email_verified`), so nobody can be recognised by it. Ask whoever runs it, or sign in with a password.".into(),
        ));
    };
    let mut trail = Vec::new();
    let person = if let Some(person) = store::people::find_by_email(tx, email).await? {
        person
    } else {
        let person = store::people::insert(tx, email, who.name.as_deref().unwrap_or(email.name()), None, false).await?;
        trail.push(Audit::person("person.created", person.id));
        person
    };
    store::identities::link(tx, issuer, &who.subject, person.id).await?;
    trail.push(Audit::person("person.linked", person.id));
    Ok((person, trail))
}

/// A membership by group follows the group: let in, given another role, or taken out. What an admin gave stays as it is.
async fn follow(tx: &mut Tx<Write>, person: PersonId, role: Option<Role>) -> Result<Trail, Problem> {
    store::members::take_turns(tx).await?;
    let now = match store::members::find(tx, person).await {
        Err(Problem::NotFound) => None,
        found => Some(found?),
    };
    let nothing = || Ok(std::iter::empty::<Audit>().collect());
    match (now, role) {
        (None, Some(role)) => {
            store::members::add(tx, person, role).await?;
            store::members::set_by_group(tx, person, true).await?;
            Ok(Audit::member_by_group("member.added", person, role).into())
        }
        (Some(member), Some(role)) if member.by_group && member.role != role => {
            if members::someone_governs(tx, &member).await.is_err() {
                tracing::warn!(workspace = %tx.workspace(), %person, "a group would take away the workspace's only admin: the role stays");
                return nothing();
            }
            store::members::set_role(tx, person, role).await?;
            Ok(Audit::member_by_group("member.role_changed", person, role).into())
        }
        (Some(member), None) if member.by_group => match members::leave(tx, person).await {
            Err(Problem::Conflict(conflict)) if conflict.code == "last_admin" => {
                tracing::warn!(workspace = %tx.workspace(), %person, role = member.role.word(), "a group would take away the workspace's only admin: they stay");
                nothing()
            }
            left => left,
        },
        _ => nothing(),
    }
}
