//! Pages and views, as that API asks for them.

use crate::{
    model::page::{Limit, Page},
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A page of a list.
#[derive(Serialize, ToSchema)]
pub struct Paged<T> {
    /// The items of this page.
    data: Vec<T>,
    /// To be sent as `page` for the next one; null on the last.
    #[schema(example = json!(null))]
    next_page: Option<String>,
}

impl<T> From<Page<T>> for Paged<T> {
    fn from(page: Page<T>) -> Self {
        Self { data: page.data, next_page: page.next_cursor }
    }
}

/// Whether texts are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// Without the text.
    Basic,
    /// With it; at most 20 a page.
    Full,
}

impl View {
    pub fn is_full(asked: Option<Self>, usual: Self) -> bool {
        asked.unwrap_or(usual) == Self::Full
    }
}

/// With their texts, fewer at a time.
pub fn limit(asked: Option<i64>, full: bool) -> Result<Limit, Problem> {
    let limit = Limit::within(asked, 20, 100)?;
    Ok(if full { limit.at_most(20) } else { limit })
}

/// What we call a cursor they call a page.
pub fn of_page(problem: Problem) -> Problem {
    match &problem {
        Problem::Invalid(errors) if errors.iter().all(|error| error.field == "cursor") => problem.at_field("page"),
        _ => problem,
    }
}

/// A SHA-256, as it is written there.
pub fn digest(field: &str, sent: &str) -> Result<[u8; 32], Problem> {
    let wrong = || Problem::invalid(field, "must be 64 lower-case hexadecimal digits");
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        _ => Err(wrong()),
    };
    let mut digest = [0; 32];
    if sent.len() != 64 {
        return Err(wrong());
    }
    for (place, pair) in digest.iter_mut().zip(sent.as_bytes().chunks(2)) {
        *place = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Ok(digest)
}
