//! Making the vectors of an outside model, in the background: for every memory whose text has none yet, as soon as it is there.
//! What is made is kept at once, so whoever is interrupted goes on where it stopped.

use super::{
    endpoint::{Endpoint, Failure},
    meaning::{pack, text_of},
};
use crate::{
    App,
    engines::recall::semantic::{Vector, windows},
    model::{MemoryId, WorkspaceId},
    problem::Problem,
    store::{Db, ShelfMark, recall::NOTHING_YET, vectors::ToEmbed},
};
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

/// Memories looked at, and embedded, at a time.
const PAGE: usize = 5000;
const AT_ONCE: usize = 16;
const TELL_EVERY: Duration = Duration::from_secs(10);

/// How far one server has come in each workspace.
pub struct Making {
    db: Db,
    endpoint: Arc<Endpoint>,
    workspaces: HashMap<WorkspaceId, Progress>,
    told: Instant,
}

#[derive(Default)]
struct Progress {
    /// Everything that changed before it has its vectors; nothing while the whole workspace has to be looked through.
    horizon: Option<u64>,
    dimensions: Option<usize>,
    pending: u64,
    made: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum Interrupted {
    #[error("{0}")]
    Endpoint(#[from] Failure),
    #[error("{0:?}")]
    Database(Problem),
    #[error(
        "its vectors are {now} numbers long and were {before}: another model under the same name? Give it another one in CAIRN_EMBEDDINGS_MODEL"
    )]
    OtherLength { before: usize, now: usize },
}

impl From<Problem> for Interrupted {
    fn from(problem: Problem) -> Self {
        Self::Database(problem)
    }
}

impl Making {
    /// Nothing to do unless the settings want an outside model.
    pub fn of(app: &App) -> Option<Self> {
        let endpoint = app.library().endpoint()?.clone();
        Some(Self { db: app.db().clone(), endpoint, workspaces: HashMap::new(), told: Instant::now() })
    }

    /// Looks once into every workspace, and says how many there are.
    pub async fn round(&mut self) -> Result<usize, Interrupted> {
        let workspaces = self.db.busy_workspaces().await?;
        let mut failed = None;
        for (mark, _) in &workspaces {
            match self.catch_up(*mark).await {
                // Another workspace may be luckier where one text, or its old vectors, are the trouble.
                Err(interrupted @ Interrupted::OtherLength { .. }) => failed = Some(interrupted),
                done => done?,
            }
        }
        self.gauge();
        failed.map_or(Ok(workspaces.len()), Err)
    }

    async fn catch_up(&mut self, mark: ShelfMark) -> Result<(), Interrupted> {
        match self.workspaces.get(&mark.workspace()).and_then(|progress| progress.horizon) {
            None => self.look_through(mark).await,
            Some(since) => {
                let changes = self.db.changes(mark, since).await?;
                let ids: Vec<MemoryId> = changes.changed.iter().map(|(id, _)| *id).collect();
                if !ids.is_empty() {
                    let unmade = self.db.without_vectors(mark, &self.endpoint.model, &ids).await?;
                    self.progress(mark).pending = unmade.len() as u64;
                    self.make_all(mark, &unmade).await?;
                }
                self.progress(mark).horizon = Some(changes.horizon);
                Ok(())
            }
        }
    }

    /// The first time: every memory, and then this model's vectors serve.
    async fn look_through(&mut self, mark: ShelfMark) -> Result<(), Interrupted> {
        let model = self.endpoint.model.clone();
        let (dimensions, complete) = self.db.begin_generation(mark, &model).await?;
        let pending = self.db.count_without_vectors(mark, &model).await?;
        let progress = self.progress(mark);
        progress.dimensions = dimensions.and_then(|length| usize::try_from(length).ok());
        progress.pending = pending;
        if pending > 0 {
            tracing::info!(workspace = %mark.workspace(), model, pending, "vectors are being made");
        }
        // Taken first: what changes while the pages are read is at or after it, and is looked at again.
        let horizon = self.db.changes(mark, NOTHING_YET).await?.horizon;
        let mut last = None;
        loop {
            let page = self.db.memories_after(mark, last, i64::try_from(PAGE).unwrap_or(i64::MAX)).await?;
            let unmade = self.db.without_vectors(mark, &model, &page).await?;
            self.make_all(mark, &unmade).await?;
            last = page.last().copied();
            if page.len() < PAGE {
                break;
            }
        }
        if !complete {
            self.db.complete_generation(mark, &model).await?;
            let made = self.progress(mark).made;
            tracing::info!(workspace = %mark.workspace(), model, made, "vectors are complete, and serve from now on");
        }
        self.db.forget_other_generations(mark, &model).await?;
        let progress = self.progress(mark);
        (progress.horizon, progress.pending) = (Some(horizon), 0);
        Ok(())
    }

    async fn make_all(&mut self, mark: ShelfMark, unmade: &[MemoryId]) -> Result<(), Interrupted> {
        for some in unmade.chunks(AT_ONCE) {
            let texts = self.db.texts_to_embed(mark, some).await?;
            match self.embed(&texts.iter().collect::<Vec<_>>()).await {
                Ok(made) => {
                    for (of, vectors) in texts.iter().zip(made) {
                        self.keep(mark, of, &vectors).await?;
                    }
                }
                Err(Failure::Refused(_)) => self.make_one_by_one(mark, &texts).await?,
                Err(failure) => return Err(failure.into()),
            }
            let progress = self.progress(mark);
            progress.pending = progress.pending.saturating_sub(some.len() as u64);
            progress.made += some.len() as u64;
            self.tell(mark);
        }
        Ok(())
    }

    /// Finds the text that the model refuses, which does without; unless it refuses every text.
    async fn make_one_by_one(&mut self, mark: ShelfMark, texts: &[ToEmbed]) -> Result<(), Interrupted> {
        for of in texts {
            match self.embed(&[of]).await {
                Ok(made) => self.keep(mark, of, &made.concat()).await?,
                Err(Failure::Refused(status)) => {
                    self.endpoint.vectors_of(&["a text that no model refuses"]).await?;
                    tracing::warn!(workspace = %mark.workspace(), memory = %of.id, %status, "the embeddings endpoint refuses a memory; it is found by its words only");
                    self.keep(mark, of, &[]).await?;
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Ok(())
    }

    /// For each memory the vectors of its windows.
    async fn embed(&self, of: &[&ToEmbed]) -> Result<Vec<Vec<Vector>>, Failure> {
        let texts: Vec<_> = of.iter().map(|of| text_of(&of.title, &of.content)).collect();
        let windows: Vec<Vec<&str>> = texts.iter().map(|text| windows(text)).collect();
        let mut made = self.endpoint.vectors_of(&windows.concat()).await?.into_iter();
        Ok(windows.iter().map(|windows| made.by_ref().take(windows.len()).flatten().collect()).collect())
    }

    async fn keep(&mut self, mark: ShelfMark, of: &ToEmbed, vectors: &[Vector]) -> Result<(), Interrupted> {
        let known = self.progress(mark).dimensions;
        let length = known.or(vectors.first().map(|vector| vector.codes.len()));
        if let Some(before) = length
            && let Some(other) = vectors.iter().find(|vector| vector.codes.len() != before)
        {
            return Err(Interrupted::OtherLength { before, now: other.codes.len() });
        }
        let dimensions = length.and_then(|length| i32::try_from(length).ok()).unwrap_or_default();
        if known != length {
            self.db.note_dimensions(mark, &self.endpoint.model, dimensions).await?;
            self.progress(mark).dimensions = length;
        }
        Ok(self.db.keep_vectors(mark, of, &self.endpoint.model, dimensions, &pack(vectors)).await?)
    }

    fn progress(&mut self, mark: ShelfMark) -> &mut Progress {
        self.workspaces.entry(mark.workspace()).or_default()
    }

    fn tell(&mut self, mark: ShelfMark) {
        self.gauge();
        if self.told.elapsed() > TELL_EVERY {
            self.told = Instant::now();
            let Progress { pending, made, .. } = *self.progress(mark);
            tracing::info!(workspace = %mark.workspace(), model = self.endpoint.model, made, pending, "vectors are being made");
        }
    }

    fn gauge(&self) {
        let pending: u64 = self.workspaces.values().map(|progress| progress.pending).sum();
        metrics::gauge!("cairn_embeddings_pending").set(f64::from(u32::try_from(pending).unwrap_or(u32::MAX)));
    }
}
