//! Everything that can go wrong, as the caller should hear it: status, stable code, and what to do next.

use crate::store::Answer;
use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

pub type Text = Cow<'static, str>;

#[derive(Debug, Clone)]
pub enum Problem {
    /// No credentials, or none that hold.
    Unauthenticated(Text),
    /// You may know of it, but not do this.
    Forbidden(&'static str, Text),
    /// It is not there, or you may not even know whether it is.
    NotFound,
    Malformed(Text),
    Invalid(Vec<FieldError>),
    Conflict(Box<Conflict>),
    Gone(Text),
    PreconditionFailed(Text),
    TooLarge(Text),
    UnsupportedMedia(Text),
    MethodNotAllowed,
    TooMany {
        retry_after: u64,
        detail: Text,
    },
    Timeout,
    /// Postgres is away or busy; try again.
    Unavailable(Text),
    /// Not a problem: the same request was answered before, and this is that answer.
    AlreadyAnswered(Box<Answer>),
    /// Somebody else was quicker; the act tries again.
    LostRace,
    Internal(Text),
}

#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// Which field, as sent.
    #[schema(example = "content")]
    pub field: String,
    /// What is wrong with it.
    #[schema(example = "must not be empty")]
    pub message: String,
}

#[derive(Debug, Clone)]
pub struct Conflict {
    pub code: &'static str,
    pub detail: Text,
    /// Further members of the answer, such as the id of what stands in the way.
    pub more: Map<String, Value>,
}

impl Problem {
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError { field: field.into(), message: message.into() }])
    }

    /// What serde could not read, and where. It names a missing or unknown field in its message, and the parent in the path.
    pub fn unreadable(path: &str, message: &str) -> Self {
        let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
        let path = if path == "." { "" } else { path };
        let named = ["missing field `", "unknown field `", "duplicate field `"]
            .iter()
            .find_map(|start| message.strip_prefix(start)?.split('`').next());
        let field = match named {
            Some(name) if path.is_empty() => name.to_owned(),
            Some(name) if path.ends_with(name) => path.to_owned(),
            Some(name) => format!("{path}.{name}"),
            None if path.is_empty() => "body".to_owned(),
            None => path.to_owned(),
        };
        Self::invalid(field, message)
    }

    pub fn conflict(code: &'static str, detail: impl Into<Text>) -> Self {
        Self::Conflict(Box::new(Conflict { code, detail: detail.into(), more: Map::new() }))
    }

    pub fn conflict_with(code: &'static str, detail: impl Into<Text>, key: &str, id: impl ToString) -> Self {
        let more = Map::from_iter([(key.to_owned(), Value::String(id.to_string()))]);
        Self::Conflict(Box::new(Conflict { code, detail: detail.into(), more }))
    }

    pub fn forbidden(detail: impl Into<Text>) -> Self {
        Self::Forbidden("forbidden", detail.into())
    }

    /// For what cannot happen. The caller hears a request id; the log has the rest.
    pub fn internal(what: impl std::fmt::Display) -> Self {
        Self::Internal(what.to_string().into())
    }

    /// Says which field it is about, where that has another name than usual.
    #[must_use]
    pub fn at_field(self, field: &str) -> Self {
        match self {
            Self::Invalid(errors) => {
                Self::Invalid(errors.into_iter().map(|error| FieldError { field: field.to_owned(), ..error }).collect())
            }
            other => other,
        }
    }

    /// Says which item of a batch it is about.
    #[must_use]
    pub fn at_item(self, index: usize) -> Self {
        match self {
            Self::Invalid(errors) => Self::Invalid(
                errors.into_iter().map(|e| FieldError { field: format!("items[{index}].{}", e.field), message: e.message }).collect(),
            ),
            Self::Conflict(mut conflict) => {
                conflict.more.insert("index".to_owned(), index.into());
                Self::Conflict(conflict)
            }
            other => other,
        }
    }

    /// Says which of several lines it is about.
    #[must_use]
    pub fn at_field_item(self, field: &str, index: usize) -> Self {
        match self {
            Self::Conflict(mut conflict) => {
                conflict.more.insert("field".to_owned(), format!("{field}[{index}]").into());
                Self::Conflict(conflict)
            }
            other => other,
        }
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden(..) => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Conflict(_) | Self::LostRace => StatusCode::CONFLICT,
            Self::Gone(_) => StatusCode::GONE,
            Self::PreconditionFailed(_) => StatusCode::PRECONDITION_FAILED,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMedia(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Timeout | Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::AlreadyAnswered(answer) => StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK),
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// A stable word for machines; the detail is for people and may change.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unauthenticated(_) => "unauthenticated",
            Self::Forbidden(code, _) => code,
            Self::NotFound => "not_found",
            Self::Malformed(_) => "malformed",
            Self::Invalid(_) => "invalid",
            Self::Conflict(conflict) => conflict.code,
            Self::LostRace => "lost_race",
            Self::Gone(_) => "gone",
            Self::PreconditionFailed(_) => "precondition_failed",
            Self::TooLarge(_) => "too_large",
            Self::UnsupportedMedia(_) => "unsupported_media_type",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::TooMany { .. } => "too_many_requests",
            Self::Timeout => "timeout",
            Self::Unavailable(_) => "unavailable",
            Self::AlreadyAnswered(_) => "already_answered",
            Self::Internal(_) => "internal",
        }
    }

    fn title(&self) -> &'static str {
        match self {
            Self::Unauthenticated(_) => "Sign in first",
            Self::Forbidden(..) => "Not your right",
            Self::NotFound => "Not found",
            Self::Malformed(_) => "Malformed request",
            Self::Invalid(_) => "Invalid request",
            Self::Conflict(_) | Self::LostRace => "Conflict",
            Self::Gone(_) => "Gone",
            Self::PreconditionFailed(_) => "Changed meanwhile",
            Self::TooLarge(_) => "Too large",
            Self::UnsupportedMedia(_) => "Unsupported media type",
            Self::MethodNotAllowed => "Method not allowed",
            Self::TooMany { .. } => "Too many requests",
            Self::Timeout => "Took too long",
            Self::Unavailable(_) => "Not available right now",
            Self::AlreadyAnswered(_) => "Answered before",
            Self::Internal(_) => "Something broke on our side",
        }
    }

    fn detail(&self) -> Text {
        match self {
            Self::Unauthenticated(detail)
            | Self::Forbidden(_, detail)
            | Self::Malformed(detail)
            | Self::Gone(detail)
            | Self::PreconditionFailed(detail)
            | Self::TooLarge(detail)
            | Self::UnsupportedMedia(detail)
            | Self::Unavailable(detail)
            | Self::TooMany { detail, .. } => detail.clone(),
            Self::NotFound => {
                "There is no such thing here. Check the address, and that your key or account belongs to this workspace.".into()
            }
            Self::Invalid(errors) => errors.iter().map(|e| format!("{}: {}", e.field, e.message)).collect::<Vec<_>>().join("; ").into(),
            Self::Conflict(conflict) => conflict.detail.clone(),
            Self::LostRace => "Somebody else changed this at the same moment; try again.".into(),
            Self::MethodNotAllowed => "This address does not take that method; the API document lists those that it takes.".into(),
            Self::Timeout => {
                "The request took too long. Whether it was done is not certain: look, or send it again with an Idempotency-Key.".into()
            }
            Self::AlreadyAnswered(_) => "This request was answered before.".into(),
            Self::Internal(_) => "It is in the server's log under the request id.".into(),
        }
    }

    pub fn told(&self) -> Told {
        if let Self::Internal(what) = self {
            tracing::error!(problem = %what, "internal error");
        }
        let (errors, more) = match self {
            Self::Invalid(errors) => (errors.clone(), Map::new()),
            Self::Conflict(conflict) => (Vec::new(), conflict.more.clone()),
            _ => (Vec::new(), Map::new()),
        };
        Told {
            kind: format!("/docs/problems#{}", self.code()),
            title: self.title().to_owned(),
            status: self.status().as_u16(),
            detail: self.detail().into_owned(),
            code: self.code().to_owned(),
            request_id: String::new(),
            errors,
            more,
        }
    }
}

/// The body of a problem (RFC 9457). `request_id` is filled in on the way out.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Problem)]
pub struct Told {
    /// Where this problem is explained.
    #[serde(rename = "type")]
    #[schema(example = "/docs/problems#invalid")]
    pub kind: String,
    /// The problem in a few words.
    #[schema(example = "Invalid request")]
    pub title: String,
    /// The HTTP status again.
    #[schema(example = 422)]
    pub status: u16,
    /// What happened, what it was about and what to do next; for people.
    #[schema(example = "content: must not be empty")]
    pub detail: String,
    /// A stable word for programs.
    #[schema(example = "invalid")]
    pub code: String,
    /// The id to look for in the server's log.
    #[schema(example = "0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa")]
    pub request_id: String,
    /// Per field, for `invalid`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Further members, by code: the id of what stands in the way, the index of a batch's item.
    #[serde(flatten)]
    #[schema(ignore)]
    pub more: Map<String, Value>,
}

impl IntoResponse for Problem {
    /// The outermost layer turns what was told into JSON or a page; it knows the request.
    fn into_response(self) -> Response {
        let status = self.status();
        if let Self::AlreadyAnswered(answer) = self {
            return again(status, *answer);
        }
        let mut response = status.into_response();
        let headers = response.headers_mut();
        match &self {
            Self::TooMany { retry_after, .. } => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(*retry_after));
            }
            Self::Unavailable(_) | Self::Timeout => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(2));
            }
            Self::Unauthenticated(_) => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        response.extensions_mut().insert(self.told());
        response
    }
}

/// An answer that was kept, as it was first given.
fn again(status: StatusCode, answer: Answer) -> Response {
    let mut response = (status, answer.body).into_response();
    response.headers_mut().clear();
    for (name, value) in &answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// A database error, told apart by what the caller can do about it.
impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error as E;
        let away = || Self::Unavailable("The database cannot be reached right now; try again in a moment.".into());
        match &error {
            E::Database(db) => {
                metrics::counter!("cairn_postgres_errors_total", "class" => db.code().map_or_else(String::new, |c| c.chars().take(2).collect())).increment(1);
                match (db.code().as_deref(), db.constraint()) {
                    (Some("23505"), Some("memories_path")) => Self::conflict(
                        "path_conflict",
                        "This path is taken, or lies above or below one that is. Choose another, or revise the memory that is there.",
                    ),
                    (Some("23514"), Some("memories_store_open")) => Self::conflict(
                        "store_archived",
                        "The store of this memory is archived or deleted, and nothing in it can be written.",
                    ),
                    // Erased by somebody else at this moment.
                    (Some("23503"), Some("conflicts_a" | "conflicts_b" | "code_verdicts_anchor"))
                    | (
                        Some("23505"),
                        Some(
                            "memories_twin"
                            | "memories_pkey"
                            | "sessions_external"
                            | "tasks_key"
                            | "proposals_key"
                            | "code_snapshots_branch",
                        ),
                    )
                    | (Some("40001" | "40P01"), _) => Self::LostRace,
                    (Some("23505"), Some("agents_name")) => {
                        Self::conflict("name_taken", "An agent of this workspace has that name already.")
                    }
                    (Some("23505"), Some("workspaces_slug")) => Self::conflict("slug_taken", "A workspace has that slug already."),
                    (Some("23505"), Some("people_email")) => {
                        Self::conflict("email_taken", "A person with that e-mail address is there already.")
                    }
                    // The row policy refused what the type system let through: a limited key writing outside its project.
                    (Some("42501"), _) => Self::forbidden("Your key may not write there."),
                    // Shutting down, starting up, out of connections, out of disk or memory, cancelled.
                    (Some(code), _) if code.starts_with("57P") || code.starts_with("08") || code.starts_with("53") => away(),
                    (Some("57014"), _) => Self::Timeout,
                    (Some("25006"), _) => away(),
                    // Another server has migrated beside this one: the next connection reads the schema anew.
                    (Some("0A000"), _) if db.message().contains("cached plan") => {
                        crate::store::connect::statements_are_stale();
                        away()
                    }
                    _ => Self::internal(&error),
                }
            }
            E::PoolTimedOut | E::Io(_) | E::Tls(_) | E::PoolClosed | E::WorkerCrashed | E::Protocol(_) | E::BeginFailed => {
                metrics::counter!("cairn_postgres_errors_total", "class" => "connection").increment(1);
                tracing::warn!(%error, "the database is away");
                away()
            }
            _ => Self::internal(&error),
        }
    }
}
