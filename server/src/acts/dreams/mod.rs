//! Dreams: a curation run over a workspace, by hand or once a day. It reads what is known, thinks, and does what it found or
//! puts it up for review; all of it can be rolled back as one run.

mod apply;
mod chat;
mod gather;
mod plan;
mod rewrite;
mod run;

pub(super) use apply::with_labels_of;

use crate::{
    App,
    acts::everywhere::{Failed, everywhere},
    audit::{Audit, Trail},
    model::{
        AuditId, DreamId, MemoryId,
        access::Mode,
        clock,
        dreams::{Asked, Deed, Done, Dream, DreamState, Stage, Tally},
        page::{Limit, Page},
    },
    problem::Problem,
    store::{self, Permission, Reviewing, Scope, Writing, turns::Turn},
};
use std::collections::HashMap;
use time::Duration;

/// From one scheduled dream to the next. A workspace that is younger has nothing to tidy.
const EVERY: Duration = Duration::days(1);

/// Begin a dream; it goes on in the background.
pub async fn start(app: &App, scope: &Scope<Reviewing>, asked: Asked) -> Result<Dream, Problem> {
    let project = match (scope.project(), asked.project) {
        (Some(wall), Some(asked)) if *wall != asked => {
            return Err(Problem::forbidden(format!("Your key is limited to the project {} and dreams only of it.", wall.as_str())));
        }
        (wall, asked) => asked.or_else(|| wall.cloned()),
    };
    // Whoever asks by hand where dreams are off wants to see what there is.
    let mode = match (asked.mode, scope.settings().dream_mode) {
        (None, Mode::Off) => Some(Mode::Review),
        (asked, _) => asked,
    };
    app.db().unless_answered(scope).await?;
    let Some(turn) = turn(app, scope).await? else {
        return Err(Problem::conflict(
            "dream_running",
            "A dream of this workspace is under way. Wait until it is over: GET …/dreams tells.",
        ));
    };
    begin(app, scope, turn, mode, project.map(crate::model::Project::into_string), asked.dry_run).await
}

/// Every workspace that wants it and has not dreamt for a day, one after the other; what goes wrong in one does not keep the
/// others from it.
pub async fn dream_where_due(app: &App) -> Result<(), Problem> {
    let mut failed = Failed::default();
    for scope in everywhere(app, "dreams").await? {
        failed.note(&scope, dream_if_due(app, &scope).await);
    }
    failed.told()
}

async fn dream_if_due(app: &App, scope: &Scope<Writing>) -> Result<(), Problem> {
    let settings = scope.settings();
    let wanted = crate::model::Kind::ALL.iter().any(|kind| settings.policy(*kind).dream_mode != Mode::Off);
    let last = store::dreams::last_began(&mut app.db().read(scope).await?).await?;
    let since = last.unwrap_or(scope.standing().workspace().created_at);
    if !wanted || clock::now() - since < EVERY {
        return Ok(());
    }
    if let Some(turn) = turn(app, scope).await? {
        let (dream, run) = prepare(app, scope, turn, None, None, false).await?;
        tracing::debug!(dream = %dream.id, workspace = %scope.workspace(), "a workspace dreams");
        run.await;
    }
    Ok(())
}

async fn begin<P: store::CanWrite>(
    app: &App,
    scope: &Scope<P>,
    turn: Turn,
    mode: Option<Mode>,
    project: Option<String>,
    dry_run: bool,
) -> Result<Dream, Problem> {
    let (dream, run) = prepare(app, scope, turn, mode, project, dry_run).await?;
    tokio::spawn(run);
    Ok(dream)
}

/// The row of a run, and the run itself, which has not begun.
async fn prepare<P: store::CanWrite>(
    app: &App,
    scope: &Scope<P>,
    turn: Turn,
    mode: Option<Mode>,
    project: Option<String>,
    dry_run: bool,
) -> Result<(Dream, impl Future<Output = ()> + use<P>), Problem> {
    let dream = Dream {
        id: DreamId::new(),
        mode: mode.unwrap_or(scope.settings().dream_mode),
        project,
        dry_run,
        state: DreamState::Running,
        stage: Stage::Reading,
        started_at: clock::now(),
        ended_at: None,
        started_by: scope.actor().clone(),
        tally: Tally::default(),
    };
    let mut tx = app.db().write(scope).await?;
    let (audit, mut trail) = (AuditId::new(), Vec::new());
    for (broken, tally) in store::dreams::interrupted(&mut tx).await? {
        let audit = AuditId::new();
        store::dreams::end(&mut tx, broken, DreamState::Failed, &tally, clock::now(), audit).await?;
        trail.push(Audit::dream_ended(audit, broken, DreamState::Failed, &tally));
    }
    store::dreams::insert(&mut tx, &dream, audit).await?;
    trail.push(Audit::dream_started(audit, &dream));
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    let run = run::run(app.clone(), scope.later(crate::model::Run::Dream(dream.id.0)).to_write()?, turn, dream.clone(), mode);
    Ok((dream, run))
}

/// One dream of a workspace at a time, whichever server it is on.
async fn turn<P>(app: &App, scope: &Scope<P>) -> Result<Option<Turn>, Problem> {
    app.db().take_turn(&format!("dream {}", scope.workspace())).await
}

pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: DreamId) -> Result<Dream, Problem> {
    store::dreams::find(&mut app.db().read(scope).await?, id).await
}

pub async fn list<P: Permission>(app: &App, scope: &Scope<P>, limit: Limit, cursor: Option<&str>) -> Result<Page<Dream>, Problem> {
    store::dreams::list(&mut app.db().read(scope).await?, limit, cursor).await
}

/// What a dream did, in order, with the present titles of what it is about, as far as they may be seen.
pub async fn actions<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    id: DreamId,
    deed: Option<Deed>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<(Page<Done>, HashMap<MemoryId, String>), Problem> {
    let mut tx = app.db().read(scope).await?;
    store::dreams::find(&mut tx, id).await?;
    let page = store::dreams::actions(&mut tx, id, deed, limit, cursor).await?;
    let named = page.data.iter().flat_map(|done| done.others.iter().copied().chain([done.memory]).chain(done.made)).collect::<Vec<_>>();
    let titles = store::memories::titles(&mut tx, &named).await?;
    Ok((page, titles))
}
