//! Other people's files: read whole, written whole, with the rights they had, and where a link points.

use crate::failure::Failure;
use std::{
    fs,
    io::{self, ErrorKind},
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
    // A link, as in a folder of dotfiles, stays one.
    let path = fs::canonicalize(&change.path).unwrap_or_else(|_| change.path.clone());
    let written = match &change.after {
        Some(text) => replace(&path, text),
        None => fs::remove_file(&path).map(|()| remove_if_empty(path.parent())),
    };
    written.map_err(|wrong| Failure::file("write", &path, &wrong))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!(".cairn-{}", std::process::id()));
    fs::write(&beside, text)?;
    if let Ok(found) = fs::metadata(path) {
        fs::set_permissions(&beside, found.permissions())?;
    }
    fs::rename(&beside, path)
}

/// The folder of a file that was made for us, if nothing else came into it.
fn remove_if_empty(folder: Option<&Path>) {
    if let Some(folder) = folder.filter(|folder| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))) {
        let _ = fs::remove_dir(folder);
    }
}
