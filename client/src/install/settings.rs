//! Our hooks in a tool's JSON settings, put in and taken out without touching what else is there: order, white space
//! and comments stay.

use super::{
    Scope,
    json::{parse, unreadable},
};
use crate::{failure::Failure, hook::Tool};
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject};
use std::path::Path;

pub struct Hooks {
    tool: Tool,
    command: String,
}

impl Hooks {
    pub fn of(tool: Tool, scope: &Scope) -> Result<Self, Failure> {
        let call = format!("hook {}", tool.name());
        let command = match scope {
            // A desktop program may not know the person's PATH.
            Scope::User => format!("{} {call}", quoted(&super::program()?)),
            // For everybody with a checkout, also for those who have no `cairn`.
            Scope::Project(_) => format!("if command -v cairn >/dev/null 2>&1; then cairn {call}; fi"),
        };
        Ok(Self { tool, command })
    }

    pub fn added_to(&self, text: &str, path: &Path) -> Result<String, Failure> {
        if self.is_in(text) {
            return Ok(text.to_owned());
        }
        let start = self.removed_from(text, Some(text)).unwrap_or_default();
        let root = parse(&start).map_err(|wrong| unreadable(path, &wrong))?;
        let Some(object) = root.object_value_or_create() else { return Err(unreadable(path, "it is no JSON object")) };
        if self.tool == Tool::Cursor && object.get("version").is_none() {
            object.append("version", CstInputValue::from(1_u64));
        }
        let Some(hooks) = object.object_value_or_create("hooks") else { return Err(unreadable(path, "`hooks` is no object")) };
        for event in self.events() {
            let Some(list) = hooks.array_value_or_create(event) else {
                return Err(unreadable(path, &format!("`hooks.{event}` is no list")));
            };
            list.ensure_multiline();
            list.append(self.entry());
        }
        let mut text = root.to_string();
        if !text.ends_with('\n') && start.trim().is_empty() {
            text.push('\n');
        }
        Ok(text)
    }

    /// Without our entries, and without the lists and objects that were not in `before`. None if nothing is left and
    /// nothing was before.
    pub fn removed_from(&self, text: &str, before: Option<&str>) -> Option<String> {
        let Ok(root) = parse(text) else { return Some(text.to_owned()) };
        // The roots live as long as what is inside of them is used.
        let earlier_root = before.and_then(|before| parse(before).ok());
        let earlier_hooks = earlier_root.as_ref().and_then(|root| root.object_value()?.object_value("hooks"));
        let Some(object) = root.object_value() else { return Some(text.to_owned()) };
        let Some(hooks) = object.object_value("hooks") else { return Some(text.to_owned()) };
        let mut found = false;
        for event in self.events() {
            let was_there = earlier_hooks.as_ref().is_some_and(|hooks| hooks.get(event).is_some());
            found |= self.remove_event(&hooks, event, was_there);
        }
        if !found {
            return Some(text.to_owned());
        }
        if hooks.properties().is_empty() && earlier_hooks.is_none() {
            object.get("hooks")?.remove();
        }
        let nothing_left = object.properties().iter().all(|member| name(member.name()) == "version");
        if before.is_none() && nothing_left { None } else { Some(root.to_string()) }
    }

    /// Whether there was something of ours.
    fn remove_event(&self, hooks: &CstObject, event: &str, was_there: bool) -> bool {
        let Some(list) = hooks.array_value(event) else { return false };
        let mut found = false;
        for entry in list.elements() {
            let Some(object) = entry.as_object() else { continue };
            let handlers = object.array_value("hooks").map(|handlers| handlers.elements());
            let ours: Vec<CstNode> = handlers.iter().flatten().filter(|handler| self.is_ours(handler)).cloned().collect();
            if self.is_ours(&entry) || (!ours.is_empty() && Some(ours.len()) == handlers.map(|handlers| handlers.len())) {
                entry.remove();
                found = true;
            } else {
                found |= !ours.is_empty();
                ours.into_iter().for_each(CstNode::remove);
            }
        }
        if found
            && !was_there
            && list.elements().is_empty()
            && let Some(property) = hooks.get(event)
        {
            property.remove();
        }
        found
    }

    /// A handler that runs us for this tool.
    fn is_ours(&self, handler: &CstNode) -> bool {
        let command = command_of(handler).unwrap_or_default();
        command.contains("cairn") && command.contains(&format!("hook {}", self.tool.name()))
    }

    /// Whether every event has our command as it would be written now.
    fn is_in(&self, text: &str) -> bool {
        let Ok(root) = parse(text) else { return false };
        let Some(hooks) = root.object_value().and_then(|object| object.object_value("hooks")) else { return false };
        self.events().iter().all(|event| {
            let entries = hooks.array_value(event).map(|list| list.elements()).unwrap_or_default();
            let handlers = entries.iter().filter_map(|entry| Some(entry.as_object()?.array_value("hooks")?.elements())).flatten();
            handlers.chain(entries.iter().cloned()).any(|handler| command_of(&handler).as_deref() == Some(&self.command))
        })
    }

    fn entry(&self) -> CstInputValue {
        let of = |members: Vec<(&str, CstInputValue)>| {
            CstInputValue::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        };
        let command = ("command", CstInputValue::from(self.command.clone()));
        let handler = |more: Vec<(&'static str, CstInputValue)>| {
            let mut members = vec![("type", CstInputValue::from("command")), command.clone()];
            members.extend(more);
            CstInputValue::Array(vec![of(members)])
        };
        match self.tool {
            Tool::ClaudeCode | Tool::Codex => of(vec![("hooks", handler(vec![("timeout", CstInputValue::from(10_u64))]))]),
            // Its time-outs are in milliseconds.
            Tool::Gemini => {
                of(vec![("hooks", handler(vec![("name", CstInputValue::from("cairn")), ("timeout", CstInputValue::from(10_000_u64))]))])
            }
            Tool::Cursor => of(vec![command]),
            Tool::Windsurf => of(vec![command, ("show_output", CstInputValue::from(false))]),
        }
    }

    fn events(&self) -> &'static [&'static str] {
        match self.tool {
            Tool::ClaudeCode => {
                &["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "PreCompact", "SessionEnd"]
            }
            Tool::Codex => &["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop"],
            Tool::Gemini => &["SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd"],
            Tool::Cursor => &[
                "sessionStart",
                "beforeSubmitPrompt",
                "postToolUse",
                "postToolUseFailure",
                "afterAgentResponse",
                "preCompact",
                "sessionEnd",
            ],
            Tool::Windsurf => {
                &["pre_user_prompt", "post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use", "post_cascade_response"]
            }
        }
    }
}

fn command_of(handler: &CstNode) -> Option<String> {
    handler.as_object()?.get("command")?.value()?.as_string_lit()?.decoded_value().ok()
}

fn name(name: Option<jsonc_parser::cst::ObjectPropName>) -> String {
    name.and_then(|name| name.decoded_value().ok()).unwrap_or_default()
}

/// For the shell that the tool starts.
fn quoted(path: &str) -> String {
    let plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte));
    if plain { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}
