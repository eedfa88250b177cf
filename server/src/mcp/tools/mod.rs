//! The tools: what each is for, who may use it, what it takes and gives.

mod code;
mod memories;
mod recall;
mod tasks;
mod trust;

use super::{
    asker::{Asker, read},
    schema, texts,
};
use crate::{
    acts,
    auth::scopes::Refused,
    engines::tokens,
    model::Power,
    problem::{Problem, Told},
};
pub use recall::brief;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde::Serialize;
use serde_json::Value;
use std::sync::LazyLock;
use tracing::Instrument;
use utoipa::ToSchema;

/// A tool, and the power that it takes.
pub struct Kit {
    power: Power,
    tool: Tool,
}

static KITS: LazyLock<Vec<Kit>> =
    LazyLock::new(|| [recall::kits(), memories::kits(), tasks::kits(), code::kits(), trust::kits()].into_iter().flatten().collect());

impl Kit {
    fn new<In: ToSchema, Out: ToSchema>(name: &'static str, title: &str, power: Power, hints: Hints, description: &'static str) -> Self {
        let tool = Tool::new(name, description, schema::input::<In>())
            .with_title(title)
            .with_raw_output_schema(schema::output::<Out>())
            .with_annotations(hints.annotations(title));
        Self { power, tool }
    }
}

/// What a call does to what is there.
#[derive(Clone, Copy)]
enum Hints {
    /// Nothing; a receipt is all it leaves.
    Reads,
    /// Adds; the same call again adds nothing.
    AddsOnce,
    /// Adds, each time.
    Adds,
    /// May in the end take away.
    Destroys,
}

impl Hints {
    fn annotations(self, title: &str) -> ToolAnnotations {
        ToolAnnotations::with_title(title)
            .read_only(matches!(self, Self::Reads))
            .destructive(matches!(self, Self::Destroys))
            .idempotent(matches!(self, Self::Reads | Self::AddsOnce))
            .open_world(false)
    }
}

/// What a tool answers: for programs, and for the model.
pub struct Said {
    structured: Value,
    text: String,
}

impl Said {
    fn new(body: &impl Serialize, text: String) -> Result<Self, Problem> {
        Ok(Self { structured: serde_json::to_value(body).map_err(Problem::internal)?, text })
    }
}

/// What a text costs a reader.
fn cost(text: &str) -> u32 {
    tokens::count(text)
}

/// Those that the asker's role may use; the others are not there.
pub fn list(asker: &Asker) -> Vec<Tool> {
    KITS.iter().filter(|kit| asker.may(kit.power)).map(|kit| kit.tool.clone()).collect()
}

/// Use a tool. What goes wrong is told to the model; a tool that nobody has is not a tool's mistake.
pub async fn call(asker: Asker, name: &str, sent: Option<JsonObject>) -> Option<CallToolResult> {
    let kit = KITS.iter().find(|kit| kit.tool.name == name)?;
    let tool = kit.tool.name.to_string();
    let (app, scope, span) = (asker.app.clone(), asker.scope.clone(), asker.span.clone());
    // In a task of its own, so that grief in one call is an answer and not a silence.
    let done = tokio::spawn(async move { used(&asker, &tool, sent).await }.instrument(span.clone())).await;
    let done = done.unwrap_or_else(|grief| Err(Problem::internal(grief)));
    let outcome = done.as_ref().map_or_else(Problem::code, |_| "ok");
    metrics::counter!("cairn_mcp_calls_total", "tool" => kit.tool.name.to_string(), "outcome" => outcome).increment(1);
    if let Err(Problem::Forbidden(..)) = &done
        && let Err(problem) = acts::trail::refused(&app, Refused::InWorkspace(scope.clone()), "POST", "/mcp").await
    {
        tracing::error!(?problem, "a refusal could not be written to the trail");
    }
    Some(match done {
        Ok(said) => told(said),
        Err(problem) => {
            let told = span.in_scope(|| problem.told());
            refused(Told { request_id: scope.request().id.to_string(), ..told })
        }
    })
}

async fn used(asker: &Asker, tool: &str, sent: Option<JsonObject>) -> Result<Said, Problem> {
    match tool {
        "recall" => recall::recall(asker, read(sent)?).await,
        "get_memory" => recall::get_memory(asker, read(sent)?).await,
        "context" => recall::context(asker, read(sent)?).await,
        "remember" => memories::remember(asker, read(sent)?).await,
        "forget" => memories::forget(asker, read(sent)?).await,
        "checkpoint" => tasks::checkpoint(asker, read(sent)?).await,
        "start_task" => tasks::start_task(asker, read(sent)?).await,
        "resume_task" => tasks::resume_task(asker, read(sent)?).await,
        "complete_task" => tasks::complete_task(asker, read(sent)?).await,
        "related_code" => code::related_code(asker, read(sent)?).await,
        "verify_memory" => trust::verify_memory(asker, read(sent)?).await,
        "report_stale" => trust::report_stale(asker, read(sent)?).await,
        other => Err(Problem::internal(format!("the tool {other} is listed and does nothing"))),
    }
}

fn told(said: Said) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(said.text)]);
    result.structured_content = Some(said.structured);
    result
}

/// For the model in words; for programs the problem as REST tells it, beside the answer.
fn refused(problem: Told) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(texts::problem(&problem))]);
    let mut meta = MetaObject::default();
    meta.0.insert("cairn/problem".to_owned(), serde_json::to_value(problem).unwrap_or_default());
    result.meta = Some(meta);
    result
}
