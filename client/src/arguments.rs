//! The command line. `hook` is served before this is read; it stands here for the help and the completions.

use crate::clock;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// The memory of your team and its agents, from the command line.
///
/// Exit codes: 0 done · 1 failed or refused · 2 wrong usage · 3 the server is away · 4 not signed in · 5 conflict (409)
#[derive(Parser)]
#[command(name = "cairn", version, propagate_version = true)]
pub struct Arguments {
    /// The profile to use, of those made with `cairn login`; else CAIRN_PROFILE, `.cairn.toml` or `default` says
    #[arg(long, global = true, value_name = "NAME")]
    pub profile: Option<String>,
    /// The workspace, for a person who is in several
    #[arg(long, global = true, value_name = "SLUG")]
    pub workspace: Option<String>,
    /// Print the server's JSON instead of a table
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Store a server's address and a key for it
    Login(Login),
    /// Remember something
    Remember(Remember),
    /// Ask the memory
    Recall(Recall),
    /// Print the brief that a session starts with
    Context(Context),
    /// Write down decisions, progress, discoveries and the next step
    Checkpoint(Checkpoint),
    /// Work that spans sessions
    #[command(subcommand)]
    Task(Task),
    /// Runs of an agent
    #[command(subcommand)]
    Session(Session),
    /// Write memories into a file: all of them, files to review, or rules for agents
    Export(Export),
    /// Take in memories from files and folders: exports, rules, notes, and what other tools keep
    Import(Import),
    /// Look at code: its symbols and their fingerprints; nothing is sent
    Scan(Scan),
    /// Tell the server what the code looks like now: fingerprints, names and lines, never source
    Sync(Sync),
    /// Follow the working tree and tell the server whenever it rests
    Watch(Watch),
    /// Is memory being written? How much, by which tool, and if not, why
    Status,
    /// Hear a tool's hook on stdin; what `cairn install` configures
    Hook {
        /// The tool that speaks
        tool: ToolName,
    },
    /// Speak MCP on stdin and stdout, for tools that start a command; what `cairn install` configures
    Mcp,
    /// Write hooks, the MCP entry and the protocol block into a tool's settings
    Install(Install),
    /// Take them out again
    Uninstall(Install),
    /// Send what waits in the spool
    #[command(hide = true)]
    Flush(Flush),
    /// Print completions for a shell
    Completions {
        /// The shell that reads them
        shell: Shell,
    },
}

#[derive(Args)]
pub struct Login {
    /// The server's address, like https://cairn.example.org; without a scheme, http:// on this machine and https:// elsewhere
    #[arg(long, env = "CAIRN_URL")]
    pub url: Option<String>,
    /// The key or token; without it, it is asked for, or read from stdin
    #[arg(long, env = "CAIRN_KEY", hide_env_values = true)]
    pub key: Option<String>,
    /// The certificate of a private authority, as PEM
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}

#[derive(Args)]
pub struct Remember {
    /// What to remember; without it, stdin is read
    pub text: Vec<String>,
    /// What sort of knowledge it is; a fact otherwise
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    /// What it is about, in a line
    #[arg(long)]
    pub title: Option<String>,
    /// A word to find it by; may be given several times
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// Where it lies, like /decisions/deploys.md; made from kind and title otherwise
    #[arg(long)]
    pub path: Option<String>,
    /// The project; that of `.cairn.toml` otherwise
    #[arg(long)]
    pub project: Option<String>,
    /// How sure you are, from 0 to 1
    #[arg(long)]
    pub confidence: Option<f64>,
    /// The code that it is about: PATH, PATH#SYMBOL or REPO:PATH#SYMBOL
    #[arg(long = "anchor", value_name = "ANCHOR")]
    pub anchors: Vec<String>,
    /// The id of the memory that this one replaces
    #[arg(long, value_name = "ID")]
    pub supersedes: Option<String>,
    /// With `propose`, a decision that contradicts another waits for a person
    #[arg(long, value_name = "propose")]
    pub on_conflict: Option<String>,
    /// From when on it should be looked at again, like 2026-10-03T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub stale_after: Option<String>,
    /// From when on it does not hold, like 2026-10-03T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub expires_at: Option<String>,
}

#[derive(Args)]
pub struct Recall {
    /// The question, in your own words
    #[arg(required = true)]
    pub query: Vec<String>,
    /// How many memories at most, 1 to 100; 10 otherwise
    #[arg(long)]
    pub limit: Option<u64>,
    /// How much text at most, in tokens
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<u64>,
    /// How much of each memory; all of it otherwise
    #[arg(long, value_enum)]
    pub detail: Option<Detail>,
    /// Only of this kind; given twice, of either
    #[arg(long = "kind", value_enum)]
    pub kinds: Vec<Kind>,
    /// Only with this tag; given twice, with both
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// The project; that of `.cairn.toml` otherwise
    #[arg(long)]
    pub project: Option<String>,
    /// The branch to judge the code on; the one that is checked out otherwise
    #[arg(long)]
    pub branch: Option<String>,
    /// As it was then, like 2026-10-03T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub as_of: Option<String>,
}

#[derive(Args)]
pub struct Export {
    /// ndjson: everything, lossless · markdown: a tar of files, or a folder of them · agents: AGENTS.md or CLAUDE.md
    #[arg(long, value_enum)]
    pub format: Option<ExportFormat>,
    /// Where to; stdout otherwise. With markdown, a folder gets the files
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Only of this project; for `agents`, that of `.cairn.toml` otherwise
    #[arg(long)]
    pub project: Option<String>,
    /// Only of this kind
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    /// Only in this state: active, proposed, superseded or archived
    #[arg(long)]
    pub state: Option<String>,
    /// Of `agents`: how much text at most, in tokens
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ExportFormat {
    Ndjson,
    Markdown,
    Agents,
}

#[derive(Args)]
pub struct Import {
    /// Files and folders; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Only say what would be taken
    #[arg(long)]
    pub dry_run: bool,
    /// What the files are; their content says otherwise: ndjson, markdown, rules, session, claude-mem, mcp-memory-service, agentmemory, mem0
    #[arg(long)]
    pub format: Option<String>,
    /// The project of whatever names none; that of `.cairn.toml` otherwise
    #[arg(long)]
    pub project: Option<String>,
}

#[derive(Args)]
pub struct Context {
    /// The project; that of `.cairn.toml` otherwise
    #[arg(long)]
    pub project: Option<String>,
    /// The task; the one this repository is at otherwise
    #[arg(long)]
    pub task: Option<String>,
    /// The branch to judge the code on; the one that is checked out otherwise
    #[arg(long)]
    pub branch: Option<String>,
    /// How much text at most, in tokens
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<u64>,
}

#[derive(Args)]
pub struct Checkpoint {
    /// Free text, which the server sorts; without it and without parts, stdin is read
    pub text: Vec<String>,
    /// Something that was decided
    #[arg(long = "decision", value_name = "TEXT")]
    pub decisions: Vec<String>,
    /// Something that is completed
    #[arg(long, value_name = "ITEM")]
    pub done: Vec<String>,
    /// Something that is in progress
    #[arg(long, value_name = "ITEM")]
    pub doing: Vec<String>,
    /// Something that is to be done
    #[arg(long, value_name = "ITEM")]
    pub todo: Vec<String>,
    /// Something that was found out
    #[arg(long, value_name = "TEXT")]
    pub found: Vec<String>,
    /// The one next step
    #[arg(long, value_name = "TEXT")]
    pub next: Option<String>,
    /// The session; the one that runs in this repository otherwise
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// With `propose`, decisions that contradict another wait for a person, and the rest is written
    #[arg(long, value_name = "propose")]
    pub on_conflict: Option<String>,
}

#[derive(Subcommand)]
pub enum Task {
    /// Make a task and begin with it in this repository
    Start {
        /// What it goes by, like AUTH-7
        key: String,
        /// What is to be done; the key otherwise
        #[arg(long)]
        title: Option<String>,
        /// The project; that of `.cairn.toml` otherwise
        #[arg(long)]
        project: Option<String>,
    },
    /// All of them; a star is on the one that this repository is at
    List,
    /// What is done and what is not
    Show(Named),
    /// Print where it stands, and go on with it in this repository
    Resume {
        #[command(flatten)]
        task: Named,
        /// The session that goes on with it; the one that runs in this repository otherwise, or a new one
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Put it aside
    Pause(Named),
    /// It is done; its record stays readable
    Complete(Named),
    /// It will not be done
    Abandon(Named),
}

/// Two projects may each have a task of one key.
#[derive(Args)]
pub struct Named {
    /// The task's key
    pub key: String,
    /// Whose task, if not this repository's
    #[arg(long)]
    pub project: Option<String>,
}

#[derive(Subcommand)]
pub enum Session {
    /// Start one in this repository, where no hook does
    Start {
        /// The name of the tool that works in it
        #[arg(long, default_value = "cairn")]
        tool: String,
        /// The project; that of `.cairn.toml` otherwise
        #[arg(long)]
        project: Option<String>,
        /// The task; the one this repository is at otherwise
        #[arg(long)]
        task: Option<String>,
    },
    /// The latest ones
    List {
        /// How many at most
        #[arg(long, default_value_t = 20)]
        limit: u64,
    },
    /// What is known about it
    Show {
        /// The session's id
        id: String,
    },
    /// Replay its log
    Events {
        /// The session's id
        id: String,
    },
    /// End it; the one that runs in this repository, unless said
    End {
        /// The session's id
        id: Option<String>,
        /// What was done, in a few sentences
        #[arg(long)]
        summary: Option<String>,
    },
}

#[derive(Args)]
pub struct Scan {
    /// A folder; without it, the repository that one stands in
    pub path: Option<PathBuf>,
    /// Parse everything, whatever was parsed before
    #[arg(long)]
    pub fresh: bool,
}

#[derive(Args)]
pub struct Sync {
    #[command(flatten)]
    pub names: CodeNames,
    /// The working tree as it is, with what is not committed
    #[arg(long)]
    pub working_tree: bool,
    /// Everything, and not only what changed; also where the server knows a newer commit
    #[arg(long)]
    pub complete: bool,
    /// Say nothing and fail at nothing; for git's hooks
    #[arg(long, hide = true)]
    pub hook: bool,
}

#[derive(Args)]
pub struct Watch {
    #[command(flatten)]
    pub names: CodeNames,
    /// So many milliseconds without a change, and the tree rests
    #[arg(long, default_value_t = 500, value_name = "MS")]
    pub rest: u64,
}

#[derive(Args)]
pub struct CodeNames {
    /// The repository's name; else `.cairn.toml` or the remote `origin` says
    #[arg(long)]
    pub repo: Option<String>,
    /// The branch; else git or the CI says
    #[arg(long)]
    pub branch: Option<String>,
    /// The branch that memories are judged on unless another is asked for; else what `origin` begins on, or `main`
    #[arg(long, value_name = "BRANCH")]
    pub default_branch: Option<String>,
}

#[derive(Args)]
pub struct Install {
    /// The tool, or git
    pub tool: InstallName,
    /// Into this repository instead of your own settings
    #[arg(long)]
    pub project: bool,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

#[derive(Args)]
pub struct Flush {
    /// Stay until everything is sent
    #[arg(long)]
    pub wait: bool,
    /// Send once more what the server had refused
    #[arg(long)]
    pub rejected: bool,
    #[arg(long, hide = true)]
    pub spool: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ToolName {
    ClaudeCode,
    Codex,
    Cursor,
    Windsurf,
    Gemini,
}

/// What `cairn install` knows: the tools, and git.
#[derive(Clone, Copy, ValueEnum)]
pub enum InstallName {
    ClaudeCode,
    Codex,
    Cursor,
    Windsurf,
    Gemini,
    /// Hooks that sync after each commit, merge and checkout of this repository
    Git,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Kind {
    Decision,
    Pattern,
    Procedure,
    Discovery,
    Preference,
    Episode,
    Fact,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Detail {
    Index,
    Excerpt,
    Full,
}

/// The word that the server uses.
pub fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// A time as the server reads it, so that a wrong one is told with the form that is right.
fn time(text: &str) -> Result<String, &'static str> {
    let wrong = "a time is written like 2026-10-03T12:00:00Z, or 2026-10-03T14:00:00+02:00";
    clock::read(text).map(|_| text.to_owned()).ok_or(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_help_describes_whatever_can_be_said() {
        fn undescribed(command: &clap::Command) -> Vec<String> {
            let silent = command.get_arguments().filter(|argument| !argument.is_hide_set() && argument.get_help().is_none());
            let here = silent.map(|argument| format!("{} {}", command.get_name(), argument.get_id()));
            here.chain(command.get_subcommands().flat_map(undescribed)).collect()
        }
        assert_eq!(undescribed(&Arguments::command()), [""; 0]);
    }
}
