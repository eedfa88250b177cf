//! The real program, started as an operator would: to serve, to be killed, or for one command.

use crate::Actor;
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use std::{
    fs::{self, File, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// A server that runs; dropped, it is killed.
pub struct Program {
    child: Child,
    pub url: String,
}

/// A command that has ended, and what it said.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// A data dir in which a private Postgres may live. Whatever is left running in it ends with it.
pub struct DataDir(TempDir);

impl Program {
    /// Where cargo puts it, beside the folder of this test.
    pub fn path() -> PathBuf {
        let test = std::env::current_exe().expect("this test has a path");
        let profile = test.parent().and_then(Path::parent).expect("target/<profile>/deps");
        let program = profile.join("cairn-server");
        assert!(program.exists(), "{} is not there: build it first with `cargo build --bin cairn-server`", program.display());
        program
    }

    /// `cairn-server serve` with these settings, on a port that stays the same over restarts; ready when this returns.
    pub async fn serve(port: u16, folder: &Path, settings: &[(&str, &str)]) -> Self {
        Self::serve_with(port, folder, &[], settings).await
    }

    pub async fn serve_with(port: u16, folder: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Self {
        let log = File::create(folder.join("server.log")).expect("a log");
        let child = command(folder)
            .arg("serve")
            .args(arguments)
            .env("CAIRN_LISTEN", format!("127.0.0.1:{port}"))
            .env("CAIRN_RATE_LIMIT", "off")
            .envs(settings.iter().copied())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn()
            .expect("the server starts");
        let mut program = Self { child, url: format!("http://127.0.0.1:{port}") };
        program.wait_until_ready(folder).await;
        program
    }

    /// Any command that ends by itself, in a folder that is its data dir too. No setting of the developer's reaches it.
    pub async fn run(folder: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Ended {
        let run = command(folder).args(arguments).envs(settings.iter().copied()).output();
        let output = tokio::time::timeout(Duration::from_mins(1), run)
            .await
            .unwrap_or_else(|_| panic!("{arguments:?} does not end"))
            .expect("the program runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it speaks UTF-8");
        Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    async fn wait_until_ready(&mut self, folder: &Path) {
        let anyone = self.stranger();
        for _ in 0..600 {
            if anyone.ask("GET", "/readyz").try_send().await.is_ok_and(|reply| reply.status == 200) {
                return;
            }
            if let Some(status) = self.child.try_wait().expect("a child") {
                panic!("the server ended with {status}:\n{}", log_in(folder));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the server is not ready:\n{}", log_in(folder));
    }

    /// Somebody who shows nothing.
    pub fn stranger(&self) -> Actor {
        Actor::stranger_at(&self.url)
    }

    pub fn pid(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// `kill -9`.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("is killed");
    }

    /// Stops it as an operator would, and waits until it and its Postgres are gone.
    pub async fn stop(mut self) {
        let pid = self.child.id().and_then(|pid| pid.try_into().ok()).map(Pid::from_raw).expect("it runs");
        kill(pid, Signal::SIGTERM).expect("is asked to stop");
        assert!(self.child.wait().await.expect("ends").success(), "it did not stop well");
    }

    /// A port that nobody listens on right now.
    pub fn free_port() -> u16 {
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
    }
}

impl Ended {
    /// What it printed, where it should have succeeded.
    #[track_caller]
    pub fn fine(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// What it complained of, where it should have failed.
    #[track_caller]
    pub fn fails(self) -> String {
        assert!(self.code.is_some_and(|code| code != 0), "{self:?}");
        self.err
    }
}

impl DataDir {
    /// Postgres's account has to pass through it, and not to look.
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o711)).expect("is opened");
        Self(folder)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The postmaster that runs in it.
    fn postgres(&self) -> Option<Pid> {
        let text = fs::read_to_string(self.path().join("postgres/data/postmaster.pid")).ok()?;
        text.lines().next()?.parse().ok().map(Pid::from_raw)
    }
}

impl Default for DataDir {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        let Some(postgres) = self.postgres() else { return };
        // Postgres's immediate shutdown: a test has failed, or killed its server.
        let _ = kill(postgres, Signal::SIGQUIT);
        for _ in 0..100 {
            if self.postgres().is_none() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(Program::path());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CAIRN_")) {
        command.env_remove(name);
    }
    command.current_dir(folder).env("CAIRN_DATA_DIR", folder).stdin(Stdio::null()).kill_on_drop(true);
    command
}

fn log_in(folder: &Path) -> String {
    fs::read_to_string(folder.join("server.log")).unwrap_or_default()
}
