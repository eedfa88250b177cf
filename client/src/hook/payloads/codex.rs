//! Codex CLI: Claude Code's members and names, one tool for all edits, and no event for a session's end.

use super::{
    Heard, Moment,
    call::{Call, Does, announced, exit_code_in, text_of},
    compaction, heard, said,
};
use crate::{clean, spool::Event};
use serde_json::Value;

pub fn read(payload: &Value) -> Option<Heard> {
    let mut heard = heard(payload)?;
    match heard.event_name.as_str() {
        "SessionStart" => heard.moment = Moment::Start { compacted: payload["source"] == "compact" },
        "UserPromptSubmit" => heard.events.extend(said("prompt", payload["prompt"].as_str())),
        "PreToolUse" => heard.events.push(announced(payload["tool_name"].as_str()?, &payload["tool_input"])),
        "PostToolUse" => heard.events.extend(used(payload)?),
        "Stop" | "SubagentStop" => heard.events.extend(said("message", payload["last_assistant_message"].as_str())),
        "PreCompact" => {
            heard.moment = Moment::Compaction;
            heard.events.push(compaction(payload));
        }
        "SessionEnd" => heard.moment = Moment::End,
        _ => return None,
    }
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
