//! Gemini CLI: Claude Code's members under other event names; results have `llmContent` and perhaps `error`.

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
        "SessionStart" => heard.moment = Moment::Start { compacted: false },
        "BeforeAgent" => heard.events.extend(said("prompt", payload["prompt"].as_str())),
        "BeforeTool" => heard.events.push(announced(payload["tool_name"].as_str()?, &payload["tool_input"])),
        "AfterTool" => heard.events.push(used(payload)?),
        "AfterAgent" => heard.events.extend(said("message", payload["prompt_response"].as_str())),
        "PreCompress" => {
            heard.moment = Moment::Compaction;
            heard.events.push(compaction(payload));
        }
        "SessionEnd" => heard.moment = Moment::End,
        _ => return None,
    }
    Some(heard)
}

fn used(payload: &Value) -> Option<Event> {
    let tool = payload["tool_name"].as_str()?;
    let (input, response) = (&payload["tool_input"], &payload["tool_response"]);
    let error = Some(&response["error"]).filter(|error| !error.is_null());
    let output = match error {
        Some(error) => error["message"].as_str().map(str::to_owned).or_else(|| text_of(error)),
        None => text_of(response),
    };
    let does = does(tool);
    // A shell command's result says its exit code only when it is not 0.
    let said = output.as_deref().and_then(exit_code_in);
    let exit_code = if does == Does::Run { said.or(Some(i64::from(error.is_some()))) } else { None };
    Some(Call { tool, does, input, output, exit_code, failed: error.is_some() }.event())
}

fn does(tool: &str) -> Does {
    match tool {
        "read_file" | "read_many_files" => Does::Read,
        "write_file" | "replace" | "edit" => Does::Edit,
        "run_shell_command" => Does::Run,
        "glob" | "grep_search" | "search_file_content" | "list_directory" | "google_web_search" => Does::Search,
        _ => Does::Other,
    }
}
