//! Who asks, what their program calls itself, and what they sent.

use crate::{
    App,
    model::{Power, SessionId, sessions::NewSession, text},
    problem::Problem,
    store::{Reading, Scope, Writing},
};
use crate::{
    acts::{self, sessions::Started},
    model::{Project, sessions::Session},
};
use axum::http::request::Parts;
use rmcp::{ErrorData, RoleServer, service::RequestContext};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Somebody whom the door let in.
#[derive(Clone)]
pub struct Asker {
    pub app: App,
    pub scope: Scope<Reading>,
    /// What the caller's program says it is.
    program: Option<String>,
    /// The request's own, so that what is logged names it.
    pub span: tracing::Span,
}

impl Asker {
    /// The door leaves the scope with the request; without one nothing is answered.
    pub fn of(app: &App, context: &RequestContext<RoleServer>) -> Result<Self, ErrorData> {
        let found = context.extensions.get::<Parts>().map(|parts| &parts.extensions);
        let scope = found.and_then(|found| found.get::<Scope<Reading>>()).cloned();
        let scope = scope.ok_or_else(|| ErrorData::internal_error("nobody was let in", None))?;
        let span = found.and_then(|found| found.get::<tracing::Span>()).cloned().unwrap_or_else(tracing::Span::none);
        let program = context.meta.client_info().and_then(|program| text::line("agent_tool", &program.name, 100).ok());
        Ok(Self { app: app.clone(), scope, program, span })
    }

    pub fn may(&self, power: Power) -> bool {
        self.scope.standing().role().may(power)
    }

    pub fn writing(&self) -> Result<Scope<Writing>, Problem> {
        self.scope.to()
    }

    /// The run that is named, or this agent's own for this work: it goes on until it is ended or long silent.
    pub async fn session(&self, named: Option<SessionId>, project: Option<&str>, task: Option<&str>) -> Result<SessionId, Problem> {
        match named {
            Some(named) => Ok(named),
            None => Ok(self.begin(project, task).await?.id),
        }
    }

    async fn begin(&self, project: Option<&str>, task: Option<&str>) -> Result<Session, Problem> {
        let work = task.or(project).unwrap_or_default();
        let new = NewSession {
            agent_tool: self.program.clone().unwrap_or_else(|| "mcp".to_owned()),
            external_id: Some(format!("mcp:{}", work.chars().take(180).collect::<String>())),
            project: project.map(Project::parse).transpose()?,
            task: task.map(str::to_owned),
            branch: None,
            commit: None,
            cwd: None,
        };
        Ok(match acts::sessions::start(&self.app, &self.writing()?, new).await? {
            Started::New(session) | Started::Running(session) => session,
        })
    }
}

/// Arguments, read strictly: a field that is not heard would mislead.
pub fn read<T: DeserializeOwned>(sent: Option<serde_json::Map<String, Value>>) -> Result<T, Problem> {
    let sent = Value::Object(sent.unwrap_or_default());
    if let Some(field) = text::nul_in(&sent, String::new()) {
        return Err(Problem::invalid(field, "must not contain NUL characters"));
    }
    serde_path_to_error::deserialize(sent).map_err(|error| Problem::unreadable(&error.path().to_string(), &error.inner().to_string()))
}
