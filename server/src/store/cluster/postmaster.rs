//! The running Postgres of a place: found, started, waited for, stopped.

use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::OpenOptionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use nix::{
    fcntl::OFlag,
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use tokio::{process::Child, time};

use super::{
    binaries::Binaries,
    pid_file::{Phase, PidFile},
    place::Place,
    problem::ClusterProblem,
    startup_log,
};

/// Replaying the log after a crash takes minutes at worst.
const PATIENCE: Duration = Duration::from_mins(10);
const GLANCE: Duration = Duration::from_millis(50);
const TRIES: u32 = 30;

#[derive(Debug)]
pub struct Postmaster {
    pid: Pid,
    pub socket_folder: PathBuf,
    /// None when it was started by a server before us.
    child: Option<Child>,
}

impl Postmaster {
    /// Starts Postgres, or takes over the one that a killed server left running.
    pub async fn start_or_adopt(place: &Place, binaries: &Binaries) -> Result<Self, ClusterProblem> {
        let mut tries = 0;
        loop {
            let mut child = match PidFile::of_running(&place.data()) {
                Some(going) if going.phase == Phase::Stopping => {
                    gone(place, going.pid).await?;
                    None
                }
                Some(orphan) => {
                    tracing::info!(pid = %orphan.pid, "taking over the Postgres of a server that was killed");
                    None
                }
                None => Some(spawn(place, binaries)?),
            };
            if let Some(ready) = ready(place, child.as_mut()).await? {
                return Ok(Self { pid: ready.pid, socket_folder: ready.socket_folder, child });
            }
            // Processes of a postmaster that was killed alone take a moment to notice, and Postgres
            // does not start beside them.
            tries += 1;
            let log = startup_log::end_of(place);
            if child.is_some() && (tries == TRIES || !startup_log::says_in_use(&log)) {
                return Err(ClusterProblem::NotStarted { data: place.data(), log });
            }
            time::sleep(Duration::from_secs(u64::from(child.is_some()))).await;
        }
    }

    /// Ends the sessions, writes a checkpoint and waits for the end.
    pub async fn stop(mut self, place: &Place) -> Result<(), ClusterProblem> {
        self.ask_to_stop(place);
        gone(place, self.pid).await?;
        if let Some(child) = &mut self.child {
            let _ = child.wait().await;
        }
        if self.socket_folder != place.base {
            let _ = fs::remove_dir(&self.socket_folder);
        }
        Ok(())
    }

    /// Looks again before it signals: the number may be another program's by now.
    pub fn ask_to_stop(&self, place: &Place) {
        if PidFile::of_running(&place.data()).is_some_and(|running| running.pid == self.pid) {
            let _ = kill(self.pid, Signal::SIGINT);
        }
    }
}

/// In a process group of its own: Ctrl-C in a terminal is for the server, which then stops
/// Postgres after its last request.
fn spawn(place: &Place, binaries: &Binaries) -> Result<Child, ClusterProblem> {
    let socket_folder = place.socket_folder()?;
    PidFile::remove_stale(&place.data(), &socket_folder)?;
    let log = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .custom_flags(OFlag::O_NOFOLLOW.bits())
        .open(&place.startup_log)
        .map_err(ClusterProblem::files("write", &place.startup_log))?;
    let again = log.try_clone().map_err(ClusterProblem::files("write", &place.startup_log))?;
    let program = binaries.path("postgres");
    let mut command = place.account.command(&program, &place.base);
    command
        .arg("-D")
        .arg(place.data())
        .args(["-c", "listen_addresses=", "-c", "port=5432"])
        .args(["-c", "unix_socket_permissions=0700"])
        .arg("-c")
        .arg(option("unix_socket_directories=", &socket_folder))
        .stdout(Stdio::from(log))
        .stderr(Stdio::from(again))
        .process_group(0);
    tokio::process::Command::from(command).spawn().map_err(|source| ClusterProblem::NotRun {
        program: program.display().to_string(),
        account: place.account.name.clone(),
        source,
    })
}

fn option(name: &str, path: &Path) -> std::ffi::OsString {
    let bytes = [name.as_bytes(), path.as_os_str().as_bytes()].concat();
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// Somebody who gives up while Postgres starts (Ctrl-C) leaves none behind.
struct StopOnCancel(Option<Pid>);

impl Drop for StopOnCancel {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            let _ = kill(pid, Signal::SIGINT);
        }
    }
}

/// None when it ended instead.
async fn ready(place: &Place, mut child: Option<&mut Child>) -> Result<Option<PidFile>, ClusterProblem> {
    let pid = child.as_ref().and_then(|child| child.id()?.try_into().ok());
    let mut guard = StopOnCancel(pid.map(Pid::from_raw));
    let wait = async {
        loop {
            let running = PidFile::of_running(&place.data());
            let ended = match child.as_mut() {
                Some(child) => !matches!(child.try_wait(), Ok(None)),
                None => running.is_none(),
            };
            match running {
                Some(ready) if ready.phase == Phase::Ready => return Some(ready),
                _ if ended => return None,
                _ => time::sleep(GLANCE).await,
            }
        }
    };
    let waited = time::timeout(PATIENCE, wait).await;
    guard.0 = None;
    waited.map_err(|_| too_slow(place, "starting"))
}

async fn gone(place: &Place, pid: Pid) -> Result<(), ClusterProblem> {
    let wait = async {
        while PidFile::of_running(&place.data()).is_some_and(|running| running.pid == pid) {
            time::sleep(GLANCE).await;
        }
    };
    time::timeout(PATIENCE, wait).await.map_err(|_| too_slow(place, "stopping"))
}

fn too_slow(place: &Place, doing: &'static str) -> ClusterProblem {
    ClusterProblem::Slow { data: place.data(), log: place.log_folder(), doing, seconds: PATIENCE.as_secs() }
}
