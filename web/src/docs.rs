//! The API document in a viewer that we ship: no network but the same origin.

use crate::Theme;
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "docs.html")]
pub struct Docs {
    pub theme: Theme,
    /// Where the document is; of the same origin.
    pub spec: String,
}

impl Docs {
    /// The viewer styles its elements in place; scripts stay ours alone.
    pub const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'";

    pub fn new(theme: Theme) -> Self {
        Self { theme, spec: "/openapi.json".into() }
    }
}
