//! The forms of the review: decide one or many, in other words, by whom, and take it back.

use super::super::{
    forms::Posted,
    viewer::{Viewer, is_local},
    written::Written,
};
use crate::{
    acts::{self, proposals::Decision},
    model::{PersonId, ProposalId, ReviewId, text},
    problem::Problem,
    store::Reviewing,
};
use axum::{extract::Path, response::Response};
use cairn_web::Flash;
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Decided {
    decision: Option<String>,
    note: Option<String>,
    back: Option<String>,
}

/// One: approve or reject.
pub async fn decide(
    viewer: Viewer<Reviewing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Decided>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let (review, scope) = acts::reviews::sit(&viewer.scope);
    let back = back(&viewer, form.back.as_deref());
    let decided = async {
        let note = note(form.note.as_deref())?;
        let approve = approves(form.decision.as_deref())?;
        let done = if approve {
            acts::proposals::approve(&viewer.app, &scope, id, note).await?
        } else {
            acts::proposals::reject(&viewer.app, &scope, id, note).await?
        };
        let old = done.memory.as_ref().filter(|_| approve).and_then(|memory| memory.supersedes);
        let instead_of = match old {
            Some(old) => acts::memories::titles(&viewer.app, &viewer.scope, &[old]).await?.remove(&old),
            None => None,
        };
        let title = done.memory.map(|memory| format!("“{}”", super::words::cut(&memory.title, 120))).unwrap_or_default();
        let said = match &instead_of {
            Some(old) => format!("Approved {title}, in place of “{old}”"),
            None if approve => format!("Approved {title}"),
            None => format!("Rejected {title}"),
        };
        Ok((back.clone(), taken_back(&viewer, &said, review)))
    };
    let done = decided.await;
    viewer.after(done, &back)
}

/// Many: those that were ticked, all or none.
pub async fn decide_many(viewer: Viewer<Reviewing>, Posted(form): Posted<Vec<(String, String)>>) -> Result<Response, Problem> {
    let field = |wanted: &str| form.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let back = back(&viewer, field("back"));
    let (review, scope) = acts::reviews::sit(&viewer.scope);
    let decided = async {
        let approve = approves(field("decision"))?;
        let ids: Vec<ProposalId> = form.iter().filter(|(name, _)| name == "id").map(|(_, id)| parse(id)).collect::<Result<_, _>>()?;
        if ids.is_empty() {
            return Err(Problem::conflict("nothing_ticked", "Nothing was decided: tick those that you mean first."));
        }
        let decisions: Vec<Decision> = ids.iter().map(|id| Decision { id: *id, approve }).collect();
        let done = acts::proposals::decide_all(&viewer.app, &scope, &decisions, None).await?;
        let word = if approve { "Approved" } else { "Rejected" };
        Ok((back.clone(), taken_back(&viewer, &format!("{word} {} proposals", done.len()), review)))
    };
    let done = decided.await;
    viewer.after(done, &back)
}

fn taken_back(viewer: &Viewer<Reviewing>, said: &str, review: ReviewId) -> Flash {
    Flash::good(format!("{said}.")).or_undo(viewer.place("review/undo"), &[("review", &review.to_string())])
}

#[derive(Deserialize)]
pub struct Undo {
    review: Option<String>,
}

/// Take back what was decided a moment ago.
pub async fn undo(viewer: Viewer<Reviewing>, Posted(form): Posted<Undo>) -> Result<Response, Problem> {
    let review: ReviewId = form.review.as_deref().and_then(|id| id.parse().ok()).ok_or(Problem::NotFound)?;
    let sitting = acts::reviews::of(&viewer.app, &viewer.scope, review).await?;
    let to = viewer.place(if sitting.conflicts.is_empty() { "review" } else { "conflicts" });
    let done = acts::reviews::take_back(&viewer.app, &viewer.scope, review).await.map(|counts| {
        let left = match counts.left {
            0 => String::new(),
            1 => " One memory was changed since, and is left as it is.".to_owned(),
            many => format!(" {many} memories were changed since, and are left as they are."),
        };
        (to.clone(), Flash::note(format!("Taken back: it waits again.{left}")))
    });
    viewer.after(done, &to)
}

/// In other words, and approve that.
pub async fn edit(
    viewer: Viewer<Reviewing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Written>,
) -> Result<Response, Problem> {
    let (app, scope, id) = (&viewer.app, &viewer.scope, parse(&id)?);
    let waiting = acts::proposals::find(app, scope, id).await?.memory;
    let done = async {
        let revision = waiting.as_ref().map(|memory| form.revision(memory)).transpose()?.unwrap_or_default();
        acts::proposals::edit(app, scope, id, revision).await
    };
    let page = viewer.place(format_args!("review/{id}"));
    match done.await {
        Err(problem @ (Problem::Conflict(_) | Problem::PreconditionFailed(_) | Problem::Invalid(_) | Problem::LostRace)) => {
            super::one(&viewer, id, Some((form.typed(), problem.told().detail))).await
        }
        done => viewer.after(done.map(|_| (back(&viewer, form.back.as_deref()), Flash::good("Approved in your words."))), &page),
    }
}

#[derive(Deserialize)]
pub struct Assign {
    to: Option<String>,
}

/// Who is to look at it.
pub async fn assign(
    viewer: Viewer<Reviewing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Assign>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let page = viewer.place(format_args!("review/{id}"));
    let assigned = async {
        let to: Option<PersonId> =
            form.to.as_deref().map(|id| id.parse().map_err(|_| Problem::invalid("to", "must be a person"))).transpose()?;
        acts::proposals::assign(&viewer.app, &viewer.scope, id, to).await
    };
    let done = assigned.await.map(|shown| {
        let said = match shown.proposal.assigned_to {
            Some(person) => format!("{} is to look at it.", person.name),
            None => "Nobody in particular is to look at it.".to_owned(),
        };
        (page.clone(), Flash::good(said))
    });
    viewer.after(done, &page)
}

fn approves(decision: Option<&str>) -> Result<bool, Problem> {
    match decision {
        Some("approve") => Ok(true),
        Some("reject") => Ok(false),
        _ => Err(Problem::invalid("decision", "must be approve or reject")),
    }
}

pub(super) fn note(sent: Option<&str>) -> Result<Option<String>, Problem> {
    sent.map(|note| text::prose("note", note, 2000)).transpose()
}

/// The page that the form was on, or the next one to decide.
pub(super) fn back(viewer: &Viewer<Reviewing>, sent: Option<&str>) -> String {
    let queue = viewer.place("review");
    let ours = |path: &&str| is_local(path) && path.starts_with(viewer.place("").as_str());
    sent.filter(ours).map_or(queue, str::to_owned)
}

fn parse(id: &str) -> Result<ProposalId, Problem> {
    id.parse().map_err(|_| Problem::NotFound)
}
