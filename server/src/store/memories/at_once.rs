//! New memories in one trip to the database, which is one transaction: the common case of writing.

use super::{
    super::{CanWrite, Db, Scope},
    write::{seal, twin_key},
};
use crate::{
    audit::Trail,
    model::{Memory, Project},
    problem::Problem,
};
use sqlx::types::Json;

/// Writes memories with their versions and entries where nothing stands in the way; false, and nothing written, where
/// something does. `twin` marks those sent without a path; `macs` are their texts' in the list of what was erased.
pub async fn insert_at_once<P: CanWrite>(
    db: &Db,
    scope: &Scope<P>,
    memories: &mut [(Memory, bool)],
    macs: &[[u8; 32]],
    trail: impl FnOnce(&[(Memory, bool)]) -> Trail,
) -> Result<bool, Problem> {
    let salts: Vec<_> = memories.iter_mut().map(|(memory, _)| seal(memory).to_vec()).collect();
    let trail = trail(memories);
    // The call writes the entries from the memories' own columns; what they would say must be just that.
    let fits = |((memory, _), entry): (&(Memory, bool), &crate::audit::Audit)| entry.stands_for_new(memory);
    if trail.0.len() != memories.len() || !memories.iter().zip(&trail.0).all(fits) {
        return Err(Problem::internal("memories were to be written without an entry each"));
    }
    let request = &scope.request().id;
    let requests: Vec<&str> = trail.0.iter().map(|entry| entry.request.as_deref().unwrap_or(request)).collect();
    let labelled = memories.iter().any(|(memory, _)| !memory.tags.is_empty() || !memory.anchors.is_empty());
    let column = Columns(memories);
    let mut hand = db.tenants_hand().await?;
    let written = sqlx::query_scalar!(
        r#"select remember($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
                           $26, $27, $28, $29, $30, $31, $32, $33, $34) as "written!""#,
        scope.workspace().0,
        scope.actor().id,
        scope.actor().kind as _,
        scope.standing().role() as _,
        scope.person().map(|person| person.0),
        scope.project().map(Project::as_str),
        scope.main_store().0,
        &macs.iter().map(|mac| mac.to_vec()).collect::<Vec<_>>(),
        &column.of(|memory| memory.id.0),
        &column.of(|memory| memory.path.as_str()) as _,
        &column.of(|memory| memory.title.as_str()) as _,
        &column.of(|memory| memory.content.as_str()) as _,
        &column.of(|memory| memory.kind.word()) as _,
        &column.of(|memory| Json(&memory.tags)) as _,
        &column.of(|memory| memory.project.as_deref()) as _,
        &column.of(|memory| Json(&memory.anchors)) as _,
        &column.of(|memory| memory.source.as_ref().map(Json)) as _,
        &column.of(|memory| memory.confidence),
        &column.of(|memory| memory.visibility.word()) as _,
        &column.of(|memory| memory.owner.map(|owner| owner.0)) as _,
        &column.of(|memory| memory.subject.as_deref()) as _,
        &column.of(|memory| memory.valid_from),
        &column.of(|memory| memory.stale_after) as _,
        &column.of(|memory| memory.expires_at) as _,
        &column.of(|memory| memory.session_id.map(|session| session.0)) as _,
        &column.of(|memory| memory.updated_at),
        &column.of(|memory| memory.content_sha256.to_vec()),
        &salts,
        &column.of(|memory| memory.digest.to_vec()),
        &column.of(|memory| memory.tokens.and_then(|tokens| i32::try_from(tokens).ok())) as _,
        &memories.iter().map(|(memory, twin)| twin.then(|| twin_key(memory).to_vec())).collect::<Vec<_>>() as _,
        &column.of(|memory| memory.audit_id.0),
        &requests as _,
        labelled
    )
    .fetch_one(&mut *hand)
    .await?;
    hand.lay_down();
    Ok(written)
}

struct Columns<'a>(&'a [(Memory, bool)]);

impl<'a> Columns<'a> {
    fn of<T>(&self, part: impl Fn(&'a Memory) -> T) -> Vec<T> {
        self.0.iter().map(|(memory, _)| part(memory)).collect()
    }
}
