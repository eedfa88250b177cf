//! Tasks: a board, one of them, and what a person may do with it.

use super::{actors::shown, asked::Asked, forms::Posted, sessions, viewer::Viewer};
use crate::{
    acts::{self, tasks::Shown},
    model::{
        Power,
        page::Limit,
        sessions::{SessionFilter, Task, TaskState, Which},
    },
    problem::Problem,
    store::{Reading, Writing},
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    markdown::Markdown,
    tasks::{self as page, Column, Index, Item, May, Show},
};
use serde::Deserialize;

const STATES: [TaskState; 5] = [TaskState::Open, TaskState::Active, TaskState::Paused, TaskState::Completed, TaskState::Abandoned];
/// So many of each state are on the board.
const MOST: i64 = 20;
const RUNS: i64 = 20;

/// The board, or all of one state, page by page.
pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    if let Some(state) = asked.read("state", "open, active, paused, completed or abandoned", |text| text.parse::<TaskState>().ok()) {
        let list = async |cursor: Option<String>| acts::tasks::list(app, scope, Some(state), None, Limit::DEFAULT, cursor.as_deref()).await;
        let found = asked.page(list).await?;
        let column = Column { state: state.word().to_owned(), tasks: found.data.iter().map(summary).collect(), more: false };
        let view = Index {
            columns: vec![column],
            state: Some(state.word().to_owned()),
            continued: asked.is_continued(),
            next_cursor: found.next_cursor,
            chrome: viewer.chrome(asked.complaint()),
        };
        return Ok(viewer.sees(view.html()));
    }
    let mut columns = Vec::new();
    for state in STATES {
        let found = acts::tasks::list(app, scope, Some(state), None, Limit::parse(Some(MOST))?, None).await?;
        columns.push(Column {
            state: state.word().to_owned(),
            tasks: found.data.iter().map(summary).collect(),
            more: found.next_cursor.is_some(),
        });
    }
    // What nobody gave up needs no column for it.
    columns.retain(|column| column.state != "abandoned" || !column.tasks.is_empty());
    let view = Index { columns, state: None, continued: false, next_cursor: None, chrome: viewer.chrome(asked.complaint()) };
    Ok(viewer.sees(view.html()))
}

pub async fn show(viewer: Viewer<Reading>, Path((_, key)): Key, asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let Shown { task, items } = acts::tasks::find(app, scope, meant(&key, &asked)?).await?;
    let runs = SessionFilter { task_id: Some(task.id), ..SessionFilter::default() };
    let runs = acts::sessions::list(app, scope, &runs, Limit::parse(Some(RUNS))?, None).await?;
    let brief = match task.state {
        TaskState::Completed | TaskState::Abandoned => None,
        _ => acts::tasks::brief(app, scope, &task).await?,
    };
    let view = Show {
        created_at: task.created_at,
        items: items
            .into_iter()
            .map(|item| Item {
                text: item.item,
                status: item.status.word().to_owned(),
                note: item.note,
                session_id: item.session_id.to_string(),
            })
            .collect(),
        more_sessions: runs.next_cursor.is_some(),
        sessions: runs.data.iter().map(sessions::summary).collect(),
        brief: brief.map(|text| Markdown::new(&text)),
        episode: task.episode_id.map(|id| id.to_string()),
        may: may(&viewer, task.state),
        task: summary(&task),
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

fn may(viewer: &Viewer<Reading>, state: TaskState) -> May {
    let open = matches!(state, TaskState::Open | TaskState::Active | TaskState::Paused) && viewer.may(Power::Writing);
    May { pause: open && state == TaskState::Active, complete: open, abandon: open }
}

fn summary(task: &Task) -> page::Task {
    page::Task {
        key: task.key.clone(),
        title: task.title.clone(),
        state: task.state.word().to_owned(),
        project: task.project.clone(),
        next_step: task.next_step.clone(),
        by: shown(&task.created_by),
        updated_at: task.updated_at,
    }
}

#[derive(Deserialize)]
pub struct Nothing {}

type Key = Path<(String, String)>;

/// Its key is in the address, and its project where it has one: another project may have a task of this key.
fn meant<'a>(key: &'a str, asked: &'a Asked) -> Result<Which<'a>, Problem> {
    let project = asked.said("project");
    if [key, project].iter().any(|said| said.contains('\0')) {
        return Err(Problem::NotFound);
    }
    Ok(Which { key, project: Some(project).filter(|project| !project.is_empty()) })
}

pub async fn pause(viewer: Viewer<Writing>, Path((_, key)): Key, asked: Asked, _: Posted<Nothing>) -> Result<Response, Problem> {
    let which = meant(&key, &asked)?;
    let done = acts::tasks::pause(&viewer.app, &viewer.scope, which).await.map(drop);
    settle(&viewer, which, done, "Paused. The next run that takes it up goes on with it.")
}

pub async fn complete(viewer: Viewer<Writing>, Path((_, key)): Key, asked: Asked, _: Posted<Nothing>) -> Result<Response, Problem> {
    let which = meant(&key, &asked)?;
    let done = acts::tasks::complete(&viewer.app, &viewer.scope, which).await.map(drop);
    settle(&viewer, which, done, "Completed. Its record is kept as an episode.")
}

pub async fn abandon(viewer: Viewer<Writing>, Path((_, key)): Key, asked: Asked, _: Posted<Nothing>) -> Result<Response, Problem> {
    let which = meant(&key, &asked)?;
    let done = acts::tasks::abandon(&viewer.app, &viewer.scope, which).await.map(drop);
    settle(&viewer, which, done, "Abandoned.")
}

fn settle(viewer: &Viewer<Writing>, which: Which<'_>, done: Result<(), Problem>, said: &str) -> Result<Response, Problem> {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20");
    let project = which.project.map(|project| format!("?project={}", encoded(project))).unwrap_or_default();
    let page = viewer.place(format_args!("tasks/{}{project}", encoded(which.key)));
    viewer.after(done.map(|()| (page.clone(), Flash::good(said))), &page)
}
