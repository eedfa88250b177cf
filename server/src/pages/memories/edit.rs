//! Writing by hand: a new memory, other words for one that is there, or a decision in the place of another. What does
//! not come through is said above the form, with what was typed still in it.

use super::{
    super::{
        forms::Posted,
        viewer::Viewer,
        written::{Written, tags_in_a_line},
    },
    acts::{page, parse},
};
use crate::{
    acts::{
        self,
        memories::{Precondition, Remembered},
    },
    model::{Kind, Memory, MemoryId, Revision, State},
    problem::{Conflict, Problem},
    store::Writing,
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    memories::{Edit, Obstacle, Purpose, Typed},
};

pub async fn new(viewer: Viewer<Writing>) -> Result<Response, Problem> {
    let typed = Typed { kind: Kind::Fact.word().to_owned(), ..Typed::default() };
    form(&viewer, Purpose::New, typed, None).await
}

pub async fn create(viewer: Viewer<Writing>, Posted(written): Posted<Written>) -> Result<Response, Problem> {
    let done = async { acts::memories::remember(&viewer.app, &viewer.scope, written.new_memory()?).await };
    match done.await {
        Ok(remembered) => {
            let said = match &remembered {
                Remembered::Already(_) => Flash::note("This is known already, to the letter. Nothing was written."),
                Remembered::New(memory, noticed) => kept(memory, noticed.len(), written.has_secret()),
            };
            to(&viewer, remembered.memory().id, said)
        }
        Err(problem) => {
            let obstacle = obstacle(problem)?;
            form(&viewer, Purpose::New, written.typed(), Some(obstacle)).await
        }
    }
}

pub async fn edit(viewer: Viewer<Writing>, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    let memory = acts::memories::find(&viewer.app, &viewer.scope, parse(&id)?).await?;
    form(&viewer, revising(&memory), as_it_stands(&memory), None).await
}

pub async fn update(
    viewer: Viewer<Writing>,
    Path((_, id)): Path<(String, String)>,
    Posted(written): Posted<Written>,
) -> Result<Response, Problem> {
    let (app, scope, id) = (&viewer.app, &viewer.scope, parse(&id)?);
    // A memory that is not there is not there, whatever the form says.
    let before = acts::memories::find(app, scope, id).await?;
    let done = async {
        let revision = Revision { project: Some(written.project()?), ..written.revision(&before)? };
        // A version that says the same is none; over the API it is, for who sends one means it.
        let mut after = before.clone();
        revision.clone().apply_to(&mut after);
        after.reason.clone_from(&before.reason);
        if after == before && written.seen.is_none_or(|seen| seen == before.version) {
            return Ok(None);
        }
        acts::memories::revise(app, scope, id, Precondition(written.seen), revision).await.map(Some)
    };
    let problem = match done.await {
        Ok(None) => return to(&viewer, id, Flash::note("Nothing was changed, so there is no new version.")),
        Ok(Some((memory, noticed))) => {
            let (now, before) = (memory.version.to_string(), (memory.version - 1).to_string());
            let said = beside(&without_secret(&format!("Saved: this is version {now}."), written.has_secret()), noticed.len());
            let back = format!("{}/revert", page(&viewer, id));
            return to(&viewer, id, said.or_undo(back, &[("seen", &now), ("version", &before)]));
        }
        Err(problem) => problem,
    };
    let memory = acts::memories::find(app, scope, id).await?;
    let obstacle = match (&problem, written.seen) {
        (Problem::PreconditionFailed(_), Some(from)) => Obstacle::Meanwhile { from, to: memory.version },
        _ => obstacle(problem)?,
    };
    form(&viewer, revising(&memory), written.typed(), Some(obstacle)).await
}

pub async fn superseding(viewer: Viewer<Writing>, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    let memory = acts::memories::find(&viewer.app, &viewer.scope, parse(&id)?).await?;
    form(&viewer, replacing(&memory), as_it_stands(&memory), None).await
}

/// A decision keeps its words, so that only its state can have changed since the page was read; the act looks at that.
pub async fn supersede(
    viewer: Viewer<Writing>,
    Path((_, id)): Path<(String, String)>,
    Posted(written): Posted<Written>,
) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let old = acts::memories::find(app, scope, parse(&id)?).await?;
    let done = async { acts::memories::supersede(app, scope, old.id, written.instead_of(&old)?).await };
    match done.await {
        Ok(memory) => {
            let said = if memory.state == State::Proposed {
                kept(&memory, 0, written.has_secret())
            } else {
                Flash::good("This holds from now on.")
            };
            to(&viewer, memory.id, said)
        }
        Err(problem) => {
            let obstacle = obstacle(problem)?;
            form(&viewer, replacing(&old), written.typed(), Some(obstacle)).await
        }
    }
}

async fn form(viewer: &Viewer<Writing>, purpose: Purpose, typed: Typed, obstacle: Option<Obstacle>) -> Result<Response, Problem> {
    let projects = acts::memories::labels(&viewer.app, &viewer.scope).await?.projects;
    Ok(viewer.sees(Edit { purpose, typed, projects, obstacle, chrome: viewer.chrome(None) }.html()))
}

fn revising(memory: &Memory) -> Purpose {
    Purpose::Revise { id: memory.id.to_string(), seen: memory.version }
}

fn replacing(memory: &Memory) -> Purpose {
    Purpose::Supersede { id: memory.id.to_string(), title: memory.title.clone() }
}

fn as_it_stands(memory: &Memory) -> Typed {
    Typed {
        title: memory.title.clone(),
        content: memory.content.clone(),
        kind: memory.kind.word().to_owned(),
        tags: tags_in_a_line(memory),
        project: memory.project.clone().unwrap_or_default(),
        ..Typed::default()
    }
}

/// What somebody can put right is said beside the form; anything else is a page of its own.
fn obstacle(problem: Problem) -> Result<Obstacle, Problem> {
    match &problem {
        Problem::Conflict(conflict) => Ok(decided(conflict).unwrap_or_else(|| Obstacle::Said(problem.told().detail))),
        Problem::Invalid(_) | Problem::PreconditionFailed(_) | Problem::LostRace => Ok(Obstacle::Said(problem.told().detail)),
        _ => Err(problem),
    }
}

/// The decision that stands in the way.
fn decided(conflict: &Conflict) -> Option<Obstacle> {
    let decision = conflict.more.get("decision")?;
    let word = |name: &str| decision.get(name)?.as_str().map(str::to_owned);
    Some(Obstacle::Decision { id: word("memory_id")?, title: word("title")?, reason: word("reason")? })
}

fn kept(memory: &Memory, contradicts: usize, had_secret: bool) -> Flash {
    if memory.state == State::Proposed {
        return Flash::note(without_secret("Written down. It waits for review, and nobody is told it before.", had_secret));
    }
    beside(&without_secret("Remembered.", had_secret), contradicts)
}

fn without_secret(said: &str, had_secret: bool) -> String {
    if had_secret { format!("{said} A secret that stood in it was taken out.") } else { said.to_owned() }
}

fn beside(said: &str, contradicts: usize) -> Flash {
    match contradicts {
        0 => Flash::good(said),
        1 => Flash::note(format!("{said} It may contradict another memory: see Conflicts under Review.")),
        many => Flash::note(format!("{said} It may contradict {many} other memories: see Conflicts under Review.")),
    }
}

fn to(viewer: &Viewer<Writing>, id: MemoryId, said: Flash) -> Result<Response, Problem> {
    let page = page(viewer, id);
    viewer.after(Ok((page.clone(), said)), &page)
}
