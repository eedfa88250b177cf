//! The log of decisions: each with those that it took the place of.

use crate::{
    App,
    model::{
        Memory, MemoryId, State,
        page::{Limit, Page},
    },
    problem::Problem,
    store::{self, Permission, Scope, Tx},
};
use std::collections::HashMap;

/// Further back than this nobody reads in a list.
const DEEP: i32 = 12;

/// A decision and those before it, the newest first.
pub struct Chain {
    pub links: Vec<Memory>,
    /// There are earlier ones.
    pub cut: bool,
}

pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    state: State,
    project: Option<&str>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Chain>, Problem> {
    let mut tx = app.db().read(scope).await?;
    let page = store::decisions::list(&mut tx, state, project, limit, cursor).await?;
    let before = store::decisions::before(&mut tx, &page.data, DEEP).await?;
    let ids: Vec<MemoryId> = page.data.iter().copied().chain(before.iter().map(|(_, id)| *id)).collect();
    let found: HashMap<MemoryId, Memory> =
        store::memories::find_some(&mut tx, &ids).await?.into_iter().map(|memory| (memory.id, memory)).collect();
    Ok(page.map(|head| {
        let chain = before.iter().filter(|(of, _)| *of == head).map(|(_, id)| *id);
        let links: Vec<Memory> = std::iter::once(head).chain(chain).filter_map(|id| found.get(&id).cloned()).collect();
        let cut = links.len() > usize::try_from(DEEP).unwrap_or_default();
        Chain { links, cut }
    }))
}

/// What was decided last and holds.
pub(super) async fn newest<M>(tx: &mut Tx<M>, most: usize) -> Result<Vec<Memory>, Problem> {
    let limit = Limit::parse(i64::try_from(most).ok())?;
    let ids = store::decisions::list(tx, State::Active, None, limit, None).await?.data;
    store::memories::find_some(tx, &ids).await
}
