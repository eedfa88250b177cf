//! A tool's call and its result as an event: which type, and where its path, command and output are.

use crate::{clean, spool::Event};
use serde_json::Value;

/// What a call does, as far as memory cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    Read,
    Edit,
    Run,
    Search,
    Other,
}

pub struct Call<'a> {
    pub tool: &'a str,
    pub does: Does,
    pub input: &'a Value,
    pub output: Option<String>,
    pub exit_code: Option<i64>,
    pub failed: bool,
}

impl Call<'_> {
    pub fn event(self) -> Event {
        // A read or an edit that failed did not happen: only that it was tried.
        let does = if self.failed && matches!(self.does, Does::Read | Does::Edit) { Does::Other } else { self.does };
        let mut event = Event { r#type: kind(does).to_owned(), tool: Some(self.tool.to_owned()), ..Event::default() };
        event.path = first(self.input, &["file_path", "path", "notebook_path", "absolute_path", "target_file", "dir_path"]);
        match does {
            // The file is in the repository; its content is not ours to keep.
            Does::Read => return event,
            Does::Edit => {
                event.input = Some(clean::keep_value(self.input));
                return event;
            }
            Does::Run => {
                event.path = None;
                event.command = first(self.input, &["command", "command_line", "cmd"]).map(|text| clean::keep(&text, clean::TEXT).text);
                event.exit_code = self.exit_code.filter(|code| i32::try_from(*code).is_ok());
            }
            Does::Search => {
                let text = first(self.input, &["pattern", "query", "glob_pattern", "url"]);
                event.text = text.map(|text| clean::clean(&text).into_owned());
            }
            Does::Other => event.input = Some(clean::keep_value(self.input)),
        }
        if let Some(output) = self.output.filter(|output| !output.is_empty()) {
            let kept = clean::keep(&output, clean::OUTPUT);
            (event.output, event.output_length, event.output_sha256) = (Some(kept.text), kept.length, kept.sha256);
        }
        event
    }
}

/// A call that was announced and has no result yet.
pub fn announced(tool: &str, input: &Value) -> Event {
    Event { r#type: "tool_use".to_owned(), tool: Some(tool.to_owned()), input: Some(clean::keep_value(input)), ..Event::default() }
}

/// The text in a result, whichever shape it has.
pub fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().filter_map(text_of).collect();
            Some(texts.join("\n"))
        }
        Value::Object(members) => {
            let streams: Vec<String> = ["stdout", "stderr"].iter().filter_map(|name| text_of(members.get(*name)?)).collect();
            if members.contains_key("stdout") {
                return Some(streams.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"));
            }
            let named = ["llmContent", "output", "text", "content", "filenames", "result"];
            named.iter().find_map(|name| text_of(members.get(*name)?)).or_else(|| Some(value.to_string()))
        }
        other => Some(other.to_string()),
    }
}

/// The number behind "exit code", where a tool has it only in words; at either end, not in the middle of an output.
pub fn exit_code_in(text: &str) -> Option<i64> {
    const NEAR: usize = 400;
    let head = &text[..text.floor_char_boundary(NEAR)];
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(NEAR))..];
    [head, tail].into_iter().find_map(|part| {
        let lower = part.to_ascii_lowercase();
        let after = ["exit code", "status code", "exited with code", "exit status"]
            .iter()
            .find_map(|words| lower.find(words).map(|at| &lower[at + words.len()..]))?;
        let number: String = after
            .trim_start_matches([':', ' '])
            .chars()
            .enumerate()
            .take_while(|(at, letter)| letter.is_ascii_digit() || (*at == 0 && *letter == '-'))
            .map(|(_, letter)| letter)
            .collect();
        number.parse().ok()
    })
}

fn kind(does: Does) -> &'static str {
    match does {
        Does::Read => "file_read",
        Does::Edit => "file_edit",
        Does::Run => "command",
        Does::Search => "search",
        Does::Other => "tool_result",
    }
}

fn first(input: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| input[*name].as_str()).map(str::to_owned)
}
