//! The user account that Postgres runs under, which is another one when we are root.

use std::{
    env,
    fs::{File, OpenOptions},
    io,
    os::unix::{
        fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown, lchown},
        process::CommandExt,
    },
    path::Path,
    process::{Command, Stdio},
};

use nix::{
    fcntl::OFlag,
    unistd::{Gid, Uid, User, geteuid},
};

use super::problem::ClusterProblem;

/// Passed on to Postgres; nothing else is, for the server's environment holds secrets.
const PASSED_ON: [&str; 5] = ["PATH", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LOCALE_ARCHIVE"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub name: String,
    uid: u32,
    gid: u32,
}

impl Account {
    /// For a new cluster: ourselves, or as root `postgres`, or else `nobody`.
    pub fn for_new_cluster() -> Result<Self, ClusterProblem> {
        let us = geteuid();
        if !us.is_root() {
            return Ok(Self::with(us, nix::unistd::getegid()));
        }
        ["postgres", "nobody"]
            .into_iter()
            .find_map(|name| User::from_name(name).ok().flatten())
            .filter(|user| !user.uid.is_root())
            .map(|user| Self::with(user.uid, user.gid))
            .ok_or(ClusterProblem::NoAccount)
    }

    /// For a cluster that is there: its owner.
    pub fn for_cluster(data: &Path) -> Result<Self, ClusterProblem> {
        let usual = Self::for_new_cluster()?;
        let found = data.symlink_metadata().map_err(ClusterProblem::files("look at", data))?;
        match (found.uid(), geteuid().is_root()) {
            (0, true) => Ok(usual),
            (uid, true) => Ok(Self::with(Uid::from_raw(uid), Gid::from_raw(found.gid()))),
            (uid, false) if uid == usual.uid => Ok(usual),
            (uid, false) => Err(ClusterProblem::OtherOwner { folder: data.to_owned(), owner: uid, wanted: usual.name }),
        }
    }

    /// What belongs to root in there was copied by root (a backup put back, say).
    pub fn take_over(&self, base: &Path) -> Result<(), ClusterProblem> {
        let data = base.join("data");
        let found = data.symlink_metadata().map_err(ClusterProblem::files("look at", &data))?;
        if found.uid() == 0 && self.is_another() {
            hand_over(base, self)?;
        }
        Ok(())
    }

    /// A program that will run as this account, at home in `folder`, without our environment.
    /// Postgres's own programs set their umask themselves.
    pub fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(PASSED_ON.iter().filter_map(|name| Some((name, env::var_os(name)?))))
            // Messages that we look for come in English; macOS needs some locale to be set.
            .env("LC_ALL", "C")
            .env("HOME", folder)
            .current_dir(folder)
            .stdin(Stdio::null());
        if self.is_another() {
            // The standard library drops root's other groups along with this.
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    pub fn is_another(&self) -> bool {
        self.uid != geteuid().as_raw()
    }

    /// Asked by doing it: modes of the folders above, ACLs and mounts all have a say.
    pub fn reaches(&self, folder: &Path) -> bool {
        self.command(Path::new("/bin/sh"), Path::new("/"))
            .args(["-c", "cd \"$0\""])
            .arg(folder)
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Makes `folder` this account's alone, unless somebody else was there first.
    /// Works on the open folder, so that a link planted in its place leads nowhere.
    pub fn own(&self, folder: &Path) -> Result<(), ClusterProblem> {
        match std::fs::DirBuilder::new().mode(0o700).create(folder) {
            Err(problem) if problem.kind() != io::ErrorKind::AlreadyExists => {
                return Err(ClusterProblem::files("create", folder)(problem));
            }
            _ => {}
        }
        let open = open_without_links(folder, OFlag::O_DIRECTORY).map_err(ClusterProblem::files("open", folder))?;
        let found = open.metadata().map_err(ClusterProblem::files("look at", folder))?;
        if found.uid() != self.uid && found.uid() != geteuid().as_raw() {
            return Err(ClusterProblem::OtherOwner { folder: folder.to_owned(), owner: found.uid(), wanted: self.name.clone() });
        }
        if found.uid() != self.uid {
            fchown(&open, Some(self.uid), Some(self.gid)).map_err(ClusterProblem::files("change the owner of", folder))?;
        }
        open.set_permissions(PermissionsExt::from_mode(0o700)).map_err(ClusterProblem::files("change the mode of", folder))
    }

    fn with(uid: Uid, gid: Gid) -> Self {
        let name = User::from_uid(uid).ok().flatten().map_or_else(|| uid.to_string(), |user| user.name);
        Self { name, uid: uid.as_raw(), gid: gid.as_raw() }
    }
}

pub fn open_without_links(path: &Path, more: OFlag) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags((OFlag::O_NOFOLLOW | more).bits()).open(path)
}

/// Children first: nobody but root can move anything around before the last step.
fn hand_over(path: &Path, to: &Account) -> Result<(), ClusterProblem> {
    if path.is_dir() && !path.is_symlink() {
        let entries = path.read_dir().map_err(ClusterProblem::files("read", path))?;
        for entry in entries {
            let entry = entry.map_err(ClusterProblem::files("read", path))?;
            hand_over(&entry.path(), to)?;
        }
    }
    lchown(path, Some(to.uid), Some(to.gid)).map_err(ClusterProblem::files("change the owner of", path))
}
