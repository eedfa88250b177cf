//! What is to become of each memory in a file: new, more of what came before, another text for what is here, or nothing.

use super::Took;
use crate::{
    App,
    acts::{
        conflicts::{self, Since},
        memories::{Arrival, Asked, waiting},
        safety::{self, Found},
    },
    model::{
        Kind, Memory, MemoryId, NewMemory, Source, State, Visibility, clock,
        exchange::{Format, Item, Origin, Passed, Skipped, Told},
        memory::SourceType,
        proposals::{self, Proposed},
        text::{MemoryPath, sha256},
    },
    problem::Problem,
    store::{self, CanWrite, Scope, exchange::Last},
};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

pub enum Plan {
    New(Box<Fresh>),
    /// Versions that came since.
    More {
        memory: Memory,
        rest: Vec<Step>,
        mark: Mark,
    },
    /// Another text for what is here.
    Revise {
        memory: Memory,
        step: Box<Step>,
        mark: Mark,
    },
    Skip(Took),
}

/// By what an import is known again.
#[derive(Clone, Copy)]
pub struct Mark {
    pub format: Format,
    pub key: [u8; 32],
}

/// A memory that is not here yet.
pub struct Fresh {
    pub first: Asked,
    pub new: NewMemory,
    pub origin: Origin,
    pub rest: Vec<Step>,
    pub mark: Mark,
}

/// A state that follows another.
#[derive(Clone)]
pub struct Step {
    pub new: NewMemory,
    pub state: State,
    pub supersedes: Option<MemoryId>,
    pub superseded_by: Option<MemoryId>,
    pub reason: Option<String>,
    pub origin: Origin,
    pub found: Vec<Found>,
}

pub async fn plan<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    since: &Since,
    items: Vec<Result<Item, Skipped>>,
) -> Result<Vec<Plan>, Problem> {
    let here = Here::look(app, scope, &items).await?;
    let (mut plans, mut seen) = (Vec::with_capacity(items.len()), HashSet::new());
    for item in items {
        plans.push(match item {
            Ok(item) if !seen.insert(mark_of(&item).key) => {
                Plan::Skip(Skipped::new(Passed::Known, "It stands in the file twice; the first was taken.").into())
            }
            Ok(item) => one(app, scope, since, &here, item).await?,
            Err(skipped) => Plan::Skip(skipped.into()),
        });
    }
    Ok(plans)
}

/// What a batch finds here already.
struct Here {
    memories: HashMap<MemoryId, Memory>,
    imported: HashMap<[u8; 32], (MemoryId, Last)>,
    erased: HashMap<MemoryId, crate::model::DeletionId>,
}

impl Here {
    async fn look<P: CanWrite>(app: &App, scope: &Scope<P>, items: &[Result<Item, Skipped>]) -> Result<Self, Problem> {
        let items: Vec<&Item> = items.iter().flatten().collect();
        let mut tx = app.db().read(scope).await?;
        let keys: Vec<[u8; 32]> = items.iter().map(|item| mark_of(item).key).collect();
        let imported = store::exchange::known(&mut tx, &keys).await?;
        let mut ids: Vec<MemoryId> = imported.values().map(|(memory, _)| *memory).collect();
        for item in items {
            ids.extend(item.id);
            ids.extend(item.id.map(|id| derived(app, scope, id, visibility_of(item))));
            ids.extend(item.states.iter().filter_map(|told| told.new.supersedes));
        }
        ids.sort_unstable();
        ids.dedup();
        let memories = store::memories::find_some(&mut tx, &ids).await?.into_iter().map(|memory| (memory.id, memory)).collect();
        Ok(Self { memories, imported, erased: store::exchange::erased(&mut tx, &ids).await? })
    }
}

fn mark_of(item: &Item) -> Mark {
    // Files and lines of one memory are the same memory.
    let named = item.id.map_or_else(|| format!("{}:{}", item.format.word(), item.key), |id| format!("cairn:{id}"));
    Mark { format: item.format, key: sha256(&named) }
}

fn visibility_of(item: &Item) -> Visibility {
    item.last().map_or(Visibility::Workspace, |told| told.new.visibility)
}

/// The id that a memory from elsewhere has here: always the same, so that what refers to it can be told before it comes; and
/// another than there, so that whether the one there is here too, but hidden, does not show.
fn derived<P>(app: &App, scope: &Scope<P>, id: MemoryId, visibility: Visibility) -> MemoryId {
    let owner = scope.person().filter(|_| visibility == Visibility::Private).map_or(Uuid::nil(), |person| person.0);
    let wall = scope.project().map(crate::model::Project::as_str).unwrap_or_default();
    let workspace = scope.workspace().0;
    let parts = [workspace.as_bytes(), owner.as_bytes(), id.0.as_bytes(), wall.as_bytes()];
    let digest = app.keyring().sign("import", &parts.concat());
    let mut bytes = *id.0.as_bytes();
    bytes[6..].copy_from_slice(&digest[..10]);
    // A version 7 of its time, as every id.
    MemoryId(uuid::Builder::from_bytes(bytes).with_version(uuid::Version::SortRand).with_variant(uuid::Variant::RFC4122).into_uuid())
}

async fn one<P: CanWrite>(app: &App, scope: &Scope<P>, since: &Since, here: &Here, item: Item) -> Result<Plan, Problem> {
    let mark = mark_of(&item);
    let native = item.id.and_then(|id| here.memories.get(&id));
    let came = here.imported.get(&mark.key).and_then(|(id, last)| Some((here.memories.get(id)?, *last)));
    let stays = match (native, came) {
        (Some(memory), _) => native_again(scope, memory, &item),
        (None, Some((memory, last))) => came_again(scope, memory, last, &item),
        (None, None) => None,
    };
    if let Some(skipped) = stays {
        let memory = native.or(came.map(|(memory, _)| memory)).map(|memory| memory.id);
        return Ok(Plan::Skip(Took::Skipped { skipped, memory, request: None }));
    }
    let named = item.id.map(|id| derived(app, scope, id, visibility_of(&item)));
    if let Some(request) = item.id.iter().chain(&named).find_map(|id| here.erased.get(id)) {
        let detail = format!("It was erased here by deletion request {request} and may not come back.");
        let skipped = Skipped::new(Passed::Erased, detail);
        return Ok(Plan::Skip(Took::Skipped { skipped, memory: None, request: Some(request.to_string()) }));
    }
    let after = came.filter(|_| item.format == Format::Ndjson).and_then(|(_, last)| last.there);
    let steps = match steps(app, scope, here, &item, after).await? {
        Ok(steps) => steps,
        Err(took) => return Ok(Plan::Skip(took)),
    };
    let doubt = doubt(&steps);
    match native.or(came.map(|(memory, _)| memory)).cloned() {
        Some(_) if doubt.is_some() => {
            Ok(Plan::Skip(Skipped::new(Passed::Suspicious, "Its new text speaks to the model; change it here if it is meant so.").into()))
        }
        Some(memory) => again(app, scope, memory, steps, mark, item.format).await,
        None => fresh(app, scope, since, named, steps, mark, doubt).await,
    }
}

/// Of a memory that was exported from here: whether the file has nothing to say to it.
fn native_again<P>(scope: &Scope<P>, memory: &Memory, item: &Item) -> Option<Skipped> {
    let told = item.last()?;
    if item.format == Format::Ndjson {
        let newer = told.origin.version.is_some_and(|version| version > memory.version);
        return Some(if newer { changed_here() } else { known() });
    }
    if says_the_same(scope, memory, told) {
        return Some(known());
    }
    // Only who has seen the last version knows what is changed.
    (item.seen != Some(memory.version)).then(changed_here)
}

/// The same of one that came in a file.
fn came_again<P>(scope: &Scope<P>, memory: &Memory, last: Last, item: &Item) -> Option<Skipped> {
    let told = item.last()?;
    let more = match item.format {
        Format::Ndjson => told.origin.version > last.there,
        Format::Markdown => !says_the_same(scope, memory, told),
        _ => told.new.content.as_str() != memory.content && memory.state == State::Active,
    };
    match (more, memory.version == last.version) {
        (false, _) => Some(known()),
        (true, false) => Some(changed_here()),
        (true, true) => None,
    }
}

fn known() -> Skipped {
    Skipped::new(Passed::Known, "It is here already, and the file says nothing new.")
}

fn changed_here() -> Skipped {
    Skipped::new(Passed::ChangedHere, "It was changed here since the file was made. Export it anew, and change that.")
}

/// Whether a file says of a memory what is known; what it does not say is as it is.
fn says_the_same<P>(scope: &Scope<P>, memory: &Memory, told: &Told) -> bool {
    let new = &told.new;
    let title = new.title.clone().unwrap_or_else(|| new.content.title());
    let places = |anchors: &[crate::model::Anchor]| {
        anchors.iter().map(|anchor| (anchor.repo.clone(), anchor.path.clone(), anchor.symbol.clone())).collect::<Vec<_>>()
    };
    new.content.as_str() == memory.content
        && title == memory.title
        && new.kind == memory.kind
        && new.tags == memory.tags
        && new.path.as_ref().is_none_or(|path| *path == memory.path)
        && new.project.as_ref().or(scope.project()).map(crate::model::Project::as_str) == memory.project.as_deref()
        && places(&new.anchors) == places(&memory.anchors)
        && new.confidence.is_none_or(|sure| sure.to_bits() == memory.confidence.to_bits())
        && new.subject == memory.subject
        && new.valid_from.is_none_or(|from| from == memory.valid_from)
        && (new.stale_after, new.expires_at) == (memory.stale_after, memory.expires_at)
        && (told.state != State::Archived || memory.state == State::Archived)
}

/// The states of a memory as they may be kept, or why they may not.
async fn steps<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    here: &Here,
    item: &Item,
    after: Option<i32>,
) -> Result<Result<Vec<Step>, Took>, Problem> {
    let mut steps = Vec::with_capacity(item.states.len());
    for told in item.states.iter().filter(|told| told.origin.version.is_none() || told.origin.version > after) {
        let Told { new, state, superseded_by, reason, mut origin } = told.clone();
        origin.by.iter_mut().for_each(safety::clean_question);
        let (mut new, mut found) = match safety::admit(app, scope, new).await {
            Ok(admitted) => admitted,
            Err(Problem::Invalid(errors)) => {
                let said = errors.first().map_or("", |error| error.message.as_str());
                return Ok(Err(Skipped::new(Passed::Secret, format!("It {said}.")).into()));
            }
            Err(other) => return Err(other),
        };
        let reason = match reason {
            Some(reason) => {
                let (reason, more) = safety::admit_text(app, scope, "reason", reason).await?;
                found.extend(more);
                Some(reason)
            }
            None => None,
        };
        let elsewhere = |id: MemoryId| if here.memories.contains_key(&id) { id } else { derived(app, scope, id, new.visibility) };
        let (mut supersedes, superseded_by) = (new.supersedes.map(elsewhere), superseded_by.map(elsewhere));
        if item.format == Format::Ndjson {
            new.supersedes = None;
        } else {
            // Somebody wrote a file that takes another's place; if that one is not here, nothing is taken.
            new.supersedes = new.supersedes.filter(|id| here.memories.get(id).is_some_and(|old| old.state == State::Active));
            supersedes = new.supersedes;
        }
        if new.source.is_none() {
            new.source = Some(Source { kind: SourceType::Import, reference: item.id.map(|id| format!("cairn:{id}")), excerpt: None });
        }
        steps.push(Step { new, state, supersedes, superseded_by, reason, origin, found });
    }
    Ok(if steps.is_empty() { Err(known().into()) } else { Ok(steps) })
}

/// What speaks to the model waits for review, whoever approved it elsewhere.
fn doubt(steps: &[Step]) -> Option<Proposed> {
    let why = steps.iter().find_map(|step| cairn_secrets::speaks_to_the_model(step.new.content.as_str()))?;
    Some(Proposed::because(proposals::Origin::Suspicious, format!("Its text {why}."), 0.5))
}

async fn again<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    memory: Memory,
    mut steps: Vec<Step>,
    mark: Mark,
    format: Format,
) -> Result<Plan, Problem> {
    if format != Format::Ndjson && matches!(memory.state, State::Archived | State::Superseded) {
        return Ok(Plan::Skip(changed_here().into()));
    }
    if touches_what_is_decided(&memory, &steps) {
        let detail = "A decision is never changed, only superseded: write a new one with `supersedes`.";
        return Ok(Plan::Skip(Skipped::new(Passed::DecisionImmutable, detail).into()));
    }
    if let Some(last) = steps.last().filter(|last| decides(scope, &memory, last, format)) {
        // Whose place it takes was settled when it came; what a later version says of that makes no room.
        let weighed = NewMemory { supersedes: memory.supersedes, ..last.new.clone() };
        if let Some(proposed) = conflicts::weigh(app, scope, weighed).await?.proposed {
            return Ok(Plan::Skip(Skipped::new(Passed::Contradicts, proposed.reason).into()));
        }
    }
    if format == Format::Ndjson {
        return Ok(Plan::More { memory, rest: steps, mark });
    }
    let Some(step) = steps.pop() else { return Ok(Plan::Skip(known().into())) };
    Ok(Plan::Revise { memory, step: Box::new(step), mark })
}

/// Whether a decision would say something else than before, at any step.
fn touches_what_is_decided(memory: &Memory, steps: &[Step]) -> bool {
    let mut said = (memory.kind, memory.title.clone(), memory.content.as_str());
    for Step { new, .. } in steps {
        let says = (new.kind, new.title.clone().unwrap_or_else(|| new.content.title()), new.content.as_str());
        if said.0 == Kind::Decision && said != says {
            return true;
        }
        said = says;
    }
    false
}

/// Whether a decision would hold that does not yet, or elsewhere than before: what waits there may be known here.
fn decides<P>(scope: &Scope<P>, memory: &Memory, last: &Step, format: Format) -> bool {
    let away = last.state == State::Archived || (last.state == State::Superseded && format == Format::Ndjson);
    let project = last.new.project.as_ref().or(scope.project()).map(crate::model::Project::as_str);
    let held = memory.kind == Kind::Decision && matches!(memory.state, State::Active | State::Proposed);
    last.new.kind == Kind::Decision && !away && (!held || project != memory.project.as_deref())
}

async fn fresh<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    since: &Since,
    named: Option<MemoryId>,
    mut steps: Vec<Step>,
    mark: Mark,
    doubt: Option<Proposed>,
) -> Result<Plan, Problem> {
    let Some(last) = steps.last() else { return Ok(Plan::Skip(known().into())) };
    let (state, mut waits) = (last.state, doubt);
    if waits.is_none() && state == State::Active {
        // What it supersedes may still be active here: it comes with the same file.
        let weighed = NewMemory { supersedes: last.supersedes, ..last.new.clone() };
        waits = waiting::by_policy(scope, conflicts::weigh(app, scope, weighed).await?).proposed;
    }
    if waits.is_none() && state == State::Proposed {
        // Whatever the threshold, it was below one.
        let reason = "It waited for review where it comes from.".to_owned();
        waits = Some(Proposed::because(proposals::Origin::Capture, reason, 0.0));
    }
    let id = named.unwrap_or_else(MemoryId::new);
    let mut first = steps.remove(0);
    if waits.is_some() {
        // What waits was never known here.
        steps.iter_mut().filter(|step| step.state == State::Active).for_each(|step| step.state = State::Proposed);
        first.new.proposed = waits;
    }
    // One that was put away there claims no path of its own making.
    if first.new.path.is_none() && first.state != State::Active {
        let title = first.new.title.clone().unwrap_or_else(|| first.new.content.title());
        first.new.path = Some(MemoryPath::made_from(first.new.kind.folder(), &title).told_apart(clock::new_id()));
    }
    let arrival = Arrival { id, state: first.state, supersedes: first.supersedes, superseded_by: first.superseded_by };
    let new = first.new.clone();
    // One with a history is looked at again when it has come to its end.
    let weighed = (steps.is_empty() && first.new.kind == Kind::Decision && state == State::Active).then(|| since.clone());
    let asked = Asked::told(scope, first.new, first.found, weighed, arrival);
    Ok(Plan::New(Box::new(Fresh { first: asked, new, origin: first.origin, rest: steps, mark })))
}
