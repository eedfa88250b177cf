//! Agents' keys: `cairn_<key id>_<secret>`. Only the hash of the secret is kept, so a key is shown once.

use crate::model::KeyId;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::RngExt;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

pub struct ShownKey {
    pub id: KeyId,
    secret: String,
}

impl ShownKey {
    pub fn make() -> Self {
        let secret: [u8; 32] = rand::rng().random();
        // `_` separates the parts, so it may not stand in the secret.
        Self { id: KeyId::new(), secret: BASE64_URL_SAFE_NO_PAD.encode(secret).replace(['_', '-'], "x") }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix("cairn_")?.split_once('_')?;
        let id = Uuid::parse_str(id).ok()?;
        (1..=128).contains(&secret.len()).then(|| Self { id: KeyId(id), secret: secret.to_owned() })
    }

    /// The secret has 256 random bits: a plain hash is as good as a slow one.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.secret.as_bytes()).into()
    }

    pub fn fits(&self, hash: &[u8]) -> bool {
        self.hash().ct_eq(hash).into()
    }

    pub fn text(&self) -> String {
        format!("cairn_{}_{}", self.id.0.simple(), self.secret)
    }
}

#[cfg(test)]
mod tests {
    use super::ShownKey;

    #[test]
    fn a_key_reads_back_and_fits_only_itself() {
        let (key, other) = (ShownKey::make(), ShownKey::make());
        let read = ShownKey::parse(&key.text()).expect("reads back");
        assert_eq!(read.id, key.id);
        assert!(read.fits(&key.hash()) && !read.fits(&other.hash()));
        for wrong in ["", "cairn_", "cairn_x_y", "cairn__", &key.text()[1..]] {
            assert!(ShownKey::parse(wrong).is_none(), "{wrong}");
        }
    }
}
