//! What each tool sends to its hooks, read into one shape. `docs/hooks.md` says where each format is documented, and
//! `tests/payloads/` has an example of every one that is understood.

mod call;
mod claude_code;
mod codex;
mod cursor;
mod gemini;
#[cfg(test)]
mod tests;
mod windsurf;

use crate::{clean, spool::Event};
use serde_json::Value;
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    ClaudeCode,
    Codex,
    Cursor,
    Windsurf,
    Gemini,
}

/// One call of a hook, understood.
#[derive(Debug)]
pub struct Heard {
    pub session: String,
    pub event_name: String,
    pub cwd: Option<String>,
    pub transcript: Option<PathBuf>,
    pub moment: Moment,
    pub events: Vec<Event>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A session starts, or goes on after a compaction.
    Start {
        compacted: bool,
    },
    During,
    Compaction,
    End,
}

impl Tool {
    pub const ALL: [Self; 5] = [Self::ClaudeCode, Self::Codex, Self::Cursor, Self::Windsurf, Self::Gemini];

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Windsurf => "windsurf",
            Self::Gemini => "gemini",
        }
    }

    /// Windsurf has no hook whose output reaches the agent: there the protocol block says to ask for the brief.
    pub fn takes_brief(self) -> bool {
        self != Self::Windsurf
    }

    pub fn reports_compaction_as_start(self) -> bool {
        self == Self::ClaudeCode
    }
}

/// None for what is no payload of this tool, or nothing to us.
pub fn read(tool: Tool, payload: &Value) -> Option<Heard> {
    match tool {
        Tool::ClaudeCode => claude_code::read(payload),
        Tool::Codex => codex::read(payload),
        Tool::Cursor => cursor::read(payload),
        Tool::Windsurf => windsurf::read(payload),
        Tool::Gemini => gemini::read(payload),
    }
}

/// The members that Claude Code, Codex and Gemini CLI share.
fn heard(payload: &Value) -> Option<Heard> {
    Some(Heard {
        session: session(payload, "session_id")?,
        event_name: text(payload, "hook_event_name")?,
        cwd: text(payload, "cwd"),
        transcript: text(payload, "transcript_path").map(PathBuf::from),
        moment: Moment::During,
        events: Vec::new(),
    })
}

fn session(payload: &Value, member: &str) -> Option<String> {
    text(payload, member).filter(|id| !id.is_empty() && id.len() <= 200)
}

fn text(payload: &Value, member: &str) -> Option<String> {
    payload[member].as_str().map(str::to_owned)
}

/// Something that was said, unless it is empty.
fn said(r#type: &str, text: Option<&str>) -> Option<Event> {
    let text = text.filter(|text| !text.trim().is_empty())?;
    Some(Event { r#type: r#type.to_owned(), text: Some(clean::keep(text, clean::TEXT).text), ..Event::default() })
}

/// The compaction itself, and what caused it.
fn compaction(payload: &Value) -> Event {
    Event { r#type: "compaction".to_owned(), text: text(payload, "trigger"), ..Event::default() }
}
