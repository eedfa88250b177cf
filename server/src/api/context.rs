//! The brief for a session's start, over REST.

use super::{
    document::{Access, needs},
    memories::FreshnessBody,
    sent::MaybeJson,
    tasks::budget,
};
use crate::{
    App,
    acts::{self, context::Asked},
    model::{MemoryId, Power, Project, ReceiptId, sessions::task_key, text},
    problem::Problem,
    store::{Reading, Scope},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(needs(Access::Workspace(Power::Reading), routes!(context)))
}

/// What the brief is for.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct ContextBody {
    /// The project that is worked on.
    #[schema(example = "api-gateway")]
    project: Option<String>,
    /// The key of the task that is worked on; without one, the one that was worked on last.
    #[schema(example = "rotate-keys")]
    task: Option<String>,
    /// The branch that is worked on: whether code still is as it was is judged there; on each repository's default branch unless said.
    #[schema(example = "feature/login")]
    branch: Option<String>,
    /// How many tokens it may have, 1 to 100,000; 2,000 unless said.
    token_budget: Option<u32>,
    /// With `json`, the sections alone; with `markdown`, which it is unless said, the text to read as well.
    format: Option<Format>,
}

/// How a brief is answered.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BriefFormat)]
enum Format {
    Markdown,
    Json,
}

/// The brief that an agent starts with.
#[derive(Serialize, ToSchema)]
struct BriefBody {
    /// The record of what was told.
    receipt_id: ReceiptId,
    /// The brief, to be read; not with `format: json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<String>,
    /// What it costs.
    tokens: u32,
    /// How many lines did not fit.
    omitted: usize,
    /// What it has, the most binding first.
    sections: Vec<SectionBody>,
    /// When something was last erased in the workspace: whoever keeps a brief of before lets it go.
    #[serde(with = "time::serde::rfc3339::option")]
    last_erasure_at: Option<OffsetDateTime>,
}

/// A section of a brief.
#[derive(Serialize, ToSchema)]
struct SectionBody {
    /// `next_step`, `open`, `decisions`, `conventions`, `facts`, `pitfalls`, `episodes` or `stale`.
    name: &'static str,
    /// Its heading.
    heading: &'static str,
    /// Its lines.
    lines: Vec<LineBody>,
}

/// A line of a brief.
#[derive(Serialize, ToSchema)]
#[schema(as = BriefLine)]
struct LineBody {
    /// What it says.
    text: String,
    /// The memory it comes from; null for what comes from a task or checkpoint.
    memory_id: Option<MemoryId>,
    /// Whether that still deserves trust.
    freshness: Option<FreshnessBody>,
}

/// What a run should know before it begins.
///
/// Next step, open work, binding decisions, conventions, what else is known, what was found out, recent runs, and what may no
/// longer hold; within the budget, most binding first. It leaves a receipt, as every recall does.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/context", tag = "Recall", request_body = ContextBody, responses((status = 200, description = "The brief.", body = BriefBody)))]
async fn context(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    MaybeJson(sent): MaybeJson<ContextBody>,
) -> Result<axum::Json<BriefBody>, Problem> {
    let asked = Asked {
        project: sent.project.as_deref().map(Project::parse).transpose()?.map(Project::into_string),
        task: sent.task.as_deref().map(task_key).transpose()?,
        budget: budget(sent.token_budget)?,
        branch: sent.branch.as_deref().map(|branch| text::line("branch", branch, 500)).transpose()?,
    };
    let told = acts::context::context(&app, &scope, asked).await?;
    let lines = |lines: Vec<acts::context::Line>| {
        lines
            .into_iter()
            .map(|line| LineBody {
                text: line.text,
                memory_id: line.memory.map(|(id, _)| id),
                freshness: line.freshness.map(|judged| FreshnessBody { state: judged.state, reasons: judged.reasons }),
            })
            .collect()
    };
    Ok(axum::Json(BriefBody {
        receipt_id: told.receipt_id,
        markdown: Some(told.markdown).filter(|_| sent.format != Some(Format::Json)),
        tokens: told.tokens,
        omitted: told.omitted,
        last_erasure_at: told.last_erasure_at,
        sections: told
            .parts
            .into_iter()
            .map(|part| SectionBody { name: part.name, heading: part.heading, lines: lines(part.lines) })
            .collect(),
    }))
}
