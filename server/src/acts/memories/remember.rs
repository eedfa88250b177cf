//! Remembering: new texts become memories, known ones are answered with what is there.

use super::{erased, owners, waiting};
use crate::{
    App,
    acts::{
        code,
        conflicts::{self, Against, Look, Noticed, Since},
        safety::{self, Found},
        unless_barred,
    },
    audit::{Audit, Trail},
    engines::tokens,
    model::{
        Actor, AuditId, Kind, Memory, MemoryId, NewMemory, Project, Role, Run, State, Visibility, WorkspaceId, clock,
        code::Contested,
        conflicts::ConflictOrigin,
        memory::Operation,
        proposals::{Proposal, ProposalState},
        text::{MemoryPath, sha256},
    },
    problem::{FieldError, Problem},
    store::{self, CanWrite, Permission, Scope, Tx, Write, Writing, memories::Survey},
    turnstile::Turnstile,
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};
use uuid::Uuid;

const TRIES: usize = 4;

#[derive(Clone, Debug)]
pub enum Remembered {
    /// With what it may contradict.
    New(Memory, Vec<Noticed>),
    /// The same text is known already, to the letter.
    Already(Memory),
}

impl Remembered {
    pub fn memory(&self) -> &Memory {
        match self {
            Self::New(memory, _) | Self::Already(memory) => memory,
        }
    }

    /// The memory, and what it may contradict.
    pub fn into_parts(self) -> (Memory, Vec<Noticed>) {
        match self {
            Self::New(memory, noticed) => (memory, noticed),
            Self::Already(memory) => (memory, Vec::new()),
        }
    }

    /// New, and doubted from the start where it clearly contradicts what is known: it is answered as it will be read.
    fn beside(mut memory: Memory, noticed: Vec<Noticed>) -> Self {
        if memory.state == State::Active {
            let clear = noticed.iter().filter(|one| one.certain).take(3);
            memory.contested = clear.map(|one| Contested { memory_id: one.memory_id, at: memory.updated_at }).collect();
            memory.contested.sort_unstable_by_key(|one| one.memory_id);
        }
        Self::New(memory, noticed)
    }
}

/// Something to remember, and the request that asked for it.
#[derive(Clone, Debug)]
pub struct Asked {
    new: NewMemory,
    request: Arc<str>,
    /// What it is written in.
    run: Option<Run>,
    /// Counted before anyone waits for it.
    tokens: u32,
    /// What was taken out of it.
    found: Vec<Found>,
    /// What it contradicts, as far as anybody looked.
    against: Vec<Against>,
    /// Of a decision: when it was weighed.
    weighed: Option<Since>,
    /// For what a file tells of.
    arrival: Option<Arrival>,
}

/// How a memory that a file tells of begins here.
#[derive(Clone, Copy, Debug)]
pub(in crate::acts) struct Arrival {
    pub id: MemoryId,
    pub state: State,
    /// Whose place it took there; that one is told of by itself.
    pub supersedes: Option<MemoryId>,
    pub superseded_by: Option<MemoryId>,
}

impl Asked {
    /// Whatever may not be kept is taken out of it here, before anything else sees it.
    pub(in crate::acts) async fn admitted<P: Permission>(app: &App, scope: &Scope<P>, new: NewMemory) -> Result<Self, Problem> {
        let mut asked = Self::loose(app, scope, new).await?;
        code::hang(app, scope, &mut asked.new).await?;
        Ok(asked)
    }

    /// The same, before it is hung on code.
    async fn loose<P: Permission>(app: &App, scope: &Scope<P>, new: NewMemory) -> Result<Self, Problem> {
        let new = behind_the_wall(scope, new);
        if let Some(session) = new.session_id.filter(|session| scope.run() != Some(Run::Session(*session))) {
            store::sessions::must_be_of(&mut app.db().read(scope).await?, scope.actor(), "session_id", session).await?;
        }
        let (new, found) = safety::admit(app, scope, new).await?;
        let weighed = if new.kind == Kind::Decision { Some(Since::now(app, scope).await?) } else { None };
        let mut new = waiting::by_policy(scope, conflicts::weigh(app, scope, new).await?);
        let run = new.session_id.map(Run::Session).or(scope.run());
        new.session_id = new.session_id.or(run.and_then(Run::session));
        let tokens = tokens::count(new.content.as_str());
        Ok(Self { new, request: scope.request().id.clone(), run, tokens, found, against: Vec::new(), weighed, arrival: None })
    }

    /// As somebody has looked through and weighed it already.
    fn seen<P>(scope: &Scope<P>, new: NewMemory) -> Self {
        let new = behind_the_wall(scope, new);
        let tokens = tokens::count(new.content.as_str());
        let request = scope.request().id.clone();
        Self { new, request, run: scope.run(), tokens, found: Vec::new(), against: Vec::new(), weighed: None, arrival: None }
    }

    /// A person has looked at it, and decided for it: nothing stands in its way.
    pub(in crate::acts) fn decided<P>(scope: &Scope<P>, new: NewMemory) -> Self {
        Self::seen(scope, new)
    }

    /// As a file tells it, looked through and weighed already.
    pub(in crate::acts) fn told<P>(scope: &Scope<P>, new: NewMemory, found: Vec<Found>, weighed: Option<Since>, arrival: Arrival) -> Self {
        Self { found, weighed, arrival: Some(arrival), ..Self::seen(scope, new) }
    }

    /// Whether something was taken out of it.
    pub(in crate::acts) fn is_redacted(&self) -> bool {
        !self.found.is_empty()
    }

    /// The same, elsewhere and under another id.
    pub(in crate::acts) fn apart(mut self, path: Option<MemoryPath>) -> Self {
        self.new.path = path;
        self.arrival = self.arrival.map(|arrival| Arrival { id: MemoryId::new(), ..arrival });
        self
    }

    /// Held against what is known, those that will be known themselves. Of many nobody looks: a sweep follows.
    pub(in crate::acts) async fn hold_against<P: Permission>(app: &App, scope: &Scope<P>, all: &mut [Self]) {
        const MANY: usize = 10;
        let known = |one: &&mut Self| !one.new.proposed.as_ref().is_some_and(|proposed| waiting::waits(scope, one.new.kind, proposed));
        let mut known: Vec<&mut Self> = all.iter_mut().filter(known).collect();
        if known.len() > MANY {
            return app.backlog().leave(scope.workspace());
        }
        let at = known.iter().map(|one| Look::at_new(scope, &one.new)).collect();
        for (one, against) in known.iter_mut().zip(conflicts::look(app, scope, at).await) {
            one.against = against;
        }
    }

    /// Nothing about it needs a closer look.
    fn is_plain<P>(&self, scope: &Scope<P>) -> bool {
        self.found.is_empty()
            && self.new.supersedes.is_none()
            && self.new.proposed.is_none()
            && self.new.store.is_none_or(|store| store == scope.main_store())
            && self.arrival.is_none()
            && self.weighed.is_none()
            && self.run == self.new.session_id.map(Run::Session)
    }
}

/// What a limited key remembers belongs to its project, said or not, from the first look on.
fn behind_the_wall<P>(scope: &Scope<P>, mut new: NewMemory) -> NewMemory {
    new.project = new.project.or_else(|| scope.project().cloned());
    new
}

/// Writers of one actor who come while one of theirs is being written: the next transaction takes them all.
pub type Together = Arc<Turnstile<(WorkspaceId, Uuid, Role, Option<Project>), (Scope<Writing>, Asked), Result<Remembered, Problem>>>;

/// Remember something new, or answer with what is already known to the letter.
pub async fn remember<P: CanWrite>(app: &App, scope: &Scope<P>, new: NewMemory) -> Result<Remembered, Problem> {
    let _under_way = app.backlog().begin();
    app.db().unless_answered(scope).await?;
    let mut asked = Asked::admitted(app, scope, new).await?;
    Asked::hold_against(app, scope, std::slice::from_mut(&mut asked)).await;
    // What is to be answered once, or takes another's place, has a transaction of its own.
    if scope.request().once.is_some() || !asked.is_plain(scope) {
        return alone(app, scope, asked).await;
    }
    // Who shows less than their key may stands in a line of their own: an entry names the role.
    let line = (scope.workspace(), scope.actor().id, scope.standing().role(), scope.project().cloned());
    let house = app.clone();
    let serve = move |waiting: Vec<(Scope<Writing>, Asked)>| {
        let house = house.clone();
        async move { together(&house, waiting).await }
    };
    app.together()
        .pass(line, (scope.to_write()?, asked), serve)
        .await
        .unwrap_or_else(|| Err(Problem::internal("a memory could not be written")))
}

/// All in one transaction; if any of them stands in the way of the others, each in its own.
async fn together(app: &App, waiting: Vec<(Scope<Writing>, Asked)>) -> Vec<Result<Remembered, Problem>> {
    let (scopes, asked): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
    if asked.len() > 1
        && let Some(scope) = scopes.last()
        && let Ok(Some(done)) = at_once(app, scope, &asked).await
    {
        return done.into_iter().map(Ok).collect();
    }
    let mut answers = Vec::with_capacity(asked.len());
    for (scope, one) in scopes.iter().zip(asked) {
        answers.push(alone(app, scope, one).await);
    }
    answers
}

async fn alone<P: CanWrite>(app: &App, scope: &Scope<P>, asked: Asked) -> Result<Remembered, Problem> {
    let mut all = try_again(app, scope, &[asked]).await.map_err(|problem| match problem {
        Problem::Conflict(mut conflict) => {
            conflict.more.remove("index");
            Problem::Conflict(conflict)
        }
        Problem::Invalid(errors) => {
            let bare = |field: String| field.strip_prefix("items[0].").map(str::to_owned).unwrap_or(field);
            Problem::Invalid(errors.into_iter().map(|error| FieldError { field: bare(error.field), message: error.message }).collect())
        }
        other => other,
    })?;
    all.pop().ok_or_else(|| Problem::internal("one memory in, none out"))
}

/// Remember many, all or none, in the order given.
pub async fn remember_all<P: CanWrite>(app: &App, scope: &Scope<P>, news: Vec<NewMemory>) -> Result<Vec<Remembered>, Problem> {
    app.db().unless_answered(scope).await?;
    conflicts::weigh_together(&news)?;
    let mut asked = Vec::with_capacity(news.len());
    let mut sessions = HashSet::new();
    for (index, new) in news.into_iter().enumerate() {
        // A session that was looked at for one of them need not be looked at for the next.
        let known = new.session_id.filter(|session| !sessions.insert(*session));
        let scope = &scope.in_run(known.map(Run::Session).or(scope.run()));
        asked.push(Asked::loose(app, scope, new).await.map_err(|problem| problem.at_item(index))?);
    }
    code::hang_all(app, scope, asked.iter_mut().map(|one| &mut one.new).collect()).await?;
    Asked::hold_against(app, scope, &mut asked).await;
    try_again(app, scope, &asked).await
}

async fn try_again<P: CanWrite>(app: &App, scope: &Scope<P>, asked: &[Asked]) -> Result<Vec<Remembered>, Problem> {
    if let Some(done) = at_once(app, scope, asked).await? {
        return Ok(done);
    }
    let mut tries = 0;
    loop {
        tries += 1;
        match attempt(app, scope, asked).await {
            Err(Problem::LostRace) if tries < TRIES => {}
            // Two that were sent without a path, at the same moment, under the same title: look again.
            Err(Problem::Conflict(conflict))
                if conflict.code == "path_conflict"
                    && !conflict.more.contains_key("index")
                    && tries < TRIES
                    && asked.iter().any(|one| one.new.path.is_none()) => {}
            done => return done,
        }
    }
}

/// The common case in one trip to the database; nothing when it is another, and somebody has to look closer.
async fn at_once<P: CanWrite>(app: &App, scope: &Scope<P>, all: &[Asked]) -> Result<Option<Vec<Remembered>>, Problem> {
    if scope.request().once.is_some() || scope.settings().quota_memories.is_some() {
        return Ok(None);
    }
    let (mut made, mut macs) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
    let (mut paths, mut texts) = (HashSet::new(), HashSet::new());
    for one in all {
        let new = &one.new;
        let path = path_of(new);
        if !paths.insert(path.clone()) || !texts.insert(new.content.as_str()) || !one.is_plain(scope) {
            return Ok(None);
        }
        let Ok(memory) = draft(scope, one, path) else { return Ok(None) };
        macs.push(app.keyring().erasure_mac(new.content.as_str()));
        made.push((memory, new.path.is_none()));
    }
    let trail = |made: &[(Memory, bool)]| {
        made.iter().zip(all).map(|((memory, _), one)| Audit::of_memory(memory).in_request(&one.request)).collect()
    };
    match store::memories::insert_at_once(app.db(), scope, &mut made, &macs, trail).await {
        Ok(true) => {
            let made: Vec<Memory> = made.into_iter().map(|(memory, _)| memory).collect();
            let noticed = put_conflicts(app, scope, &made, all).await;
            Ok(Some(made.into_iter().zip(noticed).map(|(memory, noticed)| Remembered::beside(memory, noticed)).collect()))
        }
        Ok(false) | Err(Problem::Conflict(_) | Problem::LostRace) => Ok(None),
        Err(problem) => Err(problem),
    }
}

async fn attempt<P: CanWrite>(app: &App, scope: &Scope<P>, all: &[Asked]) -> Result<Vec<Remembered>, Problem> {
    let mut tx = app.db().write(scope).await?;
    let (remembered, trail) = put_down(app, scope, &mut tx, all).await?;
    if trail.is_empty() {
        tx.leave_as_is(remembered.iter().map(|one| one.memory().id)).await?;
    } else {
        tx.shows(remembered.iter().map(|one| one.memory().id));
        tx.commit(trail.into_iter().collect::<Trail>()).await?;
    }
    Ok(remembered)
}

/// Writes what is not known yet, within a transaction that somebody else commits, with the entries it commits with.
pub(in crate::acts) async fn put_down<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    all: &[Asked],
) -> Result<(Vec<Remembered>, Vec<Audit>), Problem> {
    let all = &weighed_again(tx, scope, all).await?;
    let paths: Vec<MemoryPath> = all.iter().map(|one| path_of(&one.new)).collect();
    let asked: Vec<_> =
        all.iter().zip(&paths).map(|(one, path)| (&one.new, path, app.keyring().erasure_mac(one.new.content.as_str()))).collect();
    let surveys = store::memories::survey(tx, scope, &asked).await?;

    let mut made: Vec<(Memory, bool)> = Vec::new();
    let mut superseding = Vec::new();
    let mut of = Vec::new();
    let mut answers = Vec::with_capacity(all.len());
    let mut seen = HashMap::new();
    for (index, ((one, path), survey)) in all.iter().zip(paths).zip(surveys).enumerate() {
        let new = &one.new;
        let twin = (sha256(new.content.as_str()), new.kind, new.project.clone(), new.visibility);
        let waits = new.proposed.as_ref().is_some_and(|proposed| waiting::waits(scope, new.kind, proposed));
        owners::may_succeed(tx, new).await.map_err(|problem| problem.at_item(index))?;
        let in_batch = seen.get(&twin).copied();
        match placed(new, path, &survey, in_batch, waits).map_err(|problem| problem.at_item(index))? {
            Place::Known(id) => answers.push(Slot::Known(id)),
            Place::At(path) => {
                let path = if made.iter().any(|(other, _)| other.path == path) && new.path.is_none() {
                    path.told_apart(clock::new_id())
                } else {
                    path
                };
                let memory = draft(scope, one, path).map_err(|problem| problem.at_item(index))?;
                seen.insert(twin, memory.id);
                if let Some(old) = new.supersedes {
                    if memory.state == State::Active {
                        superseding.push((old, memory.id, one.run));
                    } else if memory.state == State::Proposed {
                        // What waits takes nobody's place before it is approved, and asks for none that it may not take.
                        super::revise::to_put_aside(tx, scope, old).await.map_err(|problem| problem.at_item(index))?;
                    }
                }
                answers.push(Slot::Made(made.len()));
                // Another that says the same holds the place of a twin: whoever takes somebody's place, or need not wait, goes without.
                let alone = survey.known.or(survey.waiting).or(in_batch).is_none();
                made.push((memory, new.path.is_none() && alone));
                of.push(one);
            }
        }
    }
    if made.is_empty() {
        let mut known = Vec::with_capacity(answers.len());
        for slot in answers {
            if let Slot::Known(id) = slot {
                known.push(Remembered::Already(store::memories::find(tx, id).await?));
            }
        }
        return Ok((known, Vec::new()));
    }
    within_quota(tx, scope, made.len()).await?;
    let mut trail = Vec::with_capacity(made.len());
    for (old, by, run) in superseding {
        trail.push(super::revise::put_aside(tx, &scope.in_run(run), old, by).await?);
    }
    store::memories::insert(tx, &mut made).await?;
    for ((memory, _), one) in made.iter().zip(&of) {
        trail.push(Audit::of_memory(memory).in_request(&one.request));
        if !one.found.is_empty() {
            trail.push(Audit::secrets("secrets.redacted", Some(("memory", memory.id.0)), &one.found).in_request(&one.request));
        }
    }
    trail.extend(propose(tx, &made, &of).await?);
    let clashing: Vec<(&Memory, &[Against])> = made.iter().zip(&of).map(|((memory, _), one)| (memory, &one.against[..])).collect();
    let (mut noticed, entries) = conflicts::put_down(tx, ConflictOrigin::Write, &clashing).await?;
    trail.extend(entries);

    let mut remembered = Vec::with_capacity(answers.len());
    for slot in answers {
        remembered.push(match slot {
            Slot::Made(index) => Remembered::beside(made[index].0.clone(), std::mem::take(&mut noticed[index])),
            // A twin within the batch is not written yet as far as a reader is concerned.
            Slot::Known(id) => Remembered::Already(match made.iter().find(|(memory, _)| memory.id == id) {
                Some((memory, _)) => memory.clone(),
                None => store::memories::find(tx, id).await?,
            }),
        });
    }
    Ok((remembered, trail))
}

/// The same of something that an act goes on without where it may not be kept; nothing of it is there then.
pub(in crate::acts) async fn put_down_or_leave<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    asked: Asked,
) -> Result<(Vec<Remembered>, Vec<Audit>), Problem> {
    tx.try_one().await?;
    let done = put_down(app, scope, tx, &[asked]).await;
    if done.is_ok() {
        tx.keep_one().await?;
    } else {
        tx.take_back().await?;
    }
    unless_barred(done)
}

/// Decisions that contradict one that came since they were weighed are refused, or wait.
async fn weighed_again<'a, P: CanWrite>(tx: &mut Tx<Write>, scope: &Scope<P>, all: &'a [Asked]) -> Result<Cow<'a, [Asked]>, Problem> {
    let mut all = Cow::Borrowed(all);
    for index in 0..all.len() {
        let one = &all[index];
        let Some(since) = one.weighed.as_ref().filter(|_| one.new.proposed.is_none()) else { continue };
        // What a file tells waits rather than be refused.
        let propose = one.new.propose_on_conflict || one.arrival.is_some();
        let again = conflicts::weigh_again(tx, scope, since, &one.new, propose).await.map_err(|problem| problem.at_item(index))?;
        if again.is_some() {
            all.to_mut()[index].new.proposed = again;
        }
    }
    Ok(all)
}

/// After memories were written in one trip: what they contradict, if anything. They are known whatever comes of this.
async fn put_conflicts<P: CanWrite>(app: &App, scope: &Scope<P>, made: &[Memory], all: &[Asked]) -> Vec<Vec<Noticed>> {
    let none = || vec![Vec::new(); made.len()];
    if all.iter().all(|one| one.against.is_empty()) {
        return none();
    }
    let clashing: Vec<(&Memory, &[Against])> = made.iter().zip(all).map(|(memory, one)| (memory, &one.against[..])).collect();
    let put = async {
        let mut tx = app.db().write(scope).await?;
        let (noticed, entries) = conflicts::put_down(&mut tx, ConflictOrigin::Write, &clashing).await?;
        if entries.is_empty() {
            tx.leave_as_is([]).await?;
        } else {
            tx.commit(entries.into_iter().collect::<Trail>()).await?;
        }
        Ok::<_, Problem>(noticed)
    };
    put.await.unwrap_or_else(|problem| {
        tracing::warn!(?problem, workspace = %scope.workspace(), "conflicts could not be put down");
        app.backlog().leave(scope.workspace());
        none()
    })
}

/// Those of them that wait, or waited for nobody, are put up for review.
async fn propose(tx: &mut Tx<Write>, made: &[(Memory, bool)], of: &[&Asked]) -> Result<Vec<Audit>, Problem> {
    let mut proposals = Vec::new();
    for ((memory, _), one) in made.iter().zip(of) {
        if let Some(proposed) = &one.new.proposed {
            let mut proposal = Proposal::open(memory.id, memory.project.clone(), proposed, memory.created_at);
            if memory.state != State::Proposed {
                proposal.state = ProposalState::Approved;
            }
            proposals.push((proposal, proposed.key.as_deref(), AuditId::new(), one));
        }
    }
    if proposals.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<store::proposals::Made<'_>> = proposals.iter().map(|(proposal, key, audit, _)| (proposal, *key, *audit)).collect();
    let made = store::proposals::insert_all(tx, &rows).await?;
    if let Some((proposal, key, _)) = rows.iter().find(|(proposal, ..)| !made.contains(&proposal.id)) {
        let Some(key) = key else { return Err(Problem::LostRace) };
        // Somebody else found the same at this moment: look again. Where there is nothing to be seen, it is not to be seen from here.
        let seen = store::proposals::with_key(tx, proposal.project.as_deref(), key).await?;
        return Err(if seen.is_some() { Problem::LostRace } else { Problem::NotFound });
    }
    let entry = |(proposal, _, audit, one): (Proposal, Option<&str>, AuditId, &&Asked)| {
        Audit::proposal(audit, "proposal.made", proposal.id, proposal.memory_id).in_request(&one.request)
    };
    Ok(proposals.into_iter().map(entry).collect())
}

enum Slot {
    Made(usize),
    Known(MemoryId),
}

enum Place {
    Known(MemoryId),
    At(MemoryPath),
}

fn placed(new: &NewMemory, path: MemoryPath, survey: &Survey, in_batch: Option<MemoryId>, waits: bool) -> Result<Place, Problem> {
    if let Some(request) = survey.barred {
        return Err(erased(request));
    }
    // What waits already is not put up twice, and what was rejected does not come back.
    if let Some(known) = survey.waiting.filter(|_| new.path.is_none()).or(survey.rejected).filter(|_| waits && survey.known.is_none()) {
        return Ok(Place::Known(known));
    }
    match (&new.path, survey.known.or(in_batch)) {
        (None, Some(known)) if new.supersedes.is_none() => Ok(Place::Known(known)),
        (None, _) if survey.below => Ok(Place::At(path.at_the_root(clock::new_id()))),
        (None, _) if survey.taken => Ok(Place::At(path.told_apart(clock::new_id()))),
        // Superseding frees the old one's path; whether it was that one, the database will say.
        (Some(_), _) if survey.taken && new.supersedes.is_none() => Err(Problem::conflict(
            "path_conflict",
            format!("The path {} is taken. Choose another, or revise the memory that is there.", path.as_str()),
        )),
        _ => Ok(Place::At(path)),
    }
}

fn path_of(new: &NewMemory) -> MemoryPath {
    new.path.clone().unwrap_or_else(|| {
        let title = new.title.clone().unwrap_or_else(|| new.content.title());
        MemoryPath::made_from(new.kind.folder(), &title)
    })
}

/// The first version of a memory, complete but for its digest.
fn draft<P>(scope: &Scope<P>, one: &Asked, path: MemoryPath) -> Result<Memory, Problem> {
    let new = &one.new;
    let now = clock::now();
    let by: &Actor = scope.actor();
    if let (Some(wall), Some(asked)) = (scope.project(), &new.project)
        && wall != asked
    {
        return Err(Problem::forbidden(format!("Your key is limited to the project {} and writes only there.", wall.as_str())));
    }
    let waits = new.proposed.as_ref().is_some_and(|proposed| waiting::waits(scope, new.kind, proposed));
    let arrival = one.arrival.as_ref();
    Ok(Memory {
        id: arrival.map_or_else(MemoryId::new, |arrival| arrival.id),
        version: 1,
        operation: if arrival.is_some() { Operation::Imported } else { Operation::Created },
        store_id: new.store.unwrap_or_else(|| scope.main_store()),
        path,
        title: new.title.clone().unwrap_or_else(|| new.content.title()),
        content: new.content.as_str().to_owned(),
        kind: new.kind,
        tags: new.tags.clone(),
        project: new.project.clone().map(Project::into_string),
        anchors: new.anchors.clone(),
        source: new.source.clone(),
        confidence: waiting::confidence(by, new),
        state: if waits { State::Proposed } else { arrival.map_or(State::Active, |arrival| arrival.state) },
        visibility: new.visibility,
        owner: owner_of(scope, new.visibility)?,
        subject: new.subject.clone(),
        valid_from: new.valid_from.unwrap_or(now),
        stale_after: new.stale_after,
        expires_at: new.expires_at,
        supersedes: new.supersedes.or(arrival.and_then(|arrival| arrival.supersedes)),
        superseded_by: arrival.and_then(|arrival| arrival.superseded_by),
        verified_at: None,
        verified_by: None,
        reason: None,
        content_sha256: [0; 32],
        created_at: now,
        created_by: by.clone(),
        updated_at: now,
        updated_by: by.clone(),
        session_id: new.session_id,
        run_id: one.run.map(Run::id),
        audit_id: AuditId::new(),
        digest: [0; 32],
        tokens: Some(one.tokens),
        reported: None,
        code: Vec::new(),
        contested: Vec::new(),
    })
}

pub(super) fn owner_of<P>(scope: &Scope<P>, visibility: Visibility) -> Result<Option<crate::model::PersonId>, Problem> {
    match visibility {
        Visibility::Workspace => Ok(None),
        Visibility::Private => scope
            .person()
            .map(Some)
            .ok_or_else(|| Problem::invalid("visibility", "cannot be private: this agent works for no person whose memory it could be")),
    }
}

pub(in crate::acts) async fn within_quota<P>(tx: &mut Tx<Write>, scope: &Scope<P>, more: usize) -> Result<(), Problem> {
    let Some(quota) = scope.settings().quota_memories else { return Ok(()) };
    let there = store::workspaces::count_memories(tx, i64::from(quota) + 1).await?;
    if there + i64::try_from(more).unwrap_or(i64::MAX) > i64::from(quota) {
        return Err(Problem::conflict(
            "quota_exceeded",
            format!("This workspace may hold {quota} memories and has {there}. Archive some, or ask an admin to raise quota_memories."),
        ));
    }
    Ok(())
}
