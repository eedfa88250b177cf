//! Two decisions that contradict each other and are written at the same moment: each was weighed before the other was there.
//! So whoever makes a decision active looks again before the commit, one at a time in a workspace, at what came meanwhile.

use super::{claim_of, decisions::claim_of_new};
use crate::{
    App,
    engines::conflict::{self, Claim, Contradiction},
    model::{Memory, MemoryId, NewMemory, Project},
    problem::Problem,
    store::{self, Permission, Scope, Tx, Write},
};

/// Where a look at the decisions began. What was not to be seen there it may have missed.
#[derive(Clone, Debug)]
pub struct Since(String);

impl Since {
    /// From now on.
    pub async fn now<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Self, Problem> {
        Self::within(&mut app.db().read(scope).await?).await
    }

    pub async fn within<M>(tx: &mut Tx<M>) -> Result<Self, Problem> {
        store::conflicts::snapshot(tx).await.map(Self)
    }

    /// The active decisions that came meanwhile and contradict this one. Until this transaction ends no other can come.
    pub async fn against(&self, tx: &mut Tx<Write>, memory: &Memory) -> Result<Vec<(Memory, Contradiction)>, Problem> {
        self.look(tx, &claim_of(memory), [Some(memory.id), memory.supersedes]).await
    }

    /// The same of one that is not written yet.
    pub async fn against_new<P>(
        &self,
        tx: &mut Tx<Write>,
        scope: &Scope<P>,
        new: &NewMemory,
    ) -> Result<Vec<(Memory, Contradiction)>, Problem> {
        let title = new.title.clone().unwrap_or_else(|| new.content.title());
        let project = new.project.as_ref().or(scope.project()).map(Project::as_str);
        self.look(tx, &claim_of_new(new, &title, project), [None, new.supersedes]).await
    }

    async fn look(
        &self,
        tx: &mut Tx<Write>,
        claim: &Claim<'_>,
        but_for: [Option<MemoryId>; 2],
    ) -> Result<Vec<(Memory, Contradiction)>, Problem> {
        let recent = store::conflicts::decisions_since(tx, &self.0).await?;
        let recent: Vec<MemoryId> = recent.into_iter().filter(|id| !but_for.contains(&Some(*id))).collect();
        if recent.is_empty() {
            return Ok(Vec::new());
        }
        let clashes = |old: Memory| {
            let found = conflict::judge(&claim_of(&old), claim).filter(|found| found.certain)?;
            Some((old, found))
        };
        Ok(store::memories::find_some(tx, &recent).await?.into_iter().filter_map(clashes).collect())
    }
}
