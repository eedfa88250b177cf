//! Taking up where the last run stopped: what binds, what is done, what is not, and what went stale meanwhile.

use super::at;
use crate::{
    App,
    acts::{context, memories, recall::erased_meanwhile},
    audit::Trail,
    engines::{
        brief::{self, Brief, Section},
        freshness::{Freshness, Judgement},
        tokens,
    },
    model::{
        Memory, MemoryId, ReceiptId, SessionId, State as MemoryState, Visibility,
        recall::{Detail, Recall, Receipt},
        sessions::{Event, EventType, Progress, Session, Task, TaskItem, Which, Whose},
    },
    problem::Problem,
    store::{self, CanWrite, Permission, Scope, Tx, tasks::Of},
};
use std::{collections::HashSet, fmt::Write, time::Instant};

/// What the runs so far came to.
pub struct State {
    pub decisions: Vec<Memory>,
    /// Those that others took the place of: history, not to be followed.
    pub superseded: Vec<Memory>,
    pub completed: Vec<TaskItem>,
    pub in_progress: Vec<TaskItem>,
    pub pending: Vec<TaskItem>,
    pub discoveries: Vec<Memory>,
    pub next_step: Option<String>,
    /// Decisions and discoveries that may not hold any more.
    pub stale: Vec<(MemoryId, String, Judgement)>,
    /// The run before this one, and what its log shows after its last checkpoint.
    pub last_run: Option<(Session, Vec<String>)>,
    /// The branch of the run that takes it up: the code is judged there.
    pub branch: Option<String>,
}

pub struct Resumed {
    /// The record of what was told.
    pub receipt_id: ReceiptId,
    pub task: Task,
    pub state: State,
    pub markdown: String,
    pub tokens: u32,
    /// How many lines did not fit.
    pub omitted: usize,
}

/// A session takes the task up, and is told all that the others left.
pub async fn resume<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    which: Which<'_>,
    session: SessionId,
    budget: u32,
) -> Result<Resumed, Problem> {
    let started = Instant::now();
    let mut tx = app.db().write(scope).await?;
    let known = store::tasks::find(&mut tx, which).await?.filter(|task| which.means(task)).ok_or(Problem::NotFound)?;
    let held = match store::sessions::hold(&mut tx, session).await {
        Err(Problem::NotFound) => return Err(Problem::invalid("session_id", "there is no such session")),
        held => held?,
    };
    crate::acts::sessions::must_be_own(scope, &held)?;
    crate::acts::sessions::must_run(&held)?;
    let known = Which { key: &known.key, project: known.project.as_deref() };
    let (task, mut trail) = super::take_up(&mut tx, scope, known, Whose::Anybodys).await?;
    trail.extend(super::put_on(&mut tx, session, &held, task.id).await?);
    let state = gather(&mut tx, scope, &task, Some(session)).await?;
    tx.shows(state.decisions.iter().chain(&state.superseded).chain(&state.discoveries).map(|memory| memory.id));
    if trail.is_empty() {
        tx.leave_as_is([]).await?;
    } else {
        tx.commit(trail.into_iter().collect::<Trail>()).await?;
    }
    match tell(app, scope, task, state, (session, budget, started)).await? {
        Ok(resumed) => Ok(resumed),
        Err(task) => {
            let mut tx = app.db().read(scope).await?;
            let state = gather(&mut tx, scope, &task, Some(session)).await?;
            drop(tx);
            tell(app, scope, *task, state, (session, budget, started)).await?.map_err(|_| erased_meanwhile())
        }
    }
}

/// Tells it, and keeps that it was told. The task alone if some of the rest is gone by now.
async fn tell<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    task: Task,
    state: State,
    (session, budget, started): (SessionId, u32, Instant),
) -> Result<Result<Resumed, Box<Task>>, Problem> {
    let Brief { markdown, tokens, omitted, .. } = told(scope, &task, &state, budget);
    let left_out = u32::try_from(omitted).unwrap_or(u32::MAX);
    let receipt = Receipt { session_id: Some(session), tokens, omitted: left_out, ..receipt(scope, &task, &state, budget, started) };
    if app.db().keep_receipt(scope, &receipt).await? {
        return Ok(Ok(Resumed { receipt_id: receipt.id, task, state, markdown, tokens, omitted }));
    }
    Ok(Err(Box::new(task)))
}

/// Whole memories are told, in the versions of this moment.
fn receipt<P>(scope: &Scope<P>, task: &Task, state: &State, budget: u32, started: Instant) -> Receipt {
    let (project, branch) = (task.project.clone(), state.branch.clone());
    let asked = Recall { project, branch, token_budget: Some(budget), detail: Detail::Full, ..Recall::default() };
    let of_memory = |memory: &Memory| {
        let size = memory.tokens.unwrap_or_else(|| tokens::count(&memory.content));
        context::told(memory.id, memory.version, Some(&memories::judge_on(scope, memory, state.branch.as_deref())), size, Detail::Full)
    };
    let items = state.decisions.iter().chain(&state.superseded).chain(&state.discoveries).map(of_memory).collect();
    context::receipt_of(scope, "resume", asked, items, started)
}

/// What a run that took it up now would be told; nothing before a run has said anything.
pub async fn brief<P: Permission>(app: &App, scope: &Scope<P>, task: &Task) -> Result<Option<String>, Problem> {
    const BUDGET: u32 = 2000;
    let mut tx = app.db().read(scope).await?;
    let state = gather(&mut tx, scope, task, None).await?;
    Ok(state.last_run.is_some().then(|| told(scope, task, &state, BUDGET).markdown))
}

/// From checkpoints and logs, read in one transaction.
async fn gather<M, P>(tx: &mut Tx<M>, scope: &Scope<P>, task: &Task, but: Option<SessionId>) -> Result<State, Problem> {
    let checkpoints = store::tasks::checkpoints(tx, Of::Task(task.id)).await?;
    let items = store::tasks::items(tx, task.id).await?;
    let once = |ids: Vec<MemoryId>| {
        let mut seen = HashSet::new();
        ids.into_iter().filter(|id| seen.insert(*id)).collect::<Vec<_>>()
    };
    let decided = once(checkpoints.iter().flat_map(|one| one.decisions.clone()).collect());
    let found_out = once(checkpoints.iter().flat_map(|one| one.discoveries.clone()).collect());
    let (decisions, rest): (Vec<Memory>, Vec<Memory>) =
        store::memories::find_some(tx, &decided).await?.into_iter().partition(|memory| memory.state == MemoryState::Active);
    let superseded: Vec<Memory> = rest.into_iter().filter(|memory| memory.state == MemoryState::Superseded).collect();
    let mut decisions = decisions;
    decisions.extend(successors(tx, &superseded, &decided).await?);
    let discoveries: Vec<Memory> =
        store::memories::find_some(tx, &found_out).await?.into_iter().filter(|memory| memory.state == MemoryState::Active).collect();
    let branch = match but {
        Some(run) => store::code::branch_of_run(tx, run).await?,
        None => None,
    };
    let stale = decisions
        .iter()
        .chain(&discoveries)
        .map(|memory| (memory.id, memory.title.clone(), memories::judge_on(scope, memory, branch.as_deref())))
        .filter(|(.., judged)| judged.state != Freshness::Fresh)
        .collect();
    let last_run = last_run(tx, task, but, &checkpoints).await?;
    let of = |status| at(&items, status).cloned().collect();
    Ok(State {
        decisions,
        superseded,
        completed: of(Progress::Completed),
        in_progress: of(Progress::InProgress),
        pending: of(Progress::Pending),
        discoveries,
        next_step: task.next_step.clone(),
        stale,
        last_run,
        branch,
    })
}

/// How often a decision may have been replaced since: further on it is another one.
const LONGEST_CHAIN: usize = 64;

/// What took a decision's place binds, whichever run or person wrote it, and however often it was replaced again.
async fn successors<M>(tx: &mut Tx<M>, superseded: &[Memory], known: &[MemoryId]) -> Result<Vec<Memory>, Problem> {
    let mut seen: HashSet<MemoryId> = known.iter().copied().collect();
    let mut next: Vec<MemoryId> = superseded.iter().filter_map(|memory| memory.superseded_by).filter(|id| seen.insert(*id)).collect();
    let mut found = Vec::new();
    for _ in 0..LONGEST_CHAIN {
        if next.is_empty() {
            break;
        }
        let (active, rest): (Vec<Memory>, Vec<Memory>) =
            store::memories::find_some(tx, &next).await?.into_iter().partition(|memory| memory.state == MemoryState::Active);
        next = rest.iter().filter_map(|memory| memory.superseded_by).filter(|id| seen.insert(*id)).collect();
        found.extend(active);
    }
    Ok(found)
}

/// Events of a log that are read to see where a run stopped.
const LAST_EVENTS: i64 = 400;

async fn last_run<M>(
    tx: &mut Tx<M>,
    task: &Task,
    but: Option<SessionId>,
    checkpoints: &[crate::model::sessions::Kept],
) -> Result<Option<(Session, Vec<String>)>, Problem> {
    let Some(id) = store::sessions::last_of_task(tx, task.id, but).await? else { return Ok(None) };
    let session = store::sessions::find(tx, id).await?;
    let log = store::sessions::log(tx, id, (session.event_count - LAST_EVENTS).max(0), LAST_EVENTS).await?;
    let since = checkpoints.iter().rfind(|one| one.session_id == id).map(|one| one.at);
    let after: Vec<&Event> = log.iter().filter(|event| since.is_none_or(|since| event.at > since)).collect();
    Ok(Some((session, traces(&after))))
}

/// Where exactly a run was when it stopped: what it edited and ran last.
fn traces(events: &[&Event]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut edited: Vec<&str> =
        events.iter().filter(|event| event.kind == EventType::FileEdit).filter_map(|event| event.path.as_deref()).collect();
    edited.reverse();
    let mut seen = HashSet::new();
    edited.retain(|path| seen.insert(*path));
    if !edited.is_empty() {
        edited.truncate(8);
        let edited: Vec<String> = edited.into_iter().map(|path| context::safe(path, 300)).collect();
        lines.push(format!("Edited since its last checkpoint: {}", edited.join(", ")));
    }
    if let Some((event, command)) =
        events.iter().rev().filter(|event| event.kind == EventType::Command).find_map(|event| Some((event, event.command.as_deref()?)))
    {
        let outcome = match event.exit_code {
            Some(0) => " (passed)".to_owned(),
            Some(code) => format!(" (failed with {code})"),
            None => String::new(),
        };
        lines.push(format!("Last command: `{}`{outcome}", context::safe(command, 120)));
    }
    if let Some(prompt) = events.iter().rev().filter(|event| event.kind == EventType::Prompt).find_map(|event| event.text.as_deref()) {
        lines.push(format!("Last asked: {}", context::safe(prompt, 160)));
    }
    lines
}

fn told<P>(scope: &Scope<P>, task: &Task, state: &State, budget: u32) -> Brief {
    let items = |items: &[TaskItem]| items.iter().map(item_line).collect::<Vec<_>>();
    let memories =
        |memories: &[Memory]| memories.iter().map(|memory| context::line(scope, memory, state.branch.as_deref())).collect::<Vec<_>>();
    let last_run = state.last_run.as_ref().map_or_else(Vec::new, |(session, lines)| {
        let tool = context::safe(&session.agent_tool, 100);
        let mut all = vec![format!("{tool} by {} ({})", session.created_by.name, session.state.word())];
        all.extend(lines.iter().cloned());
        all
    });
    let sections = [
        Section { heading: "Next step", lines: state.next_step.iter().map(|step| context::safe(step, 400)).collect() },
        Section { heading: "Decisions that bind", lines: memories(&state.decisions) },
        Section { heading: "In progress", lines: items(&state.in_progress) },
        Section { heading: "Completed: do not redo", lines: items(&state.completed) },
        Section { heading: "Pending", lines: items(&state.pending) },
        Section { heading: "May no longer hold", lines: state.stale.iter().map(|(_, title, judged)| stale_line(title, judged)).collect() },
        Section { heading: "Found out", lines: memories(&state.discoveries) },
        Section { heading: "The run before", lines: last_run },
        Section {
            heading: "Superseded: history only",
            lines: state.superseded.iter().map(|memory| context::safe(&memory.title, 160)).collect(),
        },
    ];
    let title = format!("# Task {}: {}\n{}", task.key, context::safe(&task.title, 200), context::DATA);
    brief::brief(&title, &sections, 3, budget, &tokens::count)
}

fn item_line(item: &TaskItem) -> String {
    let text = context::safe(&item.item, 240);
    match &item.note {
        Some(note) => format!("{text} ({})", context::safe(note, 160)),
        None => text,
    }
}

pub fn stale_line(title: &str, judged: &Judgement) -> String {
    format!("{} ({}: {})", context::safe(title, 160), judged.state.word(), context::doubts(judged))
}

/// What stays of a task that is completed.
pub(super) async fn record<M>(tx: &mut Tx<M>, task: &Task, items: &[TaskItem]) -> Result<String, Problem> {
    let checkpoints = store::tasks::checkpoints(tx, Of::Task(task.id)).await?;
    let mut ids: Vec<MemoryId> = checkpoints.iter().flat_map(|one| one.decisions.iter().chain(&one.discoveries).copied()).collect();
    ids.dedup();
    // All who see the task read it, and not only who completes it.
    let mut memories = store::memories::find_some(tx, &ids).await?;
    memories.retain(|memory| memory.visibility == Visibility::Workspace && (memory.project.is_none() || memory.project == task.project));
    let mut text = format!("Task {}: {}\n", task.key, task.title);
    for (heading, status) in
        [("Completed", Progress::Completed), ("Left in progress", Progress::InProgress), ("Left undone", Progress::Pending)]
    {
        let lines: Vec<String> = at(items, status).map(item_line).collect();
        if !lines.is_empty() {
            let _ = write!(text, "\n## {heading}\n- {}\n", lines.join("\n- "));
        }
    }
    if !memories.is_empty() {
        let lines: Vec<String> =
            memories.iter().map(|memory| format!("{} ({})", context::short(&memory.title, 200), memory.kind.word())).collect();
        let _ = write!(text, "\n## Decided and found out\n- {}\n", lines.join("\n- "));
    }
    text.truncate(text.floor_char_boundary(64 * 1024));
    Ok(text)
}
