//! A run as it happened: its log a page at a time, and between the events what was checkpointed and recalled.

use crate::{
    App,
    model::{
        Memory, MemoryId, SessionId,
        memory::Filter,
        page::Limit,
        recall::{Receipt, ReceiptFilter},
        sessions::{Event, Kept, Session},
    },
    problem::Problem,
    store::{self, Permission, Scope, Tx, tasks::Of},
};
use std::collections::HashMap;
use time::OffsetDateTime;

/// So many events are a page.
const EVENTS: i64 = 100;
const LEARNED: i64 = 20;
/// Recalls between the events of a page; all of a run's stand in the list of its receipts.
const TOLD: usize = 1000;

pub struct Replayed {
    pub session: Session,
    pub events: Vec<Event>,
    pub next_cursor: Option<String>,
    /// Those that fall between these events.
    pub checkpoints: Vec<Kept>,
    pub receipts: Vec<Receipt>,
    /// What the checkpoints' memories are called.
    pub titles: HashMap<MemoryId, String>,
    pub learned: Vec<Memory>,
    pub learned_more: bool,
}

pub async fn replay<P: Permission>(app: &App, scope: &Scope<P>, id: SessionId, cursor: Option<&str>) -> Result<Replayed, Problem> {
    let mut tx = app.db().read(scope).await?;
    let session = store::sessions::find(&mut tx, id).await?;
    let page = store::sessions::events(&mut tx, id, Limit::parse(Some(EVENTS))?, cursor).await?;
    // The first page begins with the run, the last one ends with it, and every other one where the next begins.
    let from = cursor.and(page.data.first().map(|event| event.at)).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let to = match page.next_cursor.as_deref() {
        Some(end) => store::sessions::events(&mut tx, id, Limit::parse(Some(1))?, Some(end)).await?.data.first().map(|event| event.at),
        None => None,
    };
    let within = |at: OffsetDateTime| at >= from && to.is_none_or(|to| at < to);
    let mut checkpoints = store::tasks::checkpoints(&mut tx, Of::Session(id)).await?;
    checkpoints.retain(|kept| within(kept.at));
    let asked = ReceiptFilter { session_id: Some(id), from: Some(from), to, ..ReceiptFilter::default() };
    let receipts = told(&mut tx, &asked).await?;
    let ids: Vec<MemoryId> = checkpoints.iter().flat_map(|kept| kept.decisions.iter().chain(&kept.discoveries)).copied().collect();
    let titles = store::memories::titles(&mut tx, &ids).await?;
    let written = Filter { session_id: Some(id), ..Filter::default() };
    let learned = store::memories::list(&mut tx, &written, scope.settings(), Limit::parse(Some(LEARNED))?, None).await?;
    Ok(Replayed {
        session,
        events: page.data,
        next_cursor: page.next_cursor,
        checkpoints,
        receipts,
        titles,
        learned_more: learned.next_cursor.is_some(),
        learned: learned.data,
    })
}

async fn told<M>(tx: &mut Tx<M>, asked: &ReceiptFilter) -> Result<Vec<Receipt>, Problem> {
    let mut told = Vec::new();
    let mut cursor = None;
    loop {
        let page = store::receipts::list(tx, asked, Limit::parse(Some(200))?, cursor.as_deref()).await?;
        told.extend(page.data);
        cursor = page.next_cursor;
        if cursor.is_none() || told.len() >= TOLD {
            return Ok(told);
        }
    }
}
