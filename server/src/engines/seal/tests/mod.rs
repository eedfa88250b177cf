mod exports;
mod notes;
mod trees;

use super::note::{self, Signer};
use ed25519_dalek::SigningKey;

/// A notary's key, and how others are told of it.
fn key(seed: u8) -> (Signer, String) {
    let key = SigningKey::from_bytes(&[seed; 32]);
    let (secret, public) = (key.to_bytes(), key.verifying_key().to_bytes());
    (Signer::new("cairn.example.org/trail", secret, public).expect("a key"), note::vkey("cairn.example.org/trail", public))
}
