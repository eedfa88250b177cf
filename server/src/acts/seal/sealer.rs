//! The sealer: finds entries that wait, adds them to the tree of their workspace, and signs what it has become.

use crate::{
    App,
    engines::seal::{Checkpoint, Edge, Hash, Node, checkpoint, leaf, tree::edge_needs},
    model::{WorkspaceId, clock},
    problem::Problem,
    store::seal::{Growth, Waiting},
};
use std::collections::{BTreeSet, HashMap};
use tlog_tiles::record_hash;

/// Entries that are sealed in one transaction.
const AT_ONCE: u32 = 5000;

/// Seals for as long as it is this server's turn. What it holds can be thrown away.
#[derive(Default)]
pub struct Sealer {
    /// Where the last look ended.
    since: Option<u64>,
    edges: HashMap<WorkspaceId, Edge>,
    /// Workspaces whose tree is not what was signed.
    broken: BTreeSet<WorkspaceId>,
}

impl Sealer {
    /// Seals everything that waits, and tells how much that was. A trail that does not hold is left as it is, and told of.
    pub async fn round(&mut self, app: &App) -> Result<u64, Problem> {
        let mut look = app.db().look_for_unsealed(self.since).await?;
        let (mut sealed, mut left, mut oldest) = (0, 0, 0.0_f64);
        loop {
            let waiting = look.next(AT_ONCE).await?;
            if waiting.is_empty() {
                break;
            }
            for of_one in waiting.chunk_by(|a, b| a.workspace == b.workspace) {
                let since = of_one.iter().map(|one| one.entry.at).min().map_or(0.0, |at| (clock::now() - at).as_seconds_f64());
                oldest = oldest.max(since);
                let count = of_one.len() as u64;
                if self.seal(app, of_one).await? { sealed += count } else { left += count }
            }
        }
        metrics::counter!("cairn_trail_sealed_entries_total").increment(sealed);
        metrics::gauge!("cairn_trail_behind_seconds").set(oldest);
        metrics::gauge!("cairn_trail_broken").set(f64::from(u32::try_from(self.broken.len()).unwrap_or(u32::MAX)));
        // What was left is to be found again.
        if left == 0 {
            self.since = Some(look.horizon);
            if sealed > 0 {
                app.db().sealed_up_to(look.horizon).await?;
            }
        }
        Ok(sealed)
    }

    /// Whether something is wrong that time will not heal.
    pub fn is_stuck(&self) -> bool {
        !self.broken.is_empty()
    }

    /// False if the tree is not what was signed.
    async fn seal(&mut self, app: &App, waiting: &[Waiting]) -> Result<bool, Problem> {
        let Some(workspace) = waiting.first().map(|one| one.workspace) else { return Ok(true) };
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
        let edge = Edge::of(size, &kept).ok().filter(|edge| {
            let origin = app.notary().name().map(|name| checkpoint::origin(&name, workspace.0)).unwrap_or_default();
            signed.as_ref() == Some(&Checkpoint { origin, size, root: edge.root() })
        });
        let is_news = if edge.is_none() { self.broken.insert(workspace) } else { self.broken.remove(&workspace) };
        if is_news && edge.is_none() {
            tracing::error!(
                %workspace,
                "the sealed trail of this workspace is not what was signed: somebody changed it in the database. Nothing is sealed there until it is put right; export and verify it"
            );
        }
        Ok(edge)
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
