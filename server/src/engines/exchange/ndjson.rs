//! The lossless export: a header, the stores, then one version of a memory a line, those of one memory together and in
//! order, and a last line that says how many, so that a file that was cut off is known by its end.

use super::draft;
use crate::{
    model::{
        Actor, ActorKind, Anchor, Kind, Memory, MemoryId, NewMemory, Project, Source, State, Visibility,
        clock::kept,
        exchange::{Format, Found, Item, Origin, Passed, Skipped, Told},
        memory::{self, AnchorState, Operation},
        text::{self, MemoryPath},
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

const FORMAT: &str = "cairn";
const VERSION: u64 = 1;

/// Who acted, by the name they had when the file was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct By {
    #[serde(rename = "type")]
    kind: ActorKind,
    id: Uuid,
    name: String,
}

impl From<&Actor> for By {
    fn from(actor: &Actor) -> Self {
        Self { kind: actor.kind, id: actor.id, name: actor.name.clone() }
    }
}

/// A version as it is written and read. Salt and digest are those of the trail it comes from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    memory_id: Option<MemoryId>,
    #[serde(default)]
    version: i32,
    #[serde(default)]
    operation: Option<Operation>,
    #[serde(default)]
    store_id: Option<Uuid>,
    path: Option<String>,
    title: Option<String>,
    content: Option<String>,
    kind: Kind,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    anchors: Vec<Anchor>,
    #[serde(default)]
    source: Option<Source>,
    #[serde(default)]
    confidence: Option<f32>,
    #[serde(default)]
    state: Option<State>,
    #[serde(default)]
    visibility: Option<Visibility>,
    #[serde(default)]
    owner_id: Option<Uuid>,
    #[serde(default)]
    subject: Option<String>,
    #[serde(default, with = "time::serde::rfc3339::option")]
    valid_from: Option<OffsetDateTime>,
    #[serde(default, with = "time::serde::rfc3339::option")]
    stale_after: Option<OffsetDateTime>,
    #[serde(default, with = "time::serde::rfc3339::option")]
    expires_at: Option<OffsetDateTime>,
    #[serde(default)]
    supersedes: Option<MemoryId>,
    #[serde(default)]
    superseded_by: Option<MemoryId>,
    #[serde(default, with = "time::serde::rfc3339::option")]
    verified_at: Option<OffsetDateTime>,
    #[serde(default)]
    verified_by: Option<By>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default, with = "time::serde::rfc3339::option")]
    at: Option<OffsetDateTime>,
    #[serde(default)]
    by: Option<By>,
    #[serde(default)]
    session_id: Option<Uuid>,
    #[serde(default)]
    content_sha256: Option<String>,
    #[serde(default)]
    audit_id: Option<Uuid>,
    #[serde(default)]
    salt: Option<String>,
    #[serde(default)]
    digest: Option<String>,
    /// Its text was taken out; title and content are null.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
    /// What the file said that this version came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    imported: Option<Origin>,
}

/// The first line.
pub fn header(workspace: (Uuid, &str), by: &Actor, at: OffsetDateTime, filter: &Map<String, Value>) -> String {
    let at = at.format(&time::format_description::well_known::Rfc3339).unwrap_or_default();
    let line = json!({"type": "header", "format": FORMAT, "format_version": VERSION, "exported_at": at, "exported_by": By::from(by),
        "workspace": {"id": workspace.0, "slug": workspace.1}, "filter": filter});
    format!("{line}\n")
}

pub fn store(id: Uuid, name: &str, main: bool) -> String {
    format!("{}\n", json!({"type": "store", "id": id, "name": name, "main": main}))
}

pub fn version(memory: &Memory, salt: Option<&[u8]>, redacted: bool, imported: Option<Origin>) -> String {
    let text = |text: &str| (!redacted).then(|| text.to_owned());
    let line = Line {
        memory_id: Some(memory.id),
        version: memory.version,
        operation: Some(memory.operation),
        store_id: Some(memory.store_id.0),
        path: text(memory.path.as_str()),
        title: text(&memory.title),
        content: text(&memory.content),
        kind: memory.kind,
        tags: memory.tags.clone(),
        project: memory.project.clone(),
        anchors: memory.anchors.clone(),
        source: memory.source.clone(),
        confidence: Some(memory.confidence),
        state: Some(memory.state),
        visibility: Some(memory.visibility),
        owner_id: memory.owner.map(|owner| owner.0),
        subject: memory.subject.clone(),
        valid_from: Some(memory.valid_from),
        stale_after: memory.stale_after,
        expires_at: memory.expires_at,
        supersedes: memory.supersedes,
        superseded_by: memory.superseded_by,
        verified_at: memory.verified_at,
        verified_by: memory.verified_by.as_ref().map(By::from),
        reason: memory.reason.clone(),
        at: Some(memory.updated_at),
        by: Some(By::from(&memory.updated_by)),
        session_id: memory.session_id.map(|session| session.0),
        content_sha256: (!redacted).then(|| text::hex(&memory.content_sha256)),
        audit_id: Some(memory.audit_id.0),
        salt: salt.map(text::hex),
        digest: Some(text::hex(&memory.digest)),
        redacted,
        imported,
    };
    let line = serde_json::to_string(&line).unwrap_or_default();
    format!("{{\"type\":\"version\",{}\n", line.strip_prefix('{').unwrap_or("}"))
}

pub fn end(memories: u64, versions: u64) -> String {
    format!("{}\n", json!({"type": "end", "memories": memories, "versions": versions}))
}

/// Which format a first line announces.
pub(super) fn format_of(first: &Map<String, Value>) -> Option<Format> {
    let word = |member: &str| first.get(member).and_then(Value::as_str).unwrap_or_default();
    match (word("type"), word("format")) {
        ("header", "rows") => word("of").parse().ok(),
        ("header" | "store" | "version" | "end", _) => Some(Format::Ndjson),
        _ => None,
    }
}

pub(super) fn read(text: &str) -> Result<Vec<Found>, Problem> {
    let mut reader = Reader::default();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        reader.take(number, line)?;
    }
    reader.close();
    Ok(reader.found)
}

#[derive(Default)]
struct Reader {
    found: Vec<Found>,
    /// Stores beside the default one become folders of it.
    stores: HashMap<Uuid, String>,
    open: Option<Group>,
}

struct Group {
    memory: Option<MemoryId>,
    first: usize,
    last: usize,
    item: Result<Vec<Told>, Skipped>,
}

impl Reader {
    fn take(&mut self, number: usize, line: &str) -> Result<(), Problem> {
        let wrong = |wrong: &serde_json::Error| Skipped::new(Passed::Unreadable, format!("The line cannot be read: {wrong}."));
        let members: Map<String, Value> = match serde_json::from_str(line) {
            Ok(members) => members,
            Err(error) => {
                self.pass(number, wrong(&error));
                return Ok(());
            }
        };
        match members.get("type").and_then(Value::as_str) {
            Some("header") => check(&members)?,
            Some("store") => self.store(&members),
            Some("end") => {}
            Some("version") => match serde_json::from_value::<Line>(Value::Object(members)) {
                Ok(line) => self.version(number, line),
                Err(error) => self.pass(number, wrong(&error)),
            },
            _ => self.pass(number, Skipped::new(Passed::Unreadable, "Its `type` must be header, store, version or end.")),
        }
        Ok(())
    }

    fn store(&mut self, members: &Map<String, Value>) {
        let id = members.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
        let name = members.get("name").and_then(Value::as_str).and_then(|name| draft::one_line(name, 100));
        if let (Some(id), Some(name), Some(false)) = (id, name, members.get("main").and_then(Value::as_bool)) {
            self.stores.insert(id, name.replace('/', "-"));
        }
    }

    fn version(&mut self, number: usize, line: Line) {
        let memory = line.memory_id;
        if !self.open.as_ref().is_some_and(|open| open.memory.is_some() && open.memory == memory) {
            self.close();
            self.open = Some(Group { memory, first: number, last: number, item: Ok(Vec::new()) });
        }
        let folder = line.store_id.and_then(|store| self.stores.get(&store)).map(String::as_str);
        if let Some(open) = &mut self.open {
            open.last = number;
            if let Ok(states) = &mut open.item
                && line.content.is_some()
            {
                match told(line, folder) {
                    Ok(told) => states.push(told),
                    Err(skipped) => open.item = Err(skipped),
                }
            }
        }
    }

    fn pass(&mut self, number: usize, skipped: Skipped) {
        self.close();
        self.found.push(Found { place: format!("line {number}"), item: Err(skipped) });
    }

    fn close(&mut self) {
        let Some(Group { memory, first, last, item }) = self.open.take() else { return };
        let place = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
        let item = item.and_then(|states| {
            let Some(told) = states.last() else {
                return Err(Skipped::new(Passed::NothingSaid, "Its text was taken out where it comes from."));
            };
            let key = memory.map_or_else(|| text::hex(&text::sha256(told.new.content.as_str())), |id| id.to_string());
            Ok(Item { format: Format::Ndjson, key, id: memory, seen: None, states })
        });
        self.found.push(Found { place, item });
    }
}

fn check(header: &Map<String, Value>) -> Result<(), Problem> {
    if header.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(super::unreadable("has a header of another format than `cairn`"));
    }
    match header.get("format_version").and_then(Value::as_u64) {
        Some(version) if version <= VERSION => Ok(()),
        _ => Err(super::unreadable(format!("is of a version of the format that this server does not know; it knows {VERSION}"))),
    }
}

fn told(line: Line, folder: Option<&str>) -> Result<Told, Skipped> {
    let content = draft::content_of_ours(line.content.clone().unwrap_or_default())?;
    let wrong = |problem: Problem| Skipped::new(Passed::Unreadable, said(&problem));
    let state = line.state.unwrap_or(State::Active);
    let name = |by: Option<&str>| by.and_then(|by| draft::one_line(by, 200));
    let origin = match line.imported.clone() {
        Some(first) => Origin { version: Some(line.version), by: name(first.by.as_deref()), ..first },
        None => Origin {
            version: Some(line.version),
            operation: line.operation,
            at: kept("at", line.at).ok().flatten(),
            by: name(line.by.as_ref().map(|by| by.name.as_str())),
        },
    };
    let (superseded_by, reason) = (line.superseded_by, line.reason.clone());
    let reason = reason.as_deref().map(|reason| text::prose("reason", reason, 2000)).transpose().map_err(wrong)?;
    let new = memory_of(line, content, folder).map_err(wrong)?;
    Ok(Told { new, state, superseded_by, reason, origin })
}

fn memory_of(line: Line, content: text::Content, folder: Option<&str>) -> Result<NewMemory, Problem> {
    let path = line.path.map(|path| folder.map_or_else(|| path.clone(), |folder| format!("/{folder}{path}")));
    // Whether the code is as it was, only a snapshot that was seen here tells; a doubt is kept.
    let seen = |anchor: Anchor| Anchor {
        state: if anchor.state == AnchorState::Fresh { AnchorState::Unresolved } else { anchor.state },
        ..anchor
    };
    Ok(NewMemory {
        path: path.as_deref().map(MemoryPath::parse).transpose()?,
        title: line.title.as_deref().map(|title| text::line("title", title, 300)).transpose()?,
        tags: memory::tags(line.tags)?,
        project: line.project.as_deref().map(Project::parse).transpose()?,
        anchors: memory::anchors(line.anchors.into_iter().map(seen))?,
        source: line.source.map(Source::checked).transpose()?,
        confidence: line.confidence.map(memory::confidence).transpose()?,
        subject: line.subject.as_deref().map(|subject| text::line("subject", subject, 300)).transpose()?,
        visibility: line.visibility.unwrap_or(Visibility::Workspace),
        valid_from: kept("valid_from", line.valid_from)?,
        stale_after: kept("stale_after", line.stale_after)?,
        expires_at: kept("expires_at", line.expires_at)?,
        supersedes: line.supersedes,
        propose_on_conflict: true,
        ..NewMemory::of(content, line.kind)
    })
}

/// What is wrong with a field, in a sentence.
pub(super) fn said(problem: &Problem) -> String {
    match problem {
        Problem::Invalid(errors) => {
            let all: Vec<String> = errors.iter().map(|error| format!("`{}` {}", error.field, error.message)).collect();
            format!("{}.", all.join("; "))
        }
        _ => "It cannot be kept.".to_owned(),
    }
}
