//! What waited, as somebody edited it: in the transaction that approves it.

use super::{
    may_change, may_return, owners,
    remember::{Asked, Remembered, put_down},
    revise::next_state,
};
use crate::{
    App,
    audit::Audit,
    engines::tokens,
    model::{Memory, NewMemory, Project, Revision, State, memory::Operation, text::Content},
    problem::Problem,
    store::{self, CanWrite, Scope, Tx, Write},
};

/// It is known from now on, in other words.
pub(in crate::acts) async fn settle_as<P: CanWrite>(
    app: &App,
    tx: &mut Tx<Write>,
    scope: &Scope<P>,
    before: &Memory,
    revision: Revision,
) -> Result<(Memory, Vec<Audit>), Problem> {
    must_wait(scope, before)?;
    if let Some(content) = revision.content.as_ref().filter(|content| content.as_str() != before.content) {
        may_return(app, tx, content.as_str()).await?;
    }
    let mut next = next_state(scope, before, Operation::Revised);
    revision.apply_to(&mut next);
    next.state = State::Active;
    next.reason = next.reason.or_else(|| Some("edited and approved".to_owned()));
    next.tokens = Some(tokens::count(&next.content));
    next.owner = owners::after(tx, scope, before, next.visibility).await?;
    may_change(scope, &next)?;
    store::memories::advance(tx, before, &mut next).await?;
    let entry = Audit::of_memory(&next);
    Ok((next, vec![entry]))
}

/// Another takes the place of the one that waited, which nobody ever decided.
pub(in crate::acts) async fn put_instead<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    before: &Memory,
    asked: Asked,
) -> Result<(Memory, Vec<Audit>), Problem> {
    must_wait(scope, before)?;
    let (written, mut trail) = put_down(app, scope, tx, &[asked]).await?;
    let memory = match written.into_iter().next() {
        Some(Remembered::New(memory, _)) => memory,
        Some(Remembered::Already(known)) => {
            return Err(Problem::conflict(
                "wrong_state",
                format!("That is known already, word for word, as {}: reject this proposal instead.", known.path.as_str()),
            ));
        }
        None => return Err(Problem::internal("one memory in, none out")),
    };
    let mut next = next_state(scope, before, Operation::Superseded);
    (next.state, next.superseded_by) = (State::Superseded, Some(memory.id));
    store::memories::advance(tx, before, &mut next).await?;
    trail.push(Audit::of_memory(&next));
    Ok((memory, trail))
}

/// A memory like the one that waits, but for what was edited.
pub(in crate::acts) fn edited<P>(scope: &Scope<P>, before: &Memory, revision: Revision) -> Result<NewMemory, Problem> {
    let path = revision.path.clone().filter(|path| *path != before.path);
    let mut wanted = before.clone();
    revision.apply_to(&mut wanted);
    may_change(scope, &wanted)?;
    Ok(NewMemory {
        store: Some(before.store_id),
        path,
        title: Some(wanted.title),
        tags: wanted.tags,
        project: wanted.project.as_deref().map(Project::parse).transpose()?,
        anchors: wanted.anchors,
        source: wanted.source,
        confidence: Some(wanted.confidence),
        subject: wanted.subject,
        visibility: wanted.visibility,
        valid_from: Some(wanted.valid_from),
        stale_after: wanted.stale_after,
        expires_at: wanted.expires_at,
        supersedes: wanted.supersedes,
        session_id: wanted.session_id,
        ..NewMemory::of(Content::parse(wanted.content)?, wanted.kind)
    })
}

fn must_wait<P>(scope: &Scope<P>, memory: &Memory) -> Result<(), Problem> {
    may_change(scope, memory)?;
    if memory.state == State::Proposed {
        return Ok(());
    }
    Err(Problem::conflict("wrong_state", format!("This memory is {} and waits for nothing.", memory.state.word())))
}
