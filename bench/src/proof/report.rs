//! The figures, as text and as JSON. The figures are the same for the same seed; the ids that show them are new each time.

use super::{
    Outcome,
    bounds::{Bound, Bounds},
    ledger::Ledger,
};
use crate::table;
use serde_json::{Map, Value, json};

/// What is reported of each replay, in this order.
pub struct Shown {
    pub name: &'static str,
    pub title: &'static str,
    /// Of how many.
    pub of: Option<&'static str>,
    /// Whether it means anything without a memory.
    pub cold: bool,
}

pub struct Group {
    pub title: &'static str,
    pub figures: &'static [Shown],
}

const fn both(name: &'static str, title: &'static str) -> Shown {
    Shown { name, title, of: None, cold: true }
}

const fn warm(name: &'static str, title: &'static str, of: Option<&'static str>) -> Shown {
    Shown { name, title, of, cold: false }
}

pub const GROUPS: &[Group] = &[
    Group {
        title: "Work",
        figures: &[
            both("reads", "files read"),
            both("reads_again", "… of them unchanged, and read in an earlier run"),
            both("commands", "commands and look-ups"),
            both("commands_again", "… of them with the same result as in an earlier run"),
            both("items_done", "items of work done"),
            both("items_twice", "… of them a second time"),
            both("tokens", "tokens of context"),
            both("tokens_if_pasted", "… if everything were pasted at each start"),
        ],
    },
    Group {
        title: "Right",
        figures: &[
            both("choices", "choices"),
            both("decisions_violated", "… against what was decided"),
            both("said_by_a_person", "corrections that a person had to say"),
            warm("stale_as_fresh", "false memories told as fresh", Some("told_and_judged")),
            warm("wrong_acted_on", "false memories acted upon", Some("acted_on_memory")),
            warm("doubted_and_false", "false memories that were marked, and looked up instead", None),
            warm("doubted_though_true", "true memories that were marked, and looked up in vain", None),
            warm("contradictions_of_none", "contradictions reported between memories that both hold", Some("contradictions")),
            warm("captured_and_approved", "memories captured by hooks and approved", None),
        ],
    },
    Group {
        title: "Accountable",
        figures: &[
            warm("asked_without_receipt", "answers without a receipt", Some("asked")),
            warm("memories_without_provenance", "memories without provenance", Some("memories")),
            warm("memories_without_audit_entry", "memories without an entry in the trail", Some("memories")),
            warm("events_lost", "events that hooks told and the log has not", Some("events")),
            warm("rollback_differences", "memories that differ after a rollback from the history without it", Some("rollback_compared")),
            warm("leaks", "leaks between workspaces", Some("probes")),
        ],
    },
    Group {
        title: "Erased",
        figures: &[
            warm("bytes_left", "bytes left in the database after an erasure", Some("bytes_before_erasure")),
            warm("bytes_left_in_table_files", "bytes left in the files of its tables, after vacuum full", None),
            warm("came_back", "erased texts that could be written again", Some("sent_again")),
            warm("bytes_left_on_machines", "bytes left on the agents' machines, after their next contact", None),
        ],
    },
];

pub struct Report {
    pub outcomes: Vec<Outcome>,
    pub figures: Vec<Figure>,
    pub seed: u64,
}

/// One figure over all tasks.
pub struct Figure {
    pub shown: &'static Shown,
    pub cold: Option<u64>,
    pub warm: Option<u64>,
    pub of: Option<u64>,
    pub bound: Option<Bound>,
    pub held: bool,
}

/// What bars need beside the figures that are shown: how much happened at all.
const COUNTED: &[Shown] = &[
    warm("asked", "asked", None),
    warm("told_and_judged", "told and judged", None),
    warm("acted_on_memory", "acted on memory", None),
    warm("contradictions", "contradictions", None),
    warm("memories", "memories", None),
    warm("events", "events", None),
    warm("rollback_compared", "compared after a rollback", None),
    warm("rolled_back", "undone by a rollback", None),
    warm("probes", "probes", None),
    warm("bytes_before_erasure", "bytes before an erasure", None),
    warm("sent_again", "sent again", None),
];

/// Seen to differ by up to three between replays of the same seed.
const VARIES: &[&str] = &["contradictions", "contradictions_of_none"];

impl Report {
    /// With only some of the tasks, bars that say how much has to happen do not count.
    pub fn new(outcomes: Vec<Outcome>, bounds: &Bounds, seed: u64, all: bool) -> Self {
        let known = || GROUPS.iter().flat_map(|group| group.figures).chain(COUNTED);
        for name in bounds.names().filter(|name| !known().any(|shown| shown.name == *name)) {
            eprintln!("a bar for {name}, which is no figure");
        }
        let figure = |shown: &'static Shown| {
            let cold = if shown.cold { sum(outcomes.iter().map(|one| &one.cold.ledger), shown.name) } else { None };
            let warm = sum(outcomes.iter().map(|one| &one.warm.ledger), shown.name);
            let of = shown.of.and_then(|of| sum(outcomes.iter().map(|one| &one.warm.ledger), of));
            let bound = bounds.of(shown.name).filter(|bound| all || matches!(bound, Bound::AtMost(_)));
            let bound = bound.filter(|_| all || warm.is_some());
            Figure { shown, cold, warm, of, bound, held: bound.is_none_or(|bound| bound.holds(warm, cold)) }
        };
        Self { figures: known().map(figure).collect(), outcomes, seed }
    }

    pub fn held(&self) -> bool {
        self.figures.iter().all(|figure| figure.held)
    }

    pub fn text(&self) -> String {
        let mut text = format!("What memory is worth, seed {}: cold is without a memory, warm with Cairn.\n", self.seed);
        for group in GROUPS {
            text.extend(["\n", group.title, "\n"]);
            let rows: Vec<Vec<String>> = self.of(group).filter(|figure| figure.cold.or(figure.warm).is_some()).map(row).collect();
            text.push_str(&table::written(&["", "cold", "warm", "of", "bar", ""], &rows));
        }
        for outcome in &self.outcomes {
            text.extend(["\n", &outcome.task.title, " (", &outcome.task.name, ")\n"]);
            let figures = GROUPS.iter().flat_map(|group| group.figures);
            let rows: Vec<Vec<String>> = figures
                .map(|shown| (shown, value(&outcome.cold.ledger, shown), value(&outcome.warm.ledger, shown)))
                .filter(|(_, cold, warm)| cold.or(*warm).is_some())
                .map(|(shown, cold, warm)| vec![shown.title.to_owned(), number(cold.filter(|_| shown.cold)), number(warm)])
                .collect();
            text.push_str(&table::written(&["", "cold", "warm"], &rows));
        }
        text.push_str(if self.held() { "\nbars: held\n" } else { "\nbars: MISSED\n" });
        text
    }

    pub fn json(&self) -> Value {
        let figures: Map<String, Value> = self
            .figures
            .iter()
            .map(|figure| {
                let by_task: Map<String, Value> = self
                    .outcomes
                    .iter()
                    .map(|one| (one.task.name.clone(), json!({"cold": value(&one.cold.ledger, figure.shown), "warm": value(&one.warm.ledger, figure.shown)})))
                    .collect();
                let bar = figure.bound.map(Bound::words);
                let all = json!({"title": figure.shown.title, "cold": figure.cold, "warm": figure.warm, "of": figure.of, "bar": bar, "held": figure.held, "exact": !VARIES.contains(&figure.shown.name), "by_task": by_task});
                (figure.shown.name.to_owned(), all)
            })
            .collect();
        let replay = |ledger: &Ledger| json!({"counts": ledger.counts, "trace": ledger.trace});
        let tasks: Vec<Value> = self
            .outcomes
            .iter()
            .map(|one| {
                let sessions: Vec<Value> =
                    one.warm.sessions.iter().map(|session| json!({"id": session.id, "workspace": session.workspace})).collect();
                json!({"name": one.task.name, "title": one.task.title, "about": one.task.about, "workspaces": one.warm.workspaces,
                    "sessions": sessions, "cold": replay(&one.cold.ledger), "warm": replay(&one.warm.ledger)})
            })
            .collect();
        json!({"seed": self.seed, "held": self.held(), "figures": figures, "tasks": tasks})
    }

    pub fn of(&self, group: &'static Group) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(|figure| group.figures.iter().any(|shown| shown.name == figure.shown.name))
    }
}

/// A count in one replay. Nothing counted is none, where the same replay counted what it is one of.
pub fn value(ledger: &Ledger, shown: &Shown) -> Option<u64> {
    let counted = ledger.counts.get(shown.name).map(|count| count.value);
    counted.or_else(|| ledger.counts.contains_key(whole(shown)).then_some(0))
}

fn sum<'a>(ledgers: impl Iterator<Item = &'a Ledger>, name: &str) -> Option<u64> {
    let shown = GROUPS.iter().flat_map(|group| group.figures).chain(COUNTED).find(|shown| shown.name == name)?;
    ledgers.filter_map(|ledger| value(ledger, shown)).reduce(|sum, more| sum + more)
}

/// What is counted whenever this could have been.
fn whole(shown: &Shown) -> &'static str {
    shown.of.unwrap_or(match shown.name {
        "reads_again" => "reads",
        "commands_again" => "commands",
        "items_twice" => "items_done",
        "decisions_violated" | "said_by_a_person" => "choices",
        "doubted_and_false" | "doubted_though_true" => "told_and_judged",
        _ => "nothing",
    })
}

fn row(figure: &Figure) -> Vec<String> {
    let bar = figure.bound.map(Bound::words).unwrap_or_default();
    let verdict = if figure.bound.is_none() {
        ""
    } else if figure.held {
        "held"
    } else {
        "MISSED"
    };
    vec![figure.shown.title.to_owned(), number(figure.cold), number(figure.warm), number(figure.of), bar, verdict.to_owned()]
}

/// With a thin space between thousands, or a dash for what was not measured.
pub fn number(value: Option<u64>) -> String {
    let Some(value) = value else { return "–".to_owned() };
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}
