//! Old episodes of a month in one page: how many runs, what they were after, what they decided and touched.

use super::{Act, Action, Known, Run, Why};
use crate::{engines::tokens, model::Kind};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};
use time::{Date, Duration, Month, OffsetDateTime};

/// The tag of an episode that stands for others; it is not condensed again.
pub const DIGEST: &str = "digest";
/// Fewer than these are left as they are, and more make several pages.
const FEWEST: usize = 3;
const MOST: usize = 200;
/// What an episode's page is made of, and how many lines of each are told at most.
const PARTS: [(&str, usize); 4] = [("Decisions", 20), ("Edited", 20), ("Errors met", 10), ("Open ends", 10)];
const GOALS: usize = 40;

/// Each month that ended long ago, project by project.
pub fn condense(run: &mut Run) -> Vec<Action> {
    let mut months: BTreeMap<(Option<&str>, i32, u8), Vec<usize>> = BTreeMap::new();
    for at in run.living() {
        let one = run.known[at];
        let plain = run.kinds[at] == Kind::Episode && !one.verified && !run.is_left_alone(at) && !one.tags.iter().any(|tag| tag == DIGEST);
        if plain && ended(one.created_at).is_some_and(|end| end + run.rules.condense_after <= run.rules.now) {
            let key = (one.project.as_deref(), one.created_at.year(), u8::from(one.created_at.month()));
            months.entry(key).or_default().push(at);
        }
    }
    let mut actions = Vec::new();
    for ((project, year, month), mut episodes) in months {
        episodes.sort_by_key(|at| (run.known[*at].created_at, run.known[*at].id));
        for chunk in even_chunks(&episodes) {
            let told: Vec<&Known> = chunk.iter().map(|at| run.known[*at]).collect();
            let month = Month::try_from(month).unwrap_or(Month::January);
            let (title, content) = page(&told, project, year, month, run.rules.digest_tokens);
            let ids = told.iter().map(|one| one.id).collect();
            let act = Act::Condense { episodes: ids, project: project.map(str::to_owned), title, content };
            actions.push(Action { act, why: Why::LongPast, score: 0.9 });
        }
        if episodes.len() >= FEWEST {
            for at in &episodes {
                run.alive[*at] = false;
            }
        }
    }
    actions
}

/// Pages of about the same length, none of them too short.
fn even_chunks(episodes: &[usize]) -> impl Iterator<Item = &[usize]> {
    let pages = if episodes.len() < FEWEST { 0 } else { episodes.len().div_ceil(MOST) };
    let size = episodes.len().div_ceil(pages.max(1)).max(1);
    episodes.chunks(size).take(pages)
}

/// When the month of a moment was over.
fn ended(at: OffsetDateTime) -> Option<OffsetDateTime> {
    let first = Date::from_calendar_date(at.year(), at.month(), 1).ok()?;
    let days = i64::from(at.month().length(at.year()));
    Some((first.checked_add(Duration::days(days))?).midnight().assume_utc())
}

fn page(told: &[&Known], project: Option<&str>, year: i32, month: Month, budget: u32) -> (String, String) {
    let of = project.map_or_else(String::new, |project| format!(" of {project}"));
    let title = format!("{} runs{of} in {month} {year}", told.len());
    let goals: Vec<String> = told.iter().map(|one| format!("{} ({})", one.title, one.created_at.date())).collect();
    let parts: Vec<(&str, Vec<String>, usize)> = std::iter::once(("Goals", goals, GOALS))
        .chain(PARTS.into_iter().map(|(heading, most)| (heading, lines(told, heading), most)))
        .collect();
    let mut share = 1;
    loop {
        let content = written(&title, &parts, share);
        if tokens::count(&content) <= budget || share >= GOALS {
            return (title, content);
        }
        share *= 2;
    }
}

/// The lines of a part in all of them, the most frequent first, each once.
fn lines(told: &[&Known], heading: &str) -> Vec<String> {
    let mut counted: HashMap<&str, (usize, usize)> = HashMap::new();
    for (place, line) in told.iter().flat_map(|one| under(&one.content, heading)).enumerate() {
        counted.entry(line).or_insert((0, place)).0 += 1;
    }
    let mut ranked: Vec<_> = counted.into_iter().collect();
    ranked.sort_by_key(|(_, (count, place))| (Reverse(*count), *place));
    let shown = |(line, (count, _)): (&str, (usize, usize))| if count > 1 { format!("{line} (in {count} runs)") } else { line.to_owned() };
    ranked.into_iter().map(shown).collect()
}

/// What a list of an episode's page holds, without how often.
fn under<'a>(content: &'a str, heading: &str) -> impl Iterator<Item = &'a str> {
    let heading = format!("## {heading}");
    let list = content.lines().skip_while(move |line| line.trim() != heading).skip(1).take_while(|line| !line.starts_with("## "));
    list.filter_map(|line| line.strip_prefix("- ")).filter(|line| !line.starts_with("and ")).map(|line| match line.rsplit_once(" (") {
        Some((file, times)) if times.ends_with("×)") => file,
        _ => line,
    })
}

fn written(title: &str, parts: &[(&str, Vec<String>, usize)], share: usize) -> String {
    let mut page = vec![format!("{title}, told in short.")];
    for (heading, lines, most) in parts.iter().filter(|(_, lines, _)| !lines.is_empty()) {
        let most = (most / share).max(1);
        page.push(format!("\n## {heading}"));
        page.extend(lines.iter().take(most).map(|line| format!("- {}", clipped(line))));
        if lines.len() > most {
            page.push(format!("- and {} more", lines.len() - most));
        }
    }
    page.push(String::new());
    page.join("\n")
}

fn clipped(line: &str) -> String {
    const LONGEST: usize = 160;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
