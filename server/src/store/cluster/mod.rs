//! The private Postgres: found on the machine, kept below the data dir, reachable only through a
//! Unix socket, started and stopped with the server. Touches the file system and processes, and
//! no SQL beyond making the database and its login role.
//!
//! [`Cluster::start`] is the whole story: one lock per data dir, a place that Postgres's account
//! can reach, a cluster in it, a postmaster (a new one, or the orphan of a server that was killed).

mod account;
mod binaries;
mod initdb;
mod lock;
mod pid_file;
mod place;
mod postmaster;
mod problem;
mod program;
mod startup_log;
mod throw_away;
mod url;

#[cfg(test)]
mod tests;

use std::{
    fs,
    path::{Path, PathBuf},
};

pub use binaries::Binaries;
pub use place::make_data_dir;
pub use problem::ClusterProblem;
pub use throw_away::ThrowAway;

use lock::Lock;
use pid_file::{Phase, PidFile};
use place::Place;
use postmaster::Postmaster;
use url::{DATABASE, LOGIN, OWNER, socket_url};

/// A running private Postgres, exclusively ours. Dropping it asks Postgres to stop; [`stop`]
/// also waits for it.
///
/// [`stop`]: Cluster::stop
#[derive(Debug)]
pub struct Cluster {
    place: Place,
    binaries: Binaries,
    /// None only while it is being stopped.
    postmaster: Option<Postmaster>,
    socket_folder: PathBuf,
    /// Last, so that it is let go of last.
    _lock: Lock,
}

impl Cluster {
    /// Locks the data dir, makes the cluster if there is none, starts Postgres or takes over the
    /// one that runs, and waits until database and login role are there.
    pub async fn start(data_dir: &Path) -> Result<Self, ClusterProblem> {
        let data_dir = make_data_dir(data_dir)?;
        let lock = Lock::take(&data_dir)?;
        let place = Place::settle(&data_dir)?;
        if !place.base.starts_with(&data_dir) {
            tracing::info!(
                "user `{}` cannot enter {}: Postgres keeps its files in {}",
                place.account.name,
                data_dir.display(),
                place.base.display()
            );
        }
        let binaries = if place.has_cluster() {
            Binaries::for_cluster(&place.data())?
        } else {
            let newest = Binaries::find()?;
            initdb::make(&place, &newest).await?;
            newest
        };
        let postmaster = Postmaster::start_or_adopt(&place, &binaries).await?;
        let cluster = Self { socket_folder: postmaster.socket_folder.clone(), postmaster: Some(postmaster), place, binaries, _lock: lock };
        cluster.make_database().await?;
        Ok(cluster)
    }

    /// For migrations, `psql` and backups: the superuser that owns the database.
    pub fn owner_url(&self) -> String {
        socket_url(OWNER, DATABASE, &self.socket_folder)
    }

    /// For the server's pool: a role that has no rights of its own.
    pub fn app_url(&self) -> String {
        socket_url(LOGIN, DATABASE, &self.socket_folder)
    }

    pub fn binaries(&self) -> &Binaries {
        &self.binaries
    }

    /// Starts Postgres again when it has ended on its own; true when it had to.
    pub async fn revive(&mut self) -> Result<bool, ClusterProblem> {
        if PidFile::of_running(&self.place.data()).is_some() {
            return Ok(false);
        }
        self.postmaster = Some(Postmaster::start_or_adopt(&self.place, &self.binaries).await?);
        Ok(true)
    }

    /// Ends the sessions, writes a checkpoint, waits until Postgres is gone.
    pub async fn stop(mut self) -> Result<(), ClusterProblem> {
        match self.postmaster.take() {
            Some(postmaster) => postmaster.stop(&self.place).await,
            None => Ok(()),
        }
    }

    async fn make_database(&self) -> Result<(), ClusterProblem> {
        let mut psql = self.place.account.command(&self.binaries.path("psql"), &self.place.base);
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1"]).arg(socket_url(OWNER, "postgres", &self.socket_folder));
        program::run(psql, &self.place.account, &database_and_login()).await
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(postmaster) = &self.postmaster {
            postmaster.ask_to_stop(&self.place);
        }
    }
}

/// The private Postgres of a server that runs, seen from another command.
#[derive(Debug)]
pub struct Attached {
    socket_folder: PathBuf,
    binaries: Binaries,
}

impl Attached {
    pub fn owner_url(&self) -> String {
        socket_url(OWNER, DATABASE, &self.socket_folder)
    }

    pub fn binaries(&self) -> &Binaries {
        &self.binaries
    }
}

/// For `psql` and `backup` beside a running server. None when no Postgres runs here: then the
/// caller starts a [`Cluster`] of its own.
pub fn attach(data_dir: &Path) -> Result<Option<Attached>, ClusterProblem> {
    let Ok(data_dir) = fs::canonicalize(data_dir) else {
        return Ok(None);
    };
    let Some(place) = Place::known(&data_dir)? else {
        return Ok(None);
    };
    let Some(running) = PidFile::of_running(&place.data()).filter(|running| running.phase == Phase::Ready) else {
        return Ok(None);
    };
    Ok(Some(Attached { socket_folder: running.socket_folder, binaries: Binaries::for_cluster(&place.data())? }))
}

fn database_and_login() -> String {
    format!(
        "select 'create database {DATABASE}'
          where not exists (select from pg_database where datname = '{DATABASE}')
         \\gexec
         {}",
        login_role()
    )
}

fn login_role() -> String {
    format!(
        "select 'create role {LOGIN} login noinherit nosuperuser nocreatedb nocreaterole
                 noreplication nobypassrls'
          where not exists (select from pg_roles where rolname = '{LOGIN}')
         \\gexec
        "
    )
}
