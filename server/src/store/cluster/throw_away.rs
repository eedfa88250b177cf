//! A Postgres for tests and benchmarks that is gone with the process that asked for it, however
//! that ends.

use std::{
    env, fs,
    io::Read,
    os::unix::{fs::DirBuilderExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Stdio, id},
    sync::atomic::{AtomicU32, Ordering},
};

use super::{
    account::Account,
    binaries::Binaries,
    place::fits_a_socket,
    problem::ClusterProblem,
    url::{LOGIN, OWNER, socket_url},
};

/// Runs as Postgres's account and outlives us by a moment: its input ends when we do, even by
/// `kill -9`. Everything it needs is in its environment.
const SUPERVISOR: &str = r#"
umask 077
away() { cd / && rm -rf "$FOLDER"; }
fail() { cat "$FOLDER/log" >&2; "$PG_CTL" stop -D "$FOLDER/data" -m immediate >/dev/null 2>&1; away; exit 1; }

make() {
    for locale in "--lc-ctype=C.UTF-8" ""; do
        "$INITDB" -D "$FOLDER/data" -U "$OWNER" --auth=trust --encoding=UTF8 --locale=C $locale --no-sync \
            >"$FOLDER/log" 2>&1 && return
    done
    return 1
}
copy() {
    "$PG_BASEBACKUP" -d "host=$PRIMARY port=5432 user=$OWNER application_name=replica" -D "$FOLDER/data" \
        --write-recovery-conf --checkpoint=fast --no-sync >"$FOLDER/log" 2>&1
}
if [ -z "$PRIMARY" ]; then make; else copy; fi || fail
printf '%s\n' "$SETTINGS" >>"$FOLDER/data/postgresql.conf"
"$PG_CTL" start -D "$FOLDER/data" -l "$FOLDER/log" -w -t 60 >/dev/null 2>&1 || fail
[ -n "$PRIMARY" ] ||
    "$PSQL" -X -q -h "$FOLDER" -U "$OWNER" -d postgres -c "create role $LOGIN login noinherit" >>"$FOLDER/log" 2>&1 || fail

echo ready
exec >/dev/null
cat
"$PG_CTL" stop -D "$FOLDER/data" -m immediate >/dev/null 2>&1
away
"#;

/// A throw-away cluster. Blocking on purpose: it lives in a `OnceLock` that outlasts the runtime
/// of any one test.
#[derive(Debug)]
pub struct ThrowAway {
    folder: PathBuf,
    account: Account,
    binaries: Binaries,
    supervisor: Child,
}

impl ThrowAway {
    /// Starts in a second or two. Not `durable` means without fsync: for tests that never pull
    /// the plug.
    pub fn start(durable: bool) -> Result<Self, ClusterProblem> {
        Self::begin(&env::temp_dir(), durable, None, "")
    }

    /// In a folder of the caller's, with settings of its own.
    pub fn start_in(parent: &Path, settings: &str) -> Result<Self, ClusterProblem> {
        Self::begin(parent, true, None, settings)
    }

    /// One that follows this one over a stream, until it is promoted.
    pub fn replica(&self) -> Result<Self, ClusterProblem> {
        Self::begin(&env::temp_dir(), true, Some(&self.folder), "")
    }

    fn begin(parent: &Path, durable: bool, primary: Option<&Path>, more: &str) -> Result<Self, ClusterProblem> {
        let binaries = Binaries::find()?;
        let account = Account::for_new_cluster()?;
        let folder = temporary_folder(parent, &account)?;
        let mut command = account.command(Path::new("/bin/sh"), &folder);
        command
            .args(["-c", SUPERVISOR])
            .current_dir("/")
            .env("FOLDER", &folder)
            .env("INITDB", binaries.path("initdb"))
            .env("PG_CTL", binaries.path("pg_ctl"))
            .env("PSQL", binaries.path("psql"))
            .env("PG_BASEBACKUP", binaries.path("pg_basebackup"))
            .env("PRIMARY", primary.unwrap_or(Path::new("")))
            .env("OWNER", OWNER)
            .env("LOGIN", LOGIN)
            .env("SETTINGS", format!("{}\n{more}", settings(&folder, durable)))
            // Ctrl-C for the tests must not reach it before it has cleaned up.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut supervisor = command.spawn().map_err(|source| ClusterProblem::NotRun {
            program: "/bin/sh".into(),
            account: account.name.clone(),
            source,
        })?;
        wait_for_word(&mut supervisor, &folder)?;
        Ok(Self { folder, account, binaries, supervisor })
    }

    /// The URL of a database as the superuser; `postgres` is there, others are the caller's.
    pub fn owner_url(&self, database: &str) -> String {
        socket_url(OWNER, database, &self.folder)
    }

    /// The URL of a database as the login role.
    pub fn login_url(&self, database: &str) -> String {
        socket_url(LOGIN, database, &self.folder)
    }

    /// Where its socket lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The cluster itself (`PGDATA`).
    pub fn data_dir(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub fn binaries(&self) -> &Binaries {
        &self.binaries
    }

    /// For tests that take Postgres away: `["stop", "-m", "immediate"]`, `["start", "-w"]`.
    pub fn pg_ctl(&self, arguments: &[&str]) -> Result<(), ClusterProblem> {
        let program = self.binaries.path("pg_ctl");
        let log = self.folder.join("log");
        let status = self
            .account
            .command(&program, &self.folder)
            .args(arguments)
            .arg("-D")
            .arg(self.data_dir())
            .arg("-l")
            .arg(&log)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|source| ClusterProblem::NotRun {
                program: program.display().to_string(),
                account: self.account.name.clone(),
                source,
            })?;
        if status.success() {
            return Ok(());
        }
        Err(ClusterProblem::Failed {
            program: format!("pg_ctl {}", arguments.join(" ")),
            said: fs::read_to_string(&log).unwrap_or_default(),
        })
    }
}

impl Drop for ThrowAway {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        let _ = self.supervisor.wait();
    }
}

fn settings(folder: &Path, durable: bool) -> String {
    let sync = if durable { "on" } else { "off" };
    format!(
        "listen_addresses = ''\n\
         port = 5432\n\
         unix_socket_directories = '{}'\n\
         unix_socket_permissions = 0700\n\
         max_connections = 200\n\
         shared_buffers = 128MB\n\
         fsync = {sync}\n\
         full_page_writes = {sync}\n\
         synchronous_commit = {sync}",
        folder.display()
    )
}

/// Of the system's choice, or `/tmp` where that is too long, strange or closed.
fn temporary_folder(usual: &Path, account: &Account) -> Result<PathBuf, ClusterProblem> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("cairn-throwaway-{}-{}", id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let fits = fits_a_socket(&usual.join(&name)) && account.reaches(usual);
    let parent = if fits { usual } else { Path::new("/tmp") };
    let folder = parent.join(name);
    // Refuses one that is there: somebody else made it.
    fs::DirBuilder::new().mode(0o700).create(&folder).map_err(ClusterProblem::files("create", &folder))?;
    account.own(&folder)?;
    Ok(folder)
}

fn wait_for_word(supervisor: &mut Child, folder: &Path) -> Result<(), ClusterProblem> {
    let mut word = [0; 5];
    let ready = supervisor.stdout.take().is_some_and(|mut said| said.read_exact(&mut word).is_ok());
    let complaints = supervisor.stderr.take();
    if ready {
        return Ok(());
    }
    let mut log = String::new();
    if let Some(mut complaints) = complaints {
        let _ = complaints.read_to_string(&mut log);
    }
    let _ = supervisor.wait();
    Err(ClusterProblem::NotStarted { data: folder.join("data"), log })
}
