//! The master key and what is derived from it: it wraps signing keys, keys the hashes of what was erased, and
//! authenticates cookies and refresh tokens. It lies in a file, shared by replicas, never in the database.

use crate::model::text::nfc;
use chacha20poly1305::{
    Key, KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use rand::RngExt;
use sha2::Sha256;
use std::{io::Write as _, os::unix::fs::OpenOptionsExt, path::Path};
use subtle::ConstantTimeEq;

#[derive(Clone)]
pub struct Keyring {
    wrap: [u8; 32],
    erasure: [u8; 32],
    tokens: [u8; 32],
    check: [u8; 32],
}

#[derive(Debug, thiserror::Error)]
pub enum KeyringProblem {
    #[error("the master key file {0} cannot be read: {1}")]
    Unreadable(String, std::io::Error),
    #[error("the master key file {0} must hold 64 hexadecimal digits (32 bytes); make one with `openssl rand -hex 32`")]
    Malformed(String),
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keyring(…)")
    }
}

impl Keyring {
    /// Reads the master key, or makes one where there is none.
    pub fn open(file: &Path) -> Result<Self, KeyringProblem> {
        let unreadable = |error| KeyringProblem::Unreadable(file.display().to_string(), error);
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let key: [u8; 32] = rand::rng().random();
                let text = crate::model::text::hex(&key);
                if let Some(folder) = file.parent() {
                    std::fs::create_dir_all(folder).map_err(unreadable)?;
                }
                let mut made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(unreadable)?;
                made.write_all(text.as_bytes()).and_then(|()| made.sync_all()).map_err(unreadable)?;
                text
            }
            Err(error) => return Err(unreadable(error)),
        };
        Self::parse(&text).ok_or_else(|| KeyringProblem::Malformed(file.display().to_string()))
    }

    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let master = (0..32).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16)).collect::<Result<Vec<_>, _>>().ok()?;
        let derived = Hkdf::<Sha256>::new(None, &master);
        let key = |purpose: &str| {
            let mut key = [0; 32];
            derived.expand(purpose.as_bytes(), &mut key).ok().map(|()| key)
        };
        Some(Self { wrap: key("cairn wrap")?, erasure: key("cairn erasure")?, tokens: key("cairn tokens")?, check: key("cairn check")? })
    }

    /// A value that tells whether a database belongs to this master key, and nothing else.
    pub fn check_value(&self) -> [u8; 32] {
        mac(&self.check, "check", b"")
    }

    /// The keyed hash of a text that was or is to be erased: what remains when the text is gone.
    pub fn erasure_mac(&self, text: &str) -> [u8; 32] {
        mac(&self.erasure, "content", nfc(text.trim()).as_bytes())
    }

    /// Authenticates something we hand out and want back unchanged.
    pub fn sign(&self, purpose: &str, what: &[u8]) -> [u8; 32] {
        mac(&self.tokens, purpose, what)
    }

    pub fn verify(&self, purpose: &str, what: &[u8], signature: &[u8]) -> bool {
        self.sign(purpose, what).ct_eq(signature).into()
    }

    pub fn wrap(&self, secret: &[u8], bound_to: &[u8]) -> Option<Vec<u8>> {
        let nonce: [u8; 24] = rand::rng().random();
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), Payload { msg: secret, aad: bound_to }).ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    pub fn unwrap(&self, wrapped: &[u8], bound_to: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = wrapped.split_first_chunk::<24>()?;
        self.cipher().decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: bound_to }).ok()
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(self.wrap))
    }
}

fn mac(key: &[u8; 32], purpose: &str, what: &[u8]) -> [u8; 32] {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key).expect("any length");
    mac.update(purpose.as_bytes());
    mac.update(&[0]);
    mac.update(what);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::Keyring;

    fn keyring(digit: &str) -> Keyring {
        Keyring::parse(&digit.repeat(64)).expect("64 digits")
    }

    #[test]
    fn what_is_wrapped_opens_only_with_the_same_key_in_the_same_place() {
        let wrapped = keyring("a").wrap(b"secret", b"here").expect("wraps");
        assert_eq!(keyring("a").unwrap(&wrapped, b"here").as_deref(), Some(&b"secret"[..]));
        assert_eq!(keyring("a").unwrap(&wrapped, b"there"), None);
        assert_eq!(keyring("b").unwrap(&wrapped, b"here"), None);
        assert_eq!(keyring("a").unwrap(b"short", b"here"), None);
    }

    #[test]
    fn an_erased_text_is_known_again_whatever_the_white_space_around_it() {
        assert_eq!(keyring("a").erasure_mac("caf\u{e9}\n"), keyring("a").erasure_mac(" cafe\u{301}"));
        assert_ne!(keyring("a").erasure_mac("x"), keyring("b").erasure_mac("x"));
    }
}
