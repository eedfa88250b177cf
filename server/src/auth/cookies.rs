//! What browsers carry: the sign-in's id, authenticated by us, and the token that proves a form came from our page.

use crate::{keyring::Keyring, model::LoginId};
use axum::http::HeaderMap;
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
