//! Files on their way in: cut into parts that one request can take.

mod lines;
mod rows;
mod tree;

use crate::failure::Failure;
use std::{
    fs,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// What one request brings at most; the server takes 10 MiB.
const LARGEST: usize = 4 * 1024 * 1024;
/// And how much of it, so that none takes long.
const MOST: usize = 500;

/// What one request brings.
pub struct Part {
    /// What the file is called, where it goes as it is.
    pub name: Option<String>,
    pub bytes: Vec<u8>,
    /// How much of the whole it is, for the progress.
    pub weight: u64,
}

/// A file of lines begins with one that says what it is, and ends with one that says so.
pub fn is_cut_off(path: &Path) -> bool {
    const LOOKED_AT: u64 = 4096;
    let ends = || -> io::Result<(String, String)> {
        let mut file = fs::File::open(path)?;
        let (mut start, mut end) = (Vec::new(), Vec::new());
        (&file).take(LOOKED_AT).read_to_end(&mut start)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOOKED_AT)))?;
        file.read_to_end(&mut end)?;
        Ok((String::from_utf8_lossy(&start).into_owned(), String::from_utf8_lossy(&end).into_owned()))
    };
    ends().is_ok_and(|(start, end)| {
        let last = end.trim_end().lines().next_back().unwrap_or_default();
        lines::is_header(start.lines().next().unwrap_or_default()) && !last.contains("\"type\":\"end\"")
    })
}

/// A file, a folder, or `-` for stdin.
pub fn parts(path: &Path) -> Result<Vec<Part>, Failure> {
    if path.is_dir() {
        return tree::pack(path);
    }
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map_err(|wrong| Failure::Failed(format!("stdin cannot be read: {wrong}")))?;
        return of_bytes(None, bytes);
    }
    if starts_as_database(path)? {
        return rows::read(path);
    }
    let bytes = fs::read(path).map_err(|wrong| Failure::file("read", path, &wrong))?;
    of_bytes(Some(called(path)), bytes)
}

fn starts_as_database(path: &Path) -> Result<bool, Failure> {
    let mut start = Vec::new();
    let file = fs::File::open(path).map_err(|wrong| Failure::file("read", path, &wrong))?;
    file.take(16).read_to_end(&mut start).map_err(|wrong| Failure::file("read", path, &wrong))?;
    Ok(start == b"SQLite format 3\0")
}

fn of_bytes(name: Option<String>, bytes: Vec<u8>) -> Result<Vec<Part>, Failure> {
    if let Some(parts) = lines::split(&bytes) {
        return Ok(parts);
    }
    if bytes.len() <= LARGEST {
        return Ok(vec![Part { name, weight: bytes.len() as u64, bytes }]);
    }
    lines::split_json(&bytes).ok_or_else(|| {
        let file = name.unwrap_or_else(|| "stdin".to_owned());
        Failure::Failed(format!("{file} is too large to be sent at once, and cannot be cut: divide it into files of less than 4 MiB"))
    })
}

/// What a file goes by: as it was named, if that leads nowhere else.
fn called(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = text.strip_prefix("./").unwrap_or(&text);
    let plain = !path.is_absolute() && !text.split('/').any(|part| part == "..");
    if plain { text.to_owned() } else { path.file_name().unwrap_or_default().to_string_lossy().into_owned() }
}
