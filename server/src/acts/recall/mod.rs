//! Recalling: the index finds, Postgres tells under the asker's scope, a receipt is kept, and then the answer leaves.

mod census;
mod endpoint;
mod library;
mod meaning;
mod near;
mod read;
mod receipts;
mod shelf;
mod telling;
mod vectors;

pub use census::census;
pub(super) use census::{Code, doubted, hung_below, hung_in};
pub use library::Library;
pub use meaning::Wanted;
pub(super) use near::{NearTo, near};
pub use read::{Read, read};
pub use receipts::{AsTold, Shown, judge, last_told, list, show};
pub use vectors::Making;

use crate::{
    App,
    acts::safety,
    engines::{
        freshness::{Freshness, Judgement},
        recall::{AskedAnchor, Filter, Hit, Index, Question, Viewer, Weights, rank, semantic::Vector},
    },
    model::{
        Memory, MemoryId, PersonId, Project, clock,
        recall::{Recall, Receipt, Text, Told},
        text::nfc,
    },
    problem::Problem,
    store::{
        self, Permission, Scope, StoodLately,
        recall::{Changes, Doubts},
    },
};
use shelf::{Follow, Shelf};
use std::{sync::Arc, time::Instant};
use telling::{Foreseen, Kept, Telling};
use time::OffsetDateTime;
use uuid::Uuid;

/// Read beyond what was asked for, to fill the places of near-duplicates and of what does not fit.
const SPARE: usize = 3;
/// How much further is looked where that was not enough.
const FURTHER: usize = 4;

pub struct Answer {
    pub receipt: Receipt,
    pub items: Vec<Item>,
    /// What the left-out ones would have cost.
    pub omitted_tokens: u32,
    /// What the asker should know about how this was found.
    pub notes: Vec<String>,
    /// The branch that code was judged on, if it was not the main one of each repository.
    pub branch: Option<String>,
}

pub struct Item {
    pub told: Told,
    pub memory: Text,
    /// As much of it as was asked for.
    pub text: Option<String>,
    pub freshness: Judgement,
    /// What it does, if it speaks to the model instead of stating something.
    pub flagged: Option<&'static str>,
}

impl Item {
    fn speaks_to_the_model(&self) -> Option<&'static str> {
        [self.text.as_deref(), self.memory.title.as_deref()].into_iter().flatten().find_map(cairn_secrets::speaks_to_the_model)
    }
}

/// A question, and as much of its answer as could be got ready before it was known whether whoever asks may ask.
pub struct Ready {
    asked: Arc<Recall>,
    started: Instant,
    now: OffsetDateTime,
    found: Option<Found>,
    /// What it asked for was erased when the answer was about to leave: its words are kept nowhere.
    unsaid: bool,
}

/// What a search found, and whether the index had everything.
struct Found {
    asking: Arc<Asking>,
    hits: Vec<Hit>,
    changes: Changes,
    note: Option<String>,
}

impl Ready {
    pub fn new(mut asked: Recall) -> Self {
        safety::clean_question(&mut asked.query);
        Self { asked: Arc::new(asked), started: Instant::now(), now: clock::now(), found: None, unsaid: false }
    }

    /// Searches for whoever asks as they stood a moment ago, in an index that is there, by what needs nobody else.
    pub async fn ahead(app: &App, stood: &StoodLately, asked: Recall) -> Self {
        let mut ready = Self::new(asked);
        let plain = ready.asked.as_of.is_none() && ready.asked.anchors.is_empty();
        let shelf = app.library().built(app.db(), stood.shelf_mark(), stood.settings()).filter(|shelf| plain && !shelf.by.is_outside());
        if let Some(shelf) = shelf {
            let (vector, note) = shelf.by.direction_of(&ready.asked.query).await;
            let asking = Arc::new(Asking {
                shelf,
                asked: ready.asked.clone(),
                vector,
                places: Vec::new(),
                wall: stood.project().cloned(),
                person: stood.person(),
                moment: ready.now,
            });
            ready.found = look(app, asking, note).await.ok();
        }
        ready
    }

    /// The question alone: whoever asks stands otherwise by now.
    #[must_use]
    pub fn anew(self) -> Self {
        Self { found: None, ..self }
    }

    /// The same question once more, when some of what it was to be answered with is gone.
    fn once_more(&self) -> Self {
        Self { asked: self.asked.clone(), started: self.started, now: self.now, found: None, unsaid: true }
    }
}

/// Find what is known, the most trustworthy first, within the budget.
pub async fn recall<P: Permission>(app: &App, scope: &Scope<P>, surface: &str, asked: Recall) -> Result<Answer, Problem> {
    answer(app, scope, surface, Ready::new(asked)).await
}

/// The same, with what was got ready for this very asker.
pub async fn answer<P: Permission>(app: &App, scope: &Scope<P>, surface: &str, ready: Ready) -> Result<Answer, Problem> {
    let once_more = ready.once_more();
    if let Some(answer) = answer_once(app, scope, surface, ready).await? {
        return Ok(answer);
    }
    Box::pin(answer_once(app, scope, surface, once_more)).await?.ok_or_else(erased_meanwhile)
}

/// Of what is told, something is erased at every try.
pub(super) fn erased_meanwhile() -> Problem {
    Problem::Unavailable("What was found is being erased at this moment; ask again.".into())
}

/// Nothing if some of the answer is gone by the time it could leave.
async fn answer_once<P: Permission>(app: &App, scope: &Scope<P>, surface: &str, ready: Ready) -> Result<Option<Answer>, Problem> {
    let Ready { mut asked, started, now, mut found, unsaid } = ready;
    let (branch, unknown) = known_branch(app, scope, &asked).await?;
    if asked.branch.is_none() && branch.is_some() {
        // What was searched ahead was judged on the default branches.
        (found, Arc::make_mut(&mut asked).branch) = (None, branch.clone());
    }
    let moment = asked.as_of.unwrap_or(now);
    let telling = Telling { scope, surface, asked: &asked, started, now, moment, unsaid };
    let ((asking, hits, note), then) = match (found, asked.as_of) {
        (Some(found), None) => (brought_up_to_date(app, scope, found).await?, None),
        (_, as_of) => {
            let shelf = app.library().shelf(app.db(), scope.shelf_mark(), scope.settings()).await?;
            let (vector, note) = shelf.by.direction_of(&asked.query).await;
            let asking = Asking::new(app, scope, &shelf, &asked, vector, moment).await?;
            match as_of {
                None => (brought_up_to_date(app, scope, look(app, asking, note).await?).await?, None),
                Some(then) => {
                    let (hits, texts) = found_then(app, scope, &asking, then).await?;
                    ((asking, hits, note), Some(texts))
                }
            }
        }
    };
    let kept = match telling.foreseen(app, &asking.shelf, &hits).await? {
        Foreseen::Told(kept) => Some(*kept),
        Foreseen::Gone => None,
        Foreseen::Nothing => {
            let texts = match then {
                Some(texts) => texts,
                None => texts_of(app, scope, &asking.shelf, &hits).await?,
            };
            let (mut items, mut packed) = telling.pack(&hits, with_doubts(texts, doubts_of(app, scope, &hits).await?));
            if asking.may_find_more(&hits, &items) {
                let hits = search(&asking, asking.most() * FURTHER).await?;
                let texts = texts_of(app, scope, &asking.shelf, &hits).await?;
                (items, packed) = telling.pack(&hits, with_doubts(texts, doubts_of(app, scope, &hits).await?));
            }
            telling.keep(app, items, &packed).await?
        }
    };
    let notes = note.into_iter().chain(unknown).collect();
    Ok(kept.map(|Kept { receipt, items, omitted_tokens }| Answer { receipt, items, omitted_tokens, notes, branch }))
}

/// What is nearest to a text, best first, for the house's own use: nobody is told, so there is no receipt.
pub(super) async fn similar<P: Permission>(app: &App, scope: &Scope<P>, asked: Recall) -> Result<Vec<Memory>, Problem> {
    let shelf = app.library().shelf(app.db(), scope.shelf_mark(), scope.settings()).await?;
    let (vector, _) = shelf.by.direction_of(&asked.query).await;
    let limit = asked.limit;
    let asking = Asking::new(app, scope, &shelf, &Arc::new(asked), vector, clock::now()).await?;
    let (_, hits, _) = brought_up_to_date(app, scope, look(app, asking, None).await?).await?;
    let ids: Vec<MemoryId> = hits.iter().take(limit).map(|hit| hit.id).collect();
    store::memories::find_some(&mut app.db().read(scope).await?, &ids).await
}

/// Searches what the index has, and meanwhile asks Postgres whether that is everything.
async fn look(app: &App, asking: Arc<Asking>, note: Option<String>) -> Result<Found, Problem> {
    asking.shelf.is_asked();
    let since = asking.shelf.horizon();
    // The look is on its way when the search begins, and mostly back when it ends.
    let (changes, hits) = tokio::join!(app.db().changes(asking.shelf.mark(), since), search(&asking, asking.most()));
    asking.shelf.must_be_of(app.db())?;
    Ok(Found { hits: hits?, changes: changes?, asking, note })
}

/// What was found, after another search if the index did not have everything. What changed after the question was asked need not
/// be in the answer.
async fn brought_up_to_date<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    found: Found,
) -> Result<(Arc<Asking>, Vec<Hit>, Option<String>), Problem> {
    let Found { asking, mut hits, changes, note } = found;
    if !changes.is_empty() {
        asking.shelf.take_in(app.db(), &changes).await?;
        app.library().make_room(scope.workspace());
        hits = search(&asking, asking.most()).await?;
    }
    Ok((asking, hits, note))
}

/// As the workspace was: what has not changed since is in the index, and the rest is ranked beside it.
async fn found_then<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    asking: &Arc<Asking>,
    then: OffsetDateTime,
) -> Result<(Vec<Hit>, Vec<Text>), Problem> {
    let shelf = &asking.shelf;
    shelf.is_asked();
    let changes = app.db().changes(scope.shelf_mark(), shelf.horizon()).await?;
    shelf.must_be_of(app.db())?;
    shelf.take_in(app.db(), &changes).await?;
    let look_back = app.library().look_back().await?;
    let (since, older) = shelf.as_of(app.db(), then).await?;
    let asking = asking.clone();
    // As far as the second look at the present goes: this one is not made twice.
    let hits = tokio::task::spawn_blocking(move || {
        asking.put(asking.most() * FURTHER, |index, question| index.search_with(question, Some(&|id, _| !since.contains(&id)), &older))
    })
    .await
    .map_err(Problem::internal)?;
    drop(look_back);
    let mut texts = texts_of(app, scope, shelf, &hits).await?;
    // What was changed while the pages were read may stand in the index as it is now.
    texts.retain(|text| text.updated_at <= then);
    Ok((hits, texts))
}

async fn search(asking: &Arc<Asking>, most: usize) -> Result<Vec<Hit>, Problem> {
    let few = asking.shelf.read().len() < rank::MANY;
    let asking = asking.clone();
    let look = move || asking.put(most, Index::search);
    if few {
        return Ok(look());
    }
    // Here, with the other tasks handed to another thread: being woken up twice takes longer than that.
    match tokio::runtime::Handle::current().runtime_flavor() {
        tokio::runtime::RuntimeFlavor::MultiThread => Ok(tokio::task::block_in_place(look)),
        _ => tokio::task::spawn_blocking(look).await.map_err(Problem::internal),
    }
}

/// Everything that a search needs, wherever it runs.
struct Asking {
    shelf: Arc<Shelf>,
    asked: Arc<Recall>,
    /// The question's own, by the model that made the index's.
    vector: Option<Vector>,
    places: Vec<AskedAnchor>,
    wall: Option<Project>,
    person: Option<PersonId>,
    moment: OffsetDateTime,
}

impl Asking {
    async fn new<P: Permission>(
        app: &App,
        scope: &Scope<P>,
        shelf: &Arc<Shelf>,
        asked: &Arc<Recall>,
        vector: Option<Vector>,
        moment: OffsetDateTime,
    ) -> Result<Arc<Self>, Problem> {
        Ok(Arc::new(Self {
            shelf: shelf.clone(),
            asked: asked.clone(),
            vector,
            places: places_of(app, scope, asked).await?,
            wall: scope.project().cloned(),
            person: scope.person(),
            moment,
        }))
    }

    /// How many are looked at first.
    fn most(&self) -> usize {
        self.asked.limit + SPARE
    }

    /// Whether near-duplicates or too long ones took the places of others that may follow. A budget that is spent is an answer.
    fn may_find_more(&self, hits: &[Hit], items: &[Item]) -> bool {
        let was_full = self.asked.as_of.is_none() && hits.len() >= self.most();
        was_full && items.len() < self.asked.limit && (items.is_empty() || items.iter().any(|item| !item.told.folded.is_empty()))
    }

    fn put(&self, most: usize, search: impl FnOnce(&Index, &Question<'_>) -> Vec<Hit>) -> Vec<Hit> {
        let (filter, weights) = (filter_of(&self.asked), Weights::default());
        let question = Question {
            query: &self.asked.query,
            vector: self.vector.as_ref(),
            filter: &filter,
            viewer: Viewer { person: self.person, project: self.wall.as_ref().map(Project::as_str) },
            anchors: &self.places,
            now: self.moment.unix_timestamp(),
            limit: most,
            weights: &weights,
        };
        search(&self.shelf.read(), &question)
    }
}

/// The branch that was asked for, or else the one that the run works on; or what to say when nobody has seen it.
async fn known_branch<P: Permission>(app: &App, scope: &Scope<P>, asked: &Recall) -> Result<(Option<String>, Option<String>), Problem> {
    const UNKNOWN: &str = "No snapshot of that branch is known: code was judged on the default branch of each repository.";
    let Some(branch) = asked.branch.clone() else {
        return match asked.session_id {
            Some(run) => Ok((store::code::side_branch_of_run(&mut app.db().read(scope).await?, run).await?, None)),
            None => Ok((None, None)),
        };
    };
    Ok(match store::code::known_branch(&mut app.db().read(scope).await?, &branch).await? {
        Some(true) => (Some(branch), None),
        Some(false) => (None, Some(UNKNOWN.to_owned())),
        None => (None, None),
    })
}

/// What the index doubts is told with the reasons, as far as it does not have them: those of age are in the texts.
async fn doubts_of<P: Permission>(app: &App, scope: &Scope<P>, hits: &[Hit]) -> Result<Vec<Doubts>, Problem> {
    let doubted: Vec<MemoryId> = hits.iter().filter(|hit| hit.freshness != Freshness::Fresh && hit.spoken_of).map(|hit| hit.id).collect();
    if doubted.is_empty() { Ok(Vec::new()) } else { app.db().doubts(scope, &doubted).await }
}

fn with_doubts(mut texts: Vec<Text>, doubts: Vec<Doubts>) -> Vec<Text> {
    for (id, code, contested) in doubts {
        if let Some(text) = texts.iter_mut().find(|text| text.id == id) {
            (text.code, text.contested) = (code, contested);
        }
    }
    texts
}

fn filter_of(asked: &Recall) -> Filter {
    Filter {
        project: asked.project.clone(),
        kinds: asked.kinds.clone(),
        tags: asked.tags.clone(),
        path_prefix: asked.path_prefix.as_deref().map(|prefix| nfc(prefix).into_owned()),
        store: asked.store.map(|store| store.0),
        author: asked.author,
        states: asked.states.clone(),
        freshness: asked.freshness.clone(),
        branch: asked.branch.clone(),
        anchor_paths: asked.anchors.iter().filter(|_| asked.only_anchored).map(|at| at.path.clone()).collect(),
        leave_out_stale: !asked.include_stale,
    }
}

/// The code that was asked about and, weighing less, the files that runs used together with it.
async fn places_of<P: Permission>(app: &App, scope: &Scope<P>, asked: &Recall) -> Result<Vec<AskedAnchor>, Problem> {
    /// What a companion weighs of what was asked for, and how many there may be.
    const COMPANION: f32 = 0.5;
    const MOST: i64 = 16;
    let place = |at: &crate::model::recall::Place| AskedAnchor {
        repo: at.repo.clone(),
        path: at.path.clone(),
        symbol: at.symbol.clone(),
        weight: 1.0,
    };
    let mut places: Vec<AskedAnchor> = asked.anchors.iter().map(place).collect();
    if !places.is_empty() {
        let paths: Vec<String> = asked.anchors.iter().map(|at| at.path.clone()).collect();
        let mut tx = app.db().read(scope).await?;
        let companions = store::code::companions(&mut tx, asked.project.as_deref(), &paths, MOST).await?;
        let beside = |(path, close)| AskedAnchor { repo: None, path, symbol: None, weight: COMPANION * close };
        places.extend(companions.into_iter().map(beside));
    }
    Ok(places)
}

async fn texts_of<P: Permission>(app: &App, scope: &Scope<P>, shelf: &Shelf, hits: &[Hit]) -> Result<Vec<Text>, Problem> {
    let (versions, authors) = named(hits);
    let texts = app.db().texts(scope, &versions, &authors).await?;
    shelf.must_be_of(app.db())?;
    Ok(texts)
}

/// Which versions were found, and whoever wrote them first.
fn named(hits: &[Hit]) -> (Vec<(MemoryId, i32)>, Vec<Uuid>) {
    let mut authors: Vec<_> = hits.iter().map(|hit| hit.author).collect();
    authors.sort_unstable();
    authors.dedup();
    (hits.iter().map(|hit| (hit.id, hit.version)).collect(), authors)
}

/// Brings the indexes that are in memory up to date, so that what was erased is gone from those too that nobody asks.
pub async fn look_around(app: &App) {
    for shelf in app.library().shelves() {
        let looked = async {
            let changes = app.db().changes(shelf.mark(), shelf.horizon()).await?;
            match shelf.follow(&changes, app.backlog().is_flooded()) {
                Follow::All if shelf.is_of(app.db()) => shelf.take_in(app.db(), &changes).await?,
                some @ (Follow::Known | Follow::Gone) if shelf.is_of(app.db()) => shelf.take_in_some(app.db(), &changes, some).await?,
                _ => {
                    app.library().put_away(shelf.mark().workspace());
                    return Ok(());
                }
            }
            app.library().renew(app.db(), &shelf).await
        };
        if let Err(problem) = looked.await {
            tracing::debug!(?problem, workspace = %shelf.mark().workspace(), "an index could not be brought up to date");
        }
    }
}

/// Whether an index in memory has a memory. What was erased is in none after a few seconds, asked or not.
pub fn is_indexed(app: &App, memory: MemoryId) -> bool {
    app.library().knows(memory)
}

/// Builds the indexes of the workspaces that were at work last, as far as there is room.
pub async fn warm_up(app: &App) {
    let Ok(busy) = app.db().busy_workspaces().await else { return };
    for (mark, settings) in busy {
        if app.library().is_full() {
            return;
        }
        if let Err(problem) = app.library().shelf(app.db(), mark, &settings).await {
            tracing::warn!(?problem, workspace = %mark.workspace(), "an index could not be built ahead");
        }
    }
}
