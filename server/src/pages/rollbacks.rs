//! Rolling back what a run, a dream or somebody wrote: what it would do, doing it, and what was done.

use super::{
    actors::{self, shown},
    asked::Asked,
    forms::Posted,
    viewer::Viewer,
};
use crate::{
    acts::{self, rollbacks::Undone},
    model::{
        Actor, DreamId, Power, RollbackId, SessionId, clock,
        page::Limit,
        rollbacks::{self, Counts, Selector, ShownItem},
    },
    problem::Problem,
    store::{Reading, Reviewing},
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    dreams::Named,
    rollbacks::{self as page, Index, Item, New, Of, Outcome, Planned, Show, Tally},
};
use serde::Deserialize;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

/// Memories that one page lists.
const LISTED: usize = 200;

pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let list = async |cursor: Option<String>| acts::rollbacks::list(app, scope, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let everyone = acts::actors::everyone(app, scope).await?;
    let view = Index {
        rollbacks: found.data.iter().map(|one| rollback(one, &everyone)).collect(),
        may_roll_back: viewer.may(Power::Reviewing),
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

pub async fn show(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let found = acts::rollbacks::find(app, scope, parse(Some(&id))?.ok_or(Problem::NotFound)?).await?;
    let everyone = acts::actors::everyone(app, scope).await?;
    let done = found.rollback.as_ref().ok_or(Problem::NotFound)?;
    let view = Show {
        rollback: rollback(done, &everyone),
        did: outcome(&found),
        may_roll_back: viewer.may(Power::Reviewing),
        chrome: viewer.chrome(None),
    };
    Ok(viewer.sees(view.html()))
}

/// What it would do. Of somebody one says how far back in hours; the form then carries the moment that was shown.
pub async fn new(viewer: Viewer<Reviewing>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let hours = asked.read("hours", "a number of hours", |text| text.parse::<u32>().ok().filter(|hours| (1..=87_600).contains(hours)));
    let wanted = Wanted {
        session_id: asked.text("session_id"),
        dream_id: asked.text("dream_id"),
        rollback_id: asked.text("rollback_id"),
        agent_id: asked.text("agent_id"),
        from: None,
    };
    let everyone = acts::actors::everyone(app, scope).await?;
    let planned = match wanted.selector()? {
        None => None,
        Some(mut selector) => {
            // A run begins and ends by itself.
            let since = hours.filter(|_| selector.run().is_none()).map(|hours| clock::now() - Duration::hours(hours.into()));
            selector.from = since;
            let would = acts::rollbacks::preview(app, scope, there(&viewer, selector).await?).await?;
            Some(Planned { of: of(&would.selector, &everyone), fields: fields(&would.selector), would: outcome(&would) })
        }
    };
    let view = New {
        actors: actors::choices(&everyone),
        actor: asked.said("agent_id").to_owned(),
        hours: if planned.is_some() { asked.said("hours").to_owned() } else { "24".to_owned() },
        planned,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

/// Whose writes, as an address or a form names them: one of the four.
#[derive(Deserialize)]
pub struct Wanted {
    session_id: Option<String>,
    dream_id: Option<String>,
    rollback_id: Option<String>,
    agent_id: Option<String>,
    from: Option<String>,
}

impl Wanted {
    fn selector(&self) -> Result<Option<Selector>, Problem> {
        let from = self.from.as_deref().map(|from| OffsetDateTime::parse(from, &Rfc3339)).transpose();
        let selector = Selector {
            session_id: parse::<SessionId>(self.session_id.as_deref())?,
            dream_id: parse::<DreamId>(self.dream_id.as_deref())?.map(|id| id.0),
            rollback_id: parse::<RollbackId>(self.rollback_id.as_deref())?,
            agent_id: parse::<Uuid>(self.agent_id.as_deref())?,
            from: from.map_err(|_| Problem::invalid("from", "must be a moment"))?,
            ..Selector::default()
        };
        let named = selector.run().is_some() || selector.agent_id.is_some();
        Ok(named.then_some(selector))
    }
}

pub async fn create(viewer: Viewer<Reviewing>, Posted(form): Posted<Wanted>) -> Result<Response, Problem> {
    let list = viewer.place("rollbacks");
    let done = async {
        let selector = form.selector()?.ok_or_else(|| Problem::invalid("agent_id", "must be chosen"))?;
        let undone = acts::rollbacks::roll_back(&viewer.app, &viewer.scope, there(&viewer, selector).await?).await?;
        let id = undone.rollback.map(|rollback| rollback.id).ok_or(Problem::NotFound)?;
        Ok((viewer.place(format_args!("rollbacks/{id}")), Flash::good(said(undone.counts))))
    };
    let done = done.await;
    viewer.after(done, &list)
}

fn said(counts: Counts) -> String {
    let back = counts.restored + counts.unwound + counts.archived;
    let memories = if back == 1 { "1 memory is as it was".to_owned() } else { format!("{back} memories are as they were") };
    format!("Rolled back: {memories}, {} were left.", counts.left)
}

/// The run that is named, if it is there.
async fn there(viewer: &Viewer<Reviewing>, selector: Selector) -> Result<Selector, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    if let Some(id) = selector.session_id {
        acts::sessions::find(app, scope, id).await?;
    }
    if let Some(id) = selector.dream_id {
        acts::dreams::find(app, scope, DreamId(id)).await?;
    }
    if let Some(id) = selector.rollback_id {
        acts::rollbacks::find(app, scope, id).await?;
    }
    Ok(selector)
}

fn fields(selector: &Selector) -> Vec<(&'static str, String)> {
    let from = selector.from.and_then(|from| from.format(&Rfc3339).ok());
    let all = [
        ("session_id", selector.session_id.map(|id| id.to_string())),
        ("dream_id", selector.dream_id.map(|id| id.to_string())),
        ("rollback_id", selector.rollback_id.map(|id| id.to_string())),
        ("agent_id", selector.agent_id.map(|id| id.to_string())),
        ("from", from),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn rollback(one: &rollbacks::Rollback, everyone: &[Actor]) -> page::Rollback {
    page::Rollback { id: one.id.to_string(), at: one.at, by: shown(&one.by), of: of(&one.selector, everyone), tally: tally(one.counts) }
}

fn of(selector: &Selector, everyone: &[Actor]) -> Of {
    let runs = [
        (selector.session_id.map(|id| id.to_string()), "a run", "sessions"),
        (selector.dream_id.map(|id| id.to_string()), "a dream", "dreams"),
        (selector.rollback_id.map(|id| id.to_string()), "another rollback", "rollbacks"),
    ];
    let run = runs.into_iter().find_map(|(id, said, place)| Some((said.to_owned(), Some(format!("{place}/{}", id?)))));
    let (said, place) = run.unwrap_or_else(|| (whose(selector, everyone), None));
    Of { said, place, since: selector.from }
}

fn whose(selector: &Selector, everyone: &[Actor]) -> String {
    let name = selector.agent_id.map(|id| everyone.iter().find(|one| one.id == id).map_or("somebody who is gone", |one| one.name.as_str()));
    match (selector.review_id, name, &selector.memory_ids) {
        (Some(_), ..) => "what was decided in a review".to_owned(),
        (None, Some(name), _) => format!("what {name} wrote"),
        (None, None, Some(memories)) => format!("what was written into {} memories", memories.len()),
        (None, None, None) => "what was written".to_owned(),
    }
}

/// What was left comes first: somebody may have to see to it.
fn outcome(undone: &Undone) -> Outcome {
    let (left, rest): (Vec<_>, Vec<_>) = undone.items.iter().partition(|shown| shown.item.outcome == rollbacks::Outcome::Left);
    let items: Vec<Item> = left.into_iter().chain(rest).take(LISTED).map(item).collect();
    // The counts know of those too that were not read.
    let Counts { restored, unwound, archived, left, withdrawn: _ } = undone.counts;
    let all = usize::try_from(restored + unwound + archived + left).unwrap_or_default();
    Outcome { tally: tally(undone.counts), more: all.saturating_sub(items.len()), items }
}

fn tally(counts: Counts) -> Tally {
    let Counts { restored, unwound, archived, left, withdrawn: _ } = counts;
    Tally { restored, unwound, archived, left }
}

fn item(found: &ShownItem) -> Item {
    Item {
        memory: Named { id: found.item.memory_id.to_string(), title: found.title.clone() },
        outcome: found.item.outcome.word().to_owned(),
        reason: found.item.reason.map(|reason| left_because(reason).to_owned()),
    }
}

fn left_because(reason: rollbacks::Reason) -> &'static str {
    use rollbacks::Reason;
    match reason {
        Reason::ChangedSince => "somebody changed it since",
        Reason::PlaceTaken => "another stands in its place by now",
        Reason::StillNeeded => "it stands in the place of one that is left",
        Reason::PathTaken => "its path is another's by now",
        Reason::DecisionConflict => "it would contradict a decision",
        Reason::VersionRedacted => "the state from before was redacted",
        Reason::ContentErased => "the text from before was erased",
        Reason::StoreClosed => "its store is archived or deleted",
        Reason::QuotaExceeded => "the workspace is full",
        Reason::OutsideProject => "it lies outside of the project",
        Reason::NotVisible => "the state from before is not yours to see",
    }
}

fn parse<T: std::str::FromStr>(id: Option<&str>) -> Result<Option<T>, Problem> {
    id.map(|id| id.parse().map_err(|_| Problem::NotFound)).transpose()
}
