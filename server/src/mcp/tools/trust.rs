//! Saying whether a memory still holds.

use super::{Hints, Kit, Said};
use crate::{
    acts::{self, memories::Precondition},
    mcp::{asker::Asker, bodies::FreshnessBody, texts},
    model::{MemoryId, Power, ReceiptId, memory::Report, recall::Verdict, text},
    problem::Problem,
    store::Reviewing,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub fn kits() -> Vec<Kit> {
    vec![
        Kit::new::<ReportArguments, TrustAnswer>(
            "report_stale",
            "Report a memory that does not hold",
            Power::Writing,
            Hints::AddsOnce,
            REPORT,
        ),
        Kit::new::<VerifyArguments, TrustAnswer>("verify_memory", "Verify a memory", Power::Reviewing, Hints::Adds, VERIFY),
    ]
}

const REPORT: &str = "Say that a memory you were told does not hold: `stale` if it was true once, `wrong` if it never was. Use it as \
soon as the code, a test or a person shows you otherwise; it is marked as suspect for everybody until somebody verifies or replaces \
it. If you know what holds now, also remember that with `supersedes`. What comes back: how far the memory is trusted now.";

const VERIFY: &str = "Say that a memory is still true, because you have just checked it against the code, a test or a person: it is \
fresh again. Never verify from memory alone. What comes back: how far the memory is trusted now.";

/// A memory that does not hold.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportArguments {
    /// The memory.
    memory_id: MemoryId,
    /// `stale` unless said.
    verdict: Option<Report>,
    /// The receipt by which you were told it; without one, your last.
    receipt_id: Option<ReceiptId>,
}

/// How far a memory is trusted now.
#[derive(Serialize, ToSchema)]
pub struct TrustAnswer {
    /// The memory.
    memory_id: MemoryId,
    /// Its version.
    version: i32,
    /// Whether it deserves trust.
    freshness: FreshnessBody,
}

pub async fn report_stale(asker: &Asker, sent: ReportArguments) -> Result<Said, Problem> {
    let scope = asker.writing()?;
    // What one may not see is not there, whatever one says of it.
    acts::memories::find(&asker.app, &scope, sent.memory_id).await?;
    let receipt = match sent.receipt_id {
        Some(receipt) => receipt,
        None => acts::recall::last_told(&asker.app, &scope, sent.memory_id)
            .await?
            .ok_or_else(|| Problem::invalid("memory_id", "you have not been told this memory; read it with get_memory first"))?,
    };
    let verdict = match sent.verdict.unwrap_or(Report::Stale) {
        Report::Stale => Verdict::Stale,
        Report::Wrong => Verdict::Wrong,
    };
    acts::recall::judge(&asker.app, &scope, receipt, sent.memory_id, verdict).await?;
    trusted(asker, sent.memory_id, "Noted.").await
}

/// A memory that was checked.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyArguments {
    /// The memory.
    memory_id: MemoryId,
    /// How you know.
    note: Option<String>,
}

pub async fn verify_memory(asker: &Asker, sent: VerifyArguments) -> Result<Said, Problem> {
    let note = sent.note.as_deref().map(|note| text::prose("note", note, 2000)).transpose()?;
    let scope = asker.scope.to::<Reviewing>()?;
    acts::memories::verify(&asker.app, &scope, sent.memory_id, Precondition(None), note).await?;
    trusted(asker, sent.memory_id, "Verified.").await
}

async fn trusted(asker: &Asker, id: MemoryId, said: &str) -> Result<Said, Problem> {
    let memory = acts::memories::find(&asker.app, &asker.scope, id).await?;
    let freshness = FreshnessBody::from(acts::memories::judge(&asker.scope, &memory));
    let text = format!("{said} The memory is now {} (id {id}, version {}).", texts::trust(&freshness), memory.version);
    Said::new(&TrustAnswer { memory_id: id, version: memory.version, freshness }, text)
}
