//! A task as it was recorded: what its agents wanted to know, did and were told, run by run. `docs/proof.md` describes the form.

use crate::Failure;
use regex_lite::Regex;
use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    pub name: String,
    pub title: String,
    pub about: String,
    pub repository: Source,
    pub project: String,
    /// Work that spans the runs.
    pub work: Option<Work>,
    #[serde(default)]
    pub questions: BTreeMap<String, Question>,
    #[serde(default)]
    pub items: BTreeMap<String, Item>,
    pub runs: Vec<Run>,
    /// Words that may be known in the workspace `support` only, and have to go when the customer asks.
    #[serde(default)]
    pub customer: Vec<String>,
}

/// A published package, or a folder beside the task; releases are folders in it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub language: Option<String>,
    pub package: Option<String>,
    pub folder: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    pub key: String,
    pub title: String,
}

/// Something an agent has to know before it goes on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub ask: String,
    /// Where an agent looks that does not know, in this order, until it sees the answer. Empty: nothing there tells, it is a choice.
    #[serde(default)]
    pub looks: Vec<Call>,
    /// What an answer looks like in what was looked at; its group is the answer.
    pub seen: Option<String>,
    /// What an answer looks like in a memory; its group is the answer.
    pub known: String,
    /// What the agent writes down, `{}` being the answer.
    pub note: String,
    #[serde(default = "discovery")]
    pub kind: String,
    /// Where in the code it is so, `{}` being the answer.
    pub anchor: Option<String>,
    /// Of a choice: what can be chosen.
    #[serde(default)]
    pub options: Vec<String>,
    /// What an agent does that knows of nothing better; without it, dice choose.
    pub habit: Option<String>,
    /// The person wants it otherwise, and says so.
    pub corrected: Option<Corrected>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corrected {
    pub to: String,
    pub says: String,
}

/// A tool's call as Claude Code reports it to a hook.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub tool_name: String,
    pub tool_input: Value,
    /// As recorded; what is read is read from the repository.
    #[serde(default)]
    pub tool_response: Value,
    /// Recorded at these releases instead.
    #[serde(default)]
    pub at_release: BTreeMap<String, Value>,
    /// It failed so.
    pub error: Option<String>,
}

/// A piece of the work: calls that edit leave a trace in the repository, others none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    pub item: String,
    pub calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub agent: String,
    pub release: String,
    #[serde(default = "coding")]
    pub workspace: String,
    pub prompt: String,
    pub steps: Vec<Step>,
    /// The tool was killed: no last words, no end.
    #[serde(default)]
    pub cut: bool,
    /// What it wrote is wrong and is rolled back; it is not part of the history it is compared with.
    #[serde(default)]
    pub bad: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    Question(String),
    Item(String),
    /// Done in any case.
    Call(Call),
    /// The agent says something.
    Says(String),
    /// A person says something.
    Person(String),
    /// Only by an agent with a memory: it writes this down.
    Remember {
        kind: String,
        text: String,
        anchor: Option<String>,
    },
    Compact,
}

fn discovery() -> String {
    "discovery".to_owned()
}

fn coding() -> String {
    "coding".to_owned()
}

impl Task {
    pub fn all(folder: &Path, only: Option<&str>) -> Result<Vec<Self>, Failure> {
        let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?.into_iter().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|end| end == "json") && !path.ends_with(super::bounds::FILE));
        files.sort();
        let mut tasks = Vec::new();
        for file in files {
            let task: Self = serde_json::from_slice(&fs::read(&file)?).map_err(|wrong| format!("{}: {wrong}", file.display()))?;
            if only.is_none_or(|only| only == task.name) {
                tasks.push(task);
            }
        }
        if tasks.is_empty() { Err(format!("no task in {}", folder.display()).into()) } else { Ok(tasks) }
    }

    pub fn question(&self, name: &str) -> Result<&Question, Failure> {
        self.questions.get(name).ok_or_else(|| format!("{}: no question {name}", self.name).into())
    }
}

impl Question {
    /// The answer that a memory's text gives, if it gives one.
    pub fn in_memory(&self, text: &str) -> Result<Option<String>, Failure> {
        let found = captured(&self.known, text)?;
        Ok(found.filter(|value| self.options.is_empty() || self.options.contains(value)))
    }

    pub fn in_sight(&self, text: &str) -> Result<Option<String>, Failure> {
        self.seen.as_deref().map_or(Ok(None), |seen| captured(seen, text))
    }

    /// Fails if the agent would be told an answer by what it is given to ask and read with.
    pub fn tells_nothing(&self, truth: Option<&str>) -> Result<(), Failure> {
        let answers = self.options.iter().map(String::as_str).chain(truth);
        match answers.into_iter().find(|answer| self.ask.contains(answer) || self.known.contains(answer)) {
            Some(answer) => Err(format!("`{answer}` is an answer, and the recording gives it away").into()),
            None => Ok(()),
        }
    }

    pub fn hangs_on(&self, value: &str) -> Option<String> {
        self.anchor.as_ref().map(|anchor| anchor.replace("{}", value))
    }

    pub fn noted(&self, value: &str) -> String {
        self.note.replace("{}", value)
    }
}

fn captured(pattern: &str, text: &str) -> Result<Option<String>, Failure> {
    let pattern = Regex::new(pattern).map_err(|wrong| format!("{pattern}: {wrong}"))?;
    Ok(pattern.captures(text).and_then(|found| found.iter().skip(1).flatten().next().map(|group| group.as_str().trim().to_owned())))
}
