//! `audit verify`: an exported trail is checked without a database, and without trusting the server it came from.

use super::Failure;
use crate::engines::seal::verify::{Broken, Report, Verifier};
use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

/// More than any checkpoint takes.
const LONGEST_LAST_LINE: u64 = 64 * 1024;

/// Says what holds and what was not checked, or fails with the first entry that does not hold.
pub fn verify(file: &Path, keys: &[String], since: Option<&Path>) -> Result<(), Failure> {
    let unreadable = |path: &Path, error: std::io::Error| format!("{} cannot be read: {error}", path.display());
    let since = since.map(|path| std::fs::read_to_string(path).map_err(|error| unreadable(path, error))).transpose()?;
    let opened = File::open(file).map_err(|error| unreadable(file, error))?;
    let checked = check(opened, keys, since.as_deref()).map_err(|error| unreadable(file, error))?;
    let report = checked.map_err(|broken| format!("{}: {broken}", file.display()))?;
    print!("{}: {report}", file.display());
    Ok(())
}

fn check(mut file: File, keys: &[String], since: Option<&str>) -> std::io::Result<Result<Report, Broken>> {
    let wrong = |why: &str| Ok(Err(Broken { index: None, why: why.to_owned() }));
    let Some((last, starts_at)) = last_line(&mut file)? else {
        return wrong("it does not end with a signed checkpoint and a line break: it was cut off or changed");
    };
    let mut verifier = match Verifier::new(&last, keys, since) {
        Ok(verifier) => verifier,
        Err(broken) => return Ok(Err(broken)),
    };
    file.rewind()?;
    let mut lines = BufReader::with_capacity(1 << 20, file.take(starts_at));
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let Some(text) = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok()) else {
            return wrong("it is not UTF-8, line by line: it was changed");
        };
        if let Err(broken) = verifier.entry(text) {
            return Ok(Err(broken));
        }
        line.clear();
    }
    Ok(verifier.finish())
}

/// The last line without its break, and where it begins.
fn last_line(file: &mut File) -> std::io::Result<Option<(String, u64)>> {
    let length = file.seek(SeekFrom::End(0))?;
    let from = length.saturating_sub(LONGEST_LAST_LINE);
    file.seek(SeekFrom::Start(from))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    let Some(end) = end.strip_suffix(b"\n") else { return Ok(None) };
    let begins = end.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if begins == 0 && from > 0 {
        return Ok(None);
    }
    Ok(std::str::from_utf8(&end[begins..]).ok().map(|line| (line.to_owned(), from + begins as u64)))
}
