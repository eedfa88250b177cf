//! Memories out and in over REST: files stream out, and any bytes may be sent in.

use super::{
    answers::List,
    document::{Access, needs},
    sent::{Params, Query, body},
};
use crate::{
    App,
    acts::{
        self,
        exchange::{Agents, ExportKind, Outcome, Outgoing, Report, Took, Wish},
    },
    model::{
        Kind, MemoryId, Power, Project, State,
        exchange::{Filter, Format, Imported, Passed},
        memory::Operation,
        text,
    },
    problem::Problem,
    store::{Auditing, Reading, Scope, Writing},
};
use axum::{
    body::Body,
    extract::{Request, State as Of},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, io};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Workspace(Power::Auditing), routes!(export_memories)))
        .routes(needs(Access::Workspace(Power::Reading), routes!(export_agents_file)))
        .routes(needs(Access::Workspace(Power::Writing), routes!(import_memories)))
        .routes(needs(Access::Workspace(Power::Reading), routes!(list_origins)))
}

/// What an export looks like.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ExportFormat {
    /// Lossless: a version a line.
    Ndjson,
    /// A tar of files with front matter.
    Markdown,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Export {
    /// `ndjson` (unless said) or `markdown`.
    #[param(inline)]
    format: Option<ExportFormat>,
    /// Only of this project.
    project: Option<String>,
    /// Only of this kind.
    kind: Option<Kind>,
    /// Only those that stand so. Without it, `ndjson` has all and `markdown` those that are active or wait.
    state: Option<State>,
}

/// Export memories.
///
/// Whatever the caller may see: private memories are only their own. The answer streams; one that was cut off lacks its last
/// line (`"type": "end"`). That an export was made stands in the trail.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/export", tag = "Exchange", params(Export), responses(
    (status = 200, description = "The memories.", content(
        (String = "application/x-ndjson", example = json!({"type": "header", "format": "cairn", "format_version": 1})),
        (String = "application/x-tar")
    ))))]
async fn export_memories(Of(app): Of<App>, scope: Scope<Auditing>, Query(asked): Query<Export>) -> Result<Response, Problem> {
    let filter = Filter { project: asked.project, kind: asked.kind, state: asked.state };
    let (kind, sort, end) = match asked.format {
        None | Some(ExportFormat::Ndjson) => (ExportKind::Ndjson, "application/x-ndjson", "ndjson"),
        Some(ExportFormat::Markdown) => (ExportKind::Markdown, "application/x-tar", "tar"),
    };
    let name = format!("attachment; filename=\"{}-memories.{end}\"", scope.standing().workspace().slug);
    let outgoing = acts::exchange::export(&app, &scope, kind, filter).await?;
    let mut response = Response::new(streamed(outgoing));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(sort));
    if let Ok(name) = HeaderValue::try_from(name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// A part is made when the one before was taken: a slow reader costs no room.
fn streamed(outgoing: Outgoing) -> Body {
    Body::from_stream(futures_util::stream::try_unfold(outgoing, async |mut outgoing| {
        let part = outgoing.next().await.map_err(|problem| {
            tracing::warn!(?problem, "an export ended early");
            io::Error::other("the export ended early")
        })?;
        Ok::<_, io::Error>(part.map(|part| (part, outgoing)))
    }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ExportAgents {
    /// The rules of this project and of the whole workspace; without it, of all projects.
    project: Option<String>,
    /// How many tokens the file may have, 100 to 100,000; 8,000 unless said.
    token_budget: Option<u32>,
}

/// Write `AGENTS.md` or `CLAUDE.md`.
///
/// The active decisions, patterns and procedures, most binding first, within a budget. What may be out of date says so, what
/// is stale or speaks to the model is left out, and each line names its memory in a comment.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/export/agents.md", tag = "Exchange", params(ExportAgents), responses(
    (status = 200, description = "The file.", body = String, content_type = "text/markdown", example = json!("# What this team knows"))))]
async fn export_agents_file(Of(app): Of<App>, scope: Scope<Reading>, Query(asked): Query<ExportAgents>) -> Result<Response, Problem> {
    let budget = asked.token_budget.unwrap_or(8000);
    if !(100..=100_000).contains(&budget) {
        return Err(Problem::invalid("token_budget", "must be between 100 and 100,000"));
    }
    let file = acts::exchange::agents(&app, &scope, Agents { project: asked.project, budget }).await?;
    Ok(([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], file).into_response())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Import {
    /// What the file is; without it, its content says.
    format: Option<Format>,
    /// What it is called, for places and paths: `CLAUDE.md`, `decisions/use-rs256.md`.
    name: Option<String>,
    /// The project of whatever names none.
    project: Option<String>,
    /// Say what would be taken, and take nothing.
    dry_run: Option<bool>,
}

/// What became of a file.
#[derive(Serialize, ToSchema)]
struct ReportBody {
    /// What it was read as.
    format: Format,
    /// Whether nothing was written.
    dry_run: bool,
    /// False when there was no time for all of it: send the file again.
    complete: bool,
    /// How many are new.
    #[schema(example = 12)]
    taken: usize,
    /// How many got new versions.
    #[schema(example = 1)]
    updated: usize,
    /// How many were not taken.
    #[schema(example = 3)]
    skipped: usize,
    /// How many for each reason.
    #[schema(example = json!({"duplicate": 2, "erased": 1}))]
    reasons: BTreeMap<&'static str, usize>,
    /// All of them, in the order of the file.
    items: Vec<OutcomeBody>,
}

/// What became of one.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    /// It is a new memory.
    Taken,
    /// What was here got a new version.
    Updated,
    /// Nothing was written.
    Skipped,
}

/// What became of one memory of a file.
#[derive(Serialize, ToSchema)]
struct OutcomeBody {
    /// Where it stands in the file.
    #[schema(example = "CLAUDE.md, line 12")]
    place: String,
    /// What became of it.
    status: Status,
    /// The memory it became, or that was here already.
    memory_id: Option<MemoryId>,
    /// Where that stands; `proposed` waits for review.
    state: Option<State>,
    /// How many versions came, or which it is now.
    versions: Option<i64>,
    /// Whether something that looked like a secret was taken out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
    /// Why it was not taken.
    reason: Option<Passed>,
    /// The same for people.
    detail: Option<String>,
    /// The request that erased it.
    deletion_request_id: Option<String>,
}

impl From<Outcome> for OutcomeBody {
    fn from(outcome: Outcome) -> Self {
        let empty = Self {
            place: outcome.place,
            status: Status::Skipped,
            memory_id: None,
            state: None,
            versions: None,
            redacted: false,
            reason: None,
            detail: None,
            deletion_request_id: None,
        };
        match outcome.took {
            Took::Taken { id, state, versions, redacted } => Self {
                status: Status::Taken,
                memory_id: Some(id),
                state: Some(state),
                versions: i64::try_from(versions).ok(),
                redacted,
                ..empty
            },
            Took::Updated { id, version } => Self { status: Status::Updated, memory_id: Some(id), versions: Some(version.into()), ..empty },
            Took::Skipped { skipped, memory, request } => Self {
                memory_id: memory,
                reason: Some(skipped.why),
                detail: Some(skipped.detail.into_owned()),
                deletion_request_id: request,
                ..empty
            },
        }
    }
}

impl From<Report> for ReportBody {
    fn from(report: Report) -> Self {
        let items: Vec<OutcomeBody> = report.outcomes.into_iter().map(OutcomeBody::from).collect();
        let count = |wanted: fn(&Status) -> bool| items.iter().filter(|item| wanted(&item.status)).count();
        let mut reasons = BTreeMap::new();
        for reason in items.iter().filter_map(|item| item.reason) {
            *reasons.entry(reason.word()).or_default() += 1;
        }
        Self {
            format: report.format,
            dry_run: report.dry_run,
            complete: !reasons.contains_key(Passed::Left.word()),
            taken: count(|status| matches!(status, Status::Taken)),
            updated: count(|status| matches!(status, Status::Updated)),
            skipped: count(|status| matches!(status, Status::Skipped)),
            reasons,
            items,
        }
    }
}

/// Import memories.
///
/// Any of the formats of `format`, recognised by its content: exports of ours (NDJSON, markdown files or a tar of them), rules
/// for agents, notes of a session, and what other tools keep. Everything goes the way of an ordinary write, and what was taken
/// before is known again: sending a file twice takes nothing new.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/import", tag = "Exchange", params(Import),
    request_body(description = "The file as it is, at most 10 MiB.", content(("application/octet-stream"), ("text/markdown"), ("application/x-ndjson"))),
    responses((status = 200, description = "What became of each part of it.", body = ReportBody)))]
async fn import_memories(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Query(asked): Query<Import>,
    request: Request,
) -> Result<axum::Json<ReportBody>, Problem> {
    let wish = Wish {
        format: asked.format,
        name: asked.name.as_deref().map(|name| text::line("name", name, 300)).transpose()?,
        project: asked.project.as_deref().map(Project::parse).transpose()?,
        dry_run: asked.dry_run.unwrap_or(false),
    };
    let file = body(request, &app).await?;
    Ok(axum::Json(acts::exchange::import(&app, &scope, wish, file).await?.into()))
}

#[derive(Deserialize)]
struct OfMemory {
    id: MemoryId,
}

/// What a file said of a version that came in it. It is told as heard: here it was written by whoever imported it.
#[derive(Serialize, ToSchema)]
struct OriginBody {
    /// The version here.
    #[schema(example = 1)]
    version: i32,
    /// What it came in.
    format: Format,
    /// Its number there.
    #[schema(example = 1)]
    original_version: Option<i32>,
    /// What made it there.
    operation: Option<Operation>,
    /// When.
    #[serde(with = "time::serde::rfc3339::option")]
    at: Option<OffsetDateTime>,
    /// By whom, by the name they had.
    #[schema(example = "coding-agent")]
    by: Option<String>,
}

impl From<Imported> for OriginBody {
    fn from(imported: Imported) -> Self {
        let origin = imported.origin;
        Self {
            version: imported.version,
            format: imported.format,
            original_version: origin.version,
            operation: origin.operation,
            at: origin.at,
            by: origin.by,
        }
    }
}

/// Say where a memory's versions came from.
///
/// Those that came in files, oldest first, at most 1,000; empty for a memory that was written here.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/memories/{id}/origins", tag = "Exchange", responses((status = 200, description = "Its origins.", body = List<OriginBody>)))]
async fn list_origins(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfMemory>,
) -> Result<axum::Json<List<OriginBody>>, Problem> {
    let origins = acts::exchange::origins(&app, &scope, of.id).await?;
    Ok(axum::Json(List { data: origins.into_iter().map(OriginBody::from).collect(), next_cursor: None }))
}
