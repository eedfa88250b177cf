//! What the agent's tool tells its hooks, and keeps in its transcript: the forms are Claude Code's.

use super::{
    agent::{Agent, cost_of},
    task::{Call, Run, Step, Task},
};
use crate::Failure;
use serde_json::{Value, json};
use std::path::Path;

impl Agent<'_> {
    /// The hook after a call, as Claude Code sends it.
    pub(super) fn tells(&mut self, call: &Call, shown: &str, n: usize) -> Result<(), Failure> {
        let mut input = call.tool_input.clone();
        if !call.path().is_empty() {
            input["file_path"] = json!(self.repository.root.join(call.path()));
        }
        let response = match call.tool_name.as_str() {
            "Read" => json!({"type": "text", "file": {"filePath": input["file_path"], "content": shown}}),
            "Edit" | "Write" => json!({"filePath": input["file_path"], "success": true}),
            "Grep" => json!({"mode": "content", "content": shown}),
            "Bash" => json!({"stdout": shown, "stderr": "", "interrupted": false}),
            _ => call.at_release.get(&self.repository.release).unwrap_or(&call.tool_response).clone(),
        };
        let mut more = json!({"tool_name": call.tool_name, "tool_input": input, "tool_use_id": format!("toolu_{}_{n}", self.number)});
        let event = if call.error.is_some() { "PostToolUseFailure" } else { "PostToolUse" };
        match &call.error {
            Some(error) => more["error"] = json!(error),
            None => more["tool_response"] = response,
        }
        self.hook(event, more)
    }

    pub(super) fn hears(&mut self, text: &str) -> Result<(), Failure> {
        let n = self.writes("prompt", text, cost_of(text));
        self.heard.push(n);
        self.referee.new_words(cost_of(text));
        self.hook("UserPromptSubmit", json!({ "prompt": text }))
    }

    pub(super) fn says(&mut self, text: &str) -> Result<(), Failure> {
        let n = self.writes("says", text, cost_of(text));
        self.heard.push(n);
        self.referee.new_words(cost_of(text));
        self.transcribes(json!([{"type": "text", "text": text}]))?;
        self.hook("Stop", json!({"stop_hook_active": false, "last_assistant_message": text}))
    }

    /// The to-do list that Claude Code keeps in its transcript.
    pub(super) fn keeps_list(&mut self) -> Result<(), Failure> {
        let todos: Vec<Value> = items(self.task, self.run)
            .into_iter()
            .map(|item| json!({"content": item, "status": if self.mind.is_done(item) { "completed" } else { "pending" }}))
            .collect();
        self.transcribes(json!([{"type": "tool_use", "name": "TodoWrite", "input": {"todos": todos}}]))
    }

    pub(super) fn is_compacted(&mut self) -> Result<(), Failure> {
        let n = self.writes("compaction", "the context was full", 0);
        self.heard.push(n);
        self.hook("PreCompact", json!({"trigger": "auto", "custom_instructions": ""}))?;
        self.mind.is_compacted();
        self.referee.epoch();
        if let Some(machine) = &mut self.machine {
            machine.deliver(&self.repository.root)?;
        }
        self.starts("compact")?;
        if let Some(work) = &self.task.work {
            self.resumes(&work.key)?;
        }
        Ok(())
    }

    /// Last words, a checkpoint, and the end.
    pub(super) fn stops(&mut self) -> Result<(), Failure> {
        let (done, open): (Vec<&str>, Vec<&str>) = items(self.task, self.run).into_iter().partition(|item| self.mind.is_done(item));
        let root: &Path = &self.repository.root;
        if let Some(machine) = &mut self.machine
            && !(done.is_empty() && open.is_empty())
        {
            // What the hooks heard comes first, as it would by then.
            machine.deliver(root)?;
            let mut arguments = vec!["checkpoint"];
            arguments.extend(done.iter().flat_map(|item| ["--done", item]));
            arguments.extend(open.iter().flat_map(|item| ["--todo", item]));
            machine.does(root, &arguments)?;
            let cost = cost_of(&arguments.join(" "));
            self.writes("checkpoint", &format!("{} done, {} open", done.len(), open.len()), cost);
        }
        self.hook("SessionEnd", json!({"reason": "prompt_input_exit"}))
    }

    pub(super) fn hook(&mut self, event: &str, more: Value) -> Result<(), Failure> {
        let payload = self.payload(event, more);
        let Some(machine) = &self.machine else { return Ok(()) };
        machine.hook(&self.repository.root, &payload)?;
        Ok(())
    }

    pub(super) fn payload(&self, event: &str, more: Value) -> Value {
        let mut payload =
            json!({"session_id": self.session, "cwd": self.repository.root, "permission_mode": "default", "hook_event_name": event});
        if let Some(machine) = &self.machine {
            payload["transcript_path"] = json!(machine.transcript());
        }
        if let (Some(payload), Value::Object(more)) = (payload.as_object_mut(), more) {
            payload.extend(more);
        }
        payload
    }

    fn transcribes(&self, content: Value) -> Result<(), Failure> {
        let Some(machine) = &self.machine else { return Ok(()) };
        machine.transcribe(&json!({"type": "assistant", "message": {"role": "assistant", "content": content}}))
    }
}

/// The items of a run, as its list names them.
fn items<'a>(task: &'a Task, run: &'a Run) -> Vec<&'a str> {
    let names = run.steps.iter().filter_map(|step| if let Step::Item(name) = step { Some(name) } else { None });
    names.filter_map(|name| task.items.get(name).map(|item| item.item.as_str())).collect()
}
