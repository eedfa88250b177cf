//! Who asks, what their program calls itself, and what they sent.

use crate::{
    App,
    acts::{self, sessions::Started},
    model::{
        Power, Project, SessionId,
        sessions::{NewSession, Session, SessionState, Which, Whose},
        text,
    },
    problem::Problem,
    store::{Reading, Scope, Writing},
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

    /// The run that is named; else the one that the request is a part of, where it does this work; else this agent's own for
    /// it, which goes on until it is ended or long silent.
    pub async fn session(&self, named: Option<SessionId>, work: Work<'_>) -> Result<SessionId, Problem> {
        let running = match named {
            Some(named) => work.held_against(acts::sessions::find(&self.app, &self.scope, named).await?)?,
            None => match self.around(work).await? {
                Some(around) => around,
                None => match self.begin(work).await? {
                    Started::New(session) => return Ok(session.id),
                    Started::Running(session) => session,
                },
            },
        };
        if let Some(key) = work.task {
            let which = Which { key, project: work.project.map(Project::as_str).or(running.project.as_deref()) };
            acts::sessions::turn_to(&self.app, &self.writing()?, running.id, which, work.whose_task()).await?;
        }
        Ok(running.id)
    }

    /// The session that the request is a part of, if it runs and is one for this work.
    async fn around(&self, work: Work<'_>) -> Result<Option<Session>, Problem> {
        let Some(id) = self.scope.session() else { return Ok(None) };
        let session = acts::sessions::find(&self.app, &self.scope, id).await?;
        let is_its = |project: &Project| session.project.as_deref() == Some(project.as_str());
        let is_there = session.state == SessionState::Running && work.project.is_none_or(is_its);
        Ok(if is_there { work.held_against(session).ok() } else { None })
    }

    async fn begin(&self, work: Work<'_>) -> Result<Started, Problem> {
        let project = work.project.or(self.scope.project()).cloned();
        let new = NewSession {
            agent_tool: self.program.clone().unwrap_or_else(|| "mcp".to_owned()),
            external_id: Some(work.name(project.as_ref())),
            project,
            task: work.task.map(str::to_owned),
            whose_task: work.whose_task(),
            branch: None,
            commit: None,
            cwd: None,
        };
        acts::sessions::start(&self.app, &self.writing()?, new).await
    }
}

/// What a run is for.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    pub project: Option<&'a Project>,
    pub task: Option<&'a str>,
    /// A run that did something else may turn to it.
    pub taken_up: bool,
}

impl Work<'_> {
    /// The session, if it is one for this work: nothing that is said of one task or project is written down as another's.
    fn held_against(self, session: Session) -> Result<Session, Problem> {
        let other = |what: &str, is: Option<&str>, asked: &str| {
            let is = is.map_or_else(|| format!("has no {what}"), |is| format!("is one of the {what} {is}"));
            Problem::invalid("session_id", format!("{is}, and not of {asked}: leave it out, or name what it is of"))
        };
        let asked = self.project.map(Project::as_str);
        if let Some(asked) = asked.filter(|asked| !self.taken_up && session.project.as_deref() != Some(asked)) {
            return Err(other("project", session.project.as_deref(), asked));
        }
        match (self.task, session.task.as_deref()) {
            (Some(asked), Some(is)) if asked != is && !self.taken_up => Err(other("task", Some(is), asked)),
            _ => Ok(session),
        }
    }

    /// Who names a project means its task, and not another project's of the same key.
    fn whose_task(self) -> Whose {
        if self.project.is_some() { Whose::Nobodys } else { Whose::Anybodys }
    }

    /// What this agent's run on it goes by. A key has no spaces, so that no two kinds of work share a name.
    fn name(self, project: Option<&Project>) -> String {
        let task = self.task.map(|task| format!(" task:{task}")).unwrap_or_default();
        let project = project.map(|project| format!(" project:{}", project.as_str())).unwrap_or_default();
        format!("mcp{task}{project}")
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
