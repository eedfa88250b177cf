//! Argon2id, off the async threads and a few at a time: a flood of sign-ins must not starve everything else.

use crate::{model::access::Password, problem::Problem};
use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use std::sync::LazyLock;
use tokio::sync::Semaphore;

static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// Compared with when there is no such person, so that the answer takes as long.
static NOBODY: LazyLock<String> = LazyLock::new(|| Argon2::default().hash_password(b"nobody").map_or_else(|_| String::new(), |hash| hash.to_string()));

pub async fn hash(password: &Password) -> Result<String, Problem> {
    let password = password.clone();
    slowly(move || Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string())).await?.map_err(Problem::internal)
}

pub async fn fits(typed: &str, hash: Option<&str>) -> Result<bool, Problem> {
    let (typed, hash) = (typed.to_owned(), hash.map(str::to_owned));
    slowly(move || {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODY.clone());
        let fits = PasswordHash::new(&hash).is_ok_and(|hash| Argon2::default().verify_password(typed.as_bytes(), &hash).is_ok());
        fits && known
    })
    .await
}

async fn slowly<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    let _turn = AT_ONCE.acquire().await.map_err(Problem::internal)?;
    tokio::task::spawn_blocking(work).await.map_err(Problem::internal)
}
