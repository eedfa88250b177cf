//! Retention: what has been archived for as long as the rules say is erased, by the same machinery as any request.

use super::{ask::draft, execute::carry_out};
use crate::{
    App,
    acts::access::for_the_whole,
    audit::Audit,
    model::{
        Actor, AuditId, Kind, Settings, clock,
        deletion::{DeletionRequest, Item, ItemKind, Rule, Selectors, Why},
    },
    problem::Problem,
    store::{self, Permission, Request, Scope, Tx, Writing},
};
use std::{collections::HashSet, sync::Arc};
use time::Duration;
use uuid::Uuid;

/// Of one rule, so many at a time.
pub const AT_ONCE: i64 = 1000;

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
    let mut all = Vec::new();
    for rule in rules(settings) {
        let (due, held) = due(&mut tx, rule).await?;
        let ids = |items: Vec<Item>| items.into_iter().map(|item| item.id).collect();
        all.push(Due { rule, due: ids(due), held: ids(held) });
    }
    Ok(all)
}

/// What is due, and what would be if no hold kept it.
async fn due<M>(tx: &mut Tx<M>, rule: Rule) -> Result<(Vec<Item>, Vec<Item>), Problem> {
    let before = clock::now() - Duration::days(i64::from(rule.days));
    let found = store::deletion::archived_since(tx, rule.kind, before, AT_ONCE).await?;
    let items: Vec<Item> =
        found.into_iter().map(|(id, owner)| Item { kind: ItemKind::Memory, id, part: 0, owner, why: Why::Named, taken: true }).collect();
    let mut kept = HashSet::new();
    for hold in store::deletion::holds::all(tx).await? {
        kept.extend(store::deletion::holds::kept_by(tx, &hold, &items).await?);
    }
    Ok(items.into_iter().partition(|item| !kept.contains(&(item.kind, item.id, item.part))))
}

/// Erase what is due, in every workspace.
pub async fn retain(app: &App) -> Result<(), Problem> {
    for standing in app.db().house_standings().await? {
        let scope: Scope<Writing> = Scope::of(Arc::new(standing), Request::of_the_house("retention"))?;
        let all: Vec<Rule> = rules(scope.settings()).collect();
        for rule in all {
            while carry_out_rule(app, &scope, rule).await? {}
        }
    }
    Ok(())
}

/// One request for one rule; whether there may be more.
async fn carry_out_rule(app: &App, scope: &Scope<Writing>, rule: Rule) -> Result<bool, Problem> {
    let mut tx = app.db().write(scope).await?;
    store::deletion::holds::lock(&mut tx).await?;
    let (items, _) = due(&mut tx, rule).await?;
    if items.is_empty() {
        return Ok(false);
    }
    let request = DeletionRequest { rule: Some(rule), ..draft(scope, Selectors::default(), String::new()) };
    let audit = AuditId::new();
    store::deletion::insert(&mut tx, &request, audit).await?;
    store::deletion::put(&mut tx, request.id, &items).await?;
    let (id, asked) = (request.id, Audit::deletion(audit, "deletion.asked", request.id));
    carry_out(app, tx, request, &Actor::system(), 0, Some(asked)).await?;
    super::journal::keep(app, scope).await;
    tracing::info!(request = %id, memories = items.len(), kind = rule.kind.word(), days = rule.days, "retention has erased");
    Ok(items.len() == usize::try_from(AT_ONCE).unwrap_or(usize::MAX))
}
