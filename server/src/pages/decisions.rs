//! The log of decisions.

use super::{actors::shown, asked::Asked, memories::words, viewer::Viewer};
use crate::{
    acts::{self, decisions::Chain},
    model::{Memory, State, page::Limit},
    problem::Problem,
    store::{Reading, Scope},
};
use axum::response::Response;
use cairn_web::decisions::{self as page, Index, Link};

/// As much of a decision's text as the list shows.
const GIST: usize = 280;

pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let state = asked.read("state", "proposed, superseded or archived", |text| text.parse::<State>().ok());
    let project = asked.text("project");
    let list = async |cursor: Option<String>| {
        acts::decisions::list(app, scope, state.unwrap_or(State::Active), project.as_deref(), Limit::DEFAULT, cursor.as_deref()).await
    };
    let found = asked.page(list).await?;
    let labels = acts::memories::labels(app, scope).await?;
    let said = asked.said("state");
    let view = Index {
        state: if said == "active" { String::new() } else { said.to_owned() },
        project: asked.said("project").to_owned(),
        projects: labels.projects,
        chains: found.data.iter().map(|chain| drawn(scope, chain)).collect(),
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

fn drawn<P>(scope: &Scope<P>, chain: &Chain) -> page::Chain {
    page::Chain { links: chain.links.iter().map(|memory| link(scope, memory)).collect(), cut: chain.cut }
}

fn link<P>(scope: &Scope<P>, memory: &Memory) -> Link {
    Link {
        id: memory.id.to_string(),
        title: memory.title.clone(),
        state: memory.state.word().to_owned(),
        freshness: words::freshness(scope, memory),
        project: memory.project.clone(),
        by: shown(&memory.created_by),
        at: memory.created_at,
        verified: memory.verified_at.is_some(),
        gist: words::gist(&memory.content, GIST),
    }
}
