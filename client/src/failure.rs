//! Everything that can go wrong, in words for the person who reads them, and as an exit code for the program that does.

use serde::Deserialize;
use std::{fmt, io, path::Path};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum Failure {
    #[error("{0}")]
    Failed(String),
    #[error("{0}")]
    Refused(Box<Problem>),
    #[error("{0}")]
    Usage(String),
    #[error("The server does not answer: {}.\nIs it running, and is its address right? `cairn status` shows what is known.", .0.trim_end_matches('.'))]
    Away(String),
    /// Said already; only the exit code is left.
    #[error("")]
    Told(u8),
    #[error("Not signed in: {0}.\nRun `cairn login`, or set CAIRN_URL and CAIRN_KEY.")]
    NotSignedIn(String),
}

/// RFC 9457, as the server sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Problem {
    pub title: String,
    pub status: u16,
    pub code: String,
    pub detail: String,
    pub request_id: String,
    pub errors: Vec<FieldError>,
    /// With `decision_conflict`: the decision that stands.
    pub decision: Option<Standing>,
    #[serde(skip)]
    pub retry_after: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Standing {
    pub memory_id: String,
    pub title: String,
    pub content: String,
    pub reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FieldError {
    pub field: String,
    pub message: String,
}

impl Failure {
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Away(_) => 3,
            Self::NotSignedIn(_) => 4,
            Self::Refused(problem) => match problem.status {
                401 => 4,
                409 => 5,
                502..=504 => 3,
                _ => 1,
            },
            Self::Failed(_) => 1,
            Self::Told(code) => *code,
        }
    }

    /// No answer, or one that says that nobody is there behind it.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Away(_)) || matches!(self.status(), Some(502..=504))
    }

    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(problem) => Some(problem.status),
            _ => None,
        }
    }

    pub fn file(verb: &str, path: &Path, wrong: &io::Error) -> Self {
        Self::Failed(format!("cannot {verb} {}: {wrong}", path.display()))
    }

    /// In one line, for a table or a file.
    pub fn short(&self) -> String {
        match self {
            Self::Refused(problem) => format!("{} {}: {}", problem.status, problem.code, problem.detail),
            Self::Away(reason) => reason.clone(),
            other => other.to_string().lines().next().unwrap_or_default().to_owned(),
        }
    }
}

impl Problem {
    /// Said by a server of ours: others have no such code.
    pub fn is_ours(&self) -> bool {
        !self.code.is_empty()
    }

    fn way_out(&self) -> Option<&'static str> {
        Some(match (self.status, self.code.as_str()) {
            (_, "decision_conflict") => {
                "Replace the decision that stands with `--supersedes ID`, or let a person choose with `--on-conflict propose`."
            }
            (_, "task_exists") => "Go on with it: `cairn task resume KEY`.",
            (_, "path_conflict") => "Leave out `--path` to have one made, or choose another.",
            (401, _) => "Run `cairn login` with a key that holds.",
            (403, _) => "Ask an admin of the workspace for a role that may do this.",
            (404, _) => "Check the id and that this key's workspace has it: `cairn status` shows which workspace that is.",
            (429, _) => "Wait a moment and try again.",
            _ => return None,
        })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({}", self.title, self.status)?;
        if !self.code.is_empty() {
            write!(out, " {}", self.code)?;
        }
        write!(out, ")")?;
        if !self.detail.is_empty() {
            write!(out, ": {}", self.detail)?;
        }
        for error in &self.errors {
            let line = format!("{}: {}", error.field, error.message);
            // The server's detail strings them together, and once is enough.
            if !self.detail.contains(&line) {
                write!(out, "\n  {line}")?;
            }
        }
        if let Some(standing) = &self.decision {
            let said = if standing.title.is_empty() { &standing.content } else { &standing.title };
            write!(out, "\n  It stands: {said} ({})", standing.memory_id)?;
            if !standing.reason.is_empty() {
                write!(out, "\n  Because: {}", standing.reason)?;
            }
        }
        if let Some(way_out) = self.way_out() {
            write!(out, "\n{way_out}")?;
        }
        if self.status >= 500 && !self.request_id.is_empty() {
            write!(out, "\nThe server's log has more under request {}.", self.request_id)?;
        }
        Ok(())
    }
}
