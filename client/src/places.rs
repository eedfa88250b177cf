//! Where files lie on this machine, and how they are written: only for their owner, and whole or not at all.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// `$XDG_CONFIG_HOME/cairn`: credentials.
pub fn config() -> PathBuf {
    base("XDG_CONFIG_HOME", ".config")
}

/// `$XDG_STATE_HOME/cairn`: the spool, briefs, what was installed.
pub fn state() -> PathBuf {
    base("XDG_STATE_HOME", ".local/state")
}

/// `$XDG_CACHE_HOME/cairn`: what can be found out again.
pub fn cache() -> PathBuf {
    base("XDG_CACHE_HOME", ".cache")
}

pub fn home() -> PathBuf {
    std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"))
}

pub fn make_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes the folder if need be.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_dir(path.parent().unwrap_or(Path::new(".")))?;
    replace(path, bytes)
}

/// Written beside and renamed, so that a reader sees the old or the new. A folder that is gone stays gone.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    let beside = parent.join(format!(".{}.{}", std::process::id(), path.file_name().unwrap_or_default().to_string_lossy()));
    let written = private(&beside).and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

fn base(variable: &str, otherwise: &str) -> PathBuf {
    let set = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    set.unwrap_or_else(|| home().join(otherwise)).join("cairn")
}
