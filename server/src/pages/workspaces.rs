//! Choosing a workspace.

use super::viewer::SignedIn;
use crate::{App, problem::Problem};
use axum::{
    extract::State,
    response::{Html, IntoResponse, Redirect, Response},
};
use cairn_web::Workspaces;

/// The workspaces of whoever looks. Who has only one needs no choice.
pub async fn index(State(app): State<App>, viewer: SignedIn) -> Result<Response, Problem> {
    let workspaces = viewer.workspaces(&app).await?;
    if let [only] = &workspaces[..] {
        return Ok(Redirect::to(&only.href()).into_response());
    }
    let page = Workspaces {
        theme: viewer.theme,
        viewer: viewer.shown(),
        csrf: viewer.csrf(&app),
        workspaces,
        instance_admin: viewer.found.person.instance_admin,
    };
    Ok(Html(page.html()).into_response())
}
