//! Two demo workspaces.
use super::Failure;
use crate::App;

pub async fn fill(_app: &App) -> Result<(), Failure> {
    Ok(())
}

pub fn how_to_sign_in(app: &App) -> Result<String, Failure> {
    Ok(app.config().public_url())
}
