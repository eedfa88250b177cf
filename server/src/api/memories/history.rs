//! Versions of a memory, and what changed between them.

use super::{
    super::{
        answers::{List, Versioned},
        document::{Access, needs},
        sent::{Params, Query},
    },
    OfMemory,
    bodies::VersionBody,
};
use crate::{
    App, acts,
    model::{MemoryId, Power, page::Limit},
    problem::Problem,
    store::{Reading, Scope},
};
use axum::{
    extract::State as Of,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use similar::ChangeTag;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    let reading = Access::Workspace(Power::Reading);
    OpenApiRouter::new()
        .routes(needs(reading, routes!(list_versions)))
        .routes(needs(reading, routes!(get_version)))
        .routes(needs(reading, routes!(diff_versions)))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Paged {
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List the versions of a memory, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/memories/{id}/versions", tag = "Memories", params(Paged), responses((status = 200, description = "A page of them.", body = List<VersionBody>)))]
async fn list_versions(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfMemory>,
    Query(asked): Query<Paged>,
) -> Result<axum::Json<List<VersionBody>>, Problem> {
    let page = acts::memories::versions(&app, &scope, of.id, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.map(|version| VersionBody::new(&scope, version)).into()))
}

#[derive(Deserialize)]
struct OfVersion {
    id: MemoryId,
    n: i32,
}

/// Read one version of a memory.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/memories/{id}/versions/{n}", tag = "Memories", responses((status = 200, description = "The memory as it was.", body = VersionBody)))]
async fn get_version(Of(app): Of<App>, scope: Scope<Reading>, Params(of): Params<OfVersion>) -> Result<Response, Problem> {
    let version = acts::memories::find_version(&app, &scope, of.id, of.n).await?;
    Ok(Versioned(StatusCode::OK, version.version, VersionBody::new(&scope, version)).into_response())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Between {
    /// The older version.
    from: i32,
    /// The newer version.
    to: i32,
}

/// What changed between two versions.
#[derive(Serialize, ToSchema)]
struct DiffBody {
    /// The version compared from.
    from: i32,
    /// The version compared to.
    to: i32,
    /// Fields other than the text that differ.
    #[schema(example = json!(["tags", "title"]))]
    changed: Vec<&'static str>,
    /// The text, line by line.
    lines: Vec<LineBody>,
}

/// One line of the comparison.
#[derive(Serialize, ToSchema)]
#[schema(as = DiffLine)]
struct LineBody {
    /// `equal`, `insert` or `delete`.
    #[schema(example = "insert")]
    op: &'static str,
    /// Its number in the older text.
    old_line: Option<usize>,
    /// Its number in the newer text.
    new_line: Option<usize>,
    /// The line.
    text: String,
}

/// Compare two versions of a memory.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/memories/{id}/diff", tag = "Memories", params(Between), responses((status = 200, description = "What changed.", body = DiffBody)))]
async fn diff_versions(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfMemory>,
    Query(asked): Query<Between>,
) -> Result<axum::Json<DiffBody>, Problem> {
    let (old, new, lines) = acts::memories::diff(&app, &scope, of.id, asked.from, asked.to).await?;
    let changed = [
        ("path", old.path != new.path),
        ("title", old.title != new.title),
        ("kind", old.kind != new.kind),
        ("tags", old.tags != new.tags),
        ("project", old.project != new.project),
        ("anchors", old.anchors != new.anchors),
        ("source", old.source != new.source),
        ("confidence", old.confidence.to_bits() != new.confidence.to_bits()),
        ("state", old.state != new.state),
        ("visibility", old.visibility != new.visibility),
        ("subject", old.subject != new.subject),
        ("valid_from", old.valid_from != new.valid_from),
        ("stale_after", old.stale_after != new.stale_after),
        ("expires_at", old.expires_at != new.expires_at),
        ("superseded_by", old.superseded_by != new.superseded_by),
        ("verified_at", old.verified_at != new.verified_at),
    ];
    let lines = lines
        .into_iter()
        .map(|line| LineBody {
            op: match line.tag {
                ChangeTag::Equal => "equal",
                ChangeTag::Insert => "insert",
                ChangeTag::Delete => "delete",
            },
            old_line: line.old_line,
            new_line: line.new_line,
            text: line.segments.into_iter().map(|segment| segment.text).collect(),
        })
        .collect();
    let changed = changed.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    Ok(axum::Json(DiffBody { from: asked.from, to: asked.to, changed, lines }))
}
