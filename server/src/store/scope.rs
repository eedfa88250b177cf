//! `Scope<P>`: the proof that an actor may exercise a power in one workspace. It is made from a `Standing`
//! only, and a `Standing` is a row that was found.

use super::once::Once;
use crate::{
    model::{Actor, ActorKind, PersonId, Power, Project, Role, Run, SessionId, Settings, StoreId, Workspace, WorkspaceId},
    problem::Problem,
};
use std::{marker::PhantomData, sync::Arc};

/// What is known of a request besides who sent it.
#[derive(Clone, Debug)]
pub struct Request {
    pub id: Arc<str>,
    /// Set when the caller sent an `Idempotency-Key`.
    pub once: Option<Arc<Once>>,
    /// What its changes belong to.
    pub run: Option<Run>,
}

impl Request {
    /// Work that nobody asked for over HTTP.
    pub fn of_the_house(name: &str) -> Self {
        Self { id: name.into(), once: None, run: None }
    }
}

/// Who somebody is in a workspace: found by the gate, from a credential that holds.
#[derive(Clone, Debug)]
pub struct Standing {
    pub(super) workspace: Workspace,
    pub(super) actor: Actor,
    pub(super) role: Role,
    pub(super) project: Option<Project>,
    /// Whose private memories may be seen: the person, or the agent's owner.
    pub(super) person: Option<PersonId>,
    /// Whose doing it counts as where four eyes are asked for: the person, or whoever made the agent.
    pub(super) answers_for: PersonId,
    /// Whether there is code in the workspace that a memory could hang on.
    pub(super) pictured: bool,
}

impl Standing {
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    pub fn role(&self) -> Role {
        self.role
    }

    pub fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    pub fn has_code(&self) -> bool {
        self.pictured
    }

    /// The same standing with less: never more, whatever a token claims.
    pub(crate) fn narrowed(mut self, role: Role, project: Option<Project>) -> Option<Self> {
        if !role.within(self.role) {
            return None;
        }
        match (&self.project, project) {
            (Some(wall), Some(asked)) if *wall != asked => return None,
            (None, Some(asked)) => self.project = Some(asked),
            _ => {}
        }
        self.role = role;
        Some(self)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A power as a type, so that it stands in a function's signature.
pub trait Permission: sealed::Sealed + Clone + Send + Sync + 'static {
    const POWER: Power;
}

/// Powers that open a writing transaction.
pub trait CanWrite: Permission {}

macro_rules! permissions {
    ($($name:ident)*) => { $(
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl sealed::Sealed for $name {}
        impl Permission for $name { const POWER: Power = Power::$name; }
    )* };
}
permissions!(Reading Writing Reviewing Auditing Governing);
impl CanWrite for Writing {}
impl CanWrite for Reviewing {}
impl CanWrite for Governing {}

#[derive(Clone, Debug)]
pub struct Scope<P> {
    standing: Arc<Standing>,
    request: Request,
    power: PhantomData<fn() -> P>,
}

impl<P: Permission> Scope<P> {
    pub(crate) fn of(standing: Arc<Standing>, request: Request) -> Result<Self, Problem> {
        if standing.role.may(P::POWER) {
            Ok(Self { standing, request, power: PhantomData })
        } else {
            let role = standing.role.word();
            Err(Problem::forbidden(format!(
                "Your role here is {role}, which does not allow this. Ask an admin of the workspace for another."
            )))
        }
    }
}

impl<P: CanWrite> Scope<P> {
    /// The same, to write: whoever may review or govern may write too.
    pub(crate) fn to_write(&self) -> Result<Scope<Writing>, Problem> {
        self.to()
    }
}

/// The proof that there is a workspace whose index may be read together, and its vectors kept: from somebody who stands
/// in it, or from the gate's list. It opens nothing but that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShelfMark(pub(super) WorkspaceId);

impl ShelfMark {
    pub fn workspace(self) -> WorkspaceId {
        self.0
    }
}

/// Somebody as they were found a moment ago. It is good for getting an answer ready while the gate looks whether they
/// still stand so, and opens nothing but the workspace's index: an answer needs a `Scope`.
#[derive(Clone, Debug)]
pub struct StoodLately(Arc<Standing>);

impl StoodLately {
    pub(crate) fn of(standing: &Standing) -> Self {
        Self(Arc::new(standing.clone()))
    }

    pub fn shelf_mark(&self) -> ShelfMark {
        ShelfMark(self.0.workspace.id)
    }

    pub fn settings(&self) -> &Settings {
        &self.0.workspace.settings
    }

    pub fn project(&self) -> Option<&Project> {
        self.0.project.as_ref()
    }

    pub fn person(&self) -> Option<PersonId> {
        self.0.person
    }

    /// Whether whatever was got ready for them is what it would be for one who stands so.
    pub fn is(&self, standing: &Standing) -> bool {
        self.0.workspace.id == standing.workspace.id
            && self.0.person == standing.person
            && self.0.project == standing.project
            && self.settings().review_ages() == standing.workspace.settings.review_ages()
    }
}

impl<P> Scope<P> {
    /// The same actor, to do something else: the role is asked again.
    pub(crate) fn to<Q: Permission>(&self) -> Result<Scope<Q>, Problem> {
        Scope::of(self.standing.clone(), self.request.clone())
    }

    pub fn shelf_mark(&self) -> ShelfMark {
        ShelfMark(self.workspace())
    }

    pub fn workspace(&self) -> WorkspaceId {
        self.standing.workspace.id
    }

    pub fn main_store(&self) -> StoreId {
        self.workspace().main_store()
    }

    pub fn actor(&self) -> &Actor {
        &self.standing.actor
    }

    pub fn settings(&self) -> &Settings {
        &self.standing.workspace.settings
    }

    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The run that changes under this scope belong to.
    pub fn run(&self) -> Option<Run> {
        self.request.run
    }

    /// The session among those runs.
    pub fn session(&self) -> Option<SessionId> {
        self.run().and_then(Run::session)
    }

    /// The same, for changes that belong to a run.
    #[must_use]
    pub fn in_run(&self, run: impl Into<Option<Run>>) -> Self {
        let request = Request { run: run.into(), ..self.request.clone() };
        Self { standing: self.standing.clone(), request, power: PhantomData }
    }

    /// The same, for changes of a run that goes on after the request was answered.
    #[must_use]
    pub fn later(&self, run: Run) -> Self {
        let request = Request { once: None, run: Some(run), ..self.request.clone() };
        Self { standing: self.standing.clone(), request, power: PhantomData }
    }

    pub fn project(&self) -> Option<&Project> {
        self.standing.project.as_ref()
    }

    pub fn person(&self) -> Option<PersonId> {
        self.standing.person
    }

    pub fn answers_for(&self) -> PersonId {
        self.standing.answers_for
    }

    /// The person behind this scope; agents are refused.
    pub fn as_person(&self, to: &str) -> Result<PersonId, Problem> {
        match self.actor().kind {
            ActorKind::Person => Ok(PersonId(self.actor().id)),
            _ => Err(Problem::Forbidden("person_required", format!("Only a person may {to}.").into())),
        }
    }
}
