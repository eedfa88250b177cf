//! Coming in: a file is read, each memory of it is looked up, looked through and weighed as any other write is, and then
//! written in batches. What was taken before is known again, so that a file can be sent twice.

mod plan;
mod write;

use crate::{
    App,
    acts::{conflicts::Since, safety},
    engines::exchange::{self, Read},
    model::{
        MemoryId, Project, State,
        exchange::{Format, Found, Item, Passed, Skipped},
    },
    problem::Problem,
    store::{CanWrite, Scope},
};
use plan::Plan;
use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;

/// What is written at once; another writer waits no longer than this takes.
const BATCH: usize = 200;
/// What a request with an idempotency key may bring: it is one transaction.
const MOST_AT_ONCE: usize = 1000;
/// A request ends after half a minute; before that, what is left is said.
const LONGEST: Duration = Duration::from_secs(20);
/// Reading a large file takes many times its room.
static READERS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(2));

/// What somebody wants of a file.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    pub format: Option<Format>,
    /// What the file is called.
    pub name: Option<String>,
    /// The project of whatever names none.
    pub project: Option<Project>,
    /// Only say what would be.
    pub dry_run: bool,
}

/// What became of a file.
#[derive(Debug)]
pub struct Report {
    pub format: Format,
    pub dry_run: bool,
    pub outcomes: Vec<Outcome>,
}

/// What became of one memory of it.
#[derive(Debug)]
pub struct Outcome {
    pub place: String,
    pub took: Took,
}

#[derive(Clone, Debug)]
pub enum Took {
    /// It is known from now on, or waits for review.
    Taken {
        id: MemoryId,
        state: State,
        versions: usize,
        redacted: bool,
    },
    /// New versions of what was here.
    Updated {
        id: MemoryId,
        version: i32,
    },
    Skipped {
        skipped: Skipped,
        memory: Option<MemoryId>,
        request: Option<String>,
    },
}

impl From<Skipped> for Took {
    fn from(skipped: Skipped) -> Self {
        Self::Skipped { skipped, memory: None, request: None }
    }
}

/// Take in what a file tells, and say of each part of it what became of it.
pub async fn import<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    wish: Wish,
    file: impl AsRef<[u8]> + Send + 'static,
) -> Result<Report, Problem> {
    app.db().unless_answered(scope).await?;
    let started = Instant::now();
    let Read { format, found } = read(&wish, file).await?;
    let once = scope.request().once.is_some();
    if once && found.len() > MOST_AT_ONCE {
        let detail =
            format!("With an Idempotency-Key a file may have {MOST_AT_ONCE} memories. Leave the key out: what was taken is known again.");
        return Err(Problem::invalid("body", detail));
    }
    let (mut outcomes, mut found) = (Vec::with_capacity(found.len()), found.into_iter().peekable());
    let mut full = false;
    while found.peek().is_some() {
        let batch: Vec<Found> = found.by_ref().take(if once { MOST_AT_ONCE } else { BATCH }).collect();
        if started.elapsed() > LONGEST {
            outcomes.extend(batch.into_iter().map(left));
            continue;
        }
        let (places, items): (Vec<String>, Vec<_>) = batch.into_iter().map(|found| (found.place, found.item)).unzip();
        let items = items.into_iter().map(|item| item.map(|item| in_project(item, wish.project.as_ref()))).collect();
        let since = Since::now(app, scope).await?;
        let plans = plan::plan(app, scope, &since, items).await?;
        let plans: Vec<Plan> = if full { plans.into_iter().map(refused).collect() } else { plans };
        let took = write::write(app, scope, &since, format, wish.dry_run, &plans).await?;
        full |= took.iter().any(|took| matches!(took, Took::Skipped { skipped, .. } if skipped.why == Passed::Quota));
        outcomes.extend(places.into_iter().zip(took).map(|(mut place, took)| {
            if once {
                // The answer is kept, and a place is named by whoever made the file.
                safety::clean_question(&mut place);
            }
            Outcome { place, took }
        }));
    }
    Ok(Report { format, dry_run: wish.dry_run, outcomes })
}

async fn read(wish: &Wish, file: impl AsRef<[u8]> + Send + 'static) -> Result<Read, Problem> {
    let _turn = READERS.acquire().await.map_err(Problem::internal)?;
    let (name, format) = (wish.name.clone(), wish.format);
    tokio::task::spawn_blocking(move || exchange::read(file.as_ref(), name.as_deref(), format)).await.map_err(Problem::internal)?
}

fn in_project(mut item: Item, project: Option<&Project>) -> Item {
    for told in &mut item.states {
        if told.new.project.is_none() {
            told.new.project = project.cloned();
        }
    }
    item
}

fn left(found: Found) -> Outcome {
    let skipped = match found.item {
        Ok(_) => Skipped::new(Passed::Left, "There was no time left for it. Send the file again: what was taken is known."),
        Err(skipped) => skipped,
    };
    Outcome { place: found.place, took: skipped.into() }
}

/// Once the workspace is full nothing new is tried.
fn refused(plan: Plan) -> Plan {
    match plan {
        Plan::New(_) => Plan::Skip(Skipped::new(Passed::Quota, "The workspace is full.").into()),
        other => other,
    }
}

/// What a refusal of an ordinary write says of a memory in a file; what is nobody's fault ends the import.
fn skipped(problem: Problem) -> Result<Took, Problem> {
    match problem {
        Problem::Conflict(conflict) => {
            let why = match conflict.code {
                "content_erased" => Passed::Erased,
                "quota_exceeded" => Passed::Quota,
                "decision_immutable" => Passed::DecisionImmutable,
                "decision_conflict" => Passed::Contradicts,
                "path_conflict" => Passed::Duplicate,
                "stands_for_others" => Passed::NotAllowed,
                _ => Passed::ChangedHere,
            };
            let request = conflict.more.get("deletion_request_id").and_then(|id| id.as_str()).map(str::to_owned);
            Ok(Took::Skipped { skipped: Skipped::new(why, conflict.detail.clone()), memory: None, request })
        }
        Problem::Forbidden(_, detail) => Ok(Skipped::new(Passed::NotAllowed, detail).into()),
        Problem::NotFound => Ok(Skipped::new(Passed::ChangedHere, "It is not there any more.").into()),
        Problem::Invalid(errors) => {
            let said: Vec<String> = errors.iter().map(|error| format!("`{}` {}", error.field, error.message)).collect();
            Ok(Skipped::new(Passed::Unreadable, said.join("; ")).into())
        }
        other => Err(other),
    }
}
