//! Other people's files: read whole, written whole, with the rights they had, and where a link points.

use crate::failure::Failure;
use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// A file before and after; absent is None.
pub struct Change {
    pub path: PathBuf,
    pub before: Option<String>,
    pub after: Option<String>,
}

pub fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(missing) if matches!(missing.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(wrong) => Err(Failure::file("read", path, &wrong)),
    }
}

pub fn write(change: &Change) -> Result<(), Failure> {
    let path = behind_the_link(&change.path);
    let written = match &change.after {
        Some(text) => replace(&path, text),
        None => fs::remove_file(&path).map(|()| remove_if_empty(path.parent())),
    };
    written.map_err(|wrong| Failure::file("write", &path, &wrong))
}

/// A link, as in a folder of dotfiles, stays one, also where it leads to nothing yet.
fn behind_the_link(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match fs::read_link(path) {
        Ok(target) => path.parent().unwrap_or(Path::new(".")).join(target),
        Err(_) => path.to_owned(),
    })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!(".cairn-{}", std::process::id()));
    let rights = fs::metadata(path).ok().map(|found| found.permissions());
    // Others' settings hold keys of theirs: nobody else reads them, not even for a moment.
    let mut open = OpenOptions::new();
    open.write(true).create_new(true).mode(if rights.is_some() { 0o600 } else { 0o666 });
    let _ = fs::remove_file(&beside);
    let written = open
        .open(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| rights.map_or(Ok(()), |rights| fs::set_permissions(&beside, rights)))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The folder of a file that was made for us, if nothing else came into it.
fn remove_if_empty(folder: Option<&Path>) {
    if let Some(folder) = folder.filter(|folder| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))) {
        let _ = fs::remove_dir(folder);
    }
}
