//! Ed25519 keys that sign for the house: replicas share them through the database, wrapped by the master key. Those
//! before the newest one stay known, so that what they signed can still be checked.

use crate::{
    audit::Audit,
    keyring::Keyring,
    model::{Actor, clock},
    problem::Problem,
    store::{
        Db, Request,
        signing_keys::{self, NewKey, Purpose, SigningKeyRow},
    },
};
use ed25519_dalek::{SigningKey, pkcs8::EncodePrivateKey};
use rand::RngExt;

/// Makes a key where there is none, or where the one that signs is older than so many days; 0 makes one now.
pub async fn make_when_due(db: &Db, keyring: &Keyring, purpose: Purpose, name: Option<&str>, days: f64) -> Result<(), Problem> {
    let mut tx = db.instance(&Actor::system(), &Request::of_the_house("signing-keys")).await?;
    signing_keys::take_turns(&mut tx).await?;
    if signing_keys::age_in_days(&mut tx, purpose).await?.is_some_and(|age| age < days) {
        return Ok(());
    }
    let secret: [u8; 32] = rand::rng().random();
    let key = SigningKey::from_bytes(&secret);
    let id = clock::new_id();
    let der = key.to_pkcs8_der().map_err(Problem::internal)?;
    let wrapped_key =
        &keyring.wrap(der.as_bytes(), id.as_bytes()).ok_or_else(|| Problem::internal("a signing key could not be wrapped"))?;
    signing_keys::rotate(&mut tx, purpose, NewKey { id, name, public_key: key.verifying_key().as_bytes(), wrapped_key }).await?;
    tx.commit(Audit::signing_key_made(id, purpose.word())).await
}

/// The secret key, as PKCS #8.
pub fn open(keyring: &Keyring, row: &SigningKeyRow) -> Result<Vec<u8>, Problem> {
    keyring.unwrap(&row.wrapped_key, row.id.as_bytes()).ok_or_else(|| Problem::internal("a signing key does not open with this master key"))
}
