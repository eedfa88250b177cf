//! Access over REST: signing in, one's own account, people, workspaces, members, agents and their keys.

mod agents;
mod keys;
mod me;
mod members;
mod sign_in;
mod users;
mod workspaces;

use crate::{App, model::page::Limit, problem::Problem};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(sign_in::routes())
        .merge(me::routes())
        .merge(users::routes())
        .merge(workspaces::routes())
        .merge(members::routes())
        .merge(agents::routes())
        .merge(keys::routes())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Paged {
    /// How many, 1 to 200.
    #[param(example = 50)]
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

impl Paged {
    fn parse(&self) -> Result<(Limit, Option<&str>), Problem> {
        Ok((Limit::parse(self.limit)?, self.cursor.as_deref()))
    }
}
