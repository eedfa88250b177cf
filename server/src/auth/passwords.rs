//! Argon2id, off the async threads, two at a time and in memory that is kept: a flood of sign-ins must neither
//! starve everything else nor eat what there is.

use crate::{model::access::Password, problem::Problem};
use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::phc::{Output, ParamsString, PasswordHash, Salt},
};
use rand::RngExt;
use std::sync::{LazyLock, Mutex};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

/// Whoever gives up waiting leaves the line.
static TURNS: Semaphore = Semaphore::const_new(2);

/// 19 MiB for each that runs. Allocated anew every time, glibc before 2.38 would not find freed memory of this
/// alignment again, and every sign-in would leave the server 19 MiB larger.
static MEMORY: Mutex<Vec<Vec<Block>>> = Mutex::new(Vec::new());

/// Compared with when there is no such person, so that the answer takes as long.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| make(b"nobody"));

pub async fn hash(password: &Password) -> Result<String, Problem> {
    let password = password.clone();
    slowly(move || make(password.as_bytes())).await?.ok_or_else(|| Problem::internal("a password could not be hashed"))
}

pub async fn fits(typed: &str, hash: Option<&str>) -> Result<bool, Problem> {
    let (typed, hash) = (typed.to_owned(), hash.map(str::to_owned));
    slowly(move || {
        let known = hash.is_some();
        let fits = hash.as_ref().or(NOBODY.as_ref()).and_then(|hash| check(typed.as_bytes(), hash));
        fits.unwrap_or(false) && known
    })
    .await
}

fn make(password: &[u8]) -> Option<String> {
    let (salt, params): ([u8; 16], _) = (rand::rng().random(), Params::default());
    let made = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params).ok()?,
        salt: Some(Salt::new(&salt).ok()?),
        hash: Some(derive(&Argon2::new(Algorithm::Argon2id, Version::V0x13, params), password, &salt, Params::DEFAULT_OUTPUT_LEN)?),
    };
    Some(made.to_string())
}

/// With the parameters that the hash was made with, which may be older than today's.
fn check(password: &[u8], hash: &str) -> Option<bool> {
    let kept = PasswordHash::new(hash).ok()?;
    let (salt, expected) = (kept.salt.as_ref()?, kept.hash.as_ref()?);
    let algorithm = Algorithm::try_from(kept.algorithm.as_str()).ok()?;
    let version = kept.version.map_or(Ok(Version::default()), Version::try_from).ok()?;
    let argon2 = Argon2::new(algorithm, version, Params::try_from(&kept).ok()?);
    let derived = derive(&argon2, password, salt, expected.len())?;
    Some(derived.as_bytes().ct_eq(expected.as_bytes()).into())
}

fn derive(argon2: &Argon2<'_>, password: &[u8], salt: &[u8], length: usize) -> Option<Output> {
    let mut memory = MEMORY.lock().ok().and_then(|mut kept| kept.pop()).unwrap_or_default();
    memory.resize(argon2.params().block_count(), Block::new());
    let mut out = vec![0; length];
    let done = argon2.hash_password_into_with_memory(password, salt, &mut out, &mut memory);
    // Nothing that comes of a password stays behind.
    memory.fill(Block::new());
    if let Ok(mut kept) = MEMORY.lock() {
        kept.push(memory);
    }
    done.ok().and_then(|()| Output::new(&out).ok())
}

async fn slowly<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    let turn = TURNS.acquire().await.map_err(Problem::internal)?;
    tokio::task::spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    })
    .await
    .map_err(Problem::internal)
}

#[cfg(test)]
mod tests {
    use super::{MEMORY, check, make};
    use argon2::{Argon2, PasswordHasher, PasswordVerifier};

    #[test]
    fn a_hash_fits_its_password_only() {
        let hash = make(b"correct horse battery").expect("hashes");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_eq!(check(b"correct horse battery", &hash), Some(true));
        assert_eq!(check(b"correct horse", &hash), Some(false));
        assert_eq!(check(b"", "not a hash"), None);
        assert_ne!(make(b"correct horse battery"), Some(hash));
    }

    #[test]
    fn others_understand_our_hashes_and_we_theirs() {
        let ours = make(b"correct horse battery").expect("hashes");
        assert!(Argon2::default().verify_password(b"correct horse battery", ours.as_str()).is_ok());
        let theirs = Argon2::default().hash_password(b"correct horse battery").expect("hashes").to_string();
        assert_eq!(check(b"correct horse battery", &theirs), Some(true));
    }

    #[test]
    fn memory_is_used_again() {
        for _ in 0..5 {
            make(b"correct horse battery").expect("hashes");
        }
        // Tests run side by side, so there may be a few, but never one for each hash.
        assert!(MEMORY.lock().expect("kept").len() <= 4);
    }
}
