//! What lies near a text, for the house's own use: the index is brought up to date once for any number of texts, and
//! nobody is told anything, so there is no receipt.

use super::meaning::{By, text_of};
use crate::{
    App,
    engines::recall::{Filter, Index, Question, Viewer, Weights, rank, semantic::Model},
    model::{Kind, MemoryId, PersonId, Project, State, clock},
    problem::Problem,
    store::{Permission, Scope},
};

/// Of a longer text the beginning says what it is about.
const LONGEST: usize = 2000;
/// More texts than this are looked at aside.
const FEW: usize = 4;

/// A text whose neighbours are wanted: those of its project and of the whole workspace, or all if it has none.
pub(in crate::acts) struct NearTo {
    pub title: String,
    pub content: String,
    pub project: Option<String>,
}

/// For each text the active memories nearest to it, at least so near, with how near; episodes are left out.
pub(in crate::acts) async fn near<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    texts: Vec<NearTo>,
    most: usize,
    least: f32,
) -> Result<Vec<Vec<(MemoryId, f32)>>, Problem> {
    let shelf = app.library().shelf(app.db(), scope.shelf_mark(), scope.settings()).await?;
    let changes = app.db().changes(scope.shelf_mark(), shelf.horizon()).await?;
    shelf.must_be_of(app.db())?;
    shelf.take_in(app.db(), &changes).await?;
    app.library().make_room(scope.workspace());
    let aside = texts.len() > FEW || shelf.read().len() >= rank::MANY;
    let seeker = Seeker { wall: scope.project().cloned(), person: scope.person(), most, least };
    let seek = move || {
        let index = shelf.read();
        texts.iter().map(|text| seeker.seek(&index, &shelf.by, text)).collect()
    };
    if aside { tokio::task::spawn_blocking(seek).await.map_err(Problem::internal) } else { Ok(seek()) }
}

struct Seeker {
    wall: Option<Project>,
    person: Option<PersonId>,
    most: usize,
    least: f32,
}

impl Seeker {
    fn seek(&self, index: &Index, by: &By, text: &NearTo) -> Vec<(MemoryId, f32)> {
        let whole = text_of(&text.title, &text.content);
        let query = &whole[..whole.floor_char_boundary(LONGEST)];
        // An outside model is not asked for every write: its index is searched by words.
        let vector = if matches!(by, By::Builtin) { Model::builtin().embed(query) } else { None };
        let filter = Filter {
            project: text.project.clone(),
            kinds: Kind::ALL.iter().filter(|kind| **kind != Kind::Episode).copied().collect(),
            states: vec![State::Active],
            ..Filter::default()
        };
        let question = Question {
            query,
            vector: vector.as_ref(),
            filter: &filter,
            viewer: Viewer { person: self.person, project: self.wall.as_ref().map(Project::as_str) },
            anchors: &[],
            now: clock::now().unix_timestamp(),
            limit: self.most,
            weights: &Weights::default(),
        };
        if vector.is_some() {
            return index.near(&question).into_iter().filter(|(_, near)| *near >= self.least).collect();
        }
        index.search(&question).into_iter().map(|hit| (hit.id, hit.score)).collect()
    }
}
