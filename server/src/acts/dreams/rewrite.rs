//! Where the operator named a chat endpoint, several texts are told as one better text: always a proposal, within a budget.
//! Whatever the endpoint does, the dream goes on.

use super::{
    apply::{key_of, reason},
    chat::{Chat, Draft, Failure, MOST_ANSWERED, Question},
    plan::Way,
    run::Running,
};
use crate::{
    acts::{
        memories::{self, Asked},
        unless_barred,
    },
    audit::Trail,
    config::Outside,
    engines::dream::{self, Act, Action, Known},
    model::{
        Kind, MemoryId, NewMemory, Project, Source,
        access::Mode,
        clock,
        dreams::{Deed, Done, Outcome, Spent, Stage, Why},
        memory::SourceType,
        proposals::{Change, Origin, Proposed},
        text::{self, Content},
    },
    problem::Problem,
    store,
};
use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

/// Tokens that a run may cost, questions and answers together.
const BUDGET: u32 = 50_000;
/// Of one cluster; longer ones are left as they are.
const LONGEST_QUESTION: u32 = 4000;
/// So long a run asks.
const PATIENCE: Duration = Duration::from_mins(5);
/// After so many unusable answers in a row it is not asked again.
const ENOUGH: u32 = 3;

/// Texts that say much the same.
struct Cluster<'a> {
    of: Vec<&'a Known>,
    why: Why,
    score: f32,
}

impl Cluster<'_> {
    fn ids(&self) -> Vec<MemoryId> {
        self.of.iter().map(|one| one.id).collect()
    }
}

pub(super) async fn rewrite(run: &mut Running, at: &Outside, planned: &[(Action, Way)], known: &[Known]) -> Result<(), Problem> {
    let chat = match Chat::at(at) {
        Ok(chat) => chat,
        Err(problem) => {
            tracing::warn!(problem, "dreams cannot ask the chat endpoint");
            return Ok(());
        }
    };
    let mut spent = Spent { budget: BUDGET, ..Spent::default() };
    let (began, mut in_a_row) = (Instant::now(), 0);
    for cluster in clusters(run, planned, known) {
        let question = Question::about(cluster.of.iter().map(|one| (one.title.as_str(), one.content.as_str())), clock::new_id());
        let fits = spent.sent + spent.received + question.tokens + MOST_ANSWERED <= BUDGET;
        if question.tokens > LONGEST_QUESTION || !fits || is_known(run, &cluster).await? {
            continue;
        }
        let (answer, came_back) = chat.ask(&question).await;
        (spent.asked, spent.sent, spent.received) = (spent.asked + 1, spent.sent + question.tokens, spent.received + came_back);
        match answer.and_then(|draft| checked(&cluster, draft)) {
            Ok(draft) => {
                in_a_row = 0;
                put_up(run, &cluster, draft).await?;
            }
            Err(failure) => {
                tracing::warn!(%failure, dream = %run.dream.id, "a better text could not be had");
                (spent.failed, in_a_row) = (spent.failed + 1, in_a_row + 1);
                if failure.is_away() || in_a_row >= ENOUGH {
                    break;
                }
            }
        }
        if began.elapsed() > PATIENCE {
            break;
        }
    }
    run.tally.llm = Some(spent);
    Ok(())
}

/// What says much the same and not quite: the largest first. Decisions are never told anew.
fn clusters<'a>(run: &Running, planned: &[(Action, Way)], known: &'a [Known]) -> Vec<Cluster<'a>> {
    let by_id: HashMap<MemoryId, &Known> = known.iter().map(|one| (one.id, one)).collect();
    let mut found: BTreeMap<MemoryId, Cluster> = BTreeMap::new();
    for (action, _) in planned {
        let Act::Merge { away, into } = action.act else { continue };
        let (Some(stays), Some(other)) = (by_id.get(&into), by_id.get(&away)) else { continue };
        let differ = matches!(action.why, Why::SaysMore | Why::AlmostSame);
        if differ && stays.kind != Kind::Decision && run.manners.mode(stays.kind) != Mode::Off {
            let cluster = found.entry(into).or_insert_with(|| Cluster { of: vec![*stays], why: action.why, score: action.score });
            cluster.of.push(other);
            cluster.score = cluster.score.min(action.score);
        }
    }
    let mut clusters: Vec<Cluster> = found.into_values().collect();
    clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.of.len()));
    clusters
}

/// Whether it was put up before, whatever became of it.
async fn is_known(run: &Running, cluster: &Cluster<'_>) -> Result<bool, Problem> {
    let mut tx = run.app.db().write(&run.scope).await?;
    let project = cluster.of[0].project.as_deref();
    Ok(store::proposals::with_key(&mut tx, project, &key_of(Deed::Rewrite, &cluster.ids())).await?.is_some())
}

/// A text that says something, no longer than what it is made of, and invents neither number nor name.
fn checked(cluster: &Cluster, draft: Draft) -> Result<(String, Content), Failure> {
    let title = text::line("title", &draft.title, 300).map_err(|_| Failure::Garbage("has no title of one line"))?;
    let content = Content::parse(draft.content).map_err(|_| Failure::Garbage("has no text"))?;
    let told: usize = cluster.of.iter().map(|one| one.title.len() + one.content.len()).sum();
    if content.as_str().len() > told {
        return Err(Failure::Garbage("is longer than all that it is made of"));
    }
    let texts = cluster.of.iter().map(|one| (one.title.as_str(), one.content.as_str()));
    if dream::invents(texts, &title, content.as_str()) {
        return Err(Failure::Garbage("says what none of the texts says"));
    }
    Ok((title, content))
}

async fn put_up(run: &mut Running, cluster: &Cluster<'_>, (title, content): (String, Content)) -> Result<(), Problem> {
    let ids = cluster.ids();
    let change = Change::Remember { instead_of: ids.clone() };
    let suspicious = cairn_secrets::speaks_to_the_model(content.as_str());
    let origin = if suspicious.is_some() { Origin::Suspicious } else { Origin::Dream };
    let why = suspicious.map_or_else(|| reason(&change, cluster.why), |reason| format!("Its text {reason}."));
    let proposed =
        Proposed { key: Some(key_of(Deed::Rewrite, &ids)), change: Some(change), ..Proposed::because(origin, why, cluster.score) };
    let best = cluster.of[0];
    let new = NewMemory {
        title: Some(title),
        tags: best.tags.clone(),
        project: best.project.as_deref().map(Project::parse).transpose()?,
        source: Some(Source { kind: SourceType::Import, reference: Some(format!("dream {}", run.dream.id)), excerpt: None }),
        confidence: Some(best.confidence),
        proposed: Some(proposed),
        ..NewMemory::of(content, best.kind)
    };
    let mut done = Done {
        deed: Deed::Rewrite,
        why: cluster.why,
        score: cluster.score,
        outcome: Outcome::Known,
        memory: best.id,
        others: ids[1..].to_vec(),
        made: None,
        proposal: None,
        conflict: None,
    };
    let mut tx = run.app.db().write(&run.scope).await?;
    // The endpoint took its time: what was changed or erased meanwhile is not told anew.
    let held = store::memories::find_some_to_change(&mut tx, &ids).await?;
    if held.len() != ids.len() || held.iter().any(|memory| run.versions.get(&memory.id) != Some(&memory.version)) {
        run.note([Done { outcome: Outcome::Changed, ..done }]);
        return Ok(());
    }
    if let Some(asked) = unless_barred(Asked::admitted(&run.app, &run.scope, new).await.map(Some))? {
        let (made, trail) = unless_barred(memories::put_down(&run.app, &run.scope, &mut tx, &[asked]).await)?;
        if !trail.is_empty() {
            (done.made, done.outcome) = (made.first().map(|one| one.memory().id), Outcome::Proposed);
            return run.put_down(tx, Stage::Rewriting, [done], trail.into_iter().collect::<Trail>()).await;
        }
    }
    run.note([done]);
    Ok(())
}
