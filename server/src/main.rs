//! The command line: parse, do one thing, say how it went.

use cairn_server::{
    commands,
    config::{Config, Given, LogFormat, path},
};
use clap::{Parser, Subcommand};
use std::{path::PathBuf, process::ExitCode};
use tracing_subscriber::EnvFilter;

/// Many short-lived texts on several threads: measured, it answers more in the same time than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Cairn: the memory a team of agents can trust.
#[derive(Parser)]
#[command(version, about)]
struct Line {
    #[command(subcommand)]
    command: Command,
    /// A file with settings, beside flags and environment
    #[arg(long, global = true, env = "CAIRN_CONFIG", value_parser = path())]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server; without CAIRN_DATABASE_URL on a private Postgres of its own
    Serve {
        #[command(flatten)]
        given: Box<Given>,
        /// Fill the demo workspaces when there are none, and say how to sign in
        #[arg(long)]
        demo: bool,
    },
    /// Apply the migrations and exit
    Migrate {
        #[command(flatten)]
        given: Box<Given>,
    },
    /// Fill two demo workspaces; running it again changes nothing
    Demo {
        #[command(flatten)]
        given: Box<Given>,
    },
    /// Ask a running server whether it is ready: exit 0 when it is
    Health {
        #[command(flatten)]
        given: Box<Given>,
    },
    /// Print the OpenAPI document
    Openapi,
    /// Print the role table as the page in docs/
    Roles,
    /// Make new keys for signing tokens and sealing the trail; what the ones before signed stays valid
    RotateKeys {
        #[command(flatten)]
        given: Box<Given>,
    },
    /// Look through the whole database, changing nothing, and say of each promise whether it holds: exit 0 when all do, 1 when one does not, 2 when it could not be told
    Check {
        #[command(flatten)]
        given: Box<Given>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Look after the audit trail
    Audit {
        #[command(subcommand)]
        what: Audit,
    },
    /// Open psql on the server's database, as its owner
    Psql {
        #[command(flatten)]
        given: Box<Given>,
        /// Handed to psql; put them after --
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Write a consistent copy of everything, keys included, to a file
    Backup {
        /// Where to; it must not exist yet
        file: PathBuf,
        #[command(flatten)]
        given: Box<Given>,
    },
    /// Fill an empty server from a backup
    Restore {
        /// What `backup` wrote
        file: PathBuf,
        /// The journal of erasures: what was erased after the backup is erased again [default: erasures.jsonl in the data dir]
        #[arg(long, value_name = "JOURNAL")]
        erasures: Option<PathBuf>,
        #[command(flatten)]
        given: Box<Given>,
    },
}

#[derive(Subcommand)]
enum Audit {
    /// Check an exported trail offline: exit 0 and what holds, or exit 1 and the first entry that does not
    Verify {
        /// What the export as JSONL wrote
        file: PathBuf,
        /// The server's verification key, as its /.well-known/cairn-trail-keys.json has it; after a change of keys give those before too
        #[arg(long, value_name = "VKEY")]
        key: Vec<String>,
        /// A file with a checkpoint that was kept earlier: nothing before it was changed or cut off since
        #[arg(long, value_name = "CHECKPOINT")]
        since: Option<PathBuf>,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Line::parse()).await {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("cairn-server: {problem}");
            ExitCode::FAILURE
        }
    }
}

async fn run(line: Line) -> Result<ExitCode, commands::Failure> {
    let settings = |given: Box<Given>| -> Result<Config, commands::Failure> {
        let config = given.with_file(line.config.as_deref())?.check()?;
        log(&config);
        Ok(config)
    };
    match line.command {
        Command::Serve { given, demo } => commands::serve(settings(given)?, demo).await?,
        Command::Migrate { given } => commands::migrate(settings(given)?).await?,
        Command::Demo { given } => commands::demo(settings(given)?).await?,
        Command::Health { given } => commands::health(&given.with_file(line.config.as_deref())?.check()?).await?,
        Command::Openapi => println!("{}", cairn_server::api::openapi().to_pretty_json()?),
        Command::Roles => print!("{}", cairn_server::api::document::roles_page()),
        Command::RotateKeys { given } => commands::rotate_keys(settings(given)?).await?,
        Command::Audit { what: Audit::Verify { file, key, since } } => commands::verify(&file, &key, since.as_deref())?,
        Command::Check { given, json } => return Ok(commands::check(settings(given), json).await),
        Command::Psql { given, args } => return commands::psql(settings(given)?, &args).await,
        Command::Backup { file, given } => commands::backup(settings(given)?, &file).await?,
        Command::Restore { file, erasures, given } => commands::restore(settings(given)?, &file, erasures.as_deref()).await?,
    }
    Ok(ExitCode::SUCCESS)
}

fn log(config: &Config) {
    // What rmcp notes for itself has whole messages in it, and those have texts that belong in no log.
    let filter = EnvFilter::new(format!("rmcp=off,{}", config.log));
    let ansi = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(ansi).with_writer(std::io::stderr);
    // Whoever calls us twice in one process has set it up already.
    let _ = match config.log_format {
        LogFormat::Text => lines.with_target(false).try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
}
