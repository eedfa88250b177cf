//! Where each tool keeps its settings, and what its agent reads.

use super::Scope;
use crate::{hook::Tool, places};
use std::{
    env,
    path::{Path, PathBuf},
};

pub struct Places {
    /// Where its hooks are.
    pub settings: PathBuf,
    /// Where its MCP servers are; Windsurf has them for a person only.
    pub servers: Option<PathBuf>,
    /// The file for the protocol block; Cursor keeps a person's own rules where no file is.
    pub protocol: Option<PathBuf>,
    /// What the person does next.
    pub next: &'static str,
}

impl Places {
    pub fn of(tool: Tool, scope: &Scope) -> Self {
        let home = places::home();
        let (settings, protocol) = match scope {
            Scope::User => match tool {
                Tool::ClaudeCode => beside(&folder("CLAUDE_CONFIG_DIR", &home, ".claude"), "settings.json", "CLAUDE.md"),
                Tool::Codex => beside(&folder("CODEX_HOME", &home, ".codex"), "hooks.json", "AGENTS.md"),
                Tool::Gemini => beside(&home.join(".gemini"), "settings.json", "GEMINI.md"),
                Tool::Cursor => (home.join(".cursor/hooks.json"), None),
                Tool::Windsurf => beside(&home.join(".codeium/windsurf"), "hooks.json", "memories/global_rules.md"),
            },
            Scope::Project(root) => {
                let (settings, protocol) = match tool {
                    Tool::ClaudeCode => (".claude/settings.json", "CLAUDE.md"),
                    Tool::Codex => (".codex/hooks.json", "AGENTS.md"),
                    Tool::Gemini => (".gemini/settings.json", "GEMINI.md"),
                    Tool::Cursor => (".cursor/hooks.json", "AGENTS.md"),
                    Tool::Windsurf => (".windsurf/hooks.json", "AGENTS.md"),
                };
                (root.join(settings), Some(root.join(protocol)))
            }
        };
        Self { settings, servers: servers(tool, scope), protocol, next: next(tool) }
    }
}

fn servers(tool: Tool, scope: &Scope) -> Option<PathBuf> {
    let home = places::home();
    Some(match (tool, scope) {
        (Tool::ClaudeCode, Scope::User) => folder("CLAUDE_CONFIG_DIR", &home, "").join(".claude.json"),
        (Tool::ClaudeCode, Scope::Project(root)) => root.join(".mcp.json"),
        (Tool::Codex, Scope::User) => folder("CODEX_HOME", &home, ".codex").join("config.toml"),
        (Tool::Codex, Scope::Project(root)) => root.join(".codex/config.toml"),
        (Tool::Gemini, Scope::User) => home.join(".gemini/settings.json"),
        (Tool::Gemini, Scope::Project(root)) => root.join(".gemini/settings.json"),
        (Tool::Cursor, Scope::User) => home.join(".cursor/mcp.json"),
        (Tool::Cursor, Scope::Project(root)) => root.join(".cursor/mcp.json"),
        (Tool::Windsurf, Scope::User) => home.join(".codeium/windsurf/mcp_config.json"),
        (Tool::Windsurf, Scope::Project(_)) => return None,
    })
}

fn next(tool: Tool) -> &'static str {
    match tool {
        Tool::ClaudeCode => "Installed. Sessions that start from now on are recorded; `/hooks` in Claude Code lists the hooks.",
        Tool::Codex => "Installed. Codex asks once whether you trust the hooks: say yes with `/hooks`. New sessions are recorded.",
        Tool::Gemini => "Installed. Sessions that start from now on are recorded; `/hooks` in Gemini CLI lists the hooks.",
        Tool::Cursor => "Installed. Restart Cursor; its settings list the hooks.",
        Tool::Windsurf => "Installed. Restart Windsurf. It has no hook that reaches the agent: the brief comes by `cairn context`.",
    }
}

fn beside(folder: &Path, settings: &str, protocol: &str) -> (PathBuf, Option<PathBuf>) {
    (folder.join(settings), Some(folder.join(protocol)))
}

fn folder(variable: &str, home: &Path, otherwise: &str) -> PathBuf {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute()).unwrap_or_else(|| home.join(otherwise))
}
