//! How each tool is connected, ready to copy, with the right address and workspace.

use crate::Chrome;
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "team/connect.html")]
pub struct Connect {
    pub chrome: Chrome,
    /// Where the server answers, such as `https://cairn.example.org`.
    pub origin: String,
    /// May the viewer make agents and keys?
    pub governs: bool,
}

/// One way in: a heading, what it does, and the lines to copy.
pub struct Recipe {
    pub id: &'static str,
    pub title: &'static str,
    pub says: &'static str,
    pub code: String,
}

impl Connect {
    fn recipes(&self) -> Vec<Recipe> {
        let (origin, slug) = (self.origin.as_str(), self.chrome.workspace.slug.as_str());
        let recipe = |id, title, says, code: String| Recipe { id, title, says, code };
        let tool = |name: &str| format!("cairn login --url {origin}\ncairn install {name}");
        vec![
            recipe(
                "claude-code",
                "Claude Code",
                "Hooks that log each run and tell it the brief, the MCP server, and the protocol block in CLAUDE.md. Add --project to set it up for a whole repository.",
                tool("claude-code"),
            ),
            recipe("codex", "Codex CLI", "Hooks, the MCP server and the block in AGENTS.md.", tool("codex")),
            recipe("cursor", "Cursor", "Hooks, the MCP server and, in a repository, the block in AGENTS.md.", tool("cursor")),
            recipe("windsurf", "Windsurf", "Hooks, the MCP server and the block among the rules.", tool("windsurf")),
            recipe("gemini", "Gemini CLI", "Hooks, the MCP server and the block in GEMINI.md.", tool("gemini")),
            recipe(
                "mcp",
                "Any MCP client",
                "Streamable HTTP; the key decides the workspace. A client that starts a command instead runs `cairn mcp`.",
                format!(
                    "{{\n  \"mcpServers\": {{\n    \"cairn\": {{\n      \"type\": \"http\",\n      \"url\": \"{origin}/mcp\",\n      \"headers\": {{\"Authorization\": \"Bearer $CAIRN_KEY\"}}\n    }}\n  }}\n}}"
                ),
            ),
            recipe(
                "memory-tool",
                "Anthropic's memory tool",
                "Pass each call of the memory tool on, and give the answer back to the model.",
                format!(
                    "curl \"{origin}/v1/workspaces/{slug}/memory-tool\" \\\n  -H \"Authorization: Bearer $CAIRN_KEY\" \\\n  -H \"Content-Type: application/json\" \\\n  -d '{{\"command\": \"view\", \"path\": \"/memories\"}}'"
                ),
            ),
            recipe(
                "sdk",
                "Memory Stores with the official SDK",
                "Only the address and the key are others; the stores lie in the key's workspace.",
                format!(
                    "from anthropic import Anthropic\n\nclient = Anthropic(base_url=\"{origin}\", api_key=os.environ[\"CAIRN_KEY\"])\nstores = client.beta.memory_stores.list()"
                ),
            ),
            recipe(
                "curl",
                "REST",
                "Everything else; the API document has all of it.",
                format!(
                    "curl \"{origin}/v1/workspaces/{slug}/recall\" \\\n  -H \"Authorization: Bearer $CAIRN_KEY\" \\\n  -H \"Content-Type: application/json\" \\\n  -d '{{\"query\": \"how do we deploy?\", \"token_budget\": 1000}}'"
                ),
            ),
        ]
    }
}
