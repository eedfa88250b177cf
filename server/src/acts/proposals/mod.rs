//! The review queue: what was captured, is unsure, contradicts, looks suspicious or was dreamt up waits here for a person's word.

mod change;
mod decide;

pub use decide::{Decision, approve, decide_all, edit, reject};

use super::recall::{self, NearTo};
use crate::{
    App,
    audit::Audit,
    model::{
        Actor, AuditId, Memory, MemoryId, PersonId, Power, ProposalId,
        page::{Limit, Page},
        proposals::{Proposal, ProposalFilter},
    },
    problem::Problem,
    store::{self, Permission, Reviewing, Scope},
};
use std::collections::HashMap;

/// How many similar memories are shown beside one that waits, and how near they have to be.
const SIMILAR: usize = 5;
const NEAR: f32 = 0.35;

/// A proposal with the memory that waits, as far as it is still there.
pub struct Shown {
    pub proposal: Proposal,
    pub memory: Option<Memory>,
}

/// A memory beside a proposal: what it is called, and how near it is.
pub struct Beside {
    pub id: MemoryId,
    pub title: String,
    pub score: f32,
}

/// A proposal with everything that helps to decide it.
pub struct Examined {
    pub shown: Shown,
    /// What is known already and speaks of the same.
    pub similar: Vec<Beside>,
    /// What approving would change besides, with how it is called.
    pub touches: Vec<(MemoryId, String)>,
}

pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    filter: &ProposalFilter,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Shown>, Problem> {
    let mut tx = app.db().read(scope).await?;
    let page = store::proposals::list(&mut tx, filter, limit, cursor).await?;
    let ids: Vec<MemoryId> = page.data.iter().map(|proposal| proposal.memory_id).collect();
    let memories: HashMap<MemoryId, Memory> =
        store::memories::find_some(&mut tx, &ids).await?.into_iter().map(|memory| (memory.id, memory)).collect();
    Ok(page.map(|proposal| Shown { memory: memories.get(&proposal.memory_id).cloned(), proposal }))
}

pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: ProposalId) -> Result<Shown, Problem> {
    let mut tx = app.db().read(scope).await?;
    let proposal = store::proposals::find(&mut tx, id).await?;
    let memory = store::memories::find_some(&mut tx, &[proposal.memory_id]).await?.pop();
    Ok(Shown { proposal, memory })
}

/// One of them, with what is similar and what it would change.
pub async fn examine<P: Permission>(app: &App, scope: &Scope<P>, id: ProposalId) -> Result<Examined, Problem> {
    let shown = find(app, scope, id).await?;
    let near = match &shown.memory {
        Some(memory) => {
            let text = NearTo { title: memory.title.clone(), content: memory.content.clone(), project: memory.project.clone() };
            recall::near(app, scope, vec![text], SIMILAR + 1, NEAR).await?.pop().unwrap_or_default()
        }
        None => Vec::new(),
    };
    let changed = shown.proposal.change.as_ref().map(crate::model::proposals::Change::touches).unwrap_or_default();
    let ids: Vec<MemoryId> = near.iter().map(|(id, _)| *id).chain(changed.iter().copied()).collect();
    let titles = super::memories::titles(app, scope, &ids).await?;
    let similar = near
        .into_iter()
        .filter(|(id, _)| *id != shown.proposal.memory_id)
        .filter_map(|(id, score)| Some(Beside { id, title: titles.get(&id)?.clone(), score }))
        .take(SIMILAR)
        .collect();
    let touches = changed.into_iter().filter_map(|id| Some((id, titles.get(&id)?.clone()))).collect();
    Ok(Examined { shown, similar, touches })
}

/// Say who is to look at it, or that nobody in particular is.
pub async fn assign(app: &App, scope: &Scope<Reviewing>, id: ProposalId, to: Option<PersonId>) -> Result<Shown, Problem> {
    let mut tx = app.db().write(scope).await?;
    let mut proposal = store::proposals::find_to_change(&mut tx, id).await?;
    decide::must_be_open(&proposal)?;
    let to = match to {
        None => None,
        Some(person) => match store::members::find(&mut tx, person).await {
            Err(Problem::NotFound) => return Err(Problem::invalid("to", "there is no such person in this workspace")),
            Ok(member) if !member.role.may(Power::Reviewing) => {
                return Err(Problem::invalid("to", format!("is a {}, who may not decide on proposals", member.role.word())));
            }
            found => Some(found?),
        },
    };
    let audit = AuditId::new();
    store::proposals::assign(&mut tx, id, to.as_ref().map(|member| member.person), audit).await?;
    let memory = store::memories::find_some(&mut tx, &[proposal.memory_id]).await?.pop();
    tx.shows(memory.as_ref().map(|memory| memory.id));
    tx.commit(Audit::proposal_assigned(audit, id, to.as_ref().map(|member| member.person))).await?;
    proposal.assigned_to = to.map(|member| Actor::person(member.person, member.name));
    Ok(Shown { proposal, memory })
}
