//! What sort of knowledge a text is, guessed from the words that others use for it.

use crate::{
    engines::phrases::{begins, says, spaced},
    model::Kind,
};

/// By the name that another tool gave its kind.
pub fn of_word(word: &str) -> Option<Kind> {
    Some(match word.trim().to_lowercase().replace(['_', ' '], "-").as_str() {
        "decision" | "adr" | "architecture-decision" | "design-decision" => Kind::Decision,
        "pattern" | "convention" | "standard" | "guideline" | "rule" | "best-practice" | "constraint" | "code-pattern" => Kind::Pattern,
        "procedure" | "workflow" | "how-to" | "howto" | "process" | "runbook" | "command" | "procedural" => Kind::Procedure,
        "discovery" | "learning" | "lesson" | "insight" | "bug" | "bugfix" | "error" | "gotcha" | "finding" | "issue" | "solution"
        | "fix" | "observation" => Kind::Discovery,
        "preference" | "user-preference" | "preferences" | "user-preferences" | "directive" => Kind::Preference,
        "episode" | "session" | "summary" | "session-summary" | "feature" | "refactor" | "change" | "milestone" | "task" | "progress"
        | "conversation" | "episodic" => Kind::Episode,
        "fact" | "note" | "reference" | "architecture" | "semantic" | "knowledge" => Kind::Fact,
        _ => return None,
    })
}

const BY_HEADING: [(Kind, &[&str]); 5] = [
    (Kind::Decision, &["decision", "decisions", "decided", "adr", "adrs", "why we"]),
    (Kind::Preference, &["preference", "preferences", "communication", "tone", "personality", "about me", "how to talk"]),
    (
        Kind::Procedure,
        &[
            "command",
            "commands",
            "build",
            "building",
            "run",
            "running",
            "deploy",
            "deployment",
            "deploying",
            "release",
            "releasing",
            "setup",
            "set up",
            "installation",
            "workflow",
            "workflows",
            "how to",
            "steps",
            "process",
            "testing",
            "getting started",
            "git",
            "commits",
        ],
    ),
    (
        Kind::Discovery,
        &[
            "gotcha",
            "gotchas",
            "pitfall",
            "pitfalls",
            "lesson",
            "lessons",
            "known issues",
            "troubleshooting",
            "learned",
            "caveats",
            "discoveries",
            "findings",
        ],
    ),
    (
        Kind::Pattern,
        &[
            "convention",
            "conventions",
            "style",
            "pattern",
            "patterns",
            "rule",
            "rules",
            "guideline",
            "guidelines",
            "standards",
            "practices",
            "naming",
            "formatting",
            "principles",
            "dos and don'ts",
        ],
    ),
];

/// By what a rule for agents says, and the headings above it, the nearest first.
pub fn of_rule(headings: &[&str], text: &str) -> Kind {
    let said = spaced(&text[..text.floor_char_boundary(400)]);
    if ["we decided", "we chose", "decided to", "we agreed", "it was decided"].iter().any(|phrase| says(&said, phrase)) {
        return Kind::Decision;
    }
    if ["i prefer", "i like", "i want", "i do not like", "i don't like", "the user prefers", "user prefers", "i am"]
        .iter()
        .any(|phrase| begins(&said, phrase))
    {
        return Kind::Preference;
    }
    let forbids = ["always", "never", "do not", "don't", "avoid", "must", "prefer", "use", "keep", "all", "every"];
    let rules = forbids.iter().any(|phrase| begins(&said, phrase));
    for heading in headings {
        let heading = spaced(heading);
        if let Some((kind, _)) = BY_HEADING.iter().find(|(_, words)| words.iter().any(|word| says(&heading, word))) {
            // "Never …" below "Testing" is no step.
            return if *kind == Kind::Procedure && rules && !text.contains('`') { Kind::Pattern } else { *kind };
        }
    }
    if rules {
        return Kind::Pattern;
    }
    if ["run", "to run", "to build", "to test", "to deploy", "to start", "first", "start"].iter().any(|phrase| begins(&said, phrase))
        || text.contains("```")
    {
        return Kind::Procedure;
    }
    Kind::Fact
}
