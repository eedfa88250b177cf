//! Memories on the wire, and how what was sent becomes a noun.

use super::super::sent::{Sent, sent};
use crate::{
    acts::{self, conflicts::Noticed},
    engines::freshness::{self, Freshness, Judgement},
    model::{
        Actor, ConflictId, Kind, Memory, MemoryId, NewMemory, Project, Revision, RunId, SessionId, State, Visibility,
        actor::ActorKind,
        clock::{self, kept},
        code::{Fate, Standing},
        memory::{self, Anchor, AnchorState, Operation, Source, SourceType},
        text::{self, Content, MemoryPath},
    },
    problem::Problem,
    store::Scope,
};
use serde::{Deserialize, Deserializer, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

/// Who acted.
#[derive(Serialize, ToSchema, Clone)]
pub struct ActorBody {
    /// `person`, `agent`, or `system` for the server itself.
    #[serde(rename = "type")]
    kind: ActorKind,
    /// Their id.
    id: Uuid,
    /// Their name, as it is today.
    #[schema(example = "coding-agent")]
    name: String,
}

impl From<&Actor> for ActorBody {
    fn from(actor: &Actor) -> Self {
        Self { kind: actor.kind, id: actor.id, name: actor.name.clone() }
    }
}

/// Whether a memory still deserves trust.
#[derive(Serialize, ToSchema)]
pub struct FreshnessBody {
    /// `fresh`, `suspect` or `stale`.
    pub state: Freshness,
    /// Why it is not fresh; empty when it is.
    #[schema(example = json!([]))]
    pub reasons: Vec<String>,
}

/// Where a memory was learned.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceBody {
    /// What sort of source.
    #[serde(rename = "type")]
    kind: SourceType,
    /// Where it is: a file, an address, a commit, a message's id.
    #[serde(rename = "ref")]
    #[schema(example = "3f2a1c")]
    reference: Option<String>,
    /// The words it was learned from.
    excerpt: Option<String>,
}

/// A link to code.
#[derive(Serialize, ToSchema)]
pub struct AnchorBody {
    /// The repository.
    #[schema(example = "api-gateway")]
    repo: Option<String>,
    /// The file, from the repository's root.
    #[schema(example = "auth/service.py")]
    path: String,
    /// The function, type or constant in it.
    #[schema(example = "authenticate_user")]
    symbol: Option<String>,
    /// What the code looked like when this was true.
    fingerprint: Option<String>,
    /// Whether it still looks so, on the default branch; `unresolved` until a snapshot of the code has this place.
    state: AnchorState,
    /// What became of it, and where and in which commit, if anything did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "authenticate_user changed its signature in 3f2a1c (auth/service.py)")]
    reason: Option<String>,
    /// Where it was when this was written, if it has moved since.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_from: Option<PlaceBody>,
    /// How it stands on other branches, where it stands differently.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    branches: Vec<OnBranchBody>,
}

/// A place in code.
#[derive(Serialize, ToSchema)]
#[schema(as = AnchorPlace)]
pub struct PlaceBody {
    /// The file.
    #[schema(example = "auth/service.py")]
    path: String,
    /// The symbol in it.
    #[schema(example = "authenticate_user")]
    symbol: Option<String>,
}

/// How an anchor stands on a branch.
#[derive(Serialize, ToSchema)]
#[schema(as = AnchorOnBranch)]
pub struct OnBranchBody {
    /// The branch.
    #[schema(example = "feature/login")]
    branch: String,
    /// Whether the code there is what it was.
    state: AnchorState,
    /// What became of it.
    reason: String,
}

/// A link to code, as sent.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAnchorBody {
    /// The repository.
    #[schema(example = "api-gateway")]
    repo: Option<String>,
    /// The file, from the repository's root.
    #[schema(example = "auth/service.py")]
    path: String,
    /// The function, type or constant in it.
    #[schema(example = "authenticate_user")]
    symbol: Option<String>,
    /// What the code looks like, if the caller knows.
    fingerprint: Option<String>,
}

/// One thing worth knowing.
#[derive(Serialize, ToSchema)]
#[schema(as = Memory)]
pub struct MemoryBody {
    /// The memory's id, the same for all its versions.
    id: MemoryId,
    /// The store it lies in; the default one is `main`.
    store_id: Uuid,
    /// Where it lies in its store.
    #[schema(example = "/decisions/use-rs256.md")]
    path: String,
    /// What it is about, in a line.
    #[schema(example = "Use RS256 for service tokens")]
    title: String,
    /// The text.
    #[schema(example = "Service tokens are signed with RS256; the gateway cannot verify EdDSA.")]
    content: String,
    /// What sort of knowledge it is.
    kind: Kind,
    /// Words to find it by.
    #[schema(example = json!(["auth"]))]
    tags: Vec<String>,
    /// The project it belongs to; null: the whole workspace.
    #[schema(example = "api-gateway")]
    project: Option<String>,
    /// The code it speaks of.
    anchors: Vec<AnchorBody>,
    /// Where it was learned.
    source: Option<SourceBody>,
    /// How sure its writer was, 0 to 1.
    #[schema(example = 0.9)]
    confidence: f32,
    /// Where it stands.
    state: State,
    /// Whether it still deserves trust, and why not.
    freshness: FreshnessBody,
    /// When it should be looked at again; past it, it is `suspect`.
    #[serde(with = "time::serde::rfc3339::option")]
    stale_after: Option<OffsetDateTime>,
    /// When it stops being true; past it, it is `stale`.
    #[serde(with = "time::serde::rfc3339::option")]
    expires_at: Option<OffsetDateTime>,
    /// Since when it is true.
    #[serde(with = "time::serde::rfc3339")]
    valid_from: OffsetDateTime,
    /// Whom it is about: a person's or an outside id, for deletion.
    subject: Option<String>,
    /// Who may see it.
    visibility: Visibility,
    /// The memory that took its place.
    superseded_by: Option<MemoryId>,
    /// The memory whose place it took.
    supersedes: Option<MemoryId>,
    /// When somebody last said that it is still true.
    #[serde(with = "time::serde::rfc3339::option")]
    verified_at: Option<OffsetDateTime>,
    /// Who said so.
    verified_by: Option<ActorBody>,
    /// Its version, from 1; also the `ETag`.
    #[schema(example = 3)]
    version: i32,
    /// SHA-256 of the text, in hexadecimal.
    content_sha256: String,
    /// When it was first remembered.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// By whom.
    created_by: ActorBody,
    /// When this version was written.
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    /// By whom.
    updated_by: ActorBody,
    /// The run it was written in.
    session_id: Option<Uuid>,
    /// Set when the text speaks to the model instead of stating something: what it does, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "asks to ignore earlier instructions")]
    flagged: Option<&'static str>,
    /// Memories that may contradict this one, for somebody to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflicts: Option<Vec<ClashBody>>,
}

/// A memory that may contradict another.
#[derive(Serialize, ToSchema)]
#[schema(as = Clash)]
pub struct ClashBody {
    /// The conflict, to be resolved.
    id: ConflictId,
    /// The other memory.
    memory_id: MemoryId,
    /// What it is about.
    title: String,
    /// How likely the two contradict each other, 0 to 1.
    #[schema(example = 0.8)]
    score: f32,
    /// Whether that is clear.
    certain: bool,
    /// Why, in a sentence.
    reason: String,
}

impl From<Noticed> for ClashBody {
    fn from(one: Noticed) -> Self {
        Self { id: one.id, memory_id: one.memory_id, title: one.title, score: one.score, certain: one.certain, reason: one.reason }
    }
}

impl MemoryBody {
    /// With what it may contradict, if anything.
    #[must_use]
    pub fn beside(mut self, conflicts: Vec<Noticed>) -> Self {
        self.conflicts = (!conflicts.is_empty()).then(|| conflicts.into_iter().map(ClashBody::from).collect());
        self
    }

    pub fn new<P>(scope: &Scope<P>, memory: Memory) -> Self {
        Self::as_of(scope, memory, None)
    }

    /// Judged as of a moment, or now.
    pub fn as_of<P>(scope: &Scope<P>, memory: Memory, moment: Option<OffsetDateTime>) -> Self {
        let freshness = acts::memories::judge_as_of(scope, &memory, moment.unwrap_or_else(clock::now));
        Self::judged(memory, freshness)
    }

    /// Judged by the code as it is on a branch.
    pub fn on<P>(scope: &Scope<P>, memory: Memory, branch: Option<&str>) -> Self {
        let freshness = acts::memories::judge_on(scope, &memory, branch);
        Self::judged(memory, freshness)
    }

    fn judged(memory: Memory, freshness: Judgement) -> Self {
        let anchors = memory.anchors_now().map(|(anchor, at)| AnchorBody::new(&memory, anchor, at)).collect();
        Self {
            id: memory.id,
            store_id: memory.store_id.0,
            path: memory.path.as_str().to_owned(),
            title: memory.title,
            flagged: cairn_secrets::speaks_to_the_model(&memory.content),
            content: memory.content,
            kind: memory.kind,
            tags: memory.tags,
            project: memory.project,
            anchors,
            source: memory.source.map(SourceBody::from),
            confidence: memory.confidence,
            state: memory.state,
            freshness: FreshnessBody { state: freshness.state, reasons: freshness.reasons },
            stale_after: memory.stale_after,
            expires_at: memory.expires_at,
            valid_from: memory.valid_from,
            subject: memory.subject,
            visibility: memory.visibility,
            superseded_by: memory.superseded_by,
            supersedes: memory.supersedes,
            verified_at: memory.verified_at,
            verified_by: memory.verified_by.as_ref().map(ActorBody::from),
            version: memory.version,
            content_sha256: text::hex(&memory.content_sha256),
            created_at: memory.created_at,
            created_by: (&memory.created_by).into(),
            updated_at: memory.updated_at,
            updated_by: (&memory.updated_by).into(),
            session_id: memory.session_id.map(|session| session.0),
            conflicts: None,
        }
    }
}

impl From<Source> for SourceBody {
    fn from(source: Source) -> Self {
        Self { kind: source.kind, reference: source.reference, excerpt: source.excerpt }
    }
}

impl AnchorBody {
    fn new(memory: &Memory, anchor: Anchor, at: Option<&Standing>) -> Self {
        let position = at.map(|at| at.position).or_else(|| {
            let own = |one: &Anchor| (&one.path, &one.symbol, &one.repo) == (&anchor.path, &anchor.symbol, &anchor.repo);
            memory.anchors.iter().position(own).and_then(|place| i32::try_from(place + 1).ok())
        });
        let state = |at: &Standing| at.verdict.freshness().map_or(AnchorState::Unresolved, AnchorState::from);
        let elsewhere = memory.code.iter().filter(|other| !other.main && Some(other.position) == position && state(other) != anchor.state);
        let told = at.filter(|at| at.verdict != Fate::Unchanged);
        Self {
            reason: told.map(freshness::reason),
            moved_from: told
                .filter(|at| (&at.was_path, &at.was_symbol) != (&anchor.path, &anchor.symbol))
                .map(|at| PlaceBody { path: at.was_path.clone(), symbol: at.was_symbol.clone() }),
            branches: elsewhere
                .map(|other| OnBranchBody { branch: other.branch.clone(), state: state(other), reason: freshness::reason(other) })
                .collect(),
            repo: anchor.repo,
            path: anchor.path,
            symbol: anchor.symbol,
            fingerprint: anchor.fingerprint,
            state: anchor.state,
        }
    }
}

/// A version of a memory: what it said, who made it and how.
#[derive(Serialize, ToSchema)]
pub struct VersionBody {
    /// What made this version.
    operation: Operation,
    /// Why, if the writer said.
    reason: Option<String>,
    /// The session, dream or rollback that wrote this version; `session_id` is where the memory came from.
    run_id: Option<RunId>,
    /// The memory as it was.
    #[serde(flatten)]
    memory: MemoryBody,
}

impl VersionBody {
    pub fn new<P>(scope: &Scope<P>, memory: Memory) -> Self {
        Self { operation: memory.operation, reason: memory.reason.clone(), run_id: memory.run_id, memory: MemoryBody::new(scope, memory) }
    }
}

/// Something to remember.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMemoryBody {
    /// The text, at most 100 KiB.
    #[schema(example = "Service tokens are signed with RS256; the gateway cannot verify EdDSA.")]
    content: String,
    /// What sort of knowledge it is; `fact` unless said.
    kind: Option<Kind>,
    /// Where it shall lie; without one, a path is made from kind and title.
    #[schema(example = "/decisions/use-rs256.md")]
    path: Option<String>,
    /// What it is about, in a line; without one, the first line of the text.
    #[schema(example = "Use RS256 for service tokens")]
    title: Option<String>,
    /// Words to find it by, at most 64.
    #[schema(example = json!(["auth"]))]
    tags: Option<Vec<String>>,
    /// The project it belongs to; without one, the whole workspace (or the project that the key is limited to).
    #[schema(example = "api-gateway")]
    project: Option<String>,
    /// The code it speaks of, at most 32 places.
    anchors: Option<Vec<NewAnchorBody>>,
    /// Where it was learned.
    source: Option<SourceBody>,
    /// How sure the writer is, 0 to 1.
    #[schema(example = 0.9)]
    confidence: Option<f32>,
    /// Whom it is about: a person's or an outside id, for deletion.
    subject: Option<String>,
    /// Who may see it; `workspace` unless said.
    visibility: Option<Visibility>,
    /// Since when it is true; now unless said.
    #[serde(default, with = "time::serde::rfc3339::option")]
    valid_from: Option<OffsetDateTime>,
    /// When it should be looked at again.
    #[serde(default, with = "time::serde::rfc3339::option")]
    stale_after: Option<OffsetDateTime>,
    /// When it stops being true.
    #[serde(default, with = "time::serde::rfc3339::option")]
    expires_at: Option<OffsetDateTime>,
    /// The memory whose place it takes.
    supersedes: Option<MemoryId>,
    /// The run it is written in.
    session_id: Option<Uuid>,
    /// What shall become of a decision that contradicts an active one: `propose` lets it wait for review. Unless said, it
    /// is refused with 409 `decision_conflict`.
    on_conflict: Option<OnConflict>,
}

/// What shall become of a contradiction.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// It waits for review.
    Propose,
}

impl NewMemoryBody {
    pub fn parse(self) -> Result<NewMemory, Problem> {
        Ok(NewMemory {
            store: None,
            path: self.path.as_deref().map(MemoryPath::parse).transpose()?,
            title: self.title.as_deref().map(|title| text::line("title", title, 300)).transpose()?,
            content: Content::parse(self.content)?,
            kind: self.kind.unwrap_or(Kind::Fact),
            tags: memory::tags(self.tags.unwrap_or_default())?,
            project: self.project.as_deref().map(Project::parse).transpose()?,
            find_anchors: self.anchors.is_none(),
            anchors: anchors(self.anchors.unwrap_or_default())?,
            source: self.source.map(source).transpose()?,
            confidence: self.confidence.map(memory::confidence).transpose()?,
            subject: self.subject.as_deref().map(|subject| text::line("subject", subject, 300)).transpose()?,
            visibility: self.visibility.unwrap_or(Visibility::Workspace),
            valid_from: kept("valid_from", self.valid_from)?,
            stale_after: kept("stale_after", self.stale_after)?,
            expires_at: kept("expires_at", self.expires_at)?,
            supersedes: self.supersedes,
            session_id: self.session_id.map(SessionId),
            propose_on_conflict: self.on_conflict.is_some(),
            proposed: None,
        })
    }

    /// What is not said, the memory that is being superseded says.
    pub fn parse_after(mut self, old: &Memory) -> Result<NewMemory, Problem> {
        if self.supersedes.is_some_and(|named| named != old.id) {
            return Err(Problem::invalid("supersedes", "is another memory than the one addressed"));
        }
        self.kind.get_or_insert(old.kind);
        self.tags.get_or_insert_with(|| old.tags.clone());
        self.project = self.project.or_else(|| old.project.clone());
        self.subject = self.subject.or_else(|| old.subject.clone());
        self.visibility.get_or_insert(old.visibility);
        self.supersedes = Some(old.id);
        Ok(NewMemory { store: Some(old.store_id), ..self.parse()? })
    }
}

/// Changes to a memory; what is left out stays, and null clears.
#[derive(Serialize, Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields, default)]
pub struct RevisionBody {
    /// A new text. Decisions refuse it.
    content: Option<String>,
    /// Another kind. Decisions refuse it.
    kind: Option<Kind>,
    /// Another place.
    path: Option<String>,
    /// Another title. Decisions refuse it.
    title: Option<String>,
    /// Other tags, all of them.
    tags: Option<Vec<String>>,
    /// Another project; null: the whole workspace.
    #[serde(deserialize_with = "sent")]
    #[schema(value_type = Option<String>)]
    project: Sent<String>,
    /// Other anchors, all of them.
    anchors: Option<Vec<NewAnchorBody>>,
    /// Another source.
    #[serde(deserialize_with = "sent")]
    #[schema(value_type = Option<SourceBody>)]
    source: Sent<SourceBody>,
    /// Another confidence, 0 to 1.
    confidence: Option<f32>,
    /// Another subject.
    #[serde(deserialize_with = "sent")]
    #[schema(value_type = Option<String>)]
    subject: Sent<String>,
    /// Who may see it.
    visibility: Option<Visibility>,
    /// Since when it is true.
    #[serde(with = "time::serde::rfc3339::option")]
    valid_from: Option<OffsetDateTime>,
    /// When it should be looked at again.
    #[serde(deserialize_with = "moment")]
    #[schema(value_type = Option<String>, format = DateTime)]
    stale_after: Sent<OffsetDateTime>,
    /// When it stops being true.
    #[serde(deserialize_with = "moment")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Sent<OffsetDateTime>,
    /// Why it is changed; kept with the version.
    reason: Option<String>,
}

impl RevisionBody {
    pub fn parse(self) -> Result<Revision, Problem> {
        let maybe_line = |field: &'static str, sent: Sent<String>, longest: usize| {
            sent.map(|value| value.as_deref().map(|value| text::line(field, value, longest)).transpose()).transpose()
        };
        Ok(Revision {
            path: self.path.as_deref().map(MemoryPath::parse).transpose()?,
            title: self.title.as_deref().map(|title| text::line("title", title, 300)).transpose()?,
            content: self.content.map(Content::parse).transpose()?,
            kind: self.kind,
            tags: self.tags.map(memory::tags).transpose()?,
            project: self.project.map(|project| project.as_deref().map(Project::parse).transpose()).transpose()?,
            anchors: self.anchors.map(anchors).transpose()?,
            source: self.source.map(|sent| sent.map(source).transpose()).transpose()?,
            confidence: self.confidence.map(memory::confidence).transpose()?,
            subject: maybe_line("subject", self.subject, 300)?,
            visibility: self.visibility,
            valid_from: kept("valid_from", self.valid_from)?,
            stale_after: self.stale_after.map(|at| kept("stale_after", at)).transpose()?,
            expires_at: self.expires_at.map(|at| kept("expires_at", at)).transpose()?,
            reason: self.reason.as_deref().map(|reason| text::prose("reason", reason, 2000)).transpose()?,
        })
    }
}

fn moment<'de, D: Deserializer<'de>>(from: D) -> Result<Sent<OffsetDateTime>, D::Error> {
    time::serde::rfc3339::option::deserialize(from).map(Some)
}

fn source(sent: SourceBody) -> Result<Source, Problem> {
    Source { kind: sent.kind, reference: sent.reference, excerpt: sent.excerpt }.checked()
}

fn anchors(sent: Vec<NewAnchorBody>) -> Result<Vec<Anchor>, Problem> {
    memory::anchors(sent.into_iter().map(|anchor| Anchor {
        repo: anchor.repo,
        path: anchor.path,
        symbol: anchor.symbol,
        fingerprint: anchor.fingerprint,
        state: AnchorState::Unresolved,
    }))
}
