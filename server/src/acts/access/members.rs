//! Members of a workspace: let in, given another role, and taken out. One admin always stays.

use super::{for_the_whole, invitation};
use crate::{
    App,
    audit::{Audit, Trail},
    auth::links::LinkToken,
    model::{
        Email, PersonId, Power, Role,
        access::{Member, Person},
        page::{Limit, Page},
    },
    problem::Problem,
    store::{self, Governing, Instance, Permission, Scope, Tx, Write},
};

/// A member, and the link to choose a password if the person is new to the instance.
pub struct Joined {
    pub member: Member,
    pub invitation: Option<String>,
}

pub async fn list_members(app: &App, scope: &Scope<Governing>, limit: Limit, cursor: Option<&str>) -> Result<Page<Member>, Problem> {
    for_the_whole(scope)?;
    store::members::list(&mut app.db().read(scope).await?, limit, cursor).await
}

/// The members who may do something, for whoever may too and looks for somebody to leave it to.
pub async fn those_who_may<P: Permission>(app: &App, scope: &Scope<P>, power: Power) -> Result<Vec<Member>, Problem> {
    if !scope.standing().role().may(power) {
        return Ok(Vec::new());
    }
    store::members::who_may(&mut app.db().read(scope).await?, power).await
}

/// Let somebody in; whom the instance does not know yet is made, with a link to choose a password.
pub async fn add_member(app: &App, scope: &Scope<Governing>, email: &Email, name: Option<&str>, role: Role) -> Result<Joined, Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().instance(scope.actor(), scope.request()).await?;
    store::people::take_turns(&mut tx).await?;
    // No link for someone who is there: it would let the admin of one workspace into all of theirs.
    let (person, token) = if let Some(person) = store::people::find_by_email(&mut tx, email).await? {
        (person, None)
    } else {
        let (person, token) = newcomer(&mut tx, scope, email, name).await?;
        (person, Some(token))
    };
    let made: Vec<_> =
        token.iter().flat_map(|_| [Audit::person("person.created", person.id), Audit::person("person.link_made", person.id)]).collect();
    let mut tx = tx.go_on_in(scope.workspace(), scope.standing().role(), made.into_iter().collect::<Trail>()).await?;
    store::members::take_turns(&mut tx).await?;
    if !store::members::add(&mut tx, person.id, role).await? {
        return Err(Problem::conflict_with(
            "already_member",
            "This person is a member already. Change their role instead.",
            "user_id",
            person.id,
        ));
    }
    let member = store::members::find(&mut tx, person.id).await?;
    tx.commit(Audit::member("member.added", person.id, role)).await?;
    Ok(Joined { member, invitation: token.map(|token| invitation(app, &token)) })
}

/// Only a person makes people: an agent that could would have as many pairs of eyes as it likes.
async fn newcomer(
    tx: &mut Tx<Instance>,
    scope: &Scope<Governing>,
    email: &Email,
    name: Option<&str>,
) -> Result<(Person, LinkToken), Problem> {
    scope.as_person("let in somebody whom this server does not know yet")?;
    let person = store::people::insert(tx, email, name.unwrap_or(email.name()), None, false).await?;
    let token = LinkToken::make();
    store::links::insert_for(tx, &token.hash(), person.id).await?;
    Ok((person, token))
}

/// Give a member another role.
pub async fn change_role(app: &App, scope: &Scope<Governing>, person: PersonId, role: Role) -> Result<Member, Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().write(scope).await?;
    store::members::take_turns(&mut tx).await?;
    let member = store::members::find(&mut tx, person).await?;
    if member.role == role {
        tx.leave_as_is([]).await?;
        return Ok(member);
    }
    someone_governs(&mut tx, &member).await?;
    store::members::set_role(&mut tx, person, role).await?;
    // Whoever is given a role by hand keeps it, whatever their groups say.
    store::members::set_by_group(&mut tx, person, false).await?;
    tx.commit(Audit::member("member.role_changed", person, role)).await?;
    Ok(Member { role, ..member })
}

/// Take somebody out; the keys of the agents that work for them stop, too.
pub async fn remove_member(app: &App, scope: &Scope<Governing>, person: PersonId) -> Result<(), Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().write(scope).await?;
    let trail = leave(&mut tx, person).await?;
    tx.commit(trail).await
}

pub(super) async fn leave(tx: &mut Tx<Write>, person: PersonId) -> Result<Trail, Problem> {
    store::members::take_turns(tx).await?;
    let member = store::members::find(tx, person).await?;
    someone_governs(tx, &member).await?;
    store::members::remove(tx, person).await?;
    let revoked = store::members::revoke_keys_of(tx, person).await?;
    let mut trail = vec![Audit::member("member.removed", person, member.role)];
    trail.extend(revoked.into_iter().map(|(agent, key)| Audit::key("key.revoked", agent, key)));
    Ok(trail.into_iter().collect())
}

/// Somebody must be able to let people in.
pub(super) async fn someone_governs(tx: &mut Tx<Write>, leaving: &Member) -> Result<(), Problem> {
    if leaving.role == Role::Admin && store::members::count_admins(tx).await? < 2 {
        let workspace = tx.workspace();
        return Err(Problem::conflict_with(
            "last_admin",
            "This is the workspace's only admin. Make somebody else admin first.",
            "workspace_id",
            workspace,
        ));
    }
    Ok(())
}
