//! One-time links: the token is in the link and nowhere else, the database has its hash.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::RngExt;
use sha2::{Digest, Sha256};

pub struct LinkToken(String);

impl LinkToken {
    pub fn make() -> Self {
        let secret: [u8; 32] = rand::rng().random();
        Self(BASE64_URL_SAFE_NO_PAD.encode(secret))
    }

    /// As it came back. One that we never made has a hash that nobody finds.
    pub fn shown(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The token has 256 random bits: a plain hash is as good as a slow one.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}
