//! How a command went, and the line of its output that tells why.

use super::{
    shell::Simple,
    text::{self, each},
};
use crate::model::sessions::Event;
use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Passed,
    Failed,
    Unknown,
}

/// Of a long output the two ends are read: what failed first, and what came out.
const READ_HEAD: usize = 8 * 1024;
const READ_TAIL: usize = 4 * 1024;
const LONGEST: usize = 200;

/// Outputs that show a failure whatever the exit code was, as behind a pipe.
const FAILED: &str = "test result: FAILED|error: could not compile|error[E|npm ERR!|ELIFECYCLE|Traceback (most recent call last)|\
    \nFAILED |--- FAIL:|\nFAIL\t|BUILD FAILED|BUILD FAILURE| failed in |Tests failed|error TS|make: *** |Command failed|\
    command not found";
const PASSED: &str = "test result: ok| passed in |All checks passed|Success: no issues found|BUILD SUCCESSFUL|BUILD SUCCESS|Finished `|\
    \nok  \t|0 errors|OK (|Build succeeded|compiled successfully|0 failures";

/// Beginnings of lines that say what is wrong, the most telling first.
const TELLING: &[&str] = &[
    "error:|Error:|ERROR:|ERROR |fatal:|FATAL|panic:|Missing script|--- FAIL:|Caused by:",
    "● |✕ |× |FAILED |FAIL |Failure|exception|Exception",
];
/// The same, anywhere in a line.
const TELLING_INSIDE: &str = "panicked at| error TS|: error:|: error |rror: |Exception: |not found|No such file|denied|refused|\
    undefined|cannot |Cannot |must be set|expected";
/// Lines that only say that something failed.
const EMPTY: &str = "[*] |Found |error: test failed|error: could not compile|error: aborting|error: process didn't exit|npm ERR! code|\
    npm ERR! errno|npm ERR! A complete log|make: *** [|Error: Process completed|error: Recipe|ELIFECYCLE|error Command failed|\
    ERROR: InvocationError|E   assert False|failures:|error: command failed";

/// How a command went: by its exit code where that speaks for it, else by its output.
pub fn of(event: &Event, part: Option<&Simple>) -> Outcome {
    let tells = part.is_none_or(|part| part.tells);
    match event.exit_code {
        Some(0) if tells => Outcome::Passed,
        Some(code) if code != 0 => Outcome::Failed,
        _ => by_output(&ends(event.output.as_deref().unwrap_or(""))),
    }
}

fn by_output(output: &str) -> Outcome {
    if each(FAILED).any(|sign| output.contains(sign)) {
        Outcome::Failed
    } else if each(PASSED).any(|sign| output.contains(sign)) {
        Outcome::Passed
    } else {
        Outcome::Unknown
    }
}

/// The first line that tells what went wrong.
pub fn telling(output: &str) -> Option<String> {
    let output = text::uncoloured(&ends(output));
    let lines: Vec<&str> =
        output.lines().map(stripped).filter(|line| !line.is_empty() && !each(EMPTY).any(|empty| line.starts_with(empty))).collect();
    let at = lines
        .iter()
        .position(|line| line.starts_with("error[E"))
        .or_else(|| lines.iter().position(|line| line.contains("panicked at")))
        .or_else(|| lines.iter().position(|line| is_named(line)))
        .or_else(|| TELLING.iter().find_map(|signs| lines.iter().position(|line| each(signs).any(|sign| line.starts_with(sign)))))
        .or_else(|| lines.iter().position(|line| line.split([' ', ':']).any(is_rule)))
        .or_else(|| lines.iter().position(|line| each(TELLING_INSIDE).any(|sign| line.contains(sign))))
        .or_else(|| lines.len().checked_sub(1));
    let Some(at) = at else {
        // Better a line that says little than none.
        return output.lines().rev().map(stripped).find(|line| !line.is_empty()).map(|line| text::clipped(line, LONGEST));
    };
    let (line, next) = (lines[at], lines.get(at + 1).copied());
    let told = match next {
        // A panic says why on the line after the place, a failed test of Go below its name.
        Some(why) if line.contains("panicked at") && line.ends_with(':') => why.to_owned(),
        Some(why) if line.starts_with("--- FAIL:") => format!("{line}: {why}"),
        _ => line.to_owned(),
    };
    Some(text::clipped(&told, LONGEST))
}

/// A line without what a tool puts before each of its lines.
fn stripped(line: &str) -> &str {
    let line = line.trim();
    ["npm error ", "npm ERR! ", "E   "].iter().find_map(|prefix| line.strip_prefix(prefix)).unwrap_or(line).trim()
}

/// "TypeError: …", "java.lang.IllegalStateException: …".
fn is_named(line: &str) -> bool {
    let (name, rest) = line.split_once(':').unwrap_or((line, ""));
    (name.ends_with("Error") || name.ends_with("Exception")) && name.len() > 5 && !name.contains([' ', '/']) && !rest.is_empty()
}

/// The name of a lint or a compiler's error: "F401", "TS2322", "SA1019".
fn is_rule(word: &str) -> bool {
    word.starts_with(|sign: char| sign.is_ascii_uppercase()) && is_code(&word.to_lowercase())
}

/// The line that counts tests, from the end: "test result: ok. 12 passed; …".
pub fn counted(output: &str) -> Option<String> {
    let output = text::uncoloured(&ends(output));
    let counts = |line: &&str| {
        let numbers = line.bytes().any(|byte| byte.is_ascii_digit());
        numbers && ["passed", "failed", "passing", "failing", "failures", "Tests:"].iter().any(|sign| line.contains(sign))
    };
    output.lines().rev().find(counts).map(|line| text::clipped(line.trim_matches(['=', ' ']), 120))
}

fn ends(output: &str) -> Cow<'_, str> {
    if output.len() <= READ_HEAD + READ_TAIL {
        return Cow::Borrowed(output);
    }
    let (head, tail) = (output.floor_char_boundary(READ_HEAD), output.ceil_char_boundary(output.len() - READ_TAIL));
    Cow::Owned(format!("{}\n{}", &output[..head], &output[tail..]))
}

/// An error without what changes from run to run: numbers, places, addresses.
pub fn same(error: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    for word in text::spaced(error).split_whitespace() {
        if !word.bytes().any(|byte| byte.is_ascii_digit()) || is_code(word) {
            kept.push(word.to_owned());
        }
    }
    text::clipped(&kept.join(" "), 90).trim_end_matches('…').to_owned()
}

/// "e0308", "ts2345": the number is the error.
fn is_code(word: &str) -> bool {
    let digits = word.trim_start_matches(|sign: char| sign.is_ascii_alphabetic());
    let letters = word.len() - digits.len();
    (1..=4).contains(&letters) && (3..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}
