//! Which texts of what is erased may not come back. Short ones are nobody's: to bar `cargo test` because somebody once ran
//! it would bar everybody.

use super::spelled_out;
use crate::model::sessions::Event;

/// Shorter lines and remarks are not barred, and of a memory only its whole text is: others may well use its title.
const TELLING: usize = 24;
/// Results repeat themselves more than what is said does.
const TELLING_OUTPUT: usize = 200;

/// A line that says something.
pub fn bars_of_line(line: &str) -> Option<String> {
    long(line, TELLING).then(|| line.to_owned())
}

/// What was said and what came out, where it is long enough to be this one's; and the event itself, as its sender named it.
pub fn bars_of_event(event: &Event) -> Vec<String> {
    let said = event.text.as_deref().and_then(bars_of_line);
    let came_out = event.output.as_deref().filter(|output| long(output, TELLING_OUTPUT)).map(str::to_owned);
    let input = event.input.as_ref().map(spelled_out);
    let parts = [
        Some(event.id.as_str()),
        event.text.as_deref(),
        input.as_deref(),
        event.output.as_deref(),
        event.path.as_deref(),
        event.command.as_deref(),
    ];
    let itself = format!("event\u{1f}{}", parts.map(Option::unwrap_or_default).join("\u{1f}"));
    said.into_iter().chain(came_out).chain([itself]).collect()
}

fn long(text: &str, telling: usize) -> bool {
    text.trim().chars().count() >= telling
}
