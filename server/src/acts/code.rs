//! What is known about a place in the code.

use super::recall::{self, Answer};
use crate::{
    App,
    model::{
        Project,
        recall::{Detail, Place, Recall},
    },
    problem::Problem,
    store::{self, Permission, Scope},
};

pub struct Related {
    /// What hangs on the file, that on the symbol first.
    pub memories: Answer,
    /// Files that runs used together with it, with how close: 1 is the closest.
    pub companions: Vec<(String, f32)>,
}

/// Files that are named beside the one that was asked about.
const COMPANIONS: i64 = 12;

/// The memories on a file, and the files that sessions touched together with it.
pub async fn related<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    surface: &str,
    place: Place,
    detail: Detail,
    budget: Option<u32>,
) -> Result<Related, Problem> {
    let path = [place.path.clone()];
    let project = scope.project().map(Project::as_str);
    let companions = store::code::companions(&mut app.db().read(scope).await?, project, &path, COMPANIONS).await?;
    let asked = Recall { anchors: vec![place], only_anchored: true, limit: 20, token_budget: budget, detail, ..Recall::default() };
    Ok(Related { memories: recall::recall(app, scope, surface, asked).await?, companions })
}
