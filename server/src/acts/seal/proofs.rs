//! Checkpoints and proofs for those who ask.

use super::Whose;
use crate::{
    App,
    engines::seal::{Checkpoint, Edge, Hash, checkpoint as of_tree, leaf, tree::Claim},
    model::trail::Filter,
    problem::Problem,
    store::sealed,
};

/// An entry that is in the tree, and why one can be sure of it.
pub struct Included {
    pub index: u64,
    /// The bytes that were hashed.
    pub leaf: String,
    pub hash: Hash,
    pub proof: Vec<Hash>,
    pub size: u64,
    pub checkpoint: String,
}

/// The tree of one size is the beginning of that of another.
pub struct Consistent {
    pub from: u64,
    pub to: u64,
    pub proof: Vec<Hash>,
}

/// The newest checkpoint, signed; that of the empty tree while nothing is sealed.
pub async fn checkpoint(app: &App, whose: &Whose) -> Result<(Checkpoint, String), Problem> {
    let note = sealed::last_checkpoint(&mut whose.read(app).await?).await?;
    if let Some(note) = note {
        let read = Checkpoint::read(&note, &[] as &[&str]).map_err(Problem::internal)?;
        return Ok((read, note));
    }
    let origin = of_tree::origin(&app.notary().name()?, whose.workspace().0);
    let empty = Checkpoint { origin, size: 0, root: Edge::default().root() };
    let note = app.notary().sign_note(&empty.text())?;
    Ok((empty, note))
}

/// That the entry at an index is in the newest checkpoint's tree.
pub async fn inclusion(app: &App, whose: &Whose, index: u64) -> Result<Included, Problem> {
    let (Checkpoint { size, .. }, checkpoint) = checkpoint(app, whose).await?;
    if index >= size {
        return Err(Problem::NotFound);
    }
    let mut tx = whose.read(app).await?;
    let found = sealed::leaves(&mut tx, index, index + 1, &Filter::default(), 1).await?;
    let found = found.first().ok_or(Problem::NotFound)?;
    let claim = Claim::Inclusion { index, size };
    let kept = sealed::nodes(&mut tx, &claim.needs().map_err(Problem::internal)?).await?;
    let proof = claim.prove(&kept).map_err(Problem::internal)?;
    let leaf = leaf::text_of(&found.entry, index).map_err(Problem::internal)?;
    Ok(Included { index, leaf, hash: found.hash, proof, size, checkpoint })
}

/// That nothing was changed between two sizes; up to the newest checkpoint if nothing is said.
pub async fn consistency(app: &App, whose: &Whose, from: u64, to: Option<u64>) -> Result<Consistent, Problem> {
    let (Checkpoint { size, .. }, _) = checkpoint(app, whose).await?;
    let to = to.unwrap_or(size);
    if to > size {
        return Err(Problem::invalid("to", format!("must be at most {size}, the number of entries that are sealed")));
    }
    if from == 0 || from > to {
        return Err(Problem::invalid("from", format!("must be between 1 and {to}")));
    }
    let claim = Claim::Consistency { from, to };
    let kept = sealed::nodes(&mut whose.read(app).await?, &claim.needs().map_err(Problem::internal)?).await?;
    Ok(Consistent { from, to, proof: claim.prove(&kept).map_err(Problem::internal)? })
}
