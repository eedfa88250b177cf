//! What callers send: JSON bodies, queries and path parameters, read strictly. 400 what cannot be read, 415 what
//! is not JSON, 422 what can be read and is wrong, with the field's name; a malformed id is simply not there.

use crate::{model::text, problem::Problem};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Path, Request},
    http::{HeaderMap, header, request::Parts},
};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;
use std::collections::HashSet;

/// Of a field: left out, null, or a value. Three things, of which null takes away what is there.
pub type Sent<T> = Option<Option<T>>;

/// Tells a null that was sent from a field that was not.
pub fn sent<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Sent<T>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// A JSON body.
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::UnsupportedMedia("Send JSON, with `Content-Type: application/json`.".into()));
        }
        parse(&body(request, state).await?).map(Self)
    }
}

/// A JSON body that may be left out.
pub struct MaybeJson<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for MaybeJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let json = is_json(request.headers());
        let bytes = body(request, state).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        if !json {
            return Err(Problem::UnsupportedMedia("Send JSON, with `Content-Type: application/json`.".into()));
        }
        parse(&bytes).map(Self)
    }
}

/// Everything that was sent, whatever it is.
pub async fn body<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Problem> {
    Bytes::from_request(request, state).await.map_err(|rejection| match rejection.status().as_u16() {
        413 => Problem::TooLarge("A body may have 10 MiB.".into()),
        _ => Problem::Malformed("The body could not be read to its end.".into()),
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json") || (kind.starts_with("application/") && kind.ends_with("+json"))
}

pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if let Some(field) = nul_in(bytes) {
        return Err(Problem::invalid(field, "must not contain NUL characters"));
    }
    // Keeping track of where one is takes longer than reading: only who has to say what is wrong does it.
    serde_json::from_slice(bytes).or_else(|_| parse_with_place(bytes))
}

fn parse_with_place<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize(&mut reader).map_err(|error| explain(bytes, &error.path().to_string(), error.inner()))?;
    reader.end().map_err(|error| Problem::Malformed(format!("The body is not JSON: {error}").into()))?;
    Ok(parsed)
}

/// Postgres cannot keep NUL; the field is looked for only when there is one.
fn nul_in(bytes: &[u8]) -> Option<String> {
    memchr::memmem::find(bytes, b"\\u0000")?;
    let value: Value = serde_json::from_slice(bytes).ok()?;
    text::nul_in(&value, String::new())
}

fn explain(bytes: &[u8], path: &str, error: &serde_json::Error) -> Problem {
    // A wrong type where a word of a list is expected is reported as bad syntax; whether it is, only a second look tells,
    // at every string too: half a surrogate pair is no JSON.
    if !error.is_data() && serde_json::from_slice::<Value>(bytes).is_err() {
        return Problem::Malformed(format!("The body is not JSON: {error}").into());
    }
    Problem::unreadable(path, &error.to_string())
}

/// The query string; an unknown parameter is an error, because a filter that is not heard shows too much.
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parse_query(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

pub fn parse_query<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let pairs: Vec<(String, String)> =
        serde_urlencoded::from_str(query).map_err(|_| Problem::Malformed("The query string cannot be read.".into()))?;
    let mut seen = HashSet::new();
    for (name, value) in &pairs {
        if value.contains('\0') || name.contains('\0') || value.contains('\u{fffd}') {
            return Err(Problem::invalid(name.replace('\0', "\u{fffd}"), "must be UTF-8 without NUL characters"));
        }
        if !seen.insert(name) {
            return Err(Problem::invalid(name.clone(), "must be given once"));
        }
    }
    let reader = serde_urlencoded::Deserializer::new(form_pairs(query));
    serde_path_to_error::deserialize(reader).map_err(|error| {
        let (path, message) = (error.path().to_string(), error.inner().to_string());
        let named = ["missing field `", "unknown field `"]
            .iter()
            .find_map(|start| message.strip_prefix(start)?.split('`').next().map(str::to_owned));
        let field = named.unwrap_or(if path == "." || path == "?" { "query".to_owned() } else { path });
        Problem::invalid(field, in_words(message))
    })
}

/// What the standard library says of a number it cannot read is no help to who sent it.
fn in_words(message: String) -> String {
    match message.as_str() {
        "invalid digit found in string" | "cannot parse integer from empty string" => "must be a whole number".to_owned(),
        "number too large to fit in target type" => "is too large a number".to_owned(),
        "number too small to fit in target type" => "is too small a number".to_owned(),
        "invalid float literal" | "cannot parse float from empty string" => "must be a number".to_owned(),
        "provided string was not `true` or `false`" => "must be true or false".to_owned(),
        _ => message,
    }
}

fn form_pairs(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}

/// Path parameters besides `{ws}`.
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        // Postgres keeps no NUL, so nothing goes by a name that has one.
        if parts.uri.path().contains("%00") {
            return Err(Problem::NotFound);
        }
        Path::<T>::from_request_parts(parts, state).await.map(|Path(params)| Self(params)).map_err(|_| Problem::NotFound)
    }
}

/// `If-Match`: the version that the caller has seen.
pub struct IfMatch(pub crate::acts::memories::Precondition);

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(sent) = parts.headers.get(header::IF_MATCH) else { return Ok(Self(crate::acts::memories::Precondition(None))) };
        let sent = sent.to_str().unwrap_or_default().trim();
        if sent == "*" {
            return Ok(Self(crate::acts::memories::Precondition(None)));
        }
        // An ETag we never gave matches nothing.
        let version = sent.trim_start_matches("W/").trim_matches('"').parse().unwrap_or(-1);
        Ok(Self(crate::acts::memories::Precondition(Some(version))))
    }
}
