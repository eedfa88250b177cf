//! Claude Code. `Stop` is the end of a turn, `SessionEnd` that of a session; a failed call has an event of its own.

use super::{
    Heard, Moment,
    call::{Call, Does, announced, exit_code_in, text_of},
    compaction, heard, said,
};
use crate::spool::Event;
use serde_json::Value;

pub fn read(payload: &Value) -> Option<Heard> {
    let mut heard = heard(payload)?;
    match heard.event_name.as_str() {
        "SessionStart" => heard.moment = Moment::Start { compacted: payload["source"] == "compact" },
        "UserPromptSubmit" => heard.events.extend(said("prompt", payload["prompt"].as_str())),
        "PreToolUse" => heard.events.push(announced(payload["tool_name"].as_str()?, &payload["tool_input"])),
        "PostToolUse" => heard.events.push(succeeded(payload)?),
        "PostToolUseFailure" => heard.events.push(failed(payload)?),
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

fn succeeded(payload: &Value) -> Option<Event> {
    let tool = payload["tool_name"].as_str()?;
    let response = &payload["tool_response"];
    let interrupted = response["interrupted"] == true;
    let exit_code = (!interrupted).then_some(0);
    Some(Call { tool, does: does(tool), input: &payload["tool_input"], output: text_of(response), exit_code, failed: false }.event())
}

fn failed(payload: &Value) -> Option<Event> {
    let tool = payload["tool_name"].as_str()?;
    let error = text_of(&payload["error"]).unwrap_or_default();
    let exit_code = (payload["is_interrupt"] != true).then(|| exit_code_in(&error).unwrap_or(1));
    Some(Call { tool, does: does(tool), input: &payload["tool_input"], output: Some(error), exit_code, failed: true }.event())
}

fn does(tool: &str) -> Does {
    match tool {
        "Read" | "NotebookRead" => Does::Read,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => Does::Edit,
        "Bash" | "PowerShell" => Does::Run,
        "Grep" | "Glob" | "LS" | "WebSearch" => Does::Search,
        _ => Does::Other,
    }
}
