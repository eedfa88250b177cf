//! The memories of a workspace, as people read and write them.

mod acts;
mod edit;
mod filters;
mod show;
pub mod words;

pub use acts::{archive, ask_deletion, restore, revert, verify};
pub use edit::{create, edit, new, supersede, superseding, update};
pub use show::show;

use super::{actors, asked::Asked, viewer::Viewer};
use crate::{acts as doing, model::page::Limit, problem::Problem, store::Reading};
use axum::response::Response;
use cairn_web::memories::Index;

/// The list, newest change first.
pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let filter = &filters::read(&mut asked);
    let list = async |cursor: Option<String>| doing::memories::list(app, scope, filter, Limit::DEFAULT, cursor.as_deref()).await;
    let page = asked.page(list).await?;
    let labels = doing::memories::labels(app, scope).await?;
    let view = Index {
        filters: filters::shown(&asked),
        authors: actors::choices(&doing::actors::everyone(app, scope).await?),
        projects: labels.projects,
        tags: labels.tags,
        rows: page.data.iter().map(|memory| words::row(scope, memory)).collect(),
        continued: asked.is_continued(),
        next_cursor: page.next_cursor,
        origin: app.config().public_url(),
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}
