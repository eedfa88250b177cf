//! Codex CLI: Claude Code's members and names, but one tool for all edits, and results of its own.

use super::{
    Heard,
    call::{Call, Does, exit_code_in, text_of},
    claude_code, heard,
};
use crate::{clean, spool::Event};
use serde_json::Value;

pub fn read(payload: &Value) -> Option<Heard> {
    let mut heard = heard(payload)?;
    if heard.event_name != "PostToolUse" {
        return claude_code::read(payload);
    }
    heard.events.extend(used(payload)?);
    Some(heard)
}

fn used(payload: &Value) -> Option<Vec<Event>> {
    let tool = payload["tool_name"].as_str()?;
    let (input, response) = (&payload["tool_input"], &payload["tool_response"]);
    let output = text_of(response);
    let exit_code = response["exit_code"].as_i64().or_else(|| response["metadata"]["exit_code"].as_i64());
    let exit_code = exit_code.or_else(|| exit_code_in(output.as_deref()?));
    if tool == "apply_patch" && exit_code.unwrap_or(0) == 0 {
        return Some(edits(input["command"].as_str().or_else(|| input["input"].as_str())?));
    }
    let does = if matches!(tool, "Bash" | "shell" | "exec_command") { Does::Run } else { Does::Other };
    Some(vec![Call { tool, does, input, output, exit_code, failed: exit_code.is_some_and(|code| code != 0) }.event()])
}

/// A patch names each file that it touches.
fn edits(patch: &str) -> Vec<Event> {
    let paths = patch.lines().filter_map(|line| {
        let named = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
        named.iter().find_map(|start| line.strip_prefix(start))
    });
    let edit = |path: &str| Event {
        r#type: "file_edit".to_owned(),
        tool: Some("apply_patch".to_owned()),
        path: Some(path.trim().to_owned()),
        ..Event::default()
    };
    let mut events: Vec<Event> = paths.map(edit).collect();
    if let [only] = &mut events[..] {
        only.input = Some(serde_json::json!({ "patch": clean::keep(patch, clean::OUTPUT).text }));
    }
    events
}
