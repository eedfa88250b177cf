//! What headings and marks are called, and what they say of what follows them.

use super::{Class, words};
use std::{collections::HashMap, sync::LazyLock};

/// Names as they stand alone at the start of a line, before a colon or as a heading.
const NAMES: &[(Class, &str)] = &[
    (
        Class::Decision,
        "decided, decision, decisions, key decision, key decisions, decision made, decisions made, final decision, \
         design decision, design decisions, technical decisions, architecture decisions, architectural decisions, \
         decisions and rationale, active decisions, active decisions and considerations, binding decisions, agreed, we agreed, \
         we decided, constraint, constraints, hard constraints, rule, rules, ground rules, convention, conventions, \
         code conventions, coding conventions, guardrails, do not, do not do, do not touch, don't, don'ts, never, off limits, \
         adr, entscheidung, entscheidungen, entschieden",
    ),
    (
        Class::Completed,
        "completed, complete, done, finished, fixed, implemented, shipped, merged, accomplished, resolved, completed tasks, \
         completed items, completed work, completed features, completed this session, done so far, what was done, what i did, \
         what we did, what was accomplished, what works, what's done, work done, work completed, tasks completed, \
         already done, recently completed, recent changes, changes made, done this session, accomplishments, erledigt, fertig",
    ),
    (
        Class::InProgress,
        "in progress, in-progress, wip, doing, ongoing, started, working on, currently working on, current work, \
         current focus, current work focus, current task, active work, currently, now, in arbeit",
    ),
    (
        Class::Pending,
        "pending, pending tasks, pending items, pending work, todo, to do, to-do, todos, to dos, fixme, remaining, \
         remaining work, remaining tasks, remaining items, what's left, what is left, what remains, left to do, still to do, \
         still todo, what's left to build, what's not done, not done, not done yet, not yet done, not started, backlog, \
         outstanding, outstanding work, open, open items, open tasks, open ends, loose ends, open question, open questions, \
         unresolved questions, follow-up, follow-ups, follow up, follow ups, later, deferred, upcoming, planned, blocked, \
         blocker, blockers, action items, tasks left, unfinished, unfinished work, offen",
    ),
    (Class::Progress, "progress, status, task status, tasks, task list, checklist, milestones, plan, progress so far, state of work"),
    (
        Class::Next,
        "next, next step, next steps, next up, next action, next actions, next task, next session, immediate next step, \
         immediate next steps, optional next step, recommended next step, recommended next steps, suggested next steps, \
         what's next, what is next, up next, start here, resume here, continue here, continue with, pick up here, \
         where to pick up, where to continue, nächster schritt, nächste schritte",
    ),
    (
        Class::Discovery,
        "found, finding, findings, key findings, discovered, discovery, discoveries, learned, learnt, learning, learnings, \
         key learnings, lesson, lessons, lessons learned, lessons learnt, learnings and project insights, insight, insights, \
         key insights, project insights, note, notes, nb, gotcha, gotchas, pitfall, pitfalls, caveat, caveats, warning, caution, \
         important, beware, tip, tips, fyi, til, observation, observations, root cause, cause, problem, problems, known issue, \
         known issues, known bugs, bug, issues, issues encountered, problems encountered, problem solving, error, errors, \
         errors and fixes, errors encountered, fix, fixes, workaround, workarounds, solution, solutions, things to know, \
         things to remember, good to know, watch out, watch out for, careful, technical notes, technical details, important notes, \
         important patterns and preferences, patterns and learnings, context for next session, troubleshooting, failed approaches, \
         what didn't work, what did not work, dead ends, gefunden, erkenntnis, erkenntnisse, hinweis",
    ),
    (
        Class::Open,
        "current status, current state, where we are, where things stand, summary, session summary, session notes, handoff, \
         handoff notes, hand-off, handover, session handoff, context, active context, background, overview, checkpoint, recap, \
         tl;dr, update, status update, evolution of project decisions, architecture, tech stack",
    ),
    (
        Class::Aside,
        "primary request and intent, primary request, user request, request, goal, goals, objective, task, \
         key technical concepts, technical concepts, key concepts, files and code sections, files, files changed, \
         files modified, files touched, modified files, key files, relevant files, important files, files to read, \
         all user messages, user messages, branch, date, session, author, commit, commits, project, duration, model, \
         table of contents, contents, references, links, see also, pr, ticket, time, started at, last updated, version, tests, \
         commands, useful commands",
    ),
];

static KNOWN: LazyLock<HashMap<&str, Class>> =
    LazyLock::new(|| NAMES.iter().flat_map(|(class, names)| names.split(", ").map(|name| (name, *class))).collect());

/// Names that forbid: what stands below them means nothing without them.
const FORBIDDING: &[&str] = &["do not", "don't", "never", "off limits", "must not"];

/// Words that say it inside a longer heading; the first that fits is taken.
const INSIDE: &[(Class, &str)] = &[
    (Class::Next, "next step, next steps, next session, what's next, pick up"),
    (Class::Decision, "decision, decisions, decided, do not, don't, must not, constraints, conventions, rules"),
    (Class::Pending, "not done, not started, not yet"),
    (Class::InProgress, "in progress, wip, current work, current focus"),
    (Class::Pending, "to do, todo, todos, left, remaining, remains, pending, outstanding, backlog, open questions, planned, blocked"),
    (Class::Discovery, "didn't work, did not work"),
    (Class::Completed, "completed, done, finished, accomplished, shipped, what works"),
    (
        Class::Discovery,
        "gotchas, pitfalls, findings, found, learned, learnings, lessons, discoveries, insights, known issues, errors, root cause, \
         caveats",
    ),
    (Class::Progress, "progress"),
    (Class::Open, "status"),
];

static TELLING: LazyLock<Vec<(&str, Class)>> =
    LazyLock::new(|| INSIDE.iter().flat_map(|(class, listed)| listed.split(", ").map(|word| (word, *class))).collect());

/// A longer heading is a sentence, and words in it are not its name.
const LONGEST_HEADING: usize = 6;
const LONGEST_NAME: usize = 48;

/// What a name says, if it is one.
pub fn exact(name: &str) -> Option<Class> {
    if name.is_empty() || name.len() > LONGEST_NAME * 2 {
        return None;
    }
    let name = plain(name);
    KNOWN.get(name.as_str()).copied()
}

/// What a heading says, by its name or by a word in it.
pub fn heading(text: &str) -> Option<Class> {
    if let Some(class) = exact(text) {
        return Some(class);
    }
    let said = words::spaced(text.get(..text.floor_char_boundary(200)).unwrap_or(text));
    if said.split_whitespace().count() > LONGEST_HEADING {
        return None;
    }
    TELLING.iter().find(|(word, _)| words::says(&said, word)).map(|(_, class)| *class)
}

/// Whether a line is a heading without looking like one: "Next steps:", "**Decisions**", "DONE".
pub fn is_label(line: &str) -> bool {
    line.len() <= LONGEST_NAME * 2 && exact(line).is_some()
}

/// Whether a name turns what it names into its opposite.
pub fn forbids(name: &str) -> bool {
    let name = plain(name);
    FORBIDDING.iter().any(|word| name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

/// A name without what decorates it: case, stars, numbers, brackets, a date behind it, a colon.
fn plain(name: &str) -> String {
    let core = name.split_once('(').filter(|(before, _)| !before.trim().is_empty()).map_or(name, |(before, _)| before);
    let core = core.trim_matches(|sign: char| !sign.is_alphabetic());
    words::lowered(core).replace('&', "and").split_whitespace().collect::<Vec<_>>().join(" ").replace("what is left", "what's left")
}
