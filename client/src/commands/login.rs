//! `cairn login`: an address and a key, tried before they are stored.

use super::Here;
use crate::{
    arguments::Login,
    failure::Failure,
    flush,
    profiles::{self, DEFAULT, Profile},
    server::{PATIENCE, Server, only_workspace},
};
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
use std::{
    fs,
    io::{self, BufRead, IsTerminal, Write},
};

pub fn login(here: &Here, wish: Login) -> Result<(), Failure> {
    let url = profiles::with_scheme(match wish.url {
        Some(url) => url,
        None => ask("The server's address", false)?,
    });
    let key = match wish.key {
        Some(key) => key,
        None => ask("Your key or token", true)?,
    };
    let ca = wish.ca.map(|path| fs::read_to_string(&path).map_err(|wrong| Failure::file("read", &path, &wrong))).transpose()?;
    let mut profile = Profile { url, key, ca, ..Profile::default() };
    let me = Server::new(&profile, PATIENCE)?.me()?;
    let chosen = here.workspace.clone().or_else(|| here.repository.settings.workspace.clone());
    let workspace = match chosen {
        Some(workspace) => workspace,
        None => only_workspace(&me.json)?,
    };
    profile.workspace = Some(workspace.clone());
    let name = here.profile.clone().or_else(|| std::env::var("CAIRN_PROFILE").ok()).unwrap_or_else(|| DEFAULT.to_owned());
    let path = profiles::store(&name, profile)?;
    flush::wake(&name);
    let actor = me.json["actor"]["name"].as_str().unwrap_or("you").to_owned();
    here.print(&me, |_| format!("Signed in as {actor} in workspace {workspace}; kept as profile `{name}` in {}.", path.display()));
    Ok(())
}

/// From the terminal, unseen if it is secret; else the next line of stdin.
fn ask(what: &str, secret: bool) -> Result<String, Failure> {
    let stdin = io::stdin();
    let hidden = if stdin.is_terminal() {
        eprint!("{what}: ");
        let _ = io::stderr().flush();
        secret.then(hide).flatten()
    } else {
        None
    };
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line);
    if let Some(before) = hidden {
        let _ = tcsetattr(&stdin, SetArg::TCSANOW, &before);
        eprintln!();
    }
    read.map_err(|wrong| Failure::Failed(format!("stdin cannot be read: {wrong}")))?;
    let line = line.trim().to_owned();
    if line.is_empty() { Err(Failure::Usage(format!("{what} is needed"))) } else { Ok(line) }
}

fn hide() -> Option<nix::sys::termios::Termios> {
    let before = tcgetattr(io::stdin()).ok()?;
    let mut silent = before.clone();
    silent.local_flags.remove(LocalFlags::ECHO);
    tcsetattr(io::stdin(), SetArg::TCSANOW, &silent).ok()?;
    Some(before)
}
