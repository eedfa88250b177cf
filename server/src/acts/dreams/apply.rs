//! A handful of actions in one transaction: what was changed since it was read is left, the rest is done or put up for review.

use super::{
    plan::{self, Way},
    run::{Running, done},
};
use crate::{
    acts::{
        code,
        memories::{self, Asked},
        unless_barred,
    },
    audit::Audit,
    engines::{
        dream::{Act, Action, DIGEST},
        freshness::{self, Freshness},
    },
    model::{
        AuditId, Kind, Memory, MemoryId, NewMemory, Project, Source, State, clock,
        conflicts::{Clash, ConflictOrigin, Judged},
        dreams::{Deed, Done, Outcome, Why},
        memory::{Operation, SourceType},
        proposals::{Change, Origin, Proposal, Proposed},
        text::{self, Content},
    },
    problem::Problem,
    store::{self, Scope, Tx, Write, memories::Step},
};
use std::collections::{BTreeMap, HashMap, HashSet};

const MOST_TAGS: usize = 64;
const MOST_ANCHORS: usize = 32;

/// What a transaction has done so far.
pub struct Batch<'a> {
    run: &'a Running,
    /// As they are now, held.
    held: HashMap<MemoryId, Memory>,
    /// As they shall be.
    next: BTreeMap<MemoryId, Memory>,
    done: Vec<Done>,
    trail: Vec<Audit>,
    /// The versions that it wrote, and what it put away.
    versions: HashMap<MemoryId, i32>,
    gone: HashSet<MemoryId>,
}

/// What is left of it when it is over.
pub struct Followed {
    pub done: Vec<Done>,
    pub trail: Vec<Audit>,
    pub versions: HashMap<MemoryId, i32>,
}

impl<'a> Batch<'a> {
    pub async fn follow(run: &'a Running, tx: &mut Tx<Write>, some: &[(Action, Way)]) -> Result<Followed, Problem> {
        let changing: Vec<MemoryId> = some
            .iter()
            .filter(|(_, way)| *way != Way::Note)
            .flat_map(|(action, _)| {
                let (memory, others) = plan::about(&action.act);
                others.into_iter().chain([memory])
            })
            .collect();
        let mut held = store::memories::find_some_to_change(tx, &changing).await?;
        code::recall_first_sight(tx, held.iter_mut()).await?;
        let held = held.into_iter().map(|memory| (memory.id, memory)).collect();
        let (done_so_far, trail, versions, gone) = (Vec::new(), Vec::new(), HashMap::new(), HashSet::new());
        let mut batch = Batch { run, held, next: BTreeMap::new(), done: done_so_far, trail, versions, gone };
        for (action, way) in some {
            match way {
                Way::Apply if batch.stands(action) => batch.apply(tx, action).await?,
                Way::Apply => batch.done.push(done(action, Outcome::Changed)),
                Way::Propose | Way::Note => {}
            }
        }
        batch.write(tx).await?;
        batch.propose(tx, some).await?;
        batch.note(tx, some).await?;
        let Batch { done, trail, versions, .. } = batch;
        Ok(Followed { done, trail, versions })
    }

    /// Whether all that it is about is as it was when the dream thought.
    fn stands(&self, action: &Action) -> bool {
        let (memory, others) = plan::about(&action.act);
        others.into_iter().chain([memory]).all(|id| {
            self.held.get(&id).is_some_and(|held| held.state == State::Active && self.run.versions.get(&id) == Some(&held.version))
        })
    }

    async fn apply(&mut self, tx: &mut Tx<Write>, action: &Action) -> Result<(), Problem> {
        let mut what = done(action, Outcome::Applied);
        match &action.act {
            Act::Merge { away, into } => {
                self.put_aside(*away, *into);
                self.unite(*into, *away);
            }
            Act::Decay { memory } => {
                self.change(*memory, Operation::Archived).state = State::Archived;
            }
            Act::Promote { .. } | Act::Condense { .. } => match self.make(tx, action, None).await? {
                Some(made) => {
                    what.made = Some(made);
                    for old in what.others.iter().copied().chain([what.memory]).filter(|old| *old != made).collect::<Vec<_>>() {
                        self.put_aside(old, made);
                    }
                }
                None => what.outcome = Outcome::Known,
            },
            Act::Flag { .. } | Act::Verify { .. } => {}
        }
        self.done.push(what);
        Ok(())
    }

    fn change(&mut self, id: MemoryId, operation: Operation) -> &mut Memory {
        let (held, run) = (&self.held[&id], self.run);
        let next = self.next.entry(id).or_insert_with(|| memories::next_state(&run.scope, held, operation));
        next.operation = operation;
        next
    }

    fn put_aside(&mut self, old: MemoryId, by: MemoryId) {
        let next = self.change(old, Operation::Superseded);
        (next.state, next.superseded_by) = (State::Superseded, Some(by));
    }

    /// Tags and places in the code of what was put aside go to what stays; unless that would make it look surer than it is.
    fn unite(&mut self, into: MemoryId, away: MemoryId) {
        let (stays, gone) = (self.next.get(&into).unwrap_or(&self.held[&into]), &self.held[&away]);
        let (tags, anchors) = united(stays, gone);
        if !is_fresh(&self.run.scope, &self.held[&into]) || (tags == stays.tags && anchors == stays.anchors) {
            return;
        }
        let next = self.change(into, Operation::Revised);
        (next.tags, next.anchors) = (tags, anchors);
    }

    /// The memory that an action makes, known or waiting; nothing if its text may not be kept.
    async fn make(&mut self, tx: &mut Tx<Write>, action: &Action, proposed: Option<Proposed>) -> Result<Option<MemoryId>, Problem> {
        let Some(new) = self.new_memory(action)? else { return Ok(None) };
        let new = NewMemory { proposed, ..new };
        let (app, scope) = (&self.run.app, &self.run.scope);
        let Some(asked) = unless_barred(Asked::admitted(app, scope, new).await.map(Some))? else { return Ok(None) };
        let (remembered, trail) = memories::put_down_or_leave(app, scope, tx, asked).await?;
        self.trail.extend(trail);
        Ok(remembered.first().map(|one| one.memory().id))
    }

    fn new_memory(&self, action: &Action) -> Result<Option<NewMemory>, Problem> {
        let (memory, others) = plan::about(&action.act);
        let source = Source {
            kind: SourceType::Import,
            reference: Some(format!("dream {}", self.run.dream.id)),
            excerpt: Some(named(others.iter().copied().chain([memory]))),
        };
        match &action.act {
            Act::Condense { project, title, content, .. } => Ok(Some(NewMemory {
                title: Some(text::line("title", title, 300)?),
                tags: vec![DIGEST.to_owned()],
                project: project.as_deref().map(Project::parse).transpose()?,
                confidence: Some(action.score),
                source: Some(source),
                ..NewMemory::of(Content::parse(content.clone())?, Kind::Episode)
            })),
            Act::Promote { like, .. } => {
                let Some(best) = self.held.get(&memory) else { return Ok(None) };
                let mut all = best.clone();
                for other in like.iter().filter_map(|id| self.held.get(id)) {
                    (all.tags, all.anchors) = united(&all, other);
                }
                Ok(Some(NewMemory {
                    title: Some(best.title.clone()),
                    tags: all.tags,
                    anchors: all.anchors,
                    project: best.project.as_deref().map(Project::parse).transpose()?,
                    confidence: Some(best.confidence.max(action.score)),
                    source: Some(source),
                    ..NewMemory::of(Content::parse(best.content.clone())?, Kind::Pattern)
                }))
            }
            _ => Ok(None),
        }
    }

    /// What was changed, in one statement.
    async fn write(&mut self, tx: &mut Tx<Write>) -> Result<(), Problem> {
        let step = |(id, next): (MemoryId, Memory)| Step { before: self.held[&id].clone(), next, restores: None };
        let mut steps: Vec<Step> = std::mem::take(&mut self.next).into_iter().map(step).collect();
        if steps.is_empty() {
            return Ok(());
        }
        store::memories::advance_all(tx, &mut steps).await?;
        code::rejudge_moved(tx, &mut steps).await?;
        for Step { next, .. } in &steps {
            self.trail.push(Audit::of_memory(next));
            self.versions.insert(next.id, next.version);
            if next.state != State::Active {
                self.gone.insert(next.id);
            }
        }
        Ok(())
    }

    /// What is left to a person: merges into one memory together, everything else one by one.
    async fn propose(&mut self, tx: &mut Tx<Write>, some: &[(Action, Way)]) -> Result<(), Problem> {
        let mut merges: BTreeMap<MemoryId, Vec<&Action>> = BTreeMap::new();
        let mut proposals: Vec<(Proposal, String, AuditId, Vec<Done>)> = Vec::new();
        for (action, _) in some.iter().filter(|(_, way)| *way == Way::Propose) {
            let (memory, others) = plan::about(&action.act);
            let gone = others.iter().chain([&memory]).any(|id| self.gone.contains(id));
            match &action.act {
                _ if gone || !self.stands(action) => self.done.push(done(action, Outcome::Changed)),
                Act::Merge { into, .. } => merges.entry(*into).or_default().push(action),
                Act::Decay { memory } => {
                    let change = Change::Archive { memories: vec![*memory] };
                    proposals.push(self.proposal(*memory, change, &[action], key_of(Deed::Decay, &[*memory])));
                }
                _ => self.propose_new(tx, action).await?,
            }
        }
        for (keep, actions) in merges {
            let away: Vec<MemoryId> = actions.iter().flat_map(|action| plan::about(&action.act).1).collect();
            let change = Change::Merge { keep, away };
            let key = key_of(Deed::Merge, &change.touches());
            proposals.push(self.proposal(keep, change, &actions, key));
        }
        let rows: Vec<store::proposals::Made<'_>> =
            proposals.iter().map(|(proposal, key, audit, _)| (proposal, Some(key.as_str()), *audit)).collect();
        let made = if rows.is_empty() { HashSet::new() } else { store::proposals::insert_all(tx, &rows).await? };
        for (proposal, _, audit, done) in proposals {
            let new = made.contains(&proposal.id);
            if new {
                self.trail.push(Audit::proposal(audit, "proposal.made", proposal.id, proposal.memory_id));
            }
            let outcome = if new { Outcome::Proposed } else { Outcome::Known };
            self.done.extend(done.into_iter().map(|one| Done { outcome, proposal: new.then_some(proposal.id), ..one }));
        }
        Ok(())
    }

    fn proposal(&self, about: MemoryId, change: Change, actions: &[&Action], key: String) -> (Proposal, String, AuditId, Vec<Done>) {
        let least = actions.iter().map(|action| action.score).fold(1.0, f32::min);
        let reason = reason(&change, actions[0].why);
        let proposed = Proposed { change: Some(change), ..Proposed::because(Origin::Dream, reason, least) };
        let project = self.held.get(&about).and_then(|memory| memory.project.clone());
        let proposal = Proposal::open(about, project, &proposed, clock::now());
        (proposal, key, AuditId::new(), actions.iter().map(|action| done(action, Outcome::Proposed)).collect())
    }

    /// A new memory that waits, and would take the place of others.
    async fn propose_new(&mut self, tx: &mut Tx<Write>, action: &Action) -> Result<(), Problem> {
        let (memory, others) = plan::about(&action.act);
        let change = Change::Remember { instead_of: others.into_iter().chain([memory]).collect() };
        let key = key_of(plan::deed(&action.act), &change.touches());
        let project = self.held.get(&memory).and_then(|memory| memory.project.clone());
        let known = store::proposals::with_key(tx, project.as_deref(), &key).await?.is_some();
        let reason = reason(&change, action.why);
        let proposed = Proposed { key: Some(key), change: Some(change), ..Proposed::because(Origin::Dream, reason, action.score) };
        let mut what = done(action, Outcome::Proposed);
        what.made = if known { None } else { self.make(tx, action, Some(proposed)).await? };
        if what.made.is_none() {
            what.outcome = Outcome::Known;
        }
        self.done.push(what);
        Ok(())
    }

    /// Contradictions are put down for the conflicts' own queue; what is stale is only listed.
    async fn note(&mut self, tx: &mut Tx<Write>, some: &[(Action, Way)]) -> Result<(), Problem> {
        let flags: Vec<(&Action, MemoryId, MemoryId, bool)> = some
            .iter()
            .filter_map(|(action, _)| match action.act {
                Act::Flag { old, new, certain } => Some((action, old, new, certain)),
                _ => None,
            })
            .collect();
        let ids: Vec<MemoryId> = flags.iter().flat_map(|(_, old, new, _)| [*old, *new]).collect();
        let marks = if ids.is_empty() { HashMap::new() } else { store::dreams::marks(tx, &ids).await? };
        let judged = |id: MemoryId| {
            let (version, mark) = *marks.get(&id)?;
            let wanted = self.versions.get(&id).or_else(|| self.run.versions.get(&id));
            (wanted == Some(&version)).then_some(Judged { id, version, mark })
        };
        let clashes: Vec<Clash> = flags
            .iter()
            .filter_map(|(action, old, new, certain)| {
                Some(Clash { one: judged(*old)?, other: judged(*new)?, score: action.score, certain: *certain })
            })
            .collect();
        let opened = store::conflicts::insert_all(tx, &clashes, ConflictOrigin::Dream, clock::now()).await?;
        let mut flagged = Vec::with_capacity(flags.len());
        for (action, old, new, _) in flags {
            let found = opened.iter().find(|opened| opened.is_of(old, new));
            let outcome = match (found, judged(old).and(judged(new))) {
                (Some(_), _) => Outcome::Listed,
                (None, Some(_)) => Outcome::Known,
                (None, None) => Outcome::Changed,
            };
            flagged.push(Done { conflict: found.map(|opened| opened.id), ..done(action, outcome) });
        }
        self.done.extend(flagged);
        self.trail.extend(opened.iter().map(|opened| Audit::conflict_found(opened.audit, opened.id, [opened.a, opened.b])));
        let stale = some.iter().filter(|(action, _)| matches!(action.act, Act::Verify { .. }));
        self.done.extend(stale.map(|(action, _)| done(action, Outcome::Listed)));
        Ok(())
    }
}

/// What stays when a person merges, filed under all that the others were; nothing if that is what it is filed under already.
pub(in crate::acts) fn with_labels_of<P>(scope: &Scope<P>, stays: &Memory, gone: &[Memory]) -> Option<Memory> {
    let mut all = stays.clone();
    for other in gone {
        (all.tags, all.anchors) = united(&all, other);
    }
    let more = all.tags != stays.tags || all.anchors != stays.anchors;
    (more && is_fresh(scope, stays)).then(|| Memory {
        tags: all.tags,
        anchors: all.anchors,
        ..memories::next_state(scope, stays, Operation::Revised)
    })
}

fn is_fresh<P>(scope: &Scope<P>, memory: &Memory) -> bool {
    freshness::judge(memory, scope.settings(), clock::now()).state == Freshness::Fresh
}

/// What both are filed under.
fn united(stays: &Memory, gone: &Memory) -> (Vec<String>, Vec<crate::model::Anchor>) {
    let mut tags: Vec<String> = stays.tags.iter().chain(&gone.tags).cloned().collect();
    tags.sort_unstable();
    tags.dedup();
    let mut anchors = stays.anchors.clone();
    let there = |anchors: &[crate::model::Anchor], one: &crate::model::Anchor| {
        anchors.iter().any(|other| (&other.repo, &other.path, &other.symbol) == (&one.repo, &one.path, &one.symbol))
    };
    for anchor in &gone.anchors {
        if !there(&anchors, anchor) {
            anchors.push(anchor.clone());
        }
    }
    // What does not fit stays as it is rather than lose some of its own.
    if tags.len() > MOST_TAGS {
        tags.clone_from(&stays.tags);
    }
    anchors.truncate(MOST_ANCHORS.max(stays.anchors.len()));
    (tags, anchors)
}

/// Ids in a row, as many as a reader wants to see.
fn named(ids: impl Iterator<Item = MemoryId>) -> String {
    const MOST: usize = 50;
    let mut ids: Vec<MemoryId> = ids.collect();
    ids.sort_unstable();
    let all = ids.len();
    let shown: Vec<String> = ids.into_iter().take(MOST).map(|id| id.to_string()).collect();
    if all > MOST { format!("{} and {} more", shown.join(" "), all - MOST) } else { shown.join(" ") }
}

/// What makes two findings the same: the deed and all that it is about.
pub(super) fn key_of(deed: Deed, ids: &[MemoryId]) -> String {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    let all: String = ids.iter().map(MemoryId::to_string).collect();
    format!("dream {} {}", deed.word(), text::hex(&text::sha256(&all)))
}

/// Ids and words of ours only.
pub(super) fn reason(change: &Change, why: Why) -> String {
    let because = match why {
        Why::SameText => "the texts are the same but for case, spaces and marks",
        Why::SameWords => "they say the same in the same words",
        Why::SaysMore => "one says all that the other says",
        Why::AlmostSame => "one has all words of the other, in another order or with some more",
        Why::FoundAgain => "the same was found by several",
        Why::LongPast => "they tell of a month long past",
        Why::NeverRecalled => "nobody ever asked for it, and little speaks for it",
        Why::Contradicts => "both cannot hold",
        Why::NotFresh => "it may no longer hold",
    };
    match change {
        Change::Merge { keep, .. } => format!("A dream would keep {keep} and put the others aside for it: {because}."),
        Change::Remember { instead_of } => format!("A dream would put this in the place of {} others: {because}.", instead_of.len()),
        Change::Archive { .. } => format!("A dream would put this away: {because}."),
        Change::Verify { .. } => format!("A dream would have this looked at: {because}."),
    }
}
