//! A folder of notes and rules, packed.

use super::{LARGEST, MOST, Part};
use crate::failure::Failure;
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Folders that hold no notes of anybody, but for memories that were exported to there.
const PASSED: [&str; 4] = ["node_modules", "target", ".venv", "vendor"];
const RULES: [&str; 3] = [".cursorrules", ".windsurfrules", ".clinerules"];

pub fn pack(folder: &Path) -> Result<Vec<Part>, Failure> {
    let mut files = Vec::new();
    walk(folder, true, &mut files).map_err(|wrong| Failure::file("read", folder, &wrong))?;
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

fn walk(folder: &Path, notes: bool, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
        let name = name.to_string_lossy();
        // A link may lead anywhere.
        if kind.is_dir() && name != ".git" {
            walk(&path, notes && !PASSED.contains(&&*name), files)?;
        } else if kind.is_file() {
            let is_note = RULES.contains(&&*name) || path.extension().is_some_and(|end| end == "md" || end == "mdc");
            if notes && is_note || is_memory(&path) {
                files.push(path);
            }
        }
    }
    Ok(())
}

/// A memory that was exported, wherever it lies and whatever it is called: its front matter has an id.
fn is_memory(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    let start = String::from_utf8_lossy(&start);
    let Some(front) = read.ok().and_then(|_| start.strip_prefix("---\n")) else { return false };
    front.lines().take_while(|line| *line != "---").any(|line| line.starts_with("id: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_go_in_and_so_do_memories_wherever_they_were_exported_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = "---\nid: 0199\nversion: 1\n---\n\nText.\n";
        for (path, text) in [
            ("notes/a.md", "# A note"),
            ("vendor/acme.md", memory),
            ("progress.txt", memory),
            ("node_modules/readme.md", "# Somebody's"),
            ("data.txt", "plain"),
            (".git/COMMIT_EDITMSG.md", memory),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let parts = pack(folder.path()).expect("parts");
        let mut archive = tar::Archive::new(parts[0].bytes.as_slice());
        let files = archive.entries().expect("entries").map(|entry| entry.expect("an entry").path().expect("a path").display().to_string());
        assert_eq!(files.collect::<Vec<_>>(), ["notes/a.md", "progress.txt", "vendor/acme.md"]);
    }
}
