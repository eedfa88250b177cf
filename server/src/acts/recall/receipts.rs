//! What was told, read afterwards; and what those who were told say of it.

use crate::{
    App,
    audit::Audit,
    engines::recall::excerpt,
    model::{
        AuditId, MemoryId, ReceiptId, clock,
        page::{Limit, Page},
        recall::{Detail, Judged, Receipt, ReceiptFilter, Text, Told, Verdict},
    },
    problem::Problem,
    store::{self, CanWrite, Permission, Scope},
};
use std::collections::HashMap;

/// A receipt, what was said of it and, if asked for, the texts as they were told.
pub struct Shown {
    pub receipt: Receipt,
    pub verdicts: Vec<Judged>,
    /// One for each item.
    pub texts: Option<Vec<AsTold>>,
}

/// What was told, and how much of it; nothing when it was erased since or is not for the reader's eyes.
pub type AsTold = Option<(Text, Option<String>)>;

/// Newest first.
pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    filter: &ReceiptFilter,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Receipt>, Problem> {
    let mut tx = app.db().read(scope).await?;
    store::receipts::list(&mut tx, filter, limit, cursor).await
}

/// One receipt, days and versions later.
pub async fn show<P: Permission>(app: &App, scope: &Scope<P>, id: ReceiptId, with_texts: bool) -> Result<Shown, Problem> {
    let mut tx = app.db().read(scope).await?;
    let receipt = store::receipts::find(&mut tx, id).await?;
    let verdicts = store::receipts::verdicts(&mut tx, id).await?;
    drop(tx);
    let texts = if with_texts { Some(texts(app, scope, &receipt).await?) } else { None };
    Ok(Shown { receipt, verdicts, texts })
}

async fn texts<P: Permission>(app: &App, scope: &Scope<P>, receipt: &Receipt) -> Result<Vec<AsTold>, Problem> {
    let versions: Vec<_> = receipt.items.iter().map(|told| (told.memory_id, told.version)).collect();
    let mut found: HashMap<MemoryId, Text> = app.db().texts(scope, &versions, &[]).await?.into_iter().map(|text| (text.id, text)).collect();
    let as_told = |told: &Told| {
        let text = found.remove(&told.memory_id)?;
        let content = text.content.as_deref()?;
        let shown = match told.detail {
            Detail::Index => None,
            Detail::Full => Some(content.to_owned()),
            Detail::Excerpt => told.passage.map(|(start, end)| excerpt::cut(content, start..end).into_owned()),
        };
        Some((text, shown))
    };
    Ok(receipt.items.iter().map(as_told).collect())
}

/// The receipt by which the asker was last told a memory.
pub async fn last_told<P: Permission>(app: &App, scope: &Scope<P>, memory: MemoryId) -> Result<Option<ReceiptId>, Problem> {
    let filter = ReceiptFilter { memory_id: Some(memory), actor: Some(scope.actor().id), ..ReceiptFilter::default() };
    Ok(list(app, scope, &filter, Limit::parse(Some(1))?, None).await?.data.first().map(|receipt| receipt.id))
}

/// Say of a memory that one was told whether it was of use. `wrong` and `stale` make it suspect until somebody verifies
/// or changes it; praise weighs little, because popularity is not truth.
pub async fn judge<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    receipt: ReceiptId,
    memory: MemoryId,
    verdict: Verdict,
) -> Result<(), Problem> {
    let mut tx = app.db().write(scope).await?;
    let told = store::receipts::find(&mut tx, receipt).await?;
    if !told.items.iter().any(|item| item.memory_id == memory) {
        return Err(Problem::invalid("memory_id", "was not told in this receipt"));
    }
    let audit = AuditId::new();
    store::receipts::judge(&mut tx, receipt, memory, scope.actor(), verdict, clock::now(), audit).await?;
    tx.commit(Audit::judged(audit, receipt, memory, verdict)).await
}
