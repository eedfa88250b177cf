//! Asking what an agent would be told.

use super::{actors, asked::Asked, viewer::Viewer};
use crate::{
    acts::{self, recall::Item},
    model::{
        clock,
        recall::{Detail, Recall, Why},
    },
    problem::Problem,
    store::Reading,
};
use axum::response::Response;
use cairn_web::{
    explain::Explained,
    memories::Freshness,
    search::{Answer, Filters, Hit, Search},
};
use time::{Date, Duration, OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339, macros::format_description};

/// As many as an agent gets unless it asks for more.
const LIMIT: usize = 10;
/// As many bytes as an address may carry; over the API a question may be longer.
const LONGEST: usize = 2000;

pub async fn show(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let question = read(&mut asked);
    let as_of = question.as_of;
    let answer = match asked.read("q", "of at most 2,000 bytes", fits) {
        Some(query) => {
            let told = acts::recall::recall(app, scope, "dashboard", Recall { query, ..question }).await?;
            Some(answer(&told, as_of))
        }
        None => None,
    };
    let labels = acts::memories::labels(app, scope).await?;
    let age = clock::now() - scope.standing().workspace().created_at;
    let view = Search {
        filters: filters(&asked),
        projects: labels.projects,
        tags: labels.tags,
        authors: actors::choices(&acts::actors::everyone(app, scope).await?),
        days: age.whole_days().clamp(1, 730),
        ago: as_of.map_or(0, |then| (clock::now().date() - then.to_offset(UtcOffset::UTC).date()).whole_days().max(0)),
        answer,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

/// A question that this page takes.
pub fn fits(question: &str) -> Option<String> {
    (question.len() <= LONGEST).then(|| question.to_owned())
}

fn read(asked: &mut Asked) -> Recall {
    let as_of = then(asked);
    Recall {
        kinds: asked.read("kind", "a kind of memory, such as decision", |text| text.parse().ok()).into_iter().collect(),
        freshness: asked.read("freshness", "fresh, suspect or stale", |text| text.parse().ok()).into_iter().collect(),
        author: asked.read("author", "the id of a person or an agent", |text| text.parse().ok()),
        token_budget: asked.read("budget", "a number of tokens", |text| text.parse().ok().filter(|n| *n > 0)),
        project: asked.text("project").filter(|text| text.len() <= 200),
        tags: asked.text("tag").filter(|text| text.len() <= 200).into_iter().collect(),
        as_of,
        detail: Detail::Excerpt,
        limit: LIMIT,
        ..Recall::default()
    }
}

/// When: as the slider says, if it was moved away from where the day in the address had put it; else as the address says.
fn then(asked: &mut Asked) -> Option<OffsetDateTime> {
    let days = |text: &str| text.parse::<u32>().ok().filter(|days| *days <= 36_500);
    let (slid, stood) = (asked.read("ago", "a number of days", days), asked.read("stood", "a number of days", days));
    let named = asked.read("as_of", "a day or a moment, such as 2026-11-01", moment);
    asked.forget("stood");
    let slid = match slid {
        Some(days) if named.is_none() || days != stood.unwrap_or(0) => days,
        _ => {
            asked.forget("ago");
            return named;
        }
    };
    asked.forget("as_of");
    (slid > 0).then(|| clock::now().checked_sub(Duration::days(slid.into()))).flatten()
}

/// A day is meant to its end.
fn moment(text: &str) -> Option<OffsetDateTime> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]"));
    let at = match day {
        Ok(day) => day.next_day()?.midnight().assume_utc() - Duration::MICROSECOND,
        Err(_) => OffsetDateTime::parse(text, &Rfc3339).ok()?,
    };
    clock::kept("as_of", Some(at)).ok().flatten()
}

fn filters(asked: &Asked) -> Filters {
    let said = |name| asked.said(name).to_owned();
    Filters {
        q: said("q"),
        kind: said("kind"),
        project: said("project"),
        tag: said("tag"),
        freshness: said("freshness"),
        author: said("author"),
        as_of: said("as_of"),
        budget: said("budget"),
    }
}

fn answer(told: &acts::recall::Answer, as_of: Option<OffsetDateTime>) -> Answer {
    Answer {
        receipt_id: told.receipt.id.to_string(),
        hits: told.items.iter().enumerate().map(|(place, item)| hit(item, place == 0)).collect(),
        tokens: told.receipt.tokens,
        omitted: told.receipt.omitted,
        took_ms: told.receipt.took_ms,
        as_of,
        notes: told.notes.clone(),
    }
}

fn hit(item: &Item, open: bool) -> Hit {
    let memory = &item.memory;
    Hit {
        id: item.told.memory_id.to_string(),
        version: item.told.version,
        title: memory.title.clone().unwrap_or_default(),
        path: memory.path.clone().unwrap_or_default(),
        kind: memory.kind.word().to_owned(),
        state: memory.state.word().to_owned(),
        excerpt: item.text.clone().or_else(|| memory.content.clone()).unwrap_or_default(),
        freshness: Freshness { state: item.freshness.state.word().to_owned(), reasons: item.freshness.reasons.clone() },
        tokens: item.told.tokens,
        why: Explained { open, ..explained(item.told.score, &item.told.why) },
    }
}

/// The parts of a score, in words.
pub fn explained(score: f32, why: &Why) -> Explained {
    let parts = vec![
        ("Keyword", "how well the words fit", why.keyword),
        ("Meaning", "how near the meaning is", why.semantic),
        ("Code", "whether it hangs on the code that was asked about", why.code),
        ("Date", "whether it is of the time that the question names", why.date),
        ("Recency", "how lately it was changed or verified", why.recency),
        ("Authority", "what its kind weighs", why.authority),
        ("Verified", "whether a person verified it", why.verification),
        ("Confidence", "how sure its author was", why.confidence),
        ("Helpfulness", "what those who were told it said of it", why.helpfulness),
        ("Freshness", "1 fresh, less for suspect and stale", why.freshness),
    ];
    Explained { score, parts, open: false }
}
