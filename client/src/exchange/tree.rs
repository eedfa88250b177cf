//! A folder of notes and rules, packed.

use super::{LARGEST, MOST, Part};
use crate::failure::Failure;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Folders that hold no notes of anybody.
const PASSED: [&str; 5] = [".git", "node_modules", "target", ".venv", "vendor"];
const RULES: [&str; 3] = [".cursorrules", ".windsurfrules", ".clinerules"];

pub fn pack(folder: &Path) -> Result<Vec<Part>, Failure> {
    let mut files = Vec::new();
    walk(folder, &mut files).map_err(|wrong| Failure::file("read", folder, &wrong))?;
    files.sort();
    let (mut parts, mut tar, mut size, mut many) = (Vec::new(), tar::Builder::new(Vec::new()), 0, 0);
    let wrong = |wrong: &io::Error| Failure::file("pack", folder, wrong);
    for file in &files {
        let bytes = fs::read(file).map_err(|wrong| Failure::file("read", file, &wrong))?;
        if many > 0 && (many >= MOST || size + bytes.len() > LARGEST) {
            let full = std::mem::replace(&mut tar, tar::Builder::new(Vec::new()));
            parts.push(part(full.into_inner().map_err(|error| wrong(&error))?));
            (size, many) = (0, 0);
        }
        let name = file.strip_prefix(folder).unwrap_or(file);
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, bytes.as_slice()).map_err(|error| wrong(&error))?;
        size += bytes.len();
        many += 1;
    }
    if many > 0 {
        parts.push(part(tar.into_inner().map_err(|error| wrong(&error))?));
    }
    if parts.is_empty() {
        return Err(Failure::Failed(format!("there is no markdown file in {}", folder.display())));
    }
    Ok(parts)
}

fn part(bytes: Vec<u8>) -> Part {
    Part { name: None, weight: bytes.len() as u64, bytes }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
        let name = name.to_string_lossy();
        // A link may lead anywhere.
        if kind.is_dir() && !PASSED.contains(&&*name) {
            walk(&path, files)?;
        } else if kind.is_file() && (RULES.contains(&&*name) || path.extension().is_some_and(|end| end == "md" || end == "mdc")) {
            files.push(path);
        }
    }
    Ok(())
}
