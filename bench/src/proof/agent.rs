//! The scripted agent. It asks and acts by fixed rules, the same in every task, and is told no answers: `docs/proof.md` lists the
//! rules. With a memory it does what the protocol block of `cairn install` asks of an agent; without one it looks for itself.

use super::{
    ledger::{Evidence, Ledger, Line},
    machine::Machine,
    mind::Mind,
    referee::Referee,
    repository::Repository,
    task::{Call, Question, Run, Step, Task},
};
use crate::Failure;
use cairn_server::engines::tokens;
use serde_json::{Value, json};

/// One run of a recorded task, cold or with a memory.
pub struct Agent<'a> {
    pub task: &'a Task,
    pub run: &'a Run,
    pub number: usize,
    pub seed: u64,
    pub repository: &'a Repository,
    pub referee: &'a mut Referee,
    pub ledger: &'a mut Ledger,
    pub mind: &'a mut Mind,
    /// With `cairn` on it, the agent has a memory.
    pub machine: Option<&'a mut Machine>,
    pub synced: bool,
    pub session: String,
    /// The session's id on the server, once it is known there.
    pub known_as: Option<String>,
    /// Lines of the trace whose hook makes an event, in order.
    pub heard: Vec<usize>,
    /// Memories found doubtful and, when looked at, true: for a person to verify.
    pub checked: Vec<String>,
    pub brief: String,
}

/// The most that one answer may cost.
const BUDGET: &str = "400";
const MOST: &str = "5";

/// Something a memory says in answer to a question.
struct Told {
    value: String,
    text: String,
    fresh: bool,
    /// Why it is doubted.
    reasons: String,
    memory: Option<String>,
    line: usize,
}

impl Agent<'_> {
    pub fn goes(&mut self) -> Result<(), Failure> {
        self.mind.forget();
        self.referee.epoch();
        self.starts("startup")?;
        self.hears(&self.run.prompt)?;
        if let Some(work) = &self.task.work {
            self.resumes(&work.key)?;
        }
        for step in &self.run.steps {
            match step {
                Step::Question(name) => drop(self.answers(name)?),
                Step::Item(name) => self.works_on(name)?,
                Step::Call(call) => drop(self.calls(call)?),
                Step::Says(text) => self.says(text)?,
                Step::Person(text) => self.hears(text)?,
                Step::Remember { kind, text, anchor } => drop(self.remembers(kind, text, anchor.as_deref(), None)?),
                Step::Compact => self.is_compacted()?,
            }
        }
        if !self.run.cut {
            self.stops()?;
        }
        if let Some(machine) = &mut self.machine {
            machine.deliver(&self.repository.root)?;
        }
        Ok(())
    }

    /// The hook at a session's start prints the brief.
    pub(super) fn starts(&mut self, source: &str) -> Result<(), Failure> {
        let payload = self.payload("SessionStart", json!({"source": source, "model": "recorded"}));
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let said = machine.hook(&self.repository.root, &payload)?;
        machine.deliver(&self.repository.root)?;
        let said: Value = serde_json::from_str(&said).unwrap_or_default();
        said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().clone_into(&mut self.brief);
        if self.known_as.is_none() {
            let running = machine.asks(&self.repository.root, &["--json", "session", "list", "--limit", "1"])?;
            self.known_as = running["data"][0]["id"].as_str().map(str::to_owned);
        }
        let tokens = cost_of(&self.brief);
        let n = self.writes("brief", source, tokens);
        self.ledger.at("briefs", n);
        for text in self.brief.clone().lines().filter(|line| line.starts_with("- ")) {
            let fresh = !text.contains(" [suspect: ") && !text.contains(" [stale: ");
            self.judges(text, fresh, n)?;
        }
        Ok(())
    }

    /// What is completed, by the task's own record and by where the last run stopped.
    pub(super) fn resumes(&mut self, key: &str) -> Result<(), Failure> {
        let Some(machine) = &self.machine else { return Ok(()) };
        let told = machine.asks(&self.repository.root, &["--json", "task", "resume", key])?;
        let n = self.writes("resume", key, cost_of(told["markdown"].as_str().unwrap_or_default()));
        self.ledger.trace[n - 1].receipt = told["receipt_id"].as_str().map(str::to_owned);
        self.ledger.at("recalls", n);
        let items = told["state"]["completed"].as_array().into_iter().flatten();
        let done: Vec<String> = items.filter_map(|item| item["item"].as_str().map(str::to_owned)).collect();
        for item in done {
            self.mind.told_done(item);
        }
        let traces = told["state"]["last_run"]["traces"].as_array().into_iter().flatten();
        self.mind.traces = traces.filter_map(|trace| trace.as_str().map(str::to_owned)).collect();
        Ok(())
    }

    fn answers(&mut self, name: &str) -> Result<String, Failure> {
        let question = self.task.question(name)?;
        if let Some(value) = self.mind.fact(name) {
            return Ok(value);
        }
        let mut told = self.read_in_brief(question)?;
        if !told.iter().any(|told| told.fresh) && self.machine.is_some() {
            told.extend(self.recalls(question)?);
        }
        if let Some(Told { value, memory, line, .. }) = told.iter().find(|told| told.fresh) {
            let n = self.writes("acts on", &format!("{}: {value}", question.ask), 0);
            self.ledger.trace[n - 1].memory.clone_from(memory);
            let receipt = self.ledger.trace[line - 1].receipt.clone();
            self.ledger.trace[n - 1].receipt = receipt;
            self.ledger.at("acted_on_memory", n);
            if self.referee.holds(self.repository, name, question)?.is_some_and(|truth| truth != *value) {
                self.ledger.at("wrong_acted_on", n);
            }
            let value = value.clone();
            self.settles(name, question, &value, n)?;
            return Ok(self.mind.fact(name).unwrap_or(value));
        }
        let doubtful = told.into_iter().next();
        let value = if question.looks.is_empty() { self.chooses(name, question) } else { self.looks(question, doubtful.as_ref())? };
        let n = self.writes(if question.looks.is_empty() { "chooses" } else { "sees" }, &format!("{}: {value}", question.ask), 0);
        if let Some(Told { reasons, .. }) = &doubtful {
            self.ledger.trace[n - 1].about.extend([" (was doubted: ", reasons, ")"]);
        }
        match doubtful {
            Some(Told { value: said, memory: Some(memory), .. }) if said == value => {
                self.ledger.at("doubted_though_true", n);
                self.checked.push(memory);
            }
            Some(Told { memory, .. }) => {
                self.ledger.at("doubted_and_false", n);
                self.remembers(&question.kind, &question.noted(&value), question.hangs_on(&value).as_deref(), memory.as_deref())?;
            }
            // Whoever only follows a habit has decided nothing.
            None if question.habit.is_none() => {
                self.remembers(&question.kind, &question.noted(&value), question.hangs_on(&value).as_deref(), None)?;
            }
            None => {}
        }
        self.settles(name, question, &value, n)?;
        Ok(value)
    }

    /// A choice is held against what was decided before; a person who wants it otherwise says so.
    fn settles(&mut self, name: &str, question: &Question, value: &str, n: usize) -> Result<(), Failure> {
        self.mind.learns(name, value);
        if !question.looks.is_empty() {
            return Ok(());
        }
        self.ledger.at("choices", n);
        let violated = match (&question.corrected, self.referee.decided(name, value)) {
            (Some(corrected), _) => corrected.to != value,
            (None, before) => before != value,
        };
        if violated {
            self.ledger.at("decisions_violated", n);
        }
        if let Some(corrected) = question.corrected.as_ref().filter(|_| violated) {
            self.ledger.at("said_by_a_person", n);
            self.hears(&corrected.says)?;
            self.mind.learns(name, &corrected.to);
        }
        Ok(())
    }

    fn chooses(&mut self, name: &str, question: &Question) -> String {
        question.habit.clone().unwrap_or_else(|| {
            let sides = question.options.len().max(1);
            // Whoever lost the context throws anew.
            let roll = dice(self.seed, &format!("{} {} {} {name}", self.task.name, self.number, self.referee.epochs()));
            question.options[usize::try_from(roll % sides as u64).unwrap_or_default()].clone()
        })
    }

    /// Where a doubtful memory points to first, then as the recording has it.
    fn looks(&mut self, question: &Question, doubtful: Option<&Told>) -> Result<String, Failure> {
        let pointed_to = |look: &&Call| look.reads() && doubtful.is_some_and(|told| told.text.contains(look.path()));
        let (first, then): (Vec<&Call>, Vec<&Call>) = question.looks.iter().partition(pointed_to);
        for look in first.into_iter().chain(then) {
            let shown = self.calls(look)?;
            if let Some(value) = question.in_sight(&look.sight(&shown))? {
                return Ok(value);
            }
        }
        Err(format!("{}: the recording does not lead to an answer of: {}", self.task.name, question.ask).into())
    }

    fn read_in_brief(&self, question: &Question) -> Result<Vec<Told>, Failure> {
        let mut told = Vec::new();
        let line = self.ledger.trace.iter().rev().find(|line| line.what == "brief").map_or(0, |line| line.n);
        for text in self.brief.lines().filter(|line| line.starts_with("- ")) {
            if let Some(value) = question.in_memory(text)? {
                let fresh = !text.contains(" [suspect: ") && !text.contains(" [stale: ");
                let memory = text.rsplit_once('(').map(|(_, id)| id.trim_end_matches(')').to_owned());
                let reasons = text.split_once(" [").map(|(_, mark)| mark.to_owned()).unwrap_or_default();
                told.push(Told { value, text: text.to_owned(), fresh, reasons, memory, line });
            }
        }
        Ok(told)
    }

    fn recalls(&mut self, question: &Question) -> Result<Vec<Told>, Failure> {
        let Some(machine) = &self.machine else { return Ok(Vec::new()) };
        let arguments = ["--json", "recall", "--budget", BUDGET, "--limit", MOST, &question.ask];
        let answer = machine.asks(&self.repository.root, &arguments)?;
        let items = answer["items"].as_array().cloned().unwrap_or_default();
        let shown: String = items.iter().map(shown).collect();
        let n = self.writes("recall", &question.ask, cost_of(&shown));
        self.ledger.trace[n - 1].receipt = answer["receipt_id"].as_str().map(str::to_owned);
        self.ledger.at("recalls", n);
        let mut told = Vec::new();
        for item in &items {
            let text = item["content"].as_str().unwrap_or_default();
            let fresh = item["freshness"]["state"] == "fresh";
            self.judges(text, fresh, n)?;
            if let Some(value) = question.in_memory(text)? {
                let reasons = item["freshness"].to_string();
                told.push(Told {
                    value,
                    text: text.to_owned(),
                    fresh,
                    reasons,
                    memory: item["memory_id"].as_str().map(str::to_owned),
                    line: n,
                });
            }
        }
        Ok(told)
    }

    /// Whatever a memory was asked for: does what it says hold, and does it say so?
    fn judges(&mut self, text: &str, fresh: bool, n: usize) -> Result<(), Failure> {
        self.ledger.at("told", n);
        for (name, question) in &self.task.questions {
            let (Some(said), Some(holds)) = (question.in_memory(text)?, self.referee.holds(self.repository, name, question)?) else {
                continue;
            };
            self.ledger.at("told_and_judged", n);
            if said != holds && fresh {
                self.ledger.at("stale_as_fresh", n);
            }
        }
        Ok(())
    }

    fn works_on(&mut self, name: &str) -> Result<(), Failure> {
        let item = self.task.items.get(name).ok_or_else(|| format!("no item {name}"))?;
        if self.mind.is_done(&item.item) {
            return Ok(());
        }
        let commands: Vec<&str> = item.calls.iter().filter(|call| call.tool_name == "Bash").map(|call| call.text("command")).collect();
        let seen_to_end = |command: &&str| self.mind.traces.iter().any(|trace| trace.contains(*command) && !trace.contains("fail"));
        if !commands.is_empty() && commands.iter().all(seen_to_end) {
            self.mind.does(&item.item);
            return Ok(());
        }
        for call in item.calls.iter().filter(|call| call.edits()) {
            let read = Call { tool_name: "Read".to_owned(), tool_input: json!({"file_path": call.path()}), ..call.clone() };
            if self.repository.read(call.path()).is_some() {
                self.calls(&read)?;
            }
        }
        if self.repository.is_done(&item.calls) == Some(true) {
            self.writes("finds done", &item.item, 0);
            self.mind.does(&item.item);
            return Ok(());
        }
        let n = self.writes("works on", &item.item, 0);
        for call in &item.calls {
            self.calls(call)?;
        }
        self.ledger.at("items_done", n);
        if !self.referee.first_time(&item.item) {
            self.ledger.at("items_twice", n);
        }
        self.mind.does(&item.item);
        self.keeps_list()?;
        self.repository.commit(&item.item)?;
        match &self.machine {
            Some(machine) if self.synced => machine.syncs(&self.repository.root),
            _ => Ok(()),
        }
    }

    /// A tool's call: what it shows costs context, unless it is in there already.
    fn calls(&mut self, call: &Call) -> Result<String, Failure> {
        let path = call.path().to_owned();
        if call.reads() {
            let text = self.repository.shown(call);
            if self.mind.has_read(&path, &text) {
                return Ok(text);
            }
        }
        if call.edits() {
            self.repository.edit(call)?;
            self.referee.edits += 1;
            self.mind.reads(&path, &self.repository.read(&path).unwrap_or_default());
        }
        let shown = if call.edits() { String::new() } else { self.repository.shown(call) };
        let cost = cost_of(&shown) + cost_of(&call.tool_input.to_string());
        let what = if call.reads() {
            "read"
        } else if call.edits() {
            "edit"
        } else {
            "run"
        };
        let n = self.writes(what, &call.words(), cost);
        self.heard.push(n);
        if !call.edits() {
            // A command on changed code is not the same again.
            let on = if call.tool_name == "Bash" {
                format!("{} after {} edits", self.repository.release, self.referee.edits)
            } else {
                String::new()
            };
            let seen_before = !self.referee.first_sight(&call.words(), &format!("{on} {shown}"), cost);
            let (all, again) = if call.reads() { ("reads", "reads_again") } else { ("commands", "commands_again") };
            self.ledger.at(all, n);
            if seen_before {
                self.ledger.at(again, n);
            }
        }
        if call.reads() {
            self.mind.reads(&path, &shown);
        }
        self.tells(call, &shown, n)?;
        Ok(shown)
    }

    /// Writes something down, where there is a memory.
    fn remembers(&mut self, kind: &str, text: &str, anchor: Option<&str>, instead_of: Option<&str>) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        self.referee.new_words(cost_of(text));
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let mut arguments = vec!["--json", "remember", "--kind", kind];
        arguments.extend(anchor.iter().flat_map(|anchor| ["--anchor", anchor]));
        arguments.extend(instead_of.iter().flat_map(|old| ["--supersedes", old]));
        arguments.push(text);
        let done = machine.run(&self.repository.root, &arguments, "")?;
        let made: Value = serde_json::from_str(&done.out).unwrap_or_default();
        let id = made["id"].as_str().map(str::to_owned);
        let n = self.writes("remember", text, cost_of(text));
        if id.is_some() {
            self.ledger.trace[n - 1].memory = id;
            self.ledger.at("remembered", n);
        } else {
            self.ledger.trace[n - 1].about = format!("{text} – refused: {}", done.err.trim());
            self.ledger.at("refused", n);
        }
        Ok(())
    }

    pub(super) fn writes(&mut self, what: &'static str, about: &str, tokens: u32) -> usize {
        let line = Line { run: self.number, what, about: about.to_owned(), tokens, session: self.known_as.clone(), ..Line::default() };
        let n = self.ledger.line(line);
        if tokens > 0 {
            self.ledger.count("tokens", u64::from(tokens), Evidence::Trace { line: n });
        }
        n
    }
}

/// In tokens. Ids are new each time, and cost a few more or less: all count as the same one.
pub fn cost_of(text: &str) -> u32 {
    const ID: &str = "01a1e820-66eb-75c3-b218-22c67b5b7d43";
    let mut same = text.to_owned();
    for at in 0..text.len().saturating_sub(ID.len() - 1) {
        let is_id = |piece: &[u8]| piece.iter().zip(ID.bytes()).all(|(a, b)| if b == b'-' { *a == b } else { a.is_ascii_hexdigit() });
        if text.as_bytes().get(at..at + ID.len()).is_some_and(is_id) {
            same.replace_range(at..at + ID.len(), ID);
        }
    }
    tokens::count(&same)
}

/// An item as `cairn recall` prints it.
fn shown(item: &Value) -> String {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let reasons: Vec<&str> = item["freshness"]["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let state = item["freshness"]["state"].as_str().unwrap_or_default();
    format!("{}  [{}, {state}: {}]  {}\n    {}\n", text("title"), text("kind"), reasons.join("; "), text("memory_id"), text("content"))
}

/// The same for the same seed and occasion, on every machine.
fn dice(seed: u64, occasion: &str) -> u64 {
    let begun = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xcbf2_9ce4_8422_2325;
    let mut mixed = occasion.bytes().fold(begun, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    for _ in 0..2 {
        mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    mixed >> 33
}
