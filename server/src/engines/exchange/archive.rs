//! Tar: files are read from it by what they are, and what leads out of it is refused by name.

use super::{Read, markdown, of_text, unreadable};
use crate::{
    model::{
        Memory, State, Visibility,
        exchange::{Format, Found, Passed, Skipped},
    },
    problem::Problem,
};
use std::io::{self, Read as _};
use tar::{Archive, Builder, EntryType, Header};

/// A file may hold a memory and what is said of it; notes may be longer, and become several.
const LARGEST_FILE: u64 = 1024 * 1024;

pub fn read(bytes: &[u8], format: Option<Format>) -> Result<Read, Problem> {
    let mut archive = Archive::new(bytes);
    let entries = archive.entries().map_err(|wrong| unreadable(format!("is a tar that cannot be read: {wrong}")))?;
    let (mut found, mut left) = (Vec::new(), super::MOST);
    for entry in entries {
        let Some(fewer) = left.checked_sub(1) else { break };
        left = fewer;
        let Ok(mut entry) = entry else {
            found.push(passed("the archive", Passed::Unreadable, "From here on the archive cannot be read: it is damaged or cut off."));
            break;
        };
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        match entry.header().entry_type() {
            EntryType::Directory | EntryType::XGlobalHeader => {}
            EntryType::Regular | EntryType::Continuous => match file(&mut entry, &name) {
                Ok(text) => found.extend(files(&name, &text, format)),
                Err(skipped) => found.push(Found { place: shown(&name), item: Err(skipped) }),
            },
            _ => found.push(passed(&name, Passed::RefusedName, "It is a link or a device, and not a file.")),
        }
    }
    Ok(Read { format: format.unwrap_or(Format::Markdown), found })
}

fn file(entry: &mut tar::Entry<impl io::Read>, name: &str) -> Result<String, Skipped> {
    let leads_out = name.starts_with(['/', '\\']) || name.contains('\0') || name.split(['/', '\\']).any(|part| part == "..");
    if leads_out {
        return Err(Skipped::new(Passed::RefusedName, "Its name leads out of the archive."));
    }
    let (mut bytes, size) = (Vec::new(), entry.size());
    if size > LARGEST_FILE {
        return Err(Skipped::new(Passed::TooLong, "A file in an archive may have 1 MiB."));
    }
    let read = entry.read_to_end(&mut bytes);
    if read.is_err() || bytes.len() as u64 != size {
        return Err(Skipped::new(Passed::Unreadable, "It is cut off."));
    }
    String::from_utf8(bytes).map_err(|_| Skipped::new(Passed::Unreadable, "It is no text in UTF-8."))
}

fn files(name: &str, text: &str, format: Option<Format>) -> Vec<Found> {
    let name = name.strip_prefix("./").unwrap_or(name);
    if text.trim().is_empty() {
        return vec![passed(name, Passed::NothingSaid, "It is empty.")];
    }
    match of_text(text, Some(name), format) {
        Ok(read) if read.format == Format::Markdown || name.is_empty() => read.found,
        Ok(read) => {
            let inside = |found: Found| Found {
                place: if found.place.contains(name) { found.place } else { format!("{name}, {}", found.place) },
                ..found
            };
            read.found.into_iter().map(inside).collect()
        }
        Err(problem) => vec![Found { place: shown(name), item: Err(Skipped::new(Passed::Unreadable, super::ndjson::said(&problem))) }],
    }
}

fn passed(name: &str, why: Passed, detail: &'static str) -> Found {
    Found { place: shown(name), item: Err(Skipped::new(why, detail)) }
}

fn shown(name: &str) -> String {
    super::draft::one_line(name, 200).unwrap_or_else(|| "a file without a name".to_owned())
}

/// Packs memories as files, a few at a time: what is packed can be taken and sent before the next.
pub struct Packer(Builder<Vec<u8>>);

impl Default for Packer {
    fn default() -> Self {
        Self(Builder::new(Vec::new()))
    }
}

impl Packer {
    /// `folder` is that of the store, for stores beside the default one.
    pub fn add(&mut self, memory: &Memory, folder: Option<&str>) -> io::Result<()> {
        let name = name(memory, folder);
        let file = markdown::write(memory, &name);
        let mut header = Header::new_gnu();
        header.set_size(file.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(u64::try_from(memory.updated_at.unix_timestamp()).unwrap_or_default());
        header.set_cksum();
        self.0.append_data(&mut header, name, file.as_bytes())
    }

    /// What was packed since.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.0.get_mut())
    }

    pub fn finish(self) -> io::Result<Vec<u8>> {
        self.0.into_inner()
    }
}

fn name(memory: &Memory, folder: Option<&str>) -> String {
    let path = memory.path.as_str().trim_start_matches('/');
    let mut name = match memory.visibility {
        Visibility::Private => format!("private/{path}"),
        Visibility::Workspace => path.to_owned(),
    };
    if let Some(folder) = folder {
        name = format!("stores/{folder}/{name}");
    }
    // Only what is active or waits has its path alone.
    if !matches!(memory.state, State::Active | State::Proposed) {
        let stem = name.strip_suffix(".md").unwrap_or(&name);
        name = format!("{stem}-{}.md", memory.id.0.simple());
    }
    name
}
