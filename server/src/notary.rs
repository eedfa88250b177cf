//! The notary signs what others shall be able to check without asking us: checkpoints of the trail and certificates,
//! as C2SP signed notes. Its keys change only when an operator says so, and none is ever forgotten.

use crate::{
    engines::seal::note::{self, Signer},
    keyring::Keyring,
    problem::Problem,
    signing,
    store::{Db, signing_keys::Purpose},
};
use ed25519_dalek::{SigningKey, pkcs8::DecodePrivateKey};
use std::sync::RwLock;
use time::OffsetDateTime;

pub struct Notary {
    keyring: Keyring,
    loaded: RwLock<Loaded>,
}

struct Loaded {
    signer: Signer,
    known: Vec<KnownKey>,
}

/// A key that signs or signed, as others need it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownKey {
    pub vkey: String,
    pub made_at: OffsetDateTime,
    pub retired_at: Option<OffsetDateTime>,
}

impl std::fmt::Debug for Notary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Notary(…)")
    }
}

impl Notary {
    /// Loads the keys, and makes the first one. Its name comes from the address that others use, and stays whatever becomes of that.
    pub async fn load(db: &Db, keyring: Keyring, public_url: &str) -> Result<Self, Problem> {
        signing::make_when_due(db, &keyring, Purpose::Trail, Some(&note::key_name(public_url)), f64::INFINITY).await?;
        let loaded = RwLock::new(read(db, &keyring).await?);
        Ok(Self { keyring, loaded })
    }

    /// Signs with a new key from now on, under the same name.
    pub async fn rotate(&self, db: &Db) -> Result<(), Problem> {
        signing::make_when_due(db, &self.keyring, Purpose::Trail, None, 0.0).await?;
        self.look_again(db).await
    }

    /// Another server may have made a new key.
    pub async fn look_again(&self, db: &Db) -> Result<(), Problem> {
        let fresh = read(db, &self.keyring).await?;
        *self.loaded.write().map_err(Problem::internal)? = fresh;
        Ok(())
    }

    /// A signed note: the text, which must end with a line break, an empty line, and a line with the signature.
    pub fn sign_note(&self, text: &str) -> Result<String, Problem> {
        let loaded = self.loaded.read().map_err(Problem::internal)?;
        loaded.signer.sign(text).map_err(Problem::internal)
    }

    /// What the keys are known by, and what the origins of our trails begin with.
    pub fn name(&self) -> Result<String, Problem> {
        Ok(self.loaded.read().map_err(Problem::internal)?.signer.name().to_owned())
    }

    /// Every key that ever signed, newest first.
    pub fn keys(&self) -> Result<Vec<KnownKey>, Problem> {
        Ok(self.loaded.read().map_err(Problem::internal)?.known.clone())
    }

    /// The same, as verifiers take them.
    pub fn vkeys(&self) -> Result<Vec<String>, Problem> {
        Ok(self.keys()?.into_iter().map(|key| key.vkey).collect())
    }
}

async fn read(db: &Db, keyring: &Keyring) -> Result<Loaded, Problem> {
    let (mut signer, mut known) = (None, Vec::new());
    for row in db.signing_keys(Purpose::Trail).await? {
        let name = row.name.as_deref().ok_or_else(|| Problem::internal("a key of the trail has no name"))?;
        let public: [u8; 32] = row.public_key.as_slice().try_into().map_err(Problem::internal)?;
        known.push(KnownKey { vkey: note::vkey(name, public), made_at: row.created_at, retired_at: row.retired_at });
        if signer.is_none() && row.retired_at.is_none() {
            let key = SigningKey::from_pkcs8_der(&signing::open(keyring, &row)?).map_err(Problem::internal)?;
            signer = Some(Signer::new(name, key.to_bytes(), public).map_err(Problem::internal)?);
        }
    }
    let signer = signer.ok_or_else(|| Problem::internal("there is no key to sign the trail with"))?;
    Ok(Loaded { signer, known })
}
