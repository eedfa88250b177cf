//! Finds the Postgres programs of this machine.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::problem::ClusterProblem;

/// Older ones lack what the migrations use.
pub const OLDEST_MAJOR: u32 = 15;

const SERVER_PROGRAMS: [&str; 3] = ["postgres", "initdb", "pg_ctl"];
const CLIENT_PROGRAMS: [&str; 3] = ["psql", "pg_dump", "pg_restore"];

/// Where distributions put what is not in `PATH`; a `*` stands for a version.
/// `scripts/find-postgres.sh` has the same list.
const USUAL_FOLDERS: [&str; 12] = [
    "/usr/lib/postgresql/*/bin",
    "/usr/lib/postgresql*/bin",
    "/usr/libexec/postgresql*",
    "/usr/pgsql-*/bin",
    "/usr/local/pgsql/bin",
    "/usr/local/bin",
    "/usr/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
    "/opt/local/lib/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
];

/// The folder of one installed Postgres.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    folder: PathBuf,
    major: u32,
}

impl Binaries {
    /// The newest Postgres of this machine that is new enough.
    pub fn find() -> Result<Self, ClusterProblem> {
        let (good, old): (Vec<_>, Vec<_>) = installed().into_iter().partition(|found| found.major >= OLDEST_MAJOR);
        best(good).ok_or_else(|| ClusterProblem::NoBinaries { found: majors(&old) })
    }

    /// Those that made the cluster in `data`: only they can read it.
    pub fn for_cluster(data: &Path) -> Result<Self, ClusterProblem> {
        let file = data.join("PG_VERSION");
        let text = fs::read_to_string(&file).map_err(ClusterProblem::files("read", &file))?;
        let major = text.trim().parse().unwrap_or_default();
        let (same, other): (Vec<_>, Vec<_>) = installed().into_iter().partition(|found| found.major == major);
        best(same).ok_or_else(|| ClusterProblem::OtherMajor { data: data.to_owned(), major, found: majors(&other) })
    }

    pub fn major(&self) -> u32 {
        self.major
    }

    /// The path of `psql`, `pg_dump` and so on. Where the clients are packaged apart from the
    /// server, theirs is looked up in `PATH`.
    pub fn path(&self, program: &str) -> PathBuf {
        let own = self.folder.join(program);
        if own.exists() {
            return own;
        }
        search_path().map(|folder| folder.join(program)).find(|path| path.exists()).unwrap_or(own)
    }

    fn at(folder: PathBuf) -> Option<Self> {
        if !SERVER_PROGRAMS.iter().all(|name| folder.join(name).exists()) {
            return None;
        }
        let answer = Command::new(folder.join("postgres")).arg("--version").output().ok()?;
        let major = major_in(&String::from_utf8_lossy(&answer.stdout))?;
        Some(Self { folder, major })
    }

    fn has_clients(&self) -> bool {
        CLIENT_PROGRAMS.iter().all(|name| self.folder.join(name).exists())
    }
}

fn best(found: Vec<Binaries>) -> Option<Binaries> {
    found.into_iter().max_by_key(|binaries| (binaries.major, binaries.has_clients()))
}

fn majors(found: &[Binaries]) -> Vec<u32> {
    let majors: BTreeSet<u32> = found.iter().map(Binaries::major).collect();
    majors.into_iter().collect()
}

/// Every installed Postgres, once. Links are followed: Debian's `psql` in `PATH` is a wrapper
/// that picks a server by itself, and only the real folder has the whole set.
fn installed() -> Vec<Binaries> {
    let real_folders: BTreeSet<PathBuf> = search_path()
        .chain(USUAL_FOLDERS.iter().flat_map(|pattern| folders_like(pattern)))
        .filter_map(|folder| fs::canonicalize(folder.join("postgres")).ok())
        .filter_map(|program| program.parent().map(Path::to_owned))
        .collect();
    real_folders.into_iter().filter_map(Binaries::at).collect()
}

fn search_path() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| folder.is_absolute()).collect::<Vec<_>>().into_iter()
}

/// The folders that fit a pattern with at most one `*`, which stays within one path segment.
fn folders_like(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else {
        return vec![PathBuf::from(pattern)];
    };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let Ok(entries) = fs::read_dir(parent) else {
        return Vec::new();
    };
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path().join(after.trim_start_matches('/')))
        .collect()
}

/// `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`, `… 19beta1`, `… 19devel`.
fn major_in(version: &str) -> Option<u32> {
    let (_, number) = version.split_once("(PostgreSQL)")?;
    let number = number.trim_start();
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_major_version() {
        assert_eq!(major_in("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n"), Some(15));
        assert_eq!(major_in("postgres (PostgreSQL) 19devel"), Some(19));
        assert_eq!(major_in("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major_in("something else 17"), None);
    }

    #[test]
    fn finds_a_real_and_complete_folder() {
        let found = Binaries::find().expect("Postgres is installed");
        assert!(found.major() >= OLDEST_MAJOR);
        assert!(found.has_clients());
        assert!(!found.path("postgres").is_symlink());
    }

    #[test]
    fn says_which_version_a_foreign_cluster_needs() {
        let data = tempfile::tempdir().expect("a folder");
        fs::write(data.path().join("PG_VERSION"), "9\n").expect("written");
        let problem = Binaries::for_cluster(data.path()).expect_err("nobody has Postgres 9");
        assert!(problem.to_string().contains("made by Postgres 9"), "{problem}");
    }
}
