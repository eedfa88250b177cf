//! Retention: what has been archived for as long as the rules say is erased, by the same machinery as any request.

use super::{ask::draft, execute::carry_out};
use crate::{
    App,
    acts::{
        access::for_the_whole,
        everywhere::{Failed, everywhere},
    },
    audit::Audit,
    model::{
        Actor, AuditId, Kind, Settings, clock,
        deletion::{DeletionRequest, Item, Rule, Selectors},
    },
    problem::Problem,
    store::{
        self, Permission, Scope, Tx, Writing,
        deletion::{Keeping, Reached},
    },
};
use time::Duration;
use uuid::Uuid;

/// Of one rule, so many at a time.
pub const AT_ONCE: u16 = 1000;
/// Whoever only wants to know is not told what lies behind more than these.
const MOST_HELD: u16 = 20_000;

/// What a rule would erase now, and what a hold keeps from it.
pub struct Due {
    pub rule: Rule,
    pub due: Vec<Uuid>,
    pub held: Vec<Uuid>,
}

/// The rules of a workspace.
fn rules(settings: &Settings) -> impl Iterator<Item = Rule> + '_ {
    Kind::ALL.iter().filter_map(|kind| Some(Rule { kind: *kind, days: settings.policy(*kind).retention_days? }))
}

/// What retention would erase now, without erasing it.
pub async fn retention<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Vec<Due>, Problem> {
    retention_by(app, scope, scope.settings()).await
}

/// What it would erase if the settings were these.
pub async fn retention_by<P: Permission>(app: &App, scope: &Scope<P>, settings: &Settings) -> Result<Vec<Due>, Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().read(scope).await?;
    let keeping = Keeping::of(&mut tx).await?;
    let mut all = Vec::new();
    for rule in rules(settings) {
        let Found { due, held, .. } = due(&mut tx, &keeping, rule, None, (AT_ONCE, MOST_HELD)).await?;
        let ids = |items: Vec<Item>| items.into_iter().map(|item| item.id).take(usize::from(AT_ONCE)).collect();
        all.push(Due { rule, due: ids(due), held: ids(held) });
    }
    Ok(all)
}

/// What is due, what would be if no hold kept it, and where the look ended, if there may be more.
struct Found {
    due: Vec<Item>,
    held: Vec<Item>,
    reached: Option<Reached>,
}

/// Looks on past what is held, a page at a time, until there is enough of what is not, or of what is.
async fn due<M>(tx: &mut Tx<M>, keeping: &Keeping, rule: Rule, after: Option<Reached>, enough: (u16, u16)) -> Result<Found, Problem> {
    let before = clock::now() - Duration::days(i64::from(rule.days));
    let mut found = Found { due: Vec::new(), held: Vec::new(), reached: after };
    loop {
        let (items, reached) = store::deletion::archived_since(tx, rule.kind, before, found.reached, i64::from(AT_ONCE)).await?;
        let kept = keeping.kept(tx, &items).await?;
        let (held, due): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| kept.contains(&item.place()));
        found.due.extend(due);
        found.held.extend(held);
        found.reached = reached;
        if reached.is_none() || found.due.len() >= usize::from(enough.0) || found.held.len() >= usize::from(enough.1) {
            return Ok(found);
        }
    }
}

/// Erase what is due, in every workspace; what goes wrong in one does not keep it from the others.
pub async fn retain(app: &App) -> Result<(), Problem> {
    let mut failed = Failed::default();
    for scope in everywhere(app, "retention").await? {
        failed.note(&scope, retain_in(app, &scope).await);
    }
    failed.told()
}

async fn retain_in(app: &App, scope: &Scope<Writing>) -> Result<(), Problem> {
    let all: Vec<Rule> = rules(scope.settings()).collect();
    for rule in all {
        let mut after = None;
        loop {
            after = carry_out_rule(app, scope, rule, after).await?;
            if after.is_none() {
                break;
            }
        }
    }
    Ok(())
}

/// One request for one rule; where to go on, if there may be more.
async fn carry_out_rule(app: &App, scope: &Scope<Writing>, rule: Rule, after: Option<Reached>) -> Result<Option<Reached>, Problem> {
    let mut tx = app.db().write(scope).await?;
    store::deletion::take_time(&mut tx).await?;
    store::deletion::holds::lock(&mut tx).await?;
    let keeping = Keeping::of(&mut tx).await?;
    let Found { due: items, reached, .. } = due(&mut tx, &keeping, rule, after, (1, u16::MAX)).await?;
    if items.is_empty() {
        return Ok(None);
    }
    let request = DeletionRequest { rule: Some(rule), ..draft(scope, Selectors::default(), String::new()) };
    let audit = AuditId::new();
    store::deletion::insert(&mut tx, &request, audit).await?;
    store::deletion::put(&mut tx, request.id, &items).await?;
    let (id, asked) = (request.id, Audit::deletion(audit, "deletion.asked", request.id));
    carry_out(app, tx, request, &Actor::system(), 0, Some(asked)).await?;
    super::journal::keep(app, scope).await;
    tracing::info!(request = %id, memories = items.len(), kind = rule.kind.word(), days = rule.days, "retention has erased");
    Ok(reached)
}
