//! What a page's address asks for. An address is edited by hand and kept for years, so what cannot be understood
//! is left out and said, and the page is shown.

use crate::{model::page::Page, problem::Problem};
use axum::{extract::FromRequestParts, http::request::Parts};
use cairn_web::Flash;
use std::convert::Infallible;
use time::{Date, Duration, OffsetDateTime, macros::format_description};

#[derive(Default)]
pub struct Asked {
    pairs: Vec<(String, String)>,
    misheard: Vec<String>,
}

impl<S: Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts.uri.query().unwrap_or_default()))
    }
}

impl Asked {
    pub fn of(query: &str) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
        let mut asked = Self { pairs: pairs.filter(|(_, value)| !value.is_empty()).collect(), misheard: Vec::new() };
        // Postgres takes no NUL, and nothing here has one in it.
        while let Some(name) = asked.pairs.iter().find(|(_, value)| value.contains('\0')).map(|(name, _)| name.clone()) {
            asked.mishear(&name, "it has an unreadable character in it");
        }
        asked
    }

    /// As it stands in the address; what was not understood no longer stands there.
    pub fn said(&self, name: &str) -> &str {
        self.pairs.iter().find(|(said, _)| said == name).map_or("", |(_, value)| value)
    }

    pub fn text(&self, name: &str) -> Option<String> {
        Some(self.said(name)).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Read as something particular; `wanted` says what it has to be.
    pub fn read<T>(&mut self, name: &str, wanted: &str, reads: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let text = self.text(name)?;
        let read = reads(&text);
        if read.is_none() {
            self.mishear(name, &format!("it has to be {wanted}"));
        }
        read
    }

    pub fn mishear(&mut self, name: &str, why: &str) {
        self.pairs.retain(|(said, _)| said != name);
        self.misheard.push(format!("“{name}” is left out: {why}."));
    }

    /// Something else that the address says goes before it.
    pub fn forget(&mut self, name: &str) {
        self.pairs.retain(|(said, _)| said != name);
    }

    /// A page of a list, from the cursor on. One that is none of this list is said, and the first page shown.
    pub async fn page<T, F>(&mut self, list: impl Fn(Option<String>) -> F) -> Result<Page<T>, Problem>
    where
        F: Future<Output = Result<Page<T>, Problem>>,
    {
        let cursor = self.text("cursor");
        let continued = cursor.is_some();
        match list(cursor).await {
            Err(Problem::Invalid(_)) if continued => {
                self.mishear("cursor", "it is no page of this list, so this is the first");
                list(None).await
            }
            listed => listed,
        }
    }

    /// `from` and `to` as days, the last one to its end.
    pub fn days(&mut self) -> (Option<OffsetDateTime>, Option<OffsetDateTime>) {
        let from = self.read("from", "a day such as 2026-11-16", day);
        let to = self.read("to", "a day such as 2026-11-16", |text| day(text)?.checked_add(Duration::DAY));
        (from, to)
    }

    /// Is this a later page?
    pub fn is_continued(&self) -> bool {
        !self.said("cursor").is_empty()
    }

    /// What the page has to say about what it did not understand.
    pub fn complaint(&self) -> Option<Flash> {
        let all = self.misheard.join(" ");
        (!all.is_empty()).then(|| Flash::bad(format!("Not all of this address was understood. {all}")))
    }
}

/// One that Postgres knows.
fn day(text: &str) -> Option<OffsetDateTime> {
    let date = Date::parse(text, format_description!("[year]-[month]-[day]")).ok()?;
    (1..9999).contains(&date.year()).then(|| date.midnight().assume_utc())
}

#[cfg(test)]
mod tests {
    use super::Asked;

    #[test]
    fn what_is_not_understood_is_left_out_and_said() {
        let mut asked = Asked::of("kind=nonsense&q=deploy&tag=&path=%00");
        assert_eq!(asked.read("kind", "a number", |text| text.parse::<u8>().ok()), None);
        assert_eq!((asked.said("kind"), asked.said("q"), asked.text("tag"), asked.said("path")), ("", "deploy", None, ""));
        let said = asked.complaint().expect("two were not understood").text;
        assert!(said.contains("“kind” is left out: it has to be a number.") && said.contains("“path”"), "{said}");
        assert!(Asked::of("q=x").complaint().is_none());
    }
}
