//! The events of a run read as steps: prompts, files touched, searches, commands with their outcome.

use super::{
    Run,
    commands::{self, Known},
    outcome::{self, Outcome},
    shell::{self, Simple},
    text::{self, each},
};
use crate::model::sessions::{Event, EventType};
use std::collections::HashMap;

#[derive(Default)]
pub struct Log<'a> {
    pub steps: Vec<Step<'a>>,
    pub files: Vec<String>,
    pub commands: Vec<Ran<'a>>,
    places: HashMap<String, usize>,
}

pub struct Step<'a> {
    pub id: &'a str,
    pub act: Act<'a>,
}

#[derive(Clone, Debug)]
pub enum Act<'a> {
    Prompt(&'a str),
    Read(usize),
    Edit(usize),
    Search(String),
    Command(usize),
    /// Something else that went wrong.
    Error(String),
}

/// A command that was run.
pub struct Ran<'a> {
    pub id: &'a str,
    pub step: usize,
    /// Without the values that were set for it, cut to size.
    pub shown: String,
    /// What it is called in keys.
    pub name: String,
    pub known: Option<Known>,
    /// Whether it may bring what was missing.
    pub provides: bool,
    /// Whether its failure says something of the project.
    pub speaks: bool,
    pub outcome: Outcome,
    pub error: Option<String>,
    pub counted: Option<String>,
}

/// Tools that agents call, and what a call of them is.
const READS: &str = "read|read_file|view|cat|notebookread|open_file|read_many_files|view_file";
const EDITS: &str = "edit|write|multiedit|write_file|edit_file|apply_patch|str_replace|replace|create_file|notebookedit|\
    str_replace_editor|write_to_file";
const SEARCHES: &str = "grep|glob|search|search_file_content|grep_search|codebase_search|find|ripgrep|file_search|search_files";
const SHELLS: &str = "bash|shell|run_shell_command|run_terminal_cmd|exec|local_shell|terminal|execute_command|exec_command";
/// Files that nobody writes by hand.
const MADE: &str = "node_modules/|target/|dist/|.git/|__pycache__/|.venv/|vendor/|.next/";
const LOCKS: &str = "Cargo.lock|package-lock.json|pnpm-lock.yaml|yarn.lock|poetry.lock|uv.lock|go.sum|Gemfile.lock|composer.lock|\
    bun.lockb";

/// Words before the name that is searched for.
const DEFINING: &str = "fn|def|class|struct|enum|trait|impl|function|const|let|interface|type|func|pub|async|export|import";

const LONGEST_COMMAND: usize = 160;
const LONGEST_PATTERN: usize = 120;

impl<'a> Log<'a> {
    pub fn read(run: &Run<'a>) -> Self {
        let mut log = Self::default();
        for event in run.events {
            log.take(run, event);
        }
        log
    }

    fn take(&mut self, run: &Run<'a>, event: &'a Event) {
        let kind = match event.kind {
            EventType::ToolUse | EventType::ToolResult => called(event).unwrap_or(event.kind),
            kind => kind,
        };
        // A call and its result are one step, told twice.
        let result = event.kind == EventType::ToolResult;
        match kind {
            EventType::Prompt => {
                if let Some(said) = event.text.as_deref() {
                    self.push(event, Act::Prompt(said));
                }
            }
            EventType::FileRead | EventType::FileEdit => {
                let Some(file) = path(event).and_then(|path| self.file(run, path)) else { return };
                let act = if kind == EventType::FileEdit { Act::Edit(file) } else { Act::Read(file) };
                if !(result && self.last_is(&act)) {
                    self.push(event, act);
                }
            }
            EventType::Search => {
                let pattern = field(event, &["pattern", "query", "regex", "search_term", "q"]).or(event.text.as_deref()).map(core_of);
                if let Some(pattern) = pattern.filter(|pattern| pattern.chars().count() > 2) {
                    let act = Act::Search(pattern);
                    if !(result && self.last_is(&act)) {
                        self.push(event, act);
                    }
                }
            }
            EventType::Command => {
                if let Some(line) = event.command.as_deref().or_else(|| field(event, &["command", "cmd"])) {
                    self.command(event, line, result);
                }
            }
            EventType::ToolResult if event.exit_code.is_some_and(|code| code != 0) => {
                if let Some(error) = event.output.as_deref().and_then(outcome::telling) {
                    self.push(event, Act::Error(error));
                }
            }
            EventType::ToolUse | EventType::ToolResult | EventType::Message | EventType::Compaction | EventType::Note => {}
        }
    }

    /// One command per part that is known to build, test or the like; the whole line if there is none.
    fn command(&mut self, event: &'a Event, line: &str, result: bool) {
        let parts = shell::parts(line);
        let known: Vec<(&Simple, Known)> = parts.iter().filter_map(|part| Some((part, commands::recognised(part)?))).collect();
        if let Some(&Step { act: Act::Command(before), .. }) = self.steps.last()
            && result
            && self.commands[before..].iter().all(|ran| ran.outcome == Outcome::Unknown)
        {
            // The call was read already, without an outcome.
            self.commands.truncate(before);
            self.steps.pop();
        }
        let first = self.commands.len();
        let failed = known.last().is_some_and(|(part, _)| outcome::of(event, Some(part)) == Outcome::Failed);
        for (index, (part, recognised)) in known.iter().enumerate() {
            // Which part of a line failed is not told; the last one is what it was run for.
            if !failed || index + 1 == known.len() {
                self.ran(event, part, Some(recognised.clone()), recognised.name.clone());
            }
        }
        if known.is_empty() {
            let Some(part) = parts.iter().find(|part| !commands::only_looks(part)).or(parts.first()) else { return };
            self.ran(event, part, None, text::clipped(&shell::shown(part), LONGEST_COMMAND));
        }
        if self.commands.len() > first {
            self.push(event, Act::Command(first));
        }
    }

    fn ran(&mut self, event: &'a Event, part: &Simple, known: Option<Known>, name: String) {
        let outcome = outcome::of(event, Some(part));
        let output = event.output.as_deref().unwrap_or("");
        let tested = known.as_ref().is_some_and(|known| known.purpose == commands::Purpose::Test);
        self.commands.push(Ran {
            id: &event.id,
            step: self.steps.len(),
            shown: text::clipped(&shell::shown(part), LONGEST_COMMAND),
            name,
            provides: commands::provides(part),
            speaks: known.is_some() || !commands::only_looks(part),
            error: (outcome == Outcome::Failed).then(|| outcome::telling(output)).flatten(),
            counted: tested.then(|| outcome::counted(output)).flatten(),
            known,
            outcome,
        });
    }

    fn push(&mut self, event: &'a Event, act: Act<'a>) {
        self.steps.push(Step { id: &event.id, act });
    }

    fn last_is(&self, act: &Act) -> bool {
        self.steps.last().is_some_and(|step| match (&step.act, act) {
            (Act::Read(a), Act::Read(b)) | (Act::Edit(a), Act::Edit(b)) => a == b,
            (Act::Search(a), Act::Search(b)) => a == b,
            _ => false,
        })
    }

    fn file(&mut self, run: &Run, path: &str) -> Option<usize> {
        let path = relative(run, path)?;
        if let Some(known) = self.places.get(&path) {
            return Some(*known);
        }
        self.files.push(path.clone());
        self.places.insert(path, self.files.len() - 1);
        Some(self.files.len() - 1)
    }
}

/// What a call of a tool was, by the tool's name.
fn called(event: &Event) -> Option<EventType> {
    let tool = event.tool.as_deref()?.to_lowercase();
    let kinds = [(READS, EventType::FileRead), (EDITS, EventType::FileEdit), (SEARCHES, EventType::Search), (SHELLS, EventType::Command)];
    kinds.into_iter().find(|(names, _)| each(names).any(|name| name == tool)).map(|(_, kind)| kind)
}

fn path(event: &Event) -> Option<&str> {
    event.path.as_deref().or_else(|| field(event, &["file_path", "path", "absolute_path", "target_file", "notebook_path", "filename"]))
}

fn field<'a>(event: &'a Event, names: &[&str]) -> Option<&'a str> {
    let input = event.input.as_ref()?;
    names.iter().find_map(|name| input.get(name)?.as_str())
}

/// A path as every machine would write it; none for files that nobody writes by hand.
fn relative(run: &Run, path: &str) -> Option<String> {
    let path = path.trim().replace('\\', "/");
    let below = |root: &str| {
        let root = root.replace('\\', "/");
        path.strip_prefix(root.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned)
    };
    let of_project = || {
        let name = format!("/{}/", run.project?.rsplit('/').next()?);
        path.starts_with('/').then(|| path.split_once(&name).map(|(_, rest)| rest.to_owned()))?
    };
    let of_home = || {
        path.strip_prefix("/home/")
            .or_else(|| path.strip_prefix("/Users/"))
            .and_then(|rest| rest.split_once('/'))
            .map(|(_, rest)| rest.to_owned())
    };
    let short = run.cwd.and_then(below).or_else(of_project).or_else(of_home).unwrap_or_else(|| path.clone());
    let short = short.trim_start_matches("./");
    let made = each(MADE).any(|folder| short.starts_with(folder) || short.contains(&format!("/{folder}")));
    let locked = each(LOCKS).any(|name| short.rsplit('/').next() == Some(name));
    (!short.is_empty() && short.len() < 500 && !made && !locked).then(|| short.to_owned())
}

/// What a search looks for, without the signs of its language: `fn\s+parse_config\b` looks for parse_config.
fn core_of(pattern: &str) -> String {
    let plain = pattern.replace("\\b", " ").replace("\\s+", " ").replace("\\s*", " ").replace("\\(", " ").replace("\\.", ".");
    let plain = plain.trim_matches(|sign: char| sign.is_whitespace() || "^$.*+?()[]{}|\\\"'`/".contains(sign));
    let words: Vec<&str> = plain.split_whitespace().collect();
    let kept: Vec<&str> =
        words.iter().copied().skip_while(|word| words.len() > 1 && each(DEFINING).any(|defining| defining == *word)).collect();
    kept.join(" ").chars().take(LONGEST_PATTERN).collect()
}
