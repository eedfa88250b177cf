//! Makes a new cluster, whole or not at all.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use nix::fcntl::OFlag;

use super::{binaries::Binaries, place::Place, problem::ClusterProblem, program, url::OWNER};

/// What the operator may change later; what must not change is on the command line.
///
/// Failed statements and the rows in them stay out of the log: they hold people's memories, and
/// an erasure cannot reach a log file.
const SETTINGS: &str = "
# Written once by cairn-server; yours to change.
max_connections = 100
shared_buffers = 128MB
# Plans that were made for empty tables are made anew soon after they fill.
autovacuum_naptime = 5s
fsync = on
full_page_writes = on
synchronous_commit = on
logging_collector = on
log_directory = '../log'
log_filename = 'postgres-%a.log'
log_file_mode = 0600
log_rotation_age = 1d
log_rotation_size = 0
log_truncate_on_rotation = on
log_min_error_statement = panic
log_error_verbosity = terse
";

pub async fn make(place: &Place, binaries: &Binaries) -> Result<(), ClusterProblem> {
    let draft = place.base.join("data.new");
    let mut choices = locales(binaries.major()).iter().peekable();
    while let Some(locale) = choices.next() {
        // A machine that went down while this ran leaves half a cluster.
        if draft.exists() {
            fs::remove_dir_all(&draft).map_err(ClusterProblem::files("remove", &draft))?;
        }
        match initdb(place, binaries, &draft, locale).await {
            Ok(()) => break,
            Err(problem @ ClusterProblem::NotRun { .. }) => return Err(problem),
            Err(problem) if choices.peek().is_none() => return Err(problem),
            Err(problem) => tracing::debug!(%problem, ?locale, "trying a plainer locale"),
        }
    }
    append(&draft.join("postgresql.conf"))?;
    let data = place.data();
    fs::rename(&draft, &data).map_err(ClusterProblem::files("create", data))
}

/// Order by code point everywhere, so that an upgrade of the C library never breaks an index;
/// upper and lower case in Unicode where the system can.
pub fn locales(major: u32) -> &'static [&'static [&'static str]] {
    const UNICODE: &[&str] = &["--locale=C", "--lc-ctype=C.UTF-8"];
    const PLAIN: &[&str] = &["--locale=C"];
    const BUILTIN: &[&str] = &["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
    if major >= 17 { &[BUILTIN, UNICODE, PLAIN] } else { &[UNICODE, PLAIN] }
}

async fn initdb(place: &Place, binaries: &Binaries, data: &Path, locale: &[&str]) -> Result<(), ClusterProblem> {
    let mut command = place.account.command(&binaries.path("initdb"), &place.base);
    command
        .arg("--pgdata")
        .arg(data)
        .args(["--username", OWNER, "--encoding=UTF8", "--data-checksums"])
        .args(["--auth-local=trust", "--auth-host=reject"])
        .args(locale);
    program::run(command, &place.account, "").await
}

fn append(conf: &Path) -> Result<(), ClusterProblem> {
    OpenOptions::new()
        .append(true)
        .custom_flags(OFlag::O_NOFOLLOW.bits())
        .open(conf)
        .and_then(|mut file| file.write_all(SETTINGS.as_bytes()).and_then(|()| file.sync_all()))
        .map_err(ClusterProblem::files("write", conf))
}
