//! What browsers carry: the sign-in's id, authenticated by us, and the token that proves a form came from our page.

use crate::{keyring::Keyring, model::LoginId};
use axum::http::{HeaderMap, header, request::Parts};
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
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

pub fn csrf(keyring: &Keyring, bound_to: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(keyring.sign("csrf", bound_to))
}

pub fn csrf_fits(keyring: &Keyring, bound_to: &[u8], sent: &str) -> bool {
    BASE64_URL_SAFE_NO_PAD.decode(sent).is_ok_and(|sent| keyring.verify("csrf", bound_to, &sent))
}
