//! Work that outlives a run: tasks, and checkpoints that the next run goes on from.

use super::{Hints, Kit, Said, memories::OnConflict};
use crate::{
    acts::{
        self,
        context::safe,
        sessions::{Manners, Sent},
        tasks::NewTask,
    },
    mcp::{
        asker::{Asker, Work},
        bodies::{ClashBody, FreshnessBody, line},
        texts,
    },
    model::{
        CheckpointId, Memory, MemoryId, Power, Project, ReceiptId, SessionId, State,
        sessions::{Checkpoint, Item, Line, Progress, TaskItem, TaskState, Which, task_key},
        text,
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use utoipa::ToSchema;

pub fn kits() -> Vec<Kit> {
    vec![
        Kit::new::<CheckpointArguments, CheckpointAnswer>("checkpoint", "Checkpoint", Power::Writing, Hints::Adds, CHECKPOINT),
        Kit::new::<StartArguments, StartAnswer>("start_task", "Start a task", Power::Writing, Hints::Adds, START),
        Kit::new::<ResumeArguments, ResumeAnswer>("resume_task", "Resume a task", Power::Writing, Hints::AddsOnce, RESUME),
        Kit::new::<CompleteArguments, CompleteAnswer>("complete_task", "Complete a task", Power::Writing, Hints::Adds, COMPLETE),
    ]
}

const CHECKPOINT: &str = "Write down where you are, so that a run after a crash, a compaction or a handover goes on from here instead \
of starting over. Use it after every piece of finished work, before your context is compacted, and before you stop. Send free `text` \
with marks (DECIDED: …, DO NOT …, [x] done, [ ] open, FOUND: …, NEXT: …), or the parts: decisions, progress, discoveries, next_step. \
Decisions and discoveries become memories at once. What comes back: what was kept, each with its id, and what it may contradict. A decision that contradicts an \
active one stops the whole checkpoint and says how to go on.";

const START: &str = "Set up a piece of work that may take more than one run, and begin a session on it. Use it when work starts that \
somebody may have to pick up later; for one that is there already use resume_task. What comes back: the task's key and a session_id \
to pass to checkpoint.";

const RESUME: &str = "Take up a task where the last run left it. Use it before you do anything on a task that is there: it says what \
was decided and binds, what is done and must not be done again, what is half done and where exactly, what is open, the next step, and \
what went stale meanwhile. What comes back: that brief within the token budget, and a session_id to pass to checkpoint.";

const COMPLETE: &str = "Close a task for good, when all of it is done and checked. Its record stays readable; it cannot be taken up \
again. What comes back: what was completed.";

/// Where you are: free text, or its parts.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckpointArguments {
    /// Free text, sorted by its marks; not together with the parts.
    text: Option<String>,
    /// What was decided, and why.
    decisions: Option<Vec<DecisionArguments>>,
    /// What is done, being done and to do.
    progress: Option<Vec<SentProgress>>,
    /// What you found out.
    discoveries: Option<Vec<String>>,
    /// Where to go on.
    next_step: Option<String>,
    /// The session, from start_task, resume_task or your hook; without one, your own on this task or project.
    session_id: Option<SessionId>,
    /// The key of the task you work on.
    task: Option<String>,
    /// The project you work on.
    project: Option<String>,
    /// What shall become of decisions that contradict an active one: `propose` lets a person decide.
    on_conflict: Option<OnConflict>,
}

/// A decision.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DecisionArguments {
    /// What was decided, and why.
    content: String,
    /// What it is about, in a line.
    title: Option<String>,
    /// The decision whose place it takes.
    supersedes: Option<MemoryId>,
}

/// Something to do: what alone, which is in progress then, or with how far it has come.
#[derive(Deserialize, ToSchema)]
#[serde(untagged, expecting = "must be a text, or an object with item, status, and note and reopen where they are needed")]
enum SentProgress {
    Text(String),
    Full(ProgressArguments),
}

/// Something to do.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ProgressArguments {
    /// What.
    item: String,
    /// How far it has come.
    status: Progress,
    /// Where exactly it stands.
    note: Option<String>,
    /// It was completed and has to be done again.
    #[serde(default)]
    reopen: bool,
}

/// Most that one checkpoint may have of anything.
const MOST: usize = 200;

impl CheckpointArguments {
    fn parse(self) -> Result<Sent, Problem> {
        let propose_on_conflict = self.on_conflict.is_some();
        if let Some(sent) = self.text {
            if self.decisions.is_some() || self.progress.is_some() || self.discoveries.is_some() || self.next_step.is_some() {
                return Err(Problem::invalid("text", "is sent alone; or its parts are, and no text"));
            }
            return Ok(Sent::Text { text: text::prose("text", &sent, 1024 * 1024)?, propose_on_conflict });
        }
        let (decisions, progress, discoveries) =
            (self.decisions.unwrap_or_default(), self.progress.unwrap_or_default(), self.discoveries.unwrap_or_default());
        for (field, count) in [("decisions", decisions.len()), ("progress", progress.len()), ("discoveries", discoveries.len())] {
            if count > MOST {
                return Err(Problem::invalid(field, format!("must be at most {MOST}")));
            }
        }
        let manners = decisions.iter().map(|one| Manners { supersedes: one.supersedes, propose_on_conflict }).collect();
        let decision = |one: DecisionArguments| Ok(Line { title: one.title, text: said("decisions", &one.content)?, line: None });
        let discovery = |one: String| Ok(Line { title: None, text: said("discoveries", &one)?, line: None });
        let next_step = self.next_step.as_deref().map(|step| text::prose("next_step", step.trim(), 2000)).transpose()?;
        let sent = Checkpoint {
            decisions: decisions.into_iter().map(decision).collect::<Result<_, Problem>>()?,
            progress: progress.into_iter().map(SentProgress::parse).collect::<Result<_, _>>()?,
            discoveries: discoveries.into_iter().map(discovery).collect::<Result<_, Problem>>()?,
            next_step: next_step.filter(|step| !step.is_empty()).map(|text| Line { title: None, text, line: None }),
        };
        if sent.decisions.is_empty() && sent.progress.is_empty() && sent.discoveries.is_empty() && sent.next_step.is_none() {
            return Err(Problem::invalid("text", "is missing, and so are decisions, progress, discoveries and next_step"));
        }
        Ok(Sent::Parts(sent, manners))
    }
}

impl SentProgress {
    fn parse(self) -> Result<Item, Problem> {
        match self {
            Self::Text(item) => ProgressArguments { item, status: Progress::InProgress, note: None, reopen: false }.parse(),
            Self::Full(item) => item.parse(),
        }
    }
}

impl ProgressArguments {
    fn parse(self) -> Result<Item, Problem> {
        let item = text::prose("progress", self.item.trim(), 2000)?;
        if item.is_empty() {
            return Err(Problem::invalid("progress", "must not have an empty item"));
        }
        let note = self.note.map(|note| text::prose("progress", note.trim(), 2000)).transpose()?.filter(|note| !note.is_empty());
        Ok(Item { item, status: self.status, note, line: None, reopen: self.reopen })
    }
}

fn said(field: &'static str, said: &str) -> Result<String, Problem> {
    let said = text::prose(field, said.trim(), 100 * 1024)?;
    if said.is_empty() { Err(Problem::invalid(field, "must not be empty")) } else { Ok(said) }
}

/// What was kept.
#[derive(Serialize, ToSchema)]
pub struct CheckpointAnswer {
    /// Its id.
    checkpoint_id: CheckpointId,
    /// The session that it belongs to; pass it to the next checkpoint.
    session_id: SessionId,
    /// What was decided, each a memory.
    decisions: Vec<KeptBody>,
    /// What was found out, each a memory.
    discoveries: Vec<KeptBody>,
    /// What is done, being done and to do.
    progress: Vec<ProgressBody>,
    /// Where to go on.
    next_step: Option<String>,
    /// What those memories may contradict.
    conflicts: Vec<ClashBody>,
    /// How many lines of the text were left out, because they were too many.
    left_out: usize,
}

/// A line that became a memory.
#[derive(Serialize, ToSchema)]
struct KeptBody {
    /// The memory.
    memory_id: MemoryId,
    /// What it is about.
    title: String,
    /// `active`: known from now on. `proposed`: it waits for a person.
    state: State,
    /// Whether it still deserves trust.
    freshness: FreshnessBody,
}

impl KeptBody {
    fn new(asker: &Asker, memory: &Memory, branch: Option<&str>) -> Self {
        let freshness = acts::memories::judge_on(&asker.scope, memory, branch).into();
        Self { memory_id: memory.id, title: line(&memory.title), state: memory.state, freshness }
    }
}

/// Something to do.
#[derive(Serialize, ToSchema)]
struct ProgressBody {
    /// What.
    item: String,
    /// How far it has come.
    status: Progress,
    /// Where exactly it stands.
    note: Option<String>,
}

impl From<TaskItem> for ProgressBody {
    fn from(item: TaskItem) -> Self {
        Self { item: safe(&item.item, 2000), status: item.status, note: item.note.map(|note| safe(&note, 2000)) }
    }
}

pub async fn checkpoint(asker: &Asker, mut sent: CheckpointArguments) -> Result<Said, Problem> {
    let (named, task, project) = (sent.session_id, sent.task.take(), sent.project.take());
    let (task, project) = (task.as_deref().map(task_key).transpose()?, project.as_deref().map(Project::parse).transpose()?);
    let parsed = sent.parse()?;
    let work = Work { project: project.as_ref(), task: task.as_deref(), taken_up: false };
    let session = asker.session(named, work).await?;
    let written = acts::sessions::checkpoint(&asker.app, &asker.writing()?, session, parsed).await?;
    let kept = written.kept;
    let progress = |item: Item| ProgressBody { item: item.item, status: item.status, note: item.note };
    let answer = CheckpointAnswer {
        checkpoint_id: kept.id,
        session_id: kept.session_id,
        decisions: written.decisions.iter().map(|memory| KeptBody::new(asker, memory, None)).collect(),
        discoveries: written.discoveries.iter().map(|memory| KeptBody::new(asker, memory, None)).collect(),
        progress: kept.progress.into_iter().map(progress).collect(),
        next_step: kept.next_step,
        conflicts: written.noticed.iter().map(|(memory, one)| ClashBody::new(*memory, one)).collect(),
        left_out: written.left_out,
    };
    let mut text = format!(
        "Kept: {} decisions, {} discoveries, {} items of progress{}. Session {}.",
        answer.decisions.len(),
        answer.discoveries.len(),
        answer.progress.len(),
        if answer.next_step.is_some() { " and the next step" } else { "" },
        answer.session_id
    );
    for kept in answer.decisions.iter().chain(&answer.discoveries) {
        let waits = if kept.state == State::Proposed { " (waits for a person's review)" } else { "" };
        let _ = write!(text, "\n- {} · id {}{waits}", kept.title, kept.memory_id);
    }
    text += &texts::clashes(&answer.conflicts);
    if answer.left_out > 0 {
        let _ = write!(text, "\n{} lines were too many and are not kept: send them in another checkpoint.", answer.left_out);
    }
    Said::new(&answer, text)
}

/// A task to set up.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartArguments {
    /// What it goes by, such as `rotate-keys`: letters, digits, `-`, `_`, `.` and `:`.
    key: String,
    /// What is to be done.
    title: String,
    /// The project it belongs to.
    project: Option<String>,
}

/// A task that was begun.
#[derive(Serialize, ToSchema)]
pub struct StartAnswer {
    /// What the task goes by.
    key: String,
    /// What is to be done.
    title: String,
    /// Where it stands.
    state: TaskState,
    /// Your session on it; pass it to checkpoint.
    session_id: SessionId,
}

pub async fn start_task(asker: &Asker, sent: StartArguments) -> Result<Said, Problem> {
    let new = NewTask {
        key: task_key(&sent.key).map_err(|problem| problem.at_field("key"))?,
        title: text::line("title", &sent.title, 300)?,
        project: sent.project.as_deref().map(Project::parse).transpose()?,
    };
    let task = acts::tasks::create(&asker.app, &asker.writing()?, new).await?;
    let project = task.project.as_deref().map(Project::parse).transpose()?;
    let session_id = asker.session(None, Work { project: project.as_ref(), task: Some(&task.key), taken_up: true }).await?;
    let which = Which { key: &task.key, project: task.project.as_deref() };
    let task = acts::tasks::find(&asker.app, &asker.scope, which).await?.task;
    let text = format!("Task {} is set up and yours. Session {session_id}: pass it to checkpoint as you go.", task.key);
    Said::new(&StartAnswer { key: task.key, title: safe(&task.title, 300), state: task.state, session_id }, text)
}

/// A task to take up.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeArguments {
    /// What the task goes by.
    key: String,
    /// Whose task is meant: that project's, or one of no project; unless said, one of no project, else the oldest of this key.
    project: Option<String>,
    /// A session of yours that runs; without one, one is begun.
    session_id: Option<SessionId>,
    /// How many tokens the brief may have, 1 to 100,000; 2,000 unless said.
    #[schema(minimum = 1, maximum = 100_000)]
    token_budget: Option<u32>,
}

/// A task as the runs so far left it; the text has the brief.
#[derive(Serialize, ToSchema)]
pub struct ResumeAnswer {
    /// The record of what was told.
    receipt_id: ReceiptId,
    /// What the task goes by.
    key: String,
    /// What is to be done.
    title: String,
    /// Your session on it; pass it to checkpoint.
    session_id: SessionId,
    /// Where to go on.
    next_step: Option<String>,
    /// Not to be done again.
    completed: Vec<ProgressBody>,
    /// Begun.
    in_progress: Vec<ProgressBody>,
    /// Not begun.
    pending: Vec<ProgressBody>,
    /// Decisions that bind, each a memory.
    decisions: Vec<KeptBody>,
    /// What was found out, each a memory.
    discoveries: Vec<KeptBody>,
    /// Memories among these that may no longer hold.
    stale: Vec<MemoryId>,
    /// What the brief costs.
    tokens: u32,
    /// How many of its lines did not fit.
    omitted: usize,
}

pub async fn resume_task(asker: &Asker, sent: ResumeArguments) -> Result<Said, Problem> {
    let key = task_key(&sent.key).map_err(|problem| problem.at_field("key"))?;
    let budget = match sent.token_budget {
        None => 2000,
        Some(budget) if (1..=100_000).contains(&budget) => budget,
        Some(_) => return Err(Problem::invalid("token_budget", "must be between 1 and 100,000")),
    };
    let named = sent.project.as_deref().map(Project::parse).transpose()?;
    // Only what is there is resumed: a session would set up what is not.
    let project = whose(asker, Which { key: &key, project: named.as_ref().map(Project::as_str) }).await?;
    let session = asker.session(sent.session_id, Work { project: project.as_ref(), task: Some(&key), taken_up: true }).await?;
    let which = Which { key: &key, project: project.as_ref().map(Project::as_str) };
    let resumed = acts::tasks::resume(&asker.app, &asker.writing()?, which, session, budget).await?;
    let state = resumed.state;
    let items = |items: Vec<TaskItem>| items.into_iter().map(ProgressBody::from).collect();
    let branch = state.branch.as_deref();
    let memories = |memories: Vec<Memory>| memories.iter().map(|memory| KeptBody::new(asker, memory, branch)).collect();
    let answer = ResumeAnswer {
        receipt_id: resumed.receipt_id,
        key: resumed.task.key,
        title: line(&resumed.task.title),
        session_id: session,
        next_step: state.next_step.map(|step| safe(&step, 2000)),
        completed: items(state.completed),
        in_progress: items(state.in_progress),
        pending: items(state.pending),
        decisions: memories(state.decisions),
        discoveries: memories(state.discoveries),
        stale: state.stale.into_iter().map(|(id, ..)| id).collect(),
        tokens: resumed.tokens,
        omitted: resumed.omitted,
    };
    let text = format!(
        "{}\n{} tokens, {} lines left out. Session {session}: pass it to checkpoint as you go.",
        resumed.markdown.trim_end(),
        answer.tokens,
        answer.omitted
    );
    Said::new(&answer, text)
}

/// The project of the task that is meant.
async fn whose(asker: &Asker, which: Which<'_>) -> Result<Option<Project>, Problem> {
    let task = acts::tasks::find(&asker.app, &asker.scope, which).await?.task;
    if !which.means(&task) {
        return Err(Problem::NotFound);
    }
    task.project.as_deref().map(Project::parse).transpose()
}

/// A task to close.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteArguments {
    /// What the task goes by.
    key: String,
    /// Whose task is meant: that project's, or one of no project; unless said, one of no project, else the oldest of this key.
    project: Option<String>,
}

/// A task that is done.
#[derive(Serialize, ToSchema)]
pub struct CompleteAnswer {
    /// What the task goes by.
    key: String,
    /// Where it stands.
    state: TaskState,
    /// Its items.
    items: Vec<ProgressBody>,
    /// Its record, an archived memory.
    episode_id: Option<MemoryId>,
}

pub async fn complete_task(asker: &Asker, sent: CompleteArguments) -> Result<Said, Problem> {
    let key = task_key(&sent.key).map_err(|problem| problem.at_field("key"))?;
    let project = sent.project.as_deref().map(Project::parse).transpose()?;
    let which = Which { key: &key, project: project.as_ref().map(Project::as_str) };
    let done = acts::tasks::complete(&asker.app, &asker.writing()?, which).await?;
    let answer = CompleteAnswer {
        key: done.task.key,
        state: done.task.state,
        items: done.items.into_iter().map(ProgressBody::from).collect(),
        episode_id: done.task.episode_id,
    };
    let open = answer.items.iter().filter(|item| item.status != Progress::Completed).count();
    let mut text = format!("Task {} is completed.", answer.key);
    if open > 0 {
        let _ = write!(text, " {open} of its items were not marked as completed; its record says so.");
    }
    Said::new(&answer, text)
}
