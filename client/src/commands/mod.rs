//! What a person types, a file per noun. Each prints a table, or with `--json` what the server said.

mod checkpoint;
mod code;
mod exchange;
mod login;
mod memories;
mod sessions;
mod status;
mod tasks;

use crate::{
    arguments::{Arguments, Command, Flush, InstallName, word},
    failure::Failure,
    flush,
    hook::Tool,
    install, mcp,
    profiles::{self, Profile},
    progress::Progress,
    repository::Repository,
    server::{Answer, PATIENCE, Server},
    spool::{self, Running, RunningSessions, Spool},
};
use clap::{CommandFactory, Parser};
use std::{
    io::{self, IsTerminal, Read, Write},
    process::ExitCode,
    time::Duration,
};

pub fn run() -> ExitCode {
    leave_with_the_reader();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => {
            let _ = told.print();
            return ExitCode::from(if told.use_stderr() { 2 } else { 0 });
        }
    };
    match dispatch(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::Told(_)) {
                eprintln!("{failure}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Whoever reads us may have seen enough (`cairn session events … | head`): that is an end, and no accident.
fn leave_with_the_reader() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.to_string().contains("Broken pipe") {
            std::process::exit(0);
        }
        tell(panic);
    }));
}

fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    let repository = Repository::here();
    if let Some(complaint) = &repository.complaint {
        eprintln!("{complaint}");
    }
    let here = Here { profile: arguments.profile, workspace: arguments.workspace, json: arguments.json, repository };
    match arguments.command {
        Command::Login(login) => login::login(&here, login),
        Command::Remember(remember) => memories::remember(&here, remember),
        Command::Recall(recall) => memories::recall(&here, recall),
        Command::Context(context) => memories::context(&here, context),
        Command::Checkpoint(checkpoint) => checkpoint::checkpoint(&here, checkpoint),
        Command::Task(task) => tasks::task(&here, task),
        Command::Session(session) => sessions::session(&here, session),
        Command::Export(wish) => exchange::export(&here, wish),
        Command::Import(wish) => exchange::import(&here, wish),
        Command::Scan(wish) => code::scan(&here, wish),
        Command::Sync(wish) => code::sync(&here, wish),
        Command::Watch(wish) => code::watch(&here, wish),
        Command::Status => status::status(&here),
        // Served in `main`, before all this.
        Command::Hook { .. } => Ok(()),
        Command::Mcp => mcp::run(&here),
        Command::Install(wish) => match tool(wish.tool) {
            Some(tool) => install::install(tool, wish.project, wish.dry_run, wish.yes),
            None => install::install_git(wish.dry_run, wish.yes),
        },
        Command::Uninstall(wish) => match tool(wish.tool) {
            Some(tool) => install::uninstall(tool, wish.project, wish.dry_run, wish.yes),
            None => install::uninstall_git(wish.dry_run, wish.yes),
        },
        Command::Flush(wish) => flush_spool(&here, wish),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Arguments::command(), "cairn", &mut io::stdout());
            Ok(())
        }
    }
}

/// What every command knows: who asks, and where.
pub struct Here {
    pub profile: Option<String>,
    pub workspace: Option<String>,
    pub json: bool,
    pub repository: Repository,
}

impl Here {
    pub fn destination(&self) -> String {
        profiles::destination(self.profile.as_deref(), &self.repository)
    }

    pub fn open(&self) -> Result<Profile, Failure> {
        profiles::open(&self.destination())
    }

    pub fn server(&self) -> Result<Server, Failure> {
        self.server_within(PATIENCE)
    }

    /// For what may take longer than a person waits.
    pub fn server_within(&self, patience: Duration) -> Result<Server, Failure> {
        let workspace = self.workspace.as_deref().or(self.repository.settings.workspace.as_deref());
        Ok(Server::new(&self.open()?, patience)?.in_workspace(workspace))
    }

    pub fn project(&self, said: Option<String>) -> Option<String> {
        said.or_else(|| self.repository.settings.project.clone())
    }

    pub fn spool(&self) -> Spool {
        Spool::of(&self.destination())
    }

    /// The newest session that runs in this repository.
    pub fn running(&self) -> Option<Running> {
        let cwd = std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned());
        let root = self.repository.root.as_ref().map(|root| root.to_string_lossy().into_owned());
        RunningSessions::of(&self.spool()).all().into_iter().find(|running| match &root {
            Some(root) => running.origin.root.as_ref() == Some(root),
            None => running.origin.cwd == cwd,
        })
    }

    /// The answer for programs, or what `people` makes of it.
    pub fn print(&self, answer: &Answer, people: impl FnOnce(&Answer) -> String) {
        let text = if self.json { answer.text.clone() } else { people(answer) };
        let _ = writeln!(io::stdout(), "{}", text.trim_end());
    }
}

/// The words given, or stdin.
fn words(said: &[String], what: &str) -> Result<String, Failure> {
    let text = if said.is_empty() {
        if io::stdin().is_terminal() {
            eprintln!("{what}; end with Ctrl-D:");
        }
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(|wrong| Failure::Failed(format!("stdin cannot be read: {wrong}")))?;
        text
    } else {
        said.join(" ")
    };
    let text = text.trim().to_owned();
    if text.is_empty() { Err(Failure::Usage(format!("{what}: there is no text"))) } else { Ok(text) }
}

fn flush_spool(here: &Here, wish: Flush) -> Result<(), Failure> {
    if let (Some(destination), false) = (&wish.spool, wish.wait) {
        flush::run(destination);
        return Ok(());
    }
    let destination = wish.spool.unwrap_or_else(|| here.destination());
    if wish.rejected {
        let spool = Spool::of(&destination);
        spool::take_back(&spool).map_err(|wrong| Failure::file("use", &spool.folder, &wrong))?;
    }
    let mut progress: Option<(Progress, u64)> = None;
    let done = flush::run_now(&destination, |left| {
        let (progress, total) = progress.get_or_insert_with(|| (Progress::new("sending", left), left));
        progress.at(total.saturating_sub(left));
    });
    let total = progress.map_or(0, |(progress, total)| {
        progress.finish();
        total
    });
    done?;
    println!("{total} records sent; nothing waits.");
    Ok(())
}

/// Git is none.
fn tool(name: InstallName) -> Option<Tool> {
    Tool::parse(&word(name))
}
