//! Writing something down, and asking that it be erased.

use super::{Hints, Kit, Said};
use crate::{
    acts::{self, memories::Remembered},
    mcp::{
        asker::Asker,
        bodies::{ClashBody, line},
        texts,
    },
    model::{
        Anchor, DeletionId, Kind, MemoryId, NewMemory, Power, Project, SessionId, Source, State,
        deletion::{DeletionState, Selectors},
        memory::{self, AnchorState, SourceType},
        text::{self, Content, MemoryPath},
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use utoipa::ToSchema;

pub fn kits() -> Vec<Kit> {
    vec![
        Kit::new::<RememberArguments, RememberAnswer>("remember", "Remember", Power::Writing, Hints::AddsOnce, REMEMBER),
        Kit::new::<ForgetArguments, ForgetAnswer>("forget", "Ask for deletion", Power::Writing, Hints::Destroys, FORGET),
    ]
}

const REMEMBER: &str = "Write down one thing that the next run, or a colleague, should know: a decision and its reason, how this \
codebase does something, how to build or test it, what cost you time to find out, what a person wants. One thing a call, in full \
sentences that stand alone; not what the code says by itself, not progress (use checkpoint), no secrets. What comes back: the id, \
or the memory that says the same already, and what it may contradict. A decision that contradicts an active one is refused with both ways out: name it in \
`supersedes`, or send `on_conflict` `propose` so that a person decides.";

const FORGET: &str = "Ask that memories be erased for good, because they should never have been kept: personal data, a secret, \
something untrue that does harm. Nothing is erased by this call: a person other than whoever made you has to agree. For what is \
merely outdated use report_stale, or remember the new state with `supersedes`. What comes back: the id of the request.";

/// Something to remember.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberArguments {
    /// The text, at most 100 KiB: what holds, why, and since when or where.
    content: String,
    /// `decision` why we do it so, `pattern` how this codebase does it, `procedure` how work is done, `discovery` what was found
    /// out, `preference` what a person wants, `episode` what happened, `fact` anything else; `fact` unless said.
    kind: Option<Kind>,
    /// What it is about, in a line; without one, the first line of the text.
    title: Option<String>,
    /// Words to find it by.
    tags: Option<Vec<String>>,
    /// The project it belongs to; without one, the whole workspace.
    project: Option<String>,
    /// The code it speaks of, so that it is marked when that changes.
    anchors: Option<Vec<AnchorArguments>>,
    /// Where it shall lie, such as `/decisions/use-rs256.md`; best left out.
    path: Option<String>,
    /// Where you learned it: a file, an address, a commit.
    source: Option<SourceArguments>,
    /// How sure you are, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: Option<f32>,
    /// The memory whose place it takes.
    supersedes: Option<MemoryId>,
    /// What shall become of a decision that contradicts an active one: `propose` lets a person decide.
    on_conflict: Option<OnConflict>,
    /// The session you are in, if you know its id.
    session_id: Option<SessionId>,
}

/// A place in code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AnchorArguments {
    /// The repository.
    repo: Option<String>,
    /// The file, from the repository's root.
    path: String,
    /// The function, class or other symbol in it.
    symbol: Option<String>,
}

/// Where something was learned.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SourceArguments {
    /// What sort of source.
    #[serde(rename = "type")]
    kind: SourceType,
    /// Where it is.
    #[serde(rename = "ref")]
    reference: Option<String>,
}

/// What shall become of a contradiction.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// It waits for review.
    Propose,
}

impl RememberArguments {
    fn parse(self) -> Result<NewMemory, Problem> {
        let find_anchors = self.anchors.is_none();
        let anchors = self.anchors.unwrap_or_default();
        if anchors.len() > 32 {
            return Err(Problem::invalid("anchors", "must be at most 32"));
        }
        let source = |sent: SourceArguments| {
            let reference = sent.reference.as_deref().map(|at| text::prose("source.ref", at, 2000)).transpose()?;
            Ok::<_, Problem>(Source { kind: sent.kind, reference, excerpt: None })
        };
        Ok(NewMemory {
            path: self.path.as_deref().map(MemoryPath::parse).transpose()?,
            title: self.title.as_deref().map(|title| text::line("title", title, 300)).transpose()?,
            tags: memory::tags(self.tags.unwrap_or_default())?,
            project: self.project.as_deref().map(Project::parse).transpose()?,
            find_anchors,
            anchors: anchors.into_iter().map(AnchorArguments::parse).collect::<Result<_, _>>()?,
            source: self.source.map(source).transpose()?,
            confidence: self.confidence.map(memory::confidence).transpose()?,
            supersedes: self.supersedes,
            session_id: self.session_id,
            propose_on_conflict: self.on_conflict.is_some(),
            ..NewMemory::of(Content::parse(self.content)?, self.kind.unwrap_or(Kind::Fact))
        })
    }
}

impl AnchorArguments {
    fn parse(self) -> Result<Anchor, Problem> {
        let line = |field, sent: Option<String>| sent.as_deref().map(|sent| text::line(field, sent, 1000)).transpose();
        let path = text::line("anchors.path", &self.path, 1000)?;
        // An index takes no row longer than a third of a page.
        if path.len() > 2000 {
            return Err(Problem::invalid("anchors.path", "must be at most 2,000 bytes"));
        }
        let (repo, symbol) = (line("anchors.repo", self.repo)?, line("anchors.symbol", self.symbol)?);
        Ok(Anchor { repo, path, symbol, fingerprint: None, state: AnchorState::Unresolved })
    }
}

/// What became of it.
#[derive(Serialize, ToSchema)]
pub struct RememberAnswer {
    /// The memory.
    memory_id: MemoryId,
    /// Its version.
    version: i32,
    /// `active`: known from now on. `proposed`: it waits for a person.
    state: State,
    /// Where it lies.
    path: String,
    /// Whether it is new; if not, the same was known already.
    created: bool,
    /// What it may contradict.
    conflicts: Vec<ClashBody>,
}

pub async fn remember(asker: &Asker, sent: RememberArguments) -> Result<Said, Problem> {
    let remembered = acts::memories::remember(&asker.app, &asker.writing()?, sent.parse()?).await?;
    let created = matches!(remembered, Remembered::New(..));
    let (memory, noticed) = remembered.into_parts();
    let answer = RememberAnswer {
        memory_id: memory.id,
        version: memory.version,
        state: memory.state,
        path: line(memory.path.as_str()),
        created,
        conflicts: noticed.iter().map(|one| ClashBody::new(memory.id, one)).collect(),
    };
    let said = match (answer.created, answer.state) {
        (false, _) => "Known already, to the letter:",
        (true, State::Proposed) => "Waits for a person's review, and is not recalled until then:",
        (true, _) => "Remembered:",
    };
    let conflicts = texts::clashes(&answer.conflicts);
    let text = format!("{said} {} (id {}, version {}).{conflicts}", answer.path, answer.memory_id, answer.version);
    Said::new(&answer, text)
}

/// What to erase, and why.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetArguments {
    /// The memories to erase with all their versions, 1 to 100.
    #[schema(min_items = 1, max_items = 100)]
    memory_ids: BTreeSet<MemoryId>,
    /// Why; it is shown to the person who decides.
    reason: String,
}

/// The request.
#[derive(Serialize, ToSchema)]
pub struct ForgetAnswer {
    /// Its id.
    deletion_request_id: DeletionId,
    /// Where it stands.
    state: DeletionState,
    /// What it names.
    memory_ids: Vec<MemoryId>,
}

pub async fn forget(asker: &Asker, sent: ForgetArguments) -> Result<Said, Problem> {
    if sent.memory_ids.is_empty() || sent.memory_ids.len() > 100 {
        return Err(Problem::invalid("memory_ids", "must be 1 to 100"));
    }
    let reason = text::prose("reason", sent.reason.trim(), 2000)?;
    if reason.is_empty() {
        return Err(Problem::invalid("reason", "must not be empty"));
    }
    let these = Selectors { memory_ids: sent.memory_ids.into_iter().collect(), ..Selectors::default() };
    let request = acts::deletion::ask(&asker.app, &asker.writing()?, these, reason).await?;
    let answer = ForgetAnswer { deletion_request_id: request.id, state: request.state, memory_ids: request.asked.memory_ids };
    let text = format!(
        "Asked for as {}. Nothing is erased yet: a person has to agree, on the dashboard under Deletion. Until then the memories stay.",
        answer.deletion_request_id
    );
    Said::new(&answer, text)
}
