//! The command line. `hook` is served before this is read; it stands here for the help and the completions.

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
    Hook { tool: ToolName },
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
    Completions { shell: Shell },
}

#[derive(Args)]
pub struct Login {
    /// The server's address, like https://cairn.example.org
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
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    #[arg(long)]
    pub title: Option<String>,
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// Where it lies, like /decisions/deploys.md; made from kind and title otherwise
    #[arg(long)]
    pub path: Option<String>,
    /// The project; that of `.cairn.toml` otherwise
    #[arg(long)]
    pub project: Option<String>,
    /// From 0 to 1
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
    /// From when on it should be looked at again, as RFC 3339
    #[arg(long, value_name = "TIME")]
    pub stale_after: Option<String>,
    /// From when on it does not hold, as RFC 3339
    #[arg(long, value_name = "TIME")]
    pub expires_at: Option<String>,
}

#[derive(Args)]
pub struct Recall {
    /// The question, in your own words
    #[arg(required = true)]
    pub query: Vec<String>,
    #[arg(long)]
    pub limit: Option<u64>,
    /// In tokens
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<u64>,
    #[arg(long, value_enum)]
    pub detail: Option<Detail>,
    #[arg(long = "kind", value_enum)]
    pub kinds: Vec<Kind>,
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// The project; that of `.cairn.toml` otherwise
    #[arg(long)]
    pub project: Option<String>,
    /// The branch to judge the code on; the one that is checked out otherwise
    #[arg(long)]
    pub branch: Option<String>,
    /// As it was then, as RFC 3339
    #[arg(long, value_name = "TIME")]
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
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    /// active, proposed, superseded or archived
    #[arg(long)]
    pub state: Option<String>,
    /// Of `agents`, in tokens
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
    /// In tokens
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
        key: String,
        #[arg(long)]
        title: Option<String>,
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
        #[arg(long)]
        project: Option<String>,
        #[arg(long)]
        task: Option<String>,
    },
    /// The latest ones
    List {
        #[arg(long, default_value_t = 20)]
        limit: u64,
    },
    /// What is known about it
    Show { id: String },
    /// Replay its log
    Events { id: String },
    /// End it; the one that runs in this repository, unless said
    End {
        id: Option<String>,
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
