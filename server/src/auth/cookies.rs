//! What browsers carry: the sign-in's id, authenticated by us, and the token that proves a form came from our page.

use crate::{keyring::Keyring, model::LoginId};
use axum::http::{HeaderMap, header, request::Parts};
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::RngExt;
use uuid::Uuid;

pub const NAME: &str = "cairn_login";

pub fn value(keyring: &Keyring, login: LoginId) -> String {
    format!("{}.{}", login.0.simple(), BASE64_URL_SAFE_NO_PAD.encode(keyring.sign("cookie", login.0.as_bytes())))
}

pub fn read(keyring: &Keyring, headers: &HeaderMap) -> Option<LoginId> {
    let jar = CookieJar::from_headers(headers);
    let (id, signature) = jar.get(NAME)?.value().split_once('.')?;
    let id = Uuid::parse_str(id).ok()?;
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
    keyring.verify("cookie", id.as_bytes(), &signature).then_some(LoginId(id))
}

/// Whether a browser says that a page of another site made it send this change. `SameSite` keeps the cookie from
/// strangers; this also keeps out a neighbour on the same domain.
pub fn sent_by_another_site(public_url: &str, parts: &Parts) -> bool {
    let text = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let Some(origin) = parts.headers.get(header::ORIGIN).filter(|_| !parts.method.is_safe()) else { return false };
    let origin = origin.to_str().unwrap_or_default();
    let host = text(header::HOST).or_else(|| parts.uri.authority().map(axum::http::uri::Authority::as_str)).unwrap_or_default();
    let ours = public_url.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    origin != ours && origin.split_once("://").is_none_or(|(_, named)| named != host)
}

/// Kept from scripts and from other sites, and sent over HTTPS only where there is HTTPS.
pub fn cookie(name: &'static str, value: String, secure: bool) -> Cookie<'static> {
    Cookie::build((name, value)).path("/").http_only(true).secure(secure).same_site(SameSite::Lax).build()
}

/// Never twice the same: pages are compressed, and a token that stood still could be guessed letter by letter from
/// how long they are.
pub fn csrf(keyring: &Keyring, bound_to: &[u8]) -> String {
    let token = keyring.sign("csrf", bound_to);
    let mask: [u8; 32] = rand::rng().random();
    BASE64_URL_SAFE_NO_PAD.encode([mask, xor(&token, &mask)].concat())
}

pub fn csrf_fits(keyring: &Keyring, bound_to: &[u8], sent: &str) -> bool {
    let Ok(sent) = BASE64_URL_SAFE_NO_PAD.decode(sent) else { return false };
    let Some((mask, masked)) = sent.split_first_chunk::<32>() else { return false };
    masked.first_chunk().is_some_and(|masked| masked.len() == sent.len() - 32 && keyring.verify("csrf", bound_to, &xor(masked, mask)))
}

fn xor(one: &[u8; 32], other: &[u8; 32]) -> [u8; 32] {
    std::array::from_fn(|n| one[n] ^ other[n])
}

#[cfg(test)]
mod tests {
    use super::{csrf, csrf_fits};
    use crate::keyring::Keyring;

    #[test]
    fn a_forms_token_is_new_each_time_and_fits_its_sign_in_only() {
        let keyring = Keyring::parse(&"a".repeat(64)).expect("64 digits");
        let (one, other) = (csrf(&keyring, b"ada"), csrf(&keyring, b"ada"));
        assert_ne!(one, other);
        assert!(csrf_fits(&keyring, b"ada", &one) && csrf_fits(&keyring, b"ada", &other));
        let longer = format!("{one}AA");
        for wrong in ["", "x", &one[1..], &one[..one.len() - 2], &longer] {
            assert!(!csrf_fits(&keyring, b"ada", wrong), "{wrong}");
        }
        assert!(!csrf_fits(&keyring, b"ben", &one));
    }
}
