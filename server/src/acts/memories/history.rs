//! Reading: now, then, and what changed between.

use crate::{
    App,
    model::{
        Memory, MemoryId, ReceiptId,
        memory::{Filter, ReviewOrder},
        page::{Limit, Page, decode},
    },
    problem::Problem,
    store::{self, Permission, Scope, memories::Doubted},
};
use similar::{ChangeTag, TextDiff};
use std::time::{Duration, Instant};
use time::OffsetDateTime;

pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    filter: &Filter,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Memory>, Problem> {
    let mut tx = app.db().read(scope).await?;
    store::memories::list(&mut tx, filter, scope.settings(), limit, cursor).await
}

/// Active memories that are not fresh, those first that need a look most; of some, if they are named.
pub async fn needing_review<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    project: Option<&str>,
    some: Option<&[MemoryId]>,
    order: ReviewOrder,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Doubted>, Problem> {
    let after = cursor.map(decode::<u32>).transpose()?.unwrap_or_default();
    let mut tx = app.db().read(scope).await?;
    let found = store::memories::doubted(&mut tx, scope.settings(), (project, some), order, after.into(), limit.and_one()).await?;
    let places: Vec<MemoryId> = found.iter().map(|one| one.memory.id).collect();
    let place = |one: &Doubted| {
        let at = places.iter().position(|id| *id == one.memory.id).unwrap_or_default();
        after.saturating_add(u32::try_from(at + 1).unwrap_or(u32::MAX))
    };
    Ok(Page::cut(found, limit, place))
}

pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: MemoryId) -> Result<Memory, Problem> {
    store::memories::find(&mut app.db().read(scope).await?, id).await
}

pub async fn find_as_of<P: Permission>(app: &App, scope: &Scope<P>, id: MemoryId, moment: OffsetDateTime) -> Result<Memory, Problem> {
    store::memories::find_as_of(&mut app.db().read(scope).await?, id, moment).await
}

/// When a receipt was written: what was known then can be read with it.
pub async fn moment_of<P: Permission>(app: &App, scope: &Scope<P>, receipt: ReceiptId) -> Result<OffsetDateTime, Problem> {
    match store::receipts::find(&mut app.db().read(scope).await?, receipt).await {
        Err(Problem::NotFound) => Err(Problem::invalid("receipt_id", "there is no such receipt")),
        found => Ok(found?.at),
    }
}

pub async fn find_version<P: Permission>(app: &App, scope: &Scope<P>, id: MemoryId, version: i32) -> Result<Memory, Problem> {
    store::memories::find_version(&mut app.db().read(scope).await?, id, version).await
}

/// Newest first.
pub async fn versions<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    id: MemoryId,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Memory>, Problem> {
    let mut tx = app.db().read(scope).await?;
    store::memories::find(&mut tx, id).await?;
    let before = cursor.map(decode::<i32>).transpose()?;
    let versions = store::memories::versions(&mut tx, id, before, limit.and_one()).await?;
    Ok(Page::cut(versions, limit, |version| version.version))
}

/// A line of a comparison: which side has it, and which parts of it differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiffLine {
    pub tag: ChangeTag,
    pub old_line: Option<usize>,
    pub new_line: Option<usize>,
    pub segments: Vec<Segment>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    pub text: String,
    pub emphasised: bool,
}

/// What changed in the text between two versions, line by line.
pub async fn diff<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    id: MemoryId,
    from: i32,
    to: i32,
) -> Result<(Memory, Memory, Vec<DiffLine>), Problem> {
    let mut tx = app.db().read(scope).await?;
    let old = store::memories::find_version(&mut tx, id, from).await?;
    let new = store::memories::find_version(&mut tx, id, to).await?;
    drop(tx);
    let compared = tokio::task::spawn_blocking(move || {
        let lines = compare(&old.content, &new.content);
        (old, new, lines)
    });
    compared.await.map_err(Problem::internal)
}

fn compare(old: &str, new: &str) -> Vec<DiffLine> {
    // Bounded: two hostile texts of 100 KiB must not cost more than this, their lines and the words in them together.
    let deadline = Instant::now() + Duration::from_millis(200);
    let diff = TextDiff::configure().deadline(deadline).diff_lines(old, new);
    diff.ops()
        .iter()
        .flat_map(|op| diff.iter_inline_changes_deadline(op, Some(deadline)))
        .map(|change| DiffLine {
            tag: change.tag(),
            old_line: change.old_index().map(|index| index + 1),
            new_line: change.new_index().map(|index| index + 1),
            segments: change
                .iter_strings_lossy()
                .map(|(emphasised, text)| Segment { text: text.trim_end_matches(['\n', '\r']).to_owned(), emphasised })
                .filter(|segment| !segment.text.is_empty())
                .collect(),
        })
        .collect()
}
