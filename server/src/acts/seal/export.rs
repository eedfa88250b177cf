//! Taking the trail out, page by page: what is sealed does not change, so no transaction is held while somebody reads.

use super::{Whose, proofs};
use crate::{
    App,
    audit::Audit,
    engines::seal::{Hash, leaf, tree::Claim},
    model::trail::{Entry, Filter},
    problem::Problem,
    store::sealed::{self, Leaf},
};
use std::collections::BTreeSet;

/// Entries that are read at a time; fewer where each brings a proof.
const PAGE: i64 = 2000;
const PAGE_OF_PROOFS: i64 = 500;

pub struct Export {
    app: App,
    whose: Whose,
    filter: Filter,
    next: u64,
    pub size: u64,
    pub checkpoint: String,
}

/// An entry on its way out.
pub struct Exported {
    pub entry: Entry,
    pub index: u64,
    /// The bytes that were hashed, as the entry says them now.
    pub leaf: String,
    /// As it was sealed.
    pub hash: Hash,
    /// In an export that is not complete.
    pub proof: Option<Vec<Hash>>,
}

impl Export {
    /// Begins an export of what is sealed by now, and says so in the trail.
    pub async fn begin(app: &App, whose: Whose, filter: Filter, format: &'static str) -> Result<Self, Problem> {
        let (tree, checkpoint) = proofs::checkpoint(app, &whose).await?;
        whose.note(app, Audit::exported(format, tree.size, &filter)).await?;
        Ok(Self { app: app.clone(), whose, filter, next: 0, size: tree.size, checkpoint })
    }

    /// Whether it has every entry of the checkpoint.
    pub fn is_complete(&self) -> bool {
        self.filter == Filter::default()
    }

    /// The next entries; none at the end.
    pub async fn next(&mut self) -> Result<Vec<Exported>, Problem> {
        let most = if self.is_complete() { PAGE } else { PAGE_OF_PROOFS };
        let mut tx = self.whose.read(&self.app).await?;
        let leaves = sealed::leaves(&mut tx, self.next, self.size, &self.filter, most).await?;
        let Some(last) = leaves.last() else { return Ok(Vec::new()) };
        self.next = last.index + 1;
        let proofs = if self.is_complete() { None } else { Some(self.proofs(&mut tx, &leaves).await?) };
        let mut proofs = proofs.map(Vec::into_iter);
        leaves
            .into_iter()
            .map(|Leaf { index, hash, entry }| {
                let leaf = leaf::text_of(&entry, index).map_err(Problem::internal)?;
                Ok(Exported { entry, index, leaf, hash, proof: proofs.as_mut().and_then(Iterator::next) })
            })
            .collect()
    }

    async fn proofs<M>(&self, tx: &mut crate::store::Tx<M>, leaves: &[Leaf]) -> Result<Vec<Vec<Hash>>, Problem> {
        let claims: Vec<_> = leaves.iter().map(|leaf| Claim::Inclusion { index: leaf.index, size: self.size }).collect();
        let mut needed = BTreeSet::new();
        for claim in &claims {
            needed.append(&mut claim.needs().map_err(Problem::internal)?);
        }
        let kept = sealed::nodes(tx, &needed).await?;
        claims.into_iter().map(|claim| claim.prove(&kept).map_err(Problem::internal)).collect()
    }
}
