//! Cursor: a conversation is a session. Installed are the general `postToolUse` and `postToolUseFailure`; the hooks for
//! single kinds of calls are understood for those who have configured them by hand.

use super::{
    Heard, Moment,
    call::{Call, Does, announced, exit_code_in, text_of},
    compaction, said, session, text,
};
use crate::spool::Event;
use serde_json::{Value, json};
use std::path::PathBuf;

pub fn read(payload: &Value) -> Option<Heard> {
    let root = payload["workspace_roots"][0].as_str().map(str::to_owned);
    let mut heard = Heard {
        session: session(payload, "conversation_id").or_else(|| session(payload, "session_id"))?,
        event_name: text(payload, "hook_event_name")?,
        cwd: root.or_else(|| text(payload, "cwd")),
        transcript: text(payload, "transcript_path").map(PathBuf::from),
        moment: Moment::During,
        events: Vec::new(),
    };
    match heard.event_name.as_str() {
        "sessionStart" => heard.moment = Moment::Start { compacted: false },
        "beforeSubmitPrompt" => heard.events.extend(said("prompt", payload["prompt"].as_str())),
        "preToolUse" => heard.events.push(announced(payload["tool_name"].as_str()?, &payload["tool_input"])),
        "postToolUse" | "postToolUseFailure" => heard.events.push(used(payload)?),
        "afterShellExecution" => heard.events.push(ran(payload)),
        "afterFileEdit" => heard.events.push(edited(payload)),
        "afterMCPExecution" => heard.events.push(called(payload)?),
        "afterAgentResponse" => heard.events.extend(said("message", payload["text"].as_str())),
        "preCompact" => {
            heard.moment = Moment::Compaction;
            heard.events.push(compaction(payload));
        }
        "sessionEnd" => heard.moment = Moment::End,
        _ => return None,
    }
    Some(heard)
}

fn used(payload: &Value) -> Option<Event> {
    let tool = payload["tool_name"].as_str()?;
    let failed = payload["hook_event_name"] == "postToolUseFailure";
    // The result is JSON inside of a string.
    let result = as_json(if failed { &payload["error_message"] } else { &payload["tool_output"] });
    let output = text_of(&result);
    let does = does(tool);
    let exit_code = (does == Does::Run).then(|| {
        let said = result["exitCode"].as_i64().or_else(|| result["exit_code"].as_i64());
        said.or_else(|| exit_code_in(output.as_deref()?)).unwrap_or(i64::from(failed))
    });
    Some(Call { tool, does, input: &as_json(&payload["tool_input"]), output, exit_code, failed }.event())
}

fn ran(payload: &Value) -> Event {
    let output = text_of(&payload["output"]);
    let exit_code = payload["exit_code"].as_i64().or_else(|| exit_code_in(output.as_deref()?));
    Call { tool: "Shell", does: Does::Run, input: payload, output, exit_code, failed: false }.event()
}

fn edited(payload: &Value) -> Event {
    let input = json!({"file_path": payload["file_path"], "edits": payload["edits"]});
    Call { tool: "Write", does: Does::Edit, input: &input, output: None, exit_code: None, failed: false }.event()
}

fn called(payload: &Value) -> Option<Event> {
    let tool = payload["tool_name"].as_str()?;
    let input = as_json(&payload["tool_input"]);
    let output = text_of(&as_json(&payload["result_json"]));
    Some(Call { tool, does: Does::Other, input: &input, output, exit_code: None, failed: false }.event())
}

fn as_json(value: &Value) -> Value {
    value.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}

fn does(tool: &str) -> Does {
    match tool {
        "Read" => Does::Read,
        "Write" | "Edit" | "Delete" | "StrReplace" => Does::Edit,
        "Shell" | "Bash" => Does::Run,
        "Grep" | "Glob" | "SemanticSearch" | "WebSearch" => Does::Search,
        _ => Does::Other,
    }
}
