//! One server per data dir.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use super::problem::ClusterProblem;

/// Held while it lives. The kernel lets go of it however the process ends, so that it is never
/// stale; the pid inside is only for the message.
#[derive(Debug)]
pub struct Lock {
    held: File,
}

impl Lock {
    pub fn take(data_dir: &Path) -> Result<Self, ClusterProblem> {
        let path = data_dir.join("server.lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(ClusterProblem::files("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let _ = file.read_to_string(&mut pid);
                return Err(ClusterProblem::AlreadyServed { data_dir: data_dir.to_owned(), pid: pid.trim().parse().ok() });
            }
            Err(TryLockError::Error(problem)) => {
                return Err(ClusterProblem::files("lock", path)(problem));
            }
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(ClusterProblem::files("write", path))?;
        Ok(Self { held: file })
    }
}

impl Drop for Lock {
    /// Closing it is not enough: a program that is just being started has a copy until its exec.
    fn drop(&mut self) {
        let _ = self.held.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_let_go_of_though_a_program_that_is_being_started_has_a_copy() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(folder.path()).expect("free");
        let copy = lock.held.try_clone().expect("a copy");
        assert!(matches!(Lock::take(folder.path()), Err(ClusterProblem::AlreadyServed { .. })));
        drop(lock);
        Lock::take(folder.path()).expect("free again");
        drop(copy);
    }
}
