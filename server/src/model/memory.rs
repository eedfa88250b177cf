//! A memory, what may be sent to make one, and what may be changed in one.

use super::{
    Actor, AuditId, MemoryId, PersonId, Project, RunId, SessionId, StoreId, clock,
    code::{Contested, Fate, Standing},
    text::{self, Content, MemoryPath},
};
use crate::{engines::freshness::Freshness, problem::Problem};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use time::OffsetDateTime;

/// Words of the API as an enum. `Name as "Other"` where the API document has another type of that name.
macro_rules! words {
    ($(#[doc = $doc:literal])+ $name:ident, $($rest:tt)+) => {
        words!($(#[doc = $doc])+ $name as (stringify!($name)), $($rest)+);
    };
    ($(#[doc = $doc:literal])+ $name:ident as $told:literal, $($rest:tt)+) => {
        words!($(#[doc = $doc])+ $name as ($told), $($rest)+);
    };
    ($(#[doc = $doc:literal])+ $name:ident as ($told:expr), $field:literal { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, sqlx::Type, Serialize, Deserialize)]
        #[sqlx(type_name = "text")]
        pub enum $name {
            $($(#[$variant_doc])* #[sqlx(rename = $word)] #[serde(rename = $word)] $variant),+
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl FromStr for $name {
            type Err = Problem;
            fn from_str(word: &str) -> Result<Self, Problem> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(Problem::invalid($field, concat!("must be one of", $(" ", $word),+))),
                }
            }
        }

        // By hand: the derive does not see words that come out of a macro, and would tell the names of the variants.
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some(concat!($($doc),+).trim()))
                    .enum_values(Some([$($word),+]))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                $told.into()
            }
        }
    };
}
pub(super) use words;

words!(
    /// What sort of knowledge a memory is.
    Kind, "kind" {
        /// Why we do it so. Never changed, only superseded.
        Decision = "decision",
        /// How this codebase does it.
        Pattern = "pattern",
        /// How work is done.
        Procedure = "procedure",
        /// What was found out.
        Discovery = "discovery",
        /// What a person wants.
        Preference = "preference",
        /// What happened in a run.
        Episode = "episode",
        /// Anything else that is stable.
        Fact = "fact",
    }
);

impl Kind {
    /// Who decided something decided it for all who read it: only a decision supersedes a decision.
    pub fn may_stand_for(self, old: Self) -> bool {
        self == Self::Decision || old != Self::Decision
    }

    /// The folder of memories that were sent without a path.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Decision => "decisions",
            Self::Pattern => "patterns",
            Self::Procedure => "procedures",
            Self::Discovery => "discoveries",
            Self::Preference => "preferences",
            Self::Episode => "episodes",
            Self::Fact => "facts",
        }
    }
}

words!(
    /// Where a memory stands.
    State, "state" {
        /// Known and recalled.
        Active = "active",
        /// Waits for review.
        Proposed = "proposed",
        /// Another memory took its place.
        Superseded = "superseded",
        /// Put away; it can be restored.
        Archived = "archived",
    }
);

words!(
    /// Who may see a memory.
    Visibility, "visibility" {
        /// Everyone in the workspace.
        Workspace = "workspace",
        /// The person it belongs to and the agents that person owns.
        Private = "private",
    }
);

impl Visibility {
    /// Nothing that others do not see takes the place of what they see.
    pub fn may_stand_for(self, old: Self) -> bool {
        self == Self::Workspace || old == Self::Private
    }
}

words!(
    /// What made a version.
    Operation, "operation" {
        Created = "created",
        Revised = "revised",
        Archived = "archived",
        Restored = "restored",
        Reverted = "reverted",
        Verified = "verified",
        Superseded = "superseded",
        /// Told by a file; how it was made there stands with its origin.
        Imported = "imported",
    }
);

words!(
    /// Where a memory was learned.
    SourceType, "source.type" {
        Session = "session",
        File = "file",
        Url = "url",
        Commit = "commit",
        Message = "message",
        Import = "import",
        Human = "human",
    }
);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Source {
    #[serde(rename = "type")]
    pub kind: SourceType,
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    pub excerpt: Option<String>,
}

impl Source {
    pub fn checked(self) -> Result<Self, Problem> {
        let prose = |field, value: Option<String>, longest| value.as_deref().map(|value| text::prose(field, value, longest)).transpose();
        Ok(Self {
            kind: self.kind,
            reference: prose("source.ref", self.reference, 2000)?,
            excerpt: prose("source.excerpt", self.excerpt, 10_000)?,
        })
    }
}

/// A link from a memory to code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Anchor {
    pub repo: Option<String>,
    pub path: String,
    pub symbol: Option<String>,
    pub fingerprint: Option<String>,
    pub state: AnchorState,
}

impl Anchor {
    pub fn checked(self) -> Result<Self, Problem> {
        let line = |field, value: Option<String>| value.as_deref().map(|value| text::line(field, value, 1000)).transpose();
        let path = text::line("anchors.path", &self.path, 1000)?;
        // An index takes no row longer than a third of a page.
        if path.len() > 2000 {
            return Err(Problem::invalid("anchors.path", "must be at most 2,000 bytes"));
        }
        Ok(Self {
            repo: line("anchors.repo", self.repo)?,
            path,
            symbol: line("anchors.symbol", self.symbol)?,
            fingerprint: line("anchors.fingerprint", self.fingerprint)?,
            state: self.state,
        })
    }
}

/// All the code that one memory may speak of.
pub fn anchors(sent: impl ExactSizeIterator<Item = Anchor>) -> Result<Vec<Anchor>, Problem> {
    if sent.len() > 32 {
        return Err(Problem::invalid("anchors", "must be at most 32"));
    }
    sent.map(Anchor::checked).collect()
}

words!(
    /// Whether the code under a memory is still what it was.
    AnchorState, "anchors.state" {
        Fresh = "fresh",
        Suspect = "suspect",
        Stale = "stale",
        /// No snapshot of the code has this place yet.
        Unresolved = "unresolved",
    }
);

#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    pub id: MemoryId,
    pub version: i32,
    pub operation: Operation,
    pub store_id: StoreId,
    pub path: MemoryPath,
    pub title: String,
    pub content: String,
    pub kind: Kind,
    pub tags: Vec<String>,
    pub project: Option<String>,
    pub anchors: Vec<Anchor>,
    pub source: Option<Source>,
    pub confidence: f32,
    pub state: State,
    pub visibility: Visibility,
    /// Whose a private memory is.
    pub owner: Option<PersonId>,
    pub subject: Option<String>,
    pub valid_from: OffsetDateTime,
    pub stale_after: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    pub supersedes: Option<MemoryId>,
    pub superseded_by: Option<MemoryId>,
    pub verified_at: Option<OffsetDateTime>,
    pub verified_by: Option<Actor>,
    pub reason: Option<String>,
    pub content_sha256: [u8; 32],
    pub created_at: OffsetDateTime,
    pub created_by: Actor,
    pub updated_at: OffsetDateTime,
    pub updated_by: Actor,
    pub session_id: Option<SessionId>,
    /// What this very version was written in; where the memory came from stays in `session_id`.
    pub run_id: Option<RunId>,
    /// The entry of the trail that stands for this version, and what it says of the text.
    pub audit_id: AuditId,
    pub digest: [u8; 32],
    /// What the text costs a reader; unknown of texts from before it was counted.
    pub tokens: Option<u32>,
    /// When somebody last said that it does not hold, and how.
    pub reported: Option<(OffsetDateTime, Report)>,
    /// Of the current version: what is said of the code it hangs on, and what it contradicts.
    pub code: Vec<Standing>,
    pub contested: Vec<Contested>,
}

impl Memory {
    /// Its anchors as the code is now, on the main branches: where each has gone, how it stands, and where it was.
    pub fn anchors_now(&self) -> impl Iterator<Item = (Anchor, Option<&Standing>)> {
        self.anchors.iter().zip(1..).map(|(anchor, position)| {
            let standing = self.code.iter().find(|at| at.main && at.position == position);
            let mut anchor = anchor.clone();
            if let Some(at) = standing {
                anchor.state = at.verdict.freshness().map_or(AnchorState::Unresolved, AnchorState::from);
                anchor.repo = anchor.repo.or_else(|| Some(at.repo.clone()));
                if !at.verdict.is_missing() && (at.path != anchor.path || at.verdict != Fate::Unchanged) {
                    anchor.path.clone_from(&at.path);
                    anchor.symbol = anchor.symbol.and(at.symbol.clone());
                }
            }
            (anchor, standing)
        })
    }
}

impl From<Freshness> for AnchorState {
    fn from(state: Freshness) -> Self {
        match state {
            Freshness::Fresh => Self::Fresh,
            Freshness::Suspect => Self::Suspect,
            Freshness::Stale => Self::Stale,
        }
    }
}

impl Memory {
    /// Nobody has said of it, as it is now, that it is true.
    pub fn unverify(&mut self) {
        (self.verified_at, self.verified_by) = (None, None);
    }

    /// Whether it says the same as another.
    pub fn says(&self, other: &Self) -> bool {
        self.content == other.content && self.title == other.title && self.kind == other.kind
    }

    /// Emptied: a text may be empty, but no title is.
    pub fn is_redacted(&self) -> bool {
        self.content.is_empty() && self.title.is_empty()
    }
}

words!(
    /// What somebody who was told a memory said against it.
    Report, "verdict" {
        Wrong = "wrong",
        Stale = "stale",
    }
);

/// Something that has been checked but is not yet remembered.
#[derive(Clone, Debug)]
pub struct NewMemory {
    /// Where it shall lie; the default store, if nothing is said.
    pub store: Option<StoreId>,
    pub path: Option<MemoryPath>,
    pub title: Option<String>,
    pub content: Content,
    pub kind: Kind,
    pub tags: Vec<String>,
    pub project: Option<Project>,
    pub anchors: Vec<Anchor>,
    /// Nothing was said of anchors: those that the text names may be added.
    pub find_anchors: bool,
    pub source: Option<Source>,
    pub confidence: Option<f32>,
    pub subject: Option<String>,
    pub visibility: Visibility,
    pub valid_from: Option<OffsetDateTime>,
    pub stale_after: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    pub supersedes: Option<MemoryId>,
    pub session_id: Option<SessionId>,
    /// If it contradicts a decision: let it wait for review instead of refusing it.
    pub propose_on_conflict: bool,
    /// It waits for review, and why.
    pub proposed: Option<super::proposals::Proposed>,
}

impl NewMemory {
    /// A text of a kind, and nothing said beyond that.
    pub fn of(content: Content, kind: Kind) -> Self {
        Self {
            store: None,
            path: None,
            title: None,
            content,
            kind,
            tags: Vec::new(),
            project: None,
            anchors: Vec::new(),
            find_anchors: true,
            source: None,
            confidence: None,
            subject: None,
            visibility: Visibility::Workspace,
            valid_from: None,
            stale_after: None,
            expires_at: None,
            supersedes: None,
            session_id: None,
            propose_on_conflict: false,
            proposed: None,
        }
    }
}

/// The fields of a memory that someone wants to change; what is absent stays.
#[derive(Clone, Debug, Default)]
pub struct Revision {
    pub path: Option<MemoryPath>,
    pub title: Option<String>,
    pub content: Option<Content>,
    pub kind: Option<Kind>,
    pub tags: Option<Vec<String>>,
    pub project: Option<Option<Project>>,
    pub anchors: Option<Vec<Anchor>>,
    pub source: Option<Option<Source>>,
    pub confidence: Option<f32>,
    pub subject: Option<Option<String>>,
    pub visibility: Option<Visibility>,
    pub valid_from: Option<OffsetDateTime>,
    pub stale_after: Option<Option<OffsetDateTime>>,
    pub expires_at: Option<Option<OffsetDateTime>>,
    pub reason: Option<String>,
}

impl Revision {
    /// What a decision is must not change; where it lies and how it is tagged may.
    pub fn touches_what_is_decided(&self, memory: &Memory) -> bool {
        self.content.as_ref().is_some_and(|content| content.as_str() != memory.content)
            || self.title.as_ref().is_some_and(|title| *title != memory.title)
            || self.kind.is_some_and(|kind| kind != memory.kind)
    }

    /// Other words, another title or another kind were verified by nobody yet; and what was overdue was the old text.
    pub fn apply_to(self, memory: &mut Memory) {
        fn set<T>(field: &mut T, sent: Option<T>) {
            if let Some(sent) = sent {
                *field = sent;
            }
        }
        if self.touches_what_is_decided(memory) {
            let rewritten = self.content.as_ref().is_some_and(|content| content.as_str() != memory.content);
            let overdue = memory.stale_after.is_some_and(|at| at <= clock::now());
            if overdue && (rewritten || memory.verified_at >= memory.stale_after) {
                memory.stale_after = None;
            }
            memory.unverify();
        }
        set(&mut memory.path, self.path);
        set(&mut memory.title, self.title);
        set(&mut memory.content, self.content.map(Content::into_string));
        set(&mut memory.kind, self.kind);
        set(&mut memory.tags, self.tags);
        set(&mut memory.project, self.project.map(|project| project.map(Project::into_string)));
        set(&mut memory.anchors, self.anchors);
        set(&mut memory.source, self.source);
        set(&mut memory.confidence, self.confidence);
        set(&mut memory.subject, self.subject);
        set(&mut memory.visibility, self.visibility);
        set(&mut memory.valid_from, self.valid_from);
        set(&mut memory.stale_after, self.stale_after);
        set(&mut memory.expires_at, self.expires_at);
        memory.reason = self.reason;
    }
}

/// Tags as they are kept: trimmed, each once, in order.
pub fn tags(sent: Vec<String>) -> Result<Vec<String>, Problem> {
    if sent.len() > 64 {
        return Err(Problem::invalid("tags", "must be at most 64"));
    }
    let mut tags = sent.iter().map(|tag| text::line("tags", tag, 100)).collect::<Result<Vec<_>, _>>()?;
    tags.sort_unstable();
    tags.dedup();
    Ok(tags)
}

pub fn confidence(sent: f32) -> Result<f32, Problem> {
    // Adding zero makes -0 plain: Postgres keeps no sign on it, and the digest must be of what is kept.
    if (0.0..=1.0).contains(&sent) { Ok(sent + 0.0) } else { Err(Problem::invalid("confidence", "must be between 0 and 1")) }
}

words!(
    /// What of that which needs review comes first.
    ReviewOrder, "order" {
        /// What was told most often while it was in doubt.
        Told = "told",
        /// What was told most often at all.
        Use = "use",
        /// What nobody has changed or verified for the longest time.
        Age = "age",
    }
);

/// Which memories a list shows.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub kind: Option<Kind>,
    pub tag: Option<String>,
    pub project: Option<String>,
    pub state: Option<State>,
    pub freshness: Option<crate::engines::freshness::Freshness>,
    pub path_prefix: Option<String>,
    pub store: Option<super::StoreId>,
    pub author: Option<uuid::Uuid>,
    pub session_id: Option<SessionId>,
    pub anchor_path: Option<String>,
    pub updated_after: Option<OffsetDateTime>,
    pub q: Option<String>,
    /// As they were then; all the rest is judged as of then.
    pub as_of: Option<OffsetDateTime>,
}
