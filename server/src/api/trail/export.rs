//! The trail, taken out as a stream: JSONL, which can be verified, or CSV, which opens in a spreadsheet.

use super::{
    super::{
        document::{Access, needs},
        sent::Query,
    },
    csv,
};
use crate::{
    App,
    acts::seal::{Export, Exported, Whose},
    auth::InstanceAdmin,
    engines::seal::export::{LastLine, entry_line},
    model::{Power, clock::kept, trail::Filter},
    problem::Problem,
    store::{Auditing, Scope},
};
use axum::{
    body::Body,
    extract::State as Of,
    http::header,
    response::{IntoResponse, Response},
};
use futures_util::stream;
use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Workspace(Power::Auditing), routes!(export_audit)))
        .routes(needs(Access::InstanceAdmin, routes!(export_instance_audit)))
}

/// How an export is written.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = TrailFormat)]
enum Format {
    /// One JSON object per line, with hashes, and the signed checkpoint at the end: can be verified.
    #[default]
    Jsonl,
    /// For spreadsheets. Cannot be verified.
    Csv,
}

impl Format {
    fn word(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Jsonl => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8; header=present",
        }
    }

    fn beginning(self) -> String {
        match self {
            Self::Jsonl => String::new(),
            Self::Csv => csv::header(),
        }
    }

    fn line(self, one: &Exported) -> String {
        match self {
            Self::Jsonl => entry_line(&one.leaf, one.hash, one.proof.as_deref()),
            Self::Csv => csv::row(one),
        }
    }

    fn end(self, export: &Export) -> Result<String, Problem> {
        match self {
            Self::Jsonl => {
                LastLine { checkpoint: export.checkpoint.clone(), complete: export.is_complete() }.text().map_err(Problem::internal)
            }
            Self::Csv => Ok(csv::last_row(&export.checkpoint)),
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ExportAudit {
    /// `jsonl`, which can be verified, or `csv`, for spreadsheets.
    #[serde(default)]
    #[param(inline)]
    format: Format,
    /// Only from this time on.
    #[serde(default, with = "time::serde::rfc3339::option")]
    from: Option<OffsetDateTime>,
    /// Only before this time.
    #[serde(default, with = "time::serde::rfc3339::option")]
    to: Option<OffsetDateTime>,
    /// Only by this person or agent.
    actor: Option<Uuid>,
    /// Only this action, such as `memory.remembered`.
    action: Option<String>,
}

impl ExportAudit {
    fn filter(&self) -> Result<Filter, Problem> {
        let (from, to) = (kept("from", self.from)?, kept("to", self.to)?);
        Ok(Filter { actor: self.actor, action: self.action.clone(), target: None, from, to })
    }
}

/// Export the sealed trail of a workspace.
///
/// Without filters it is complete up to the signed checkpoint it ends with, and `cairn-server audit verify` checks that. With
/// filters each entry brings a proof of its own: authentic, not complete.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/audit/export", tag = "Trail", params(ExportAudit), responses((status = 200, description = "A stream.", content((String = "application/x-ndjson"), (String = "text/csv")))))]
async fn export_audit(Of(app): Of<App>, scope: Scope<Auditing>, Query(asked): Query<ExportAudit>) -> Result<Response, Problem> {
    let name = scope.standing().workspace().slug.clone();
    answer(&app, Whose::Workspace(scope), &asked, &name).await
}

/// Export the instance's own sealed trail.
#[utoipa::path(get, path = "/v1/audit/export", tag = "Trail", params(ExportAudit), responses((status = 200, description = "A stream.", content((String = "application/x-ndjson"), (String = "text/csv")))))]
async fn export_instance_audit(Of(app): Of<App>, admin: InstanceAdmin, Query(asked): Query<ExportAudit>) -> Result<Response, Problem> {
    answer(&app, Whose::instance(&admin), &asked, "instance").await
}

async fn answer(app: &App, whose: Whose, asked: &ExportAudit, name: &str) -> Result<Response, Problem> {
    let format = asked.format;
    let export = Export::begin(app, whose, asked.filter()?, format.word()).await?;
    let file = format!("attachment; filename=\"trail-{name}-{}.{}\"", export.size, format.word());
    let pages = stream::try_unfold(Some((export, format.beginning())), move |state| page(state, format));
    Ok(([(header::CONTENT_TYPE, format.media_type()), (header::CONTENT_DISPOSITION, &file)], Body::from_stream(pages)).into_response())
}

type State = Option<(Export, String)>;

/// The next piece of the body. What fails on the way breaks off, and lacks its end.
async fn page(state: State, format: Format) -> Result<Option<(String, State)>, std::io::Error> {
    let Some((mut export, mut text)) = state else { return Ok(None) };
    let read = async {
        let entries = export.next().await?;
        text.extend(entries.iter().map(|one| format.line(one)));
        if !entries.is_empty() {
            return Ok(Some((text, Some((export, String::new())))));
        }
        text.push_str(&format.end(&export)?);
        Ok::<_, Problem>(Some((text, None)))
    };
    read.await.map_err(|problem| {
        tracing::warn!(?problem, "an export of the trail broke off");
        std::io::Error::other("the export broke off")
    })
}
