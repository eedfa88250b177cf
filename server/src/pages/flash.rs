//! A message about what was just done: it travels in a cookie over one redirect, signed so that nobody else can
//! put words into our mouth.

use crate::{App, auth::cookies};
use axum::{
    http::HeaderMap,
    response::{Redirect, Response},
};
use axum_extra::extract::cookie::{Cookie, CookieJar};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use cairn_web::{Flash, Tone, Undo};
use serde::{Deserialize, Serialize};
use time::Duration;

const NAME: &str = "cairn_flash";
const PURPOSE: &str = "flash";
/// A cookie holds 4 KiB, and nobody reads a longer message.
const LONGEST: usize = 600;

/// As the cookie has it.
#[derive(Serialize, Deserialize)]
struct Said {
    tone: String,
    text: String,
    undo: Option<Back>,
}

#[derive(Serialize, Deserialize)]
struct Back {
    action: String,
    label: String,
    fields: Vec<(String, String)>,
}

/// Go on to another page, and say this there.
pub fn then(app: &App, to: &str, flash: &Flash) -> Response {
    super::with_cookie(Redirect::to(to), &cookie(app, flash))
}

pub fn read(app: &App, headers: &HeaderMap) -> Option<Flash> {
    let jar = CookieJar::from_headers(headers);
    let (said, signature) = jar.get(NAME)?.value().split_once('.')?;
    let (said, signature) = (BASE64_URL_SAFE_NO_PAD.decode(said).ok()?, BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?);
    if !app.keyring().verify(PURPOSE, &said, &signature) {
        return None;
    }
    let said: Said = serde_json::from_slice(&said).ok()?;
    let tone = [Tone::Good, Tone::Bad, Tone::Note].into_iter().find(|known| word(*known) == said.tone)?;
    let undo = said.undo.map(|Back { action, label, fields }| Undo { action, label, fields });
    Some(Flash { tone, text: said.text, undo })
}

/// Once shown, it is gone.
pub fn spent(app: &App) -> Cookie<'static> {
    let mut cookie = cookies::cookie(NAME, String::new(), app.is_https());
    cookie.set_max_age(Duration::ZERO);
    cookie
}

fn cookie(app: &App, flash: &Flash) -> Cookie<'static> {
    let text: String = flash.text.chars().take(LONGEST).collect();
    let undo = flash.undo.clone().map(|Undo { action, label, fields }| Back { action, label, fields });
    let said = serde_json::to_vec(&Said { tone: word(flash.tone).to_owned(), text, undo }).unwrap_or_default();
    let signature = app.keyring().sign(PURPOSE, &said);
    let value = format!("{}.{}", BASE64_URL_SAFE_NO_PAD.encode(&said), BASE64_URL_SAFE_NO_PAD.encode(signature));
    let mut cookie = cookies::cookie(NAME, value, app.is_https());
    cookie.set_max_age(Duration::MINUTE);
    cookie
}

fn word(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Note => "note",
    }
}
