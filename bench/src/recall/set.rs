//! A set of questions with known answers: `corpus.jsonl` and `queries.jsonl` in one folder.

use crate::Failure;
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, format_description::well_known::Rfc3339};

pub struct Set {
    pub name: String,
    pub items: Vec<Item>,
    pub queries: Vec<Query>,
}

#[derive(Deserialize)]
pub struct Item {
    pub id: String,
    pub group: Option<String>,
    pub session: Option<String>,
    pub speaker: Option<String>,
    pub timestamp: Option<String>,
    pub kind: Option<String>,
    pub text: String,
    pub title: Option<String>,
    pub status: Option<String>,
    pub scope: Option<String>,
    pub update_of: Option<String>,
    pub valid_until: Option<String>,
}

#[derive(Deserialize)]
pub struct Query {
    pub group: Option<String>,
    pub text: String,
    #[serde(default)]
    pub category: String,
    pub question_date: Option<String>,
    pub gold: Vec<String>,
    #[serde(default)]
    pub forbidden: Vec<String>,
    #[serde(default)]
    pub gold_sessions: Vec<String>,
    #[serde(default)]
    pub haystack_sessions: Vec<String>,
}

/// The items of one workspace, by their places in the set, and the questions asked there.
pub struct Group {
    pub items: Vec<usize>,
    pub queries: Vec<usize>,
}

/// One set, or all that lie in a folder.
pub fn sets(folder: &Path) -> Result<Vec<Set>, Failure> {
    let mut folders: Vec<PathBuf> = if folder.join("corpus.jsonl").is_file() {
        vec![folder.to_owned()]
    } else {
        let inside = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        inside.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.join("corpus.jsonl").is_file()).collect()
    };
    folders.sort();
    if folders.is_empty() {
        return Err(format!("{}: neither a set (corpus.jsonl, queries.jsonl) nor a folder of sets", folder.display()).into());
    }
    folders.iter().map(|folder| Set::read(folder)).collect()
}

impl Set {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let name = folder.file_name().map_or_else(|| "set".into(), |name| name.to_string_lossy().into_owned());
        Ok(Self { name, items: lines(&folder.join("corpus.jsonl"))?, queries: lines(&folder.join("queries.jsonl"))? })
    }

    /// Groups in the order of their names; a question without one is asked in the only one there is.
    pub fn groups(&self) -> Result<Vec<Group>, Failure> {
        let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
        for (at, item) in self.items.iter().enumerate() {
            let group = groups.entry(item.group.as_deref().unwrap_or_default());
            group.or_insert_with(|| Group { items: Vec::new(), queries: Vec::new() }).items.push(at);
        }
        let only = groups.keys().next().copied().filter(|_| groups.len() == 1);
        for (at, query) in self.queries.iter().enumerate() {
            let name = only.or(query.group.as_deref()).unwrap_or_default();
            let group = groups.get_mut(name).ok_or_else(|| format!("{}: a question of a group without memories: {name}", self.name))?;
            group.queries.push(at);
        }
        Ok(groups.into_values().collect())
    }

    /// Whether its memories were changed, deleted or belong elsewhere.
    pub fn has_states(&self) -> bool {
        self.items.iter().any(|item| item.status.is_some())
    }

    pub fn has_haystacks(&self) -> bool {
        self.queries.iter().any(|query| !query.haystack_sessions.is_empty())
    }
}

/// RFC 3339, or `2023/04/10 (Mon) 17:50`.
pub fn moment(text: &str) -> Option<OffsetDateTime> {
    if let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) {
        return Some(at);
    }
    let mut words = text.split_whitespace();
    let mut day = words.next()?.splitn(3, ['/', '-']);
    let (year, month) = (day.next()?.parse().ok()?, day.next()?.parse::<u8>().ok()?);
    let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day.next()?.parse().ok()?).ok()?;
    let mut clock = words.next_back().unwrap_or("0:00").split(':').map(|part| part.parse().ok());
    let time = Time::from_hms(clock.next()??, clock.next()??, 0).unwrap_or(Time::MIDNIGHT);
    Some(PrimitiveDateTime::new(date, time).assume_utc())
}

/// How far back a story has to be moved that was set in the future: its last day is then yesterday.
pub fn shift<'a>(items: impl Iterator<Item = &'a Item>, now: OffsetDateTime) -> Duration {
    let last = items.filter_map(|item| moment(item.timestamp.as_deref()?)).max();
    last.map(|last| last - (now - Duration::DAY)).filter(|ahead| ahead.is_positive()).unwrap_or_default()
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Failure> {
    let read = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = read.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(n, line)| serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), n + 1).into())).collect()
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn moments_are_read_in_both_forms() {
        let at = |text| moment(text).map(time::OffsetDateTime::unix_timestamp);
        assert_eq!(at("2023-04-10T17:50:00Z"), Some(1_681_149_000));
        assert_eq!(at("2023/04/10 (Mon) 17:50"), Some(1_681_149_000));
        assert_eq!(at("2023/04/10"), Some(1_681_084_800));
        assert_eq!(at("last Tuesday"), None);
    }
}
