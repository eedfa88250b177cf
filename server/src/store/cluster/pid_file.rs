//! Reads `postmaster.pid`, and tells a running postmaster from a file that a crash left behind.

use std::{
    fs, io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::Command,
};

use nix::unistd::Pid;

use super::problem::ClusterProblem;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PidFile {
    pub pid: Pid,
    pub socket_folder: PathBuf,
    pub phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Starting,
    Ready,
    Stopping,
}

impl PidFile {
    /// None when there is no file, or its process is dead or another program by now.
    pub fn of_running(data: &Path) -> Option<Self> {
        let bytes = fs::read(data.join("postmaster.pid")).ok()?;
        // Only the data directory's path, which we know, may be no UTF-8.
        let found = Self::parse(&String::from_utf8_lossy(&bytes))?;
        is_postmaster_of(found.pid, data).then_some(found)
    }

    /// Postgres only looks whether *some* process of its user has the number, and would refuse to
    /// start. Surviving processes of the old one still keep it from starting, by its shared memory.
    pub fn remove_stale(data: &Path, socket_folder: &Path) -> Result<(), ClusterProblem> {
        for path in [data.join("postmaster.pid"), socket_folder.join(".s.PGSQL.5432.lock")] {
            match fs::remove_file(&path) {
                Err(problem) if problem.kind() == io::ErrorKind::NotFound => {}
                Err(problem) => return Err(ClusterProblem::files("remove", path)(problem)),
                Ok(()) => {
                    tracing::info!(file = %path.display(), "removed what a crash left behind");
                }
            }
        }
        Ok(())
    }

    /// Lines: pid, data directory, start time, port, socket folder, address, shared memory,
    /// status. The later ones come as the start goes on.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let pid: i32 = lines.next()?.trim().parse().ok().filter(|pid| *pid > 1)?;
        let socket_folder = lines.nth(3).unwrap_or_default();
        let phase = match lines.nth(2).map(str::trim) {
            Some("ready") => Phase::Ready,
            Some("stopping") => Phase::Stopping,
            _ => Phase::Starting,
        };
        Some(Self { pid: Pid::from_raw(pid), socket_folder: PathBuf::from(socket_folder), phase })
    }
}

/// By its command line, which everybody may read: its working directory takes a right that root
/// does not have in most containers.
fn is_postmaster_of(pid: Pid, data: &Path) -> bool {
    let data = data.as_os_str().as_bytes();
    if Path::new("/proc/self/cmdline").exists() {
        let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) else {
            return false;
        };
        let mut words = line.split(|byte| *byte == 0);
        let is_postgres = words.next().is_some_and(|program| program.ends_with(b"postgres"));
        return is_postgres && words.any(|word| word == data);
    }
    Command::new("ps").args(["-ww", "-o", "command=", "-p", &pid.to_string()]).output().is_ok_and(|answer| {
        let line = answer.stdout;
        line.windows(data.len()).any(|part| part == data) && line.windows(8).any(|part| part == b"postgres")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_file_at_every_stage() {
        let full = "77\n/d\n1700000000\n5432\n/run/x\n\n  1 2\nready   \n";
        let found = PidFile::parse(full).expect("a pid");
        assert_eq!((found.pid.as_raw(), found.phase), (77, Phase::Ready));
        assert_eq!(found.socket_folder, Path::new("/run/x"));
        let early = PidFile::parse("77\n/d\n1700000000\n5432\n").expect("a pid");
        assert_eq!(early.phase, Phase::Starting);
        let late = PidFile::parse(&full.replace("ready", "stopping")).expect("a pid");
        assert_eq!(late.phase, Phase::Stopping);
        assert_eq!(PidFile::parse(""), None);
        assert_eq!(PidFile::parse("-5\n"), None);
    }
}
