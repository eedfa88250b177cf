//! The certificate: what was erased, when and by whom, signed, so that it can be checked with the public key alone.

use crate::{
    App,
    engines::seal::note,
    keyring::Keyring,
    model::{
        Actor, DeletionId, WorkspaceId,
        deletion::{Certificate, DeletionRequest, DeletionState, Item, Step},
        text::hex,
    },
    problem::Problem,
    store::{self, Permission, Scope},
};
use std::collections::BTreeMap;
use time::OffsetDateTime;

/// A certificate as it was signed when the request was executed; a new key does not change it.
pub struct Signed {
    pub certificate: Certificate,
    /// The signed note that says the same.
    pub note: String,
}

/// The certificate of an executed request.
pub async fn certificate<P: Permission>(app: &App, scope: &Scope<P>, id: DeletionId) -> Result<Signed, Problem> {
    let mut tx = app.db().read(scope).await?;
    let request = store::deletion::find(&mut tx, id).await?;
    let note = store::deletion::certificate(&mut tx, id).await?;
    let Some(note) = note.filter(|_| request.state == DeletionState::Executed) else {
        return Err(Problem::conflict(
            "wrong_state",
            format!("This request is {}; a certificate is made when it is executed.", request.state.word()),
        ));
    };
    let text = note::text(&note).map_err(Problem::internal)?;
    Ok(Signed { certificate: serde_json::from_str(&text).map_err(Problem::internal)?, note })
}

/// What was asked for, before it becomes hashes.
pub(super) struct Asked {
    reason: Option<String>,
    subject: Option<String>,
    query: Option<String>,
}

impl Asked {
    pub(super) fn of(request: &DeletionRequest, keyring: &Keyring) -> Self {
        let mac = |text: &Option<String>| text.as_deref().map(|text| hex(&keyring.erasure_mac(text)));
        Self { reason: mac(&request.reason), subject: mac(&request.asked.subject), query: mac(&request.asked.query) }
    }
}

/// Signs what an executed request came to.
pub(super) fn sign(
    app: &App,
    workspace: WorkspaceId,
    request: &DeletionRequest,
    asked: Asked,
    items: &[Item],
    matched_since: u64,
) -> Result<String, Problem> {
    let executed = step(request.executed_by.as_ref(), request.executed_at).ok_or_else(|| Problem::internal("executed by nobody"))?;
    let certificate = Certificate {
        certifies: "cairn erasure v1".to_owned(),
        workspace_id: workspace,
        request_id: request.id,
        asked: Step { at: request.asked_at, kind: request.asked_by.kind, id: request.asked_by.id },
        approved: step(request.decided_by.as_ref(), request.decided_at),
        executed,
        lone_approver: request.alone,
        rule: request.rule,
        counts: request.counts.clone().unwrap_or_default(),
        matched_since,
        erased: by_sort(items),
        reason_mac: asked.reason,
        subject_mac: asked.subject,
        query_mac: asked.query,
    };
    let text = serde_json::to_string(&certificate).map_err(Problem::internal)?;
    app.notary().sign_note(&format!("{text}\n"))
}

fn step(by: Option<&Actor>, at: Option<OffsetDateTime>) -> Option<Step> {
    by.zip(at).map(|(by, at)| Step { at, kind: by.kind, id: by.id })
}

fn by_sort(items: &[Item]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for item in items.iter().filter(|item| item.taken) {
        let id = if item.part == 0 { item.id.to_string() } else { format!("{}:{}", item.id, item.part) };
        all.entry(item.kind.word().to_owned()).or_default().push(id);
    }
    all
}
