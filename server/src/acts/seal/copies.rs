//! The look through a whole database: every sealed trail is held against its signed checkpoint.

use crate::{
    engines::seal::{Checkpoint, Edge, leaf, note},
    problem::Problem,
    store::check::{Found, Trails},
};
use sqlx::{Connection, PgConnection};
use tlog_tiles::record_hash;
use uuid::Uuid;

/// Adds to what was found how much is sealed, and the trails that are not what was signed.
pub async fn look_through(owner_url: &str, found: &mut Found) -> Result<(), Problem> {
    let mut conn = PgConnection::connect(owner_url).await?;
    let sealed = held_against(&mut conn).await?;
    (found.sealed, found.broken) = (sealed.entries, sealed.broken);
    Ok(conn.close().await?)
}

/// What is sealed, and whose trail is not what was signed; the nil workspace is the instance.
pub struct Sealed {
    pub entries: u64,
    pub broken: Vec<Uuid>,
    pub vkeys: Vec<String>,
}

pub async fn held_against(conn: &mut PgConnection) -> Result<Sealed, Problem> {
    let mut trails = Trails::of(conn);
    let vkeys: Vec<String> = trails.keys().await?.into_iter().map(|(name, public)| note::vkey(&name, public)).collect();
    let (mut entries, mut broken) = (0, Vec::new());
    for (workspace, checkpoint) in trails.checkpoints().await? {
        let signed = checkpoint.and_then(|note| Checkpoint::read(&note, &vkeys).ok());
        let grown = regrown(&mut trails, workspace).await?;
        let holds = |signed: &Checkpoint, grown: &Edge| {
            signed.origin.ends_with(&format!("/{workspace}")) && (signed.size, signed.root) == (grown.size(), grown.root())
        };
        match (signed, grown) {
            (Some(signed), Some(grown)) if holds(&signed, &grown) => entries += grown.size(),
            _ => broken.push(workspace),
        }
    }
    Ok(Sealed { entries, broken, vkeys })
}

/// The tree as the entries make it; none if they are not the ones that were sealed.
async fn regrown(trails: &mut Trails<'_>, workspace: Uuid) -> Result<Option<Edge>, Problem> {
    let mut edge = Edge::default();
    loop {
        let page = trails.leaves(workspace, edge.size()).await?;
        if page.is_empty() {
            return Ok((trails.count(workspace).await? == edge.size()).then_some(edge));
        }
        for one in page {
            let text = leaf::text_of(&one.entry, one.index).map_err(Problem::internal)?;
            let hash = record_hash(text.as_bytes());
            if (one.index, one.hash) != (edge.size(), hash) {
                return Ok(None);
            }
            edge.push(hash, |_, _| ());
        }
    }
}
