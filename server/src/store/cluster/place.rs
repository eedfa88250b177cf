//! Where a data dir's cluster lives: below it, unless the account that Postgres runs under
//! cannot get there (root's home is closed), and then at a place of its own that a file in the
//! data dir names.

use std::{
    env, fs, io,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

use nix::unistd::geteuid;

use super::{account::Account, problem::ClusterProblem};

const ELSEWHERE: &str = "/var/lib/cairn-postgres";

/// `sockaddr_un` has room for 103 bytes on the smallest system, `/.s.PGSQL.5432` takes 14.
const LONGEST_SOCKET_FOLDER: usize = 103 - 14;

#[derive(Clone, Debug)]
pub struct Place {
    /// The account's own folder: `data/` (the cluster), `log/`, and the socket.
    pub base: PathBuf,
    pub account: Account,
    /// Written by us, not by the account: it lies in the data dir.
    pub startup_log: PathBuf,
}

impl Place {
    /// The place of the cluster that this data dir has.
    pub fn known(data_dir: &Path) -> Result<Option<Self>, ClusterProblem> {
        let Some(base) = known_base(data_dir)? else {
            return Ok(None);
        };
        let data = base.join("data");
        if !is_there(&data)? {
            return Ok(None);
        }
        let account = Account::for_cluster(&data)?;
        Ok(Some(Self::at(data_dir, base, account)))
    }

    /// The place it has, or a new one.
    pub fn settle(data_dir: &Path) -> Result<Self, ClusterProblem> {
        let place = match Self::known(data_dir)? {
            Some(place) => place,
            None => Self::choose(data_dir)?,
        };
        if place.has_cluster() {
            place.account.take_over(&place.base)?;
            place.account.own(&place.data())?;
        }
        place.account.own(&place.base)?;
        if place.account.reaches(&place.base) {
            return Ok(place);
        }
        Err(ClusterProblem::Unreachable { folder: place.base, account: place.account.name })
    }

    pub fn data(&self) -> PathBuf {
        self.base.join("data")
    }

    pub fn log_folder(&self) -> PathBuf {
        self.base.join("log")
    }

    pub fn has_cluster(&self) -> bool {
        self.data().exists()
    }

    /// The folder of the Unix socket, open to nobody but the account (and root).
    pub fn socket_folder(&self) -> Result<PathBuf, ClusterProblem> {
        if fits_a_socket(&self.base) {
            return Ok(self.base.clone());
        }
        let name = format!("cairn-{}", short_name(&self.base));
        let run = env::var_os("XDG_RUNTIME_DIR")
            .map(|folder| PathBuf::from(folder).join(&name))
            .filter(|folder| fits_a_socket(folder) && !self.account.is_another())
            .filter(|folder| folder.parent().is_some_and(Path::is_dir));
        let folder = run.unwrap_or_else(|| Path::new("/tmp").join(&name));
        self.account.own(&folder)?;
        Ok(folder)
    }

    fn choose(data_dir: &Path) -> Result<Self, ClusterProblem> {
        let account = Account::for_new_cluster()?;
        if let Some(base) = known_base(data_dir)? {
            return Ok(Self::at(data_dir, base, account));
        }
        let inside = data_dir.join("postgres");
        account.own(&inside)?;
        if account.reaches(&inside) || !account.is_another() {
            return Ok(Self::at(data_dir, inside, account));
        }
        // Empty: we made it a moment ago, and what is not empty was found above.
        let _ = fs::remove_dir(&inside);
        let base = claim_elsewhere(data_dir, &account)?;
        Ok(Self::at(data_dir, base, account))
    }

    fn at(data_dir: &Path, base: PathBuf, account: Account) -> Self {
        Self { base, account, startup_log: data_dir.join("postgres-startup.log") }
    }
}

/// Makes the data dir if it is missing and answers with its real path. As root it lets others
/// pass through (not look), for Postgres has to; what the server keeps there is mode 0600.
pub fn make_data_dir(data_dir: &Path) -> Result<PathBuf, ClusterProblem> {
    if !data_dir.exists() {
        let mode = if geteuid().is_root() { 0o711 } else { 0o700 };
        make_folder(data_dir, mode)?;
    }
    fs::canonicalize(data_dir).map_err(ClusterProblem::files("open", data_dir))
}

/// With every missing folder above it, each with this mode whatever the umask is.
fn make_folder(folder: &Path, mode: u32) -> Result<(), ClusterProblem> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).collect();
    for folder in missing.into_iter().rev() {
        match fs::create_dir(folder) {
            // Another server that starts right now; the lock will tell who is first.
            Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => continue,
            outcome => outcome,
        }
        .and_then(|()| fs::set_permissions(folder, PermissionsExt::from_mode(mode)))
        .map_err(ClusterProblem::files("create", folder))?;
    }
    Ok(())
}

fn pointer_file(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres.location")
}

fn known_base(data_dir: &Path) -> Result<Option<PathBuf>, ClusterProblem> {
    let pointer = pointer_file(data_dir);
    if pointer.exists() {
        let text = fs::read_to_string(&pointer).map_err(ClusterProblem::files("read", &pointer))?;
        let base = PathBuf::from(text.trim_end());
        return if base.is_dir() { Ok(Some(base)) } else { Err(ClusterProblem::Gone { pointer, base }) };
    }
    let inside = data_dir.join("postgres");
    Ok(is_there(&inside.join("data"))?.then_some(inside))
}

/// `Path::exists` would take "may not look" for "is not there", and make a second cluster.
fn is_there(path: &Path) -> Result<bool, ClusterProblem> {
    fs::exists(path).map_err(ClusterProblem::files("look at", path))
}

/// Never takes a cluster that is there without being named by the data dir: it belongs to an
/// earlier one of the same path, and its keys are gone.
fn claim_elsewhere(data_dir: &Path, account: &Account) -> Result<PathBuf, ClusterProblem> {
    let elsewhere = Path::new(ELSEWHERE);
    if !elsewhere.exists() {
        make_folder(elsewhere, 0o711)?;
    }
    let name = short_name(data_dir);
    let mut base = elsewhere.join(&name);
    let mut number = 1;
    while base.join("data").exists() {
        number += 1;
        base = elsewhere.join(format!("{name}-{number}"));
    }
    account.own(&base)?;
    let pointer = pointer_file(data_dir);
    let draft = pointer.with_extension("draft");
    fs::write(&draft, format!("{}\n", base.display()))
        .and_then(|()| fs::rename(&draft, &pointer))
        .map_err(ClusterProblem::files("write", &pointer))?;
    Ok(base)
}

/// Also keeps out what Postgres's list of folders, a URL or a shell would read differently.
pub fn fits_a_socket(folder: &Path) -> bool {
    let path = folder.as_os_str().as_bytes();
    path.len() <= LONGEST_SOCKET_FOLDER && path.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(byte))
}

/// FNV-1a: short, and the same in every release, which the standard library's hash is not.
fn short_name(path: &Path) -> String {
    let hash = path
        .as_os_str()
        .as_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
