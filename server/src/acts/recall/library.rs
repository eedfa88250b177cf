//! The indexes that are in memory: one per workspace, least recently used out first.

use super::{endpoint::Endpoint, meaning::Wanted, shelf::Shelf};
use crate::{
    model::{MemoryId, Settings, WorkspaceId},
    problem::Problem,
    store::{Db, ShelfMark},
};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};

pub struct Library {
    places: Mutex<HashMap<WorkspaceId, Place>>,
    most_bytes: usize,
    wanted: Wanted,
    /// Workspaces whose index is being built anew, by another model.
    renewing: Mutex<HashSet<WorkspaceId>>,
    /// Looks into the past may have to read everything that changed since: a few at a time.
    looks_back: Semaphore,
}

/// How many ask for the past at the same moment; the others wait.
const LOOKS_BACK: usize = 2;

#[derive(Clone)]
struct Place {
    /// Set when it is built; those who come earlier wait.
    shelf: Arc<OnceCell<Arc<Shelf>>>,
    settings: Settings,
    used: Instant,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Library")
    }
}

impl Library {
    pub fn new(most_mb: u32, wanted: Wanted) -> Self {
        Self {
            places: Mutex::default(),
            most_bytes: most_mb as usize * 1024 * 1024,
            wanted,
            renewing: Mutex::default(),
            looks_back: Semaphore::new(LOOKS_BACK),
        }
    }

    /// The outside model's, if the settings want one.
    pub(crate) fn endpoint(&self) -> Option<&Arc<Endpoint>> {
        match &self.wanted {
            Wanted::Outside(endpoint) => Some(endpoint),
            Wanted::Nothing | Wanted::Builtin => None,
        }
    }

    /// Held for as long as the past is looked at.
    pub(super) async fn look_back(&self) -> Result<SemaphorePermit<'_>, Problem> {
        self.looks_back.acquire().await.map_err(Problem::internal)
    }

    /// The workspace's index, if it is there.
    pub(super) fn built(&self, db: &Db, mark: ShelfMark, settings: &Settings) -> Option<Arc<Shelf>> {
        self.place(db, mark, settings).shelf.get().cloned()
    }

    /// The workspace's index, built if it is not there.
    pub(super) async fn shelf(self: &Arc<Self>, db: &Db, mark: ShelfMark, settings: &Settings) -> Result<Arc<Shelf>, Problem> {
        let place = self.place(db, mark, settings);
        if let Some(shelf) = place.shelf.get() {
            return Ok(shelf.clone());
        }
        // In a task of its own: whoever asked may have left before a large index is built.
        let (library, db, settings) = (self.clone(), db.clone(), settings.clone());
        tokio::spawn(async move {
            let make = async || Shelf::build(&db, mark, settings, library.wanted.in_service(&db, mark).await?).await;
            let built = place.shelf.get_or_try_init(make).await.cloned();
            library.make_room(mark.workspace());
            built
        })
        .await
        .map_err(Problem::internal)?
    }

    /// When another model's vectors have become complete, an index of those is built aside, and takes the place of this one.
    pub(super) async fn renew(self: &Arc<Self>, db: &Db, old: &Shelf) -> Result<(), Problem> {
        if self.endpoint().is_none() {
            return Ok(());
        }
        let (mark, by) = (old.mark(), self.wanted.in_service(db, old.mark()).await?);
        if by.model() == old.by.model() || !self.renewing().insert(mark.workspace()) {
            return Ok(());
        }
        let (library, db, settings) = (self.clone(), db.clone(), old.settings.clone());
        tokio::spawn(async move {
            match Shelf::build(&db, mark, settings, by).await {
                Ok(new) => library.replace(new),
                Err(problem) => tracing::warn!(?problem, workspace = %mark.workspace(), "an index could not be built anew"),
            }
            library.renewing().remove(&mark.workspace());
        });
        Ok(())
    }

    /// Unless it was put away meanwhile, or belongs to other settings.
    fn replace(&self, new: Arc<Shelf>) {
        let workspace = new.mark().workspace();
        if let Some(place) = self.lock().get_mut(&workspace)
            && place.settings.review_ages() == new.settings.review_ages()
        {
            place.shelf = Arc::new(OnceCell::new_with(Some(new)));
        }
        self.make_room(workspace);
    }

    fn renewing(&self) -> MutexGuard<'_, HashSet<WorkspaceId>> {
        self.renewing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, db: &Db, mark: ShelfMark, settings: &Settings) -> Place {
        let mut places = self.lock();
        let now = Instant::now();
        let fresh = || Place { shelf: Arc::default(), settings: settings.clone(), used: now };
        let place = places.entry(mark.workspace()).or_insert_with(fresh);
        let elsewhere = place.shelf.get().is_some_and(|shelf| !shelf.is_of(db));
        if elsewhere || place.settings.review_ages() != settings.review_ages() {
            *place = fresh();
        }
        place.used = now;
        place.clone()
    }

    /// Those that are built.
    pub(super) fn shelves(&self) -> Vec<Arc<Shelf>> {
        self.lock().values().filter_map(|place| place.shelf.get().cloned()).collect()
    }

    pub(super) fn knows(&self, memory: MemoryId) -> bool {
        self.shelves().iter().any(|shelf| shelf.read().version_of(memory).is_some())
    }

    /// Which workspaces' indexes are built: their bytes, and how many memories they know.
    pub fn loaded(&self) -> Vec<(WorkspaceId, usize, usize)> {
        self.shelves().iter().map(|shelf| (shelf.mark().workspace(), shelf.bytes(), shelf.read().len())).collect()
    }

    pub fn bytes(&self) -> usize {
        self.shelves().iter().map(|shelf| shelf.bytes()).sum()
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes() >= self.most_bytes
    }

    /// Whoever was asked longest ago goes; the one in use stays, however large.
    pub(super) fn make_room(&self, in_use: WorkspaceId) {
        loop {
            let bytes = self.bytes();
            metrics::gauge!("cairn_recall_index_bytes").set(f64::from(u32::try_from(bytes / 1024).unwrap_or(u32::MAX)) * 1024.0);
            if bytes <= self.most_bytes {
                return;
            }
            let mut places = self.lock();
            let oldest = places
                .iter()
                .filter(|(id, place)| **id != in_use && place.shelf.initialized())
                .min_by_key(|(_, place)| place.used)
                .map(|(id, _)| *id);
            let Some(oldest) = oldest else {
                tracing::warn!(workspace = %in_use, bytes, "one index alone takes more than CAIRN_RECALL_CACHE_MB");
                return;
            };
            places.remove(&oldest);
            tracing::info!(workspace = %oldest, "index put away to make room");
        }
    }

    /// It is built again when somebody asks.
    pub(super) fn put_away(&self, workspace: WorkspaceId) {
        self.lock().remove(&workspace);
        tracing::debug!(%workspace, "an index that nobody asks was put away");
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<WorkspaceId, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
