//! Deciding: approve, edit and approve, reject, one or many. What is decided, the memories it changes and their entries
//! commit together.

use super::{Shown, change, find};
use crate::{
    App,
    acts::{
        conflicts::{self, Since},
        memories::{self, Asked, Settled},
        safety::{self, Found},
    },
    audit::{Audit, Trail},
    engines::conflict::Contradiction,
    model::{
        AuditId, Kind, Memory, MemoryId, ProposalId, Revision, Run, State, clock,
        proposals::{Change, Origin, Proposal, ProposalState},
    },
    problem::Problem,
    store::{self, Reviewing, Scope, Tx, Write, proposals::Verdict},
};

/// What is to become of one proposal.
#[derive(Clone, Debug)]
pub struct Decision {
    pub id: ProposalId,
    pub approve: bool,
}

/// It is known from now on, or done.
pub async fn approve(app: &App, scope: &Scope<Reviewing>, id: ProposalId, note: Option<String>) -> Result<Shown, Problem> {
    one(app, scope, Decision { id, approve: true }, note).await
}

/// It is put away, or left undone, and does not come back.
pub async fn reject(app: &App, scope: &Scope<Reviewing>, id: ProposalId, note: Option<String>) -> Result<Shown, Problem> {
    one(app, scope, Decision { id, approve: false }, note).await
}

async fn one(app: &App, scope: &Scope<Reviewing>, decision: Decision, note: Option<String>) -> Result<Shown, Problem> {
    app.db().unless_answered(scope).await?;
    let words = Words::admitted(app, scope, note).await?;
    let losers = if decision.approve { losers_to(app, scope, decision.id).await? } else { Losers::default() };
    let mut tx = app.db().write(scope).await?;
    let proposal = store::proposals::find_to_change(&mut tx, decision.id).await?;
    must_be_open(&proposal)?;
    let (shown, mut trail) = settle(&mut tx, scope, proposal, decision.approve, &losers, &words).await?;
    if let Some(memory) = shown.memory.as_ref().filter(|_| decision.approve) {
        trail.extend(conflicts::note(app, scope, &mut tx, memory).await?);
    }
    trail.extend(words.entry(decision.id));
    tx.shows(shown.memory.as_ref().map(|memory| memory.id));
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(shown)
}

/// Decide many, all or none, in the order given. One that was decided the same way already stays as it is.
pub async fn decide_all(app: &App, scope: &Scope<Reviewing>, decisions: &[Decision], note: Option<String>) -> Result<Vec<Shown>, Problem> {
    app.db().unless_answered(scope).await?;
    let words = Words::admitted(app, scope, note).await?;
    let mut losers = Vec::with_capacity(decisions.len());
    for (index, decision) in decisions.iter().enumerate() {
        let of_this = if decision.approve { losers_to(app, scope, decision.id).await } else { Ok(Losers::default()) };
        losers.push(of_this.map_err(|problem| at(problem, index, decision))?);
    }
    let mut tx = app.db().write(scope).await?;
    let (mut all, mut trail) = (Vec::with_capacity(decisions.len()), Vec::new());
    for (index, (decision, losers)) in decisions.iter().zip(&losers).enumerate() {
        let settled = settle_one_of(&mut tx, scope, decision, losers, &words).await;
        let (shown, entries) = settled.map_err(|problem| at(problem, index, decision))?;
        trail.extend(entries);
        all.push(shown);
    }
    tx.shows(all.iter().filter_map(|shown| shown.memory.as_ref()).map(|memory| memory.id));
    if trail.is_empty() {
        tx.leave_as_is([]).await?;
        return Ok(all);
    }
    if let Some(first) = decisions.first() {
        trail.extend(words.entry(first.id));
    }
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    // Of many nobody looks what they contradict: a sweep follows.
    app.backlog().leave(scope.workspace());
    Ok(all)
}

async fn settle_one_of(
    tx: &mut Tx<Write>,
    scope: &Scope<Reviewing>,
    decision: &Decision,
    losers: &Losers,
    words: &Words,
) -> Result<(Shown, Vec<Audit>), Problem> {
    let proposal = store::proposals::find_to_change(tx, decision.id).await?;
    let wanted = if decision.approve { ProposalState::Approved } else { ProposalState::Rejected };
    if proposal.state == wanted {
        let memory = store::memories::find_some(tx, &[proposal.memory_id]).await?.pop();
        return Ok((Shown { proposal, memory }, Vec::new()));
    }
    must_be_open(&proposal)?;
    settle(tx, scope, proposal, decision.approve, losers, words).await
}

/// Which of many it is about.
fn at(problem: Problem, index: usize, decision: &Decision) -> Problem {
    match problem {
        Problem::NotFound => Problem::invalid(format!("decisions[{index}].id"), format!("there is no proposal {}", decision.id)),
        other => other.at_item(index),
    }
}

/// Say it in other words and approve that. A decision that waits is not rewritten but makes room for the one as edited.
pub async fn edit(app: &App, scope: &Scope<Reviewing>, id: ProposalId, revision: Revision) -> Result<Shown, Problem> {
    app.db().unless_answered(scope).await?;
    let (revision, found) = safety::admit_change(app, scope, revision).await?;
    let words = Words { note: revision.reason.clone(), found: Vec::new() };
    let Shown { proposal, memory } = find(app, scope, id).await?;
    let Some(mut wanted) = memory.filter(|_| Change::has_waiting(proposal.change.as_ref())) else {
        return Err(Problem::conflict(
            "wrong_state",
            "No memory waits for this proposal, so there is no text to edit: approve or reject it.",
        ));
    };
    revision.clone().apply_to(&mut wanted);
    // Whoever edits and approves a decision decides for it: what it contradicts is superseded.
    let losers = match wanted.kind {
        Kind::Decision => {
            let since = Some(Since::now(app, scope).await?);
            let against = conflicts::against(app, scope, &wanted).await?;
            unless_hidden(&wanted, &against)?;
            Losers { since, ids: against.into_iter().map(|(old, _)| old.id).collect(), refused: false }
        }
        _ => Losers::default(),
    };
    let mut tx = app.db().write(scope).await?;
    let proposal = store::proposals::find_to_change(&mut tx, id).await?;
    must_be_open(&proposal)?;
    let before = store::memories::find_to_change(&mut tx, proposal.memory_id).await?;
    let (memory, mut trail) = if before.kind == Kind::Decision && revision.touches_what_is_decided(&before) {
        let mut new = memories::edited(scope, &before, revision)?;
        new.supersedes = new.supersedes.or(losers.ids.first().copied());
        let asked = Asked::decided(scope, new);
        memories::put_instead(app, scope, &mut tx, &before, asked).await?
    } else {
        memories::settle_as(app, &mut tx, scope, &before, revision).await?
    };
    let superseded: Vec<MemoryId> = losers.by_now(&mut tx, &memory).await?.into_iter().chain(memory.supersedes).collect();
    trail.extend(change::supersede(&mut tx, scope, &superseded, memory.id).await?);
    if let Some(change) = &proposal.change {
        trail.extend(change::apply(&mut tx, scope, memory.id, change).await?);
    }
    if !found.is_empty() {
        trail.push(Audit::secrets("secrets.redacted", Some(("memory", memory.id.0)), &found));
    }
    trail.extend(conflicts::note(app, scope, &mut tx, &memory).await?);
    let (shown, entry) = close(&mut tx, scope, proposal, ProposalState::Approved, Some(memory), &words).await?;
    trail.push(entry);
    tx.shows(shown.memory.as_ref().map(|memory| memory.id));
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(shown)
}

/// Approves or rejects one that is open, with everything that follows from it.
async fn settle(
    tx: &mut Tx<Write>,
    scope: &Scope<Reviewing>,
    proposal: Proposal,
    approve: bool,
    losers: &Losers,
    words: &Words,
) -> Result<(Shown, Vec<Audit>), Problem> {
    let mut trail = Vec::new();
    let memory = if Change::has_waiting(proposal.change.as_ref()) {
        // Both sides know of each other: whoever reads the new decision finds what it took the place of.
        let settled = if approve { Settled::Known { instead_of: losers.ids.first().copied() } } else { Settled::Rejected };
        let (memory, entry) = memories::settle(tx, scope, proposal.memory_id, settled).await?;
        trail.push(entry);
        Some(memory)
    } else {
        None
    };
    if approve {
        if let Some(memory) = &memory {
            let superseded: Vec<MemoryId> = losers.by_now(tx, memory).await?.into_iter().chain(memory.supersedes).collect();
            trail.extend(change::supersede(tx, scope, &superseded, memory.id).await?);
        }
        if let Some(change) = &proposal.change {
            trail.extend(change::apply(tx, scope, proposal.memory_id, change).await?);
        }
    }
    let memory = match memory {
        Some(memory) => Some(memory),
        None => store::memories::find_some(tx, &[proposal.memory_id]).await?.pop(),
    };
    let state = if approve { ProposalState::Approved } else { ProposalState::Rejected };
    let (shown, entry) = close(tx, scope, proposal, state, memory, words).await?;
    trail.push(entry);
    Ok((shown, trail))
}

async fn close(
    tx: &mut Tx<Write>,
    scope: &Scope<Reviewing>,
    mut proposal: Proposal,
    state: ProposalState,
    memory: Option<Memory>,
    words: &Words,
) -> Result<(Shown, Audit), Problem> {
    let (audit, now) = (AuditId::new(), clock::now());
    let became = memory.as_ref().map(|memory| memory.id).filter(|id| *id != proposal.memory_id);
    let verdict =
        Verdict { state, by: scope.actor(), at: now, note: words.note.as_deref(), became, review: scope.run().and_then(Run::review) };
    store::proposals::decide(tx, proposal.id, &verdict, audit).await?;
    let action = if state == ProposalState::Approved { "proposal.approved" } else { "proposal.rejected" };
    proposal.memory_id = became.unwrap_or(proposal.memory_id);
    let entry = Audit::proposal(audit, action, proposal.id, proposal.memory_id);
    (proposal.state, proposal.decided_at, proposal.decided_by) = (state, Some(now), Some(scope.actor().clone()));
    proposal.note.clone_from(&words.note);
    Ok((Shown { proposal, memory }, entry))
}

/// What makes room for a decision that is approved.
#[derive(Default)]
struct Losers {
    ids: Vec<MemoryId>,
    /// When they were looked for; nothing where nobody had to.
    since: Option<Since>,
    /// Whether contradicting anything that came meanwhile is a reason to refuse.
    refused: bool,
}

impl Losers {
    /// With what came meanwhile, for a decision that this transaction has just made active.
    async fn by_now(&self, tx: &mut Tx<Write>, memory: &Memory) -> Result<Vec<MemoryId>, Problem> {
        let mut ids = self.ids.clone();
        if let Some(since) = &self.since {
            let mut late = since.against(tx, memory).await?;
            late.retain(|(old, _)| !ids.contains(&old.id));
            if self.refused {
                conflicts::unless_contradicting(&late)?;
            }
            unless_hidden(memory, &late)?;
            ids.extend(late.into_iter().map(|(old, _)| old.id));
        }
        Ok(ids)
    }
}

/// Whoever approves a contradiction decides for it: what it contradicts is superseded. A decision that waited for another
/// reason must contradict nothing by now.
async fn losers_to(app: &App, scope: &Scope<Reviewing>, id: ProposalId) -> Result<Losers, Problem> {
    let Shown { proposal, memory } = find(app, scope, id).await?;
    let waits = |memory: &Memory| memory.kind == Kind::Decision && memory.state == State::Proposed;
    let Some(memory) = memory.filter(|memory| waits(memory) && Change::has_waiting(proposal.change.as_ref())) else {
        return Ok(Losers::default());
    };
    let since = Some(Since::now(app, scope).await?);
    let against = conflicts::against(app, scope, &memory).await?;
    let refused = proposal.origin != Origin::Conflict;
    if refused {
        conflicts::unless_contradicting(&against)?;
    }
    unless_hidden(&memory, &against)?;
    Ok(Losers { ids: against.into_iter().map(|(old, _)| old.id).collect(), since, refused })
}

fn unless_hidden(memory: &Memory, against: &[(Memory, Contradiction)]) -> Result<(), Problem> {
    if against.iter().any(|(old, _)| !memory.visibility.may_stand_for(old.visibility)) {
        return Err(Problem::conflict(
            "decision_conflict",
            "It contradicts a decision that others follow, and they would not see what took its place: reject it, or approve one that all see.",
        ));
    }
    Ok(())
}

pub(super) fn must_be_open(proposal: &Proposal) -> Result<(), Problem> {
    match proposal.state {
        ProposalState::Open => Ok(()),
        decided => Err(Problem::conflict("wrong_state", format!("This proposal is {} already.", decided.word()))),
    }
}

/// What whoever decides says, without what may not be kept.
struct Words {
    note: Option<String>,
    found: Vec<Found>,
}

impl Words {
    async fn admitted(app: &App, scope: &Scope<Reviewing>, note: Option<String>) -> Result<Self, Problem> {
        match note {
            None => Ok(Self { note: None, found: Vec::new() }),
            Some(note) => {
                let (note, found) = safety::admit_text(app, scope, "note", note).await?;
                Ok(Self { note: Some(note), found })
            }
        }
    }

    fn entry(&self, id: ProposalId) -> Option<Audit> {
        (!self.found.is_empty()).then(|| Audit::secrets("secrets.redacted", Some(("proposal", id.0)), &self.found))
    }
}
