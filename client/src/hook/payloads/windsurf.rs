//! Windsurf's Cascade: a trajectory is a session. It has no start, end or compaction, and a command's result is not told.

use super::{
    Heard, Moment,
    call::{Call, Does, text_of},
    said, session, text,
};
use crate::spool::Event;
use serde_json::{Value, json};

pub fn read(payload: &Value) -> Option<Heard> {
    let info = &payload["tool_info"];
    let event_name = text(payload, "agent_action_name")?;
    let event = match event_name.as_str() {
        "pre_user_prompt" => said("prompt", info["user_prompt"].as_str())?,
        "post_read_code" => event("read_code", Does::Read, info),
        "post_write_code" => event("write_code", Does::Edit, info),
        "post_run_command" => event("run_command", Does::Run, info),
        "post_mcp_tool_use" => called(info)?,
        "post_cascade_response" => said("message", info["response"].as_str())?,
        _ => return None,
    };
    Some(Heard {
        session: session(payload, "trajectory_id")?,
        event_name,
        cwd: text(info, "cwd"),
        transcript: None,
        moment: Moment::During,
        events: vec![event],
    })
}

fn event(tool: &str, does: Does, info: &Value) -> Event {
    let output = text_of(&json!({"stdout": info["stdout"], "stderr": info["stderr"]}));
    Call { tool, does, input: info, output, exit_code: info["exit_code"].as_i64(), failed: false }.event()
}

fn called(info: &Value) -> Option<Event> {
    let tool = format!("{}.{}", info["mcp_server_name"].as_str().unwrap_or("mcp"), info["mcp_tool_name"].as_str()?);
    let output = text_of(&info["mcp_result"]);
    Some(Call { tool: &tool, does: Does::Other, input: &info["mcp_tool_arguments"], output, exit_code: None, failed: false }.event())
}
