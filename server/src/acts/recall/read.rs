//! Reading by id what an index named: told in full, and with a receipt like everything that is told.

use crate::{
    App,
    acts::memories,
    engines::tokens,
    model::{
        Memory, MemoryId, ReceiptId, clock,
        recall::{Detail, Recall, Receipt, Told, Why},
    },
    problem::Problem,
    store::{self, Permission, Scope},
};
use std::time::Instant;

pub struct Read {
    pub receipt_id: ReceiptId,
    /// In the order asked, with what each costs.
    pub memories: Vec<(Memory, u32)>,
    pub tokens: u32,
    /// What did not fit the budget, and what it would have cost.
    pub left_out: Vec<(MemoryId, u32)>,
    /// Not there, or not for the reader's eyes.
    pub missing: Vec<MemoryId>,
}

/// Read memories as they are now, whole, as far as the budget goes.
pub async fn read<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    surface: &str,
    ids: &[MemoryId],
    budget: Option<u32>,
) -> Result<Read, Problem> {
    if let Some(read) = read_once(app, scope, surface, ids, budget).await? {
        return Ok(read);
    }
    read_once(app, scope, surface, ids, budget).await?.ok_or_else(super::erased_meanwhile)
}

/// Nothing if some of it is gone by the time it could be told.
async fn read_once<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    surface: &str,
    ids: &[MemoryId],
    budget: Option<u32>,
) -> Result<Option<Read>, Problem> {
    let started = Instant::now();
    let found = store::memories::find_some(&mut app.db().read(scope).await?, ids).await?;
    let missing = ids.iter().copied().filter(|id| found.iter().all(|memory| memory.id != *id)).collect();
    let (mut read, mut left_out, mut spent) = (Vec::with_capacity(found.len()), Vec::new(), 0_u32);
    for memory in found {
        let cost = memory.tokens.unwrap_or_else(|| tokens::count(&memory.content));
        if budget.is_some_and(|budget| spent.saturating_add(cost) > budget) {
            left_out.push((memory.id, cost));
            continue;
        }
        spent = spent.saturating_add(cost);
        read.push((memory, cost));
    }
    let receipt = Receipt {
        id: ReceiptId::new(),
        at: clock::now(),
        actor: scope.actor().clone(),
        session_id: scope.session(),
        surface: surface.to_owned(),
        query: Some(String::new()),
        asked: Recall { limit: ids.len(), token_budget: budget, ..Recall::default() },
        items: read.iter().map(|(memory, cost)| told(scope, memory, *cost)).collect(),
        tokens: spent,
        omitted: u32::try_from(left_out.len()).unwrap_or(u32::MAX),
        took_ms: started.elapsed().as_secs_f32() * 1000.0,
    };
    let kept = app.db().keep_receipt(scope, &receipt).await?;
    Ok(kept.then_some(Read { receipt_id: receipt.id, memories: read, tokens: spent, left_out, missing }))
}

fn told<P>(scope: &Scope<P>, memory: &Memory, tokens: u32) -> Told {
    Told {
        memory_id: memory.id,
        version: memory.version,
        score: 1.0,
        why: Why::default(),
        freshness: memories::judge(scope, memory).state,
        tokens,
        detail: Detail::Full,
        passage: None,
        folded: Vec::new(),
    }
}
