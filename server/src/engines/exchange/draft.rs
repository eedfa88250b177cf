//! What another tool calls a memory, on its way to being one of ours: what does not fit is cut, what is wrong is left out.

use crate::model::{
    Anchor, Kind, NewMemory, Project, Source, State,
    clock::kept,
    exchange::{Format, Found, Item, Origin, Passed, Skipped, Told},
    memory::{AnchorState, SourceType},
    text::{CONTENT_LIMIT, Content},
};
use serde_json::{Map, Value};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

/// A record of another tool: a row of a table, an object of an export.
pub type Record = Map<String, Value>;

#[derive(Debug)]
pub struct Draft {
    /// The tool's own name for it.
    pub key: String,
    pub text: String,
    pub title: Option<String>,
    pub kind: Kind,
    pub tags: Vec<String>,
    pub project: Option<String>,
    pub files: Vec<String>,
    pub at: Option<OffsetDateTime>,
    pub by: Option<String>,
    pub confidence: Option<f32>,
    pub subject: Option<String>,
    pub expires_at: Option<OffsetDateTime>,
    pub state: State,
    /// Where it was learned, if more is known than which tool had it.
    pub reference: Option<String>,
}

impl Draft {
    pub fn new(key: impl Into<String>, text: impl Into<String>, kind: Kind) -> Self {
        Self {
            key: key.into(),
            text: text.into(),
            title: None,
            kind,
            tags: Vec::new(),
            project: None,
            files: Vec::new(),
            at: None,
            by: None,
            confidence: None,
            subject: None,
            expires_at: None,
            state: State::Active,
            reference: None,
        }
    }

    pub fn found(self, format: Format, place: impl Into<String>) -> Found {
        Found { place: place.into(), item: self.item(format) }
    }

    fn item(self, format: Format) -> Result<Item, Skipped> {
        let content = content(self.text.replace('\0', ""))?;
        let reference = self.reference.unwrap_or_else(|| format!("{}:{}", format.word(), self.key));
        let at = kept("at", self.at).ok().flatten();
        let new = NewMemory {
            title: self.title.as_deref().and_then(|title| one_line(title, 200)),
            tags: tags(self.tags),
            project: self.project.as_deref().and_then(|project| Project::parse(project).ok()),
            anchors: self.files.into_iter().filter_map(anchor).take(32).collect(),
            source: Some(Source { kind: SourceType::Import, reference: one_line(&reference, 2000), excerpt: None }),
            confidence: self.confidence.filter(|sure| (0.0..=1.0).contains(sure)).map(|sure| sure + 0.0),
            subject: self.subject.as_deref().and_then(|subject| one_line(subject, 300)),
            valid_from: at,
            expires_at: kept("expires_at", self.expires_at).ok().flatten(),
            propose_on_conflict: true,
            ..NewMemory::of(content, self.kind)
        };
        let origin = Origin { at, by: self.by.as_deref().and_then(|by| one_line(by, 200)), ..Origin::default() };
        let told = Told { new, state: self.state, superseded_by: None, reason: None, origin };
        Ok(Item { format, key: self.key, id: None, seen: None, states: vec![told] })
    }
}

pub fn content(text: String) -> Result<Content, Skipped> {
    if text.trim().is_empty() {
        return Err(Skipped::new(Passed::NothingSaid, "It has no text."));
    }
    content_of_ours(text)
}

/// What comes from a server like this one may be empty, as files may be there.
pub fn content_of_ours(text: String) -> Result<Content, Skipped> {
    if text.len() > CONTENT_LIMIT {
        let detail = format!("It has {} bytes; a memory may have {CONTENT_LIMIT}.", text.len());
        return Err(Skipped::new(Passed::TooLong, detail));
    }
    Content::of_a_file(text).map_err(|_| Skipped::new(Passed::Unreadable, "Its text cannot be kept."))
}

/// Words on one line, cut where it grows too long; nothing if there are none.
pub fn one_line(text: &str, longest: usize) -> Option<String> {
    let line = text.split(|sign: char| sign.is_whitespace() || sign.is_control()).filter(|word| !word.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(longest).collect();
    Some(cut.trim().to_owned()).filter(|line| !line.is_empty())
}

fn tags(said: Vec<String>) -> Vec<String> {
    let mut tags: Vec<String> = said.iter().filter_map(|tag| one_line(tag, 100)).collect();
    tags.sort_unstable();
    tags.dedup();
    tags.truncate(64);
    tags
}

/// Files are named from a repository's root; where that is, an absolute path does not say.
fn anchor(path: String) -> Option<Anchor> {
    let absolute = path.starts_with(['/', '\\', '~']) || path.get(1..2) == Some(":");
    let anchor = Anchor { repo: None, path, symbol: None, fingerprint: None, state: AnchorState::Unresolved };
    if absolute { None } else { anchor.checked().ok() }
}

/// A member as text; numbers count as such.
pub fn text(record: &Record, member: &str) -> Option<String> {
    match record.get(member)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A list of words, however it was written: as a list, as JSON in a string, or with commas between.
pub fn words(record: &Record, member: &str) -> Vec<String> {
    let strings = |list: &[Value]| list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect();
    match record.get(member) {
        Some(Value::Array(list)) => strings(list),
        Some(Value::String(text)) => match serde_json::from_str::<Value>(text) {
            Ok(Value::Array(list)) => strings(&list),
            _ => text.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect(),
        },
        _ => Vec::new(),
    }
}

/// A moment in any of the usual spellings: RFC 3339, the same without a zone, seconds or milliseconds since 1970.
pub fn moment(value: Option<&Value>) -> Option<OffsetDateTime> {
    match value? {
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| number.is_finite())?;
            let seconds = if number.abs() > 1e11 { number / 1000.0 } else { number };
            OffsetDateTime::UNIX_EPOCH.checked_add(Duration::checked_seconds_f64(seconds)?)
        }
        Value::String(text) => {
            let text = text.trim().replacen(' ', "T", 1);
            OffsetDateTime::parse(&text, &Rfc3339).or_else(|_| OffsetDateTime::parse(&format!("{text}Z"), &Rfc3339)).ok()
        }
        _ => None,
    }
}
