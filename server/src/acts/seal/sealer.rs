//! The sealer: finds entries that wait, adds them to the tree of their workspace, and signs what it has become.

use crate::{
    App,
    engines::seal::{Checkpoint, Edge, Hash, Node, checkpoint, leaf, tree::edge_needs},
    model::{WorkspaceId, clock},
    problem::Problem,
    store::seal::{Growth, Look, Of, Waiting},
};
use std::{
    collections::{BTreeSet, HashMap},
    time::{Duration, Instant},
};
use tlog_tiles::record_hash;

/// Entries that are sealed in one transaction.
const AT_ONCE: u32 = 5000;

/// From one look at trails that cannot be sealed to the next: time alone does not put them right.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Seals for as long as it is this server's turn. What it holds can be thrown away.
#[derive(Default)]
pub struct Sealer {
    /// Where the last look ended.
    since: Option<u64>,
    edges: HashMap<WorkspaceId, Edge>,
    /// Failed once, and tried again at the next look: another server may have been quicker.
    doubtful: BTreeSet<WorkspaceId>,
    /// Workspaces whose tree is not what was signed, or cannot grow. The others do not wait for them.
    broken: BTreeSet<WorkspaceId>,
    /// Where a look at those has to begin, and when the last one was.
    broken_since: Option<u64>,
    looked: Option<Instant>,
}

/// What came of a look.
#[derive(Default)]
struct Came {
    sealed: u64,
    left: BTreeSet<WorkspaceId>,
    /// For how many seconds the oldest had waited.
    oldest: f64,
}

impl Sealer {
    /// Seals everything that waits, and tells how much that was. A trail that does not hold is left as it is, and told of.
    pub async fn round(&mut self, app: &App) -> Result<u64, Problem> {
        let mut sealed = self.look_at_broken(app).await?;
        let mut look = app.db().look_for_unsealed(self.since, Of::AllBut(&self.broken)).await?;
        let came = self.seal_all(app, &mut look).await?;
        // Where nothing waits any more, another server has sealed it.
        self.doubtful.retain(|workspace| came.left.contains(workspace));
        sealed += came.sealed;
        metrics::counter!("cairn_trail_sealed_entries_total").increment(sealed);
        metrics::gauge!("cairn_trail_behind_seconds").set(came.oldest);
        metrics::gauge!("cairn_trail_broken").set(f64::from(u32::try_from(self.broken.len()).unwrap_or(u32::MAX)));
        if !self.broken.is_empty() {
            // What waits there is looked for on its own, from before the first was left.
            self.broken_since.get_or_insert(look.since);
        }
        // What is doubtful is to be found again.
        if self.doubtful.is_empty() {
            self.since = Some(look.horizon);
            if sealed > 0 && self.broken.is_empty() {
                app.db().sealed_up_to(look.horizon).await?;
            }
        }
        Ok(sealed)
    }

    /// Whether something is wrong that time will not heal.
    pub fn is_stuck(&self) -> bool {
        !self.broken.is_empty()
    }

    /// Trails that could not be sealed, from time to time.
    async fn look_at_broken(&mut self, app: &App) -> Result<u64, Problem> {
        if self.broken.is_empty() {
            self.broken_since = None;
            return Ok(0);
        }
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_AGAIN) {
            return Ok(0);
        }
        self.looked = Some(Instant::now());
        let mut look = app.db().look_for_unsealed(self.broken_since, Of::These(&self.broken)).await?;
        let came = self.seal_all(app, &mut look).await?;
        self.broken.retain(|workspace| came.left.contains(workspace));
        Ok(came.sealed)
    }

    async fn seal_all(&mut self, app: &App, look: &mut Look) -> Result<Came, Problem> {
        let mut came = Came::default();
        loop {
            let waiting = look.next(AT_ONCE).await?;
            if waiting.is_empty() {
                return Ok(came);
            }
            for of_one in waiting.chunk_by(|a, b| a.workspace == b.workspace) {
                let since = of_one.iter().map(|one| one.entry.at).min().map_or(0.0, |at| (clock::now() - at).as_seconds_f64());
                came.oldest = came.oldest.max(since);
                // What comes after a gap is not sealed before it is filled.
                let Some(workspace) = of_one.first().map(|one| one.workspace).filter(|one| !came.left.contains(one)) else { continue };
                if self.seal_or_leave(app, workspace, of_one).await? {
                    came.sealed += of_one.len() as u64;
                } else {
                    came.left.insert(workspace);
                }
            }
        }
    }

    /// False if it has to be left. Only where the database is away do all others have to wait too.
    async fn seal_or_leave(&mut self, app: &App, workspace: WorkspaceId, waiting: &[Waiting]) -> Result<bool, Problem> {
        match self.seal(app, workspace, waiting).await {
            Ok(true) => {
                self.doubtful.remove(&workspace);
                self.broken.remove(&workspace);
                Ok(true)
            }
            Ok(false) => {
                self.doubtful.remove(&workspace);
                if self.broken.insert(workspace) {
                    tracing::error!(
                        %workspace,
                        "the sealed trail of this workspace is not what was signed: somebody changed it in the database. Nothing is sealed there until it is put right; export and verify it"
                    );
                }
                Ok(false)
            }
            Err(problem @ Problem::Unavailable(_)) => Err(problem),
            Err(problem) => {
                if !self.doubtful.remove(&workspace) && !self.broken.contains(&workspace) {
                    self.doubtful.insert(workspace);
                } else if self.broken.insert(workspace) {
                    tracing::error!(
                        %workspace,
                        ?problem,
                        "nothing can be added to the sealed trail of this workspace. If nothing is wrong with the database, somebody changed it there; export and verify it"
                    );
                }
                Ok(false)
            }
        }
    }

    /// False if the tree is not what was signed.
    async fn seal(&mut self, app: &App, workspace: WorkspaceId, waiting: &[Waiting]) -> Result<bool, Problem> {
        let Some(edge) = self.edge(app, workspace).await? else { return Ok(false) };
        let batch = Batch::of(edge, waiting)?;
        let (size, root) = (batch.edge.size(), batch.edge.root());
        let text = Checkpoint { origin: checkpoint::origin(&app.notary().name()?, workspace.0), size, root }.text();
        let (note, entries) = (app.notary().sign_note(&text)?, waiting.iter().map(|one| one.entry.id).collect::<Vec<_>>());
        let first = size - batch.leaves.len() as u64;
        let growth = Growth { first, entries: &entries, leaves: &batch.leaves, nodes: &batch.nodes, size, note: &note };
        // If it fails, the tree is looked at again before anything is added to it.
        self.edges.remove(&workspace);
        app.db().grow(workspace, growth).await?;
        self.edges.insert(workspace, batch.edge);
        Ok(true)
    }

    /// Where a tree goes on. Only from what was signed: whoever changed it in the database gets no signature for that.
    async fn edge(&mut self, app: &App, workspace: WorkspaceId) -> Result<Option<Edge>, Problem> {
        if let Some(edge) = self.edges.get(&workspace) {
            return Ok(Some(edge.clone()));
        }
        let Some((note, size, kept)) = app.db().edge_of(workspace, edge_needs).await? else {
            return Ok(Some(Edge::default()));
        };
        let signed = Checkpoint::read(&note, &app.notary().vkeys()?).ok();
        Ok(Edge::of(size, &kept).ok().filter(|edge| {
            let origin = app.notary().name().map(|name| checkpoint::origin(&name, workspace.0)).unwrap_or_default();
            signed.as_ref() == Some(&Checkpoint { origin, size, root: edge.root() })
        }))
    }
}

/// A tree with more leaves, and what is new in it.
struct Batch {
    edge: Edge,
    leaves: Vec<Hash>,
    nodes: Vec<(Node, Hash)>,
}

impl Batch {
    fn of(mut edge: Edge, waiting: &[Waiting]) -> Result<Self, Problem> {
        let (mut leaves, mut nodes) = (Vec::with_capacity(waiting.len()), Vec::new());
        for one in waiting {
            let text = leaf::text_of(&one.entry, edge.size()).map_err(Problem::internal)?;
            edge.push(record_hash(text.as_bytes()), |node, hash| match node.level {
                0 => leaves.push(hash),
                _ if node.is_kept() => nodes.push((node, hash)),
                _ => {}
            });
        }
        Ok(Self { edge, leaves, nodes })
    }
}
