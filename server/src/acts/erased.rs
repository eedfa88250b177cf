//! What was erased does not come back through any door.

use crate::{
    App,
    engines::erasure::{bars_of_event, bars_of_line},
    model::{
        DeletionId,
        sessions::{Event, Item},
    },
    problem::Problem,
    store::{self, Tx},
};

/// A text as a whole.
pub(super) async fn refuse<M>(app: &App, tx: &mut Tx<M>, text: &str) -> Result<(), Problem> {
    refuse_any(app, tx, vec![text.to_owned()]).await
}

/// A line that says something: a summary, a title, a next step.
pub(super) async fn refuse_line<M>(app: &App, tx: &mut Tx<M>, line: Option<&str>) -> Result<(), Problem> {
    refuse_any(app, tx, line.and_then(bars_of_line).into_iter().collect()).await
}

/// Where a checkpoint stands and how to go on.
pub(super) async fn refuse_progress<M>(app: &App, tx: &mut Tx<M>, progress: &[Item], next: Option<&str>) -> Result<(), Problem> {
    let lines = progress.iter().flat_map(|item| [Some(item.item.as_str()), item.note.as_deref()]).chain([next]);
    let lines = lines.flatten().filter_map(bars_of_line).collect();
    refuse_any(app, tx, lines).await
}

/// Events of a log; the problem says which.
pub(super) async fn refuse_events<M>(app: &App, tx: &mut Tx<M>, events: &[Event]) -> Result<(), Problem> {
    let (of, macs): (Vec<usize>, Vec<[u8; 32]>) = events
        .iter()
        .enumerate()
        .flat_map(|(n, event)| bars_of_event(event).into_iter().map(move |text| (n, text)))
        .map(|(n, text)| (n, app.keyring().erasure_mac(&text)))
        .unzip();
    match store::deletion::erased_by(tx, &macs).await? {
        Some((at, request)) => Err(barred(request).at_item(of.get(at).copied().unwrap_or_default())),
        None => Ok(()),
    }
}

async fn refuse_any<M>(app: &App, tx: &mut Tx<M>, texts: Vec<String>) -> Result<(), Problem> {
    let macs: Vec<[u8; 32]> = texts.iter().map(|text| app.keyring().erasure_mac(text)).collect();
    store::deletion::erased_by(tx, &macs).await?.map_or(Ok(()), |(_, request)| Err(barred(request)))
}

pub(super) fn barred(request: DeletionId) -> Problem {
    Problem::conflict_with(
        "content_erased",
        format!("This text was erased by deletion request {request} and may not come back."),
        "deletion_request_id",
        request,
    )
}
