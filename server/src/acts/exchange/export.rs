//! Leaving: page by page, each read for itself under the caller's scope, so that a large workspace takes no more room than
//! a small one and what is erased meanwhile is not told.

use crate::{
    App,
    acts::memories::judge,
    audit::Audit,
    engines::{
        exchange::{Packer, agents as rules, ndjson},
        tokens,
    },
    model::{Kind as MemoryKind, MemoryId, StoreId, clock, exchange::Filter},
    problem::Problem,
    store::{self, Auditing, Permission, Scope, exchange::FilePlace},
};
use serde_json::{Map, json};
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// What leaves: everything that ever was, or files of what is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Ndjson,
    Markdown,
}

/// A file in the making: ask for the next part until there is none.
pub struct Outgoing {
    app: App,
    scope: Scope<Auditing>,
    filter: Filter,
    /// What was written later is not in it.
    until: OffsetDateTime,
    stores: HashMap<StoreId, String>,
    place: Place,
}

enum Place {
    Begun(Kind),
    Versions { after: (MemoryId, i32), memories: u64, versions: u64 },
    Files { after: Option<FilePlace>, packer: Box<Packer> },
    Done,
}

/// Begin an export; that it was asked for stands in the trail, however much of it is read.
pub async fn export(app: &App, scope: &Scope<Auditing>, kind: Kind, filter: Filter) -> Result<Outgoing, Problem> {
    let stores = store::exchange::other_stores(&mut app.db().read(scope).await?).await?;
    let word = if kind == Kind::Ndjson { "ndjson" } else { "markdown" };
    app.db().record(scope).await?.commit_entry(Audit::exported(word)).await?;
    Ok(Outgoing {
        app: app.clone(),
        scope: scope.clone(),
        filter,
        until: clock::now(),
        stores: stores.into_iter().collect(),
        place: Place::Begun(kind),
    })
}

impl Outgoing {
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Problem> {
        match std::mem::replace(&mut self.place, Place::Done) {
            Place::Begun(Kind::Ndjson) => {
                self.place = Place::Versions { after: (MemoryId(Uuid::nil()), 0), memories: 0, versions: 0 };
                Ok(Some(self.head().into_bytes()))
            }
            Place::Begun(Kind::Markdown) => self.files(None, Box::default()).await.map(Some),
            Place::Versions { after, memories, versions } => self.versions(after, memories, versions).await.map(Some),
            Place::Files { after, packer } => self.files(after, packer).await.map(Some),
            Place::Done => Ok(None),
        }
    }

    fn head(&self) -> String {
        let workspace = self.scope.standing().workspace();
        let mut filter = Map::new();
        let parts = [
            ("project", self.filter.project.as_ref().map(|project| json!(project))),
            ("kind", self.filter.kind.map(|kind| json!(kind))),
            ("state", self.filter.state.map(|state| json!(state))),
        ];
        filter.extend(parts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        let mut head = ndjson::header((workspace.id.0, &workspace.slug), self.scope.actor(), self.until, &filter);
        head.push_str(&ndjson::store(self.scope.main_store().0, "main", true));
        let mut others: Vec<_> = self.stores.iter().collect();
        others.sort_unstable();
        for (id, name) in others {
            head.push_str(&ndjson::store(id.0, name, false));
        }
        head
    }

    async fn versions(&mut self, mut after: (MemoryId, i32), mut memories: u64, mut versions: u64) -> Result<Vec<u8>, Problem> {
        let mut tx = self.app.db().read(&self.scope).await?;
        let page = store::exchange::versions(&mut tx, &self.filter, self.until, after).await?;
        if page.is_empty() {
            return Ok(ndjson::end(memories, versions).into_bytes());
        }
        let mut lines = String::new();
        for leaving in page {
            memories += u64::from(leaving.memory.id != after.0);
            versions += 1;
            after = (leaving.memory.id, leaving.memory.version);
            lines.push_str(&ndjson::version(&leaving.memory, leaving.salt.as_deref(), leaving.redacted, leaving.imported));
        }
        self.place = Place::Versions { after, memories, versions };
        Ok(lines.into_bytes())
    }

    async fn files(&mut self, mut after: Option<FilePlace>, mut packer: Box<Packer>) -> Result<Vec<u8>, Problem> {
        let mut tx = self.app.db().read(&self.scope).await?;
        let page = store::exchange::files(&mut tx, &self.filter, after.as_ref()).await?;
        if page.is_empty() {
            return packer.finish().map_err(Problem::internal);
        }
        for memory in page {
            packer.add(&memory, self.stores.get(&memory.store_id).map(String::as_str)).map_err(Problem::internal)?;
            after = Some((memory.store_id, memory.path, memory.id));
        }
        let part = packer.take();
        self.place = Place::Files { after, packer };
        Ok(part)
    }
}

/// Which rules a file for agents has.
pub struct Agents {
    pub project: Option<String>,
    pub budget: u32,
}

/// As many as a file for agents could ever hold.
const MOST_RULES: i64 = 1000;

/// `AGENTS.md`: the decisions, patterns and procedures that bind in a project, within a budget.
pub async fn agents<P: Permission>(app: &App, scope: &Scope<P>, asked: Agents) -> Result<String, Problem> {
    let project = asked.project.as_deref().or(scope.project().map(crate::model::Project::as_str));
    let mut found = Vec::new();
    let mut tx = app.db().read(scope).await?;
    for kind in [MemoryKind::Decision, MemoryKind::Pattern, MemoryKind::Procedure] {
        found.extend(store::memories::most_binding(&mut tx, &[kind], project, MOST_RULES).await?);
    }
    drop(tx);
    // Such a file is shared with whoever has the repository.
    found.retain(|memory| memory.owner.is_none());
    let judged: Vec<_> = found
        .into_iter()
        .map(|memory| {
            let judgement = judge(scope, &memory);
            (memory, judgement)
        })
        .collect();
    app.db().record(scope).await?.commit_entry(Audit::exported("agents")).await?;
    let named = project.map(str::to_owned);
    let written = tokio::task::spawn_blocking(move || rules::write(named.as_deref(), &judged, asked.budget, &tokens::count));
    Ok(written.await.map_err(Problem::internal)?.0)
}
