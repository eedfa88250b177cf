//! What waits for a person's word: the queue, one proposal beside what is known, conflicts, and the decisions on them.

mod conflicts;
mod decide;
mod words;

pub use conflicts::{index as conflicts, resolve, show as conflict, sweep};
pub use decide::{assign, decide, decide_many, edit, undo};

pub(super) use words::{cut, shortened};

use super::{actors::shown, asked::Asked, viewer::Viewer};
use crate::{
    acts::{self, proposals::Examined},
    model::{
        Memory, MemoryId, Power, ProposalId, Role,
        page::{Limit, Page},
        proposals::{Change, Origin, ProposalFilter, ProposalState},
        sessions::Event,
    },
    problem::Problem,
    store::{Permission, Reading},
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Choice, Chrome, Flash,
    memories::Typed,
    review::{self as page, Beside, Filters, Index, Run, Show},
};

/// Runs whose events are shown, and events of each.
const RUNS: usize = 5;
const EVENTS: i64 = 12;

/// The queue.
pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let filter = &filter(&mut asked);
    let list = async |cursor: Option<String>| acts::proposals::list(app, scope, filter, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let said = |name: &str| asked.said(name).to_owned();
    let view = Index {
        filters: Filters {
            state: said("state"),
            origin: said("origin"),
            kind: said("kind"),
            project: said("project"),
            assigned_to: said("assigned_to"),
            sort: said("sort"),
        },
        proposals: found.data.iter().map(words::proposal).collect(),
        people: deciders(&viewer).await?,
        may_decide: viewer.may(Power::Reviewing),
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

fn filter(asked: &mut Asked) -> ProposalFilter {
    let state = asked.read("state", "open, approved or rejected", |text| text.parse().ok());
    ProposalFilter {
        state: Some(state.unwrap_or(ProposalState::Open)),
        origin: asked.read("origin", "capture, conflict, suspicious, policy or dream", |text| text.parse::<Origin>().ok()),
        kind: asked.read("kind", "a kind of memory, such as decision", |text| text.parse().ok()),
        project: asked.text("project"),
        assigned_to: asked.read("assigned_to", "the id of a person", |text| text.parse().ok()),
        oldest_first: asked.said("sort") == "oldest",
        ..ProposalFilter::default()
    }
}

/// One that waits, beside what is known, with what speaks for it.
pub async fn show(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    one(&viewer, id.parse().map_err(|_| Problem::NotFound)?, None).await
}

/// The same, with what was typed into its form and why that did not come through.
async fn one<P: Permission>(viewer: &Viewer<P>, id: ProposalId, typed: Option<(Typed, String)>) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let (typed, why) = typed.unzip();
    let examined = acts::proposals::examine(app, scope, id).await?;
    let beside = beside(viewer, &examined).await?;
    let Examined { shown: one, .. } = examined;
    let nearest = beside.first().map(|(memory, _)| memory.content.as_str());
    let text = one.memory.as_ref().map(|memory| words::marked(nearest, &memory.content, words::COMPARED)).unwrap_or_default();
    let waits = one.proposal.state == ProposalState::Open && Change::has_waiting(one.proposal.change.as_ref());
    let view = Show {
        text,
        path: one.memory.as_ref().map(|memory| memory.path.as_str().to_owned()),
        tags: one.memory.as_ref().map(|memory| memory.tags.clone()).unwrap_or_default(),
        beside: beside.into_iter().map(|(_, shown)| shown).collect(),
        runs: runs(viewer, &one.proposal.sightings).await?,
        edit: one.memory.as_ref().filter(|_| waits).map(|memory| match typed {
            Some(typed) => words::typed(memory, typed),
            None => words::edit(memory),
        }),
        people: deciders(viewer).await?,
        assigned_to: one.proposal.assigned_to.as_ref().map(|person| person.id.to_string()).unwrap_or_default(),
        may_decide: viewer.may(Power::Reviewing),
        next: next(viewer, id).await?,
        proposal: words::proposal(&one),
        chrome: Chrome { here: viewer.place(format_args!("review/{id}")), ..viewer.chrome(why.map(Flash::bad)) },
    };
    Ok(viewer.sees(view.html()))
}

/// What would change comes first, then what speaks of the same, nearest first.
async fn beside<P: Permission>(viewer: &Viewer<P>, examined: &Examined) -> Result<Vec<(Memory, Beside)>, Problem> {
    let change = examined.shown.proposal.change.as_ref();
    let touched = examined.touches.iter().map(|(id, _)| (*id, None, change.map(|change| words::becomes(change, *id))));
    let near = examined.similar.iter().map(|one| (one.id, Some(one.score), None));
    let mut wanted: Vec<(MemoryId, Option<f32>, Option<String>)> = touched.collect();
    for one in near {
        if !wanted.iter().any(|(id, ..)| *id == one.0) {
            wanted.push(one);
        }
    }
    wanted.retain(|(id, ..)| *id != examined.shown.proposal.memory_id || change.is_some());
    wanted.truncate(8);
    let ids: Vec<MemoryId> = wanted.iter().map(|(id, ..)| *id).collect();
    let known = acts::memories::some(&viewer.app, &viewer.scope, &ids).await?;
    let own = examined.shown.memory.as_ref().map(|memory| memory.content.as_str());
    let shown = known.into_iter().filter_map(|memory| {
        let (_, score, becomes) = wanted.iter().find(|(id, ..)| *id == memory.id)?;
        let beside = words::beside(&viewer.scope, &memory, own, *score, becomes.clone());
        Some((memory, beside))
    });
    Ok(shown.collect())
}

async fn runs<P: Permission>(viewer: &Viewer<P>, sightings: &[crate::model::proposals::Sighting]) -> Result<Vec<Run>, Problem> {
    let mut runs = Vec::new();
    for seen in sightings.iter().rev().take(RUNS) {
        let events = acts::sessions::named(&viewer.app, &viewer.scope, seen.session_id, &seen.events, EVENTS).await?;
        runs.push(Run {
            session_id: seen.session_id.to_string(),
            weight: seen.weight,
            more: seen.events.len().saturating_sub(usize::try_from(EVENTS).unwrap_or(usize::MAX)),
            events: events.iter().map(event).collect(),
        });
    }
    Ok(runs)
}

fn event(event: &Event) -> page::Event {
    let input = event.input.as_ref().map(std::string::ToString::to_string);
    let what = [&event.command, &event.path, &event.text, &input, &event.tool].into_iter().flatten().find(|text| !text.trim().is_empty());
    page::Event {
        kind: event.kind.word().to_owned(),
        at: event.at,
        what: what.map_or_else(String::new, |text| words::cut(text, 400)),
        output: event.output.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(|text| words::cut(text, 600)),
        failed: event.exit_code.is_some_and(|code| code != 0),
    }
}

/// What waits after this one, the way the queue goes.
async fn next<P: Permission>(viewer: &Viewer<P>, id: ProposalId) -> Result<Option<String>, Problem> {
    let filter = ProposalFilter { state: Some(ProposalState::Open), ..ProposalFilter::default() };
    let place = Page::<()>::place(&id);
    let one = Limit::parse(Some(1))?;
    let after = acts::proposals::list(&viewer.app, &viewer.scope, &filter, one, Some(&place)).await?;
    if let Some(found) = after.data.first() {
        return Ok(Some(found.proposal.id.to_string()));
    }
    let first = acts::proposals::list(&viewer.app, &viewer.scope, &filter, one, None).await?;
    Ok(first.data.first().map(|found| found.proposal.id).filter(|found| *found != id).map(|id| id.to_string()))
}

/// Who may decide, to pick from. Only members are asked for, and only by those who decide.
async fn deciders<P: Permission>(viewer: &Viewer<P>) -> Result<Vec<Choice>, Problem> {
    if !viewer.may(Power::Reviewing) {
        return Ok(Vec::new());
    }
    let members = acts::access::those_who_may(&viewer.app, &viewer.scope, Power::Reviewing).await?;
    let me = viewer.scope.actor().id;
    let label = |id, name: String, role: Role| if id == me { format!("{name} (you)") } else { format!("{name}, {}", role.word()) };
    Ok(members.into_iter().map(|one| Choice::new(one.person.to_string(), label(one.person.0, one.name, one.role))).collect())
}

fn decided(by: Option<&crate::model::Actor>, at: Option<time::OffsetDateTime>, note: Option<&String>) -> Option<page::Decided> {
    by.zip(at).map(|(by, at)| page::Decided { by: shown(by), at, note: note.cloned() })
}
