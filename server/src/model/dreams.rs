//! Dreams: curation runs over a workspace, and what each did and why. Ids, numbers and words of a fixed list only: erasing a
//! memory leaves nothing of it here.

use super::{Actor, ConflictId, DreamId, MemoryId, ProposalId, access::Mode, memory::words};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, str::FromStr};
use time::OffsetDateTime;

words!(
    /// Where a dream stands.
    DreamState, "state" {
        /// It is under way.
        Running = "running",
        /// It came to its end.
        Done = "done",
        /// It broke off; what it had done stands, and can be rolled back.
        Failed = "failed",
        /// What it did was undone.
        RolledBack = "rolled_back",
    }
);

words!(
    /// How far a dream has come.
    Stage, "stage" {
        /// It reads what is known.
        Reading = "reading",
        /// It thinks about it.
        Thinking = "thinking",
        /// It does what it found.
        Writing = "writing",
        /// It asks the chat endpoint for better texts.
        Rewriting = "rewriting",
        /// It is over.
        Over = "over",
    }
);

words!(
    /// What a dream does.
    Deed, "deed" {
        /// What says the same is put aside for one that stays.
        Merge = "merge",
        /// A discovery that was made by several becomes a pattern.
        Promote = "promote",
        /// Old episodes are told in short by a new one.
        Condense = "condense",
        /// What nobody ever asked for is put away.
        Decay = "decay",
        /// Two that cannot both hold are flagged.
        Flag = "flag",
        /// What may no longer hold is listed.
        Verify = "verify",
        /// Several texts are told as one better text, by the chat endpoint.
        Rewrite = "rewrite",
    }
);

words!(
    /// What became of it.
    Outcome as "DreamOutcome", "outcome" {
        /// It was done.
        Applied = "applied",
        /// It waits for a person's word.
        Proposed = "proposed",
        /// It is told here and changes nothing.
        Listed = "listed",
        /// In a dry run: it would be done.
        WouldApply = "would_apply",
        /// In a dry run: it would wait for a person's word.
        WouldPropose = "would_propose",
        /// One of the memories was changed while the dream thought; it was left as it is.
        Changed = "changed",
        /// It waits or was decided already, or may not be kept.
        Known = "known",
    }
);

words!(
    /// Why a dream would do something.
    Why as "WhyDreamt", "why" {
        /// The same text but for case, spaces and marks.
        SameText = "same_text",
        /// The same words in the same order, but for inflection and words that say nothing.
        SameWords = "same_words",
        /// One says all that the other says, and a little more.
        SaysMore = "says_more",
        /// One has all words of the other, in another order or with some more; a person has to look.
        AlmostSame = "almost_same",
        /// The same was found in several runs or by several authors.
        FoundAgain = "found_again",
        /// Episodes of a month long past.
        LongPast = "long_past",
        /// Nobody ever asked for it, and little speaks for it.
        NeverRecalled = "never_recalled",
        /// Both cannot hold.
        Contradicts = "contradicts",
        /// It no longer holds, or may not, and is still told.
        NotFresh = "not_fresh",
    }
);

/// What somebody wants of a dream.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Else as the workspace's settings say.
    pub mode: Option<Mode>,
    /// Only what belongs to it.
    pub project: Option<super::Project>,
    pub dry_run: bool,
}

#[derive(Clone, Debug)]
pub struct Dream {
    pub id: DreamId,
    pub mode: Mode,
    pub project: Option<String>,
    pub dry_run: bool,
    pub state: DreamState,
    pub stage: Stage,
    pub started_at: OffsetDateTime,
    pub ended_at: Option<OffsetDateTime>,
    pub started_by: Actor,
    pub tally: Tally,
}

/// A dream in figures.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Tally {
    /// Memories that it looked at.
    pub looked_at: u64,
    /// Memories that were too many for one run; dream of single projects to reach them.
    pub left_out: u64,
    /// What it did, and what became of it.
    #[schema(example = json!({"merge": {"applied": 12, "proposed": 3}, "verify": {"listed": 7}}))]
    pub actions: BTreeMap<Deed, BTreeMap<Outcome, u64>>,
    /// What the chat endpoint was asked; null where there is none.
    pub llm: Option<Spent>,
}

/// What the chat endpoint cost.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Spent {
    /// The most tokens that a run may cost, question and answer together.
    pub budget: u32,
    /// Tokens sent, as far as we counted.
    pub sent: u32,
    /// Tokens that came back.
    pub received: u32,
    /// Questions asked.
    pub asked: u32,
    /// Questions that were not answered, or not in a way that could be used.
    pub failed: u32,
}

impl Tally {
    pub fn count(&mut self, deed: Deed, outcome: Outcome) {
        *self.actions.entry(deed).or_default().entry(outcome).or_default() += 1;
    }
}

/// One thing that a dream did, or would.
#[derive(Clone, PartialEq, Debug)]
pub struct Done {
    pub deed: Deed,
    pub why: Why,
    pub score: f32,
    pub outcome: Outcome,
    /// The memory that it is about; of a merge the one that stays.
    pub memory: MemoryId,
    /// The others: put aside, condensed, contradicting.
    pub others: Vec<MemoryId>,
    /// The memory that it made.
    pub made: Option<MemoryId>,
    pub proposal: Option<ProposalId>,
    pub conflict: Option<ConflictId>,
}
