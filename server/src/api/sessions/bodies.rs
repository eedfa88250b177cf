//! Sessions, events and checkpoints on the wire.

use super::super::memories::ActorBody;
use crate::{
    acts::sessions::{Manners, Sent, Written},
    model::{
        CheckpointId, Memory, MemoryId, Project, SessionId, State,
        clock::{self, kept},
        sessions::{Checkpoint, Cut, Event, EventType, Item, Line, NewSession, Progress, Session, SessionState, Whose, task_key},
        text,
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

/// A run that begins.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSessionBody {
    /// The tool that runs it.
    #[schema(example = "claude-code")]
    agent_tool: String,
    /// The tool's own name for the run.
    external_id: Option<String>,
    /// The project it works on.
    #[schema(example = "api-gateway")]
    project: Option<String>,
    /// The key of the task it works on.
    #[schema(example = "rotate-keys")]
    task: Option<String>,
    /// The branch it works on.
    branch: Option<String>,
    /// The commit it started from.
    commit: Option<String>,
    /// The folder it runs in.
    cwd: Option<String>,
}

impl NewSessionBody {
    pub fn parse(self) -> Result<NewSession, Problem> {
        let line = |field: &'static str, sent: Option<String>, most| sent.map(|sent| text::line(field, &sent, most)).transpose();
        let named = |field: &'static str, sent: Option<String>, most| match line(field, sent, most)? {
            Some(text) if text.is_empty() => Err(Problem::invalid(field, "must not be empty")),
            text => Ok(text),
        };
        Ok(NewSession {
            agent_tool: named("agent_tool", Some(self.agent_tool), 100)?.unwrap_or_default(),
            external_id: named("external_id", self.external_id, 200)?,
            project: self.project.as_deref().map(Project::parse).transpose()?,
            task: self.task.as_deref().map(task_key).transpose()?,
            whose_task: Whose::Anybodys,
            branch: line("branch", self.branch, 300)?,
            commit: line("commit", self.commit, 100)?,
            cwd: line("cwd", self.cwd, 1000)?,
        })
    }
}

/// One run of an agent.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
pub struct SessionBody {
    /// Its id.
    id: SessionId,
    /// The tool that runs it.
    agent_tool: String,
    /// The tool's own name for the run.
    external_id: Option<String>,
    /// The project it works on.
    project: Option<String>,
    /// The key of the task it works on.
    task: Option<String>,
    /// The branch it works on.
    branch: Option<String>,
    /// The commit it started from.
    commit: Option<String>,
    /// The folder it runs in.
    cwd: Option<String>,
    /// Where it stands.
    state: SessionState,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    started_at: OffsetDateTime,
    /// When the last thing in its log happened.
    #[serde(with = "time::serde::rfc3339::option")]
    last_event_at: Option<OffsetDateTime>,
    /// When it ended.
    #[serde(with = "time::serde::rfc3339::option")]
    ended_at: Option<OffsetDateTime>,
    /// What was done, if somebody said.
    summary: Option<String>,
    /// How long its log is.
    event_count: i64,
    /// The memory of what happened.
    episode_id: Option<MemoryId>,
    /// Whose run it is.
    created_by: ActorBody,
}

impl From<Session> for SessionBody {
    fn from(session: Session) -> Self {
        Self {
            id: session.id,
            agent_tool: session.agent_tool,
            external_id: session.external_id,
            project: session.project,
            task: session.task,
            branch: session.branch,
            commit: session.commit,
            cwd: session.cwd,
            state: session.state,
            started_at: session.started_at,
            last_event_at: session.last_event_at,
            ended_at: session.ended_at,
            summary: session.summary,
            event_count: session.event_count,
            episode_id: session.episode_id,
            created_by: (&session.created_by).into(),
        }
    }
}

/// Events to append, in their order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AppendBody {
    /// At most 1,000.
    events: Vec<NewEventBody>,
}

/// Something that happened.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewEventBody {
    /// The sender's name for it: one that was sent before is passed over.
    id: Option<String>,
    /// What happened.
    #[serde(rename = "type")]
    kind: EventType,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    /// What was said.
    text: Option<String>,
    /// The tool that was used.
    tool: Option<String>,
    /// What it was given.
    #[schema(value_type = Option<Object>)]
    input: Option<Value>,
    /// What it answered.
    #[schema(value_type = Option<String>)]
    output: Option<Value>,
    /// The file it was about.
    path: Option<String>,
    /// The command that was run.
    command: Option<String>,
    /// How the command ended.
    exit_code: Option<i32>,
    /// If the sender has cut the output: how long it was, in bytes.
    output_length: Option<u64>,
    /// If the sender has cut the output: the SHA-256 of the whole, in hexadecimal.
    output_sha256: Option<String>,
}

impl AppendBody {
    pub fn parse(self) -> Result<Vec<Event>, Problem> {
        if self.events.is_empty() || self.events.len() > 1000 {
            return Err(Problem::invalid("events", "must be 1 to 1,000"));
        }
        self.events.into_iter().enumerate().map(|(n, event)| event.parse().map_err(|problem| at_event(problem, n))).collect()
    }
}

fn at_event(problem: Problem, n: usize) -> Problem {
    match problem {
        Problem::Invalid(errors) => Problem::Invalid(
            errors
                .into_iter()
                .map(|error| crate::problem::FieldError { field: format!("events[{n}].{}", error.field), message: error.message })
                .collect(),
        ),
        other => other,
    }
}

impl NewEventBody {
    fn parse(self) -> Result<Event, Problem> {
        let id = match self.id {
            Some(id) => text::line("id", &id, 200)?,
            None => clock::new_id().to_string(),
        };
        if id.is_empty() {
            return Err(Problem::invalid("id", "must not be empty"));
        }
        if self.output_sha256.as_ref().is_some_and(|digest| digest.len() != 64 || !digest.bytes().all(|b| b.is_ascii_hexdigit())) {
            return Err(Problem::invalid("output_sha256", "must be 64 hexadecimal digits"));
        }
        Ok(Event {
            seq: 0,
            id,
            kind: self.kind,
            at: kept("at", Some(self.at))?.unwrap_or(self.at),
            text: self.text,
            tool: self.tool.map(|tool| text::line("tool", &tool, 200)).transpose()?,
            input: self.input,
            output: self.output.map(|output| match output {
                Value::String(text) => text,
                other => other.to_string(),
            }),
            path: self.path.map(|path| text::line("path", &path, 2000)).transpose()?,
            command: self.command,
            exit_code: self.exit_code,
            cut: self.output_length.zip(self.output_sha256).map(|(length, sha256)| Cut { length, sha256 }),
        })
    }
}

/// An entry of a session's log.
#[derive(Serialize, ToSchema)]
#[schema(as = Event)]
pub struct EventBody {
    /// Its place in the log, from 1.
    seq: i64,
    /// The sender's name for it, or one that was made.
    id: String,
    /// What happened.
    #[serde(rename = "type")]
    kind: EventType,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    /// What was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The tool that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// What it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    input: Option<Value>,
    /// What it answered, or an excerpt of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// The file it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The command that was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// How the command ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// If the output is an excerpt: how long it was, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_length: Option<u64>,
    /// If the output is an excerpt: the SHA-256 of the whole, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_sha256: Option<String>,
}

impl From<Event> for EventBody {
    fn from(event: Event) -> Self {
        let (output_length, output_sha256) = event.cut.map(|cut| (cut.length, cut.sha256)).unzip();
        Self {
            seq: event.seq,
            id: event.id,
            kind: event.kind,
            at: event.at,
            text: event.text,
            tool: event.tool,
            input: event.input,
            output: event.output,
            path: event.path,
            command: event.command,
            exit_code: event.exit_code,
            output_length,
            output_sha256,
        }
    }
}

/// What a run knows at this point: free text, or its parts.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCheckpointBody {
    /// Free text, to be sorted; not together with the other fields.
    #[schema(
        example = "DECIDED: tokens are signed with RS256\nDO NOT touch auth/legacy.py\n[x] write the migration\n[ ] roll it out\nNEXT: run the migration on staging"
    )]
    text: Option<String>,
    /// What was decided.
    decisions: Option<Vec<DecisionBody>>,
    /// What is done, being done and to do.
    progress: Option<Vec<SentItemBody>>,
    /// What was found out.
    discoveries: Option<Vec<String>>,
    /// Where to go on.
    next_step: Option<String>,
    /// Of decisions in free text that contradict an active one: `propose` lets them wait for review.
    on_conflict: Option<super::super::memories::OnConflict>,
}

/// A decision: its text alone, or with a title and what it supersedes.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = CheckpointDecision)]
enum DecisionBody {
    Text(String),
    Full(FullDecisionBody),
}

/// A decision with more to say.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FullDecisionBody {
    /// What it is about, in a line.
    title: Option<String>,
    /// What was decided, and why.
    content: String,
    /// The decision whose place it takes.
    supersedes: Option<MemoryId>,
    /// If it contradicts an active one: `propose` lets it wait for review.
    on_conflict: Option<super::super::memories::OnConflict>,
}

/// Something to do: what alone, which is in progress then, or with how far it has come.
#[derive(Deserialize, ToSchema)]
#[serde(untagged, expecting = "must be a text, or an object with item, status, and note and reopen where they are needed")]
#[schema(as = SentProgressItem)]
enum SentItemBody {
    Text(String),
    Full(ItemBody),
}

/// Something to do.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ProgressItem)]
pub struct ItemBody {
    /// What.
    #[schema(example = "write the migration")]
    item: String,
    /// How far it has come.
    status: Progress,
    /// Where exactly it stands.
    note: Option<String>,
    /// It was completed and has to be done again; without this, what is completed stays so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    reopen: bool,
}

/// Most that one checkpoint may have of anything.
const MOST: usize = 200;

impl NewCheckpointBody {
    pub fn parse(self) -> Result<Sent, Problem> {
        let propose = self.on_conflict.is_some();
        if let Some(sent) = self.text {
            if self.decisions.is_some() || self.progress.is_some() || self.discoveries.is_some() || self.next_step.is_some() {
                return Err(Problem::invalid("text", "is sent alone; or its parts are, and no text"));
            }
            return Ok(Sent::Text { text: text::prose("text", &sent, 1024 * 1024)?, propose_on_conflict: propose });
        }
        let (decisions, manners) = decisions(self.decisions.unwrap_or_default(), propose)?;
        let progress =
            self.progress.unwrap_or_default().into_iter().enumerate().map(|(n, item)| item.parse(n)).collect::<Result<Vec<_>, _>>()?;
        let discoveries = self
            .discoveries
            .unwrap_or_default()
            .into_iter()
            .map(|said| Ok(Line { title: None, text: said_something("discoveries", &said)?, line: None }))
            .collect::<Result<Vec<_>, Problem>>()?;
        let next_step = match self.next_step {
            Some(step) => Some(Line { title: None, text: text::prose("next_step", step.trim(), 2000)?, line: None })
                .filter(|step| !step.text.is_empty()),
            None => None,
        };
        for (field, count) in [("decisions", decisions.len()), ("progress", progress.len()), ("discoveries", discoveries.len())] {
            if count > MOST {
                return Err(Problem::invalid(field, format!("must be at most {MOST}")));
            }
        }
        if decisions.is_empty() && progress.is_empty() && discoveries.is_empty() && next_step.is_none() {
            return Err(Problem::invalid("text", "is missing, and so are decisions, progress, discoveries and next_step"));
        }
        Ok(Sent::Parts(Checkpoint { decisions, progress, discoveries, next_step }, manners))
    }
}

fn decisions(sent: Vec<DecisionBody>, propose: bool) -> Result<(Vec<Line>, Vec<Manners>), Problem> {
    let mut lines = Vec::with_capacity(sent.len());
    let mut manners = Vec::with_capacity(sent.len());
    for decision in sent {
        let full = match decision {
            DecisionBody::Text(content) => FullDecisionBody { title: None, content, supersedes: None, on_conflict: None },
            DecisionBody::Full(full) => full,
        };
        lines.push(Line { title: full.title, text: said_something("decisions", &full.content)?, line: None });
        manners.push(Manners { supersedes: full.supersedes, propose_on_conflict: propose || full.on_conflict.is_some() });
    }
    Ok((lines, manners))
}

fn said_something(field: &'static str, said: &str) -> Result<String, Problem> {
    let said = text::prose(field, said.trim(), 100 * 1024)?;
    if said.is_empty() { Err(Problem::invalid(field, "must not be empty")) } else { Ok(said) }
}

impl SentItemBody {
    fn parse(self, n: usize) -> Result<Item, Problem> {
        match self {
            Self::Text(item) => ItemBody { item, status: Progress::InProgress, note: None, reopen: false }.parse(n),
            Self::Full(item) => item.parse(n),
        }
    }
}

impl ItemBody {
    fn parse(self, n: usize) -> Result<Item, Problem> {
        let item = text::prose("progress", self.item.trim(), 2000)?;
        if item.is_empty() {
            return Err(Problem::invalid(format!("progress[{n}].item"), "must not be empty"));
        }
        let note = self.note.map(|note| text::prose("progress", note.trim(), 2000)).transpose()?.filter(|note| !note.is_empty());
        Ok(Item { item, status: self.status, note, line: None, reopen: self.reopen })
    }
}

/// A checkpoint as it was sorted and kept.
#[derive(Serialize, ToSchema)]
#[schema(as = Checkpoint)]
pub struct CheckpointBody {
    /// Its id.
    id: CheckpointId,
    /// The session that wrote it.
    session_id: SessionId,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    /// What was decided, each a memory.
    decisions: Vec<LineBody>,
    /// What is done, being done and to do.
    progress: Vec<ItemBody>,
    /// What was found out, each a memory.
    discoveries: Vec<LineBody>,
    /// Where to go on.
    next_step: Option<String>,
    /// How many lines of the text were left out, because they were too many.
    left_out: usize,
}

/// A line of a checkpoint that became a memory.
#[derive(Serialize, ToSchema)]
#[schema(as = CheckpointLine)]
struct LineBody {
    /// What it says.
    text: String,
    /// The memory.
    memory_id: Uuid,
    /// Whether it is known or waits for review.
    state: State,
}

impl From<Memory> for LineBody {
    fn from(memory: Memory) -> Self {
        Self { text: memory.content, memory_id: memory.id.0, state: memory.state }
    }
}

impl From<Written> for CheckpointBody {
    fn from(written: Written) -> Self {
        let kept = written.kept;
        Self {
            id: kept.id,
            session_id: kept.session_id,
            at: kept.at,
            decisions: written.decisions.into_iter().map(LineBody::from).collect(),
            progress: kept
                .progress
                .into_iter()
                .map(|item| ItemBody { item: item.item, status: item.status, note: item.note, reopen: false })
                .collect(),
            discoveries: written.discoveries.into_iter().map(LineBody::from).collect(),
            next_step: kept.next_step,
            left_out: written.left_out,
        }
    }
}
