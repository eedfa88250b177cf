//! Dreams: the list, the report of one, and beginning one.

use super::{actors::shown, asked::Asked, forms::Posted, viewer::Viewer};
use crate::{
    acts,
    model::{
        DreamId, MemoryId, Power, Project,
        dreams::{Asked as Wanted, Deed, Done, Dream, DreamState, Outcome, Why},
        page::Limit,
    },
    problem::Problem,
    store::{Reading, Reviewing},
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    dreams::{self as page, Action, Index, Named, Show},
};
use serde::Deserialize;
use std::collections::HashMap;

pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let list = async |cursor: Option<String>| acts::dreams::list(app, scope, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let may_start = viewer.may(Power::Reviewing);
    let view = Index {
        dreams: found.data.iter().map(dream).collect(),
        mode: mode(scope.settings().dream_mode).to_owned(),
        may_start,
        projects: if may_start { acts::memories::labels(app, scope).await?.projects } else { Vec::new() },
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

pub async fn show(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope, id) = (&viewer.app, &viewer.scope, parse(&id)?);
    let found = acts::dreams::find(app, scope, id).await?;
    let deed = asked.read("deed", "what a dream does, such as merge", |text| text.parse::<Deed>().ok());
    let cursor = asked.text("cursor");
    let (actions, titles) = match acts::dreams::actions(app, scope, id, deed, Limit::DEFAULT, cursor.as_deref()).await {
        Err(Problem::Invalid(_)) if cursor.is_some() => {
            asked.mishear("cursor", "it is no page of this list, so this is the first");
            acts::dreams::actions(app, scope, id, deed, Limit::DEFAULT, None).await?
        }
        read => read?,
    };
    let undoable = matches!(found.state, DreamState::Done | DreamState::Failed) && !found.dry_run;
    let view = Show {
        dream: dream(&found),
        deed: asked.said("deed").to_owned(),
        actions: actions.data.iter().map(|done| action(done, &titles)).collect(),
        may_roll_back: undoable && viewer.may(Power::Reviewing),
        continued: asked.is_continued(),
        next_cursor: actions.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Begin {
    mode: Option<String>,
    project: Option<String>,
    dry_run: Option<String>,
}

pub async fn start(viewer: Viewer<Reviewing>, Posted(form): Posted<Begin>) -> Result<Response, Problem> {
    let begun = async {
        let mode = match form.mode.as_deref() {
            None => None,
            Some("review") => Some(crate::model::access::Mode::Review),
            Some("auto") => Some(crate::model::access::Mode::Auto),
            Some(_) => return Err(Problem::invalid("mode", "must be review or auto")),
        };
        let project = form.project.as_deref().map(Project::parse).transpose()?;
        acts::dreams::start(&viewer.app, &viewer.scope, Wanted { mode, project, dry_run: form.dry_run.is_some() }).await
    };
    let done =
        begun.await.map(|dream| (viewer.place(format_args!("dreams/{}", dream.id)), Flash::good("It dreams. The report grows here.")));
    viewer.after(done, &viewer.place("dreams"))
}

fn dream(dream: &Dream) -> page::Dream {
    let tally = dream.tally.actions.iter().flat_map(|(deed, outcomes)| {
        outcomes.iter().map(|(outcome, count)| (deed_said(*deed).to_owned(), outcome_said(*outcome).to_owned(), *count))
    });
    page::Dream {
        id: dream.id.to_string(),
        state: dream.state.word().to_owned(),
        stage: dream.stage.word().to_owned(),
        mode: mode(dream.mode).to_owned(),
        project: dream.project.clone(),
        dry_run: dream.dry_run,
        started_at: dream.started_at,
        ended_at: dream.ended_at,
        started_by: shown(&dream.started_by),
        looked_at: dream.tally.looked_at,
        left_out: dream.tally.left_out,
        tally: tally.collect(),
        tokens: dream.tally.llm.as_ref().map(|spent| (spent.sent, spent.received)),
    }
}

fn mode(mode: crate::model::access::Mode) -> &'static str {
    use crate::model::access::Mode;
    match mode {
        Mode::Off => "off",
        Mode::Review => "review",
        Mode::Auto => "auto",
    }
}

fn action(done: &Done, titles: &HashMap<MemoryId, String>) -> Action {
    let named = |id: MemoryId| Named { id: id.to_string(), title: titles.get(&id).cloned() };
    Action {
        deed: deed_said(done.deed).to_owned(),
        why: why_said(done.why).to_owned(),
        score: done.score,
        outcome: outcome_said(done.outcome).to_owned(),
        memory: named(done.memory),
        others: done.others.iter().copied().map(named).collect(),
        made: done.made.map(named),
        proposal_id: done.proposal.map(|id| id.to_string()),
        conflict_id: done.conflict.map(|id| id.to_string()),
    }
}

fn deed_said(deed: Deed) -> &'static str {
    match deed {
        Deed::Merge => "merge",
        Deed::Promote => "promote to a pattern",
        Deed::Condense => "tell in short",
        Deed::Decay => "put away",
        Deed::Flag => "flag a contradiction",
        Deed::Verify => "look at again",
        Deed::Rewrite => "rewrite",
    }
}

fn outcome_said(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Applied => "done",
        Outcome::Proposed => "proposed",
        Outcome::Listed => "listed",
        Outcome::WouldApply => "would be done",
        Outcome::WouldPropose => "would be proposed",
        Outcome::Changed => "left: it changed meanwhile",
        Outcome::Known => "known already",
    }
}

fn why_said(why: Why) -> &'static str {
    match why {
        Why::SameText => "the same text",
        Why::SameWords => "the same words",
        Why::SaysMore => "one says all that the other says",
        Why::AlmostSame => "almost the same",
        Why::FoundAgain => "found in several runs",
        Why::LongPast => "long past",
        Why::NeverRecalled => "never recalled",
        Why::Contradicts => "both cannot hold",
        Why::NotFresh => "no longer fresh, and still told",
    }
}

fn parse(id: &str) -> Result<DreamId, Problem> {
    id.parse().map_err(|_| Problem::NotFound)
}
