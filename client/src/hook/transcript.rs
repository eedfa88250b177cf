//! What a tool's transcript offers for a checkpoint before compaction: the latest to-do list, lines with a mark
//! ("DECIDED:" …), the next step that was named last, else the agent's last words. Read from the end, and never more than
//! the end.

use super::halves;
use crate::clean;
use serde_json::Value;
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

const END: u64 = 1024 * 1024;
const LAST_WORDS: usize = 4 * 1024;
const MARKS: [&str; 7] = ["DECIDED:", "DECISION:", "DO NOT ", COMPLETED, "IN PROGRESS:", "FOUND:", "DISCOVERED:"];
const COMPLETED: &str = "COMPLETED:";
const NEXT: &str = "NEXT:";

/// The text of a checkpoint, or none if there is nothing to say.
pub fn checkpoint(transcript: &Path) -> Option<String> {
    let said = Said::read(&end_of(transcript)?);
    let mut lines = said.marked;
    lines.extend(said.todos);
    lines.extend(said.next.map(|next| format!("{NEXT} {next}")));
    let text = if lines.is_empty() { clean::keep(&said.last?, LAST_WORDS).text } else { lines.join("\n") };
    Some(clean::keep(&text, clean::TEXT).text)
}

#[derive(Default)]
struct Said {
    marked: Vec<String>,
    todos: Vec<String>,
    /// The latest word counts, the agent's or its list's: an earlier one was done or dropped meanwhile.
    next: Option<String>,
    last: Option<String>,
}

/// A to-do list as lines, and what it names to be done first.
struct Todos {
    lines: Vec<String>,
    next: Option<String>,
}

impl Said {
    fn read(text: &str) -> Self {
        let mut said = Self::default();
        // Gemini keeps one document, the others a line per entry; the first line may be cut.
        if let Some(messages) = serde_json::from_str::<Value>(text).ok().as_ref().and_then(|whole| whole["messages"].as_array()) {
            for entry in messages {
                said.hear(entry);
            }
            return said;
        }
        text.lines().filter_map(|line| halves::read(line.as_bytes())).for_each(|entry| said.hear(&entry));
        said
    }

    fn hear(&mut self, entry: &Value) {
        let message = [&entry["message"], &entry["payload"], entry].into_iter().find(|part| part.is_object()).unwrap_or(entry);
        if let Some(plan) = plan(message) {
            self.take_list(plan);
        }
        let role = message["role"].as_str().or_else(|| entry["role"].as_str()).or_else(|| entry["type"].as_str());
        if !matches!(role, Some("assistant" | "gemini" | "model")) {
            return;
        }
        let content = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        for part in content {
            if part["name"] == "TodoWrite" {
                self.take_list(todos(&part["input"]["todos"], "content"));
            }
        }
        let texts: Vec<&str> = match message["content"].as_str() {
            Some(text) => vec![text],
            None => content.iter().filter_map(|part| part["text"].as_str()).collect(),
        };
        let text = texts.join("\n");
        if text.trim().is_empty() {
            return;
        }
        for line in text.lines().map(|line| line.trim_start_matches(['-', '*', ' ', '\t'])) {
            if let Some(next) = line.strip_prefix(NEXT) {
                self.next = Some(next.trim().to_owned()).filter(|next| !next.is_empty());
            } else if MARKS.iter().any(|mark| line.starts_with(mark)) && !self.marked.iter().any(|known| known == line) {
                self.marked.push(line.to_owned());
            }
            self.is_done(line);
        }
        self.last = Some(text);
    }

    fn take_list(&mut self, list: Todos) {
        list.lines.iter().for_each(|line| self.is_done(line));
        self.next = list.next.or_else(|| self.next.take());
        self.todos = list.lines;
    }

    /// What is completed is no next step.
    fn is_done(&mut self, line: &str) {
        if line.strip_prefix(COMPLETED).is_some_and(|done| self.next.as_deref() == Some(done.trim())) {
            self.next = None;
        }
    }
}

/// Codex: a call of `update_plan`.
fn plan(message: &Value) -> Option<Todos> {
    (message["name"] == "update_plan").then_some(())?;
    let arguments: Value = serde_json::from_str(message["arguments"].as_str()?).ok()?;
    Some(todos(&arguments["plan"], "step"))
}

fn todos(list: &Value, text: &str) -> Todos {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut lines = Vec::new();
    let mut next = None;
    for item in items {
        let Some(words) = item[text].as_str() else { continue };
        match item["status"].as_str() {
            Some("completed") => lines.push(format!("{COMPLETED} {words}")),
            Some("in_progress") => {
                lines.push(format!("IN PROGRESS: {words}"));
                next.get_or_insert(words);
            }
            _ => lines.push(format!("- [ ] {words}")),
        }
    }
    let pending = || items.iter().find(|item| item["status"] == "pending").and_then(|item| item[text].as_str());
    let next = next.or_else(pending).map(str::to_owned);
    Todos { lines, next }
}

fn end_of(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file()))?;
    let size = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(END))).ok()?;
    let mut bytes = Vec::new();
    file.take(END).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(text: &str) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("transcript");
        std::fs::write(&path, text).expect("a transcript");
        checkpoint(&path)
    }

    #[test]
    fn codex_keeps_its_plan_in_calls() {
        let plan = json!({"plan": [{"step": "login", "status": "completed"}, {"step": "logout", "status": "pending"}]}).to_string();
        let lines = [
            json!({"type": "response_item", "payload": {"type": "function_call", "name": "update_plan", "arguments": plan}}),
            json!({"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "On it."}]}}),
        ];
        let text = lines.map(|line| line.to_string()).join("\n");
        assert_eq!(of(&text).as_deref(), Some("COMPLETED: login\n- [ ] logout\nNEXT: logout"));
    }

    fn said(texts: &[Value]) -> String {
        texts.iter().map(|content| json!({"role": "assistant", "content": content}).to_string()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_next_step_is_the_one_that_was_named_last() {
        let text = said(&[json!("NEXT: login"), json!("COMPLETED: login"), json!("NEXT: logout"), json!("NEXT: tests"), json!("Well.")]);
        assert_eq!(of(&text).as_deref(), Some("COMPLETED: login\nNEXT: tests"));
        let text = said(&[json!("FOUND: a cache\nNEXT: login"), json!("- COMPLETED: login")]);
        assert_eq!(of(&text).as_deref(), Some("FOUND: a cache\nCOMPLETED: login"), "what is done is no next step");
    }

    #[test]
    fn between_the_list_and_the_agents_own_words_the_later_one_names_the_next_step() {
        let list = |status: &str| json!([{"name": "TodoWrite", "input": {"todos": [{"content": "docs", "status": status}]}}]);
        let next =
            |texts: &[Value]| of(&said(texts)).expect("a checkpoint").lines().filter(|line| line.starts_with(NEXT)).collect::<String>();
        assert_eq!(next(&[json!("NEXT: login"), list("pending")]), "NEXT: docs");
        assert_eq!(next(&[list("pending"), json!("NEXT: login")]), "NEXT: login");
        assert_eq!(next(&[json!("NEXT: login"), list("completed")]), "NEXT: login", "a list with nothing left names nothing");
        assert_eq!(next(&[list("in_progress"), list("completed")]), "");
    }

    #[test]
    fn gemini_keeps_one_document() {
        let document =
            json!({"sessionId": "s", "messages": [{"type": "user", "content": "hi"}, {"type": "gemini", "content": "NEXT: tests\nbye"}]});
        assert_eq!(of(&document.to_string()).as_deref(), Some("NEXT: tests"));
    }

    #[test]
    fn without_marks_the_last_words_count_and_without_words_nothing() {
        let line = json!({"role": "assistant", "content": "I will write the tests now."}).to_string();
        assert_eq!(of(&format!("{{cut off\n{line}\n")).as_deref(), Some("I will write the tests now."));
        assert_eq!(of("no transcript at all"), None);
        assert_eq!(checkpoint(Path::new("/no/such/file")), None);
    }
}
