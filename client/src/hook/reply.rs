//! What each tool wants to read on our stdout.

use super::{
    payloads::{Heard, Tool},
    reminder,
};
use serde_json::json;

/// Text for the agent, or the shortest answer that the tool takes for "go on".
pub fn context(tool: Tool, heard: &Heard, text: Option<&str>) -> Option<String> {
    let said = match (tool, text) {
        (Tool::Windsurf, _) | (Tool::ClaudeCode | Tool::Codex, None) => return None,
        (Tool::ClaudeCode | Tool::Codex | Tool::Gemini, Some(text)) => {
            json!({"hookSpecificOutput": {"hookEventName": heard.event_name, "additionalContext": text}})
        }
        (Tool::Cursor, Some(text)) => json!({ "additional_context": text }),
        (Tool::Cursor, None) if heard.event_name == "beforeSubmitPrompt" => json!({"continue": true}),
        (Tool::Cursor | Tool::Gemini, None) => json!({}),
    };
    Some(said.to_string())
}

/// Whether the tool hands text in the answer to this event to its agent.
pub fn carries_context(tool: Tool, event: &str) -> bool {
    match tool {
        Tool::ClaudeCode | Tool::Codex => matches!(event, "UserPromptSubmit" | "PostToolUse"),
        Tool::Gemini => matches!(event, "BeforeAgent" | "AfterTool"),
        Tool::Cursor => event == "postToolUse",
        Tool::Windsurf => false,
    }
}

/// Claude Code hands what a hook prints before a compaction to the summariser; the others take no text there.
pub fn compaction(tool: Tool) -> Option<String> {
    match tool {
        Tool::ClaudeCode => Some(reminder::BEFORE.to_owned()),
        Tool::Cursor | Tool::Gemini => Some("{}".to_owned()),
        Tool::Codex | Tool::Windsurf => None,
    }
}
