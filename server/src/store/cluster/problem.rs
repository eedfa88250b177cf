//! Everything that can go wrong with the private Postgres, told to the person at the terminal.

use std::{fmt::Write, io, path::PathBuf};

use super::binaries::OLDEST_MAJOR;

/// Why the private Postgres is not there.
#[derive(Debug, thiserror::Error)]
pub enum ClusterProblem {
    #[error(
        "no Postgres {OLDEST_MAJOR} or newer was found on this machine{}. Install it ({}), \
         or set CAIRN_DATABASE_URL to a Postgres that runs elsewhere",
        too_old(found),
        how_to_install(None)
    )]
    NoBinaries { found: Vec<u32> },

    #[error(
        "the database in {} was made by Postgres {major}, and only {} is installed. \
         Install Postgres {major} beside it ({})",
        data.display(), list(found), how_to_install(Some(*major))
    )]
    OtherMajor { data: PathBuf, major: u32, found: Vec<u32> },

    #[error(
        "another cairn-server{} already serves {}. Stop it first, or give this one \
         a folder of its own with CAIRN_DATA_DIR",
        pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default(), data_dir.display()
    )]
    AlreadyServed { data_dir: PathBuf, pid: Option<u32> },

    #[error(
        "Postgres refuses to run as root, and this machine has neither a user `postgres` nor \
         `nobody`. Create one (`useradd --system postgres`), or start cairn-server as another user"
    )]
    NoAccount,

    #[error(
        "{} belongs to user id {owner}, but has to belong to `{wanted}`. \
         Start cairn-server as its owner, or remove the folder if it is not Cairn's",
        folder.display()
    )]
    OtherOwner { folder: PathBuf, owner: u32, wanted: String },

    #[error(
        "user `{account}`, under which Postgres runs, cannot enter {}. \
         Let it pass through the folders above (`chmod o+x`), or set CAIRN_DATA_DIR to another place",
        folder.display()
    )]
    Unreachable { folder: PathBuf, account: String },

    #[error(
        "{} says that the database lives in {}, and there is no such folder. \
         Bring it back (is a disk not mounted?), or remove that file to begin with an empty database",
        pointer.display(), base.display()
    )]
    Gone { pointer: PathBuf, base: PathBuf },

    #[error("could not {what} {}: {source}", path.display())]
    Files { what: &'static str, path: PathBuf, source: io::Error },

    #[error("`{program}` could not be run as user `{account}`: {source}")]
    NotRun { program: String, account: String, source: io::Error },

    #[error("`{program}` failed: {said}")]
    Failed { program: String, said: String },

    #[error(
        "the private Postgres in {} did not start. The end of its log:\n{log}",
        data.display()
    )]
    NotStarted { data: PathBuf, log: String },

    #[error(
        "the private Postgres in {} is still {doing} after {seconds} s and was left alone. \
         Its log is in {}; start cairn-server again to go on with it",
        data.display(), log.display()
    )]
    Slow { data: PathBuf, log: PathBuf, doing: &'static str, seconds: u64 },
}

impl ClusterProblem {
    /// For `map_err`: what was being done to which path.
    pub(super) fn files(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Files { what, path, source }
    }
}

fn too_old(found: &[u32]) -> String {
    if found.is_empty() { String::new() } else { format!(" (only {})", list(found)) }
}

fn list(majors: &[u32]) -> String {
    let mut text = String::new();
    for major in majors {
        let comma = if text.is_empty() { "" } else { ", " };
        // Writing into a String cannot fail.
        let _ = write!(text, "{comma}Postgres {major}");
    }
    if text.is_empty() { "none".into() } else { text }
}

fn how_to_install(major: Option<u32>) -> String {
    let (dash, at, plain) = major.map_or_else(
        || (String::new(), "@17".into(), String::new()),
        |major| (format!("-{major}"), format!("@{major}"), major.to_string()),
    );
    if cfg!(target_os = "macos") {
        return format!("`brew install postgresql{at}`");
    }
    format!(
        "Debian and Ubuntu: `apt-get install postgresql{dash}`; Fedora: `dnf install \
         postgresql{plain}-server`; Alpine: `apk add postgresql{plain} postgresql{plain}-client`; \
         Arch: `pacman -S postgresql`"
    )
}
