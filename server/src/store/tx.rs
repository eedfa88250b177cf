//! Transactions that already stand somewhere. `Tx<Read>` reads, `Tx<Write>` commits only together with its
//! entries in the trail, `Tx<Record>` keeps a listed few things that have none, `Tx<Instance>` is for people,
//! workspaces and keys. One that is dropped is rolled back.

use super::{
    connect::Db,
    once::Once,
    scope::{Auditing, CanWrite, Permission, Request, Scope},
};
use crate::{
    audit::Trail,
    model::{Actor, MemoryId, Project, Role, WorkspaceId},
    problem::Problem,
};
use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};
use std::{fmt::Write as _, marker::PhantomData, sync::Arc};
use uuid::Uuid;

pub struct Read;
pub struct Write;
pub struct Record;
pub struct Instance;

#[must_use = "a Tx that is dropped is rolled back"]
pub struct Tx<M> {
    inner: Transaction<'static, Postgres>,
    workspace: WorkspaceId,
    actor: Actor,
    role: Option<Role>,
    request: Request,
    claimed: Option<Arc<Once>>,
    /// Memories that the answer shows, beside those that were written.
    shown: Vec<Uuid>,
    /// Memories that are doubted, or no longer, because of what was done to others.
    stirred: Vec<Uuid>,
    from_instance: bool,
    mode: PhantomData<M>,
}

impl Db {
    /// A look into one workspace, in one snapshot per statement.
    pub async fn read<P: Permission>(&self, scope: &Scope<P>) -> Result<Tx<Read>, Problem> {
        self.enter("begin read only", scope).await
    }

    /// A change in one workspace. With an idempotency key it is claimed here, and an answer given before ends the act.
    pub async fn write<P: CanWrite>(&self, scope: &Scope<P>) -> Result<Tx<Write>, Problem> {
        let mut tx: Tx<Write> = self.enter("begin", scope).await?;
        tx.claim(scope.project()).await?;
        Ok(tx)
    }

    /// The one change that auditors make: holds.
    pub async fn write_holds(&self, scope: &Scope<Auditing>) -> Result<Tx<Write>, Problem> {
        let mut tx: Tx<Write> = self.enter("begin", scope).await?;
        tx.claim(scope.project()).await?;
        Ok(tx)
    }

    /// For what is kept without an entry (idempotency answers, last use) and for entries that stand alone.
    pub async fn record<P: Permission>(&self, scope: &Scope<P>) -> Result<Tx<Record>, Problem> {
        self.enter("begin", scope).await
    }

    /// The same as a change is made: with an idempotency key it is claimed here.
    pub async fn record_once<P: Permission>(&self, scope: &Scope<P>) -> Result<Tx<Record>, Problem> {
        let mut tx: Tx<Record> = self.enter("begin", scope).await?;
        tx.claim(scope.project()).await?;
        Ok(tx)
    }

    /// Ends with the answer that was given before to the same request, if there is one; else nothing has happened.
    pub async fn unless_answered<P: CanWrite>(&self, scope: &Scope<P>) -> Result<(), Problem> {
        if scope.request().once.is_some() {
            drop(self.write(scope).await?);
        }
        Ok(())
    }

    /// A change of the instance itself, by a person or, before anyone has signed in, by the house.
    pub async fn instance(&self, actor: &Actor, request: &Request) -> Result<Tx<Instance>, Problem> {
        let begin = format!("begin; select enter_instance('{}')", actor.id);
        let inner = super::connect::begin_in(self.gate(), AssertSqlSafe(begin)).await?;
        let mut tx = Tx {
            inner,
            workspace: WorkspaceId::INSTANCE,
            actor: actor.clone(),
            role: None,
            request: request.clone(),
            claimed: None,
            shown: Vec::new(),
            stirred: Vec::new(),
            from_instance: true,
            mode: PhantomData,
        };
        tx.claim(None).await?;
        Ok(tx)
    }

    /// A look at the instance's own trail.
    pub async fn instance_read(&self, actor: &Actor) -> Result<Tx<Read>, Problem> {
        let begin = format!("begin read only; select enter_instance('{}')", actor.id);
        let inner = super::connect::begin_in(self.gate(), AssertSqlSafe(begin)).await?;
        let request = Request::of_the_house("read");
        Ok(Tx {
            inner,
            workspace: WorkspaceId::INSTANCE,
            actor: actor.clone(),
            role: None,
            request,
            claimed: None,
            shown: Vec::new(),
            stirred: Vec::new(),
            from_instance: true,
            mode: PhantomData,
        })
    }

    async fn enter<M, P>(&self, begin: &str, scope: &Scope<P>) -> Result<Tx<M>, Problem> {
        let standing = scope.standing();
        let inner = super::connect::begin_in(self.tenants(), AssertSqlSafe(format!("{begin}; {}", enter_scope(scope)))).await?;
        Ok(Tx {
            inner,
            workspace: scope.workspace(),
            actor: scope.actor().clone(),
            role: Some(standing.role()),
            request: scope.request().clone(),
            claimed: None,
            shown: Vec::new(),
            stirred: Vec::new(),
            from_instance: false,
            mode: PhantomData,
        })
    }
}

/// One round trip together with `begin`, which takes no parameters: ids are ids, and a project goes as hex.
fn enter_scope<P>(scope: &Scope<P>) -> String {
    let mut sql = format!("select enter_scope('{}', '{}'", scope.workspace(), scope.actor().id);
    match scope.person() {
        Some(person) => write!(sql, ", '{person}'"),
        None => write!(sql, ", null"),
    }
    .unwrap_or_default();
    if let Some(project) = scope.project() {
        let project = crate::model::text::hex(project.as_str().as_bytes());
        write!(sql, ", convert_from('\\x{project}', 'utf8')").unwrap_or_default();
    }
    sql.push(')');
    sql
}

impl<M> Tx<M> {
    pub(super) fn conn(&mut self) -> &mut PgConnection {
        &mut self.inner
    }

    pub fn workspace(&self) -> WorkspaceId {
        self.workspace
    }

    async fn claim(&mut self, wall: Option<&Project>) -> Result<(), Problem> {
        if let Some(once) = self.request.once.clone() {
            let (workspace, actor) = (self.workspace, self.actor.id);
            once.claim(self.conn(), workspace, actor, wall).await?;
            self.claimed = Some(once);
        }
        Ok(())
    }

    async fn seal(mut self, trail: Trail) -> Result<(), Problem> {
        if trail.0.is_empty() {
            return Err(Problem::internal("a change was to be committed without an entry in the trail"));
        }
        self.append(&trail).await?;
        // Parked, it holds what it has while it waits for an erasure to end, and must want nothing more.
        let parks = self.claimed.is_some() && self.workspace != WorkspaceId::INSTANCE;
        if parks || !self.stirred.is_empty() {
            self.mark_stirred().await?;
        }
        match self.claimed.take() {
            // The answer is not known yet: whoever sends it commits both.
            Some(once) => {
                let written = trail.0.iter().filter_map(|audit| audit.target).filter(|(kind, _)| *kind == "memory").map(|(_, id)| id);
                let memories = written.chain(self.shown).collect();
                once.park(self.inner, self.workspace, self.actor.id, memories)
            }
            None => Ok(self.inner.commit().await?),
        }
    }

    /// Whoever contradicts one of these, undecided, is judged anew when this is committed, whoever may see that.
    pub(super) async fn stirs(&mut self, moved: &[Uuid]) -> Result<(), Problem> {
        let workspace = self.workspace;
        let others: Option<Vec<Uuid>> =
            sqlx::query_scalar("select who_contradicts($1, $2)").bind(workspace).bind(moved).fetch_one(self.conn()).await?;
        self.stirred.extend(others.unwrap_or_default());
        Ok(())
    }

    /// With those whose contradictions were noted: all at once, in one order for everybody, and last of all.
    pub(super) async fn mark_stirred(&mut self) -> Result<(), Problem> {
        let (workspace, stirred) = (self.workspace, std::mem::take(&mut self.stirred));
        sqlx::query("select touch_contradicted($1, $2)").bind(workspace).bind(stirred).execute(self.conn()).await?;
        Ok(())
    }

    /// Whoever erases one of these has to find the answer that is kept.
    pub fn shows(&mut self, memories: impl IntoIterator<Item = MemoryId>) {
        self.shown.extend(memories.into_iter().map(|id| id.0));
    }

    async fn append(&mut self, trail: &Trail) -> Result<(), Problem> {
        let (workspace, role, request) = (self.workspace, self.role, self.request.id.clone());
        let actor = self.actor.clone();
        super::trail::append(&mut self.inner, workspace, &actor, role, &request, trail).await
    }
}

impl Tx<Write> {
    /// From here on what fails can be taken back alone.
    pub async fn try_one(&mut self) -> Result<(), Problem> {
        sqlx::query("savepoint one").execute(self.conn()).await?;
        Ok(())
    }

    /// It did not.
    pub async fn keep_one(&mut self) -> Result<(), Problem> {
        sqlx::query("release savepoint one").execute(self.conn()).await?;
        Ok(())
    }

    /// It did: as if it had never been tried.
    pub async fn take_back(&mut self) -> Result<(), Problem> {
        sqlx::query("rollback to savepoint one").execute(self.conn()).await?;
        Ok(())
    }

    /// Nothing had to be changed. An answer that is to be given once is kept all the same, with the memories it shows.
    pub async fn leave_as_is(mut self, shown: impl IntoIterator<Item = MemoryId>) -> Result<(), Problem> {
        match self.claimed.take() {
            Some(once) => {
                let memories = shown.into_iter().map(|id| id.0).chain(self.shown).collect();
                once.park(self.inner, self.workspace, self.actor.id, memories)
            }
            None => Ok(self.inner.rollback().await?),
        }
    }

    /// Records what was done and makes it durable. There is no other commit of a change.
    pub async fn commit(self, trail: impl Into<Trail>) -> Result<(), Problem> {
        self.seal(trail.into()).await
    }
}

impl Tx<Instance> {
    /// As above, in the instance's own trail.
    pub async fn commit(self, trail: impl Into<Trail>) -> Result<(), Problem> {
        self.seal(trail.into()).await
    }

    /// Goes on in a workspace, in the same transaction: what the instance did is recorded in its trail first,
    /// and what follows in the workspace's.
    pub async fn go_on_in(mut self, workspace: WorkspaceId, role: Role, trail: impl Into<Trail>) -> Result<Tx<Write>, Problem> {
        self.append(&trail.into()).await?;
        self.stand_in(workspace, Some(role)).await
    }

    /// Looks after one of several workspaces that an act of the instance touches; `Tx::step_back` comes back from it.
    pub async fn step_into(self, workspace: WorkspaceId) -> Result<Tx<Write>, Problem> {
        self.stand_in(workspace, None).await
    }

    async fn stand_in(mut self, workspace: WorkspaceId, role: Option<Role>) -> Result<Tx<Write>, Problem> {
        sqlx::query("select enter_scope($1, $2)").bind(workspace).bind(self.actor.id).execute(&mut *self.inner).await?;
        Ok(Tx {
            inner: self.inner,
            workspace,
            actor: self.actor,
            role,
            request: self.request,
            claimed: self.claimed,
            shown: self.shown,
            stirred: self.stirred,
            from_instance: true,
            mode: PhantomData,
        })
    }
}

impl Tx<Write> {
    /// Records what was done in the workspace and goes back to the instance, if that is where this came from.
    pub async fn step_back(mut self, trail: impl Into<Trail>) -> Result<Tx<Instance>, Problem> {
        if !self.from_instance {
            return Err(Problem::internal("a change in a workspace was to go on in the instance"));
        }
        self.append(&trail.into()).await?;
        if !self.stirred.is_empty() {
            self.mark_stirred().await?;
        }
        sqlx::query("select enter_instance($1)").bind(self.actor.id).execute(&mut *self.inner).await?;
        Ok(Tx {
            inner: self.inner,
            workspace: WorkspaceId::INSTANCE,
            actor: self.actor,
            role: None,
            request: self.request,
            claimed: self.claimed,
            shown: self.shown,
            stirred: self.stirred,
            from_instance: true,
            mode: PhantomData,
        })
    }
}

impl Tx<Record> {
    /// For what has no entry: events of a session's log.
    pub async fn commit(mut self) -> Result<(), Problem> {
        match self.claimed.take() {
            Some(once) => once.park(self.inner, self.workspace, self.actor.id, self.shown),
            None => Ok(self.inner.commit().await?),
        }
    }

    /// An entry that stands for something that changed nothing: a refusal, an export.
    pub async fn commit_entry(mut self, trail: impl Into<Trail>) -> Result<(), Problem> {
        self.append(&trail.into()).await?;
        self.commit().await
    }
}
