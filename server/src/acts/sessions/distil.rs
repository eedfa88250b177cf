//! Ending a run: its log becomes an episode and proposals. Deterministic, and without spending a token.

use super::must_be_own;
use crate::{
    App,
    acts::{
        Tries, erased,
        everywhere::{Failed, everywhere},
        memories::{self, Asked, Remembered, Settled, waiting},
        safety::Found,
        unless_barred,
    },
    audit::{Audit, Trail},
    engines::distil::{self, Distilled, Finding, Run},
    model::{
        AuditId, Kind, Memory, MemoryId, NewMemory, Project, ProposalId, SessionId, Source, Visibility,
        access::Mode,
        clock,
        memory::SourceType,
        page::Limit,
        proposals::{Origin, Proposal, ProposalFilter, ProposalState, Proposed, Sighting},
        sessions::{Event, Progress, Session, SessionState},
        text::{self, Content},
    },
    problem::Problem,
    store::{self, CanWrite, Scope, Tx, Write, Writing, proposals::Verdict, sessions::Held, tasks::Of},
};
use time::Duration;

/// A run that said nothing for so long is distilled as far as it came, and after so long it is over.
const IDLE: Duration = Duration::minutes(30);
const ABANDONED: Duration = Duration::hours(24);
/// Of a longer log the end is read.
const LONGEST_LOG: i64 = 20_000;
/// Of one finding, more runs than this add nothing.
const MOST_SIGHTINGS: usize = 20;
/// How much of what several runs looked for may come at once.
const MOST_AGAIN: usize = 3;

pub struct Ended {
    pub session: Session,
    pub episode: Option<Memory>,
    pub proposals: Vec<Proposal>,
}

pub(super) async fn end<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    id: SessionId,
    summary: Option<String>,
    found: Vec<Found>,
) -> Result<Ended, Problem> {
    persist(app, scope, id, &Closing { over: Some((SessionState::Ended, summary)), found, only_at: None }).await
}

/// What is to be done with a session.
struct Closing {
    /// That it is over, and how; else it only paused.
    over: Option<(SessionState, Option<String>)>,
    found: Vec<Found>,
    /// Only if its log has not grown since.
    only_at: Option<i64>,
}

async fn persist<P: CanWrite>(app: &App, scope: &Scope<P>, id: SessionId, closing: &Closing) -> Result<Ended, Problem> {
    let scope = &scope.in_run(crate::model::Run::Session(id));
    let mut tries = Tries::default();
    loop {
        let done = close(app, scope, id, closing).await;
        if !tries.again(&done) {
            return done;
        }
    }
}

/// Distils what nobody has distilled yet and, if the run is over, closes it.
async fn close<P: CanWrite>(app: &App, scope: &Scope<P>, id: SessionId, closing: &Closing) -> Result<Ended, Problem> {
    let Closing { over, found, only_at } = closing;
    let mut tx = app.db().write(scope).await?;
    let held = store::sessions::hold(&mut tx, id).await?;
    if scope.actor().kind != crate::model::ActorKind::System {
        must_be_own(scope, &held)?;
    }
    if held.state != SessionState::Running || only_at.is_some_and(|last| last != held.last) {
        // Said again: what was distilled is there.
        let ended = what_came(&mut tx, id).await?;
        tx.leave_as_is(held.episode).await?;
        return Ok(ended);
    }
    let mut trail = Vec::new();
    if let Some((state, summary)) = over {
        erased::refuse_line(app, &mut tx, summary.as_deref()).await?;
        let audit = AuditId::new();
        store::sessions::close(&mut tx, id, *state, clock::now(), summary.as_deref(), audit).await?;
        let action = if *state == SessionState::Ended { "session.ended" } else { "session.abandoned" };
        trail.push(Audit::session(audit, action, id));
    }
    if !found.is_empty() {
        trail.push(Audit::secrets("secrets.redacted", Some(("session", id.0)), found));
    }
    let summed_up = over.as_ref().is_some_and(|(_, summary)| summary.is_some());
    let worth_it = held.last > held.distilled || (over.is_some() && held.last > 0) || summed_up;
    if scope.settings().capture_policy != Mode::Off && worth_it {
        let summary = over.as_ref().and_then(|(_, summary)| summary.clone()).or_else(|| held.summary.clone());
        let distilled = distilled(&mut tx, id, &held, summary).await?;
        if over.is_some() && !distilled.pairs.is_empty() {
            let pairs: Vec<_> = distilled.pairs.iter().map(|pair| (pair.a.clone(), pair.b.clone(), pair.weight)).collect();
            store::code::put_pairs(&mut tx, id, held.project.as_deref(), &pairs, clock::now()).await?;
        }
        let (episode, entries) = write_episode(app, scope, &mut tx, id, &held, &distilled).await?;
        trail.extend(entries);
        for finding in &distilled.findings {
            trail.extend(propose(app, scope, &mut tx, id, &held, finding, &[]).await?);
        }
        for (finding, runs) in looked_for_again(&mut tx, id, &held, &distilled).await? {
            trail.extend(propose(app, scope, &mut tx, id, &held, &finding, &runs).await?);
        }
        let audit = AuditId::new();
        store::sessions::distilled(&mut tx, id, held.last, episode, audit).await?;
        trail.push(Audit::session(audit, "session.distilled", id));
    }
    // Before the commit: with an idempotency key that waits for the answer.
    let ended = what_came(&mut tx, id).await?;
    tx.shows(ended.session.episode_id);
    if trail.is_empty() {
        tx.leave_as_is([]).await?;
    } else {
        tx.commit(trail.into_iter().collect::<Trail>()).await?;
    }
    Ok(ended)
}

/// The session as it is, with what came of it.
async fn what_came(tx: &mut Tx<Write>, id: SessionId) -> Result<Ended, Problem> {
    let session = store::sessions::find(tx, id).await?;
    let episode = match session.episode_id {
        Some(id) => store::memories::find_some(tx, &[id]).await?.pop(),
        None => None,
    };
    let proposals =
        store::proposals::list(tx, &ProposalFilter { session: Some(id), ..Default::default() }, Limit::DEFAULT, None).await?.data;
    Ok(Ended { session, episode, proposals })
}

async fn distilled(tx: &mut Tx<Write>, id: SessionId, held: &Held, summary: Option<String>) -> Result<Distilled, Problem> {
    let events: Vec<Event> = store::sessions::log_in_short(tx, id, held.last - LONGEST_LOG).await?;
    let checkpoints = store::tasks::checkpoints(tx, Of::Session(id)).await?;
    let decided: Vec<MemoryId> = checkpoints.iter().flat_map(|one| one.decisions.iter().copied()).collect();
    // Whoever may read the run's project reads the episode: what is another project's, or private, is not told in it.
    let is_for_them = |project: &Option<String>| project.is_none() || *project == held.project;
    let mut decisions = store::memories::find_some(tx, &decided).await?;
    decisions.retain(|memory| is_for_them(&memory.project) && memory.visibility == Visibility::Workspace);
    let decisions: Vec<String> = decisions.into_iter().map(|memory| memory.title).collect();
    let task = match held.task {
        Some(task) => store::tasks::title(tx, task).await?,
        None => None,
    };
    let task = task.filter(|(_, project)| is_for_them(project)).map(|(title, _)| title);
    let last = checkpoints.into_iter().next_back().filter(|last| is_for_them(&last.project));
    let open: Vec<String> =
        last.iter().flat_map(|one| &one.progress).filter(|item| item.status != Progress::Completed).map(|item| item.item.clone()).collect();
    let (tool, project, cwd) = (held.agent_tool.clone(), held.project.clone(), held.cwd.clone());
    let next = last.and_then(|one| one.next_step);
    tokio::task::spawn_blocking(move || {
        distil::distil(&Run {
            tool: &tool,
            project: project.as_deref(),
            task: task.as_deref(),
            cwd: cwd.as_deref(),
            events: &events,
            decisions: &decisions,
            open: &open,
            next_step: next.as_deref(),
            summary: summary.as_deref(),
        })
    })
    .await
    .map_err(Problem::internal)
}

async fn write_episode<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    id: SessionId,
    held: &Held,
    distilled: &Distilled,
) -> Result<(Option<MemoryId>, Vec<Audit>), Problem> {
    let Some(episode) = &distilled.episode else { return Ok((None, Vec::new())) };
    let new = captured(id, held.project.as_deref(), Kind::Episode, &episode.title, &episode.content)?;
    if let Some(known) = held.episode {
        // Distilled before, when the run had paused: the same memory, told to its end.
        let entry = unless_barred(memories::rewrite(app, scope, tx, known, new).await)?;
        return Ok((Some(known), entry.into_iter().collect()));
    }
    let (written, entries) = write_down(app, scope, tx, new).await?;
    Ok((written.first().map(|one| one.memory().id), entries))
}

/// What this run looked for and others did before it, with those; what it taught alone is left out.
async fn looked_for_again(
    tx: &mut Tx<Write>,
    id: SessionId,
    held: &Held,
    distilled: &Distilled,
) -> Result<Vec<(Finding, Vec<SessionId>)>, Problem> {
    let project = held.project.as_deref();
    let looks: Vec<(String, &str)> = distilled.looks.iter().map(|look| (look.key(), look.path.as_str())).collect();
    if looks.is_empty() {
        return Ok(Vec::new());
    }
    store::looks::put(tx, id, project, &looks, clock::now()).await?;
    let enough = i64::try_from(distil::ENOUGH_RUNS).unwrap_or(i64::MAX);
    let mut again = Vec::new();
    for (key, mut runs) in store::looks::seen_in(tx, project, &looks, enough).await? {
        let Some(look) = distilled.looks.iter().find(|look| look.key() == key) else { continue };
        if distilled.findings.iter().any(|finding| finding.key == key) {
            continue;
        }
        let finding = look.in_runs(runs.len());
        runs.retain(|run| *run != id);
        runs.truncate(MOST_SIGHTINGS - 1);
        again.push((finding, runs));
    }
    again.truncate(MOST_AGAIN);
    Ok(again)
}

/// A finding becomes a proposal, or speaks for the one that is there; one that was rejected does not come back. `before` are
/// other runs that saw it.
async fn propose<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    id: SessionId,
    held: &Held,
    finding: &Finding,
    before: &[SessionId],
) -> Result<Vec<Audit>, Problem> {
    let project = held.project.as_deref();
    let sighting = Sighting { session_id: id, weight: finding.weight, events: finding.evidence.clone() };
    if let Some(known) = store::proposals::with_key(tx, project, &finding.key).await? {
        return seen_again(scope, tx, known, finding.kind, sighting).await;
    }
    let mut new = captured(id, project, finding.kind, &finding.title, &finding.content)?;
    let suspicious = cairn_secrets::speaks_to_the_model(&finding.content);
    let earlier = before.iter().map(|run| Sighting { session_id: *run, weight: finding.weight, events: Vec::new() });
    let sightings: Vec<Sighting> = earlier.chain([sighting]).collect();
    let confidence = distil::confidence(&sightings.iter().map(|one| one.weight).collect::<Vec<_>>());
    new.confidence = Some(confidence);
    new.proposed = Some(Proposed {
        origin: if suspicious.is_some() { Origin::Suspicious } else { Origin::Capture },
        key: Some(finding.key.clone()),
        reason: suspicious.map_or_else(|| finding.what.reason().to_owned(), |reason| format!("Its text {reason}.")),
        confidence,
        sightings,
        change: None,
    });
    let (_, entries) = write_down(app, scope, tx, new).await?;
    Ok(entries)
}

/// What may not be kept is left out: a run ends all the same.
async fn write_down<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    new: NewMemory,
) -> Result<(Vec<Remembered>, Vec<Audit>), Problem> {
    match unless_barred(Asked::admitted(app, scope, new).await.map(Some))? {
        Some(asked) => {
            // A run ends without waiting for that; a sweep follows.
            app.backlog().leave(scope.workspace());
            memories::put_down_or_leave(app, scope, tx, asked).await
        }
        None => Ok(Default::default()),
    }
}

async fn seen_again<P: CanWrite>(
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    known: Proposal,
    kind: Kind,
    sighting: Sighting,
) -> Result<Vec<Audit>, Problem> {
    let mut sightings = known.sightings;
    let seen = sightings.iter().any(|one| one.session_id == sighting.session_id);
    if known.state == ProposalState::Rejected || seen || sightings.len() >= MOST_SIGHTINGS {
        return Ok(Vec::new());
    }
    sightings.push(sighting);
    let confidence = distil::confidence(&sightings.iter().map(|one| one.weight).collect::<Vec<_>>());
    let audit = AuditId::new();
    store::proposals::seen_again(tx, known.id, &sightings, confidence, audit).await?;
    let mut entries = vec![Audit::proposal(audit, "proposal.seen_again", known.id, known.memory_id)];
    let sure = known.origin == Origin::Capture && waiting::is_sure(scope, kind, confidence);
    if known.state == ProposalState::Open && sure {
        entries.extend(unless_barred(accept(scope, tx, known.id, known.memory_id).await)?);
    }
    Ok(entries)
}

async fn accept<P: CanWrite>(scope: &Scope<P>, tx: &mut Tx<Write>, id: ProposalId, memory: MemoryId) -> Result<Vec<Audit>, Problem> {
    let (memory, entry) = memories::settle(tx, scope, memory, Settled::Known { instead_of: None }).await?;
    let audit = AuditId::new();
    let verdict = Verdict { state: ProposalState::Approved, by: scope.actor(), at: clock::now(), note: None, became: None, review: None };
    store::proposals::decide(tx, id, &verdict, audit).await?;
    Ok(vec![entry, Audit::proposal(audit, "proposal.approved", id, memory.id)])
}

fn captured(id: SessionId, project: Option<&str>, kind: Kind, title: &str, content: &str) -> Result<NewMemory, Problem> {
    let title = crate::acts::context::short(title, 200);
    Ok(NewMemory {
        title: Some(text::line("title", &title, 300)?),
        project: project.map(Project::parse).transpose()?,
        source: Some(Source { kind: SourceType::Session, reference: Some(id.to_string()), excerpt: None }),
        session_id: Some(id),
        ..NewMemory::of(Content::parse(content.to_owned())?, kind)
    })
}

/// Runs that have fallen silent: distilled after a while, and after a day over.
pub async fn close_quiet_ones(app: &App) -> Result<(), Problem> {
    let mut failed = Failed::default();
    for scope in everywhere(app, "quiet sessions").await? {
        failed.note(&scope, close_in(app, &scope).await);
    }
    failed.told()
}

async fn close_in(app: &App, scope: &Scope<Writing>) -> Result<(), Problem> {
    let now = clock::now();
    let quiet = store::sessions::quiet_since(&mut app.db().read(scope).await?, now - IDLE).await?;
    for one in quiet {
        let over = (now - one.heard >= ABANDONED).then_some((SessionState::Abandoned, None));
        if over.is_none() && one.last == one.distilled {
            continue;
        }
        let closing = Closing { over, found: Vec::new(), only_at: Some(one.last) };
        if let Err(problem) = persist(app, scope, one.id, &closing).await {
            tracing::warn!(?problem, session = %one.id, "a quiet session could not be looked after");
        }
    }
    Ok(())
}
