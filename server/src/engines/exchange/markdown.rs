//! A memory as a file: front matter, then the text as it is. Stable to the byte, so that a change shows as a small one.

use super::{draft, front_matter, ndjson::said};
use crate::{
    model::{
        Anchor, Kind, Memory, MemoryId, NewMemory, Project, Source, State, Visibility,
        clock::kept,
        exchange::{Format, Found, Item, Origin, Passed, Skipped, Told},
        memory::{self, AnchorState, SourceType},
        text::{self, MemoryPath},
    },
    problem::Problem,
};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// The file of a memory that is called `name`; its path is said only where the name does not.
pub fn write(memory: &Memory, name: &str) -> String {
    let mut file = String::from("---\n");
    let mut say = |member: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(file, "{member}: {value}");
        }
    };
    let moment = |at: Option<OffsetDateTime>| at.and_then(|at| at.format(&Rfc3339).ok());
    let word = |text: Option<&String>| text.map(|text| front_matter::word(text));
    say("id", Some(memory.id.to_string()));
    say("version", Some(memory.version.to_string()));
    say("title", Some(Value::from(memory.title.as_str()).to_string()));
    say("kind", Some(memory.kind.word().to_owned()));
    say("state", (memory.state != State::Active).then(|| memory.state.word().to_owned()));
    say("path", (name.trim_start_matches('/') != &memory.path.as_str()[1..]).then(|| front_matter::word(memory.path.as_str())));
    say("project", word(memory.project.as_ref()));
    let tags: Vec<String> = memory.tags.iter().map(|tag| front_matter::word(tag)).collect();
    say("tags", (!tags.is_empty()).then(|| format!("[{}]", tags.join(", "))));
    say("confidence", Some(memory.confidence.to_string()));
    say("subject", word(memory.subject.as_ref()));
    say("visibility", (memory.visibility != Visibility::Workspace).then(|| memory.visibility.word().to_owned()));
    say("valid_from", moment(Some(memory.valid_from)));
    say("stale_after", moment(memory.stale_after));
    say("expires_at", moment(memory.expires_at));
    say("supersedes", memory.supersedes.map(|id| id.to_string()));
    say("source", memory.source.as_ref().and_then(|source| serde_json::to_string(source).ok()));
    if !memory.anchors.is_empty() {
        say("anchors", Some(String::new()));
        for anchor in &memory.anchors {
            let place = json!({"repo": anchor.repo, "path": anchor.path, "symbol": anchor.symbol, "fingerprint": anchor.fingerprint});
            let _ = writeln!(file, "  - {place}");
        }
    }
    let _ = write!(file, "---\n\n{}\n", memory.content);
    // A member without a value has no blank behind its colon.
    file.replacen("anchors: \n", "anchors:\n", 1)
}

pub(super) fn read(name: Option<&str>, text: &str) -> Found {
    Found { place: name.unwrap_or("the file").to_owned(), item: item(name, text) }
}

fn item(name: Option<&str>, file: &str) -> Result<Item, Skipped> {
    // Whoever keeps it in a repository may have had its lines ended otherwise.
    let file = if file.starts_with("---\r\n") { file.replace("\r\n", "\n") } else { file.to_owned() };
    let unreadable = |why: String| Skipped::new(Passed::Unreadable, why);
    let (members, body) = match front_matter::split(&file) {
        Some(split) => split.map_err(|why| unreadable(format!("{why}.")))?,
        None => (Map::new(), file.as_str()),
    };
    let body = body.strip_prefix('\n').unwrap_or(body);
    let body = body.strip_suffix('\n').unwrap_or(body).to_owned();
    let members = Members(members);
    let id = members.text("id").and_then(|id| id.parse::<MemoryId>().ok());
    let content = if id.is_some() { draft::content_of_ours(body)? } else { draft::content(body)? };
    let new = memory_of(&members, name, content).map_err(|problem| unreadable(said(&problem)))?;
    let state = members.parsed::<State>("state", "must be active, proposed, superseded or archived");
    let state = state.map_err(|problem| unreadable(said(&problem)))?.unwrap_or(State::Active);
    let key = match (id, &new.path) {
        (Some(id), _) => id.to_string(),
        (None, Some(path)) => path.as_str().to_owned(),
        (None, None) => text::hex(&text::sha256(new.content.as_str())),
    };
    let seen = members.text("version").and_then(|version| version.parse().ok());
    let told = Told { new, state, superseded_by: None, reason: None, origin: Origin::default() };
    Ok(Item { format: Format::Markdown, key, id, seen, states: vec![told] })
}

struct Members(Map<String, Value>);

impl Members {
    fn text(&self, member: &str) -> Option<String> {
        draft::text(&self.0, member)
    }

    fn parsed<T: std::str::FromStr>(&self, member: &'static str, wrong: &str) -> Result<Option<T>, Problem> {
        self.text(member).map(|said| said.parse().map_err(|_| Problem::invalid(member, wrong))).transpose()
    }

    fn moment(&self, member: &'static str) -> Result<Option<OffsetDateTime>, Problem> {
        let said = self.text(member).map(|said| OffsetDateTime::parse(&said, &Rfc3339));
        kept(member, said.transpose().map_err(|_| Problem::invalid(member, "must be a time such as 2026-01-31T12:00:00Z"))?)
    }

    fn source(&self) -> Result<Option<Source>, Problem> {
        let source = self.0.get("source").filter(|source| source.is_object()).cloned();
        let wrong = |_| Problem::invalid("source", "must be JSON with `type` and `ref`");
        source.map(|source| serde_json::from_value::<Source>(source).map_err(wrong).and_then(Source::checked)).transpose()
    }

    fn anchors(&self) -> Result<Vec<Anchor>, Problem> {
        let places = self.0.get("anchors").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        memory::anchors(places.iter().map(|place| {
            let word = |member: &str| place.get(member).and_then(Value::as_str).map(str::to_owned);
            // A bare path will do.
            let path = word("path").or_else(|| place.as_str().map(str::to_owned)).unwrap_or_default();
            Anchor { repo: word("repo"), path, symbol: word("symbol"), fingerprint: word("fingerprint"), state: AnchorState::Unresolved }
        }))
    }
}

fn memory_of(members: &Members, name: Option<&str>, content: text::Content) -> Result<NewMemory, Problem> {
    let path = match (members.text("path"), name) {
        (Some(path), _) => Some(MemoryPath::parse(&path)?),
        (None, Some(name)) => MemoryPath::parse(&format!("/{}", name.trim_start_matches('/'))).ok(),
        (None, None) => None,
    };
    let line = |member, longest| members.text(member).as_deref().map(|said| text::line(member, said, longest)).transpose();
    let imported = || Source { kind: SourceType::Import, reference: name.and_then(|name| draft::one_line(name, 2000)), excerpt: None };
    Ok(NewMemory {
        path,
        title: line("title", 300)?,
        tags: memory::tags(draft::words(&members.0, "tags"))?,
        project: members.text("project").as_deref().map(Project::parse).transpose()?,
        anchors: members.anchors()?,
        source: members.source()?.or_else(|| members.text("id").is_none().then(imported)),
        confidence: members.parsed::<f32>("confidence", "must be between 0 and 1")?.map(memory::confidence).transpose()?,
        subject: line("subject", 300)?,
        visibility: members.parsed("visibility", "must be workspace or private")?.unwrap_or(Visibility::Workspace),
        valid_from: members.moment("valid_from")?,
        stale_after: members.moment("stale_after")?,
        expires_at: members.moment("expires_at")?,
        supersedes: members.parsed("supersedes", "must be a memory's id")?,
        propose_on_conflict: true,
        ..NewMemory::of(content, members.parsed("kind", "must be a kind of memory")?.unwrap_or(Kind::Fact))
    })
}
