//! What lies near a memory, for whoever reads it.

use crate::{
    App,
    model::{Memory, recall::Recall},
    problem::Problem,
    store::{Permission, Scope},
};

/// Of a longer text the beginning says what it is about.
const BEGINNING: usize = 400;

/// Other active memories that are about the same, nearest first. Nobody is told anything, so there is no receipt.
pub async fn related<P: Permission>(app: &App, scope: &Scope<P>, memory: &Memory, most: usize) -> Result<Vec<Memory>, Problem> {
    let content = &memory.content[..memory.content.floor_char_boundary(BEGINNING)];
    let query = format!("{} {content}", memory.title);
    let found = crate::acts::recall::similar(app, scope, Recall { query, limit: most + 1, ..Recall::default() }).await?;
    Ok(found.into_iter().filter(|one| one.id != memory.id).take(most).collect())
}
